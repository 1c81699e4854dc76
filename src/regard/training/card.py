"""The model's card: what it does, on which data it stands, its figures, how to use it."""

import shlex
from collections.abc import Sequence

from regard.answering import Answerer
from regard.metrics import Report
from regard.toml import dumps


def card(
    answerer: Answerer, name: str, train_rows: int, dev_rows: int, report: Report | None, example: Sequence[str]
) -> str:
    """Markdown for the folder's README.md; `example`: something to read, a text a column."""
    config, columns = answerer.config, answerer.columns
    reads = " and ".join(f"`{column}`" for column in answerer.reads) or "nothing"
    size = sum(tensor.numel() for tensor in answerer.models[0].tensors().values())
    lines = [
        f"# {name}",
        "",
        f"Reads {reads} and writes `{answerer.target.name}`. Made with Regard{_recipe(config.recipe)};"
        f" {size:,} parameters.",
        "",
        "## Use",
        "",
        "```text",
        command("predict", name, example),
        command("look", name, example),
        "```",
        "",
        "## Data",
        "",
        f"{train_rows:,} rows to learn from, {dev_rows:,} held out as dev"
        + (f", of {', '.join(config.data.table)}." if config.data.table else "."),
        "",
        "| column | unit | symbols | longest in training |",
        "|---|---|---|---|",
        *(
            f"| {column.name} | {column.unit}{', taken apart' if column.decomposed else ''} | {column.size - 4:,} |"
            f" {column.longest - column.end} |"
            for column in columns.values()
        ),
        "",
    ]
    if report is not None:
        figures = {"word error": "word_error_rate", "symbol error": "symbol_error_rate", "BLEU": "bleu", "chrF": "chrf"}
        lines += [
            "## Figures",
            "",
            f"On the {report.counts.examples:,} sources of dev, which also chose the best weights; search:"
            f" {config.search.method}{f' of {config.search.beam}' if config.search.method == 'beam' else ''}.",
            "",
            "| | percent | 95 % interval |",
            "|---|---|---|",
            *(
                f"| {label} | {getattr(report, key):.2f} | {report.intervals[key][0]:.2f} to"
                f" {report.intervals[key][1]:.2f} |"
                for label, key in figures.items()
            ),
            "",
        ]
    looks = ", ".join(f"`{look.score.type}`" for look in config.looks.values())  # type: ignore[attr-defined]
    lines += [
        "## Limits",
        "",
        "It knows the symbols of its training data and nothing of those it has not seen: `regard inspect` with a table"
        f" says which. {f'It shows where it looked (score: {looks}).' if looks else 'It attends to nothing.'}",
        "",
        "<details><summary>Configuration</summary>",
        "",
        "```toml",
        dumps(config.model_dump(mode="json")).strip(),
        "```",
        "",
        "</details>",
        "",
    ]
    return "\n".join(lines)


def command(verb: str, model: str, texts: Sequence[str]) -> str:
    """A command to paste into a shell."""
    apart = ["--"] if any(text.startswith("-") for text in texts) else []  # else such a text is taken for an option
    return shlex.join(["regard", verb, model, *apart, *texts])


def _recipe(name: str | None) -> str:
    return f" by the recipe `{name}`" if name else ""
