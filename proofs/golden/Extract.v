(** The device of Order.v as OCaml code, in device.ml of the current folder, with the programs of a budget's
    file, noised codes and tables. Numbers stay Coq's own. *)

From Coq Require Import ExtrOcamlBasic Extraction NArith.
From Brrkit Require Import Weights Brr Uniform Counts Checker Budget Policy DeviceGuarantee Order.

Extraction Language OCaml.
Extraction "device.ml" run_on ordered_live word stand mechanism Counts.respond symbol typed_as level
  little_endian spend looked randomize weight_table floor_of_cap N.add N.sub N.mul N.pow N.ltb N.testbit.
