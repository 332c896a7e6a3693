#!/bin/sh
# Runs tests with the oldest, or the newest, versions of what pyproject.toml asks for, on any Python.
#
#   [BIN=... BRR_TEST_BUNDLES=...] sh tests/bounds.sh PYTHON lowest-direct|highest runtime|toolchain
#
# uv installs that Python where it isn't found, and takes wheels only. The toolchain's part is one test
# file for each library whose versions are bounded. Old versions warn of one another: no error here.
set -eu

python=$1 versions=$2 part=$3
BIN=${BIN:-.venv/bin}
BRR_TEST_BUNDLES=${BRR_TEST_BUNDLES:-$PWD/artifacts/test-bundles}
OMP_NUM_THREADS=1
export BRR_TEST_BUNDLES OMP_NUM_THREADS

venv=.venv-$python-$versions-$part
pip="$BIN/uv pip install --quiet --python $venv/bin/python --only-binary :all: --resolution"
"$BIN/uv" venv --quiet --clear --python "$python" "$venv"
if [ "$part" = toolchain ]; then
    extras="[evaluate,receiver] --editable ./adept"
    tests=tests/toolchain
    files="embeddings graph codes neighbors corpus estimate plots evaluate report receiver cli"
else
    extras='[tflite]'
    tests=tests/runtime
    files=
fi
# shellcheck disable=SC2086 # several words
$pip "$versions" --no-binary brrkit --no-binary brrkit-adept --editable .$extras
# What tests need besides brrkit is the newest.
"$BIN/uv" pip freeze --python "$venv/bin/python" --exclude-editable >"$venv/versions"
$pip highest --constraint "$venv/versions" pytest pytest-xdist hypothesis jsonschema httpx safetensors
grep -iE '^(ai-edge|numpy|scipy|tensorflow|faiss|gensim|numba|pyarrow)' "$venv/versions"
# shellcheck disable=SC2046,SC2086 # file names without spaces
"$venv/bin/python" -m pytest -n "$(getconf _NPROCESSORS_ONLN)" --dist loadfile -q -o filterwarnings=default \
    $(for file in $files; do echo "$tests/test_$file.py"; done | grep . || echo "$tests")
