(** Probabilities as rational numbers, over finite lists of outcomes, and bounds on their ratios. *)

From Coq Require Import Lia List Lqa NArith QArith Setoid.
From Brrkit Require Import Sums.
Import ListNotations.
Open Scope Q_scope.

(** ** Sums *)

Definition Qsum {A} (f : A -> Q) (l : list A) : Q := fold_right (fun x s => f x + s) 0 l.

Lemma Qsum_ext {A} (f g : A -> Q) l : (forall x, In x l -> f x == g x) -> Qsum f l == Qsum g l.
Proof.
  induction l as [|x l IH]; simpl; intros H; [reflexivity|].
  rewrite (H x) by auto. rewrite IH by auto. reflexivity.
Qed.

Lemma Qsum_le {A} (f g : A -> Q) l : (forall x, In x l -> f x <= g x) -> Qsum f l <= Qsum g l.
Proof.
  induction l as [|x l IH]; simpl; intros H; [apply Qle_refl|].
  apply Qplus_le_compat; auto.
Qed.

Lemma Qsum_nonneg {A} (f : A -> Q) l : (forall x, In x l -> 0 <= f x) -> 0 <= Qsum f l.
Proof.
  induction l as [|x l IH]; simpl; intros H; [apply Qle_refl|].
  assert (0 <= f x) by auto. assert (0 <= Qsum f l) by auto. lra.
Qed.

Lemma Qsum_scale {A} (f : A -> Q) k l : Qsum (fun x => k * f x) l == k * Qsum f l.
Proof. induction l as [|x l IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma Qsum_plus {A} (f g : A -> Q) l : Qsum (fun x => f x + g x) l == Qsum f l + Qsum g l.
Proof. induction l as [|x l IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma Qsum_zero {A} (l : list A) : Qsum (fun _ => 0) l == 0.
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite IH. reflexivity. Qed.

Lemma Qsum_swap {A B} (f : A -> B -> Q) l m :
  Qsum (fun x => Qsum (f x) m) l == Qsum (fun y => Qsum (fun x => f x y) l) m.
Proof.
  induction l as [|x l IH]; simpl; [now rewrite Qsum_zero|]. rewrite IH, Qsum_plus. reflexivity.
Qed.

Lemma Qsum_app {A} (f : A -> Q) l m : Qsum f (l ++ m) == Qsum f l + Qsum f m.
Proof. induction l as [|x l IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma Qsum_map {A B} (f : B -> Q) (g : A -> B) l : Qsum f (map g l) = Qsum (fun x => f (g x)) l.
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. now rewrite IH. Qed.

Lemma Qsum_flat_map {A B} (f : B -> Q) (g : A -> list B) l :
  Qsum f (flat_map g l) == Qsum (fun x => Qsum f (g x)) l.
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. now rewrite Qsum_app, IH. Qed.

(** All lists of m outcomes. *)
Fixpoint lists {A} (outcomes : list A) (m : nat) : list (list A) :=
  match m with
  | 0%nat => [[]]
  | S m => flat_map (fun y => map (cons y) (lists outcomes m)) outcomes
  end.

Lemma lists_spec {A} (outcomes : list A) m ys :
  In ys (lists outcomes m) -> length ys = m /\ Forall (fun y => In y outcomes) ys.
Proof.
  revert ys. induction m as [|m IH]; intros ys H; simpl in H.
  - destruct H as [<-|[]]. auto.
  - apply in_flat_map in H as (y & Hy & H). apply in_map_iff in H as (rest & <- & H).
    destruct (IH rest H). simpl. auto.
Qed.

Lemma Qsum_lists {A} (outcomes : list A) m f :
  Qsum f (lists outcomes (S m)) ==
  Qsum (fun y => Qsum (fun ys => f (y :: ys)) (lists outcomes m)) outcomes.
Proof. simpl. rewrite Qsum_flat_map. apply Qsum_ext. intros y _. now rewrite Qsum_map. Qed.

(** ** Bounds *)

Lemma Qmult_le_pairs a b c d : 0 <= a -> a <= b -> 0 <= c -> c <= d -> a * c <= b * d.
Proof.
  intros. apply Qle_trans with (b * c).
  - now apply Qmult_le_compat_r.
  - rewrite !(Qmult_comm b). apply Qmult_le_compat_r; lra.
Qed.

Lemma Qmult_nonneg a b : 0 <= a -> 0 <= b -> 0 <= a * b.
Proof. exact (Qmult_le_0_compat a b). Qed.

(** No outcome of [p] is more than [r] times as probable as of [p']. For r = e^(epsilon d), this is
    the page's definition of privacy. *)
Definition bounded {Y} (r : Q) (outcomes : list Y) (p p' : Y -> Q) : Prop :=
  forall y, In y outcomes -> p y <= r * p' y.

Definition nonnegative {Y} (outcomes : list Y) (p : Y -> Q) : Prop :=
  forall y, In y outcomes -> 0 <= p y.

Definition distribution {Y} (outcomes : list Y) (p : Y -> Q) : Prop :=
  nonnegative outcomes p /\ Qsum p outcomes == 1.

Lemma bounded_weaken {Y} r s (outcomes : list Y) p p' :
  r <= s -> nonnegative outcomes p' -> bounded r outcomes p p' -> bounded s outcomes p p'.
Proof.
  intros Hrs Hp H y Hy. apply Qle_trans with (r * p' y); auto. apply Qmult_le_compat_r; auto.
Qed.

(** ** Ratios of integers *)

Definition ratio (p q : N) : Q := inject_Z (Z.of_N p) / inject_Z (Z.of_N q).

Lemma inject_positive q : (0 < q)%N -> 0 < inject_Z (Z.of_N q).
Proof. intros. change 0 with (inject_Z 0). rewrite <- Zlt_Qlt. lia. Qed.

Lemma inject_mul p q : inject_Z (Z.of_N (p * q)) == inject_Z (Z.of_N p) * inject_Z (Z.of_N q).
Proof. rewrite N2Z.inj_mul, inject_Z_mult. reflexivity. Qed.

Lemma inject_le p q : (p <= q)%N -> inject_Z (Z.of_N p) <= inject_Z (Z.of_N q).
Proof. intros. rewrite <- Zle_Qle. lia. Qed.

Lemma ratio_nonneg p q : 0 <= ratio p q.
Proof.
  unfold ratio, Qdiv. apply Qmult_nonneg.
  - change 0 with (inject_Z 0). rewrite <- Zle_Qle. lia.
  - apply Qinv_le_0_compat. change 0 with (inject_Z 0). rewrite <- Zle_Qle. lia.
Qed.

Lemma ratio_self q : (0 < q)%N -> ratio q q == 1.
Proof.
  intros Hq. pose proof (inject_positive q Hq). unfold ratio. field. lra.
Qed.

Lemma ratio_mul p q p' q' : (0 < q)%N -> (0 < q')%N ->
  ratio p q * ratio p' q' == ratio (p * p') (q * q').
Proof.
  intros Hq Hq'. pose proof (inject_positive q Hq). pose proof (inject_positive q' Hq').
  unfold ratio. rewrite !inject_mul. field. split; lra.
Qed.

(** An inequality of integers without division is one of rational numbers with it. *)
Lemma ratio_le p q p' q' : (0 < q)%N -> (0 < q')%N ->
  (p * q' <= p' * q)%N -> ratio p q <= ratio p' q'.
Proof.
  intros Hq Hq' H. pose proof (inject_positive q Hq). pose proof (inject_positive q' Hq').
  apply inject_le in H. rewrite !inject_mul in H. unfold ratio.
  apply Qle_shift_div_l; [auto|].
  setoid_replace (inject_Z (Z.of_N p) / inject_Z (Z.of_N q) * inject_Z (Z.of_N q'))
    with (inject_Z (Z.of_N p) * inject_Z (Z.of_N q') / inject_Z (Z.of_N q)) by (field; lra).
  apply Qle_shift_div_r; auto.
Qed.

Lemma ratio_bound p q p' q' r s : (0 < q)%N -> (0 < q')%N -> (0 < s)%N ->
  (p * q' * s <= r * (p' * q))%N -> ratio p q <= ratio r s * ratio p' q'.
Proof.
  intros Hq Hq' Hs H. rewrite ratio_mul by auto. apply ratio_le; lia.
Qed.

Lemma Qsum_ratio {A} (f : A -> N) q l : (0 < q)%N ->
  Qsum (fun x => ratio (f x) q) l == ratio (sum f l) q.
Proof.
  intros Hq. pose proof (inject_positive q Hq). unfold ratio.
  induction l as [|x l IH]; simpl; [field; lra|].
  rewrite IH, N2Z.inj_add, inject_Z_plus. field. lra.
Qed.

(** (a/b)^k *)
Definition powers (a b : N) (k : nat) : Q := ratio (a ^ N.of_nat k) (b ^ N.of_nat k).

Section Powers.

Variables a b : N.
Hypothesis at_least_one : (0 < b <= a)%N.

Lemma power_positive k : (0 < b ^ k)%N.
Proof. apply N.neq_0_lt_0, N.pow_nonzero. lia. Qed.

Lemma powers_zero : powers a b 0 == 1.
Proof. reflexivity. Qed.

Lemma powers_plus j k : powers a b j * powers a b k == powers a b (j + k).
Proof.
  unfold powers. rewrite ratio_mul by apply power_positive.
  rewrite <- !N.pow_add_r, Nat2N.inj_add. reflexivity.
Qed.

Lemma powers_monotone j k : (j <= k)%nat -> powers a b j <= powers a b k.
Proof.
  intros H. unfold powers. apply ratio_le; try apply power_positive.
  replace k with (j + (k - j))%nat by lia. set (i := (k - j)%nat).
  rewrite Nat2N.inj_add, !N.pow_add_r.
  pose proof (N.pow_le_mono_l b a (N.of_nat i) ltac:(lia)). nia.
Qed.

End Powers.
