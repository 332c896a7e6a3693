#!/bin/sh
# Runs the numeric tests as on other machines: a CPU can be told to work as one of an older family,
# and a process to have another number of threads, another language, time zone and temporary folder,
# and its tests another order. What must be the same on every machine is seen to be so here.
#
# A family that this CPU isn't a superset of would end in an illegal instruction: it is skipped, and
# this says so.
#
#   BIN=FOLDER BRR_TEST_BUNDLES=FOLDER sh tests/personalities.sh
set -eu

# What a CPU, its BLAS or its threads could change, though nothing may. Other tests either compute
# with integers, or allow for more than rounding does; these compare bytes, exact numbers, or what
# instructions of a CPU's own compute.
#   test_portable.py       the codes, by their digests, and the arithmetic that makes them
#   test_sample_bundle.py  a whole build of 20,000 words, byte for byte
#   test_certificates.py   certificates, rounded up, against exact fractions
#   test_scans.py          compiled loops over the words, in blocks and threads
#   test_tasks.py          task bits and held-out texts, by their digests
#   test_attackers.py      what who reads a text believes, by its digest
tests=tests/toolchain
numeric="$tests/codes/test_portable.py $tests/bundle/test_sample_bundle.py::test_is_what_the_code_makes
  $tests/channel/test_certificates.py $tests/codes/test_scans.py $tests/tasks/test_tasks.py::TestLearned
  $tests/attackers/test_attackers.py::test_beliefs_are_the_same_on_every_machine"

temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
mkdir "$temporary/a folder"

# What NumPy would use of this CPU, but for what an older family has too.
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

# AVX2, without AVX-512. Threads that spin while they wait would take most of the time.
haswell() {
    env OPENBLAS_CORETYPE=Haswell OPENBLAS_NUM_THREADS=2 OMP_NUM_THREADS=2 \
        OPENBLAS_THREAD_TIMEOUT=8 OMP_WAIT_POLICY=passive \
        NPY_DISABLE_CPU_FEATURES="$(without 'AVX512|X86_V4')" FAISS_OPT_LEVEL=avx2 \
        NUMBA_CPU_NAME=haswell NUMBA_CPU_FEATURES= TF_ENABLE_ONEDNN_OPTS=1 \
        LC_ALL=tr_TR.UTF-8 TZ=America/St_Johns TMPDIR="$temporary/a folder" "$@"
}

# Fails where BLAS isn't what it was told to be: then these tests say nothing.
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
