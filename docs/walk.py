"""Writes docs/walk.md: one example followed from the table to the heat map, by running the code.

Unusual here: every Python line on the page is a line that this script executes, and every shape and number is read off
the result, so the page cannot say what the code does not do. A test runs the script again and compares. Run it after a
change to the road:

    .venv/bin/python docs/walk.py

Legend: B batch, S source places, T target steps, K beams, M memory width, A attention width, H hidden, F features,
V vocabulary, I input width of the decoder's cell.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

PAGE = Path(__file__).parent / "walk.md"
# One table for the whole documentation: the block of the quick start that makes it.
TABLE = (Path(__file__).parent / "quickstart.md").read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]


class Page:
    """The page while it is written, and the names that its Python lines have made."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.names: dict[str, Any] = {}

    def say(self, text: str) -> None:
        self.parts.append(text.strip())

    def station(self, title: str, *files: str) -> None:
        self.parts.append(f"## {title}\n\n{', '.join(f'`src/regard/{file}`' for file in files)}")

    def run(self, code: str) -> None:
        """Execute lines and show them."""
        code = code.strip()
        exec(compile(code, "walk", "exec"), self.names)
        self.parts.append(f"```python\n{code}\n```")

    def __getitem__(self, expression: str) -> Any:
        """What an expression gives, by the names made so far."""
        return eval(expression, self.names)

    def shapes(self, *rows: tuple[str, str, str]) -> None:
        """Expressions with the shape of what they give, the letters of that shape, and what it is."""
        lines = ["| what | shape | letters | |", "|---|---|---|---|"]
        for expression, letters, meaning in rows:
            shape = tuple(self[expression].shape)
            assert len(shape) == len(letters.split()), f"{expression} is {shape}, not {letters}"
            lines.append(f"| `{expression}` | {' × '.join(map(str, shape))} | {letters} | {meaning} |")
        self.parts.append("\n".join(lines))

    def show(self, *values: Any) -> None:
        """Values, a line each or several, their numbers rounded."""
        self.parts.append("```text\n" + "\n".join(map(rounded, values)) + "\n```")

    def text(self) -> str:
        return "\n\n".join(self.parts) + "\n"


def rounded(value: Any) -> str:
    """A value as the page shows it: two decimals, whole arrays row by row."""
    if hasattr(value, "tolist"):
        rows = value.tolist()
        if rows and isinstance(rows[0], list):
            return "\n".join(rounded(row) for row in rows)
        value = rows
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return "  ".join(rounded(one) for one in value)
    return str(value)


@contextmanager
def workplace() -> Iterator[None]:
    """A folder that is thrown away."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def walk() -> str:
    """The page."""
    page = Page()
    with workplace():
        exec(compile(TABLE, "quickstart", "exec"), page.names)  # writes years.tsv
        for part in (opening, table, columns, batch, memory, looks, decoder, emission, search, look, closing):
            part(page)
    return page.text()


def opening(page: Page) -> None:
    page.say(
        """
<!-- Written by docs/walk.py, which runs the code. Do not edit: change the script and run it. -->

# The walk: one example from the table to the heat map

One road leads from a table to an answer that shows where it looked. Here one example goes down that road, and at every
station the page says which file does the work and what shape the numbers have. The page is written by a script,
`docs/walk.py`, that runs each line that you see.

The example is the year 1984, to be written in Roman figures. The table `years.tsv` is the one that the
[quick start](quickstart.md) makes, which keeps 1984 aside. The model is small, and each of its sizes is a different
number, so that a shape tells which sizes it is made of.
"""
    )
    page.run(
        """
import numpy as np, torch
import regard

sizes = ["hidden=24", "decoder.hidden=40", "decoder.readout_width=36", "embedding=16"]
sizes.append('score={type="additive", width=32}')
quick = ["epochs=10", "batch=32", "rate=0.005", "dropout=0", "average=0.9"]
same = ["seed=1", "threads=1", "device=cpu", "precision=float32"]
said = []
trained = regard.train("years.tsv", settings=[*sizes, *quick, *same], say=said.append, tell=lambda event: None)
"""
    )
    page.say(
        """
Letters stand for sizes on all pages: B examples in a batch, S places of the source, T steps of the target, K beams,
E width of an embedding, M of the memory, A of the attention's hidden layer, H of the decoder's state, F of the readout,
V symbols of the target.
"""
    )


def table(page: Page) -> None:
    page.station("1. The table", "data/tables.py", "data/formats.py", "data/headers.py")
    page.say(
        """
A file becomes an Arrow table whose cells are all strings. Whether its first row holds names is found by looking, and
said.
"""
    )
    page.run(
        """
from regard.data.tables import read

rows = read("years.tsv")
"""
    )
    page.show(
        "\t".join(page["rows.names"]),
        *("\t".join(row.values()) for row in page["rows.arrow"].slice(0, 3).to_pylist()),
    )
    page.shapes(("rows.arrow", "rows columns", "every cell a string"))


def columns(page: Page) -> None:
    page.station("2. The columns", "data/roles.py", "data/guesses.py", "data/columns.py", "data/forms.py")
    page.say(
        """
Which column is read and which is written, and what a symbol of each is, is found by looking too. Training said so:
"""
    )
    page.show(*(line.replace(f"{Path.cwd()}/", "") for line in page["said"]))
    page.say(
        """
A column turns text into numbers (ids) and back. With each id goes its *span*: the characters of the cell that it
stands for. Ids 0 to 3 are the same in every column (padding, start, end, unknown). A column that is written ends each
cell with the end symbol, whose span is empty.
"""
    )
    page.run(
        """
year, roman = trained.answerer.columns["year"], trained.answerer.columns["roman"]
(read_cell,), (written_cell,) = year.encode(["1984"]), roman.encode(["MCMLXXXIV"])
"""
    )
    page.show(" ".join(page["roman.symbols"]))
    page.shapes(
        ("read_cell.ids", "S", "`1984`, four symbols"),
        ("read_cell.spans", "S 2", "first character, and the one after the last"),
        ("written_cell.ids", "T", "`MCMLXXXIV` and the end symbol"),
    )
    ids, spans = page["written_cell.ids.tolist()"], page["written_cell.spans.tolist()"]
    page.show(
        *(
            f"{page['roman.symbols'][id]:6} {id:2}  {start} to {end}"
            for id, (start, end) in zip(ids, spans, strict=True)
        )
    )


def batch(page: Page) -> None:
    page.station("3. The batch", "batch.py", "data/examples.py")
    page.say(
        """
Rows of like length go together. Here 1984 shares a batch with 49, so that there is padding to be seen. Every column
is a pair: `ids`, and `keep`, which is true where a symbol is real. `keep` is the one mask word of the whole code.
"""
    )
    page.run(
        """
from regard.data.examples import Cells, collate

texts = {"year": ["1984", "49"], "roman": ["MCMLXXXIV", "XLIX"]}
cells = {name: Cells.of([trained.answerer.columns[name].encode_ids(texts[name])]) for name in texts}
batch = collate(cells, np.arange(2))
source, target = batch.columns["year"], batch.columns["roman"]
"""
    )
    page.shapes(
        ("source.ids", "B S", ""),
        ("source.keep", "B S", ""),
        ("target.ids", "B T", "ends with the end symbol (2), then padding (0)"),
        ("batch.weights", "B", "how much each row counts: 1, where the table does not say otherwise"),
    )
    page.show(page["source.keep.int()"])


def memory(page: Page) -> None:
    page.station("4. The memory", "encoders/text.py", "embedding.py", "recurrence/recurrence.py", "memory.py")
    page.say(
        r"""
The encoder makes of the column a *memory*: what there is to look at. Each symbol becomes a vector of 16 numbers; one
LSTM of 24 reads them forwards, another backwards, and at each place their states are joined:
$h_j = [\overrightarrow{h}_j; \overleftarrow{h}_j]$. The *summary* joins the last state of each direction.
"""
    )
    page.run(
        """
model = trained.answerer.models[0]
encoded = model.encode(batch.columns)
memory = encoded.memories["source"]
"""
    )
    page.shapes(
        ("memory.values", "B S M", "what stands at each place; zeros at padding"),
        ("memory.keep", "B S", "which places are real"),
        ("memory.summary", "B M", "the encoder's last word"),
    )
    page.say("How the places lie in the input is in `memory.shape`; text is one row of them:")
    page.show(str(page["memory.shape"]))


def looks(page: Page) -> None:
    page.station(
        "5. The look",
        "attention/attention.py",
        "attention/scores/additive.py",
        "attention/focus/soft.py",
        "masks.py",
    )
    page.say(
        r"""
A *look* is a score and a focus. Before the first step it is bound to the memory: the keys $W_k h_j$ are worked out
once. Then it is asked as often as there are steps. The query is the decoder's state, here after its first step (the
decoder itself is the next station). The score gives each place an energy, $e_j = v^\top \tanh(W_k h_j + W_q s + b)$;
the focus turns energies into weights by a softmax over the kept places; the context is the weighted sum
$c = \sum_j \alpha_j h_j$.
"""
    )
    page.run(
        """
from regard.batch import START
from regard.masks import masked_softmax

attention = model.decoder.looks["source"]
bound = attention.bind(memory)
fixed, before = model.decoder.begin(encoded, batch=2)
(features, glances), after = model.decoder.step(fixed, before, torch.full((2, 1), START))
state = after.cells[-1][0]

energies = attention.score(state, memory)
weights = masked_softmax(energies, memory.keep[:, None])
context = weights @ memory.values
"""
    )
    page.shapes(
        ("bound.keys", "B S A", "worked out once"),
        ("state", "B 1 H", "the query: one step of one beam"),
        ("energies", "B 1 S", "how well each place matches"),
        ("weights", "B 1 S", "each row sums to 1 over the kept places"),
        ("context", "B 1 M", "what was seen"),
    )
    page.say(
        """
These are the weights of the first step for 1984 and for 49. Padding has weight 0, exactly:
"""
    )
    page.show(page["weights[:, 0]"])
    page.say("They are what the decoder's own step reported, in a *glance*:")
    page.run('assert torch.allclose(weights, glances["source"].weights, atol=1e-6)')


def decoder(page: Page) -> None:
    page.station("6. The decoder", "decoders/sequence.py", "decoders/start.py", "decoders/readout.py")
    page.say(
        r"""
The decoder writes. Its first state is made of the summary. At each step its cell takes the previous symbol,
$s_t = \mathrm{LSTM}(s_{t-1}, e(y_{t-1}))$; then it looks; then the readout folds state, context and previous symbol
into the features $f_t = \tanh(W [s_t; c_t; e(y_{t-1})] + b)$. What belongs to the example is in `fixed`; what belongs
to the hypothesis, and moves with it, is in `before` and `after`.
"""
    )
    page.shapes(
        ("before.cells[-1][0]", "B K H", "$s_0$, made of the summary; one beam"),
        ("before.cells[-1][1]", "B K H", "the LSTM's own memory, $c_0$"),
        ("features", "B K F", "what the readout made of the first step"),
    )
    page.say(
        """
In training the true symbols are known, so all steps are done at once (`unroll`): one run of the LSTM over the whole
target, and one broadcast of the look over all its states. Both ways give the same numbers:
"""
    )
    page.run(
        """
said, fixed = model.decoder.unroll(encoded, target.ids)
all_features, all_glances = said
assert torch.allclose(all_features[:, :1], features, atol=1e-5)
"""
    )
    page.shapes(
        ("all_features", "B T F", "every step's features"),
        ('all_glances["source"].weights', "B T S", "every step's weights: S · T scores an example"),
    )


def emission(page: Page) -> None:
    page.station("7. The emission", "decoders/emissions/linear.py")
    page.say(
        r"""
From features to symbols: $P(y_t) = \mathrm{softmax}(W f_t + b)$. In training it gives the loss of each step,
$-\log P(y_t)$ of the true symbol, zero at padding; in search the log-probabilities of all symbols.
"""
    )
    page.run(
        """
losses = model.decoder.emission.loss(said, fixed.emission, target.ids, target.keep)
log_probs, _ = model.decoder.emission.log_probs(said, fixed.emission, None)
"""
    )
    page.shapes(
        ("losses", "B T", "their sum over all that is kept, divided by how many are kept, is what training lowers"),
        ("log_probs", "B T V", "seven letters and the four special symbols"),
    )
    page.say("The likeliest symbol of every step, where the steps before it were the true ones:")
    page.show(page["roman.decode(log_probs[0].argmax(-1).tolist())"])


def search(page: Page) -> None:
    page.station("8. The search", "search/beam.py", "search/stepper.py", "model.py")
    page.say(
        """
Now the true symbols are unknown. The search asks the model for the best next symbols of each of K hypotheses, keeps
the K best continuations, and goes on until nothing open can win. It sees whole numbers only: which symbols, and which
hypothesis each came from. It knows neither torch nor text.
"""
    )
    page.run(
        """
from regard.model import ModelStepper
from regard.search import SearchOptions, search

stepper = ModelStepper(model)
fixed, moving = stepper.start(batch, beams=3)
tokens, parents = np.full((2, 3), START), np.zeros((2, 3), int)
step = stepper.advance(fixed, moving, tokens, parents, top=5)
found = search(stepper, batch, limits=np.array([20, 20]), options=SearchOptions(beam=3))
best = found[0][0]
"""
    )
    page.shapes(
        ("step.ids", "B K top", "the best next symbols of every hypothesis"),
        ("step.log_probs", "B K top", ""),
        ('best.glances["source"].weights', "T S", "of the best answer, each row from the beam that it came from"),
    )
    page.say("The answer is a row of ids; the column turns them back into text:")
    page.show(page["best.tokens"], page["roman.decode(best.tokens)"])


def look(page: Page) -> None:
    page.station("9. The Look", "answering.py", "looking/look.py", "looking/terminal.py")
    page.say(
        """
A *Look* ties the weights to what the person typed. Its outputs are the symbols of the answer, each with its span in the
answer's text and its log-probability; its gazes hold, for each place, the span in the cell that was given, and the
weights.
"""
    )
    page.run(
        """
answer = trained.predict("1984")
look = answer.look
gaze = look.gazes[0]
"""
    )
    page.shapes(("gaze.weights", "T S", "a row an output, a column a place"))
    page.show(*(f"{piece.text:2} {piece.span}" for piece in page["look.outputs[:3]"]), "…")
    page.show(*(f"{place.text:2} {place.span} in {place.column}" for place in page["gaze.places"]))
    page.say("And this is `print(look)`, or `regard look years 1984`:")
    page.show(page["look"])


def closing(page: Page) -> None:
    page.say(
        """
The last row is the end of the answer. [Looking](looking.md) says how to read such a map; [concepts](concepts.md) has
the equations of every choice at every station.
"""
    )


if __name__ == "__main__":
    PAGE.write_text(walk(), encoding="utf-8")
    print(f"{PAGE} written")
