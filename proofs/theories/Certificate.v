(** The exact loss on one vocabulary. docs/explanation/proofs.md, "The certified epsilon". *)

From Coq Require Import Arith Lia List NArith QArith.
From Brrkit Require Import Sums Probability Hamming Weights Exponential.
Import ListNotations.
Open Scope N_scope.

Section Certificate.

Context {Word : Type}.

Variables (vocabulary : list Word) (code_of : Word -> code) (w : nat) (W : list N) (n t : nat).
Variable mass : Word -> N. (** [uniform] or [unigram]: no history *)

Let mass_always (_ : unit) (y : Word) : N := mass y.
Let d (x x' : Word) : nat := distance w (code_of x) (code_of x').
Let total (x : Word) : N := normalizer vocabulary code_of w W mass_always tt (code_of x).
Let chance (x y : Word) : Q := probability vocabulary code_of w W mass_always tt (code_of x) y.

(** For no pair of words of the vocabulary does the loss exceed (r/s)^k at its distance k > 0:
    W[i]/W[i+k] * N(x)/N(x') <= (r/s)^k for every i. In
    brrkit_toolchain/channel/privacy_loss/certificates.py, [loss_per_bit] finds the smallest r/s. A
    certificate is its logarithm. *)
Definition certified (r s : N) : Prop := forall x x' i,
  In x vocabulary -> In x' vocabulary -> (0 < d x x')%nat -> (i + d x x' <= last_index W)%nat ->
  let k := N.of_nat (d x x') in
  weight W i * total x * s ^ k <= weight W (i + d x x') * total x' * r ^ k.

Variables r s : N.
Hypothesis codes_fit : fits vocabulary code_of w W n t.
Hypothesis masses_positive : forall y, In y vocabulary -> 0 < mass y.
Hypothesis W_positive : positive W.
Hypothesis falls : decreasing W.
Hypothesis certificate : certified r s.
Hypothesis s_positive : 0 < s.

Lemma certified_distance x y : In x vocabulary -> In y vocabulary -> (d x y <= last_index W)%nat.
Proof. intros Hx Hy. apply (distance_in_table _ _ _ _ n t codes_fit); auto. now apply codes_fit. Qed.

Lemma total_positive x : In x vocabulary -> 0 < total x.
Proof.
  intros Hx. apply (normalizer_positive _ _ _ _ _ n t codes_fit); auto.
  - now apply codes_fit.
  - intros E. now rewrite E in Hx.
Qed.

(** "Then M is epsilon*-private on V": (r/s)^k is e^(epsilon* k). *)
Theorem certified_private x x' : In x vocabulary -> In x' vocabulary ->
  bounded (powers r s (d x x')) vocabulary (chance x) (chance x').
Proof.
  intros Hx Hx' y Hy. unfold chance, probability. fold (total x) (total x').
  apply ratio_bound; auto using total_positive.
  { apply N.neq_0_lt_0, N.pow_nonzero. lia. }
  unfold score, mass_always. fold (d x y) (d x' y).
  set (k := d x x'). set (i := d x y). set (j := d x' y).
  assert (Hij : (i <= k + j)%nat) by apply distance_triangle.
  assert (Hji : (j <= k + i)%nat).
  { unfold k, d. rewrite (distance_symmetric w (code_of x)). apply distance_triangle. }
  assert (Hi : (i <= last_index W)%nat) by now apply certified_distance.
  assert (Hj : (j <= last_index W)%nat) by now apply certified_distance.
  assert (HkL : (k <= last_index W)%nat) by now apply certified_distance.
  destruct (Nat.eq_0_gt_0_cases k) as [Hk|Hk].
  - (* the same distances from both: the same distribution *)
    assert (Hsame : total x = total x').
    { unfold total, normalizer. apply sum_ext. intros v _. unfold score. f_equal. f_equal.
      pose proof (distance_triangle w (code_of x) (code_of x') (code_of v)).
      pose proof (distance_triangle w (code_of x') (code_of x) (code_of v)) as H'.
      rewrite (distance_symmetric w (code_of x') (code_of x)) in H'. unfold k, d in Hk. lia. }
    rewrite Hk, Hsame. replace j with i by lia. cbn [N.of_nat]. rewrite !N.pow_0_r. lia.
  - set (m := Nat.min i (last_index W - k)).
    pose proof (certificate x' x m Hx' Hx) as H.
    assert (Esym : d x' x = k) by apply distance_symmetric. rewrite Esym in H.
    specialize (H Hk ltac:(lia)). cbv zeta in H.
    assert (H1 : weight W i <= weight W m) by (apply decreasing_le; auto; lia).
    assert (H2 : weight W (m + k) <= weight W j) by (apply decreasing_le; auto; lia).
    set (K := N.of_nat k) in *.
    transitivity (mass y * (weight W m * total x' * s ^ K)).
    { rewrite <- !N.mul_assoc. apply N.mul_le_mono_l. now apply N.mul_le_mono_r. }
    transitivity (mass y * (weight W (m + k) * total x * r ^ K)).
    { now apply N.mul_le_mono_l. }
    transitivity (mass y * (weight W j * total x * r ^ K)).
    { rewrite <- !N.mul_assoc. apply N.mul_le_mono_l. now apply N.mul_le_mono_r. }
    lia.
Qed.

End Certificate.
