# Two commands for a fresh clone: `make example` and `make test`. They need Python 3.11 or later and nothing else.
# `make starter` is for whoever has corpora: data/README.md.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --disable-pip-version-check
STARTER := data/starter
PUZZLES := examples/mini.puz examples/midi.puz

# where the index lies that becomes the starter, and which steps are done
STEPS := $(VENV)/starter

PYTHONS := python3.11 python3.12 python3.13 python3.14

.PHONY: example play test quick pythons pictures starter clean

example: $(VENV)/ready  ## solves two small puzzles with the index that ships with Regis
	@printf '\n$$ regis solve $(PUZZLES)\n'
	@$(BIN)/regis solve $(PUZZLES) || test $$? -eq 3  # 3: solved, with a doubtful letter
	@printf '\nNext: `make play`, or `. $(BIN)/activate` and then `regis play`, `regis solve`, `regis --help`\n'

play: $(VENV)/ready  ## opens a page in your browser to solve a puzzle on
	$(BIN)/regis play examples/daily.puz

# what takes long: hostile files, pictures, kills, a browser, a cluster, other processors, a release
LONG := $(wildcard $(addprefix tests/test_,cluster.py hostile.py hostile_index.py nothing_lost.py pictures.py \
  play_browser.py play_command.py processors.py release.py starter.py))
PYTEST = $(BIN)/pytest -n auto --dist worksteal

define GATE
$(BIN)/ruff check .
$(BIN)/ruff format --check .
$(BIN)/mypy
$(PYTEST) $(LONG:%=--ignore=%)
endef

test: $(VENV)/ready-to-test  ## runs every check, what takes long last
	$(GATE)
	@printf '\nThe fast tests passed. Next come the slow ones: hostile files, pictures, kills, a browser, a cluster, a release.\n'
	$(PYTEST) $(LONG)

quick: $(VENV)/ready-to-test  ## runs the checks that need no index
	$(GATE) --quick

pythons:  ## runs the quick checks with each Python that Regis supports and this machine has
	@for python in $(PYTHONS); do \
	  if $$python -c '' 2>/dev/null; then echo "$$python"; $(MAKE) quick PYTHON=$$python VENV=$(VENV)/$$python || exit 1; \
	  else echo "$$python: not on this machine"; fi; \
	done

pictures: $(VENV)/ready-to-test  ## draws the pictures of the examples again
	$(BIN)/python examples/pictures.py

starter: $(STEPS)/distilled  ## makes the starter of SOURCES="READER=FILE ..." up to the year UNTIL

$(STEPS)/built: | $(VENV)/ready-to-learn
	@mkdir -p $(STEPS)
	$(BIN)/regis build --without-starter $(SOURCES:%=--source %) $(UNTIL:%=--until %) --output $(STEPS)/index
	@touch $@

$(STEPS)/learned: $(STEPS)/built
	$(BIN)/regis learn --transformer --index $(STEPS)/index
	@touch $@

$(STEPS)/reads: $(STEPS)/learned
	$(BIN)/regis learn --reader --index $(STEPS)/index
	@touch $@

$(STEPS)/distilled: $(STEPS)/reads
	$(BIN)/regis distil --index $(STEPS)/index --output $(STEPS)/small
	cp -r $(STEPS)/small/$$(cat $(STEPS)/small/current) $(STARTER).new
	rm -rf $(STARTER) && mv $(STARTER).new $(STARTER)
	@touch $@

$(VENV)/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Regis needs Python 3.11 or later")'
	@echo 'Setting up Regis in $(VENV), once: a minute or two'
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --editable .
	@touch $@

$(VENV)/ready-to-test: $(VENV)/ready
	@echo 'Installing what the tests need, once'
	@$(PIP) --editable '.[test]'
	@touch $@

$(VENV)/ready-to-learn: $(VENV)/ready
	@$(PIP) --editable '.[transformer-learning]'
	@touch $@

clean:
	rm -rf $(VENV)
