# Functions that download programs for other processors. A script sources this file in the
# repository's root, and has its own folder $work. All programs come from Debian, PyPI and npm, and
# are kept in $BRR_ARM (artifacts/arm); nothing is installed.

cache=${BRR_ARM:-$PWD/artifacts/arm}
. tests/packages.sh
this=$(dpkg --print-architecture 2>/dev/null || true)

# node PROCESSOR VERSION: unpacks npm's build of Node for a processor.
node() {
    archive=$(web_demo/node.sh npm pack --silent --pack-destination "$work" "node-linux-$1@$2")
    tar -x -z -f "$work/$archive" -C "$into" --strip-components=1
}

# c_for TARGET OPTIONS...: compiles C for a processor, on x86-64. The program needs no library.
c_for() {
    target=$1
    shift
    kept cross programs bookworm amd64 install gcc-aarch64-linux-gnu gcc-arm-linux-gnueabihf gcc-s390x-linux-gnu \
        libc6-dev-arm64-cross libc6-dev-armhf-cross libc6-dev-s390x-cross
    LD_LIBRARY_PATH="$cache/cross/usr/lib/x86_64-linux-gnu" PATH="$cache/cross/usr/bin:$PATH" \
        "$cache/cross/usr/bin/$target-gcc" -O3 -w -static --sysroot="$cache/cross" "$@"
}

# has_swift: fails with a message if Swift can't be compiled for ARM.
has_swift() {
    if command -v swift >/dev/null || ! [ -L "${BRRKIT_SWIFT:-/var/lib/brrkit-swift}/usr/bin/swift" ]; then
        echo "it needs the Swift that 'ios_demo/swift.sh --install' installs on Debian"
        return 1
    fi
}

# swift_for_arm64 OPTIONS...: compiles with Debian 13's Swift, against its libraries for ARM: 2 GB
# more.
swift_for_arm64() {
    kept arm64-swift programs trixie arm64 install swiftlang libc6-dev libstdc++-14-dev
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
