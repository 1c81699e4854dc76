"""From a table and what a person asked for to a plan: columns understood, rows parted, the configuration complete.

Unusual here: everything that is decided by looking (at the table, at the machine) is written into the configuration
that the plan holds, so that `config.toml` repeats the run as it was.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import torch

from regard.answering import copier_of
from regard.config import Config, copied_column, read_config
from regard.data.columns import TextColumn
from regard.data.copying import Copier
from regard.data.examples import Examples, copied, encode
from regard.data.formats import CSV, SAMPLE, looks_like_csv
from regard.data.links import column_or_file
from regard.data.roles import Roles, choose_roles
from regard.data.splits import split
from regard.data.tables import Table, read
from regard.data.texts import Strings, sample
from regard.data.usable import lacking
from regard.embedding import vector_file_width
from regard.errors import RegardError
from regard.evaluating import Questions, default_metric
from regard.metrics import METRICS
from regard.terms import TERMS, look_of
from regard.training.guidance import check_columns, check_links, guided, true_links
from regard.training.machine import choose_device, choose_precision, choose_threads
from regard.training.schedule import batch_for, epochs_for

Say = Callable[[str], object]


@dataclass(frozen=True, eq=False)
class Plan:
    """A run before its first update."""

    config: Config  # complete
    columns: dict[str, TextColumn]
    train: Examples
    dev: Examples
    questions: Questions  # the dev rows as questions with their right answers
    device: torch.device

    @property
    def fingerprint(self) -> str:
        """Of the rows that are learnt from, as ids: a run goes on with the same ones only."""
        digest = blake2b(digest_size=16)
        for cells in self.train.cells.values():
            digest.update(cells.starts.data)
            digest.update(cells.ids.data)
        if self.train.weights is not None:
            digest.update(self.train.weights.data)
        if self.train.links is not None:
            digest.update(self.train.links.pairs.data)
            digest.update(self.train.links.starts.data)
        return digest.hexdigest()


def read_tables(config: Config, say: Say, given: Any = None, dev: Any = None) -> tuple[Table, Table | None]:
    """The tables that the configuration names, or those given in their place (dataframes)."""
    data = config.data
    if given is None and not data.table:
        raise RegardError("the table of this run was not a file; give it again to go on")
    options: dict[str, Any] = {"where": data.where, "say": say}
    table = read(_paths(data.table) if given is None else given, header=data.header, **options)
    if dev is None and not data.dev:
        return table, None
    held = read(_paths(data.dev) if dev is None else dev, header=data.header if data.dev else None, **options)
    if not table.header and held.header != table.header:
        held = read(_paths(data.dev) if dev is None else dev, header=False, where=data.where)
    both = [name for name in table.names if name in held.names]
    moved = any(table.names.index(name) != held.names.index(name) for name in both)
    if len(held.names) == len(table.names) and not moved:  # parallel files have other names, in the same order
        held = Table(held.arrow.rename_columns(table.names), held.origin, held.header, held.lines, held.line_word)
    return table, held


def _paths(names: Sequence[str]) -> Any:
    return names[0] if len(names) == 1 else list(names)


def make_plan(
    config: Config, table: Table, dev: Table | None, say: Say, columns: dict[str, TextColumn] | None = None
) -> Plan:
    """Look at everything that was left open; `columns`: those of a run that goes on."""
    config = _by_name(config, table)
    linked = None if config.data.links is None else column_or_file(table, config.data.links)
    if linked is not None:
        config = guided(config, linked[1])
    check_links(config)
    _check_early(config, table)
    data = config.data
    roles = roles_of(config, table, say)
    assert roles.target is not None
    names = (*roles.sources, *roles.features, roles.target)
    rows = _usable(table, roles, say)
    if dev is None:
        kept, held = split([_cells(table, name, rows) for name in names[:-1] or names], data.dev_share, data.dev_seed)
        parts = [(table, rows[kept]), (table, rows[held])]
        say(f"{len(kept):,} rows to train on, {len(held):,} held out for dev")
    else:
        parts = [(table, rows), (dev, _usable(_with(dev, names), roles, say))]
        say(f"{len(rows):,} rows to train on, {len(parts[1][1]):,} for dev from {dev.origin}")
    if columns is None:
        columns = {name: _fit_column(config, roles, name, _cells(table, name, parts[0][1]), say) for name in names}
    device = choose_device(config.training.device)
    complete = _complete(config, table.names, roles, columns, len(parts[0][1]), device)
    copier = copier_of(complete, columns)
    uses = ("to train on", "for dev")
    train, held_out = (
        _examples(part, where, columns, copier, roles.weight, use)
        for (part, where), use in zip(parts, uses, strict=True)
    )
    dev_table, dev_rows = parts[1]
    texts = {name: list(_cells(dev_table, name, dev_rows)) for name in names}
    weights = None if held_out.weights is None else held_out.weights.tolist()
    questions = Questions(names[:-1], roles.target, texts, weights)
    if linked is not None:
        links = true_links(table, parts[0][1], roles, columns, *linked, say)
        check_columns(complete, links)
        train = replace(train, links=links)
    return Plan(complete, columns, train, held_out, questions, device)


def roles_of(config: Config, table: Table, say: Say | None = None) -> Roles:
    """Which columns of a table this configuration reads and writes."""
    data = config.data
    links = None if data.links is None else column_or_file(table, data.links)[0]
    sources, features = ([table.column(name) for name in names] for names in (data.sources, data.features))
    target, weight = (None if name is None else table.column(name) for name in (data.target, data.weight))
    if links is not None and links in (*sources, *features, target, weight):
        raise RegardError(f"column {links!r} is asked for twice, by --links and as something else; leave one out")
    return choose_roles(
        table.without(links),
        sources=sources,
        features=features,
        target=target,
        weight=weight,
        units={name: options.unit for name, options in data.columns.items() if options.unit},
        separators={name: options.separators for name, options in data.columns.items() if options.separators},
        purpose=None if config.encoders else "language-model",
        say=say,
    )


def _by_name(config: Config, table: Table) -> Config:
    """Columns that were asked for by number, by the names that everything else goes by."""
    columns = {table.column(name): options for name, options in config.data.columns.items()}
    return config.model_copy(update={"data": config.data.model_copy(update={"columns": columns})})


def _check_early(config: Config, table: Table) -> None:
    """What would otherwise go wrong only once columns are learnt, or the model is trained."""
    if config.encoders and len(table.names) == 1:
        (name,) = table.names
        lines = [*([name] if table.header else []), *sample(Strings(table.arrow.column(name)), SAMPLE)]
        raise RegardError(
            f"{table.origin} has a single column, and something to read and something to write are needed"
            + (f"; {CSV}" if looks_like_csv(lines) else "")
            + " (a model that reads nothing: --recipe language-model)"
        )
    config.search.for_search()
    if config.training.metric is not None:
        METRICS[config.training.metric]
    for options in config.terms.values():
        look_of(TERMS[options.type], options, config.looks)
    there = ["encoder", "decoder"] if config.encoders else ["decoder"]
    if {*there} <= {*config.training.freeze}:
        named = " and ".join(f"the {part}" for part in there)
        raise RegardError(f"training.freeze names {named}: nothing would be left to train")


def _with(table: Table, names: Sequence[str]) -> Table:
    """The same table, once it is known to have these columns."""
    for name in names:
        table.column(name)
    return table


def _cells(table: Table, name: str, rows: np.ndarray) -> Strings:
    return Strings(table.arrow.column(name), rows)


def _usable(table: Table, roles: Roles, say: Say) -> np.ndarray:
    """The rows that have something to read and something to write."""
    full = np.ones(len(table), bool)
    for what, missing in lacking(table, roles).items():
        if missing.any():
            first = table.place(int(np.flatnonzero(missing)[0]))
            say(f"{int(missing.sum()):,} rows left out that have nothing {what}; the first: {first}")
        full &= ~missing
    if not full.any():
        raise RegardError(f"{table.origin}: no row has something both to read and to write")
    return np.flatnonzero(full)


def _fit_column(config: Config, roles: Roles, name: str, texts: Strings, say: Say) -> TextColumn:
    options = config.data.columns.get(name)
    more: dict[str, Any] = {}
    if options is not None:
        more = {"size": options.size, "method": options.subword}
        more["decompose"] = "auto" if options.decompose is None else options.decompose
    if name in roles.separators:
        more["separators"] = tuple(roles.separators[name])
    column = TextColumn.fit(name, texts, unit=roles.units[name], end=name == roles.target, **more)
    for note in column.notes:
        say(f"{name}: {note}")
    return column


def _examples(
    table: Table,
    rows: np.ndarray,
    columns: Mapping[str, TextColumn],
    copier: Copier | None,
    weight: str | None,
    use: str,
) -> Examples:
    texts = {name: _cells(table, name, rows) for name in columns}
    cells = {name: encode(column, texts[name]) for name, column in columns.items()}
    if copier is not None:
        cells = copied(cells, copier, texts[copier.source.name], texts[copier.target.name])
    weighed = weight in table.names  # a dev file may have none
    return Examples(cells, _weights(table, rows, weight, use) if weight is not None and weighed else None)


def _weights(table: Table, rows: np.ndarray, name: str, use: str) -> np.ndarray:
    found = np.empty(len(rows))
    for at, (row, text) in enumerate(zip(rows, _cells(table, name, rows), strict=True)):
        try:
            found[at] = float(text)
        except ValueError:
            found[at] = np.nan
        if not found[at] >= 0 or not np.isfinite(found[at]):
            raise RegardError(
                f"{table.place(int(row))}: the weight {text!r} in column {name!r} is not a number from 0 on"
            )
    if not found.any():
        raise RegardError(f"{table.origin}: all {len(rows):,} rows {use} have the weight 0 in column {name!r}")
    return found


def _complete(
    config: Config, names: list[str], roles: Roles, columns: Mapping[str, TextColumn], rows: int, device: torch.device
) -> Config:
    """The configuration with nothing left open."""
    table = config.model_dump(mode="json", exclude_none=True)
    data, training = table["data"], table["training"]
    data |= {"sources": roles.sources, "features": roles.features, "target": roles.target, "names": names}
    if roles.weight is not None:
        data["weight"] = roles.weight
    for name, column in columns.items():
        own = data["columns"].setdefault(name, {})
        own |= {"unit": column.unit, "decompose": column.decomposed}
        if column.separators:
            own["separators"] = "".join(column.separators)
    for name, encoder in table["encoders"].items():
        if not encoder["reads"]:
            if len(table["encoders"]) > 1:
                raise RegardError(
                    f"encoders.{name}.reads is empty: with several encoders, say which columns each reads,"
                    f" of {', '.join((*roles.sources, *roles.features))}"
                )
            encoder["reads"] = (*roles.sources, *roles.features)
    table["decoder"]["writes"] = roles.target
    if (copied_from := copied_column(read_config(table))) is not None:
        table["decoder"]["emission"]["column"] = copied_from
    for part in (*table["encoders"].values(), table["decoder"]):
        if part.get("embedding", {}).get("type") == "vectors":
            part["embedding"]["width"] = vector_file_width(Path(part["embedding"]["file"]))
    training.setdefault("epochs", epochs_for(rows))
    training.setdefault("batch", batch_for(rows))
    training.setdefault("metric", default_metric(columns[roles.target].unit if roles.target else ""))
    training["device"] = str(device)
    if "threads" not in training:
        training["threads"] = choose_threads(torch.get_num_threads()) if device.type == "cpu" else 1
    if training["precision"] == "auto":
        training["precision"] = choose_precision(device)
    return read_config(table)
