#!/bin/sh
# Compiles the Android library and the demo keyboard with Maven, without an Android SDK, and runs
# their tests: the frozen cases of spec, golden cases of a newly built bundle, bundles that Python
# refuses and, in the nightly tests, new random cases, exchanged with Python in both directions.
# Needs a JDK 17 or later, Maven and openssl. Without the first two, prints a message and stops.
set -eu

why=$(sh tests/phones/jdk.sh) || {
    echo "*** SKIPPED: the tests of the Android library and keyboard: $why"
    exit 0
}

work=${BRR_WORK:-} # the folder that phones.sh has prepared
if [ -z "$work" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    sh tests/phones/prepare.sh "$work" 256
fi
echo "The bundle in the demo keyboard's assets:"
"$BIN/brr" verify runtime/brrkit/sample

echo "The Android library and the keyboard:"
# The first one compiles earlier, and would leave the Kotlin compiler too little room for code.
export MAVEN_OPTS="${MAVEN_OPTS:-} -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
MAVEN_OPTS="$MAVEN_OPTS -XX:ReservedCodeCacheSize=240m"
# Otherwise classes of an earlier build would be packaged, too, and its tests would run.
rm -rf android_demo/*/target/surefire-reports
rm -rf android_demo/*/target/classes/org/brrkit android_demo/*/target/test-classes/org/brrkit
(cd android_demo && mvn -q -B -ntp -Dstyle.color=never package -Dbrr.work="$work" \
    -Dbrr.python="$BIN/python")
"$BIN/python" tests/android/counts.py android_demo/*/target/surefire-reports
"$BIN/python" tests/android/reports.py android_demo/brr-keyboard/target/reports
if [ -e "$work/exchange" ]; then
    "$BIN/python" tests/phones/exchange.py check "$work/bundles" "$work/exchange" kotlin
fi

echo "What is published:"
libraries="brr brr-keyboard"
for name in $libraries; do
    mkdir -p "$work/first/$name"
    (cd android_demo/$name/target && mv brr-*.jar published.xml "$work/first/$name")
done
mv android_demo/brr-keyboard/target/brr-*.zip "$work/first/brr-keyboard"
for name in $libraries; do
    "$BIN/python" tests/android/artifact.py "$work/first/$name"
done
maven="mvn -q -B -ntp -Dstyle.color=never"
if [ -n "${BRR_NIGHTLY:-}" ]; then
    mkdir "$work/toolchains"
    "$BIN/python" tests/android/toolchains.py "$(ls "$work"/first/brr/brr-*.jar | grep -v sources)" \
        "$work/toolchains" $maven
fi

if [ -n "${BRR_KEEP:-}" ]; then # tests/release.sh publishes it
    echo "The same, built again:"
    (cd android_demo && $maven package -pl tflite,brr,workmanager,brr-keyboard -Dmaven.test.skip=true)
    for name in $libraries; do
        "$BIN/python" tests/android/artifact.py "$work/first/$name" "android_demo/$name/target"
    done
    cp -R "$work/first" "$BRR_KEEP"
fi

if [ -z "${BRR_NIGHTLY:-}${BRR_KEEP:-}" ]; then
    echo "*** SKIPPED: apps of the Android documentation: make phones NIGHTLY=1, each night and in make dist"
    exit 0
fi
echo "A project that depends on org.brrkit:brr-keyboard, in Kotlin and in Java:"
# Its local repository contains the installed plugins, and the packaged libraries.
home=${HOME:?}/.m2/repository
cp -Rl "$home" "$work/repository" 2>/dev/null || cp -R "$home" "$work/repository"
rm -rf "$work/repository/org/brrkit"
"$BIN/python" tests/android/published.py "$work/first" "$work/app" "$work/repository" \
    android_demo/brr-keyboard/target $maven
rm -rf "$work/repository/org/brrkit"
maven="$maven -Dmaven.repo.local=$work/repository"
for name in $libraries; do
    target=$work/first/$name
    jar=$(ls "$target"/brr-*.jar | grep -v sources)
    $maven org.apache.maven.plugins:maven-install-plugin:3.1.4:install-file \
        -Dfile="$jar" -Dsources="${jar%.jar}-sources.jar" -DpomFile="$target/published.xml" \
        -Dpackaging=jar
done
"$BIN/python" tests/android/first_hour.py "$work/bundles/64" "$work" \
    $maven -f android_demo/consumer/pom.xml process-classes
