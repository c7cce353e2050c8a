# Two commands for a fresh clone: `make example` and `make test`. They need Python 3.11 or later and nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
SMALL := data/index-example
PUZZLES := examples/mini.puz examples/midi.puz

.PHONY: example test pictures clean

example: $(VENV)/ready  ## builds a small index and solves two small puzzles with it
	@printf '\n$$ regis build --source xd-clues=examples/clues.tsv --out $(SMALL)\n'
	@$(BIN)/regis build --source xd-clues=examples/clues.tsv --out $(SMALL)
	@printf '\n$$ regis solve --index $(SMALL) $(PUZZLES)\n'
	@$(BIN)/regis solve --index $(SMALL) $(PUZZLES)

test: $(VENV)/ready-to-test  ## runs every check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest

pictures: $(VENV)/ready  ## draws the pictures of the examples again
	$(BIN)/python examples/pictures.py

$(VENV)/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Regis needs Python 3.11 or later")'
	@echo 'Setting up Regis in $(VENV), once'
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --editable .
	@touch $@

$(VENV)/ready-to-test: $(VENV)/ready
	@$(PIP) --editable '.[test]'
	@touch $@

clean:
	rm -rf $(VENV) $(SMALL) $(SMALL).lock
