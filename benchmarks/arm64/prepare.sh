#!/bin/sh
# Gets an ARM with 64 bits, emulated, that counts the instructions of a program, and programs for it.
#
#   sh benchmarks/arm64/prepare.sh FOLDER [kotlin] [swift] [typescript]
#
# FOLDER gets count.so, the plugin of QEMU that counts; kernel, the C of the Swift package alone; and with swift, speed.
# With kotlin and typescript, a JVM and Node come. The rest is in $BRR_ARM (artifacts/arm; up to 4 GB).
set -eu

work=$1
shift
if [ "$(uname -sm)" != "Linux x86_64" ]; then
    echo "this machine isn't Linux on x86-64, where Debian's cross compilers run" >&2
    exit 1
fi
. tests/arm/machines.sh
if ! why=$(has_debian); then
    echo "$why" >&2
    exit 1
fi

kept qemu-user programs bookworm amd64 install qemu-user # the static one takes no plugins
cc -O2 -Wall -Wextra -Werror -shared -fPIC benchmarks/arm64/count.c -o "$work/count.so"
c_for aarch64-linux-gnu -I ios_demo/Brrkit/C/include -I tests/arm benchmarks/arm64/kernel.c \
    ios_demo/Brrkit/C/distances.c -o "$work/kernel"
for language in "$@"; do
    case $language in
    kotlin) kept arm64-jvm programs bookworm arm64 install openjdk-17-jre-headless ;;
    typescript)
        kept arm64-lib programs bookworm arm64 install libstdc++6
        kept node-arm64 node arm64 24.22.0
        ;;
    swift)
        swift_for_arm64 --scratch-path .build/arm64 --product speed >&2
        cp .build/arm64/aarch64-unknown-linux-gnu/release/speed "$work/speed"
        ;;
    esac
done
