# The two commands of the README: `make demo` and `make test`. Everything lives in .venv.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
DEMO   := artifacts/demo
# Real embeddings for tests and experiments, if they are at hand; see CONTRIBUTING.md.
export BRR_DATA ?= $(abspath ../shared/data)

.PHONY: help demo test check unit second-runtime android ios sample benchmark format clean

help:
	@echo "make demo       build a bundle from the sample embeddings, verify it, use it"
	@echo "make test       lint, types, all tests, and the runtime's tests on tflite-runtime"
	@echo "make android    compile and test the Android library and keyboard (JDK 17, Maven)"
	@echo "make ios        compile and test the Swift library and keyboard (Swift 6)"
	@echo "make sample     rebuild artifacts/sample, the bundle of the demo keyboard"
	@echo "make benchmark  print ratios against what a user would pick instead"
	@echo "make format     format and lint with ruff"
	@echo "make clean      remove what the above made"

demo: $(VENV)/.installed
	@rm -rf $(DEMO)
	$(BIN)/brr build --effort low --output $(DEMO)
	$(BIN)/brr verify $(DEMO)
	$(BIN)/brr inspect $(DEMO)
	$(BIN)/brr neighbors $(DEMO) coffee london happy -k 6
	@echo
	@echo "A sentence at three strengths of privacy (epsilon per bit; smaller is more private):"
	@for epsilon in 0.5 0.75 1.2; do \
	  for mechanism in brr exponential; do \
	    printf '%-12s epsilon %-5s ' $$mechanism $$epsilon; \
	    echo "I would like a cup of coffee in the old town of London" \
	      | $(BIN)/brr privatize $(DEMO) --epsilon $$epsilon --mechanism $$mechanism; \
	  done; \
	done
	@du -sh $(DEMO)

test: check unit second-runtime android ios

check: $(VENV)/.installed
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

unit: $(VENV)/.installed
	$(BIN)/python -m pytest

# The runtime alone, with the interpreter and the NumPy of older devices.
second-runtime: $(VENV)/.installed
	PYTHON="$(PYTHON)" BIN="$(BIN)" sh tests/second_runtime.sh

# The Kotlin runtime against this one, and the keyboard that embeds it, without an Android SDK.
android: $(VENV)/.installed
	BIN="$(abspath $(BIN))" sh tests/android.sh

# The Swift runtime against this one, and the keyboard that embeds it, without Xcode.
ios: $(VENV)/.installed
	BIN="$(abspath $(BIN))" sh tests/ios.sh

# A test compares it with what the code makes. At this effort that takes seconds.
sample: $(VENV)/.installed
	$(BIN)/brr build --effort low --vocabulary-size 10000 --output artifacts/sample --force
	$(BIN)/brr verify artifacts/sample

benchmark: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[benchmarks]'
	$(BIN)/python -m benchmarks

format: $(VENV)/.installed
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) .venv-* artifacts/demo build dist .build android_demo/*/target .mypy_cache .pytest_cache .ruff_cache
	find . -name '__pycache__' -o -name '*.egg-info' | xargs rm -rf
