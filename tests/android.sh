#!/bin/sh
# Compiles the Android library and the demo keyboard with Maven, without an Android SDK, and runs
# their tests, most of them against the Python runtime: golden cases of bundles built just now,
# bundles that Python refuses, and fresh random cases in both directions. Needs a JDK 17 or later
# and Maven; elsewhere this says so and stops.
set -eu

why=$(sh tests/phones/jdk.sh) || {
    echo "*** SKIPPED: the tests of the Android library and keyboard: $why"
    exit 0
}

work=${BRR_WORK:-} # where phones.sh has prepared it
if [ -z "$work" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    sh tests/phones/prepare.sh "$work" 12500 256
fi
echo "The bundle in the demo keyboard's assets:"
"$BIN/brr" verify artifacts/sample

echo "The Android library and the keyboard:"
# The first compiles sooner, and would leave the Kotlin compiler too little room for code.
export MAVEN_OPTS="${MAVEN_OPTS:-} -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m"
rm -rf android_demo/*/target/surefire-reports
(cd android_demo && mvn -q -B -ntp -Dstyle.color=never test -Dbrr.work="$work" \
    -Dbrr.command="$BIN/brr")
"$BIN/python" tests/android/counts.py android_demo/*/target/surefire-reports
"$BIN/python" tests/phones/exchange.py check "$work/bundles" "$work/exchange" kotlin
