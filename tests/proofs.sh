#!/bin/sh
# Checks the machine-checked proofs, then breaks the proven code, which a proof or the checker must
# detect. This part needs .venv, which make quick installs. Without Coq, it fails; with --if-there,
# it prints a message and stops.
set -eu

sh proofs/check.sh "$@"
command -v coqc >/dev/null || exit 0
if [ -x "$BIN/python" ]; then
    PATH="$PWD/proofs/build:$PATH" "$BIN/python" -m pytest -q tests/proofs
else
    echo "*** SKIPPED: the tests that break the proofs: $BIN isn't there"
fi
