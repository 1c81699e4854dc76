"""Can the look be trusted: what is deleted, what the model is asked and says, and the verdict where the truth is known.

The toy: letters into capitals, one by one, so that each output comes from one place. A copier that attends must be
found to use its look; the same with its score made even all over must not, and a model whose look nothing reads must
not either, whatever deletion shows.
"""

import random

import numpy as np
import pytest
import torch

import regard
from regard import trust
from regard.answering import Answerer, extents
from regard.batch import PAD, START, UNKNOWN
from regard.config import compose
from regard.data.columns import TextColumn
from regard.data.examples import Cells, collate
from regard.encoders import Origin
from regard.errors import RegardError
from regard.model import Model, ModelStepper
from regard.trust import (
    Asked,
    CheckOptions,
    Question,
    agree,
    ask,
    check,
    check_options,
    drawn,
    places,
    probabilities,
    without,
)
from regard.whatif import along


def words(count, seed):
    made = random.Random(seed)
    return ["".join(made.choices("abcdefghijkl", k=made.randint(4, 7))) for _ in range(count)]


def build(*settings, models=1, **recipe):
    """Untrained models that read one column and write another, with weights that are not small."""
    columns = {
        "word": TextColumn.fit("word", ["abcdefghijkl"], unit="character"),
        "sounds": TextColumn.fit("sounds", ["ABCDEFGHIJKL"], unit="character", end=True),
    }
    recipe = {"encoders": {"source": {"reads": ["word"]}}, "decoder": {"writes": "sounds"}} | recipe
    config = compose(recipe, ["hidden=24", "embedding=12", "dropout=0", *settings])
    made = [Model(config, extents(columns)).eval() for _ in range(models)]
    with torch.no_grad():
        for parameter in (parameter for model in made for parameter in model.parameters()):
            parameter.add_(0.3 * torch.randn_like(parameter))
    return Answerer(config, columns, made)


def trained(answerer, updates):
    model = answerer.models[0].train()
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for number in range(updates):
        given = words(48, number)
        texts = {"word": given, "sounds": [word.upper() for word in given]}
        cells = {name: Cells.of([answerer.columns[name].encode_ids(texts[name])]) for name in texts}
        loss = model(collate(cells, np.arange(48)))[0]
        optimiser.zero_grad()
        (loss.total / loss.count).backward()
        optimiser.step()
    model.eval()
    return answerer


@pytest.fixture(scope="module")
def copier():
    torch.manual_seed(0)
    return trained(build("when=after", "cell=gru", "two_way=false"), 120)


@pytest.fixture(scope="module")
def tagged(tagged_folder):
    return regard.load(tagged_folder).answerer


def answers(answerer, texts=None, **more):
    given = {"word": words(25, seed=-1) if texts is None else texts} | more
    return [ranked[0] for ranked in answerer.answers(given)]


def silent(line):
    pass


def refused(call, *arguments, **more):
    with pytest.raises(RegardError) as error:
        call(*arguments, **more)
    assert "\n" not in str(error.value)
    return str(error.value)


# -- where the truth is known --------------------------------------------------------------------------------------


def test_a_copier_uses_what_it_looks_at(copier):
    (found,) = check(copier, answers(copier))
    assert (found.look, found.finding, found.inputs, found.left_out) == ("source", "uses", 25, 0)
    assert found.outputs == sum(len(answer.hypothesis.tokens) for answer in answers(copier))
    assert found.deleting.over_random.low > 10
    assert found.deleting.over_least.low > 10
    assert found.keeping.over_random.high < -5
    assert found.forcing.most.value < 10 < 30 < found.forcing.random.low
    assert found.gradient.same_top.low > 2 * found.gradient.by_chance
    assert found.gradient.rank.low > 0.2


def test_a_look_that_is_even_all_over_shows_no_sign(copier):
    vector = copier.models[0].decoder.looks["source"].score.vector
    before = vector.detach().clone()
    try:
        with torch.no_grad():
            vector.zero_()
        (found,) = check(copier, answers(copier))
    finally:
        with torch.no_grad():
            vector.copy_(before)
    assert found.finding == "no sign"
    assert abs(found.gradient.same_top.value - found.gradient.by_chance) < 10
    assert found.gradient.rank.value == 0.0


def test_a_look_that_nothing_reads_is_idle():
    """The summary alone tells the decoder of the source: deleting places hurts, and moving the look does nothing."""
    torch.manual_seed(1)
    idle = trained(build("cell=gru", "feed=[]", 'readout=["state", "previous"]'), 40)
    (found,) = check(idle, answers(idle))
    assert found.finding == "idle"
    assert (found.forcing.most.value, found.forcing.random.value) == (pytest.approx(0, abs=1e-3),) * 2
    assert found.deleting.random.value > 1


def test_the_same_again_and_other_draws(copier):
    one, other = (check(copier, answers(copier)) for _ in range(2))
    assert one == other
    (more,) = check(copier, answers(copier), CheckOptions(seed=1))
    assert more.deleting.most.value == pytest.approx(one[0].deleting.most.value, abs=1e-6)  # nothing drawn in it
    assert more.deleting.random.value != one[0].deleting.random.value
    assert more.seed == 1


def test_nor_does_it_depend_on_how_batches_are_cut(copier, monkeypatch):
    given = answers(copier, words(2, 3))
    (whole,) = check(copier, given)
    monkeypatch.setattr(trust, "BUDGET", 60.0)
    (parts,) = check(copier, given)
    assert parts.deleting.most.value == pytest.approx(whole.deleting.most.value, abs=1e-3)
    assert parts.gradient == whole.gradient


# -- which places --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "share", "count"), [(2, 0.2, 1), (3, 0.5, 1), (5, 0.2, 1), (8, 0.2, 2), (10, 0.25, 3), (10, 0.5, 5)]
)
def test_how_many_places(size, share, count):
    weights = np.random.default_rng(size).permutation(size) / 10
    most, least = places(weights, share, np.random.default_rng(0))
    order = weights.argsort()
    assert most.tolist() == order[::-1][:count].tolist()
    assert least.tolist() == order[:count].tolist()


def test_equal_weights_are_put_in_order_by_chance():
    """As in a window: two places have all the weight, and of the others each is the least as often."""
    weights = np.array([0.0, 0.5, 0.5, 0.0, 0.0])
    drawn = [places(weights, 0.2, np.random.default_rng(seed)) for seed in range(300)]
    for which, among in ((0, (1, 2)), (1, (0, 3, 4))):
        counts = np.bincount([int(found[which][0]) for found in drawn], minlength=5)
        assert (counts[list(among)] > 250 / len(among) - 30).all()
        assert counts.sum() == counts[list(among)].sum() == 300


def test_cells_without_some_places(tagged):
    cells = {name: np.arange(10, 14, dtype=np.int32) for name in ("lemma", "tags")}
    gone = [Origin("lemma", (1,), (2,)), Origin("tags", (0,), (1,)), Origin("tags", (2,), (4,))]
    left = without(tagged, cells, gone)
    assert {name: ids.tolist() for name, ids in left.items()} == {"lemma": [10, 12, 13], "tags": [11]}
    assert cells["tags"].tolist() == [10, 11, 12, 13]


def test_what_is_asked_of_one_output(tagged):
    """Five places of two columns: k is one, and what is kept is what the others delete."""
    (answer,) = answers(tagged, lemma=["kal"], tags=["V;PST"])
    found = list(ask(tagged, "source", 7, answer, CheckOptions(), draws=3))
    assert len(found) == len(answer.hypothesis.tokens)
    for number, one in enumerate(found):
        assert (one.input, len(one.origins)) == (7, 5)
        assert one.whole.written.tolist() == list(answer.hypothesis.tokens[: number + 1])
        symbols = [(name, int(id)) for name, ids in one.whole.cells.items() for id in ids]
        order = one.weights.argsort()
        for at, place in ((0, order[-1]), (1, order[0])):
            gone, kept = (
                [(name, int(id)) for name, ids in questions[at].cells.items() for id in ids]
                for questions in (one.deleted, one.kept)
            )
            assert gone == symbols[:place] + symbols[place + 1 :]
            assert kept == [symbols[place]]
        assert [len(questions) for questions in (one.deleted, one.kept, one.forced)] == [5, 5, 4]
        assert one.forced[0].place == order[-1]
        assert all(question.place not in (order[-1], -1) for question in one.forced[1:])


def test_outputs_that_cannot_be_checked(tagged, monkeypatch):
    given = answers(tagged, lemma=["kal", "g", ""], tags=["V;PST", "", ""])
    (found,) = check(tagged, given)
    assert found.left_out == sum(len(answer.hypothesis.tokens) for answer in given[1:])
    assert (found.inputs, found.outputs) == (1, len(given[0].hypothesis.tokens))
    said = refused(check, tagged, given[1:])
    assert said == "there is nothing to check: no input has two places that could be looked at"
    monkeypatch.setattr(type(tagged.target), "size", 5)  # as if what lies beyond were copied
    found = list(ask(tagged, "source", 0, given[0], CheckOptions()))
    assert len(found) == sum(token < 5 for token in given[0].hypothesis.tokens)


def test_where_outputs_are_few_more_is_drawn(copier, monkeypatch):
    asked = []
    monkeypatch.setattr(trust, "ask", lambda *given: asked.append(given[-1]) or ())
    for count in (1, 10, 60):
        refused(check, copier, answers(copier, ["abcdefg"] * count))
    outputs = len(answers(copier, ["abcdefg"])[0].hypothesis.tokens)
    assert asked[0] == min(20, -(-200 // outputs))
    assert asked[1:11] == [-(-200 // (10 * outputs))] * 10
    assert asked[-1] == 1


# -- what the model says -------------------------------------------------------------------------------------------


def question(answerer, answer, output, place=-1):
    (ids,) = answerer.columns["word"].encode_ids([answer.given["word"]])
    return Question({"word": ids}, np.array(answer.hypothesis.tokens[: output + 1], np.int32), place)


@pytest.mark.parametrize("settings", [[], ["when=before"], ['emission={type="marginal", order="monotonic"}']], ids=str)
@pytest.mark.parametrize("models", [1, 2])
def test_probabilities_are_those_of_the_search(settings, models):
    """Up to what symbols that no answer holds would take, of which nothing is left here."""
    answerer = build(*settings, "search.longest=4", models=models)
    with torch.no_grad():
        for model in answerer.models:
            model.decoder.emission.output.bias[[PAD, START, UNKNOWN]] -= 99
    asked, expected = [], []
    for answer, place in zip(answers(answerer, ["abc", "abcdef", "abcdef", "ab"]), (-1, -1, 4, 1), strict=True):
        for output in range(len(answer.hypothesis.tokens)):
            asked.append(question(answerer, answer, output, place))
            stepper = ModelStepper(*answerer.models, forced={"source": {output: place}} if place >= 0 else None)
            expected.append(along(answerer, stepper, answer)[output])
    found, _ = probabilities(answerer, "source", asked)
    np.testing.assert_allclose(found, np.exp(expected), atol=1e-5)


@pytest.mark.parametrize("models", [1, 2])
def test_gradient_times_input_is_what_a_longer_vector_does(models):
    """d log P / d ε where a symbol's vector is (1 + ε) times itself; each symbol of the text stands in it once."""
    answerer, step = build("when=before", "search.longest=4", models=models), 1e-2
    one = question(answerer, answers(answerer, ["abcde"])[0], 2)
    (whole,), (gradient,) = probabilities(answerer, "source", [one], differentiated=True)
    assert list(gradient) == ["word"]
    tables = [model.parts()["source"].embeddings[0].table.weight for model in answerer.models]
    for at, id in enumerate(one.cells["word"]):
        vectors, logs = [table[id].detach().clone() for table in tables], []
        for size in (1 + step, 1 - step, 1.0):
            with torch.no_grad():
                for table, vector in zip(tables, vectors, strict=True):
                    table[id] = size * vector
            logs.append(np.log(probabilities(answerer, "source", [one])[0][0]))
        assert gradient["word"][at] == pytest.approx((logs[0] - logs[1]) / (2 * step), rel=0.01, abs=1e-4)
        assert logs[2] == pytest.approx(np.log(whole))
    assert np.abs(gradient["word"]).max() > 0.01


def test_nothing_stays_behind_in_the_model(copier):
    (encoder,) = copier.models[0].parts().values()
    assert not any(part._forward_hooks for part in encoder.modules())
    assert all(parameter.requires_grad for parameter in encoder.parameters())
    assert probabilities(copier, "source", [question(copier, answers(copier, ["abcde"])[0], 1)])[1] is None


def test_agreement_by_hand():
    origins = (Origin("a", (0,), (1,)), Origin("a", (1,), (2,)), Origin("b", (0,), (2,)))  # the last is two symbols
    nothing = Question({}, np.zeros(0, np.int32))
    gradients = {"a": np.array([-0.3, 0.1]), "b": np.array([0.4, -0.2])}  # sizes 0.3, 0.1, 0.2
    random = np.random.default_rng(0)
    for weights, expected in (([0.6, 0.1, 0.3], (1.0, 1 / 3, 1.0)), ([0.1, 0.6, 0.3], (0.0, 1 / 3, -1.0))):
        asked = Asked(0, np.array(weights), origins, nothing, (), (), ())
        assert agree(asked, gradients, random) == pytest.approx(expected)


# -- looks and settings --------------------------------------------------------------------------------------------


def test_each_look_is_checked():
    answerer = build(looks={"one": {"at": "source"}, "two": {"at": "source", "score": "general"}})
    found = check(answerer, answers(answerer, words(3, 1)))
    assert [one.look for one in found] == ["one", "two"]
    assert found[0].deleting.most != found[1].deleting.most


def test_an_ensemble_is_checked_as_one():
    answerer = build("search.longest=4", models=2)
    (found,) = check(answerer, answers(answerer, words(2, 1)))
    assert found.probability.value > 0


def test_a_model_that_attends_to_nothing():
    answerer = build("conditioning=first")
    assert refused(check, answerer, []) == "this model attends to nothing: there is no look to check"


def test_a_column_that_cannot_be_written_without_its_symbols(monkeypatch):
    """As pictures will be, until someone says how a part of one is deleted."""
    answerer = build()
    monkeypatch.delattr(TextColumn, "without")
    said = []
    assert refused(check, answerer, [], say=said.append) == (
        "no look of this model can be checked: the check is for text that is read as symbols"
    )
    assert said == ["the look 'source' is not checked: the check is for text that is read as symbols"]


def test_an_encoder_that_embeds_nothing_has_no_gradient(copier, monkeypatch):
    monkeypatch.setattr(trust, "Embedding", TextColumn)  # none of its parts is one
    (found,) = check(copier, answers(copier, words(2, 1)))
    assert found.gradient is None
    assert "gradient" not in found.verdict


def test_which_inputs_are_drawn():
    assert drawn(5, CheckOptions(inputs=5)).tolist() == [0, 1, 2, 3, 4]
    some = drawn(100, CheckOptions(inputs=10))
    assert len(set(some.tolist())) == 10
    assert some.tolist() == sorted(some.tolist()) == drawn(100, CheckOptions(inputs=10)).tolist()
    assert some.tolist() != drawn(100, CheckOptions(inputs=10, seed=1)).tolist()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"input": 3}, "check of looks: unknown key 'input'; did you mean 'inputs'?"),
        ({"inputs": 0}, "check of looks: inputs: input should be greater than 0, got 0"),
        ({"share": 0.6}, "check of looks: share: input should be less than or equal to 0.5, got 0.6"),
        ({"seed": "x"}, "check of looks: seed: input should be a valid integer, unable to parse string as an integer,"
                        " got 'x'"),
    ],
)  # fmt: skip
def test_settings_that_are_none(given, said):
    assert refused(check_options, given) == said


def test_settings():
    assert check_options({"inputs": 3, "share": 0.1, "seed": 2}) == CheckOptions(inputs=3, share=0.1, seed=2)


# -- from Python ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model(model_folder):
    return regard.load(model_folder)


def test_texts_or_a_table(model, words):
    texts = model.texts(words, ("word",))["word"]
    (of_table,) = model.check_looks(table=words, say=silent)
    (of_texts,) = model.check_looks(texts, say=silent)
    assert of_table == of_texts == model.check_looks([*texts, *texts], say=silent)[0]  # equal inputs count once
    assert of_table.inputs == 50
    assert model.check_looks("abcd")[0].inputs == 1
    assert model.check_looks(texts, check={"inputs": 7, "share": 0.5})[0].inputs == 7
    assert refused(model.check_looks) == "looks are checked on texts or on a table: give one of them"
    assert refused(model.check_looks, "a", table=words) == "looks are checked on texts or on a table: give one of them"
    assert refused(model.check_looks, "abcd", check={"share": 2}).startswith("check of looks: share: ")


def test_of_two_columns(tagged_folder):
    model = regard.load(tagged_folder)
    (found,) = model.check_looks(["kal", "gim"], ["V;PST", "V;PRS"])
    assert found.inputs == 2


def test_with_an_evaluation(model, words):
    plain = model.evaluate(words, say=silent)
    found = model.evaluate(words, check_looks={"inputs": 9}, say=silent)
    assert plain.looks is None
    assert found.model_copy(update={"looks": None}) == plain
    assert (found.looks[0].look, found.looks[0].inputs) == ("source", 9)
    assert model.evaluate(words, check_looks=True, say=silent).looks[0].inputs == 50
    assert type(found).model_validate_json(found.model_dump_json()) == found
    assert "looks" not in plain.model_dump()
    assert '"looks"' not in plain.model_dump_json()
