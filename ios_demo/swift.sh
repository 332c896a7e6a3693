#!/bin/sh
# Runs swift: the machine's, or otherwise its own, in a folder with Debian 13's packages.
#
#   ios_demo/swift.sh --install      creates that folder (Debian, as root; 3 GB; kept)
#   ios_demo/swift.sh test ...       swift test ..., in the repository's root
#
# The folder is $BRRKIT_SWIFT, or /var/lib/brrkit-swift. In it, swift sees the repository and /tmp
# at their usual paths. Without swift, exits with 127 and a message.
set -eu

repository=$(cd "$(dirname "$0")/.." && pwd -P)
folder=${BRRKIT_SWIFT:-/var/lib/brrkit-swift}

install() {
    if command -v swift >/dev/null || [ -L "$folder/usr/bin/swift" ]; then
        return
    fi
    if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
        echo "swift isn't installed, and only root can install it here, on Debian" >&2
        exit 1
    fi
    apt-get update -qq
    command -v debootstrap >/dev/null || apt-get install -qq --no-install-recommends debootstrap
    # The machine's own source of Debian's packages, with its proxy settings.
    mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 'Created-By: Packages' |
        sed -n '/security/! s/^Debian //p' | head -n 1)
    rm -rf "$folder.new"
    debootstrap --variant=minbase trixie "$folder.new" "$mirror"
    apt-config dump Acquire >"$folder.new/etc/apt/apt.conf.d/90machine"
    inside "$folder.new" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq --no-install-recommends swiftlang libc6-dev libstdc++-14-dev
    rm -rf "$folder.new"/var/cache/apt/archives/*.deb
    mv "$folder.new" "$folder" # only a complete folder has this name
}

# inside FOLDER COMMAND...: in the repository's root, with mounts that end with the command.
inside() {
    root=$1
    shift
    unshare --mount --propagation private sh -eu -c '
        root=$1 repository=$2
        shift 2
        for path in /proc /dev /tmp "$repository"; do
            mkdir -p "$root$path"
            mount --rbind "$path" "$root$path"
        done
        cp /etc/resolv.conf /etc/hosts "$root/etc/"
        exec chroot "$root" env --chdir="$repository" "$@"
    ' sh "$root" "$repository" "$@"
}

if [ "${1:-}" = --install ]; then
    install
    exit
fi
# swift leaves temporary folders behind, so they are put among its build files.
export TMPDIR="$repository/.build/tmp"
mkdir -p "$TMPDIR"
if command -v swift >/dev/null; then
    cd "$repository" && exec swift "$@"
elif [ -L "$folder/usr/bin/swift" ]; then
    inside "$folder" swift "$@"
else
    echo "swift isn't installed; on Debian, 'sudo ios_demo/swift.sh --install' installs it in $folder" >&2
    exit 127
fi
