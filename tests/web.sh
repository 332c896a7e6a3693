#!/bin/sh
# Compiles the TypeScript library and runs its tests: the frozen cases of spec, golden cases of a
# newly built bundle, bundles that Python refuses and, in the nightly tests, new random cases,
# exchanged with Python in both directions. Then checks the npm package, sends reports, and types
# into pages in a real browser. Needs Node 20 or later. Without it, prints a message and stops.
#
#   BIN=... sh tests/web.sh [DIST]      DIST: folder for the package
set -eu

if ! web_demo/node.sh true 2>/dev/null; then
    echo "*** SKIPPED: the tests of the TypeScript library: Node 20 or later isn't installed;" \
        "'web_demo/node.sh --install' installs it"
    exit 0
fi

work=${BRR_WORK:-} # the folder that phones.sh has prepared
if [ -z "$work" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    sh tests/phones/prepare.sh "$work" 64
fi

echo "The TypeScript library:"
(
    cd web_demo
    if ! cmp -s package-lock.json node_modules/.lock; then
        ./node.sh npm ci --silent
        cp package-lock.json node_modules/.lock
    fi
    ./node.sh node build.mjs
    BRR_WORK="$work" ./node.sh node --test --test-reporter=dot out/test/*.test.js
)
if [ -e "$work/exchange" ]; then
    "$BIN/python" tests/phones/exchange.py check "$work/bundles" "$work/exchange" web
    for other in kotlin swift; do
        if [ -e "$work/exchange/$other-both.jsonl" ]; then
            "$BIN/python" tests/phones/exchange.py compare "$work/bundles" "$work/exchange" $other web
        fi
    done
fi
web_demo/node.sh node tests/web/package.mjs "$@"
web_demo/node.sh "$BIN/python" tests/web/receiver.py web_demo/dist "$work/bundles/64" "$work"
if [ -n "${BRR_NIGHTLY:-}" ]; then
    web_demo/node.sh "$BIN/python" tests/web/ohttp.py web_demo "$work/bundles/64" "$work"
else
    echo "*** SKIPPED: the example of Oblivious HTTP: make phones NIGHTLY=1, each night and before a release"
fi
web_demo/node.sh node tests/web/browser.mjs web_demo/dist runtime/brrkit/sample

echo "The playground:"
sh tests/web/playground.sh "$work/bundles/64"
