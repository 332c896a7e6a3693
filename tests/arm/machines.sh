# Functions that get programs of other processors. A script reads this in the repository's root, and has a folder $work
# of its own. Everything is Debian's, PyPI's and npm's, in $BRR_ARM (artifacts/arm), kept from then on; nothing is
# installed.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
cache=${BRR_ARM:-$PWD/artifacts/arm}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
this=$(dpkg --print-architecture 2>/dev/null || true)

# has_packages: fails, and says why, where Debian's packages can't be had.
has_packages() {
    if ! command -v apt-get >/dev/null || ! [ -e "$keyring" ]; then
        echo "apt-get and debian-archive-keyring aren't installed"
        return 1
    fi
}

# unpacked NAME ARCHITECTURE PACKAGES...: unpacks packages of $suite, with all that they need, in $cache/NAME.
suite=bookworm
unpacked() {
    name=$1 architecture=$2
    shift 2
    [ -e "$cache/$name/.complete" ] && return
    state=$cache/apt-$suite-$architecture
    mkdir -p "$state/lists/partial" "$state/archives/partial" "$cache/$name"
    rm -f "$state"/archives/*.deb
    : >"$state/status"
    echo "deb [signed-by=$keyring] http://deb.debian.org/debian $suite main" >"$state/sources.list"
    for command in update "install --download-only --no-install-recommends --yes $*"; do
        # shellcheck disable=SC2086 # words
        apt-get -qq -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=/nonexistent \
            -o APT::Architecture="$architecture" -o APT::Architectures::="$architecture" \
            -o Dir::State="$state" -o Dir::State::lists="$state/lists" -o Dir::State::status="$state/status" \
            -o Dir::Cache="$state" -o Dir::Cache::archives="$state/archives" -o Debug::NoLocking=1 \
            -o APT::Sandbox::User=root -o Acquire::Languages=none $command
    done
    for package in "$state"/archives/*.deb; do dpkg -x "$package" "$cache/$name"; done
    touch "$cache/$name/.complete"
}

# node_of PROCESSOR VERSION: unpacks npm's build of Node for a processor.
node_of() {
    [ -e "$cache/node-$1/.complete" ] && return
    archive=$(web_demo/node.sh npm pack --silent --pack-destination "$work" "node-linux-$1@$2")
    mkdir -p "$cache/node-$1"
    tar -x -z -f "$work/$archive" -C "$cache/node-$1" --strip-components=1
    touch "$cache/node-$1/.complete"
}

# c_for TARGET OPTIONS...: compiles C for a processor, from one with x86-64; the program needs no library.
c_for() {
    target=$1
    shift
    unpacked cross amd64 gcc-aarch64-linux-gnu gcc-arm-linux-gnueabihf gcc-s390x-linux-gnu \
        libc6-dev-arm64-cross libc6-dev-armhf-cross libc6-dev-s390x-cross
    LD_LIBRARY_PATH="$cache/cross/usr/lib/x86_64-linux-gnu" PATH="$cache/cross/usr/bin:$PATH" \
        "$cache/cross/usr/bin/$target-gcc" -O3 -w -static --sysroot="$cache/cross" "$@"
}

# has_swift: fails, and says why, where Swift can't be compiled for ARM.
has_swift() {
    if command -v swift >/dev/null || ! [ -L "${BRRKIT_SWIFT:-/var/lib/brrkit-swift}/usr/bin/swift" ]; then
        echo "it needs the Swift that 'ios_demo/swift.sh --install' installs on Debian"
        return 1
    fi
}

# swift_for_arm64 OPTIONS...: compiles with Debian 13's Swift, against that system's libraries for ARM: 2 GB more.
swift_for_arm64() {
    (suite=trixie && unpacked arm64-swift arm64 swiftlang libc6-dev libstdc++-14-dev)
    root=$cache/arm64-swift
    swift_libraries=$root/usr/libexec/swift/lib/swift
    [ -e "$root/lib" ] || ln -s usr/lib "$root/lib"
    cp "$swift_libraries/linux/aarch64/glibc.modulemap" "$swift_libraries/linux/aarch64/SwiftGlibc.h" \
        "$root/usr/include"
    cat >"$work/arm64.json" <<END
{"version": 1, "sdk": "$root", "toolchain-bin-dir": "/usr/libexec/swift/bin",
 "target": "aarch64-unknown-linux-gnu", "dynamic-library-extension": "so",
 "extra-cc-flags": ["-fPIC"], "extra-cpp-flags": [], "extra-swiftc-flags": [
  "-resource-dir", "$swift_libraries", "-Xcc", "-fmodule-map-file=$root/usr/include/glibc.modulemap",
  "-use-ld=lld", "-L", "$swift_libraries/linux", "-tools-directory", "/usr/libexec/swift/bin",
  "-Xclang-linker", "--sysroot=$root",
  "-Xclang-linker", "-resource-dir=$root/usr/libexec/swift/lib/clang/17"]}
END
    ios_demo/swift.sh build -q "$@" --destination "$work/arm64.json" -c release --disable-index-store \
        -Xswiftc -gnone
}
