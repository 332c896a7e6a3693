#!/bin/sh
# A build phase: verifies the bundles, and copies the files that a device needs into the product:
# one bundle for each language, in bundles/TAG with its BCP 47 tag. The build fails if 'brr verify'
# refuses a bundle.
#
# The bundles are those in the folder BRR_BUNDLES (default: bundles, beside this script), each in a
# folder named by its tag, and, as en, the one in BRR_BUNDLE (default: the repository's
# runtime/brrkit/sample). The build setting BRR_COMMAND names the command (default: the repository's
# .venv/bin/brr, otherwise brr on the path).
set -eu

root=$SRCROOT/../..
bundles=${BRR_BUNDLES:-$SRCROOT/bundles}
command=${BRR_COMMAND:-$root/.venv/bin/brr}
[ -x "$command" ] || command=brr
if ! command -v "$command" >/dev/null; then
    echo "error: brr isn't found, so no bundle can be verified; set BRR_COMMAND, or run 'make demo'"
    exit 1
fi
target=$TARGET_BUILD_DIR/$UNLOCALIZED_RESOURCES_FOLDER_PATH/bundles
rm -rf "$target"

# add TAG BUNDLE
add() {
    "$command" verify "$2" || {
        echo "error: $2: brr verify refuses it; rebuild the bundle"
        exit 1
    }
    mkdir -p "$target/$1"
    cp "$2/manifest.json" "$2/index.safetensors" "$2/randomizer.tflite" "$target/$1/"
}

add en "${BRR_BUNDLE:-$root/runtime/brrkit/sample}"
for bundle in "$bundles"/*/; do
    [ -d "$bundle" ] || continue
    add "$(basename "$bundle")" "${bundle%/}"
done
