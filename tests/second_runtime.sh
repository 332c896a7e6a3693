#!/bin/sh
# Runs the runtime's tests with tflite-runtime 2.14 and NumPy 1, without the toolchain. These wheels
# exist only up to Python 3.11. On later versions, prints a message and stops.
#
# Only code that calls the interpreter or NumPy can behave differently, so the tests of those
# modules run, with the golden cases, byte for byte. The other modules (budgets, memories, the
# tokenizer, JSON, exact integers) import neither. Long runs of the mechanisms, and exact sums over
# all pairs of words, find nothing new if the same random bytes give the same words.
#
#   PYTHON=... PYTEST="-m pytest ..." BRR_TEST_BUNDLES=FOLDER sh tests/second_runtime.sh
set -eu

version=$("$PYTHON" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
if [ "$version" != 3.11 ]; then
    if command -v python3.11 >/dev/null 2>&1; then
        PYTHON=python3.11
    else
        echo "SKIPPED: the runtime's tests on tflite-runtime 2.14 need Python 3.11 (this is $version)"
        exit 0
    fi
fi

venv=.venv-tflite
if ! [ $venv/.installed -nt tests/second_runtime.sh ]; then
    "$PYTHON" -m venv $venv
    $venv/bin/python -m pip install --quiet --no-compile \
        'tflite-runtime==2.14.0' 'numpy<2' pytest pytest-xdist
    touch $venv/.installed
fi
echo "The runtime's tests on tflite-runtime 2.14 and NumPy 1:"
# shellcheck disable=SC2086 # options
PYTHONPATH=runtime $venv/bin/python $PYTEST tests/runtime/test_frozen.py tests/runtime/test_mechanisms.py \
    tests/runtime/test_privatizer.py tests/runtime/test_hamming.py tests/runtime/test_bundle.py \
    tests/runtime/test_vocabulary.py tests/runtime/test_randomizer.py \
    tests/runtime/test_packed.py tests/runtime/test_parts.py tests/runtime/test_imports.py \
    -k 'not ratio and not uniform and not long_run and not all_pairs'
