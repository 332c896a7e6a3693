#!/bin/sh
# Runs the runtime's tests where only tflite-runtime 2.14 and NumPy 1 are installed, and the
# toolchain isn't. Those wheels exist for Python 3.11 at most; elsewhere this says so and stops.
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
PYTHONPATH=runtime $venv/bin/python $PYTEST tests/runtime
