#!/bin/sh
# Builds the container and its Spark worker, and tests them under the strictest conditions: a
# read-only root, a user without a home, no network, no compiler.
#
#   sh tests/container.sh
#
# Docker builds and runs them. Without Docker, and as root, buildah does so. This is slower, uses
# Debian 12 from debootstrap instead of Docker Hub's Python, and a change of root instead of a
# container.
set -eu

work=$(mktemp -d)
temporary=noexec
tag=brrkit:tried
mkdir "$work/shared"
chmod 777 "$work/shared"
if docker info >/dev/null 2>&1; then
    trap 'within "$tag" sh -c "rm -rf /work/*"; rm -rf "$work"' EXIT # the files belong to another user
    echo "The container, by Docker:"
    docker build --quiet --tag "$tag" .
    docker build --quiet --tag "$tag-spark" --build-arg IMAGE="$tag" - <examples/spark.Dockerfile

    # within IMAGE COMMAND...: runs a command in a container of the image.
    within() {
        image=$1 command=$2
        shift 2
        docker run --rm --interactive --read-only --tmpfs "/tmp:$temporary" --network none --hostname localhost \
            --volume "$work/shared:/work" --entrypoint "$command" "$image" "$@"
    }
elif [ "$(id -u)" = 0 ] && command -v buildah >/dev/null && command -v debootstrap >/dev/null; then
    build="buildah --storage-driver vfs --root $work/store --runroot $work/run"
    trap 'rm -rf "$work"' EXIT
    echo "The container, by buildah, from Debian 12:"
    mkdir "$work/base" "$work/none"
    debootstrap --variant=minbase --include=python3,python3-venv bookworm "$work/root" >/dev/null
    echo "127.0.0.1 localhost" >"$work/root/etc/hosts"
    tar -C "$work/root" --exclude=./dev --exclude=./proc --exclude=./sys -cf "$work/base/root.tar" .
    printf 'FROM scratch\nADD root.tar /\n' >"$work/base/Dockerfile"
    # A certificate that pip trusts here is also trusted there.
    printf '[global]\n%s\n' "${PIP_CERT:+cert = /tmp/cert}" >"$work/pip.conf"
    bud="$build bud --quiet --isolation chroot --volume $work/pip.conf:/etc/pip.conf:ro"
    bud="$bud --volume ${PIP_CERT:-/dev/null}:/tmp/cert:ro"
    $bud --tag base "$work/base"
    rm -rf "$work/base" "$work/root"
    $bud --tag "$tag" --build-arg BASE=localhost/base .
    $bud --tag "$tag-spark" --build-arg "IMAGE=localhost/$tag" --file examples/spark.Dockerfile "$work/none"

    within() {
        image=$1
        shift
        root=$($build mount "$($build from "localhost/$image")")
        mkdir -p "$root/work"
        # shellcheck disable=SC2016 # the inner shell's
        unshare --mount --net --ipc --uts --pid --fork sh -ec '
            root=$1 shared=$2 temporary=$3
            shift 3
            mount --bind "$root" "$root"
            mount --options remount,bind,ro "$root"
            mount --types tmpfs --options "$temporary" tmpfs "$root/tmp"
            mount --types tmpfs tmpfs "$root/dev"
            mount --types proc proc "$root/proc"
            for device in null zero full random urandom; do
                touch "$root/dev/$device"
                mount --bind "/dev/$device" "$root/dev/$device"
            done
            ln -s /proc/self/fd "$root/dev/fd"
            mkdir "$root/dev/shm"
            mount --types tmpfs tmpfs "$root/dev/shm"
            mount --bind "$shared" "$root/work"
            ip link set lo up
            hostname localhost
            exec env --ignore-environment MPLCONFIGDIR=/tmp PYTHONDONTWRITEBYTECODE=1 \
                PYSPARK_PYTHON=/opt/brrkit/bin/python3 PATH=/opt/brrkit/bin:/usr/sbin:/usr/bin:/sbin:/bin \
                chroot --userspec=10001:10001 "$root" sh -c "cd /work && exec \"\$@\"" sh "$@"
        ' sh "$root" "$work/shared" "$temporary" "$@"
    }
else
    rm -rf "$work"
    echo "*** SKIPPED: the container: neither Docker is there, nor buildah and debootstrap for root"
    exit 0
fi

within "$tag" sh -ec '
    [ "$(id -u)" = 10001 ]
    [ ! -d "${HOME:-/nonexistent}" ] || [ ! -w "$HOME" ]
    if touch /written 2>/dev/null; then exit 1; fi
    for tool in cc gcc c++ g++ clang ld as; do
        if command -v "$tool"; then exit 1; fi
    done
'
echo "no root user, no home, no compiler; the root is not written"
within "$tag" brr build --effort low --vocabulary-size 2000 --output bundle >/dev/null 2>&1
within "$tag" brr calibrate bundle --attack-success 0.2 --write >/dev/null 2>&1
within "$tag" brr verify bundle >"$work/said"
tail -1 "$work/said"
echo "book me a flight to boston" | within "$tag" brr privatize bundle
within "$tag" brr report bundle --no-audit --output report.html >/dev/null 2>&1
[ -s "$work/shared/report.html" ]
cat >"$work/shared/spark.py" <<'PYTHON'
import os
from pyspark.sql import SparkSession
from brrkit import WordBundle
from brrkit_toolchain import CorpusPlan, privatize_frame

spark = (
    SparkSession.builder.master("spark://localhost:7077")
    .config("spark.ui.enabled", "false")
    .config("spark.scheduler.minRegisteredResourcesRatio", "1")
    .config("spark.cores.max", "2")
    .config("spark.executor.memory", "512m")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")
rows = [("book me a flight to boston on monday",)] * 200
frame = spark.createDataFrame(rows, ["text"]).repartition(4)
private = privatize_frame(WordBundle.open("bundle"), frame, "private", CorpusPlan(["text"]))
released = [row.text for row in private.collect()]
assert len(released) == 200 and not set(released) & {text for (text,) in rows}
assert all(len(text.split()) == 8 for text in released)
executors = spark.sparkContext._jsc.sc().statusTracker().getExecutorInfos()
print(f"{len(released)} rows by {len(executors) - 1} executors as user {os.getuid()}")
PYTHON
temporary=exec # Java unpacks libraries there, and loads them
within "$tag-spark" sh -c '
    of=org.apache.spark.deploy
    spark-class $of.master.Master --host localhost --port 7077 &
    for worker in one two; do
        spark-class $of.worker.Worker --work-dir /tmp/$worker --cores 1 --memory 1g --host localhost \
            spark://localhost:7077 &
    done
    python3 spark.py
    ended=$?
    kill %1 %2 %3
    exit $ended
' 2>"$work/said" || {
    cat "$work/said" >&2
    exit 1
}
