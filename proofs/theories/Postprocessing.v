(** Functions of a mechanism's output, and mechanisms that are chosen at random.
    docs/explanation/proofs.md, "Post-processing". *)

From Coq Require Import List Lqa QArith.
From Brrkit Require Import Probability.
Import ListNotations.
Open Scope Q_scope.

(** [kernel y z] is the probability that the output y becomes z, whatever the input was. *)
Definition postprocessed {Y Z} (outputs : list Y) (kernel : Y -> Z -> Q) (p : Y -> Q) (z : Z) : Q :=
  Qsum (fun y => kernel y z * p y) outputs.

(** "If M is private, so is g(M) for every function g, randomized or not." *)
Theorem postprocessing {Y Z} (outputs : list Y) (results : list Z) kernel r p p' :
  (forall y, In y outputs -> nonnegative results (kernel y)) ->
  bounded r outputs p p' ->
  bounded r results (postprocessed outputs kernel p) (postprocessed outputs kernel p').
Proof.
  intros Hk H z Hz. unfold postprocessed. rewrite <- Qsum_scale. apply Qsum_le. intros y Hy.
  setoid_replace (r * (kernel y z * p' y)) with (kernel y z * (r * p' y)) by ring.
  rewrite !(Qmult_comm (kernel y z)). apply Qmult_le_compat_r; [now apply H|now apply Hk].
Qed.

Theorem postprocessed_distribution {Y Z} (outputs : list Y) (results : list Z) kernel p :
  (forall y, In y outputs -> distribution results (kernel y)) ->
  distribution outputs p -> distribution results (postprocessed outputs kernel p).
Proof.
  intros Hk [Hp Hsum]. split.
  - intros z Hz. apply Qsum_nonneg. intros y Hy. apply Qmult_nonneg; [|now apply Hp].
    now apply (Hk y Hy).
  - unfold postprocessed. rewrite Qsum_swap.
    rewrite (Qsum_ext _ p); auto. intros y Hy.
    rewrite (Qsum_ext _ (fun z => p y * kernel y z)) by (intros; ring).
    rewrite Qsum_scale. destruct (Hk y Hy) as [_ ->]. ring.
Qed.

(** A function is a kernel that knows the result. *)
Definition of_function {Y Z} (equal : Z -> Z -> bool) (g : Y -> Z) (y : Y) (z : Z) : Q :=
  if equal (g y) z then 1 else 0.

Lemma of_function_nonnegative {Y Z} equal (g : Y -> Z) y results :
  nonnegative results (of_function equal g y).
Proof. intros z _. unfold of_function. destruct (equal (g y) z); lra. Qed.

(** The probability of a set of outputs. *)
Definition event {Y} (outputs : list Y) (E : Y -> bool) (p : Y -> Q) : Q :=
  Qsum (fun y => if E y then p y else 0) outputs.

(** "By summation it holds for every set of outputs." *)
Theorem events {Y} (outputs : list Y) E r p p' :
  bounded r outputs p p' -> event outputs E p <= r * event outputs E p'.
Proof.
  intros H. unfold event. rewrite <- Qsum_scale. apply Qsum_le. intros y Hy.
  destruct (E y); [now apply H|lra].
Qed.

(** One of several mechanisms, chosen with probabilities that depend on no input. *)
Definition mixture {K Y} (choices : list K) (chosen : K -> Q) (p : K -> Y -> Q) (y : Y) : Q :=
  Qsum (fun k => chosen k * p k y) choices.

Theorem mixture_bounded {K Y} (choices : list K) chosen r (outputs : list Y) p p' :
  nonnegative choices chosen -> (forall k, In k choices -> bounded r outputs (p k) (p' k)) ->
  bounded r outputs (mixture choices chosen p) (mixture choices chosen p').
Proof.
  intros Hc H y Hy. unfold mixture. rewrite <- Qsum_scale. apply Qsum_le. intros k Hk.
  setoid_replace (r * (chosen k * p' k y)) with (r * p' k y * chosen k) by ring.
  rewrite Qmult_comm. apply Qmult_le_compat_r; [now apply H|now apply Hc].
Qed.

Lemma mixture_distribution {K Y} (choices : list K) chosen (outputs : list Y) p :
  distribution choices chosen -> (forall k, In k choices -> distribution outputs (p k)) ->
  distribution outputs (mixture choices chosen p).
Proof.
  intros [Hc Hsum] Hp. split.
  - intros y Hy. apply Qsum_nonneg. intros k Hk. apply Qmult_nonneg; [now apply Hc|now apply (Hp k)].
  - unfold mixture. rewrite Qsum_swap, (Qsum_ext _ chosen); [exact Hsum|].
    intros k Hk. rewrite Qsum_scale. destruct (Hp k Hk) as [_ ->]. ring.
Qed.

(** A mixture compared with one mechanism. *)
Theorem mixture_bounded_l {K Y} (choices : list K) chosen r (outputs : list Y) p p' :
  distribution choices chosen -> (forall k, In k choices -> bounded r outputs (p k) p') ->
  bounded r outputs (mixture choices chosen p) p'.
Proof.
  intros [Hc Hsum] H y Hy.
  apply Qle_trans with (mixture choices chosen (fun _ y => r * p' y) y).
  - apply Qsum_le. intros k Hk. rewrite !(Qmult_comm (chosen k)).
    apply Qmult_le_compat_r; [now apply H|now apply Hc].
  - unfold mixture. rewrite (Qsum_ext _ (fun k => (r * p' y) * chosen k)) by (intros; ring).
    rewrite Qsum_scale, Hsum. lra.
Qed.

Theorem mixture_bounded_r {K Y} (choices : list K) chosen r (outputs : list Y) p p' :
  distribution choices chosen -> (forall k, In k choices -> bounded r outputs p (p' k)) ->
  bounded r outputs p (mixture choices chosen p').
Proof.
  intros [Hc Hsum] H y Hy. unfold mixture. rewrite <- Qsum_scale.
  apply Qle_trans with (Qsum (fun k => p y * chosen k) choices).
  - rewrite Qsum_scale, Hsum. lra.
  - apply Qsum_le. intros k Hk.
    setoid_replace (r * (chosen k * p' k y)) with (r * p' k y * chosen k) by ring.
    apply Qmult_le_compat_r; [now apply H|now apply Hc].
Qed.
