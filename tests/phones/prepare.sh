#!/bin/sh
# Makes the files that the tests of a phone's runtime read in addition to spec: newly built bundles
# (BRR_TEST_BUNDLES, or otherwise built here), one of them calibrated as in the README, bundles that
# Python refuses, and a large bundle.
#
#   BIN=... sh tests/phones/prepare.sh FOLDER BITS      BITS: 64 or 256, of the large bundle
#
# With BRR_NIGHTLY, also mutants with Python's verdict, the golden cases of all bundles, and new
# random cases: the runtimes exchange 10,000 releases in each direction, and other cases in
# proportion. The frozen cases of spec find the same faults in each run.
set -eu

work=$1 large=$2
mkdir -p "$work"
if [ -n "${BRR_TEST_BUNDLES:-}" ]; then
    cp -R "$BRR_TEST_BUNDLES" "$work/bundles"
else
    "$BIN/python" tests/every_bundle.py "$work/bundles"
fi
cp -R "$work/bundles/64" "$work/calibrated"
"$BIN/brr" calibrate "$work/calibrated" --attack-success 0.2 --write >/dev/null
echo "What Python makes of hostile bundles:"
"$BIN/python" tests/phones/hostile.py "$work/bundles" "$work/hostile"
"$BIN/python" tests/phones/large_bundle.py "$work/bundles/$large" "$work/large"
if [ -n "${BRR_NIGHTLY:-}" ]; then
    cp -R spec/conformance/policy "$work/bundles/policy"
    "$BIN/python" tests/attacks/bundles.py --exchange "$work/mutants.jsonl" --cases 5000
    "$BIN/python" tests/phones/exchange.py write "$work/bundles" "$work/exchange" 10000
else
    find "$work/bundles" -name parity.json ! -path "*/64/*" -delete
fi
