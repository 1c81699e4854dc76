"""Files by their endings, others' renderers by entry point, and each message."""

import json
from importlib.metadata import EntryPoint

import pytest

from regard.errors import RegardError
from regard.looking import renderers
from regard.looking.renderers import RENDERERS, renderer, save
from regard.parts import Family


def test_the_ending_chooses(looks, tmp_path):
    starts = {"html": b"<!doctype html>", "json": b'{"format":1', "png": b"\x89PNG", "svg": b"<svg "}
    assert RENDERERS.names() == sorted(starts)
    for name, start in starts.items():
        path = tmp_path / f"look.{name.upper()}"
        save(looks["french"], path)
        assert path.read_bytes().startswith(start)
        assert renderer(str(path)).name == name


def test_several_looks_go_into_one_file(looks, tmp_path):
    save([looks["french"], looks["urdu"]], tmp_path / "looks.json")
    assert [one["text"] for one in json.loads((tmp_path / "looks.json").read_text())] == ["ʃose", "long live Pakistan"]
    save([looks["french"]], str(tmp_path / "look.json"))
    assert json.loads((tmp_path / "look.json").read_text())["text"] == "ʃose"


@pytest.mark.parametrize("name", ["look.gif", "look", ".svg", "look.svg.gz"])
def test_an_unknown_ending_names_the_known_ones(looks, tmp_path, name):
    with pytest.raises(RegardError) as caught:
        save(looks["french"], tmp_path / name)
    assert str(caught.value) == (
        f"cannot draw a look into {str(tmp_path / name)!r}: its name must end in one of .html, .json, .png, .svg"
    )
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written_says_why(looks, tmp_path):
    save(looks["french"], tmp_path / "new" / "look.svg")
    place = tmp_path / "new" / "look.svg" / "look.svg"
    with pytest.raises(RegardError) as caught:
        save(looks["french"], place)
    assert str(caught.value).startswith(f"cannot write {str(place)!r}: ")


class Plain:
    """Somebody else's renderer."""

    name = "txt"

    @staticmethod
    def draw(looks):
        return "\n\n".join(map(str, looks)).encode()


def test_anybody_may_add_one(looks, tmp_path, monkeypatch):
    point = EntryPoint("txt", f"{__name__}:Plain", "regard.renderers")
    monkeypatch.setattr(EntryPoint, "load", lambda self: Plain)
    monkeypatch.setattr("regard.parts.entry_points", lambda group: [point] if group == "regard.renderers" else [])
    monkeypatch.setattr(renderers, "RENDERERS", Family("renderer", "regard.renderers", RENDERERS._ours.values()))
    save([looks["french"], looks["no_gaze"]], tmp_path / "looks.txt")
    assert (tmp_path / "looks.txt").read_text(encoding="utf-8") == f"{looks['french']}\n\n{looks['no_gaze']}"
    with pytest.raises(RegardError, match=r"one of \.html, \.json, \.png, \.svg, \.txt$"):
        renderer("look.gif")


@pytest.mark.filterwarnings("ignore:no installed font")  # the machine that runs the tests may have few
@pytest.mark.parametrize("name", RENDERERS.names())
def test_the_same_look_gives_the_same_bytes(any_look, name):
    drawing = RENDERERS[name].draw
    assert drawing([any_look]) == drawing([any_look])
