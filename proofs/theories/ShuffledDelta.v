(** The printed delta for shuffled reports: integers, rounded up. docs/explanation/proofs.md,
    "Shuffled reports".

    These are the functions of brrkit_toolchain/channel/privacy_loss/shuffled_bound.py, which have
    the same names there, after [_]. Means over binomial distributions are bounded in three layers:
    the number of uniform symbols that hide one report, the number of reports with one of two
    symbols, and the number of those with the first. *)

From Coq Require Import Arith Bool Lia List Lqa NArith Permutation QArith Qminmax.
From Brrkit Require Import Probability Ranges Program Counts Sample Shuffle Binomial ExpBounds.
Import ListNotations.
Open Scope Q_scope.

(** ** Reports as binomial distributions *)

(** The counts of two symbols among s reports that have one of both. *)
Fixpoint halves (s : nat) (f : nat -> nat -> Q) : Q :=
  match s with
  | O => f 0%nat 0%nat
  | S s => (1 # 2) * halves s (fun i j => f (S i) j) + (1 # 2) * halves s (fun i j => f i (S j))
  end.

Lemma halves_binomial s f : halves s f == binomial (1 # 2) s (fun i => f i (s - i)%nat).
Proof.
  revert f. induction s as [|s IH]; intros f; [rewrite binomial_0; reflexivity|].
  cbn [halves]. rewrite binomial_succ, !IH. apply Qplus_comp; [reflexivity|].
  apply Qmult_comp; [reflexivity|]. apply binomial_ext. intros i Hi.
  now replace (S s - i)%nat with (S (s - i)) by lia.
Qed.

Section Reports.

Variables one K k : N.
Hypothesis one_positive : (0 < one)%N.
Hypothesis some_symbol : (0 < k)%N.
Hypothesis K_fits : (K <= one)%N.

Lemma blanket_size_binomial n f :
  mean (blanket_size one K n) f == binomial (1 - ratio K one) n f.
Proof.
  revert f. induction n as [|n IH]; intros f; [rewrite binomial_0; reflexivity|].
  rewrite binomial_succ, <- !IH. cbn [blanket_size mean].
  rewrite (range_ext _ _ (fun i => if (i <? K)%N then mean (blanket_size one K n) f
    else mean (blanket_size one K n) (fun m => f (S m)))).
  - rewrite range_threshold, of_N_sub by assumption. unfold ratio.
    fold (of_N K) (of_N one). pose proof (of_N_pos one one_positive). field. lra.
  - intros i _. rewrite mean_bind. destruct (i <? K)%N; reflexivity.
Qed.

Lemma uniforms_binomial x x' m f :
  (x < k)%N -> (x' < k)%N -> x <> x' ->
  mean (uniforms k m) (fun ys => f (N.to_nat (count x ys)) (N.to_nat (count x' ys))) ==
  binomial (2 / of_N k) m (fun s => halves s f).
Proof.
  intros Hx Hx' D. pose proof (of_N_pos k some_symbol). revert f.
  induction m as [|m IH]; intros f; [rewrite binomial_0; reflexivity|].
  rewrite (uniforms_succ k _ (fun ys => f (N.to_nat (count x ys)) (N.to_nat (count x' ys)))), binomial_succ.
  cbn [halves]. rewrite binomial_plus, !binomial_scale.
  rewrite <- (IH f), <- (IH (fun i j => f (S i) j)), <- (IH (fun i j => f i (S j))).
  set (a := mean (uniforms k m) (fun ys => f (S (N.to_nat (count x ys))) (N.to_nat (count x' ys)))).
  set (b := mean (uniforms k m) (fun ys => f (N.to_nat (count x ys)) (S (N.to_nat (count x' ys))))).
  set (c := mean (uniforms k m) (fun ys => f (N.to_nat (count x ys)) (N.to_nat (count x' ys)))).
  unfold uniform_mean.
  rewrite (range_ext k _ (fun z => c + (if (z =? x)%N then a - c else 0) + (if (z =? x')%N then b - c else 0))).
  - rewrite !range_plus, range_const, (range_select k x (fun _ => a - c)),
      (range_select k x' (fun _ => b - c)) by assumption. field. lra.
  - intros z _. cbn [count]. destruct (N.eqb_spec z x) as [->|Dx].
    + destruct (N.eqb_spec x x'); [contradiction|]. setoid_replace (c + (a - c) + 0) with a by ring.
      apply mean_ext. intros ys. now rewrite N2Nat.inj_add.
    + destruct (N.eqb_spec z x') as [->|Dx'].
      * setoid_replace (c + 0 + (b - c)) with b by ring. apply mean_ext. intros ys.
        now rewrite !N2Nat.inj_add.
      * setoid_replace (c + 0 + 0) with c by ring. reflexivity.
Qed.

End Reports.

(** ** Reports of two symbols

    s reports have one of two symbols, t or more of them the first. The numbers for s + 1 and for t
    + 1 follow from those for s and t. *)

Definition half : Q := 1 # 2.
Definition from (t h : nat) : Q := if (t <=? h)%nat then 1 else 0.

Definition point (s t : nat) : Q := chance half s t.
Definition tail (s t : nat) : Q := binomial half s (from t).
Definition excess (s t : nat) : Q := binomial half s (fun h => of_nat (h - t)).

Lemma half_range : 0 <= half <= 1.
Proof. unfold half. lra. Qed.

Lemma of_nat_sub n m : (m <= n)%nat -> of_nat (n - m) == of_nat n - of_nat m.
Proof. intros. unfold of_nat. rewrite Nat2N.inj_sub. apply of_N_sub. lia. Qed.

Lemma of_nat_mul n m : of_nat (n * m) == of_nat n * of_nat m.
Proof. unfold of_nat. rewrite Nat2N.inj_mul. apply of_N_mul. Qed.

Lemma point_step s t : of_nat (S t) * point s (S t) == (of_nat s - of_nat t) * point s t.
Proof.
  pose proof (chance_step half s t) as H. fold (point s t) (point s (S t)) in H. unfold half in *. lra.
Qed.

Lemma from_succ t h : from (S t) (S h) = from t h.
Proof. reflexivity. Qed.

Lemma tail_0 s : tail s 0 == 1.
Proof. apply (binomial_const half s 1). Qed.

Lemma point_row s t : (t <= s)%nat ->
  point (S s) t * of_nat (2 * (S s - t)) == point s t * of_nat (S s).
Proof.
  intros H. rewrite of_nat_mul. change (of_nat 2) with 2. unfold point at 1. destruct t as [|t]; cbn [chance].
  - fold (point s 0). replace (S s - 0)%nat with (S s) by lia. unfold half. lra.
  - fold (point s t) (point s (S t)). pose proof (point_step s t) as E.
    replace (S s - S t)%nat with (s - t)%nat by lia. rewrite of_nat_sub by lia.
    rewrite !of_nat_succ in *. unfold half. lra.
Qed.

Lemma tail_row s t : (t <= s)%nat ->
  (tail (S s) t - tail s t) * of_nat (2 * (S s - t)) == point s t * of_nat t.
Proof.
  intros H. destruct t as [|t].
  - rewrite !tail_0. change (of_nat 0) with 0. ring.
  - unfold tail at 1. rewrite binomial_succ.
    rewrite (binomial_ext half s (fun i => from (S t) (S i))
      (fun i => from (S t) i + (if (i =? t)%nat then 1 else 0))).
    + rewrite binomial_plus, binomial_select. fold (tail s (S t)) (point s t).
      pose proof (point_step s t) as E. rewrite of_nat_mul. change (of_nat 2) with 2.
      replace (S s - S t)%nat with (s - t)%nat by lia. rewrite of_nat_sub by lia.
      rewrite !of_nat_succ in *. unfold half. lra.
    + intros i _. rewrite from_succ. unfold from.
      destruct (Nat.leb_spec t i), (Nat.leb_spec (S t) i), (Nat.eqb_spec i t); try lia; reflexivity.
Qed.

Lemma excess_row s t : excess (S s) t == excess s t + half * tail s t.
Proof.
  unfold excess at 1. rewrite binomial_succ.
  rewrite (binomial_ext half s (fun i => of_nat (S i - t)) (fun i => of_nat (i - t) + from t i)).
  - rewrite binomial_plus. fold (tail s t) (excess s t). unfold half. lra.
  - intros i _. unfold from. destruct (Nat.leb_spec t i).
    + replace (S i - t)%nat with (S (i - t)) by lia. apply of_nat_succ.
    + replace (S i - t)%nat with 0%nat by lia. replace (i - t)%nat with 0%nat by lia.
      change (of_nat 0) with 0. ring.
Qed.

Lemma tail_next s t : tail s (S t) == tail s t - point s t.
Proof.
  unfold tail, point. rewrite <- binomial_select.
  setoid_replace (binomial half s (from t)) with
    (binomial half s (from (S t)) + binomial half s (fun i => if (i =? t)%nat then 1 else 0)); [ring|].
  rewrite <- binomial_plus. apply binomial_ext. intros i _. unfold from.
  destruct (Nat.leb_spec t i), (Nat.leb_spec (S t) i), (Nat.eqb_spec i t); try lia; reflexivity.
Qed.

Lemma excess_next s t : excess s (S t) == excess s t - tail s (S t).
Proof.
  unfold excess, tail.
  setoid_replace (binomial half s (fun h => of_nat (h - t))) with
    (binomial half s (fun h => of_nat (h - S t)) + binomial half s (from (S t))); [ring|].
  rewrite <- binomial_plus. apply binomial_ext. intros i _. unfold from.
  destruct (Nat.leb_spec (S t) i).
  - replace (i - t)%nat with (S (i - S t)) by lia. apply of_nat_succ.
  - replace (i - t)%nat with 0%nat by lia. replace (i - S t)%nat with 0%nat by lia.
    change (of_nat 0) with 0. ring.
Qed.

Lemma tail_nonneg s t : 0 <= tail s t.
Proof.
  unfold tail. rewrite <- (binomial_const half s 0). apply binomial_le; [exact half_range|].
  intros i _. unfold from. destruct (_ <=? _)%nat; lra.
Qed.

Lemma excess_nonneg s t : 0 <= excess s t.
Proof.
  unfold excess. rewrite <- (binomial_const half s 0). apply binomial_le; [exact half_range|].
  intros i _. apply of_nat_nonneg.
Qed.

Lemma tail_split s t : (t <= s)%nat -> tail s t == point s t + total (S t) (s - t) (chance half s).
Proof.
  intros H. unfold tail, binomial. replace (S s) with (t + S (s - t))%nat by lia. rewrite total_split.
  rewrite (total_ext 0 t _ (fun _ => 0)), total_const.
  - cbn [total Nat.add]. unfold from at 1. rewrite Nat.leb_refl. fold (point s t).
    rewrite (total_ext (S t) (s - t) _ (chance half s)); [ring|].
    intros i Hi. unfold from. destruct (Nat.leb_spec t i); [ring|lia].
  - intros i Hi. unfold from. destruct (Nat.leb_spec t i); [lia|ring].
Qed.

Lemma excess_split s t : (t <= s)%nat ->
  excess s t == total (S t) (s - t) (fun h => chance half s h * of_nat (h - t)).
Proof.
  intros H. unfold excess, binomial. replace (S s) with (S t + (s - t))%nat by lia. rewrite total_split.
  rewrite (total_ext 0 (S t) _ (fun _ => 0)), total_const; [cbn [Nat.add]; ring|].
  intros i Hi. replace (i - t)%nat with 0%nat by lia. change (of_nat 0) with 0. ring.
Qed.

(** *** Their integers *)

Section Rows.

Variables A B C : N. (** with h reports of the first symbol, the loss is A h - B s - C, if it is positive *)
Hypothesis B_smaller : (B < A)%N.
Variables stop unit : N.
Hypothesis some_unit : (0 < unit)%N.

Definition bar (s : nat) : N := (B * N.of_nat s + C)%N.

Definition lost (s : nat) : Q :=
  binomial half s (fun h => positive_part (of_N A * of_nat h - of_N (bar s))).

Record row := Row { point_low : N; point_high : N; tail_low : N; tail_high : N; excess_high : N }.

Definition row_holds (e : Q) (s t : nat) (r : row) : Prop :=
  inside e (point_low r) (point_high r) (point s t) /\
  inside e (tail_low r) (tail_high r) (tail s t) /\ excess s t <= of_N (excess_high r) * e.

(** From s to s + 1, and from t to t + 1. *)
Definition one_report_more (s t : nat) (r : row) : row :=
  let den := N.of_nat (2 * (S s - t)) in
  Row (point_low r * N.of_nat (S s) / den) (up (point_high r * N.of_nat (S s)) den)
    (tail_low r + point_low r * N.of_nat t / den) (tail_high r + up (point_high r * N.of_nat t) den)
    (excess_high r + up (tail_high r) 2).

Definition one_of_first_more (s t : nat) (r : row) : row :=
  let rest := (tail_low r - point_high r)%N in
  Row (point_low r * N.of_nat (s - t) / N.of_nat (S t)) (up (point_high r * N.of_nat (s - t)) (N.of_nat (S t)))
    rest (tail_high r - point_low r) (excess_high r - rest).

Lemma of_N_truncated a b : of_N a - of_N b <= of_N (a - b).
Proof.
  destruct (N.le_gt_cases b a) as [H|H]; [rewrite of_N_sub by exact H; lra|].
  replace (a - b)%N with 0%N by lia. apply N.lt_le_incl, of_N_le in H. change (of_N 0) with 0. lra.
Qed.

Lemma truncated_below e lo hi x y :
  0 <= e -> of_N lo * e <= x -> y <= of_N hi * e -> y <= x -> of_N (lo - hi) * e <= x - y.
Proof.
  intros He Hx Hy H. destruct (N.le_gt_cases hi lo) as [L|L].
  - rewrite of_N_sub by exact L. lra.
  - replace (lo - hi)%N with 0%N by lia. change (of_N 0) with 0. lra.
Qed.

Lemma truncated_above e lo hi x y :
  0 <= e -> x <= of_N hi * e -> of_N lo * e <= y -> x - y <= of_N (hi - lo) * e.
Proof.
  intros He Hx Hy. pose proof (of_N_truncated hi lo).
  assert ((of_N hi - of_N lo) * e <= of_N (hi - lo) * e) by now apply Qmult_le_compat_r. lra.
Qed.

Lemma one_report_more_holds e s t r :
  0 <= e -> (t <= s)%nat -> row_holds e s t r -> row_holds e (S s) t (one_report_more s t r).
Proof.
  intros He Hts (P & T & X). unfold one_report_more. set (den := N.of_nat (2 * (S s - t))).
  assert (0 < den)%N as Hd by (unfold den; lia).
  assert (inside e (point_low r * N.of_nat t / den) (up (point_high r * N.of_nat t) den)
    (tail (S s) t - tail s t)) as More
    by (apply (inside_step e He _ _ (point s t)); [exact Hd|exact P|]; now apply tail_row).
  unfold row_holds. cbn [point_low point_high tail_low tail_high excess_high]. split; [|split].
  - apply (inside_step e He _ _ (point s t)); [exact Hd|exact P|]. now apply point_row.
  - destruct T, More. unfold inside. rewrite !of_N_add. lra.
  - rewrite excess_row, of_N_add. pose proof (up_spec (tail_high r) 2 eq_refl) as U.
    change (of_N 2) with 2 in U. destruct T as [_ T].
    assert (of_N (tail_high r) * e <= of_N (up (tail_high r) 2) * 2 * e) by now apply Qmult_le_compat_r.
    unfold half. lra.
Qed.

Lemma one_of_first_more_holds e s t r :
  0 <= e -> (t <= s)%nat -> row_holds e s t r -> row_holds e s (S t) (one_of_first_more s t r).
Proof.
  intros He Hts (P & T & X). unfold one_of_first_more.
  pose proof (tail_next s t) as N1. pose proof (tail_nonneg s (S t)) as N2.
  assert (of_N (tail_low r - point_high r) * e <= tail s (S t)) as Rest.
  { rewrite N1. apply truncated_below; [exact He|apply T|apply P|lra]. }
  unfold row_holds. cbn [point_low point_high tail_low tail_high excess_high]. split; [|split; [split|]].
  - apply (inside_step e He _ _ (point s t)); [lia|exact P|].
    fold (of_nat (S t)) (of_nat (s - t)). rewrite of_nat_sub by exact Hts.
    rewrite Qmult_comm, point_step. ring.
  - exact Rest.
  - rewrite N1. apply truncated_above; [exact He|apply T|apply P].
  - rewrite excess_next. apply truncated_above; assumption.
Qed.

(** The loss in a row, where A t <= bar s < A (t + 1). *)
Definition lost_high (s t : nat) (r : row) : N :=
  (A * excess_high r - (bar s - A * N.of_nat t) * (tail_low r - point_high r))%N.

Definition placed (s t : nat) : Prop := (A * N.of_nat t <= bar s < A * N.of_nat (S t))%N.

Lemma lost_high_spec e s t r :
  0 <= e -> placed s t -> row_holds e s t r -> lost s <= of_N (lost_high s t r) * e.
Proof.
  intros He [H1 H2] (P & T & X).
  set (rest := (bar s - A * N.of_nat t)%N).
  assert (of_N rest == of_N (bar s) - of_N A * of_nat t) as Er
    by (unfold rest; rewrite of_N_sub, of_N_mul by exact H1; reflexivity).
  assert (lost s <= of_N A * excess s t - of_N rest * tail s (S t)) as L.
  { unfold excess, tail. unfold Qminus.
    setoid_replace (- (of_N rest * binomial half s (from (S t)))) with (binomial half s (fun h => - of_N rest * from (S t) h))
      by (rewrite binomial_scale; ring).
    rewrite <- binomial_scale, <- binomial_plus. apply binomial_le; [exact half_range|].
    intros h _. apply Q.max_lub; unfold from; destruct (Nat.leb_spec (S t) h) as [Hh|Hh].
    - assert (of_N (A * N.of_nat (S t)) <= of_N A * of_nat h)
        by (rewrite of_N_mul, !(Qmult_comm (of_N A)); apply Qmult_le_compat_r;
          [apply of_nat_le; lia|apply of_N_nonneg]).
      apply N.lt_le_incl, of_N_le in H2. rewrite of_nat_sub by lia. lra.
    - pose proof (Qmult_le_0_compat (of_N A) (of_nat (h - t)) (of_N_nonneg A) (of_nat_nonneg _)). lra.
    - rewrite of_nat_sub by lia. lra.
    - replace (h - t)%nat with 0%nat by lia. change (of_nat 0) with 0.
      assert (of_N A * of_nat h <= of_N A * of_nat t)
        by (rewrite !(Qmult_comm (of_N A)); apply Qmult_le_compat_r;
          [apply of_nat_le; lia|apply of_N_nonneg]).
      pose proof (of_N_nonneg rest). lra. }
  apply Qle_trans with (1 := L). unfold lost_high. fold rest.
  pose proof (tail_next s t) as N1. pose proof (tail_nonneg s (S t)).
  assert (of_N (tail_low r - point_high r) * e <= tail s (S t)) as Rest.
  { rewrite N1. apply truncated_below; [exact He|apply T|apply P|lra]. }
  apply truncated_above; [exact He| |].
  - rewrite of_N_mul. rewrite <- Qmult_assoc, !(Qmult_comm (of_N A)).
    apply Qmult_le_compat_r; [exact X|apply of_N_nonneg].
  - rewrite of_N_mul. rewrite <- Qmult_assoc, !(Qmult_comm (of_N rest)).
    apply Qmult_le_compat_r; [exact Rest|apply of_N_nonneg].
Qed.

Fixpoint walk (len s t : nat) (r : row) : list N :=
  match len with
  | O => []
  | S len =>
      lost_high s t r ::
      let r := one_report_more s t r in
      if (A * N.of_nat (S t) <=? bar (S s))%N
      then walk len (S s) (S t) (one_of_first_more (S s) t r)
      else walk len (S s) t r
  end.

(** The numbers are multiplied by e; e * Z is at most 1. *)
Lemma walk_spec e Z len s t r :
  0 <= e -> of_N Z * e <= 1 -> (t <= s)%nat -> placed s t -> row_holds e s t r ->
  length (walk len s t r) = len /\ above (fun s => lost s * of_N Z) s (walk len s t r).
Proof.
  intros He HZ. revert s t r. induction len as [|len IH]; intros s t r Hts Ht H; [split; [reflexivity|exact I]|].
  cbn [walk length above].
  assert (lost s * of_N Z <= of_N (lost_high s t r)) as First.
  { pose proof (lost_high_spec e s t r He Ht H) as L. set (x := lost_high s t r) in *.
    apply Qle_trans with (of_N x * e * of_N Z); [apply Qmult_le_compat_r; [exact L|apply of_N_nonneg]|].
    assert (of_N Z * e * of_N x <= 1 * of_N x) by (apply Qmult_le_compat_r; [exact HZ|apply of_N_nonneg]).
    lra. }
  pose proof (one_report_more_holds e s t r He Hts H) as More.
  destruct Ht as [H1 H2]. unfold bar in *.
  destruct (N.leb_spec (A * N.of_nat (S t)) (B * N.of_nat (S s) + C)) as [Hb|Hb].
  - destruct (IH (S s) (S t) (one_of_first_more (S s) t (one_report_more s t r))) as [I1 I2].
    + lia.
    + split; [exact Hb|]. unfold bar. nia.
    + apply one_of_first_more_holds; [exact He|lia|exact More].
    + split; [now rewrite I1|now split].
  - destruct (IH (S s) t (one_report_more s t r)) as [I1 I2].
    + lia.
    + split; [|exact Hb]. unfold bar. nia.
    + exact More.
    + split; [now rewrite I1|now split].
Qed.

(** *** The first row *)

Fixpoint moments (j : N) (l : entries) : N :=
  match l with
  | [] => 0
  | (_, hi) :: l => j * hi + moments (j + 1) l
  end.

Lemma moments_spec e s t i l :
  0 <= e -> inside_all e (chance half s) (t + i) l ->
  total (t + i) (length l) (fun h => chance half s h * of_nat (h - t)) <= of_N (moments (N.of_nat i) l) * e.
Proof.
  intros He. revert i. induction l as [|[lo hi] l IH]; intros i H; cbn [length total moments].
  - change (of_N 0) with 0. lra.
  - destruct H as [[_ H1] H2]. replace (S (t + i)) with (t + S i)%nat in * by lia. specialize (IH _ H2).
    replace (N.of_nat (S i)) with (N.of_nat i + 1)%N in IH by lia.
    replace (t + i - t)%nat with i by lia. rewrite of_N_add, of_N_mul. fold (of_nat i).
    assert (chance half s (t + i) * of_nat i <= of_N hi * e * of_nat i)
      by (apply Qmult_le_compat_r; [exact H1|apply of_nat_nonneg]).
    lra.
Qed.

(** The divisor of the row's integers, and the row. *)
Definition first_row (s t : nat) : N * row :=
  let (beyond, l) := climb 1 1 stop s (s - t) t unit unit in
  let '(_, _, whole) := descend 1 1 stop s t unit unit l in
  (sum_low whole,
    Row unit unit (unit + sum_low l) (unit + sum_high l + beyond) (moments 1 l + beyond * N.of_nat s)).

Lemma first_row_spec s t : (t <= s)%nat ->
  let (Z, r) := first_row s t in
  (0 < Z)%N /\ exists e, 0 <= e /\ of_N Z * e <= 1 /\ row_holds e s t r.
Proof.
  intros Hts. set (b := chance half s). pose proof (of_N_pos unit some_unit) as Pu.
  assert (forall i, 0 <= b i) as Hb by (intros; apply chance_nonneg, half_range).
  assert (0 <= b t / of_N unit) as He by (apply Qmult_le_0_compat; [apply Hb|apply inverse_nonneg]).
  set (e := b t / of_N unit) in *.
  assert (inside e unit unit (b t)) as Ht.
  { unfold inside, e. assert (of_N unit * (b t / of_N unit) == b t) as -> by (field; lra). lra. }
  assert (forall i, (i <= s)%nat -> of_N (N.of_nat (S i) * 1) * b (S i) == of_N (N.of_nat (s - i) * 1) * b i) as Step.
  { intros i Hi. rewrite !N.mul_1_r. fold (of_nat (S i)) (of_nat (s - i)). rewrite of_nat_sub by exact Hi.
    apply point_step. }
  unfold first_row.
  pose proof (climb_spec 1 1 stop s e He b Hb Step (chance_beyond half s) (s - t) t unit unit
    eq_refl Hts (or_introl eq_refl) Ht) as Up.
  destruct (climb 1 1 stop s (s - t) t unit unit) as [beyond l]. destruct Up as (U1 & U2 & U3).
  pose proof (descend_spec 1 1 stop s e He b Hb Step t unit unit l eq_refl Hts Ht U1) as Down.
  pose proof (descend_low 1 1 stop s t unit unit l) as Low.
  destruct (descend 1 1 stop s t unit unit l) as [[below f] whole].
  destruct Down as (D1 & D2 & D3). cbn [snd] in Low. split; [lia|]. exists e. split; [exact He|].
  assert (f + length whole <= S s)%nat as Fits by lia. split.
  - apply Qle_trans with (total f (length whole) b); [apply (sums_inside e b f whole D1)|].
    rewrite <- (chances_sum half s). replace (S s) with (f + (length whole + (S s - (f + length whole))))%nat by lia.
    rewrite !total_split. fold b. pose proof (total_nonneg 0 f b Hb).
    pose proof (total_nonneg (0 + f + length whole) (S s - (f + length whole)) b Hb). cbn [Nat.add] in *. lra.
  - assert (s - t = length l + (s - (t + length l)))%nat as Parts by lia.
    unfold row_holds. cbn [point_low point_high tail_low tail_high excess_high].
    split; [exact Ht|]. split.
    + pose proof (sums_inside e b (S t) l U1) as [S1 S2]. unfold inside.
      rewrite (tail_split s t Hts), Parts, total_split, !of_N_add. fold b. fold (b t) in *.
      pose proof (total_nonneg (S t + length l) (s - (t + length l)) b Hb).
      change (point s t) with (b t). destruct Ht. cbn [Nat.add] in *. split; lra.
    + rewrite (excess_split s t Hts), Parts, total_split, of_N_add, of_N_mul.
      pose proof (moments_spec e s t 1 l He) as M. replace (t + 1)%nat with (S t) in M by lia.
      specialize (M U1). change (N.of_nat 1) with 1%N in M.
      assert (total (S t + length l) (s - (t + length l)) (fun h => chance half s h * of_nat (h - t)) <=
        of_nat s * total (S t + length l) (s - (t + length l)) b) as Rest.
      { rewrite <- total_scale. apply total_le. intros h Hh. unfold b. rewrite Qmult_comm.
        apply Qmult_le_compat_r; [apply of_nat_le; lia|apply Hb]. }
      assert (of_nat s * total (S t + length l) (s - (t + length l)) b <= of_nat s * (of_N beyond * e)).
      { rewrite !(Qmult_comm (of_nat s)). apply Qmult_le_compat_r; [|apply of_nat_nonneg].
        replace (S t + length l)%nat with (S (t + length l)) by lia. exact U3. }
      fold (of_nat s). lra.
Qed.

(** All rows from s on, and their divisor. *)
Fixpoint rows (len s : nat) : N * list N :=
  match len with
  | O => (1%N, [])
  | S len' =>
      let t := (bar s / A)%N in
      if (N.of_nat s <? t)%N then let (Z, F) := rows len' (S s) in (Z, 0%N :: F)
      else let (Z, r) := first_row s (N.to_nat t) in (Z, walk len s (N.to_nat t) r)
  end.

Theorem rows_spec len s :
  let (Z, F) := rows len s in
  (0 < Z)%N /\ length F = len /\ above (fun s => lost s * of_N Z) s F.
Proof.
  revert s. induction len as [|len IH]; intros s; [now cbn|]. cbn [rows].
  destruct (N.ltb_spec (N.of_nat s) (bar s / A)) as [H|H].
  - specialize (IH (S s)). destruct (rows len (S s)) as [Z F]. destruct IH as (I1 & I2 & I3).
    repeat split; [exact I1|cbn; now rewrite I2| |exact I3].
    assert (lost s == 0) as ->; [|rewrite Qmult_0_l; apply of_N_nonneg].
    unfold lost. rewrite <- (binomial_const half s 0). apply binomial_ext. intros h Hh.
    unfold positive_part. apply Q.max_l.
    assert (of_N (A * N.of_nat h) <= of_N (bar s)) as L.
    { apply of_N_le. apply N.le_trans with (A * (bar s / A))%N; [apply N.mul_le_mono_l; lia|].
      apply N.mul_div_le. lia. }
    rewrite of_N_mul in L. unfold of_nat. lra.
  - pose proof (first_row_spec s (N.to_nat (bar s / A)) ltac:(lia)) as First.
    destruct (first_row s (N.to_nat (bar s / A))) as [Z r]. destruct First as (PZ & e & He & HZ & Hr).
    split; [exact PZ|]. apply (walk_spec e Z); try assumption; [lia|].
    unfold placed. rewrite N2Nat.id. replace (N.of_nat (S (N.to_nat (bar s / A)))) with (N.succ (bar s / A)) by lia.
    split; [apply N.mul_div_le; lia|apply N.mul_succ_div_gt; lia].
Qed.

End Rows.

(** ** Delta *)

Lemma chance_same p q n i : p == q -> chance p n i == chance q n i.
Proof.
  intros E. revert i. induction n as [|n IH]; intros [|i]; cbn [chance]; try reflexivity; now rewrite !IH, E.
Qed.

Lemma binomial_same p q n f : p == q -> binomial p n f == binomial q n f.
Proof. intros E. apply total_ext. intros i _. now rewrite (chance_same p q n i E). Qed.

Lemma binomial_falls p n f :
  0 <= p <= 1 -> (forall i, f (S i) <= f i) -> binomial p (S n) f <= binomial p n f.
Proof.
  intros Hp H. rewrite binomial_succ.
  assert (binomial p n (fun i => f (S i)) <= binomial p n f) by (apply binomial_le; auto).
  assert (p * binomial p n (fun i => f (S i)) <= p * binomial p n f)
    by (rewrite !(Qmult_comm p); apply Qmult_le_compat_r; [assumption|apply Hp]).
  lra.
Qed.

Lemma falls_far (f : nat -> Q) i j : (forall i, f (S i) <= f i) -> (i <= j)%nat -> f j <= f i.
Proof.
  intros H Hij. induction Hij as [|j Hij IH]; [apply Qle_refl|]. pose proof (H j). lra.
Qed.

Lemma positive_part_scale c v w : 0 <= c -> v * c == w -> positive_part v * c == positive_part w.
Proof.
  intros Hc E. unfold positive_part. destruct (Qlt_le_dec v 0) as [H|H].
  - assert (0 <= - v * c) by (apply Qmult_le_0_compat; lra). rewrite !Q.max_l by lra. ring.
  - assert (0 <= v * c) by (apply Qmult_le_0_compat; lra). rewrite !Q.max_r by lra. exact E.
Qed.

Section Delta.

(** [one], [K], [k] as in [Counts]; R/U is at most e^epsilon. *)
Variables one K k R U : N.
Hypothesis K_range : (0 < K < one)%N.
Hypothesis k_range : (2 <= k)%N.
Hypothesis R_range : (0 < U <= R)%N.
(** These may have any size; small ones make the result larger. *)
Variables stop unit : N.
Hypothesis some_unit : (0 < unit)%N.

Let r := ratio R U.

Definition slope : N := (K * k * (U + R))%N.
Definition fall : N := (K * k * R)%N.
Definition start (m : nat) : N := ((R - U) * (one - K) * N.of_nat (S m))%N.
Definition scale (m : nat) : N := (N.of_nat (S m) * one * U)%N.

(** [delta_given], at most, in units. *)
Definition given_high (m : nat) : N :=
  let n := S m in
  let c := N.to_nat (N.min (N.of_nat n) ((N.of_nat n + 1) * 2 / k)) in
  let w := window_of 2 (k - 2) stop unit n c in
  let (Z, F) := rows slope fall (start m) stop unit (length (inner w)) (first w) in
  let most := (slope * N.of_nat n * Z)%N in
  N.min unit (up (mean_high w F most * unit) (scale m * Z)).

Lemma fall_smaller : (fall < slope)%N.
Proof. unfold slope, fall. apply N.mul_lt_mono_pos_l; [apply N.mul_pos_pos; lia|lia]. Qed.

Lemma given_binomial x x' m :
  (x < k)%N -> (x' < k)%N -> x <> x' ->
  delta_given one K k r x x' m * of_N (scale m) == binomial (ratio 2 (2 + (k - 2))) (S m) (lost slope fall (start m)).
Proof.
  intros Hx Hx' D. pose proof (of_N_pos one ltac:(lia)) as P1. pose proof (of_N_pos U ltac:(lia)) as PU.
  pose proof (of_N_pos (N.of_nat (S m)) ltac:(lia)) as Pm. pose proof (of_N_pos k ltac:(lia)) as Pk.
  set (f := fun h j => positive_part (of_N slope * of_nat h - of_N (bar fall (start m) (h + j)))).
  assert (delta_given one K k r x x' m * of_N (scale m) ==
    mean (uniforms k (S m)) (fun ys => f (N.to_nat (count x ys)) (N.to_nat (count x' ys)))) as ->.
  { unfold delta_given. rewrite Qmult_comm, <- mean_scale. apply mean_ext. intros ys. unfold f.
    rewrite Qmult_comm. apply positive_part_scale; [apply of_N_nonneg|].
    unfold likelier, r, ratio, slope, fall, start, scale, bar, of_nat.
    fold (of_N K) (of_N one) (of_N R) (of_N U).
    rewrite Nat2N.inj_add, !N2Nat.id, !of_N_mul, !of_N_add, !of_N_mul, !of_N_sub by lia.
    rewrite !of_N_add. field. lra. }
  rewrite (uniforms_binomial k ltac:(lia) x x' (S m) f Hx Hx' D).
  replace (2 + (k - 2))%N with k by lia. unfold ratio. fold (of_N k). change (inject_Z (Z.of_N 2)) with 2.
  apply binomial_ext. intros s _. rewrite halves_binomial. apply binomial_ext. intros h Hh. unfold f.
  now replace (h + (s - h))%nat with s by lia.
Qed.

Lemma lost_most m s : (s <= S m)%nat -> lost slope fall (start m) s <= of_N slope * of_nat (S m).
Proof.
  intros Hs. unfold lost.
  rewrite <- (binomial_const half s (of_N slope * of_nat (S m))). apply binomial_le; [exact half_range|].
  intros h Hh. pose proof (of_N_nonneg slope). pose proof (of_nat_nonneg (S m)).
  assert (of_N slope * of_nat h <= of_N slope * of_nat (S m)).
  { rewrite !(Qmult_comm (of_N slope)). apply Qmult_le_compat_r; [apply of_nat_le; lia|assumption]. }
  apply Q.max_lub; [now apply Qmult_le_0_compat|].
  pose proof (of_N_nonneg (bar fall (start m) s)). lra.
Qed.

Lemma above_le g g' first F :
  (forall i, (first <= i)%nat -> g' i <= g i) -> above g first F -> above g' first F.
Proof.
  revert first. induction F as [|x F IH]; intros first H HF; [exact I|]. destruct HF as [H1 H2].
  split; [|apply IH; [intros; apply H; lia|exact H2]]. pose proof (H first ltac:(lia)). lra.
Qed.

Theorem given_high_spec x x' m :
  (x < k)%N -> (x' < k)%N -> x <> x' ->
  delta_given one K k r x x' m * of_N unit <= of_N (given_high m).
Proof.
  intros Hx Hx' D. pose proof (of_N_pos unit some_unit) as Pu.
  assert (0 <= r) as Hr by apply ratio_nonneg.
  pose proof (delta_given_range one K k ltac:(lia) ltac:(lia) ltac:(lia) r x x' m Hr Hx Hx') as [_ Le1].
  pose proof (given_binomial x x' m Hx Hx' D) as E. unfold given_high.
  set (c := N.to_nat (N.min _ _)). set (w := window_of 2 (k - 2) stop unit (S m) c).
  pose proof (rows_spec slope fall (start m) fall_smaller stop unit some_unit
    (length (inner w)) (first w)) as Rows.
  destruct (rows slope fall (start m) stop unit (length (inner w)) (first w)) as [Z F].
  destruct Rows as (PZ & LF & HF).
  set (most := (slope * N.of_nat (S m) * Z)%N).
  assert (c <= S m)%nat as Hc by (unfold c; lia).
  assert ((0 < k - 2)%N \/ c = S m) as Hv.
  { destruct (N.eq_dec k 2) as [E2|]; [right|left; lia]. unfold c. rewrite E2.
    rewrite N.div_mul by lia. lia. }
  assert (binomial (ratio 2 (2 + (k - 2))) (S m) (fun s => lost slope fall (start m) s * of_N Z) <=
    of_N (mean_high w F most)) as M.
  { apply (mean_high_spec 2 (k - 2) stop unit (S m) c some_unit eq_refl Hc Hv).
    - intros s Hs. unfold most. rewrite of_N_mul, of_N_mul. fold (of_nat (S m)).
      apply Qmult_le_compat_r; [now apply lost_most|apply of_N_nonneg].
    - exact HF.
    - exact LF. }
  set (high := mean_high w F most) in *.
  rewrite (binomial_ext _ _ _ (fun s => of_N Z * lost slope fall (start m) s)) in M by (intros; ring).
  rewrite binomial_scale, <- E in M.
  assert (delta_given one K k r x x' m * of_N unit <= of_N (up (high * unit) (scale m * Z))) as Up.
  { assert (0 < scale m * Z)%N as PS by (unfold scale; repeat apply N.mul_pos_pos; lia).
    apply scaled with (of_N (scale m * Z)); [now apply of_N_pos|].
    apply Qle_trans with (of_N (high * unit)); [|now apply up_spec].
    rewrite !of_N_mul in *.
    setoid_replace (delta_given one K k r x x' m * of_N unit * (of_N (scale m) * of_N Z))
      with (of_N Z * (delta_given one K k r x x' m * of_N (scale m)) * of_N unit) by ring.
    apply Qmult_le_compat_r; [exact M|lra]. }
  destruct (N.min_spec unit (up (high * unit) (scale m * Z))) as [[_ ->]|[_ ->]]; [|exact Up].
  assert (delta_given one K k r x x' m * of_N unit <= 1 * of_N unit)
    by (apply Qmult_le_compat_r; [exact Le1|lra]). lra.
Qed.

(** *** Given any number of uniform symbols

    Numbers in a block count as the smallest one, and none counts as more than a maximum. Blocks are
    short near the center c. *)
Variables parts near most_given : N.

Definition block (c m : nat) : N :=
  N.max (N.of_nat m / parts) (N.of_nat ((m - c) + (c - m)) / near).

Fixpoint sizes_high (c len m rest : nat) (latest : N) : list N :=
  match len with
  | O => []
  | S len =>
      match rest with
      | S rest => latest :: sizes_high c len (S m) rest latest
      | O =>
          let latest := given_high (N.to_nat (N.min (N.of_nat m) most_given)) in
          latest :: sizes_high c len (S m) (N.to_nat (block c m - 1)) latest
      end
  end.

Lemma sizes_high_spec x x' c len m rest latest :
  (x < k)%N -> (x' < k)%N -> x <> x' ->
  (rest = O \/ delta_given one K k r x x' m * of_N unit <= of_N latest) ->
  length (sizes_high c len m rest latest) = len /\
  above (fun m => delta_given one K k r x x' m * of_N unit) m (sizes_high c len m rest latest).
Proof.
  intros Hx Hx' D.
  assert (forall i j, (i <= j)%nat ->
    delta_given one K k r x x' j * of_N unit <= delta_given one K k r x x' i * of_N unit) as Falls.
  { intros i j Hij. apply Qmult_le_compat_r; [|apply of_N_nonneg].
    apply (falls_far (delta_given one K k r x x')); [|exact Hij].
    intros l. apply delta_given_falls; lia. }
  revert m rest latest. induction len as [|len IH]; intros m rest latest H; [split; [reflexivity|exact I]|].
  cbn [sizes_high]. destruct rest as [|rest].
  - set (g := given_high _).
    assert (delta_given one K k r x x' m * of_N unit <= of_N g) as Hg.
    { eapply Qle_trans; [|apply (given_high_spec x x' _ Hx Hx' D)]. apply Falls. lia. }
    destruct (IH (S m) (N.to_nat (block c m - 1)) g) as [I1 I2].
    + right. eapply Qle_trans; [apply (Falls m); lia|exact Hg].
    + cbn [length above]. split; [now rewrite I1|now split].
  - destruct H as [|H]; [discriminate|]. destruct (IH (S m) rest latest) as [I1 I2].
    + right. eapply Qle_trans; [apply (Falls m); lia|exact H].
    + cbn [length above]. split; [now rewrite I1|now split].
Qed.

(** [delta_of], at most, in units. *)
Definition one_high (n : nat) : N :=
  let c := N.to_nat (N.min (N.of_nat n) ((N.of_nat n + 1) * (one - K) / one)) in
  let w := window_of (one - K) K stop unit n c in
  mean_high w (sizes_high c (length (inner w)) (first w) 0 0) unit.

Theorem one_high_spec x x' n n' :
  (x < k)%N -> (x' < k)%N -> x <> x' -> (n <= n')%nat ->
  delta_of one K k r x x' n' * of_N unit <= of_N (one_high n).
Proof.
  intros Hx Hx' D Hn. unfold delta_of. rewrite (blanket_size_binomial one K ltac:(lia) ltac:(lia)).
  set (p := ratio (one - K) (one - K + K)).
  assert (1 - ratio K one == p) as Ep.
  { unfold p. replace (one - K + K)%N with one by lia. unfold ratio.
    fold (of_N K) (of_N one) (of_N (one - K)). rewrite of_N_sub by lia.
    pose proof (of_N_pos one ltac:(lia)). field. lra. }
  rewrite (binomial_same _ p n' _ Ep).
  assert (0 <= p <= 1) as Hp.
  { unfold p. split; [apply ratio_nonneg|]. rewrite <- (ratio_self 1) by reflexivity. apply ratio_le; lia. }
  apply Qle_trans with (binomial p n (delta_given one K k r x x') * of_N unit).
  { apply Qmult_le_compat_r; [|apply of_N_nonneg].
    apply (falls_far (fun n => binomial p n (delta_given one K k r x x'))); [|exact Hn].
    intros i. apply binomial_falls; [exact Hp|]. intros m. apply delta_given_falls; lia. }
  unfold one_high. set (c := N.to_nat (N.min _ _)). set (w := window_of (one - K) K stop unit n c).
  destruct (sizes_high_spec x x' c (length (inner w)) (first w) 0 0 Hx Hx' D (or_introl eq_refl)) as [L HF].
  rewrite Qmult_comm, <- binomial_scale.
  rewrite (binomial_ext _ _ _ (fun m => delta_given one K k r x x' m * of_N unit)) by (intros; ring).
  apply (mean_high_spec (one - K) K stop unit n c some_unit); [lia|unfold c; lia|left; lia| |exact HF|exact L].
  intros m _. pose proof (of_N_pos unit some_unit).
  assert (0 <= r) as Hr by apply ratio_nonneg.
  pose proof (delta_given_range one K k ltac:(lia) ltac:(lia) ltac:(lia) r x x' m Hr Hx Hx') as [_ Le1].
  assert (delta_given one K k r x x' m * of_N unit <= 1 * of_N unit)
    by (apply Qmult_le_compat_r; [exact Le1|lra]). lra.
Qed.

(** [group_delta], at most, in units. *)
Fixpoint group_high (delta : N) (each : nat) : N :=
  match each with
  | O => 0
  | S each => delta + up (R * group_high delta each) U
  end.

Lemma group_high_spec delta high each :
  delta * of_N unit <= of_N high -> group_delta r delta each * of_N unit <= of_N (group_high high each).
Proof.
  intros H. pose proof (of_N_pos U ltac:(lia)) as PU.
  induction each as [|each IH]; cbn [group_delta group_high].
  - change (of_N 0) with 0. lra.
  - rewrite of_N_add. set (g := group_high high each) in *.
    assert (r * (group_delta r delta each * of_N unit) <= of_N (up (R * g) U)); [|lra].
    apply Qle_trans with (r * of_N g).
    { rewrite !(Qmult_comm r). apply Qmult_le_compat_r; [exact IH|apply ratio_nonneg]. }
    apply scaled with (of_N U); [exact PU|]. eapply Qle_trans; [|apply up_spec; lia].
    unfold r, ratio. fold (of_N R) (of_N U). rewrite of_N_mul. apply Qle_lteq. right. field. lra.
Qed.

End Delta.

(** ** What is printed

    These limits only cost time: with others the numbers are other upper bounds. *)
Definition most_reports : N := 10 ^ 9.
Definition most_pairs : N := 10 ^ 6.
Definition parts : N := 2000.
Definition near : N := 32.

(** What takes the place of [e^(numerator/denominator)], at most. *)
Definition factor_low (U numerator denominator : N) : N := N.max U (exp_low U numerator denominator).

(** Delta in units: [each] of [reports] shuffled reports are one reporter's, and each loses
    numerator/denominator. *)
Definition delta_high (one K k reports : N) (each : nat) (numerator denominator U stop unit : N) : N :=
  let R := factor_low U numerator denominator in
  let n := N.to_nat (N.min reports most_reports - 1) in
  group_high R U (one_high one K k R U stop unit parts near (k * most_pairs / 2) n) each.
