(** Two programs with related outcomes, and the loss between their probabilities, as e^x. For equal
    outcomes, this is the privacy of the page's definition. The state that a device holds and
    doesn't show may differ. *)

From Coq Require Import Lia List Lra NArith QArith Qreals Reals.
From Brrkit Require Import Ranges Program Sample.
Import ListNotations.

(** ** The possible releases of a program *)

Definition outcome {A} (p : program A) (a : A) : Prop := forall P, releases P p -> P a.

Lemma releases_outcomes {A} (p : program A) : releases (outcome p) p.
Proof.
  induction p as [a|b next IH]; [intros P H; exact H|]. intros i Hi. generalize (IH i).
  assert (forall q : program A, (forall P, releases P (Uniform b next) -> releases P q) ->
    releases (outcome q) q -> releases (outcome (Uniform b next)) q) as H.
  { intros q Hq _. assert (forall r : program A, (forall P, releases P q -> releases P r) ->
      releases (outcome (Uniform b next)) r) as All.
    { induction r as [a|c rest IHr]; intros Hr; cbn.
      - intros P HP. apply (Hr P), Hq, HP.
      - intros j Hj. apply IHr. intros P HP. now apply (Hr P HP). }
    apply All. auto. }
  apply H. intros P HP. now apply HP.
Qed.

Lemma releases_of_bind {A B} P (p : program A) (f : A -> program B) :
  releases P (bind p f) -> releases (fun a => releases P (f a)) p.
Proof. induction p as [a|b next IH]; cbn; auto. Qed.

Lemma outcome_bind {A B} (p : program A) (f : A -> program B) a b :
  outcome p a -> outcome (f a) b -> outcome (bind p f) b.
Proof. intros Ha Hb P HP. apply Hb. now apply (Ha _ (releases_of_bind P p f HP)). Qed.

Lemma releases_more {A} (P R : A -> Prop) (p : program A) :
  (forall a, P a -> R a) -> releases P p -> releases R p.
Proof. intros H. induction p; cbn; auto. Qed.

Lemma releases_both {A} (P R : A -> Prop) (p : program A) :
  releases P p -> releases R p -> releases (fun a => P a /\ R a) p.
Proof. induction p; cbn; auto. Qed.

(** ** e^x, and the rational numbers above it *)

Lemma exp_above x s : (exp x < Q2R s)%R -> 0 < s.
Proof. intros H. apply Rlt_Qlt. rewrite RMicromega.Q2R_0. pose proof (exp_pos x). lra. Qed.

(** A rational number between two real ones. *)
Lemma rational_between (x y : R) : (0 < x < y)%R -> exists q : Q, (x < Q2R q < y)%R.
Proof.
  intros [Hx Hy]. destruct (archimed_cor1 (y - x)) as (n & Hn & Pn); [lra|].
  assert (0 < INR n)%R as Pos by now apply lt_0_INR.
  set (z := up (x * INR n)). destruct (archimed (x * INR n)) as [Up Least]. fold z in Up, Least.
  exists (inject_Z z / inject_Z (Z.of_nat n)).
  assert (Q2R (inject_Z z / inject_Z (Z.of_nat n)) = IZR z / INR n)%R as ->.
  { rewrite Q2R_div.
    - unfold Q2R, inject_Z. cbn. rewrite <- INR_IZR_INZ. field. lra.
    - intros E. unfold Qeq, inject_Z in E. cbn in E. lia. }
  split; apply Rmult_lt_reg_r with (INR n); try exact Pos.
  - unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    assert (/ INR n * INR n = 1)%R by (apply Rinv_l; lra). nra.
Qed.

(** A number above the product of two powers is above a product of numbers above each. *)
Lemma split_above x y s : (exp (x + y) < Q2R s)%R ->
  exists s1 s2 : Q, (exp x < Q2R s1)%R /\ (exp y < Q2R s2)%R /\ s1 * s2 <= s.
Proof.
  intros H. rewrite exp_plus in H. pose proof (exp_pos x) as Px. pose proof (exp_pos y) as Py.
  assert (exp x < Q2R s / exp y)%R as H1.
  { apply Rmult_lt_reg_r with (exp y); [exact Py|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  destruct (rational_between (exp x) (Q2R s / exp y)) as (s1 & L1 & U1); [lra|].
  assert (exp y < Q2R s / Q2R s1)%R as H2.
  { apply Rmult_lt_reg_r with (Q2R s1); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    apply (Rmult_lt_compat_r (exp y)) in U1; [|exact Py]. unfold Rdiv in U1.
    rewrite Rmult_assoc, Rinv_l in U1 by lra. lra. }
  destruct (rational_between (exp y) (Q2R s / Q2R s1)) as (s2 & L2 & U2); [lra|].
  exists s1, s2. split; [exact L1|]. split; [exact L2|]. apply Rle_Qle. rewrite Q2R_mult.
  apply (Rmult_lt_compat_l (Q2R s1)) in U2; [|lra]. unfold Rdiv in U2.
  replace (Q2R s1 * (Q2R s * / Q2R s1))%R with (Q2R s) in U2 by (field; lra). lra.
Qed.

(** ** Coupled programs *)

(** If a function is at least 0, and no larger for an outcome of [p] than for the related ones of
    [q], its mean over [p] is at most e^x times that over [q]. *)
Definition coupled {A B} (related : A -> B -> Prop) (x : R) (p : program A) (q : program B) : Prop :=
  forall s : Q, (exp x < Q2R s)%R -> forall (g : A -> Q) (h : B -> Q),
  (forall a, 0 <= g a) -> (forall b, 0 <= h b) ->
  (forall a b, outcome p a -> related a b -> g a <= h b) -> mean p g <= s * mean q h.

Lemma coupled_return {A B} (related : A -> B -> Prop) x a b : (0 <= x)%R -> related a b -> coupled related x (Return a) (Return b).
Proof.
  intros Hx Hab s Hs g h Hg Hh H. cbn. assert (1 <= s) as S.
  { apply Rle_Qle. rewrite RMicromega.Q2R_1. pose proof (exp_ineq1_le x). lra. }
  apply Qle_trans with (1 * h b).
  - rewrite Qmult_1_l. apply H; [|exact Hab]. intros P HP. exact HP.
  - apply Qmult_le_compat_r; auto.
Qed.

Theorem coupled_bind {A B A' B'} (related : A -> B -> Prop) (other : A' -> B' -> Prop) x y p q
    (f : A -> program A') (h : B -> program B') :
  coupled related x p q -> (forall a b, outcome p a -> related a b -> coupled other y (f a) (h b)) ->
  coupled other (x + y) (bind p f) (bind q h).
Proof.
  intros Hpq Hfh s Hs g g' Hg Hg' H. destruct (split_above x y s Hs) as (s1 & s2 & H1 & H2 & Le).
  rewrite !mean_bind. pose proof (exp_above y s2 H2) as P2. pose proof (exp_above x s1 H1) as P1.
  apply Qle_trans with (s1 * mean q (fun b => s2 * mean (h b) g')).
  - apply (Hpq s1 H1).
    + intros a. now apply mean_nonneg.
    + intros b. apply Qmult_le_0_compat; [now apply Qlt_le_weak|now apply mean_nonneg].
    + intros a b Ha Hab. apply (Hfh a b Ha Hab s2 H2); auto.
      intros a' b' Ha' Hab'. apply H; [|exact Hab']. now apply outcome_bind with a.
  - rewrite mean_scale. assert (0 <= mean q (fun b => mean (h b) g')) as P.
    { apply mean_nonneg. intros b. now apply mean_nonneg. }
    rewrite Qmult_assoc. now apply Qmult_le_compat_r.
Qed.

Lemma coupled_more {A B} (related : A -> B -> Prop) x y p q : (x <= y)%R -> coupled related x p q -> coupled related y p q.
Proof.
  intros Hxy H s Hs. apply H. destruct Hxy as [L| <-]; [|exact Hs].
  apply exp_increasing in L. lra.
Qed.

Corollary coupled_then {A B A' B'} (related : A -> B -> Prop) (other : A' -> B' -> Prop) x y z p q
    (f : A -> program A') (h : B -> program B') :
  coupled related x p q -> (forall a b, outcome p a -> related a b -> coupled other y (f a) (h b)) ->
  (x + y <= z)%R -> coupled other z (bind p f) (bind q h).
Proof. intros Hpq Hfh L. apply coupled_more with (x + y)%R; [exact L|]. now apply coupled_bind with related. Qed.

Lemma coupled_weaken {A B} (related other : A -> B -> Prop) x p q :
  (forall a b, outcome p a -> related a b -> other a b) -> coupled related x p q -> coupled other x p q.
Proof. intros Hmore H s Hs g h Hg Hh Hgh. apply H; auto. Qed.

Lemma coupled_of_loses {A} r x (p q : program A) : loses r p q -> (Q2R r <= exp x)%R -> coupled eq x p q.
Proof.
  intros L Hr s Hs g h Hg Hh H. apply Qle_trans with (mean p h).
  - apply (mean_le_on (outcome p)); [apply releases_outcomes|]. intros a Ha. now apply H.
  - eapply Qle_trans; [now apply L|]. apply Qmult_le_compat_r; [|now apply mean_nonneg].
    apply Rle_Qle. lra.
Qed.

(** A program and itself, with each outcome related to itself. *)
Lemma coupled_same {A} (related : A -> A -> Prop) (P : A -> Prop) (p : program A) :
  releases P p -> (forall a, P a -> related a a) -> coupled related 0 p p.
Proof.
  intros HP H. apply (coupled_weaken eq); [|apply coupled_of_loses with 1; [apply loses_same|]].
  - intros a b Ha <-. apply H, Ha, HP.
  - rewrite exp_0, RMicromega.Q2R_1. lra.
Qed.

Lemma coupled_eq {A} (p : program A) : coupled eq 0 p p.
Proof. apply (coupled_same _ (outcome p)); [apply releases_outcomes|reflexivity]. Qed.

(** Any two programs, if all outcomes are related. *)
Lemma coupled_any {A B} (P : A -> Prop) (P' : B -> Prop) (p : program A) (q : program B) :
  draws_exist p -> draws_exist q -> releases P p -> releases P' q ->
  coupled (fun a b => P a /\ P' b) 0 p q.
Proof.
  intros Hp Hq HP HP' s Hs g h Hg Hh H.
  assert (1 <= s) as S1. { apply Rle_Qle. rewrite RMicromega.Q2R_1. rewrite exp_0 in Hs. lra. }
  assert (mean p g <= mean q h) as Le.
  { rewrite <- (mean_const q (mean p g) Hq). apply (mean_le_on P'); [exact HP'|]. intros b Hb.
    rewrite <- (mean_const p (h b) Hp).
    apply (mean_le_on (fun a => outcome p a /\ P a)); [|intros a [Ha HPa]; now apply H].
    apply releases_both; [apply releases_outcomes|exact HP]. }
  apply Qle_trans with (1 * mean q h); [now rewrite Qmult_1_l|].
  apply Qmult_le_compat_r; [exact S1|now apply mean_nonneg].
Qed.

(** The shown part of the state. *)
Theorem coupled_event {A B C} (show : A -> C) (show' : B -> C) x p q (event : C -> bool) :
  coupled (fun a b => show a = show' b) x p q ->
  (Q2R (Pr p (fun a => event (show a))) <= exp x * Q2R (Pr q (fun b => event (show' b))))%R.
Proof.
  intros H. set (P := Pr p _). set (P' := Pr q _).
  assert (forall e, 0 <= indicator e) as Pos by (intros []; easy).
  assert (0 <= P') as HP' by now apply mean_nonneg.
  assert (forall s, (exp x < Q2R s)%R -> (Q2R P <= Q2R s * Q2R P')%R) as All.
  { intros s Hs. rewrite <- Q2R_mult. apply Qle_Rle. apply (H s Hs); auto.
    intros a b _ E. rewrite E. apply Qle_refl. }
  apply Qle_Rle in HP'. rewrite RMicromega.Q2R_0 in HP'.
  destruct (Rle_lt_dec (Q2R P) (exp x * Q2R P')) as [?|Lt]; [assumption|]. exfalso.
  destruct (Req_dec (Q2R P') 0) as [E|NE].
  - destruct (rational_between (exp x) (exp x + 1)) as (s & Hs & _); [pose proof (exp_pos x); lra|].
    specialize (All s Hs). rewrite E in *. lra.
  - destruct (rational_between (exp x) (Q2R P / Q2R P')) as (s & Hs & Hs').
    + split; [apply exp_pos|]. apply Rmult_lt_reg_r with (Q2R P'); [lra|]. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l by exact NE. lra.
    + specialize (All s Hs). apply (Rmult_lt_compat_r (Q2R P')) in Hs'; [|lra]. unfold Rdiv in Hs'.
      rewrite Rmult_assoc, Rinv_l in Hs' by exact NE. lra.
Qed.
