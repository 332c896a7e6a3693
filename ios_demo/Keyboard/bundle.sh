#!/bin/sh
# A build phase: verifies a bundle, and copies what a device needs of it into the product. A bundle that
# 'brr verify' refuses fails the build.
#
# The build settings BRR_BUNDLE (default: the repository's runtime/brrkit/sample) and BRR_COMMAND (default:
# the repository's .venv/bin/brr, else the brr of the path) say which bundle, and by which brr.
set -eu

root=$SRCROOT/../..
bundle=${BRR_BUNDLE:-$root/runtime/brrkit/sample}
command=${BRR_COMMAND:-$root/.venv/bin/brr}
[ -x "$command" ] || command=brr
if ! command -v "$command" >/dev/null; then
    echo "error: brr isn't found, so the bundle can't be verified; set BRR_COMMAND, or run 'make demo'"
    exit 1
fi
"$command" verify "$bundle" || {
    echo "error: $bundle: brr verify refuses it; rebuild the bundle"
    exit 1
}
target=$TARGET_BUILD_DIR/$UNLOCALIZED_RESOURCES_FOLDER_PATH/bundle
rm -rf "$target"
mkdir -p "$target"
cp "$bundle/manifest.json" "$bundle/index.safetensors" "$bundle/randomizer.tflite" "$target/"
