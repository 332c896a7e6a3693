(** What is printed for shuffled reports holds, with e^x as the standard library's real numbers have it. *)

From Coq Require Import Lia List Lra NArith QArith Qreals Reals.
From Brrkit Require Import Probability Ranges Program Counts Sample Shuffle ShuffledDelta ExpBounds Guarantee.
Import ListNotations.
Open Scope R_scope.


Lemma group_factor_exp U numerator denominator each :
  (0 < U)%N -> (0 < denominator)%N ->
  Q2R (group_factor (ratio (factor_low U numerator denominator) U) each) <=
  exp (INR each * (real numerator / real denominator)).
Proof.
  intros HU Hd. rewrite exp_times. set (x := real numerator / real denominator).
  assert (0 <= x) as Hx.
  { apply Rmult_le_pos; [apply real_nonneg|]. left. now apply Rinv_0_lt_compat, real_pos. }
  assert (0 <= Q2R (ratio (factor_low U numerator denominator) U) <= exp x) as [H0 H1].
  { rewrite Q2R_ratio by exact HU. pose proof (real_pos U HU). split.
    - apply Rmult_le_pos; [apply real_nonneg|]. left. now apply Rinv_0_lt_compat.
    - unfold factor_low. destruct (N.max_spec U (exp_low U numerator denominator)) as [[_ ->]|[_ ->]].
      + now apply exp_low_spec.
      + unfold Rdiv. rewrite Rinv_r by lra. pose proof (exp_ineq1_le x). lra. }
  induction each as [|each IH]; cbn [group_factor pow].
  - rewrite RMicromega.Q2R_1. lra.
  - rewrite Q2R_mult. apply Rmult_le_compat; try assumption.
    change 0 with (IZR 0). rewrite <- RMicromega.Q2R_0. apply Qle_Rle.
    clear - H0. induction each as [|each IH]; cbn [group_factor]; [discriminate|].
    apply Qmult_le_0_compat; [apply ratio_nonneg|exact IH].
Qed.

Theorem shuffled_guarantee one K k reports own own' others numerator denominator U stop unit g :
  (0 < K < one)%N -> (2 <= k)%N -> (0 < U)%N -> (0 < unit)%N -> (0 < denominator)%N ->
  symbols k own -> symbols k own' -> length own = length own' ->
  reports = N.of_nat (length (own ++ others)) ->
  symmetric g -> (forall l, 0 <= g l <= 1)%Q ->
  Q2R (mean (respond_all one K k (own ++ others)) g) <=
  exp (INR (length own) * (real numerator / real denominator)) *
    Q2R (mean (respond_all one K k (own' ++ others)) g) +
  real (delta_high one K k reports (length own) numerator denominator U stop unit) / real unit.
Proof.
  intros HK Hk HU Hu Hd Hown Hown' L Hn Hg Range.
  set (R := factor_low U numerator denominator).
  assert (0 < U <= R)%N as HR by (unfold R, factor_low; lia).
  set (r := ratio R U). set (each := length own).
  set (high := one_high one K k R U stop unit parts near (k * most_pairs / 2)
    (N.to_nat (N.min reports most_reports - 1))).
  destruct each as [|each'] eqn:Each; subst each.
  { destruct own; [|discriminate]. destruct own'; [|discriminate]. cbn [app length INR]. 
    rewrite Rmult_0_l, exp_0, Rmult_1_l.
    assert (0 <= real (delta_high one K k reports 0 numerator denominator U stop unit) / real unit).
    { apply Rmult_le_pos; [apply real_nonneg|]. left. now apply Rinv_0_lt_compat, real_pos. }
    lra. }
  set (n := (length own + length others - 1)%nat).
  pose proof (shuffled_reports one K k ltac:(lia) ltac:(lia) ltac:(lia) r 0 1 n own own' others) as S.
  cbv zeta in S.
  assert (1 <= r)%Q as Hr.
  { rewrite <- (ratio_self 1) by reflexivity. unfold r. apply ratio_le; lia. }
  specialize (S Hr ltac:(lia) ltac:(lia) ltac:(lia) L Hown Hown' ltac:(unfold n; lia) g Hg Range).
  set (delta := delta_of one K k r 0 1 n) in *.
  assert (delta * of_N unit <= of_N high)%Q as Hdelta.
  { unfold delta, r, high. apply one_high_spec; try assumption; try lia.
    rewrite app_length in Hn. unfold n. lia. }
  assert (group_delta r delta (length own) * of_N unit <= of_N (group_high R U high (length own)))%Q as G
    by (unfold r; eapply group_high_spec; eassumption).
  assert (Q2R (group_delta r delta (length own)) <= real (group_high R U high (length own)) / real unit) as G'.
  { apply le_div; [now apply real_pos|]. apply Qle_Rle in G. rewrite Q2R_mult in G.
    rewrite !Q2R_of_N in G. exact G. }
  apply Qle_Rle in S. rewrite Q2R_plus, Q2R_mult in S.
  pose proof (group_factor_exp U numerator denominator (length own) HU Hd) as F. fold R r in F.
  assert (0 <= Q2R (mean (respond_all one K k (own' ++ others)) g)) as P.
  { change 0 with (IZR 0). rewrite <- RMicromega.Q2R_0. apply Qle_Rle. apply mean_nonneg. apply Range. }
  unfold delta_high. fold R high.
  eapply Rle_trans; [exact S|]. apply Rplus_le_compat; [|rewrite Each in *; exact G'].
  rewrite Each in *. apply Rmult_le_compat_r; assumption.
Qed.
