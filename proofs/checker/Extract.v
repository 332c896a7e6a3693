(** The checker as OCaml code, in checker.ml of the current folder. Numbers stay Coq's binary ones.
    The only unproven computation is that of a certificate's pairs, in distances.c. *)

From Coq Require Import ExtrOcamlBasic Extraction NArith.
From Brrkit Require Import Hamming Checker Certified.

Extraction Language OCaml.
Extraction "checker.ml" exponential_failed flip_failed counts_failed passing_failed
  certificate_holds histogram_of lowest_of distance N.add N.mul.
