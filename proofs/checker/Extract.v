(** The checker as OCaml code, in checker.ml of the current folder. Numbers stay Coq's binary ones:
    nothing that isn't proven computes with them. *)

From Coq Require Import ExtrOcamlBasic Extraction NArith.
From Brrkit Require Import Checker.

Extraction Language OCaml.
Extraction "checker.ml" exponential_failed flip_failed counts_failed passing_failed N.add N.mul.
