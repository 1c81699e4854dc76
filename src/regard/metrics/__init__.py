"""Measuring: answers against references, each figure with its interval."""

from regard.metrics.family import METRICS, score
from regard.metrics.groups import Grouped, group
from regard.metrics.metric import Answered, Metric
from regard.metrics.report import Report, report, schema
from regard.metrics.show import show

__all__ = ["METRICS", "Answered", "Grouped", "Metric", "Report", "group", "report", "schema", "score", "show"]
