# Everything CI does can be done here with the same command. Nothing but python3 (3.11 or newer) has to be there.
PYTHON ?= python3
VENV ?= .venv
BASE ?= .venv-base
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
CHECKED := src tests examples docs $(wildcard benchmarks)

.PHONY: help demo test suite base pythons browser short-fuzz lint bench oracle releases score reports docs faults fuzz growth clean

help:  ## show this list
	@grep -E '^[a-z-]+:.*## ' Makefile | sed 's/:.*## /\t/' | expand -t 10

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(BASE)/bin/python:
	$(PYTHON) -m venv $(BASE)

# No torch here: the model source of transformers is read, never imported.
$(VENV)/.demo: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) --editable '.[transformers]'
	@touch $@

# torch first and pinned: a newer release would bring a CUDA build of several gigabytes along.
$(VENV)/.test: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) torch
	$(PIP) --editable '.[dev]'
	@touch $@

demo: $(VENV)/.demo  ## check a shipped example with a known fault (no torch needed)
	$(BIN)/loadproof check examples/layer-plan-mismatch --exit-zero

test: lint base suite short-fuzz  ## all that CI runs; a short run of faults is part of the suite

suite: $(VENV)/.test  ## the tests alone, with real torch and transformers
	$(BIN)/python -m pytest -n 2 --dist loadfile

# Installed as a user has it, not editable: what the wheel lacks is missing here.
base: $(BASE)/bin/python  ## check, plan, explain and rules without any extra
	rm -rf build
	$(BASE)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --upgrade .
	cd / && $(abspath $(BASE))/bin/python $(CURDIR)/tests/base_install.py

pythons: $(VENV)/.test  ## a part of the suite on Python 3.12 and 3.13, where they are installed
	.ci/pythons

browser: $(VENV)/.test  ## the HTML report in a real Chromium (installed with apt-get where there is none)
	command -v chromium chromium-browser google-chrome || apt-get install -y --no-install-recommends chromium
	$(BIN)/python -m pytest tests/report/test_html_browser.py

short-fuzz: $(VENV)/.test  ## fuzzing for a few seconds each
	for target in header index config source; do $(BIN)/python -m tests.fuzz.run $$target --seconds 4 --random || exit 1; done

lint: $(VENV)/.test  ## ruff, mypy --strict, import contracts, dead code
	$(BIN)/ruff check $(CHECKED)
	$(BIN)/ruff format --check $(CHECKED)
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.dead_code

growth: $(VENV)/.test  ## how time and memory grow with heavy inputs
	$(BIN)/python benchmarks/growth.py

bench: $(VENV)/.test  ## CPU seconds and memory against the bars
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/torch_files.py

oracle: $(VENV)/.test  ## the full differential runs against transformers
	$(BIN)/python -m pytest -n 2 -m oracle tests/differential

releases: $(VENV)/.test  ## the expectation against another release: make releases OTHER=its/bin/python
	$(BIN)/python -m tests.differential.expectation.releases --python $(OTHER)

score: $(VENV)/.test  ## right-first share, findings per fault, false alarms
	$(BIN)/python -m tests.score

reports: $(VENV)/.test  ## write the text reports shown on the rules' example pages anew
	$(BIN)/python -m tests.rules.snapshots

docs: $(VENV)/.test  ## write docs/rules from the rules, the output shown in README.md, and the picture of the rooms
	$(BIN)/python -m loadproof.rules.pages docs/rules
	$(BIN)/python docs/readme_blocks.py
	$(BIN)/python docs/rooms.py

faults: $(VENV)/.test  ## every crash point of every repair
	LOADPROOF_FAULTS=1 $(BIN)/python -m pytest -n 2 tests/faults

fuzz: $(VENV)/.test  ## coverage-guided fuzzing of every parser
	$(BIN)/python -m tests.fuzz

clean:  ## remove the environment and caches
	rm -rf $(VENV) $(BASE) .venv-3.* .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
