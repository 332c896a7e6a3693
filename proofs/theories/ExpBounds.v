(** A lower bound of e^x by integers: the lower one of [exp_bounds] in brrkit/exact.py.

    e^x is [exp] of the standard library's real numbers, whose axioms this file and those that import
    it use. *)

From Coq Require Import Lia Lra NArith Reals ZArith.
Open Scope R_scope.

(** ** The computation *)

(** The Taylor series from one term on, each term rounded down: [(term * reduced_low >> precision) //
    index]. More terms only come closer. *)
Fixpoint series_low (terms : nat) (one reduced term index : N) : N :=
  match terms with
  | O => term
  | S terms =>
      (term + series_low terms one reduced (term * reduced / one / index) (index + 1))%N
  end.

(** [low * low >> precision], repeated. *)
Fixpoint square_low (times : nat) (one low : N) : N :=
  match times with
  | O => low
  | S times => square_low times one (low * low / one)
  end.

(** An integer that is at most e^(numerator/denominator) times [one], a power of two. *)
Definition exp_low (one numerator denominator : N) : N :=
  let halvings := (N.size (numerator / denominator) + 8)%N in
  let reduced := (numerator * one / (denominator * 2 ^ halvings))%N in
  square_low (N.to_nat halvings) one (series_low 64 one reduced one 1).

(** ** It is a lower bound *)

Definition real (n : N) : R := IZR (Z.of_N n).

Lemma real_mul a b : real (a * b) = real a * real b.
Proof. unfold real. now rewrite N2Z.inj_mul, mult_IZR. Qed.

Lemma real_add a b : real (a + b) = real a + real b.
Proof. unfold real. now rewrite N2Z.inj_add, plus_IZR. Qed.

Lemma real_le a b : (a <= b)%N -> real a <= real b.
Proof. intros. apply IZR_le. lia. Qed.

Lemma real_nonneg a : 0 <= real a.
Proof. apply IZR_le. lia. Qed.

Lemma real_pos a : (0 < a)%N -> 0 < real a.
Proof. intros. apply IZR_lt. lia. Qed.

Lemma real_of_nat n : real (N.of_nat n) = INR n.
Proof. unfold real. now rewrite nat_N_Z, INR_IZR_INZ. Qed.

Lemma real_pow a n : real (a ^ N.of_nat n) = real a ^ n.
Proof.
  induction n as [|n IH]; [reflexivity|]. now rewrite Nat2N.inj_succ, N.pow_succ_r', real_mul, IH.
Qed.

Lemma le_div x y z : 0 < z -> x * z <= y -> x <= y / z.
Proof.
  intros Hz H. apply Rmult_le_reg_r with z; [exact Hz|]. unfold Rdiv.
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. exact H.
Qed.

Lemma real_div a b : (0 < b)%N -> real (a / b) <= real a / real b.
Proof.
  intros Hb. apply le_div; [now apply real_pos|]. rewrite <- real_mul. apply real_le.
  rewrite N.mul_comm. apply N.mul_div_le. lia.
Qed.

Definition taylor_term (y : R) (i : nat) : R := / INR (fact i) * y ^ i.

Lemma taylor_term_nonneg y i : 0 <= y -> 0 <= taylor_term y i.
Proof.
  intros Hy. apply Rmult_le_pos; [|now apply pow_le].
  left. apply Rinv_0_lt_compat, INR_fact_lt_0.
Qed.

Lemma taylor_term_succ y i : taylor_term y (S i) = taylor_term y i * y / INR (S i).
Proof.
  unfold taylor_term. rewrite fact_simpl, mult_INR. cbn [pow]. field.
  repeat split; first [apply INR_fact_neq_0 | now apply not_0_INR].
Qed.

(** No partial sum is above e^y. *)
Lemma taylor_below_exp y n : 0 <= y -> sum_f_R0 (taylor_term y) n <= exp y.
Proof.
  intros Hy. apply sum_incr.
  - unfold exp, taylor_term. destruct (exist_exp y) as [l Hl]. exact Hl.
  - intros. now apply taylor_term_nonneg.
Qed.

Section Bound.

Variable one : N.
Hypothesis one_positive : (0 < one)%N.

Lemma series_low_spec y reduced terms term i :
  0 <= y -> real reduced / real one <= y -> real term / real one <= taylor_term y i ->
  real (series_low terms one reduced term (N.of_nat (S i))) / real one <=
  sum_f_R0 (fun j => taylor_term y (i + j)) terms.
Proof.
  intros Hy Hr. pose proof (real_pos one one_positive) as P1.
  revert term i. induction terms as [|terms IH]; intros term i Ht.
  - cbn [series_low sum_f_R0]. now rewrite Nat.add_0_r.
  - cbn [series_low]. rewrite decomp_sum by lia. cbn [pred]. rewrite Nat.add_0_r, real_add.
    rewrite Rdiv_plus_distr. apply Rplus_le_compat; [exact Ht|].
    replace (N.of_nat (S i) + 1)%N with (N.of_nat (S (S i))) by lia.
    rewrite (sum_eq _ (fun j => taylor_term y (S i + j)))
      by (intros; f_equal; lia).
    apply IH. rewrite taylor_term_succ.
    set (next := (term * reduced / one / N.of_nat (S i))%N).
    assert (0 < INR (S i)) as Pi by (apply lt_0_INR; lia).
    assert (real next <= real term * real reduced / real one / INR (S i)) as Hn.
    { unfold next. eapply Rle_trans; [apply real_div; lia|]. rewrite real_of_nat.
      apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
      rewrite <- real_mul. now apply real_div. }
    apply Rle_trans with (real term / real one * (real reduced / real one) / INR (S i)).
    + apply Rle_trans with (real term * real reduced / real one / INR (S i) / real one).
      * apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|exact Hn].
      * right. field. repeat split; lra.
    + apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
      apply Rmult_le_compat; try exact Ht; try exact Hr;
        apply Rmult_le_pos; try apply real_nonneg; left; now apply Rinv_0_lt_compat.
Qed.

Lemma square_low_spec y times low :
  real low / real one <= exp y ->
  real (square_low times one low) / real one <= exp (y * 2 ^ times).
Proof.
  pose proof (real_pos one one_positive) as P1.
  revert y low. induction times as [|times IH]; intros y low H.
  - cbn [square_low pow]. now rewrite Rmult_1_r.
  - cbn [square_low pow]. replace (y * (2 * 2 ^ times)) with ((y + y) * 2 ^ times) by ring.
    apply IH. rewrite exp_plus.
    assert (0 <= real low / real one)
      by (apply Rmult_le_pos; [apply real_nonneg|left; now apply Rinv_0_lt_compat]).
    apply Rle_trans with (real low / real one * (real low / real one)).
    + replace (real low / real one * (real low / real one))
        with (real low * real low / real one / real one) by (field; lra).
      apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
      rewrite <- real_mul. now apply real_div.
    + apply Rmult_le_compat; assumption.
Qed.

(** The rational bound of e^x that the checker uses: [exp_low] / [one] is at most e^x. *)
Theorem exp_low_spec numerator denominator :
  (0 < denominator)%N ->
  real (exp_low one numerator denominator) / real one <= exp (real numerator / real denominator).
Proof.
  intros Hd. unfold exp_low. set (h := (N.size (numerator / denominator) + 8)%N).
  pose proof (real_pos one one_positive) as P1. pose proof (real_pos denominator Hd) as Pd.
  assert (real (2 ^ h) = 2 ^ N.to_nat h) as Eh.
  { rewrite <- (N2Nat.id h) at 1. rewrite real_pow. reflexivity. }
  assert (0 < 2 ^ N.to_nat h) as Ph by (apply pow_lt; lra).
  set (y := real numerator / real denominator / 2 ^ N.to_nat h).
  assert (0 <= y) as Hy.
  { apply Rmult_le_pos; [apply Rmult_le_pos; [apply real_nonneg|]|];
      left; now apply Rinv_0_lt_compat. }
  replace (real numerator / real denominator) with (y * 2 ^ N.to_nat h) by (unfold y; field; lra).
  apply square_low_spec. eapply Rle_trans; [|apply (taylor_below_exp y 64), Hy].
  apply (series_low_spec y _ 64 one 0 Hy).
  - set (reduced := (numerator * one / (denominator * 2 ^ h))%N).
    assert (real reduced <= real (numerator * one) / real (denominator * 2 ^ h)) as Hr.
    { apply real_div. pose proof (N.pow_nonzero 2 h). nia. }
    rewrite !real_mul, Eh in Hr.
    apply Rle_trans with (real numerator * real one / (real denominator * 2 ^ N.to_nat h) / real one).
    + apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|exact Hr].
    + right. unfold y. field. repeat split; lra.
  - unfold taylor_term. cbn. right. field. lra.
Qed.

End Bound.

(** e^(n x) *)
Lemma exp_times x n : exp (INR n * x) = exp x ^ n.
Proof.
  induction n as [|n IH]; [cbn; now rewrite Rmult_0_l, exp_0|].
  rewrite S_INR. replace ((INR n + 1) * x) with (x + INR n * x) by ring.
  rewrite exp_plus, IH. reflexivity.
Qed.
