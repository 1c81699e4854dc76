# Everything runs in .venv, which the first target that needs it makes: `make demo` or `make test` on a fresh machine
# with Python 3.11 and a C compiler is enough. Each install runs once, and again when pyproject.toml or
# constraints.txt change.
#
#   TORCH    where torch comes from: what `pip install` is given. On the open internet a bare torch wheel for Linux is
#            the GPU build with gigabytes of accelerator packages; for the CPU build there:
#            make demo TORCH="torch==2.13.0 --index-url https://download.pytorch.org/whl/cpu"
#   PYTHON   the Python (3.11 or later) that makes .venv
#   WORKERS  how many processes run the tests
#   PYTEST   more for pytest: make test PYTEST="-k search"
#   DATA     the folder of the benchmark sets (bench/README.md); BENCH, what more bench/run.py is told

TORCH ?= torch==2.13.0
PYTHON ?= python3
WORKERS ?= 2
PYTEST ?=
DATA ?= ../shared/data
BENCH ?= --tasks g2p

BIN := .venv/bin
INSTALL := $(BIN)/pip --disable-pip-version-check --quiet install

.PHONY: demo test lint types imports docs bench long clean

demo: .venv/demo-is-installed  ## train on real words for two minutes, measure, and see where the model looked
	$(BIN)/python examples/demo.py

test: lint types imports  ## all that a change must pass, in under ten minutes on two cores
	$(BIN)/pytest --numprocesses $(WORKERS) $(PYTEST)

lint: .venv/dev-is-installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: .venv/dev-is-installed
	$(BIN)/mypy

imports: .venv/dev-is-installed
	$(BIN)/lint-imports

docs: .venv/dev-is-installed  ## to docs/_build/html; a warning is an error
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --builder html docs docs/_build/html

bench: .venv/dev-is-installed  ## train and score the benchmark sets, skipping what is done already
	$(BIN)/python bench/run.py $(DATA) $(BENCH)

long: .venv/dev-is-installed  ## the tests that take minutes
	$(BIN)/pytest -m long $(PYTEST)

clean:
	rm -rf .venv docs/_build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

# torch first and alone, so that nothing else chooses its build.
.venv/torch-is-installed:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Regard needs Python 3.11 or later, this is " + sys.version.split()[0] + ": make PYTHON=python3.11")'
	$(PYTHON) -m venv .venv
	$(INSTALL) $(TORCH)
	touch $@

.venv/demo-is-installed: .venv/torch-is-installed pyproject.toml constraints.txt
	$(INSTALL) --constraint constraints.txt --editable '.[demo]'
	touch $@

.venv/dev-is-installed: .venv/torch-is-installed pyproject.toml constraints.txt
	$(INSTALL) --constraint constraints.txt --editable '.[dev]'
	touch $@
