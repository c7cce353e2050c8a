# Two commands for a fresh clone: `make example` and `make test`. They need Python 3.11 or later and nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
PUZZLES := examples/mini.puz examples/midi.puz

.PHONY: example test quick pictures clean

example: $(VENV)/ready  ## solves two small puzzles with the index that ships with Regis
	@printf '\n$$ regis solve $(PUZZLES)\n'
	@$(BIN)/regis solve $(PUZZLES) || test $$? -eq 3  # 3: solved, with a doubtful letter

quick: QUICK := --quick

test quick: $(VENV)/ready-to-test  ## runs every check; `quick` those that need no index
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n auto --dist worksteal $(QUICK)

pictures: $(VENV)/ready-to-test  ## draws the pictures of the examples again
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
	rm -rf $(VENV)
