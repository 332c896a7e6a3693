#!/bin/sh
# Runs tests with the oldest or the newest versions of the packages in pyproject.toml, on any
# Python.
#
#   [BIN=... BRR_TEST_BUNDLES=...] sh tests/bounds.sh PYTHON lowest-direct|highest runtime|toolchain
#
# uv installs this Python if necessary, and uses only wheels. The toolchain's part is one test file
# for each library with bounded versions. Old versions warn about each other, which isn't an error
# here.
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
    tests="tests/toolchain/embeddings/test_embeddings.py tests/toolchain/codes/test_graph.py
        tests/toolchain/codes/test_codes.py tests/toolchain/utility/test_neighbors.py
        tests/toolchain/utility/test_evaluate.py tests/toolchain/privatize/test_privatize.py
        tests/toolchain/report/test_plots.py tests/toolchain/report/test_report.py
        tests/toolchain/cli/test_cli.py tests/counting/test_estimate.py tests/examples/test_receiver.py"
else
    extras='[tflite]'
    tests=tests/runtime
fi
# shellcheck disable=SC2086 # several words
$pip "$versions" --no-binary brrkit --no-binary brrkit-adept --editable .$extras
# The tests' own packages are the newest.
"$BIN/uv" pip freeze --python "$venv/bin/python" --exclude-editable >"$venv/versions"
$pip highest --constraint "$venv/versions" pytest pytest-xdist hypothesis jsonschema httpx safetensors
grep -iE '^(ai-edge|numpy|scipy|tensorflow|faiss|gensim|numba|pyarrow)' "$venv/versions"
# shellcheck disable=SC2086 # file names without spaces
"$venv/bin/python" -m pytest -n "$(getconf _NPROCESSORS_ONLN)" --dist loadfile -q -o filterwarnings=default $tests
