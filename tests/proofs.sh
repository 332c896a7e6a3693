#!/bin/sh
# Checks the machine-checked proofs, then breaks what they are about, which a proof or the checker has to
# notice. Without Coq this fails; with --if-there it says so and stops. Without the tests' Python only the
# proofs are checked.
set -eu

sh proofs/check.sh "$@"
[ ! -x proofs/build/brr-proof-checker ] || [ ! -x "$BIN/python" ] || {
    "$BIN/python" -m pytest -q tests/proofs
}
