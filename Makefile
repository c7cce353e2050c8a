# Two commands for a fresh clone: `make example` and `make test`. They need Python 3.11 or later and nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: example test check clean

example: $(VENV)/ready  ## sets Regis up and solves a small puzzle with a small index
	@$(BIN)/regis build --source xd-clues=examples/clues.tsv --out data/index-example
	@$(BIN)/regis solve examples/mini.puz --index data/index-example

test: $(VENV)/ready  ## sets Regis up and runs every check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest

$(VENV)/ready: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Regis needs Python 3.11 or later")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	touch $@

clean:
	rm -rf $(VENV) data/index-example
