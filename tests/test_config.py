"""The configuration: presets and short forms mean exactly what they say, mistakes say where, nothing is ignored."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.attention import SCORES
from regard.attention.scores.additive import AdditiveOptions
from regard.attention.scores.mlp import MLPOptions
from regard.config import FORMAT, Config, compose, copied_column, idle_settings, parse_setting, read_config
from regard.errors import RegardError
from regard.terms import TERMS
from regard.terms.coverage import CoverageOptions

TWO = {"encoders": {"left": {"reads": ["a"]}, "right": {"reads": ["b"]}}}


def refused(*settings, **recipe):
    with pytest.raises(RegardError) as error:
        compose(recipe, settings)
    return str(error.value)


# -- presets -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "recipe", "looks", "feed", "readout", "start"),
    [
        ([], {}, ["source"], [], ["state", "look.source", "previous"], "summary"),
        (["conditioning=attend"], {}, ["source"], [], ["state", "look.source", "previous"], "summary"),
        (["conditioning=first"], {}, [], [], ["state", "previous"], "summary"),
        (
            ["conditioning=every"], {}, [], ["summary.source"], ["state", "summary.source", "previous"], "summary",
        ),
        (["conditioning=none"], {}, [], [], ["state", "previous"], "learned"),
        (["conditioning=none", "start=zero"], {}, [], [], ["state", "previous"], "zero"),
        (["when=before"], {}, ["source"], ["look.source"], ["state", "look.source", "previous"], "summary"),
        (
            [], TWO, ["left", "right"], [], ["state", "look.left", "look.right", "previous"], "summary",
        ),
        (
            ["looks.right.when=before"], TWO, ["left", "right"], ["look.right"],
            ["state", "look.left", "look.right", "previous"], "summary",
        ),
        (
            [], TWO | {"conditioning": "every"}, [], ["summary.left", "summary.right"],
            ["state", "summary.left", "summary.right", "previous"], "summary",
        ),
        (
            ["when=before"], TWO | {"conditioning": "every", "looks": {"left": {"at": "left"}}}, ["left"],
            ["summary.left", "summary.right", "look.left"],
            ["state", "look.left", "summary.left", "summary.right", "previous"], "summary",
        ),
        (["feed=look.source", "readout=state"], {}, ["source"], ["look.source"], ["state"], "summary"),
        # what --set says takes the place of all that the recipe's own preset stands for
        (["conditioning=first"], {"looks": {"source": {"at": "source"}}}, [], [], ["state", "previous"], "summary"),
        (["conditioning=attend"], {"conditioning": "every"}, ["source"], [], ["state", "look.source", "previous"],
         "summary"),
        (["conditioning=attend"], {"conditioning": "none", "decoder": {"start": "learned"}}, ["source"], [],
         ["state", "look.source", "previous"], "summary"),
        (["conditioning=none"], TWO, [], [], ["state", "previous"], "learned"),
    ],
)  # fmt: skip
def test_what_a_preset_stands_for(settings, recipe, looks, feed, readout, start):
    made = compose(recipe, settings)
    decoder = made.decoder
    assert (list(made.looks), list(decoder.feed), list(decoder.readout), decoder.start) == (looks, feed, readout, start)
    if start != "summary" and decoder.start != "zero":
        assert made.encoders == {}


def test_a_preset_that_nobody_has():
    assert refused("conditioning=atend") == "unknown conditioning 'atend'; did you mean 'attend'?"
    assert refused(conditioning=3) == "unknown conditioning 3; known: attend, every, first, none"


def test_a_recipe_is_not_changed():
    recipe = {"decoder": {"cell": "rnn"}, "encoders": {"source": {"hidden": 3}}}
    compose(recipe, ["cell=gru", "hidden=4"])
    assert recipe == {"decoder": {"cell": "rnn"}, "encoders": {"source": {"hidden": 3}}}


def test_settings_may_come_one_by_one():
    assert compose({}, (setting for setting in ["conditioning = first", "cell = gru"])).looks == {}


# -- short forms ---------------------------------------------------------------------------------------------------


def test_a_short_form_sets_every_part_that_has_it():
    made = compose(TWO, ["cell=gru", "hidden=7", "dropout=0.1", "embedding=9"])
    for part in (*made.encoders.values(), made.decoder):
        assert (part.cell, part.hidden, part.dropout, part.embedding.width) == ("gru", 7, 0.1, 9)


def test_a_full_path_sets_one():
    made = compose(TWO, ["hidden=7", "encoders.left.hidden=8", "looks.right.score=dot"])
    assert [part.hidden for part in (*made.encoders.values(), made.decoder)] == [8, 7, 7]
    assert [look.score.type for look in made.looks.values()] == ["additive", "dot"]


@pytest.mark.parametrize("name", SCORES.names())
def test_a_score_by_name_and_as_a_table(name):
    assert compose({}, [f"score={name}"]) == compose({}, [f'score={{type="{name}"}}'])
    assert compose({}, [f"score={name}"]).looks["source"].score.type == name


def test_the_options_of_a_part():
    assert compose({}, ['score={type="mlp", layers=3}']).looks["source"].score == MLPOptions(layers=3)
    assert compose({}, ["score=mlp", "score.layers=3"]).looks["source"].score == MLPOptions(layers=3)
    assert compose({}, ["score.width=3"]).looks["source"].score == AdditiveOptions(width=3)
    assert compose({}, ["looks.source.score.width=3"]).looks["source"].score == AdditiveOptions(width=3)
    assert compose({}, ["embedding.frozen=true"]).decoder.embedding.frozen
    assert compose({"decoder": "sequence", "encoders": {"source": "recurrent"}}, ["cell=gru"]).decoder.cell == "gru"


def test_a_term_is_made_by_setting_it_and_named_after_its_type_unless_it_says_another():
    assert compose({}).terms == {}
    assert compose({}, ["terms.coverage.weight=0.5"]).terms == {"coverage": CoverageOptions(weight=0.5)}
    assert compose({}, ["terms.coverage=coverage"]).terms == {"coverage": CoverageOptions()}
    recipe = {"terms": {"coverage": {"look": "right"}, "left": {"type": "coverage", "look": "left"}}}
    made = compose(TWO | recipe, ["terms.left.weight=2"])
    assert made.terms == {"coverage": CoverageOptions(look="right"), "left": CoverageOptions(look="left", weight=2)}
    assert read_config(made.model_dump(mode="json")) == made


def test_training_search_and_data():
    made = compose({}, ["epochs=3", "beam=7", "seed=5", "search.seed=6", "features=tags", "data.where.split=dev"])
    assert (made.training.epochs, made.search.beam, made.training.seed, made.search.seed) == (3, 7, 5, 6)
    assert (made.data.features, made.data.where) == (("tags",), {"split": "dev"})


def test_one_name_stands_for_a_list_of_one():
    assert compose({}, ["freeze=encoder"]).training.freeze == ("encoder",)
    assert compose({}, ["reads=word"]) == compose({}, ['reads=["word"]'])


def test_the_last_of_two_counts():
    assert compose({}, ["hidden=3", "hidden=4"]).decoder.hidden == 4


# -- settings as text ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=1", ("a", 1)),
        ("a.b = 0.5", ("a.b", 0.5)),
        ("a=true", ("a", True)),
        ("a=x", ("a", "x")),
        ("a=x=y", ("a", "x=y")),
        ("a=", ("a", "")),
        ('a="1"', ("a", "1")),
        ("a=[1, 2]", ("a", [1, 2])),
        ('a={type="b"}', ("a", {"type": "b"})),
        ("a=[1", ("a", "[1")),
        ("a=1\nb=2", ("a", "1\nb=2")),
    ],
)
def test_a_setting(text, expected):
    assert parse_setting(text) == expected


@pytest.mark.parametrize("text", ["", "a", "=1", "  =1"])
def test_no_setting(text):
    with pytest.raises(RegardError) as error:
        parse_setting(text)
    assert str(error.value) == f"setting {text!r}: expected key=value, such as score=general or training.epochs=20"


@given(st.text(), st.text())
def test_any_setting_is_read(key, value):
    try:
        found, _ = parse_setting(f"{key}={value}")
    except RegardError:
        assert not key.partition("=")[0].strip()
    else:
        assert found == key.partition("=")[0].strip()


VALUES = st.recursive(
    st.integers() | st.floats(allow_nan=False) | st.booleans() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)
KEYS = st.sampled_from(
    ["score", "score.type", "hidden", "encoders", "encoders.source", "looks", "looks.source.at", "decoder.feed", "when",
     "decoder", "decoder.type", "terms", "terms.entropy", "terms.entropy.weight", "embedding", "training.epochs",
     "data.where", "data.columns.word", "conditioning", "at"]
)  # fmt: skip


@given(st.dictionaries(KEYS | st.text(max_size=6), VALUES, max_size=3))
def test_any_recipe_is_a_configuration_or_one_clear_line(recipe):
    table = {}
    for key, value in recipe.items():
        room = table
        *path, last = key.split(".")
        for part in path:
            room = room.setdefault(part, {}) if isinstance(room.get(part, {}), dict) else {}
        room[last] = value
    try:
        assert isinstance(compose(table), Config)
    except RegardError as error:
        said = str(error)
    else:
        return
    assert "\n" not in said.replace("\\n", "")


@given(KEYS | st.text(max_size=6), st.text(max_size=8) | VALUES.map(str))
def test_any_setting_makes_a_configuration_or_one_clear_line(key, value):
    try:
        assert isinstance(compose({}, [f"{key}={value}"]), Config)
    except RegardError as error:
        said = str(error)
    else:
        return
    assert said.startswith(("setting ", "configuration, ", "unknown conditioning ", "this model has format "))


# -- mistakes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("scor=dot", "setting 'scor': no such setting; did you mean 'score'?"),
        ("trainig.epochs=3", "setting 'trainig.epochs': no such setting; did you mean 'training'?"),
        ("decoder.cel=gru", "configuration, decoder: unknown key 'cel'; did you mean 'cell'?"),
        ("encoders.source.hiden=3", "configuration, encoders.source: unknown key 'hiden'; did you mean 'hidden'?"),
        ("looks.source.scor=dot", "configuration, looks.source: unknown key 'scor'; did you mean 'score'?"),
        ("score.widht=3", "configuration, looks.source.score: unknown key 'widht'; did you mean 'width'?"),
        ("emission.x=3", "configuration, decoder.emission: unknown key 'x'; known: type"),
        (
            "decoder.embedding.x=3",
            "configuration, decoder.embedding: unknown key 'x'; known: file, frozen, type, width",
        ),
        ("training.epoch=3", "configuration, training: unknown key 'epoch'; did you mean 'epochs'?"),
        ("search.beem=3", "configuration, search: unknown key 'beem'; did you mean 'beam'?"),
        ("data.target_=3", "configuration, data: unknown key 'target_'; did you mean 'target'?"),
        ("data.columns.w.unt=x", "configuration, data.columns.w: unknown key 'unt'; did you mean 'unit'?"),
        ("score=aditive", "configuration, looks.source.score: unknown score 'aditive'; did you mean 'additive'?"),
        ("focus=sof", "configuration, looks.source.focus: unknown focus 'sof'; did you mean 'soft'?"),
        ("terms.entropi.weight=1", "configuration, terms.entropi: unknown term 'entropi'; did you mean 'entropy'?"),
        ("terms.entropy.wieght=1", "configuration, terms.entropy: unknown key 'wieght'; did you mean 'weight'?"),
        (
            "terms.entropy.weight=-1",
            "configuration, terms.entropy.weight: input should be greater than or equal to 0, got -1",
        ),
        (
            "terms.entropy=3",
            "configuration, terms.entropy: expected the name of a term or a table with its type, got 3",
        ),
        ("terms.e.type=3", "configuration, terms.e: a term needs a type; known: " + ", ".join(TERMS.names())),
        ("decoder.type=x", "configuration, decoder: unknown decoder 'x'; known: sequence"),
        ("encoders.source.type=x", "configuration, encoders.source: unknown encoder 'x'; known: recurrent"),
        ("emission=liner", "configuration, decoder.emission: unknown emission 'liner'; did you mean 'linear'?"),
        (
            "score=5",
            "configuration, looks.source.score: expected the name of a score or a table with its type, got 5",
        ),
        (
            "score.type=5",
            "configuration, looks.source.score: a score needs a type; known: " + ", ".join(SCORES.names()),
        ),
        (
            "encoders.source=3",
            "configuration, encoders.source: expected the name of an encoder or a table with its type, got 3",
        ),
        ("looks.source=3", "configuration, looks.source: expected a table, got 3"),
        ("hidden.x=3", "configuration, hidden: expected a table, got 5"),
        ("beam=-1", "configuration, search.beam: input should be greater than 0, got -1"),
        ("when=never", "configuration, looks.source.when: input should be 'before' or 'after', got 'never'"),
        ("looks.x.when=after", "configuration, looks.x.at: is missing"),
        ("decoder=3", "setting 'decoder': decoder is a table; set one of its keys, as in decoder.KEY=VALUE"),
    ],
)
def test_a_mistake_says_where_it_is(settings, said):
    assert refused("hidden=5", settings) == said


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        ({"enccoders": {}}, "configuration, top level: unknown key 'enccoders'; did you mean 'encoders'?"),
        ({"encoders": 3}, "configuration, encoders: expected a table, got 3"),
        ({"looks": {"source": [1]}}, "configuration, looks.source: expected a table, got [1]"),
        ({"decoder": 3}, "configuration, decoder: expected a table, got 3"),
        (
            {"format": "x"},
            "configuration, format: input should be a valid integer, unable to parse string as an integer, got 'x'",
        ),
    ],
)
def test_a_mistake_in_a_recipe(recipe, said):
    assert refused(**recipe) == said


@pytest.mark.parametrize("name", ["a.b", "a b", "", "1st", "type", "training", "values"])
@pytest.mark.parametrize("family", ["encoders", "looks", "terms"])
def test_names_that_cannot_be(family, name):
    room = {name: {"encoders": {}, "looks": {"at": "source"}, "terms": {"type": "entropy"}}[family]}
    said = refused(**{"encoders": {"source": {}}, "looks": {}} | {family: room})
    assert said == (
        f"configuration, {family}: the name {name!r} cannot be used; take another word, without dots and spaces"
    )


@pytest.mark.parametrize(
    ("setting", "conditioning", "said"),
    [
        ("score=dot", "first", "setting 'score': this model has no look, and only looks have 'score'"),
        ("when=before", "every", "setting 'when': this model has no look, and only looks have 'when'"),
        ("score.width=3", "none", "setting 'score.width': this model has no look, and only looks have 'score'"),
        ("two_way=false", "none", "setting 'two_way': this model has no encoder, and only encoders have 'two_way'"),
    ],
)
def test_a_setting_for_a_part_that_is_not_there(setting, conditioning, said):
    assert refused(f"conditioning={conditioning}", setting) == said


def test_a_newer_format_is_refused_whatever_else_it_holds():
    said = f"this model has format {FORMAT + 1}, and this Regard reads up to {FORMAT}; upgrade regard"
    for more in ({}, {"from": {"the": "future"}}):
        with pytest.raises(RegardError) as error:
            read_config({"format": FORMAT + 1, **more})
        assert str(error.value) == said


def test_what_was_made_is_read_again_as_it_is():
    made = compose(TWO, ["cell=gru", "reset=before", 'score={type="mlp", layers=3}', "start=zero", "embedding=one-hot"])
    assert read_config(made.model_dump()) == made


# -- settings without effect ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ([], []),
        (["reset=before"], ["encoders.source.reset (only a GRU resets)", "decoder.reset (only a GRU resets)"]),
        (["reset=before", "cell=gru"], []),
        (["encoders.source.cell=gru", "reset=before"], ["decoder.reset (only a GRU resets)"]),
        (["decoder.variational=true", "decoder.dropout=0"], ["decoder.variational (dropout is 0)"]),
        (["variational=false", "dropout=0"], []),
        (["momentum=0.5"], ['training.momentum (only optimiser = "sgd" has it)']),
        (["momentum=0.5", "optimiser=sgd"], []),
        (["first_epochs=3"], ["training.first_epochs (nothing is trained alone first)"]),
        (["first_epochs=3", "decoder_first=language-model"], []),
        (
            ['decoder.embedding={type="one-hot", width=3}'],
            ["decoder.embedding.width (a one-hot embedding has no weights)"],
        ),
        (["dev=dev.tsv", "dev_share=0.2"], ["data.dev_share (there is a dev file)"]),
        (["data.columns.w.unit=word", "data.columns.w.size=99"], ["data.columns.w.size (unit is word)"]),
        (["data.columns.w.size=99"], []),
        (["readout=state"], ["looks.source (neither decoder.feed nor decoder.readout names it)"]),
        (["readout=state", "when=before"], []),
        (["method=greedy", "beam=3"], ["search.beam (method is greedy)"]),
        (["focus=hard", "terms.reinforce.weight=1"], []),
        (
            ["focus=hard"],
            [
                "looks.source.focus (no gradient passes through the choice of 'hard': add terms.reinforce.weight=1)",
            ],
        ),
    ],
)
def test_what_has_no_effect_is_said(settings, said):
    assert idle_settings(compose({}, settings)) == said


@pytest.mark.parametrize(
    ("settings", "column"),
    [
        ([], None),
        (["emission=marginal"], None),
        (["emission=copying"], "lemma"),
        (["emission=copying", "emission.column=tags"], "tags"),
        (["emission=copying", "emission.look=two"], "other"),
        (["emission=copying", "emission.look=three"], None),
    ],
)
def test_the_column_that_is_copied(settings, column):
    recipe = {
        "encoders": {"one": {"reads": ["lemma", "tags"]}, "two": {"reads": ["other"]}},
        "looks": {"one": {"at": "one"}, "two": {"at": "two"}},
    }
    assert copied_column(compose(recipe, settings)) == column
    assert copied_column(compose({}, ["conditioning=first", *settings])) in (None, "tags")


def test_a_look_that_points_alone_is_used():
    config = compose({}, ["emission=copying", 'readout=["state"]'])
    assert idle_settings(config) == []
    assert idle_settings(compose({}, ['readout=["state"]'])) != []
