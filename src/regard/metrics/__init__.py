"""Measuring: answers against references, each figure with its interval."""

from regard.metrics.family import METRICS, score
from regard.metrics.groups import Grouped, group
from regard.metrics.metric import Answered, Metric
from regard.metrics.report import Report, report, schema
from regard.metrics.show import show, show_looks
from regard.metrics.trust import LookCheck

__all__ = [
    "METRICS",
    "Answered",
    "Grouped",
    "LookCheck",
    "Metric",
    "Report",
    "group",
    "report",
    "schema",
    "score",
    "show",
    "show_looks",
]
