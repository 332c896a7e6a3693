#!/bin/sh
# Tests the playground: the built page equals its source's result, its numbers equal Python's, and
# it works in a browser, also with bundles that have another task, or none. tests/web.sh calls this
# after it has compiled web_demo into web_demo/out.
#
#   BIN=... sh tests/web/playground.sh BUNDLE      BUNDLE: a bundle without a task
set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
page=toolchain/brrkit_toolchain/report/playground/playground.html

web_demo/node.sh node web_demo/playground/build.mjs "$work/built.html"
cmp "$work/built.html" "$page" || {
    echo "$page isn't what web_demo/playground makes; run 'make playground'" >&2
    exit 1
}

{
    echo text,label
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        echo the music film song,art
        echo the war army battle,war
    done
} >"$work/topic.csv"
cp -R "$1" "$work/plain"
"$BIN/python" -m benchmarks.brr build --bits 64 --method lsh --vocabulary-size 2000 \
    --embeddings tests/data/encyclopedia.vec.xz --task "$work/topic.csv" --output "$work/topic" >/dev/null
"$BIN/python" tests/web/playground.py "$work"
export BRR_PLAYGROUND="$work" BRR_SAMPLE="$PWD/runtime/brrkit/sample"
web_demo/node.sh node --test --test-reporter=dot web_demo/out/playground/test/*.test.js
if [ -n "${BRR_CHROMIUM:-$(command -v chromium || true)}" ]; then
    web_demo/node.sh node --test --test-reporter=dot tests/web/playground.mjs
else
    echo "*** SKIPPED: the playground in a browser: no Chromium found (BRR_CHROMIUM)"
fi
