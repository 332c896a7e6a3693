#!/bin/sh
# Runs android.sh, ios.sh and web.sh on the same cases, so that these are made only once, and the
# languages' releases can be compared.
#
#   BIN=... sh tests/phones.sh
set -eu

BRR_WORK=$(mktemp -d)
export BRR_WORK
trap 'rm -rf "$BRR_WORK"' EXIT
sh tests/phones/prepare.sh "$BRR_WORK" 256
sh tests/android.sh
rm -rf "$BRR_WORK/large"
"$BIN/python" tests/phones/large_bundle.py "$BRR_WORK/bundles/64" "$BRR_WORK/large"
sh tests/ios.sh
sh tests/web.sh
