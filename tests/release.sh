#!/bin/sh
# Tests the package from a user's view: builds the sdists and the wheels from a clean checkout,
# checks their contents, installs brrkit's wheel into an empty environment, and runs the README's
# Python there.
#
#   BIN=... PYTHON=... sh tests/release.sh [DIST]
#
# With DIST, an empty folder, makes a whole release. The packages are built twice, and their bytes
# compared. The README's commands run as written, in a second environment, with the toolchain. The
# Android libraries are also built twice, and used by a project that loads them from a repository
# (tests/android.sh), as is the npm package (tests/web.sh). DIST receives the files to publish, with
# bills of materials and checksums.
set -eu

dist=${1:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset SOURCE_DATE_EPOCH PYTHONPATH # the archives are the same without a given time
export PIP_DISABLE_PIP_VERSION_CHECK=1

build() {
    for project in source source/adept; do
        "$BIN/python" -m build "$@" "$work/$project" >"$work/log" 2>&1 || {
            cat "$work/log"
            exit 1
        }
    done
}

echo "The sdists, and the wheels from them:"
mkdir "$work/source"
git ls-files -z | tar -cf - --null -T - | tar -xf - -C "$work/source"
build --outdir "$work/python"
if [ -n "$dist" ]; then
    echo "The same, built again, the wheels from the checkout:"
    find "$work/source" -exec touch {} +
    build --outdir "$work/again" --sdist --wheel
    diff -r "$work/python" "$work/again"
fi
"$BIN/python" tests/release/contents.py "$work/python" "$work/source"
"$BIN/python" -m twine --no-color check --strict "$work"/python/*

# From here on, brrkit is this wheel, whatever else has this name.
echo "brrkit @ file://$(echo "$work"/python/brrkit-*.whl)" >"$work/constraint"
export PIP_CONSTRAINT="$work/constraint"

echo "pip install brrkit, into an empty environment:"
"$PYTHON" -m venv --without-pip "$work/backend"
"$BIN/python" -m pip --python "$work/backend" install --quiet --no-compile brrkit
"$BIN/python" -m pip --python "$work/backend" list
"$BIN/python" -m pip --python "$work/backend" check
said=$("$work/backend/bin/brr" build --output "$work/none" 2>&1) && exit 1
echo "$said"
[ "$said" = "Error: click is missing; run: pip install 'brrkit[toolchain]'" ]

"$BIN/python" tests/release/readme.py "$work"
if [ -n "$dist" ]; then
    echo "The README's commands, in another empty environment:"
    "$PYTHON" -m venv "$work/toolchain"
    # Python's own pip may be too old to accept extras of a wheel in a constraint.
    "$work/toolchain/bin/python" -m pip install --quiet --upgrade pip
    for block in "$work"/commands/*.sh; do
        (cd "$work/user" && PATH="$work/toolchain/bin:$PATH" sh -eux "$block")
    done
fi
echo "The README's Python:"
(cd "$work/user" && "$work/backend/bin/python" "$work/commands/readme.py")
[ -n "$dist" ] || exit 0

echo "The Android libraries, built twice, and used:"
unset PIP_CONSTRAINT
BRR_KEEP="$work/maven" sh tests/android.sh
cp -R "$work/python" "$work/maven" "$dist"

echo "The npm package, packed twice, and used:"
web_demo/node.sh true # without Node, nothing is released
mkdir "$dist/npm"
sh tests/web.sh "$dist/npm"

echo "The checker of the proofs, for Linux:"
if [ -z "${BRR_CHECKER:-}" ]; then
    sh proofs/check.sh # without Coq, nothing is released
    BRR_CHECKER=proofs/build/brr-proof-checker
fi
mkdir "$dist/proofs"
install -m 755 "$BRR_CHECKER" "$dist/proofs/brr-proof-checker-linux-x86_64"
said=$("$dist/proofs/brr-proof-checker-linux-x86_64" --version)
echo "$said"
sources=$(cd proofs && LC_ALL=C && cat theories/*.v checker/* | sha256sum | cut -c 1-64)
case $said in *", sources $sources") ;; *) exit 1 ;; esac # of this commit

echo "Bills of materials: of what brrkit brings at a backend, with the toolchain, and to an app:"
mkdir "$dist/sbom"
"$PYTHON" -m venv "$work/sbom"
"$work/sbom/bin/pip" install --quiet 'cyclonedx-bom==7.5.0'
for environment in backend toolchain; do
    "$work/sbom/bin/cyclonedx-py" environment --output-reproducible --mc-type library \
        --pyproject pyproject.toml -o "$dist/sbom/$environment.cdx.json" "$work/$environment"
done
(cd android_demo && mvn -q -B -ntp -Dstyle.color=never -pl brr,brr-keyboard -am \
    org.cyclonedx:cyclonedx-maven-plugin:2.9.1:makeBom -DoutputFormat=json \
    -DincludeProvidedScope=false -DincludeTestScope=false)
for name in brr brr-keyboard; do
    cp android_demo/$name/target/bom.json "$dist/sbom/$name.cdx.json"
done
(cd "$dist" && sha256sum python/* npm/* proofs/* sbom/* maven/*/brr-* | sed 's|  .*/|  |' >SHA256SUMS)
cat "$dist/SHA256SUMS"
