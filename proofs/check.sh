#!/bin/sh
# Checks all proofs, prints what they assume, and builds proofs/build/brr-proof-checker. It fails if a
# theorem assumes more than the axioms below, which the standard library's real numbers have, and installs
# nothing. Coq 8.16 has checked them.
#
#   sh proofs/check.sh             all, in a minute or two
#   sh proofs/check.sh --if-there  the same, but without Coq it says so and succeeds
set -eu
cd "$(dirname "$0")"

AXIOMS='ClassicalDedekindReals.sig_forall_dec ClassicalDedekindReals.sig_not_dec FunctionalExtensionality.functional_extensionality_dep'

for program in coqc coq_makefile ocamlopt; do
    command -v "$program" >/dev/null && continue
    missing="$program isn't installed; on Debian, 'sudo apt-get install --no-install-recommends coq' installs it"
    [ "${1:-}" = --if-there ] && echo "*** SKIPPED: the machine-checked proofs: $missing" && exit 0
    echo "$missing" >&2
    exit 1
done

mkdir -p build
coq_makefile -f _CoqProject -o Makefile.coq
"${MAKE:-make}" --no-print-directory -f Makefile.coq -j"$(getconf _NPROCESSORS_ONLN)" >build/log 2>&1 || {
    cat build/log
    exit 1
}

# What is admitted counts as an axiom.
theorems=$(sed -n 's/^Print Assumptions \(.*\)\.$/\1/p' theories/Assumptions.v)
coqc -Q theories Brrkit -o "$PWD/build/Assumptions.vo" theories/Assumptions.v >build/assumptions
grep -v '^ ' build/assumptions |
    sed -n -e 's/^Closed under the global context$/nothing/p' -e 's/^\([^ :]*\)\( :.*\)*$/\1/p' \
    >build/assumed
cat build/assumed
echo $theorems
