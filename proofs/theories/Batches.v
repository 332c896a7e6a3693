(** A draw with the base [bigram] from a draw with [unigram]. docs/explanation/proofs.md, "Draws in
    batches". *)

From Coq Require Import Lia List NArith QArith.
From Brrkit Require Import Sums Probability Hamming Weights Exponential.
Import ListNotations.
Open Scope N_scope.

Section Batches.

Context {Word History : Type}.

Variables (vocabulary : list Word) (code_of : Word -> code) (w : nat) (W : list N).
Variable mass : History -> Word -> N.
Variables (start h : History) (gain : Word -> N).

(** After h, some words have a larger measure than at a text's start: [Exponential.measure]. *)
Hypothesis gains : forall y, mass h y = mass start y + gain y.

Variable c : code.

Let N_start : N := normalizer vocabulary code_of w W mass start c.
Let N_h : N := normalizer vocabulary code_of w W mass h c.

Lemma normalizer_gain :
  N_h = N_start + sum (fun y => gain y * weight W (distance w c (code_of y))) vocabulary.
Proof.
  unfold N_h, N_start, normalizer, score. induction vocabulary as [|y l IH]; simpl; [reflexivity|].
  rewrite IH, gains. lia.
Qed.

(** A uniform integer below N_h replaces the first draw by y with the probability g(y)*W/N_h, and
    leaves it with N/N_h; together this is the probability after h. *)
Theorem replaced_draw y : 0 < N_start ->
  (ratio (gain y * weight W (distance w c (code_of y))) N_h +
   ratio N_start N_h * probability vocabulary code_of w W mass start c y ==
   probability vocabulary code_of w W mass h c y)%Q.
Proof.
  intros Hpos. assert (HN : 0 < N_h) by (rewrite normalizer_gain; lia).
  pose proof (inject_positive _ Hpos). pose proof (inject_positive _ HN).
  unfold probability. fold N_start N_h. unfold score. rewrite gains.
  set (W_y := weight W (distance w c (code_of y))). unfold ratio.
  rewrite N.mul_add_distr_r, N2Z.inj_add, inject_Z_plus, !inject_mul.
  field. split; intros E; rewrite E in *; now apply Qlt_irrefl in H || now apply Qlt_irrefl in H0.
Qed.

End Batches.
