#!/bin/sh
# Runs the runtimes, and of the Swift package only its C code, on other processors, emulated by
# QEMU: ARM with 64 and with 32 bits, and s390x, which is big-endian. The same random bytes must
# give the same words there, and the same bundles the same errors. On s390x, Python and Node refuse
# all bundles.
#
#   BIN=FOLDER sh tests/arm.sh
#
# Python runs the cases that this machine records (exchanged cases, hostile bundles) and, on ARM
# with 64 bits, the frozen cases of spec, with Debian 12's NumPy and with the newest. Debian's JVM
# and npm's builds of Node run their tests with these cases. All programs come from Debian 12, PyPI
# and npm, and are kept in $BRR_ARM (artifacts/arm; 5 GB); nothing is installed. Without apt-get or
# Debian's keyring, prints a message and stops.
set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. tests/arm/machines.sh
if ! why=$(has_debian); then
    echo "*** SKIPPED: other processors: $why"
    exit 0
fi

# emulated QEMU MACHINE ARGUMENTS...: runs a program of the machine.
emulated() {
    qemu=$1 machine=$2
    shift 2
    "$cache/qemu/usr/bin/qemu-$qemu-static" -L "$cache/$machine" "$@"
}

# python QEMU MACHINE PATH ARGUMENTS...: runs the machine's Python, with folders in addition to the
# runtime.
python() {
    qemu=$1 machine=$2 path=$3
    shift 3
    libraries=$(echo "$cache/$machine"/usr/lib/*-linux-gnu*)
    emulated "$qemu" "$machine" \
        -E LD_LIBRARY_PATH="$libraries/blas:$libraries/lapack" -E PYTHONDONTWRITEBYTECODE=1 \
        -E PYTHONPATH="$path:$PWD/runtime" "$cache/$machine/usr/bin/python3" "$@"
}

echo "Other processors, by QEMU:"
kept qemu programs bookworm "$this" install qemu-user-static
for machine in arm64 armhf s390x; do
    kept "$machine" programs bookworm "$machine" install python3 python3-numpy libstdc++6
done
at="--python-version 3.11"
# shellcheck disable=SC2086 # words
{
    kept pytest wheels pytest
    kept arm64-old wheels $at --no-deps --platform manylinux_2_34_aarch64 tflite-runtime==2.14.0
    kept arm64-new wheels $at --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 \
        --platform manylinux2014_aarch64 --platform manylinux_2_17_aarch64 numpy ai-edge-litert
    kept armhf-old wheels $at --no-deps --platform manylinux_2_34_armv7l tflite-runtime==2.14.0
}

record
python aarch64 arm64 "$cache/arm64-old" tests/arm/replay.py "$work"
python aarch64 arm64 "$cache/arm64-new" tests/arm/replay.py "$work"
python arm armhf "$cache/armhf-old" tests/arm/replay.py "$work"
refusal="a bundle can only be mapped on a little-endian machine"
if python s390x s390x "$cache/pytest" tests/arm/replay.py "$work" 2>"$work/said" ||
    ! grep -q "$refusal" "$work/said"; then
    cat "$work/said" >&2
    exit 1
fi
echo "Python on s390x: $refusal."
for numpy in old new; do
    python aarch64 arm64 "$cache/arm64-$numpy:$cache/pytest" -m pytest -q -p no:cacheprovider \
        tests/runtime/test_frozen.py
done

find "$work/bundles" -name parity.json ! -path "*/64/*" -delete # these show all effects of a processor

# Kotlin's and TypeScript's own tests of the frozen cases, and of the cases that Python has
# recorded. Then Python runs the cases that these have made.
exchanged() {
    "$BIN/python" tests/phones/exchange.py check "$work/bundles" "$work/exchange" "$1"
}

# jvm QEMU MACHINE TESTS...: runs tests of the Kotlin library in the machine's JVM.
jvm() {
    qemu=$1 machine=$2
    shift 2
    kept "$machine-jvm" programs bookworm "$machine" install openjdk-17-jre-headless
    java=$(echo "$cache/$machine-jvm"/usr/lib/jvm/java-17-*/bin/java)
    (cd android_demo/brr && emulated "$qemu" "$machine" "$java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC \
        -Dbrr.work="$work" -cp "target/classes:target/test-classes:$(cat "$work/classpath")" \
        org.junit.runner.JUnitCore "$@") >"$work/said" || {
        cat "$work/said" >&2
        exit 1
    }
    echo "The JVM on $machine: $(grep '^OK' "$work/said")"
    exchanged kotlin
}

if why=$(sh tests/phones/jdk.sh); then
    (cd android_demo && mvn -q -B -ntp -Dstyle.color=never -pl tflite,brr test-compile \
        org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath \
        -Dmdep.outputFile="$work/classpath" -Dmdep.includeScope=test)
    # Not with 32 bits, because QEMU lists no folder for a JVM there.
    cases="org.brrkit.GoldenCasesTest org.brrkit.ExchangeTest"
    # shellcheck disable=SC2086 # words
    {
        jvm aarch64 arm64 $cases org.brrkit.VectorsTest org.brrkit.HostileBundlesTest
        jvm s390x s390x $cases
    }
else
    echo "*** SKIPPED: the JVM on other processors: $why"
fi

if web_demo/node.sh true 2>/dev/null; then
    kept node-arm64 node arm64 24.22.0
    kept node-s390x node s390x 20.11.0 # npm has no later version
    (cd web_demo && ./node.sh npm ci --silent && ./node.sh node build.mjs)
    # QEMU keeps the memory that WebAssembly frees, so all bundles would take 10 GB.
    awk 'NR % 3 == 1' "$work/hostile/cases.jsonl" >"$work/third" && mv "$work/third" "$work/hostile/cases.jsonl"
    slow="every code point|exact numbers|manifests are refused" # take minutes; ran in Python
    for name in golden vectors exchange hostileBundles; do
        emulated aarch64 arm64 -E BRR_WORK="$work" "$cache/node-arm64/bin/node" --disable-wasm-trap-handler \
            --test-reporter=dot --test-skip-pattern="$slow" "web_demo/out/test/$name.test.js"
        echo " $name, by Node on arm64"
    done
    exchanged web
    refusal="a bundle needs a little-endian machine"
    open='import("./web_demo/out/src/folder.js").then(({ openFolder }) => openFolder("runtime/brrkit/sample"))'
    if emulated s390x s390x "$cache/node-s390x/bin/node" -e "$open" 2>"$work/said" ||
        ! grep -q "$refusal" "$work/said"; then
        cat "$work/said" >&2
        exit 1
    fi
    echo "Node on s390x: $refusal."
else
    echo "*** SKIPPED: Node on other processors: Node isn't installed here"
fi

if [ "$this" != amd64 ]; then
    echo "*** SKIPPED: the C of the Swift package: Debian's cross compilers run on amd64"
    exit 0
fi
source="-I ios_demo/Brrkit/C/include tests/arm/distances.c ios_demo/Brrkit/C/distances.c ios_demo/Brrkit/C/sha256.c"
# shellcheck disable=SC2086 # words
cc -O3 -w $source -o "$work/here"
"$work/here" >"$work/expected"
for pair in aarch64:aarch64-linux-gnu arm:arm-linux-gnueabihf s390x:s390x-linux-gnu; do
    target=${pair#*:}
    # shellcheck disable=SC2086 # words
    c_for "$target" $source -o "$work/there"
    "$cache/qemu/usr/bin/qemu-${pair%:*}-static" "$work/there" >"$work/made"
    cmp "$work/expected" "$work/made"
    echo "The C of the Swift package gives the same on $target."
done

if ! why=$(has_swift); then
    echo "*** SKIPPED: Swift on ARM: $why"
    exit 0
fi
mkdir -p "$work/app/App"
cp tests/arm/Golden.swift "$work/app/App/main.swift"
ln -s "$PWD" "$work/app/brrkit"
cat >"$work/app/Package.swift" <<'END'
// swift-tools-version: 5.9
import PackageDescription

let package = Package(
    name: "golden",
    platforms: [.iOS(.v15), .macOS(.v12)],
    dependencies: [.package(path: "brrkit")],
    targets: [
        .executableTarget(
            name: "golden", dependencies: [.product(name: "Brrkit", package: "brrkit")], path: "App")
    ]
)
END
swift_for_arm64 --package-path "$work/app" --product golden
"$BIN/python" - "$work" <<'END'
import sys
from pathlib import Path

sys.path.insert(0, "tests/android")
from toolchains import write_cases

work = Path(sys.argv[1])
work.joinpath("answers").write_text("".join(f"{line}\n" for line in write_cases(work / "cases.tsv")), "utf-8")
END
emulated aarch64 arm64-swift -E LD_LIBRARY_PATH="$swift_libraries/linux" \
    "$work/app/.build/aarch64-unknown-linux-gnu/release/golden" "$work/cases.tsv" >"$work/made"
cmp "$work/answers" "$work/made"
echo "Swift on arm64: $(wc -l <"$work/answers") golden cases."
