#!/bin/sh
# Runs the runtime's tests where only tflite-runtime 2.14 and NumPy 1 are installed, and the
# toolchain isn't. Those wheels exist for Python 3.11 at most; elsewhere this says so and stops.
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
bundles=$(mktemp -d)
trap 'rm -rf "$bundles"' EXIT
if [ ! -e $venv/.installed ]; then
    "$PYTHON" -m venv $venv
    $venv/bin/python -m pip install --quiet 'tflite-runtime==2.14.0' 'numpy<2' pytest
    touch $venv/.installed
fi
for bits in 64 256; do
    "$BIN/brr" build --bits $bits --method lsh --vocabulary-size 2000 --output "$bundles/$bits" \
        >/dev/null
done
echo "The runtime's tests on tflite-runtime 2.14 and NumPy 1:"
BRR_TEST_BUNDLES=$bundles PYTHONPATH=runtime $venv/bin/python -m pytest tests/runtime
