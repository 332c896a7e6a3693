(** The mechanism [exponential]: a word y comes out in [score] y of [normalizer] cases.
    docs/explanation/proofs.md, "exponential". First in integers, then as probabilities. *)

From Coq Require Import Arith Lia List NArith QArith Qminmax.
From Brrkit Require Import Sums Probability Hamming Weights.
Import ListNotations.
Open Scope N_scope.

Section Exponential.

Context {Word History : Type}.

Variable vocabulary : list Word.
Variable code_of : Word -> code.
Variable w : nat. (** the task weight *)
Variable W : list N. (** the table of weights *)

(** The base measure after a history: [Exponential.measure] in brrkit/mechanisms/exponential.py. A
    history is the previously released word, or the text's start; here it may be anything. It has no
    access to typed text: that is the page's assumption about the base measure. *)
Variable mass : History -> Word -> N.

(** m_h(y)*W[d(c,y)], for an input with the code c: [Exponential.distribution]. *)
Definition score (h : History) (c : code) (y : Word) : N :=
  mass h y * weight W (distance w c (code_of y)).

(** N_h(c) *)
Definition normalizer (h : History) (c : code) : N := sum (score h c) vocabulary.

(** The vocabulary's codes have n bits and t task bits, and W[L] is for the largest distance. *)
Definition fits (n t : nat) : Prop :=
  last_index W = (n + w * t)%nat /\ forall y, In y vocabulary -> has_size n t (code_of y).

Variables n t : nat.
Hypothesis vocabulary_fits : fits n t.

Lemma distance_in_table c y :
  has_size n t c -> In y vocabulary -> (distance w c (code_of y) <= last_index W)%nat.
Proof.
  destruct vocabulary_fits as [-> H]. intros Hc Hy. now apply distance_bound; auto.
Qed.

Section TwoInputs.

(** Any bound p/q on the ratios of all weights for two inputs bounds the scores and the normalizers.
    Its square therefore bounds the probabilities. *)
Variables (c c' : code) (p q : N).
Hypothesis ratio : forall y, In y vocabulary ->
  weight W (distance w c (code_of y)) * q <= weight W (distance w c' (code_of y)) * p.
Hypothesis ratio' : forall y, In y vocabulary ->
  weight W (distance w c' (code_of y)) * q <= weight W (distance w c (code_of y)) * p.

Lemma score_ratio h y : In y vocabulary -> score h c y * q <= score h c' y * p.
Proof.
  intros Hy. unfold score. rewrite <- !N.mul_assoc. apply N.mul_le_mono_l; auto.
Qed.

Lemma normalizer_ratio h : normalizer h c' * q <= normalizer h c * p.
Proof.
  unfold normalizer. rewrite !sum_mul_r. apply sum_le. intros y Hy.
  unfold score. rewrite <- !N.mul_assoc. apply N.mul_le_mono_l; auto.
Qed.

Lemma private_of_ratio h y : In y vocabulary ->
  score h c y * normalizer h c' * (q * q) <= p * p * (score h c' y * normalizer h c).
Proof.
  intros Hy. pose proof (N.mul_le_mono _ _ _ _ (score_ratio h y Hy) (normalizer_ratio h)). lia.
Qed.

End TwoInputs.

(** "M_h is (epsilon d)-private on all codes, for every h": a/b is the bound of a step, at most
    e^(epsilon/2), so the factor is at most e^(epsilon d). *)
Theorem exponential_private (a b : N) h c c' y :
  decreasing W -> steps_hold W a b -> b <= a ->
  has_size n t c -> has_size n t c' -> In y vocabulary ->
  let k := N.of_nat (distance w c c') in
  score h c y * normalizer h c' * b ^ (2 * k) <= a ^ (2 * k) * (score h c' y * normalizer h c).
Proof.
  intros falls steps one Hc Hc' Hy k.
  replace (2 * k) with (k + k) by lia. rewrite !N.pow_add_r.
  apply private_of_ratio; auto; intros v Hv.
  - apply weight_ratio; auto using distance_in_table.
    rewrite (distance_symmetric w c c').
    rewrite Nat.add_comm. apply distance_triangle.
  - apply weight_ratio; auto using distance_in_table.
    rewrite Nat.add_comm. apply distance_triangle.
Qed.

(** "The loss between any two codes is at most cap": local differential privacy; a/b is at most
    e^(cap/2). *)
Theorem exponential_private_cap (a b : N) h c c' y :
  decreasing W -> cap_holds W a b ->
  has_size n t c -> has_size n t c' -> In y vocabulary ->
  score h c y * normalizer h c' * b ^ 2 <= a ^ 2 * (score h c' y * normalizer h c).
Proof.
  intros falls cap Hc Hc' Hy. rewrite !N.pow_2_r.
  apply private_of_ratio; auto; intros v Hv; apply weight_ratio_cap; auto using distance_in_table.
Qed.

(** N_h(c) is not 0, so the probabilities are defined. *)
Theorem normalizer_positive h c :
  positive W -> has_size n t c -> vocabulary <> [] -> (forall y, In y vocabulary -> 0 < mass h y) ->
  0 < normalizer h c.
Proof.
  intros [_ Hpos] Hc Hv Hm. destruct vocabulary as [|y words] eqn:E; [easy|].
  assert (Hy : In y vocabulary) by (rewrite E; now left). rewrite <- E in Hm.
  unfold normalizer. rewrite E. apply (sum_positive _ _ y); [now left|].
  unfold score. apply N.mul_pos_pos; [auto|]. apply Hpos, distance_in_table; auto.
Qed.

(** N_h(c) fits into a signed 64-bit integer: W[0] is (2^63 - 1) // total, where [total] is the
    upper bound on the base measure's sum. *)
Theorem normalizer_fits total h c :
  decreasing W -> weight W 0 = (2 ^ 63 - 1) / total -> sum (mass h) vocabulary <= total ->
  has_size n t c -> normalizer h c < 2 ^ 63.
Proof.
  intros falls Hfirst Hsum Hc.
  assert (H : normalizer h c <= total * ((2 ^ 63 - 1) / total)).
  { transitivity (sum (mass h) vocabulary * weight W 0).
    - unfold normalizer. rewrite sum_mul_r. apply sum_le. intros y Hy. apply N.mul_le_mono_l.
      apply decreasing_le; auto. split; [lia|]. apply distance_in_table; auto.
    - rewrite Hfirst. now apply N.mul_le_mono_r. }
  destruct (N.eq_0_gt_0_cases total) as [->|Ht]; [simpl in *; lia|].
  pose proof (N.mul_div_le (2 ^ 63 - 1) total ltac:(lia)). lia.
Qed.

(** ** Probabilities *)

(** Pr[M_h(c)=y]: [Exponential.distribution]. *)
Definition probability (h : History) (c : code) (y : Word) : Q :=
  ratio (score h c y) (normalizer h c).

(** No mass is 0: [Masses.damage] in brrkit/masses.py. *)
Hypothesis masses_positive : forall h y, In y vocabulary -> 0 < mass h y.
Hypothesis some_word : vocabulary <> [].

Theorem exponential_distribution h c :
  positive W -> has_size n t c -> distribution vocabulary (probability h c).
Proof.
  intros Hpos Hc. split.
  - intros y _. apply ratio_nonneg.
  - unfold probability. rewrite Qsum_ratio; [apply ratio_self|]; apply normalizer_positive; auto.
Qed.

Lemma probability_bounded (p q : N) c c' :
  positive W -> has_size n t c -> has_size n t c' -> 0 < q ->
  (forall h y, In y vocabulary ->
    score h c y * normalizer h c' * q <= p * (score h c' y * normalizer h c)) ->
  forall h, bounded (ratio p q) vocabulary (probability h c) (probability h c').
Proof.
  intros Hpos Hc Hc' Hq H h y Hy. apply ratio_bound; auto; apply normalizer_positive; auto.
Qed.

Section Bounds.

Variables a b : N. (** of a step *)
Hypothesis W_positive : positive W.
Hypothesis falls : decreasing W.
Hypothesis steps : steps_hold W a b.
Hypothesis at_least_one : 0 < b <= a.

(** (a/b)^(2k), at most e^(epsilon k) *)
Definition loss (k : nat) : Q := powers a b (2 * k).

Theorem exponential_bounded h c c' :
  has_size n t c -> has_size n t c' ->
  bounded (loss (distance w c c')) vocabulary (probability h c) (probability h c').
Proof.
  intros Hc Hc'. apply probability_bounded; auto; [now apply power_positive with a|].
  intros h' y Hy. rewrite Nat2N.inj_mul. apply exponential_private; auto. lia.
Qed.

Lemma loss_plus j k : (loss j * loss k == loss (j + k))%Q.
Proof.
  unfold loss. rewrite powers_plus by auto.
  now replace (2 * j + 2 * k)%nat with (2 * (j + k))%nat by lia.
Qed.

Lemma loss_monotone j k : (j <= k)%nat -> (loss j <= loss k)%Q.
Proof. intros. apply powers_monotone; auto. lia. Qed.

(** min(epsilon k, cap), as a factor *)
Definition loss_with_cap (top bottom : N) (k : nat) : Q :=
  Qmin (loss k) (powers top bottom 2).

Theorem exponential_bounded_cap top bottom h c c' :
  cap_holds W top bottom -> 0 < bottom -> has_size n t c -> has_size n t c' ->
  bounded (loss_with_cap top bottom (distance w c c')) vocabulary (probability h c) (probability h c').
Proof.
  intros cap Hb Hc Hc' y Hy. unfold loss_with_cap.
  destruct (Q.min_spec (loss (distance w c c')) (powers top bottom 2)) as [[_ ->]|[_ ->]].
  - now apply exponential_bounded.
  - revert y Hy. apply probability_bounded; auto.
    + apply N.neq_0_lt_0, N.pow_nonzero. lia.
    + intros h' y Hy. now apply exponential_private_cap.
Qed.

End Bounds.

End Exponential.
