# Everything from a bare machine with Python 3.11+ and make. `make` alone says what there is.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.ready

.PHONY: help run compare ui test clean .venv

help:
	@echo "make .venv    set up alone"
	@echo "make run      set up, then the closed loop (resumes its own unfinished run)"
	@echo "make compare  the closed loop beside random worlds and a fixed corpus, one seed"
	@echo "make ui       MLflow on what was run here, with its calls home switched off"
	@echo "make test     set up, then style, types and tests"

.venv: $(READY)

# pip fetches a faster installer, which then does the rest with the versions of constraints.txt.
$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else 0'
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check uv
	VIRTUAL_ENV="$(CURDIR)/$(VENV)" $(VENV)/bin/uv pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

run: $(READY)
	$(PY) -m loop.run experiments/closed_loop.yaml --resume-if-unfinished

compare: $(READY)
	$(PY) -m loop.compare experiments/closed_loop.yaml experiments/random_worlds.yaml experiments/static.yaml \
		--resume-if-unfinished

ui: $(READY)
	MLFLOW_DISABLE_TELEMETRY=true LITELLM_LOCAL_MODEL_COST_MAP=True \
		$(VENV)/bin/mlflow ui --backend-store-uri sqlite:///runs/mlflow.db

test: $(READY)
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) -m pytest -n auto --maxprocesses=4 --dist loadfile

clean:
	rm -rf $(VENV) .cache .pytest_cache .mypy_cache .ruff_cache
