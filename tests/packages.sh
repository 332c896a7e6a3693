# Functions that download packages, and unpack and keep them in $cache, without installing them; and
# that record cases on this machine for another one. A script sources this file in the repository's
# root, and has its own folder $work:
#
#   cache=FOLDER
#   . tests/packages.sh
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)

# kept NAME COMMAND...: runs a command that fills the folder $cache/NAME, named $into, unless the
# folder is already filled.
kept() {
    into=$cache/$1
    [ -e "$into/.complete" ] && return
    shift
    mkdir -p "$into"
    "$@"
    touch "$into/.complete"
}

# wheels OPTIONS...: unpacks packages from PyPI.
wheels() {
    [ -e "$cache/venv/bin/pip" ] || "$BIN/python" -m venv "$cache/venv"
    "$cache/venv/bin/pip" install --quiet --no-compile --target "$into" --only-binary=:all: "$@"
}

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# has_debian: fails with a message if Debian's packages aren't available.
has_debian() {
    if ! command -v apt-get >/dev/null || ! [ -e "$keyring" ]; then
        echo "apt-get and debian-archive-keyring aren't installed"
        return 1
    fi
}

# debian KIND SUITE ARCHITECTURE COMMAND PACKAGES...: downloads programs (deb) or sources (deb-src)
# of a Debian suite to $downloads with apt-get: alone (download, source), or with all their
# dependencies (install).
debian() {
    downloads=$cache/$1-$2-$3 architecture=$3
    mkdir -p "$downloads/lists/partial" "$downloads/partial"
    rm -f "$downloads"/*.deb
    : >"$downloads/status"
    echo "$1 [signed-by=$keyring] http://deb.debian.org/debian $2 main" >"$downloads/sources.list"
    shift 3
    for command in update "$*"; do
        # shellcheck disable=SC2086 # words
        (cd "$downloads" && apt-get -qq -o Dir::Etc::sourcelist="$downloads/sources.list" \
            -o Dir::Etc::sourceparts=/nonexistent -o Dir::State="$downloads" -o Dir::State::lists="$downloads/lists" \
            -o Dir::State::status="$downloads/status" -o Dir::Cache="$downloads" \
            -o Dir::Cache::archives="$downloads" -o APT::Architecture="$architecture" \
            -o APT::Architectures::="$architecture" -o APT::Get::Download-Only=true -o APT::Get::Assume-Yes=true \
            -o APT::Install-Recommends=false -o APT::Sandbox::User=root -o Acquire::Languages=none \
            -o Debug::NoLocking=1 $command)
    done
}

# programs SUITE ARCHITECTURE COMMAND PACKAGES...: unpacks Debian's programs.
programs() {
    debian deb "$@"
    for package in "$downloads"/*.deb; do dpkg -x "$package" "$into"; done
}

# Runs cases on this machine, and opens bundles, most of which it refuses: tests/arm/replay.py
# compares.
record() {
    cp -R "$BRR_TEST_BUNDLES" "$work/bundles"
    cp -R spec/conformance/policy "$work/bundles/policy"
    "$BIN/python" tests/phones/hostile.py "$work/bundles" "$work/hostile" >/dev/null
    "$BIN/python" tests/phones/exchange.py write "$work/bundles" "$work/exchange" 200
}
