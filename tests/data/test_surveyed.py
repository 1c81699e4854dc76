"""The published form of a survey."""

from pathlib import Path

from regard.data.surveyed import schema


def test_the_published_schema_is_in_step():
    published = Path(__file__).parents[2] / "docs" / "schemas" / "inspect-table.json"
    module = "regard.data.surveyed"
    command = f"python -c 'import {module} as m; print(m.schema(), end=\"\")' > docs/schemas/inspect-table.json"
    assert published.read_text(encoding="utf-8") == schema(), f"write it anew: {command}"
