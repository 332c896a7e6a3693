#!/bin/sh
# Checks all proofs, prints the assumptions of each theorem, and builds
# proofs/build/brr-proof-checker and brr-proven-device. It installs nothing. It fails if a theorem
# assumes more than these axioms, those of the standard library's real numbers. An admitted
# statement counts as an axiom.
#
#   sh proofs/check.sh             everything, in a minute or two
#   sh proofs/check.sh --if-there  the same; without Coq, prints a message and succeeds
set -eu
cd "$(dirname "$0")"

AXIOMS='
    Coq.Logic.Classical_Prop.classic
    Coq.Logic.FunctionalExtensionality.functional_extensionality_dep
    Coq.Reals.ClassicalDedekindReals.sig_forall_dec
    Coq.Reals.ClassicalDedekindReals.sig_not_dec
'

for program in coqc coq_makefile coqchk ocamlopt; do
    command -v "$program" >/dev/null && continue
    missing="$program isn't installed; on Debian, 'sudo apt-get install --no-install-recommends coq' installs it"
    [ "${1:-}" = --if-there ] && echo "*** SKIPPED: the machine-checked proofs: $missing" && exit 0
    echo "$missing" >&2
    exit 1
done

mkdir -p build
coq_makefile -f _CoqProject -o Makefile.coq
MAKEFLAGS= make -f Makefile.coq -j"$(getconf _NPROCESSORS_ONLN)" >build/log 2>&1 || {
    cat build/log >&2
    exit 1
}

# _CoqProject leaves out this theory, because printing the assumptions takes as long as the proofs.
echo "What each theorem assumes:"
coqc -Q theories Brrkit -o "$PWD/build/Assumptions.vo" theories/Assumptions.v >build/assumptions
awk 'NR == FNR { if (/^Print Assumptions/) { sub(/\.$/, "", $3); theorem[++count] = $3 }; next }
     /^(Closed|Axioms)/ { printf "%s%s:%s", done++ ? "\n" : "", theorem[done], /^Closed/ ? " nothing" : ""; next }
     /^[^ ]/ { printf " %s", $1 }
     END { print ""; if (done != count) exit 1 }' theories/Assumptions.v build/assumptions

# An independent checker reads all compiled files again, including the standard library.
modules=$(sed -n 's|^theories/\(.*\)\.v$|Brrkit.\1|p' _CoqProject)
coqchk -silent -o -Q theories Brrkit $modules >build/context 2>&1 || {
    cat build/context >&2
    exit 1
}
echo "$AXIOMS" >build/axioms
if sed -e '/^ *$/d' -e '/CONTEXT SUMMARY/d; /^=*$/d' -e '/Set is predicative$/d; /^\* Axioms:/d; /: <none>$/d' \
    build/context | grep -vxF -f build/axioms >&2; then
    echo "this is assumed, too" >&2
    exit 1
fi

cd build
coqc -Q ../theories Brrkit -o "$PWD/Extract.vo" ../checker/Extract.v
cp ../checker/main.ml ../checker/distances.c .
# The digest of its sources: anyone with the same files gets the same digest.
version=$(sed -n 's/^version = "\(.*\)"/\1/p' ../../pyproject.toml)
sources=$(cd .. && LC_ALL=C && cat theories/*.v checker/* | sha256sum | cut -c 1-64)
echo "let made_of = \"$version, sources $sources\"" >version.ml
popcount= # one instruction counts bits
[ "$(uname -m)" != x86_64 ] || popcount=-mpopcnt
ocamlopt -ccopt "-O3 $popcount" checker.mli checker.ml version.ml main.ml distances.c -o brr-proof-checker.new
mv brr-proof-checker.new brr-proof-checker

mkdir -p golden && cd golden
coqc -Q ../../theories Brrkit -o "$PWD/Extract.vo" ../../golden/Extract.v
cp ../../golden/main.ml .
ocamlopt device.mli device.ml main.ml -o ../brr-proven-device
echo "All proofs hold; proofs/build has brr-proof-checker and brr-proven-device."
