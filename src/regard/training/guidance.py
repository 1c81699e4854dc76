"""True links on their way into a run: what is asked of the configuration, and what is read beside the rows.

Unusual here: nothing asks for a term by its name, but for what it needs; only where no term needs links does giving
them bring in the one that shows them to the look.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from regard.batch import LINKS
from regard.config import Config
from regard.data.columns import TextColumn
from regard.data.linked import LinkCells
from regard.data.links import from_cells, from_file, whole
from regard.data.roles import Roles
from regard.data.tables import Table
from regard.data.texts import Strings
from regard.errors import RegardError
from regard.terms import TERMS, Supervised, TermOptions, look_of

Say = Callable[[str], object]


def needs_links(options: TermOptions) -> bool:
    return any(need.startswith(f"batch.columns.{LINKS}.") for need in TERMS[options.type].needs)


def check_links(config: Config) -> None:
    """That terms which need links have some."""
    for options in config.terms.values():
        if config.data.links is None and needs_links(options):
            raise RegardError(
                f"the term {options.type!r} needs true links: say which column or file has them (--links)"
            )


def guided(config: Config, file: Path | None) -> Config:
    """The same, with a term that makes use of true links, and their file by a path that holds from everywhere."""
    data, terms = config.data, config.terms
    if file is not None:
        if data.where:
            raise RegardError(f"{file} counts all rows of the table: put the links into a column, or leave out --where")
        data = data.model_copy(update={"links": str(file.absolute())})
    if not any(map(needs_links, terms.values())):
        terms = terms | {Supervised.name: Supervised.Options(type="supervised")}
    return config.model_copy(update={"data": data, "terms": terms})


def check_columns(config: Config, links: LinkCells) -> None:
    """That the looks which links guide are at what the links are with."""
    source = links.source
    for options in filter(needs_links, config.terms.values()):
        look = look_of(TERMS[options.type], options, config.looks)
        if look is None:
            continue
        reads = getattr(config.encoders[config.looks[look].at.partition(".")[0]], "reads", ())
        if reads and reads[0] != source:
            raise RegardError(
                f"true links are with the words of {source!r}, and the look {look!r} is at {' + '.join(reads)}: let the"
                f" term {options.type!r} guide a look at {source!r}, or read that column first (--from)"
            )


def true_links(
    table: Table, rows: np.ndarray, roles: Roles, columns: Mapping[str, TextColumn], name: str | None,
    file: Path | None, say: Say,
) -> LinkCells:  # fmt: skip
    """The true links of these rows, between the target and the first column read."""
    if not roles.sources:
        raise RegardError("true links are between what is read and what is written, and a language model reads nothing")
    if LINKS in columns:
        raise RegardError(f"true links go by the name {LINKS!r}, so no column read or written may: rename that column")
    source, target = columns[roles.sources[0]], columns[str(roles.target)]
    texts = [Strings(table.arrow.column(one.name)) for one in (source, target)]
    sizes = [(len(read.split()), len(written.split())) for read, written in zip(*texts, strict=True)]
    if file is not None:
        whole(table)
        found = from_file(file, sizes)
    else:
        found = from_cells(Strings(table.arrow.column(name)), sizes, table.place)
    own = [found[row] for row in rows]
    count, origin = sum(bool(links.possible) for links in own), name or file
    if not count:
        raise RegardError(f"{table.origin}: none of {len(rows):,} rows to train on has a true link in {origin}")
    say(f"{count:,} of {len(rows):,} rows to train on have true links (from {origin}), which the look is shown")
    pairs = zip(*(Strings(table.arrow.column(one.name), rows) for one in (source, target)), strict=True)
    return LinkCells.of(source, target, pairs, own)
