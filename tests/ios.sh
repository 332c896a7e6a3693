#!/bin/sh
# Compiles the Swift library and the keyboard's logic, and runs their tests: the frozen cases of
# spec, golden cases of a newly built bundle, bundles that Python refuses and, in the nightly tests,
# new random cases, exchanged with Python in both directions. Needs Swift 6. Without it, prints a
# message and stops.
#
#   BIN=... sh tests/ios.sh
#   sh tests/ios.sh compile     only compiles, without Python
set -eu

# Optimized, as in an app; the tests also access internal code. Other flags would compile everything
# again, and so would Package.swift without BRR_WORK. An index, debug information and a second pass
# over each module for its interface are unused here, and would take a third of the time.
swift_test() {
    ios_demo/swift.sh test "$@" -c release --disable-xctest --enable-swift-testing \
        --disable-index-store -Xswiftc -enable-testing -Xswiftc -gnone -Xswiftc -no-emit-module-separately-wmo
}

if ! ios_demo/swift.sh --version >/dev/null 2>&1; then
    echo "*** SKIPPED: the tests of the Swift library and keyboard: swift isn't installed;" \
        "on Debian, 'sudo ios_demo/swift.sh --install' installs it"
    exit 0
fi

if [ "${1:-}" = compile ]; then
    said=$(BRR_WORK=none swift_test list 2>&1) || {
        echo "$said"
        exit 1
    }
    exit 0
fi

work=${BRR_WORK:-} # the folder that phones.sh has prepared
if [ -z "$work" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    sh tests/phones/prepare.sh "$work" 64
fi

echo "The Swift library and the keyboard's logic:"
ios_demo/swift.sh format lint --strict -r Package.swift ios_demo
export BRR_WORK="$work"
swift_test --skip MemoryTests
swift_test --skip-build --filter MemoryTests
"$BIN/python" tests/ios/reports.py "$work/bundles/64" "$work" \
    ios_demo/swift.sh test --skip-build -c release --disable-xctest --enable-swift-testing \
        --filter ReceivedTests
if [ -e "$work/exchange" ]; then
    "$BIN/python" tests/phones/exchange.py check "$work/bundles" "$work/exchange" swift
    kotlins="$work/exchange/kotlin-both.jsonl" # already there if android.sh has run
    if ! [ -e "$kotlins" ] && sh tests/phones/jdk.sh >/dev/null; then
        (cd android_demo && mvn -q -B -ntp -Dstyle.color=never test -Dbrr.work="$work" -pl brr -am \
            -Dtest=ExchangeTest#releasesForTheOtherPhone -Dsurefire.failIfNoSpecifiedTests=false)
    fi
    if [ -e "$kotlins" ]; then
        "$BIN/python" tests/phones/exchange.py compare "$work/bundles" "$work/exchange" kotlin swift
    else
        echo "*** SKIPPED: Swift isn't compared with Kotlin: a JDK or Maven isn't installed"
    fi
fi
if [ -n "${BRR_NIGHTLY:-}" ]; then
    "$BIN/python" tests/ios/first_word.py "$work/bundles/64"
else
    echo "*** SKIPPED: the iOS documentation's app: make phones NIGHTLY=1, each night and before a release"
fi
