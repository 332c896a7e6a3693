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
# Classes of an earlier build would be packaged, too.
rm -rf android_demo/*/target/surefire-reports android_demo/*/target/classes/org/brrkit
(cd android_demo && mvn -q -B -ntp -Dstyle.color=never package -Dbrr.work="$work" \
    -Dbrr.command="$BIN/brr")
"$BIN/python" tests/android/counts.py android_demo/*/target/surefire-reports
"$BIN/python" tests/phones/exchange.py check "$work/bundles" "$work/exchange" kotlin

echo "A project that depends on org.brrkit:brr-runtime, in Kotlin and in Java:"
# Its local repository has the plugins that are there already, and the library as it was packaged.
home=${HOME:?}/.m2/repository
cp -Rl "$home" "$work/repository" 2>/dev/null || cp -R "$home" "$work/repository"
rm -rf "$work/repository/org/brrkit"
target=android_demo/brr/target
jar=$(ls $target/brr-runtime-*.jar | grep -v sources)
maven="mvn -q -B -ntp -Dstyle.color=never -Dmaven.repo.local=$work/repository"
$maven org.apache.maven.plugins:maven-install-plugin:3.1.4:install-file \
    -Dfile="$jar" -Dsources="${jar%.jar}-sources.jar" -DpomFile=$target/published.xml
$maven -f android_demo/consumer/pom.xml test -Dbundle="$work/bundles/64" >"$work/consumer"
"$BIN/python" tests/android/artifact.py "$jar" $target/published.xml <"$work/consumer"
