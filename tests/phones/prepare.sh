#!/bin/sh
# Makes what the tests of a phone's runtime read: bundles built just now (BRR_TEST_BUNDLES, or else
# here), one of them calibrated as the README says, bundles that Python refuses, mutants with Python's
# verdict, a large bundle, and fresh random cases.
#
#   BIN=... sh tests/phones/prepare.sh FOLDER BITS      BITS: 64 or 256, of the large bundle
#
# The runtimes exchange 2,000 releases in each direction, fresh ones in each run, and other cases in
# proportion; with BRR_NIGHTLY, five times as many, and all golden cases of all bundles (fewer.py).
set -eu

work=$1 large=$2 cases=2000
[ -z "${BRR_NIGHTLY:-}" ] || cases=10000
mkdir -p "$work"
if [ -n "${BRR_TEST_BUNDLES:-}" ]; then
    cp -R "$BRR_TEST_BUNDLES" "$work/bundles"
else
    cp docs/explanation/proofs.md "$work/text.txt" # as the Makefile's
    "$BIN/python" -m benchmarks.brr build --bits 64 --method lsh --vocabulary-size 2000 \
        --text "$work/text.txt" --least 2 --output "$work/bundles/64" >/dev/null 2>&1
    "$BIN/python" -m benchmarks.brr build --bits 256 --method lsh --vocabulary-size 2000 \
        --output "$work/bundles/256" >/dev/null
    "$BIN/python" tests/task_bundle.py "$work/bundles/64" "$work/bundles/256" "$work/bundles/tasks"
    "$BIN/python" tests/written.py "$work/bundles"
    "$BIN/python" tests/listed.py "$work/bundles"
    for name in spaced unspaced list; do
        cp -R "spec/conformance/$name" "$work/bundles/conformance-$name"
    done
fi
cp -R "$work/bundles/64" "$work/calibrated"
"$BIN/brr" calibrate "$work/calibrated" --attack-success 0.2 --write >/dev/null
echo "What Python makes of hostile bundles:"
"$BIN/python" tests/phones/hostile.py "$work/bundles" "$work/hostile"
"$BIN/python" tests/attacks/bundles.py --exchange "$work/mutants.jsonl" --cases $((cases / 2))
"$BIN/python" tests/phones/large_bundle.py "$work/bundles/$large" "$work/large"
"$BIN/python" tests/phones/exchange.py write "$work/bundles" "$work/exchange" "$cases"
[ -n "${BRR_NIGHTLY:-}" ] || "$BIN/python" tests/phones/fewer.py "$work/bundles"
