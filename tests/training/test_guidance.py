"""True links in a run: found in a column or a file, shown to the look, and every mistake in one line."""

from itertools import product

import pytest

from regard.api import cross_validate, learning_curve, load, train
from regard.config import compose, read_config
from regard.data.tables import read
from regard.errors import RegardError
from regard.training.plan import make_plan

WORDS = [" ".join(letters) for letters in product("abc", repeat=3)] + [" ".join(two) for two in product("abc", "de")]
FIXED = ["hidden=8", "embedding=4", "threads=1", "precision=float32", "training.device=cpu", "method=greedy"]
UNITS = ["data.columns.read.unit=symbol", "data.columns.written.unit=symbol"]


def backwards(count):
    return [(place, count - 1 - place) for place in range(count)]


def cell(count):
    return " ".join(f"{i}-{j}" for i, j in backwards(count))


@pytest.fixture
def table(tmp_path):
    """Words to be written backwards, and which is which; in a column, and in a file."""
    path = tmp_path / "pairs.tsv"
    rows = [(word, " ".join(reversed(word.upper().split())), cell(len(word.split()))) for word in WORDS]
    path.write_text("read\twritten\tgold\n" + "".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    lines = [
        f"{number} {i + 1} {j + 1} S\n" for number, word in enumerate(WORDS, 1) for i, j in backwards(len(word.split()))
    ]
    (tmp_path / "true.wpt").write_text("".join(lines))
    return path


def planned(path, *settings, say=lambda line: None, recipe=None, **data):
    config = compose(recipe or {}, [*FIXED, *UNITS, *settings])
    data = config.data.model_dump(exclude_none=True) | {"sources": ["read"], "target": "written"} | data
    return make_plan(
        config.model_copy(update={"data": read_config({"data": data}).data}), read(path, header=True), None, say
    )


def refused(call, *arguments, **more):
    with pytest.raises(RegardError) as error:
        call(*arguments, **more)
    assert "\n" not in str(error.value)
    return str(error.value)


def links_of(plan):
    """The links of each row to train on, by its words."""
    source = plan.columns["read"]
    found = {}
    for row in range(len(plan.train)):
        own = plan.train.cells["read"]
        word = source.decode(own.ids[own.starts[row] : own.starts[row + 1]])
        start, end = plan.train.links.starts[row : row + 2]
        found[word] = sorted(map(tuple, plan.train.links.pairs[start:end].tolist()))
    return found


@pytest.mark.parametrize("given", ["gold", "3", "true.wpt"])
def test_links_reach_their_rows(table, tmp_path, monkeypatch, given):
    monkeypatch.chdir(tmp_path)
    said = []
    plan = planned(table, links=given, say=said.append)
    found = links_of(plan)
    assert found == {word: sorted((j, i) for i, j in backwards(len(word.split()))) for word in found}
    assert 20 < len(found) < len(WORDS)
    origin = "true.wpt" if given.endswith("wpt") else "gold"
    assert (
        said[-1]
        == f"{len(found)} of {len(found)} rows to train on have true links (from {origin}), which the look is shown"
    )
    assert plan.config.terms["supervised"].weight == 1.0
    assert plan.config.data.links == (str(tmp_path / "true.wpt") if given.endswith("wpt") else given)
    assert "gold" not in plan.columns


def test_the_column_of_links_leaves_nothing_open(table):
    """Three columns, of which one holds links, are one to read and one to write."""
    plan = make_plan(
        compose({}, [*FIXED, *UNITS, "data.links=gold"]), read(table, header=True), None, lambda line: None
    )
    assert (plan.config.data.sources, plan.config.data.target) == (("read",), "written")


def test_a_term_that_was_configured_stays(table):
    plan = planned(table, 'terms.mine={type="supervised", loss="squared", weight=0.3}', links="gold")
    assert list(plan.config.terms) == ["mine"]
    assert plan.config.terms["mine"].weight == 0.3


def test_rows_without_links_are_learnt_from_all_the_same(table):
    text = table.read_text().splitlines(keepends=True)
    table.write_text("".join([text[0], *(line.rsplit("\t", 1)[0] + "\t\n" for line in text[1:20]), *text[20:]]))
    plan = planned(table, links="gold")
    assert any(not links for links in links_of(plan).values())
    assert any(links_of(plan).values())


def test_other_links_are_another_table_to_learn(table):
    one = planned(table, links="gold").fingerprint
    table.write_text(table.read_text().replace("0-2 1-1 2-0", "0-2 1-1"))
    assert planned(table, links="gold").fingerprint != one


def test_a_look_that_is_shown_the_links_looks_there(table, tmp_path):
    settings = [*FIXED, "epochs=25", "batch=8", "rate=0.03", "average=0.5", "hidden=16"]
    errors = {}
    for name, links in (("plain", None), ("shown", "gold")):
        model = train(
            table, out=tmp_path / name, source="read", target="written", links=links, settings=settings,
            units={"read": "symbol", "written": "symbol"}, say=lambda line: None,
        )  # fmt: skip
        errors[name] = model.align(table, gold_column="gold").report.aer
    assert errors["shown"] < 5
    assert errors["shown"] < errors["plain"] / 2
    assert load(tmp_path / "shown").config.data.links == "gold"
    assert '"train_terms": {"supervised": ' in (tmp_path / "shown" / "training.jsonl").read_text()


@pytest.mark.parametrize(
    ("given", "settings", "said"),
    [
        ("golt", [], "{}/pairs.tsv has no column 'golt': did you mean 'gold'?; nor is there a file golt"),
        ("read", [], "column 'read' is asked for twice, by --links and as something else; leave one out"),
        ("gold", ["conditioning=first"], "the term 'supervised' guides a look, and this model has none: leave"),
        (None, ["terms.supervised.weight=2"], "the term 'supervised' needs true links: say which column or file"),
        ("bad.wpt", [], "bad.wpt, line 2: the link 1 9 is out of range: target word 9, but they count from 1 to 3"),
        ("bad", [], "{}/pairs.tsv, line 3: the link 0-3 is out of range: target word 3, but they count from 0 to 2"),
        ("none", [], "{}/pairs.tsv: none of 30 rows to train on has a true link in none"),
    ],
)  # fmt: skip
def test_mistakes(table, tmp_path, monkeypatch, given, settings, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.wpt").write_text("1 1 1 S\n1 1 9 S\n")
    lines = table.read_text().splitlines()
    more = ["\tbad\tnone", *("\t0-3\t" if number == 2 else "\t\t" for number in range(1, len(lines)))]
    table.write_text("".join(f"{line}{cells}\n" for line, cells in zip(lines, more, strict=True)))
    assert refused(planned, table, *settings, links=given).startswith(said.format(tmp_path))


def test_links_with_another_column_than_the_look_is_at(table):
    recipe = {"encoders": {"one": {"reads": ["written"]}, "two": {"reads": ["read"]}}, "decoder": {"writes": "gold"}}
    said = refused(
        planned, table, "terms.supervised.look=two", recipe=recipe, sources=["written", "read"], target="gold",
        links="4", columns={},
    )  # fmt: skip
    assert said.startswith(f"{table} has no column '4'")
    lines = table.read_text().splitlines()
    table.write_text(
        "\n".join(f"{line}\t{'links' if not number else '0-0'}" for number, line in enumerate(lines)) + "\n"
    )
    more = {"sources": ["written", "read"], "target": "gold", "links": "4", "columns": {}}
    said = refused(planned, table, "terms.supervised.look=two", recipe=recipe, **more)
    assert said == (
        "true links are with the words of 'written', and the look 'two' is at read: let the term 'supervised' guide a"
        " look at 'written', or read that column first (--from)"
    )
    assert planned(table, "terms.supervised.look=one", recipe=recipe, **more).train.links.source == "written"


def test_a_file_counts_the_rows_of_the_whole_table(table, tmp_path):
    gold = tmp_path / "true.wpt"
    said = f"{gold} counts all rows of the table: put the links into a column, or leave out --where"
    assert refused(planned, table, links=str(gold), where={"read": "a b c"}) == said
    options = {"source": "read", "target": "written", "links": gold, "settings": FIXED, "say": lambda line: None}
    said = f"{gold} counts all rows of the table, and this trains on parts of it: put the links into a column"
    assert refused(cross_validate, table, 2, **options) == said
    assert refused(learning_curve, table, 2, **options) == said
    table.write_text("read\twritten\n" + "a b\tB A\n" * 20 + "c\n" + "b\tB\n" * 20)
    assert refused(planned, table, links=str(gold)).startswith(f"{table}: 1 rows are left out (line 22 first), so that")


def test_a_column_that_links_go_by_the_name_of(table):
    table.write_text(table.read_text().replace("read", "links", 1))
    said = refused(planned, table, links="gold", sources=["links"], columns={})
    assert said == "true links go by the name 'links', so no column read or written may: rename that column"


def test_a_language_model(table):
    config = compose({"conditioning": "none"}, [*FIXED, "data.links=gold", "data.target=written"])
    said = refused(make_plan, config, read(table, header=True), None, lambda line: None)
    assert said.startswith("the term 'supervised' guides a look, and this model has none")
