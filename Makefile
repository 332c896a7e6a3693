# The README's two commands are `make demo` and `make test`. Everything is installed in .venv.

PYTHON  ?= python3
VENV    := .venv
BIN     := $(VENV)/bin
DEMO    := artifacts/demo
BUNDLES := artifacts/test-bundles
CORES   := $(shell getconf _NPROCESSORS_ONLN)
# Real embeddings for tests and experiments, if available: see CONTRIBUTING.md.
export BRR_DATA ?= $(abspath ../shared/data)
# With NIGHTLY=1, also the nightly tests: random cases that the runtimes exchange, the tests of research and
# those marked `nightly`, and the documentation's apps, built against the packages.
export BRR_NIGHTLY := $(NIGHTLY)
# Otherwise every process would compile its imports again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo quick test check unit personalities second-runtime pythons arm luck mutants wheel phones proofs swift android ios web bundles sample \
  engines playground site dist benchmark numbers format clean

help:
	@echo "make demo       texts, attackers, a count, a task and the report of the sample bundle, in a minute"
	@echo "make quick      lint, spelling, types, and the Python tests that a change needs, in a minute at most"
	@echo "make test       lint, types, and all tests"
	@echo "make unit       only the Python tests"
	@echo "make personalities  numeric tests as on older CPUs, with other threads, languages and orders"
	@echo "make second-runtime  tests of the runtime on tflite-runtime and NumPy 1 (Python 3.11)"
	@echo "make pythons    tests of the runtime on Python 3.10 to 3.14, free-threaded and with musl (Maven, apt-get)"
	@echo "make arm        the runtimes' frozen cases on emulated ARM and s390x"
	@echo "make unit phones NIGHTLY=1  all tests, with random cases and those that repeat what others show"
	@echo "make luck       repeat all tests, for hours, and print how often each fails"
	@echo "make mutants    break your changes, one place at a time, and print the breaks that no test notices"
	@echo "make proofs     check the machine-checked proofs, and build brr-proof-checker (Coq 8.16)"
	@echo "make android    compile and test the Android library and keyboard (JDK 17, Maven)"
	@echo "make ios        compile and test the Swift library and keyboard (Swift 6)"
	@echo "make web        compile and test the TypeScript library and its npm package (Node 20)"
	@echo "make engines    run the frozen cases on other JavaScript engines (npm; Linux on x86-64)"
	@echo "make sample     rebuild runtime/brrkit/sample, the everyday English that comes with brrkit"
	@echo "make playground  rebuild the toolchain's copy of the page web_demo/playground (Node 20)"
	@echo "make site       the documentation as a static site, build/site; fails at a dead link"
	@echo "make dist       build what a release publishes, in dist: twice, then install it and run the README's commands"
	@echo "make benchmark  print ratios against what a user would pick instead"
	@echo "make numbers    write the documentation's tables, figures and list of commands"
	@echo "make format     format and lint with ruff"
	@echo "make clean      remove what these commands made"

demo: $(VENV)/.installed
	@$(BIN)/python -m examples.demo --output $(DEMO)

# The tests that a small change needs, in a minute.
quick: $(VENV)/.installed
	@$(BIN)/python tests/quick.py

# Three stages at a time, because most use one core, and sometimes wait. The longest stages come first. Each
# prints its output when it ends, if make supports that (Apple's 3.81 doesn't).
STAGES := swift unit phones proofs check wheel
test: export BRR_TIMES := $(abspath build/times)
test:
	@mkdir -p build && rm -f $(BRR_TIMES)
	$(MAKE) --no-print-directory -j3 $(if $(filter output-sync,$(.FEATURES)),-Otarget) $(STAGES) PROOFS=--if-there
	@echo "The stages:" && cat $(BRR_TIMES)

# Prints the duration of a stage.
TIMED := $(PYTHON) tests/timed.py

check: site
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/codespell
	$(TIMED) mypy $(BIN)/mypy
	$(BIN)/zizmor --offline --quiet --no-progress --min-severity medium .github docs/reference/examples/verify-bundle.yml

site: $(VENV)/.installed
	$(TIMED) $@ $(BIN)/python -m sphinx -q -W --keep-going docs build/site
	$(BIN)/python tests/docs/dashes.py build/site

# A process for each core takes the tests one file at a time, in order: tests that fork come before those
# that load TensorFlow. More threads in each process would only wait for one another.
PYTEST := -m pytest -n $(CORES) --dist loadfile --no-loadscope-reorder
unit second-runtime pythons arm luck: export OMP_NUM_THREADS := 1
unit personalities second-runtime pythons arm luck mutants phones android ios web: export BRR_TEST_BUNDLES := $(abspath $(BUNDLES))

unit: bundles
	$(TIMED) $@ $(BIN)/python $(PYTEST) --ignore tests/proofs --durations 30

# Coq checks all proofs. make test runs this only if Coq is installed, and then breaks the proven code.
PROOFS :=
proofs:
	BIN="$(abspath $(BIN))" $(TIMED) $@ sh tests/proofs.sh $(PROOFS)

# Results that must be the same on every machine, tested as on several machines: nightly.yml.
personalities: bundles
	BIN="$(abspath $(BIN))" $(TIMED) $@ sh tests/personalities.sh

# The runtime alone, with older devices' interpreter and NumPy: nightly.yml.
second-runtime: bundles
	PYTHON="$(PYTHON)" PYTEST="$(PYTEST)" $(TIMED) $@ sh tests/second_runtime.sh

# The runtime on each Python, and on a free-threaded one: nightly.yml.
pythons: bundles
	BIN="$(abspath $(BIN))" $(TIMED) $@ sh tests/pythons.sh

# The runtimes on processors that this machine lacks: nightly.yml.
arm: bundles
	BIN="$(abspath $(BIN))" $(TIMED) $@ sh tests/arm.sh

# Tests that depend on luck, on time or on the machine's load sometimes fail.
PYTHON_TIMES := 20
TIMES        := 50
luck: bundles
	$(BIN)/python tests/luck.py --python $(PYTHON_TIMES) --others $(TIMES)

# The changes since the commit SINCE (by default the branch's start on main), or the files FILES, in a
# LANGUAGE: python, kotlin, typescript or swift.
LANGUAGE := python
mutants: bundles
	$(BIN)/python -m pip install --quiet --editable '.[mutants]'
	$(BIN)/python tests/mutants.py $(if $(SINCE),--since $(SINCE)) $(LANGUAGE) $(FILES)

# The package for Python users, in an empty environment.
wheel: $(VENV)/.installed
	BIN="$(abspath $(BIN))" PYTHON="$(PYTHON)" $(TIMED) $@ sh tests/release.sh

# See RELEASING.md.
dist: $(VENV)/.installed
	rm -rf dist && mkdir dist
	BIN="$(abspath $(BIN))" PYTHON="$(PYTHON)" sh tests/release.sh "$(abspath dist)"

# The bundles that all runtimes' tests read, made by the current code.
bundles: $(VENV)/.installed
	@$(BIN)/python tests/every_bundle.py $(BUNDLES)

# The phones' and the web's runtimes: the frozen cases, and nightly comparisons with this runtime and with
# each other.
phones: bundles swift
	BIN="$(abspath $(BIN))" $(TIMED) $@ sh tests/phones.sh

# The code for tests/ios.sh doesn't need Python, so it is compiled while Python's packages are installed.
swift:
	$(TIMED) $@ sh tests/ios.sh compile

# Compares the Kotlin runtime with this one, and tests the keyboard that embeds it, without an Android SDK.
android: bundles
	BIN="$(abspath $(BIN))" sh tests/android.sh

# Compares the Swift runtime with this one and with Kotlin's, and tests the keyboard that embeds it, without
# Xcode. It runs after android, because both compile the Kotlin runtime.
ios: bundles swift | $(filter android,$(MAKECMDGOALS))
	BIN="$(abspath $(BIN))" sh tests/ios.sh

# Compares the TypeScript runtime with this one, and tests its npm package. phones compares it with Kotlin's
# and Swift's.
web: bundles
	BIN="$(abspath $(BIN))" sh tests/web.sh

# The frozen cases on Node's versions, Bun, Deno, Hermes and QuickJS, from npm: nightly.yml.
engines:
	cd web_demo && ./node.sh npm ci --silent
	cd tests/web/engines && ../../../web_demo/node.sh npm ci --silent --ignore-scripts
	web_demo/node.sh node tests/web/engines/engines.mjs

# A test compares it byte for byte with the code's result. Only here, the text is counted and the requests
# are read.
EVERYDAY := $(BRR_DATA)/everyday
SNIPS    := $(BRR_DATA)/intents/snips
COUNTED  := artifacts/everyday.txt
HELD_OUT := artifacts/held-out.txt
REQUESTS := artifacts/snips-train.tsv
OF_WORDS := toolchain/brrkit_toolchain/embeddings/sample
sample: $(VENV)/.installed
	@test -d "$(EVERYDAY)" || { echo "the sample's texts aren't there (BRR_DATA): $(EVERYDAY)" >&2; exit 1; }
	@mkdir -p artifacts
	$(BIN)/python -m brrkit_toolchain.embeddings.sample.text "$(EVERYDAY)" $(COUNTED) $(HELD_OUT)
	$(BIN)/python -m benchmarks.intents "$(SNIPS)" $(REQUESTS) --part train
	$(BIN)/brr build --effort medium --vocabulary-size 20000 --text $(COUNTED) \
	  --spellings $(OF_WORDS)/spellings.tsv --exclude $(OF_WORDS)/never_released.txt \
	  --task $(REQUESTS) --task-name intents --output runtime/brrkit/sample --force
	$(BIN)/brr calibrate runtime/brrkit/sample --text $(HELD_OUT) --attack-success 0.2 --task-weight 1 \
	  --frames 8 --frame-words 8 --write
	$(BIN)/brr calibrate runtime/brrkit/sample --for counts --attack-success 0.2 --write
	$(BIN)/brr verify runtime/brrkit/sample --text $(COUNTED) --task $(REQUESTS) --task-name intents
	@mv runtime/brrkit/sample/tasks.npz artifacts/sample-tasks.npz # requests aren't in the package

# A test compares it byte for byte with the source's result.
playground:
	cd web_demo && ./node.sh npm ci --silent
	web_demo/node.sh node web_demo/playground/build.mjs toolchain/brrkit_toolchain/report/playground/playground.html

benchmark: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[benchmarks]'
	$(BIN)/python -m benchmarks

# Measures the results: benchmarks/README.md. A test fails if a page differs from the store or from the
# commands.
numbers: $(VENV)/.installed
	$(BIN)/python -m benchmarks.pages
	$(BIN)/python -m research.pages
	$(BIN)/python -m benchmarks.cli_page
	$(BIN)/python -m benchmarks.errors_page
	$(BIN)/python proofs/link_lines.py

format: $(VENV)/.installed
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

# Most modules are never imported, and the others are compiled when they are. uv takes half of pip's time,
# but doesn't know an index in pip's settings; pip is used then.
$(VENV)/.installed: pyproject.toml adept/pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --editable '.[dev]' --editable ./adept \
	  || $(BIN)/python -m pip install --quiet --no-compile --editable '.[dev]' --editable ./adept
	@touch $@

clean:
	rm -rf $(VENV) .venv-* $(DEMO) $(BUNDLES) build dist .build android_demo/*/target \
	  examples/ohttp/target .mypy_cache .pytest_cache .ruff_cache
	find . -name '__pycache__' -o -name '*.egg-info' | xargs rm -rf
