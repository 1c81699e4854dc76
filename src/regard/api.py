"""Regard from Python: `train`, `load`, and the model they give.

    model = regard.train("words.tsv")
    model.predict("through").text
    model.look("through")
    model.save("g2p")

Unusual here: the command line is made of these same calls, so whatever it can do a program can do.
"""

import atexit
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np

from regard.aligning import Alignment, Symmetry, align, column_of, symmetrised
from regard.answering import Answer, Answerer, unknown_in
from regard.config import Config, SearchOptions, compose, idle_settings, read_config
from regard.curve import Curve, Point, curve_of
from regard.data import splits
from regard.data.links import Links, from_cells, from_file, swapped, whole
from regard.data.matching import Known, match
from regard.data.tables import Table, read
from regard.data.texts import Strings
from regard.errors import RegardError
from regard.evaluating import Questions, evaluate
from regard.folder import combine as combine_folders
from regard.folder import must_be_free
from regard.folder import read as read_folder
from regard.looking import Look
from regard.metrics import METRICS, LookCheck, Report
from regard.metrics.alignment import measure
from regard.recipes import load as load_recipe
from regard.terms.supervised import Step
from regard.toml import value as toml_value
from regard.training.fit import fit, resume
from regard.training.lines import printed
from regard.training.machine import choose_device
from regard.training.plan import read_tables, roles_of
from regard.trust import CheckOptions, check_options, drawn, looks_of
from regard.trust import check as check_these
from regard.whatif import WhatIf, what_if

Say = Callable[[str], object]
Tell = Callable[[dict[str, Any]], object]
Names = str | Sequence[str]


def configure(
    recipe: str | None = None,
    settings: Mapping[str, Any] | Iterable[str] = (),
    *,
    table: Any = (),
    dev: Any = (),
    source: Names = (),
    target: str | None = None,
    features: Names = (),
    weight: str | None = None,
    links: str | Path | None = None,
    header: bool | None = None,
    where: Mapping[str, str] | None = None,
    units: Mapping[str, str] | None = None,
    say: Say = print,
) -> Config:
    """A configuration out of a recipe, `key=value` settings and what is said of the table."""
    base = load_recipe(recipe) if recipe else {}
    config = compose(base, _settings(settings))
    for idle in idle_settings(config):
        say(f"has no effect here: {idle}")
    tables = {"table": _files(table), "dev": _files(dev), "sources": _names(source), "features": _names(features)}
    told: dict[str, Any] = {
        "target": target,
        "weight": weight,
        "links": links and str(links),
        "header": header,
        "where": dict(where or {}),
    }
    data = config.data.model_dump(exclude_none=True) | {key: value for key, value in (tables | told).items() if value}
    if header is not None:
        data["header"] = header
    for name, unit in (units or {}).items():
        data["columns"].setdefault(name, {})["unit"] = unit
    return config.model_copy(update={"data": read_config({"data": data}).data})


def train(
    table: Any,
    *,
    dev: Any = None,
    out: str | Path | None = None,
    recipe: str | None = None,
    settings: Mapping[str, Any] | Iterable[str] = (),
    say: Say = print,
    tell: Tell | None = None,
    **columns: Any,
) -> "TrainedModel":
    """Learn from a table: a path, two parallel paths, or any dataframe that speaks the Arrow C stream.

    `columns`: source, target, features, weight, links, header, where, units; what is left out is found by looking and
    said (`say`). `tell` is handed every event of training; left out, each evaluation is said as a line. Without `out`
    the model lives in a temporary folder, which goes when the program ends: save it.
    """
    if out is not None:
        must_be_free(Path(out))
    config, whole, held = _prepared(table, dev, say, {"recipe": recipe, "settings": settings, **columns})
    folder = _temporary() if out is None else Path(out)
    fit(config, whole, held, folder, say=say, tell=tell or printed(say))
    return load(folder)


def train_seeds(table: Any, seeds: int, *, out: str | Path, tell: Tell | None = None, **options: Any) -> "TrainedModel":
    """Train the same with seeds 1, 2, …, and combine them; `options` are those of `train`."""
    place = Path(out)
    must_be_free(place)
    tell = tell or printed(options.get("say", print))
    settings = options.pop("settings", ())
    lines = list(_settings(settings))
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{place.name}.", dir=place.parent) as parts:
        folders = [Path(parts) / str(seed) for seed in range(1, seeds + 1)]
        for seed, folder in enumerate(folders, 1):
            tell({"event": "part", "what": f"seed {seed} of {seeds}"})
            train(table, out=folder, tell=tell, settings=[*lines, f"training.seed={seed}"], **options)
            options["say"] = _silent  # what is found by looking was said the first time
        return combine(folders, place)


def cross_validate(
    table: Any, folds: int, *, tell: Tell | None = None, say: Say = print, **options: Any
) -> list[Report]:
    """Train so many models, each measured on a part of the table that it has not seen; `options` as for `train`."""
    config, whole, _ = _prepared(table, None, say, options)
    _must_read(config)
    _must_count_rows(config)
    tell = tell or printed(say)
    reports = []
    for number, (kept, held) in enumerate(splits.folds(_sources(config, whole), folds, config.data.dev_seed), 1):
        tell({"event": "part", "what": f"fold {number} of {folds}"})
        reports.append(_measured(config, whole.take(kept), None, whole.take(held), say, tell))
        say = _silent
    return reports


def learning_curve(
    table: Any, halvings: int, *, dev: Any = None, tell: Tell | None = None, say: Say = print, **options: Any
) -> Curve:
    """Train on 1/2^halvings, …, 1/2 and all of the rows, always measured on the same dev part."""
    config, whole, held = _prepared(table, dev, say, options)
    _must_read(config)
    _must_count_rows(config)
    tell = tell or printed(say)
    if held is None:
        kept, out = splits.split(_sources(config, whole), config.data.dev_share, config.data.dev_seed)
        whole, held = whole.take(kept), whole.take(out)
    if len(whole) >> halvings == 0:
        raise RegardError(f"{len(whole):,} rows cannot be halved {halvings} times; ask for fewer halvings")
    order = np.random.default_rng(config.data.dev_seed).permutation(len(whole))
    points = []
    for number in range(halvings, -1, -1):
        part = np.sort(order[: len(whole) >> number])
        tell({"event": "part", "what": f"{len(part):,} rows"})
        found = _measured(config, whole.take(part), held, held, say, tell)
        rates = {"word_error_rate": found.word_error_rate, "symbol_error_rate": found.symbol_error_rate}
        points.append(Point(rows=len(part), **rates))
        say = _silent
    return curve_of(points)


def _prepared(table: Any, dev: Any, say: Say, options: dict[str, Any]) -> tuple[Config, Table, Table | None]:
    """The configuration and the tables that `train` would read."""
    table_path, dev_path = (given if _is_path(given) else () for given in (table, dev))
    config = configure(say=say, table=table_path, dev=dev_path, **options)
    choose_device(config.training.device)  # a wrong one is told before a large table is read
    return config, *read_tables(config, say, None if table_path else table, None if dev_path else dev)


def _measured(config: Config, rows: Table, dev: Table | None, held: Table, say: Say, tell: Tell) -> Report:
    """Train in a folder that is thrown away, and measure."""
    with tempfile.TemporaryDirectory(prefix="regard-") as folder:
        fit(config, rows, dev, Path(folder), say=say, tell=tell)
        return load(folder).evaluate(held, say=_silent)


def _sources(config: Config, table: Table) -> list[Strings]:
    """The columns whose equal cells must lie on one side of a split."""
    roles = roles_of(config, table)
    return [Strings(table.arrow.column(name)) for name in (*roles.sources, *roles.features)]


def _must_read(config: Config) -> None:
    if not config.encoders:
        raise RegardError(
            "a language model is asked nothing, so it has no answers to measure; its loss on dev is in training.jsonl"
        )


def _must_count_rows(config: Config) -> None:
    if config.data.links is not None and Path(config.data.links).is_file():
        raise RegardError(
            f"{config.data.links} counts all rows of the table, and this trains on parts of it: put the links into a"
            " column"
        )


def _silent(line: str) -> None:
    pass


def _temporary() -> Path:
    """A folder that is removed when the program ends, and not before: its path may outlive the model that has it."""
    folder = tempfile.mkdtemp(prefix="regard-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def go_on(
    folder: str | Path, *, table: Any = None, dev: Any = None, device: str | None = None, say: Say = print,
    tell: Tell | None = None,
) -> "TrainedModel":  # fmt: skip
    """Resume an interrupted training; a dataframe is given again, `device` only where it is another one."""
    resume(Path(folder), say=say, tell=tell or printed(say), table=table, dev=dev, device=device)
    return load(folder)


def load(folder: str | Path, *, device: str = "cpu") -> "TrainedModel":
    """A model folder, or an ensemble's."""
    return TrainedModel(read_folder(Path(folder), choose_device(device)), Path(folder))


def combine(folders: Iterable[str | Path], out: str | Path) -> "TrainedModel":
    """An ensemble that averages the probabilities of these models."""
    combine_folders([Path(folder) for folder in folders], Path(out))
    return load(out)


class TrainedModel:
    """A model that answers, shows where it looked, and can be measured and saved."""

    def __init__(self, answerer: Answerer, folder: Path):
        self.answerer, self.folder = answerer, folder

    @property
    def config(self) -> Config:
        return self.answerer.config

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns it reads, in order."""
        return self.answerer.reads

    @property
    def known(self) -> Known:
        """What it knows of the columns of tables."""
        return Known(self.reads, self.answerer.target.name, self.config.data.names)

    def predict(self, *given: Any, **search: Any) -> Any:
        """The answer to one input, or to each of a list.

        One input is a text for each column that the model reads (`predict("hug", "V;PST")`), many are a list of texts
        for each. `search`: any search setting (beam, n_best, method, temperature, seed …); with n_best or samples
        above 1, each input gets a list of answers, best first.
        """
        many = bool(given) and not isinstance(given[0], str)
        ranked = self.ranked(self._given(given, many), **search)
        found = ranked if self.settings(**search).several else [answers[0] for answers in ranked]
        return found if many else found[0]

    def settings(self, **search: Any) -> SearchOptions:
        """The model's own search settings, with these laid over them."""
        return read_config({"search": self.config.search.model_dump() | search}).search

    def ranked(self, given: Mapping[str, Sequence[str]], **search: Any) -> list[list[Answer]]:
        """For each input all answers found, best first."""
        return self.answerer.answers(given, self.settings(**search))

    def look(self, *given: str, force: Mapping[Any, Any] | None = None, **search: Any) -> Look:
        """Where the best answer to one input came from; it draws itself in a notebook, and with `print`.

        `force={3: 0}`: where it would have come from, had output 3 been made to look at place 0 (see `what_if`).
        """
        if force is None:
            return self.ranked(self._given(given, many=False), **search)[0][0].look
        return self.what_if(*given, force=force, **search).forced

    def what_if(self, *given: str, force: Mapping[Any, Any], **search: Any) -> WhatIf:
        """The answer to one input, and the answer had some outputs been made to look elsewhere.

        `force={3: 0}` makes output 3 look at place 0, both counted from 0; where the model has several looks,
        `force={"NAME": {3: 0}}`.
        """
        (found,) = self.what_ifs(self._given(given, many=False), force, **search)
        return found

    def what_ifs(self, given: Mapping[str, Sequence[str]], force: Mapping[Any, Any], **search: Any) -> list[WhatIf]:
        """The same for each input, a list of texts for each column."""
        return what_if(self.answerer, given, force, self.settings(**search))

    def evaluate(
        self, table: Any, *, also: Sequence[str] = (), header: bool | None = None,
        where: Mapping[str, str] | None = None, source: Names = (), target: str | None = None,
        check_looks: bool | Mapping[str, Any] = False, say: Say = print, **search: Any,
    ) -> Report:  # fmt: skip
        """Measure on a table that has the columns that the model reads and writes (`source` and `target` name them
        where they are called otherwise); as in training, rows that lack something to read or something to write are
        left out.

        `check_looks`: whether the looks are checked as well (see there), or the settings of that check.
        """
        _must_read(self.config)
        for name in also:
            METRICS[name]  # an unknown one is told before anything is asked
        checking = check_options(check_looks if isinstance(check_looks, Mapping) else {})
        if check_looks is not False:
            looks_of(self.answerer, _silent)  # a model that has none is told before it is asked anything
        columns: dict[str, Any] = {"header": header, "where": where, "source": source, "target": target, "say": say}
        target = self.answerer.target.name
        texts = self.texts(table, (*self.reads, target), **columns)
        asked = [any(cell.strip() for cell in cells) for cells in zip(*(texts[n] for n in self.reads), strict=True)]
        full = [reads and bool(cell.strip()) for reads, cell in zip(asked, texts[target], strict=True)]
        if not any(full):
            raise RegardError("there is nothing to measure: no row has something both to read and to write")
        if not all(full):
            say(f"{full.count(False):,} rows left out that have nothing to read or to write")
            texts = {name: list(compress(cells, full)) for name, cells in texts.items()}
        questions = Questions(self.reads, target, texts)
        answers = [ranked[0] for ranked in self.ranked(questions.given, **search)]
        if line := unknown_in(answers, table=True):
            say(line)
        found = evaluate(self.answerer, questions, answers, also)
        if check_looks is False:
            return found
        return found.model_copy(update={"looks": self.checks(answers, checking, say)})

    def check_looks(
        self, *given: Any, table: Any = None, check: Mapping[str, Any] | None = None, header: bool | None = None,
        where: Mapping[str, str] | None = None, say: Say = print, **search: Any,
    ) -> list[LookCheck]:  # fmt: skip
        """Whether the model uses what it looks at, for each of its looks: a verdict in words, and its figures.

        The inputs are texts as for `predict`, or a `table` as for `evaluate`, of which only what is read is needed.
        `check`: settings, such as `{"inputs": 200, "share": 0.2, "seed": 0}`.
        """
        options = check_options(check or {})
        looks_of(self.answerer, _silent)
        if (table is not None) == bool(given):
            raise RegardError("looks are checked on texts or on a table: give one of them")
        many = bool(given) and not isinstance(given[0], str)
        texts = self._given(given, many) if given else self.texts(table, self.reads, header=header, where=where)
        rows = list(dict.fromkeys(zip(*(texts[name] for name in self.reads), strict=True)))
        some = [rows[row] for row in drawn(len(rows), options)]  # before the search, which few then need
        asked = {name: [row[at] for row in some] for at, name in enumerate(self.reads)}
        return self.checks([ranked[0] for ranked in self.ranked(asked, **search)], options, say)

    def checks(self, answers: Sequence[Answer], options: CheckOptions, say: Say = print) -> list[LookCheck]:
        """The same for answers that have been found already, one to each input; equal inputs count once."""
        different = list({tuple(answer.given.values()): answer for answer in answers}.values())
        return check_these(self.answerer, [different[row] for row in drawn(len(different), options)], options, say)

    def align(
        self, table: Any, *, look: str | None = None, threshold: float | None = None, step: Step | None = None,
        reverse: Any = None, symmetry: Symmetry = "intersection", gold: str | Path | None = None,
        gold_column: str | None = None, swap: bool = False, header: bool | None = None,
        where: Mapping[str, str] | None = None,
    ) -> Alignment:  # fmt: skip
        """Which source word each word of the target column comes from, by the look along it: of the step that writes a
        symbol (`step` "own") or of the one after ("next"); unset: as training showed it true links.

        `reverse`: a model of the other direction, whose links must agree (`symmetry`: or are added). `gold`, a file, or
        `gold_column` holds true links to measure by; with `swap`, they name the words written first.
        """
        _must_read(self.config)
        if gold is not None and where:
            raise RegardError(f"{gold} counts all rows of the table: use a column of links, or leave out --where")
        read_one, target = column_of(self.answerer, look)[1], self.answerer.target.name
        found = table if isinstance(table, Table) else read(table, header=header, where=where)
        texts = self.texts(found, (*self.reads, target))
        pairs = align(self.answerer, texts, texts[target], look=look, threshold=threshold, step=step)
        if reverse is not None:
            other = reverse if isinstance(reverse, TrainedModel) else load(reverse)
            if (other.reads, other.answerer.target.name) != ((target,), read_one):
                raise RegardError(
                    f"the reverse of a model {read_one} → {target} reads {target!r} alone and writes {read_one!r}:"
                    f" {other!r} does not"
                )
            back = align(other.answerer, {target: texts[target]}, texts[read_one], threshold=threshold, step=step)
            pairs = symmetrised(pairs, back, symmetry)
        true = _true_links(found, (texts[read_one], texts[target]), gold, gold_column, swap)
        return Alignment(pairs, None if true is None else measure([pair.links for pair in pairs], true))

    def texts(
        self, table: Any, names: Sequence[str], *, header: bool | None = None, where: Mapping[str, str] | None = None,
        source: Names = (), target: str | None = None, say: Say | None = None,
    ) -> dict[str, list[str]]:  # fmt: skip
        """These columns of the model in a table: as asked for, else by name, else by place (`regard.data.matching`)."""
        asked = self.known.asked(_names(source), target)
        found = table if isinstance(table, Table) else read(table, header=header, where=where, say=say)
        columns = match(found, self.known, names, asked, say)
        return {name: found.arrow.column(columns[name]).to_pylist() for name in names}

    def save(self, folder: str | Path) -> Path:
        """Copy the model folder."""
        place = Path(folder)
        must_be_free(place)
        shutil.copytree(self.folder, place, dirs_exist_ok=True, ignore=shutil.ignore_patterns("training"))
        return place

    def __repr__(self) -> str:
        return f"<TrainedModel {' + '.join(self.reads) or 'nothing'} → {self.answerer.target.name}, {self.folder}>"

    def _given(self, given: Sequence[Any], many: bool) -> dict[str, list[str]]:
        if len(given) != len(self.reads):
            wanted = " and ".join(self.reads) or "nothing"
            raise RegardError(f"the model reads {wanted} ({len(self.reads)} in all), but {len(given)} were given")
        lists = [many and isinstance(texts, Iterable) and not isinstance(texts, str) for texts in given]
        columns = [list(texts) if several else [texts] for texts, several in zip(given, lists, strict=True)]
        for text in (text for column in columns for text in column):
            if not isinstance(text, str):
                raise RegardError(f"a text was expected, not {text!r} ({type(text).__name__})")
        if len({len(column) for column in columns}) > 1:
            raise RegardError(f"each column needs as many texts, but {' and '.join(str(len(c)) for c in columns)} came")
        return dict(zip(self.reads, columns, strict=True))


def _true_links(
    table: Table, texts: tuple[list[str], list[str]], gold: str | Path | None, column: str | None, swap: bool
) -> list[Links] | None:
    """The true links of each row of a table, where there are any."""
    sizes = [(len(source.split()), len(target.split())) for source, target in zip(*texts, strict=True)]
    sizes = [(two, one) for one, two in sizes] if swap else sizes
    if gold is not None and column is not None:
        raise RegardError("true links came both as a file and as a column; give one of them")
    if gold is not None:
        whole(table)
        found = from_file(gold, sizes)
    elif column is not None:
        found = from_cells(table.arrow.column(table.column(column)).to_pylist(), sizes, table.place)
    else:
        return None
    return [swapped(links) for links in found] if swap else found


def _is_path(table: Any) -> bool:
    """Whether this names files; what does not (a dataframe, nothing) is not remembered in the configuration."""
    return isinstance(table, str | Path) or (
        isinstance(table, Sequence) and len(table) > 0 and all(isinstance(one, str | Path) for one in table)
    )


def _files(table: Any) -> tuple[str, ...]:
    if table is None:
        return ()
    return tuple(str(Path(one).absolute()) for one in ([table] if isinstance(table, str | Path) else table))


def _names(given: Names) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _settings(given: Mapping[str, Any] | Iterable[str]) -> Iterable[str]:
    """As `key=value` lines."""
    return [f"{key}={_toml(key, value)}" for key, value in given.items()] if isinstance(given, Mapping) else given


def _toml(key: str, value: Any) -> str:
    try:
        return value if isinstance(value, str) else toml_value(value)
    except TypeError as error:
        raise RegardError(f"settings, {key}: {error}") from None
