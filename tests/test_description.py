"""A model described: counts by hand, and a table whose numbers a narrow terminal does not cut."""

import io

from rich.console import Console
from safetensors.torch import load_file

from regard.api import combine, load
from regard.description import Description, describe, show


def test_a_model(model_folder):
    found = describe(load(model_folder).answerer)
    tensors = load_file(model_folder / "weights.safetensors")
    assert {tensor.name: tensor.shape for tensor in found.tensors} == {n: tuple(t.shape) for n, t in tensors.items()}
    assert (
        found.parameters == sum(tensor.numbers for tensor in found.tensors) == sum(t.numel() for t in tensors.values())
    )
    assert found.models == 1
    word, sounds = found.columns
    assert word.model_dump() == {
        "name": "word", "unit": "character", "symbols": 4, "longest": 5, "decomposed": False, "written": False,
    }  # fmt: skip
    assert sounds.model_dump() == {
        "name": "sounds", "unit": "symbol", "symbols": 4, "longest": 5, "decomposed": False, "written": True,
    }  # fmt: skip
    assert Description.model_validate_json(found.model_dump_json()) == found


def test_sizes_by_hand(model_folder):
    sizes = {tensor.name: tensor.numbers for tensor in describe(load(model_folder).answerer).tensors}
    symbols, width, hidden = 8, 6, 12
    assert sizes["encoders.source.embeddings.0.table.weight"] == symbols * width
    assert sizes["decoder.recurrence.cells.0.weights.weight_hh_l0"] == 4 * hidden * hidden
    assert sizes["decoder.emission.output.bias"] == symbols


def test_an_ensemble(model_folder, other_folder, tmp_path):
    one, other = (describe(load(folder).answerer) for folder in (model_folder, other_folder))
    both = describe(combine([model_folder, other_folder], tmp_path / "both").answerer)
    assert (both.models, both.parameters) == (2, one.parameters + other.parameters)
    assert both.tensors == one.tensors
    assert shown(both, 80).lstrip().startswith(f"2 models of {one.parameters:,} parameters")


def shown(found, width):
    console = Console(file=io.StringIO(), width=width, legacy_windows=False)
    console.print(show(found))
    return console.file.getvalue()


def test_no_number_and_no_name_is_cut(model_folder):
    found = describe(load(model_folder).answerer)
    for width in (50, 80, 200):
        text = shown(found, width)
        assert "…" not in text
        assert f"{found.parameters:,} parameters" in text
        names = "".join(
            line[-(len(line) - text.splitlines()[2].index("tensor")) :].strip() for line in text.splitlines()
        )
        for tensor in found.tensors:
            assert f"{tensor.numbers:,} " in text
            assert tensor.name in names
