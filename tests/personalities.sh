#!/bin/sh
# Runs the numeric tests as on other machines: with only the instructions of an older CPU family,
# and with another number of threads, language, time zone, temporary folder and order of tests. The
# results must be the same on every machine.
#
# A family with instructions that this CPU lacks is skipped, with a message.
#
#   BIN=FOLDER BRR_TEST_BUNDLES=FOLDER sh tests/personalities.sh
set -eu

# Tests whose results a CPU, its BLAS or its threads could change, although none may. Other tests
# either compute with integers, or tolerate rounding. These compare bytes, exact numbers, or the
# results of CPU-specific instructions.
#   test_portable.py       the codes, by their digests, and the arithmetic that makes them
#   test_sample_bundle.py  a whole build of 20,000 words, byte for byte
#   test_certificates.py   certificates, rounded up, compared with exact fractions
#   test_scans.py          compiled loops over the words, in blocks and threads
#   test_tasks.py          task bits and held-out texts, by their digests
#   test_attackers.py      the beliefs of an attacker who reads a text, by their digest
tests=tests/toolchain
numeric="$tests/codes/test_portable.py $tests/bundle/test_sample_bundle.py::test_is_what_the_code_makes
  $tests/channel/test_certificates.py $tests/codes/test_scans.py $tests/tasks/test_tasks.py::TestLearned
  $tests/attackers/test_attackers.py::test_beliefs_are_the_same_on_every_machine"

temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
mkdir "$temporary/a folder"

# The instructions of this CPU that NumPy would use, except those of the older family.
without() {
    "$BIN/python" - "$1" <<'PYTHON'
import re, sys
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
print(*(f for f in __cpu_dispatch__ if __cpu_features__[f] and re.match(sys.argv[1], f)))
PYTHON
}

# SSE 4.2, without AVX.
nehalem() {
    env OPENBLAS_CORETYPE=Nehalem OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 \
        NPY_DISABLE_CPU_FEATURES="$(without 'AVX|F16C|FMA|X86_V[34]')" FAISS_OPT_LEVEL=generic \
        NUMBA_CPU_NAME=nehalem NUMBA_CPU_FEATURES= TF_ENABLE_ONEDNN_OPTS=0 \
        LC_ALL=C TZ=Asia/Kathmandu "$@"
}

# AVX2, without AVX-512. Spinning threads would take most of the time.
haswell() {
    env OPENBLAS_CORETYPE=Haswell OPENBLAS_NUM_THREADS=2 OMP_NUM_THREADS=2 \
        OPENBLAS_THREAD_TIMEOUT=8 OMP_WAIT_POLICY=passive \
        NPY_DISABLE_CPU_FEATURES="$(without 'AVX512|X86_V4')" FAISS_OPT_LEVEL=avx2 \
        NUMBA_CPU_NAME=haswell NUMBA_CPU_FEATURES= TF_ENABLE_ONEDNN_OPTS=1 \
        LC_ALL=tr_TR.UTF-8 TZ=America/St_Johns TMPDIR="$temporary/a folder" "$@"
}

# Fails if BLAS doesn't use the selected family, because these tests would then prove nothing.
is() {
    "$1" "$BIN/python" - "$1" <<'PYTHON'
import sys
import numpy
from threadpoolctl import threadpool_info
found = {pool["architecture"].lower() for pool in threadpool_info() if pool["user_api"] == "blas"}
sys.exit(0 if found == {sys.argv[1]} else f"Error: BLAS works as on {found}, not on {sys.argv[1]}")
PYTHON
}

has() { grep -qsw "$1" /proc/cpuinfo; }

try() {
    personality=$1
    instructions=$2
    shift 2
    if ! has "$instructions"; then
        echo "SKIPPED: the numeric tests as on $personality: /proc/cpuinfo names no $instructions"
        return
    fi
    is "$personality"
    echo "The numeric tests as on $personality:"
    # shellcheck disable=SC2086 # files
    "$personality" "$BIN/python" -m pytest "$@" $numeric
}

try nehalem sse4_2
try haswell avx2 --last-first
