"""The card in a model folder, for a model that reads and for one that does not."""

import pytest

from regard.answering import Answerer
from regard.evaluating import evaluate
from regard.toml import dumps
from regard.training.card import card


@pytest.fixture(scope="module")
def answerer(toy):
    plan = toy.plan("method=beam", "beam=3")
    return Answerer(plan.config, plan.columns, [toy.run_of(plan).model.eval()])


@pytest.fixture(scope="module")
def report(toy, answerer):
    questions = toy.plan().questions
    return evaluate(answerer, questions, [ranked[0] for ranked in answerer.answers(questions.given)])


def test_a_model(answerer, report):
    text = card(answerer, "g2p", 35, 4, report, ["it's"])
    size = sum(part.numel() for part in answerer.models[0].parameters())
    assert text.startswith(
        f"# g2p\n\nReads `source` and writes `target`. Made with Regard; {size:,} parameters.\n\n## Use\n"
    )
    assert """\nregard predict g2p 'it'"'"'s'\nregard look g2p 'it'"'"'s'\n""" in text  # to be copied into a shell
    assert "\n35 rows to learn from, 4 held out as dev.\n" in text
    assert "\n| source | character | 3 | 3 |\n| target | character | 3 | 3 |\n" in text  # END is no symbol of it
    assert "On the 4 sources of dev, which also chose the best weights; search: beam of 3.\n" in text
    low, high = report.intervals["symbol_error_rate"]
    assert f"\n| symbol error | {report.symbol_error_rate:.2f} | {low:.2f} to {high:.2f} |\n" in text
    for line in ("| word error | ", "| BLEU | ", "| chrF | "):
        assert text.count(f"\n{line}") == 1
    assert "It shows where it looked (score: `additive`)." in text
    assert f"```toml\n{dumps(answerer.config.model_dump(mode='json')).strip()}\n```" in text
    assert text.endswith("</details>\n")


def test_a_recipe_and_files_are_named(toy, answerer, report):
    data = answerer.config.data.model_copy(update={"table": ("/a/one.tsv", "/a/two.tsv")})
    config = answerer.config.model_copy(update={"recipe": "pronounce", "data": data})
    search = config.search.model_copy(update={"method": "greedy"})
    named = Answerer(config.model_copy(update={"search": search}), answerer.columns, answerer.models)
    text = card(named, "g2p", 35_000, 4_000, report, ["ab"])
    assert "Made with Regard by the recipe `pronounce`;" in text
    assert "\n35,000 rows to learn from, 4,000 held out as dev, of /a/one.tsv, /a/two.tsv.\n" in text
    assert "search: greedy.\n" in text


def test_what_attends_to_nothing_and_takes_letters_apart(toy):
    plan = toy.plan("conditioning=first", "data.columns.target.decompose=true")
    reader = Answerer(plan.config, plan.columns, [toy.run_of(plan).model.eval()])
    text = card(reader, "plain", 35, 4, None, ["ab"])
    assert "It attends to nothing." in text
    assert "| target | character, taken apart | 3 | 3 |" in text
    assert "## Figures" not in text


def test_a_language_model(toy):
    plan = toy.plan("conditioning=none", given=toy.sentences())
    text = card(Answerer(plan.config, plan.columns, [toy.run_of(plan).model.eval()]), "lm", 35, 4, None, [])
    assert "\nReads nothing and writes `word`. Made with Regard; " in text
    assert "\nregard predict lm\n" in text
    assert "## Figures" not in text
    assert "It attends to nothing." in text
