(** Binomial distributions, and integers that enclose their probabilities, so that the means over a
    window are rounded up. *)

From Coq Require Import Arith Bool Lia List Lqa NArith QArith.
From Brrkit Require Import Probability Ranges Program.
Import ListNotations.
Open Scope Q_scope.

(** ** Binomial distributions *)

Definition of_nat (n : nat) : Q := of_N (N.of_nat n).

Lemma of_nat_succ n : of_nat (S n) == of_nat n + 1.
Proof. unfold of_nat. rewrite Nat2N.inj_succ. apply of_N_succ. Qed.

Lemma of_nat_nonneg n : 0 <= of_nat n.
Proof. apply of_N_nonneg. Qed.

Lemma of_nat_add n m : of_nat (n + m) == of_nat n + of_nat m.
Proof. unfold of_nat. rewrite Nat2N.inj_add. apply of_N_add. Qed.

Lemma of_nat_le n m : (n <= m)%nat -> of_nat n <= of_nat m.
Proof. intros. apply of_N_le. lia. Qed.

(** f i + ... + f (i + n - 1) *)
Fixpoint total (i n : nat) (f : nat -> Q) : Q :=
  match n with
  | O => 0
  | S n => f i + total (S i) n f
  end.

Lemma total_ext i n f g : (forall j, (i <= j < i + n)%nat -> f j == g j) -> total i n f == total i n g.
Proof.
  revert i. induction n as [|n IH]; intros i H; [reflexivity|]. cbn [total].
  rewrite (H i) by lia. rewrite (IH (S i)); [reflexivity|]. intros; apply H; lia.
Qed.

Lemma total_le i n f g : (forall j, (i <= j < i + n)%nat -> f j <= g j) -> total i n f <= total i n g.
Proof.
  revert i. induction n as [|n IH]; intros i H; [apply Qle_refl|]. cbn [total].
  apply Qplus_le_compat; [apply H; lia|]. apply IH. intros; apply H; lia.
Qed.

Lemma total_plus i n f g : total i n (fun j => f j + g j) == total i n f + total i n g.
Proof. revert i. induction n as [|n IH]; intros i; cbn [total]; [ring|]. rewrite IH. ring. Qed.

Lemma total_scale i n c f : total i n (fun j => c * f j) == c * total i n f.
Proof. revert i. induction n as [|n IH]; intros i; cbn [total]; [ring|]. rewrite IH. ring. Qed.

Lemma total_const i n c : total i n (fun _ => c) == of_nat n * c.
Proof.
  revert i. induction n as [|n IH]; intros i; cbn [total]; [change (of_nat 0) with 0; ring|].
  rewrite IH, of_nat_succ. ring.
Qed.

Lemma total_split i n m f : total i (n + m) f == total i n f + total (i + n) m f.
Proof.
  revert i. induction n as [|n IH]; intros i; cbn [total Nat.add]; [rewrite Nat.add_0_r; ring|].
  rewrite IH. replace (i + S n)%nat with (S i + n)%nat by lia. ring.
Qed.

Lemma total_shift i n f : total (S i) n f == total i n (fun j => f (S j)).
Proof. revert i. induction n as [|n IH]; intros i; cbn [total]; [reflexivity|]. now rewrite IH. Qed.

Lemma total_nonneg i n f : (forall j, 0 <= f j) -> 0 <= total i n f.
Proof.
  intros H. revert i. induction n as [|n IH]; intros i; cbn [total]; [apply Qle_refl|].
  pose proof (H i). pose proof (IH (S i)). lra.
Qed.

Fixpoint chance (p : Q) (n i : nat) : Q :=
  match n, i with
  | O, O => 1
  | O, S _ => 0
  | S n, O => (1 - p) * chance p n 0
  | S n, S i => p * chance p n i + (1 - p) * chance p n (S i)
  end.

(** The mean of f over n trials' successes. *)
Definition binomial (p : Q) (n : nat) (f : nat -> Q) : Q := total 0 (S n) (fun i => chance p n i * f i).

Lemma chance_beyond p n i : (n < i)%nat -> chance p n i == 0.
Proof.
  revert i. induction n as [|n IH]; intros [|i] H; try lia; [reflexivity|]. cbn [chance].
  rewrite !IH by lia. ring.
Qed.

Lemma chance_nonneg p n i : 0 <= p <= 1 -> 0 <= chance p n i.
Proof.
  intros Hp. revert i. induction n as [|n IH]; intros [|i]; cbn [chance]; try lra.
  - pose proof (IH 0%nat). nra.
  - pose proof (IH i). pose proof (IH (S i)). nra.
Qed.

Lemma binomial_succ p n f :
  binomial p (S n) f == p * binomial p n (fun i => f (S i)) + (1 - p) * binomial p n f.
Proof.
  unfold binomial. cbn [total]. rewrite total_shift. cbn [chance].
  rewrite (total_ext _ _ _ (fun i => p * (chance p n i * f (S i)) + (1 - p) * (chance p n (S i) * f (S i))))
    by (intros; ring).
  assert (total 0 (S n) (fun i => chance p n (S i) * f (S i)) == total 1 n (fun i => chance p n i * f i)) as E.
  { rewrite <- (total_shift 0 (S n) (fun i => chance p n i * f i)).
    replace (S n) with (n + 1)%nat by lia. rewrite total_split. cbn [total Nat.add].
    rewrite chance_beyond by lia. ring. }
  rewrite total_plus, !total_scale. cbn [total] in E. rewrite <- E. ring.
Qed.

Lemma binomial_0 p f : binomial p 0 f == f 0%nat.
Proof. unfold binomial. cbn. ring. Qed.

Lemma binomial_ext p n f g : (forall i, (i <= n)%nat -> f i == g i) -> binomial p n f == binomial p n g.
Proof. intros H. apply total_ext. intros i Hi. rewrite H by lia. reflexivity. Qed.

Lemma binomial_le p n f g :
  0 <= p <= 1 -> (forall i, (i <= n)%nat -> f i <= g i) -> binomial p n f <= binomial p n g.
Proof.
  intros Hp H. apply total_le. intros i Hi. rewrite !(Qmult_comm (chance p n i)).
  apply Qmult_le_compat_r; [apply H; lia|now apply chance_nonneg].
Qed.

Lemma binomial_plus p n f g : binomial p n (fun i => f i + g i) == binomial p n f + binomial p n g.
Proof. unfold binomial. rewrite <- total_plus. apply total_ext. intros; ring. Qed.

Lemma binomial_scale p n c f : binomial p n (fun i => c * f i) == c * binomial p n f.
Proof. unfold binomial. rewrite <- total_scale. apply total_ext. intros; ring. Qed.

Lemma binomial_const p n c : binomial p n (fun _ => c) == c.
Proof.
  induction n as [|n IH]; [apply binomial_0|]. rewrite binomial_succ, !IH. ring.
Qed.

Lemma chances_sum p n : total 0 (S n) (chance p n) == 1.
Proof. rewrite <- (binomial_const p n 1). apply total_ext. intros; ring. Qed.

Lemma binomial_select p n j :
  binomial p n (fun i => if (i =? j)%nat then 1 else 0) == chance p n j.
Proof.
  revert j. induction n as [|n IH]; intros j.
  - rewrite binomial_0. destruct j; reflexivity.
  - rewrite binomial_succ, IH. destruct j as [|j]; cbn [chance Nat.eqb].
    + rewrite binomial_const. ring.
    + rewrite (IH j). reflexivity.
Qed.

(** Neighbors' ratio. *)
Lemma chance_step p n i :
  of_nat (S i) * (1 - p) * chance p n (S i) == (of_nat n - of_nat i) * p * chance p n i.
Proof.
  revert i. induction n as [|n IH]; intros i.
  - destruct i; cbn [chance]; change (of_nat 0) with 0; ring.
  - cbn [chance]. pose proof (IH i) as H. rewrite of_nat_succ in H |- *.
    destruct i as [|i]; cbn [chance].
    + change (of_nat 0) with 0 in *. rewrite (of_nat_succ n).
      setoid_replace ((0 + 1) * (1 - p) * (p * chance p n 0 + (1 - p) * chance p n 1))
        with ((1 - p) * p * chance p n 0 + (1 - p) * ((0 + 1) * (1 - p) * chance p n 1)) by ring.
      rewrite H. ring.
    + pose proof (IH i) as H'. rewrite (of_nat_succ n), (of_nat_succ i) in *.
      setoid_replace ((of_nat i + 1 + 1) * (1 - p) * (p * chance p n (S i) + (1 - p) * chance p n (S (S i))))
        with ((of_nat i + 1 + 1) * (1 - p) * p * chance p n (S i) +
          (1 - p) * ((of_nat i + 1 + 1) * (1 - p) * chance p n (S (S i)))) by ring.
      rewrite H.
      setoid_replace ((of_nat n + 1 - (of_nat i + 1)) * p * (p * chance p n i + (1 - p) * chance p n (S i)))
        with (p * ((of_nat n - of_nat i) * p * chance p n i) +
          (of_nat n - of_nat i) * p * (1 - p) * chance p n (S i)) by ring.
      rewrite <- H'. ring.
Qed.

(** ** Integers that enclose probabilities *)

(** Divided and rounded up. *)
Definition up (a b : N) : N := ((a + b - 1) / b)%N.

Lemma up_spec a b : (0 < b)%N -> of_N a <= of_N (up a b) * of_N b.
Proof.
  intros Hb. rewrite <- of_N_mul. apply of_N_le. unfold up.
  pose proof (N.div_mod (a + b - 1) b ltac:(lia)) as E.
  pose proof (N.mod_lt (a + b - 1) b ltac:(lia)). nia.
Qed.

Lemma down_spec a b : of_N (a / b) * of_N b <= of_N a.
Proof.
  rewrite <- of_N_mul. apply of_N_le. rewrite N.mul_comm.
  destruct (N.eq_dec b 0) as [->|Hb]; [lia|now apply N.mul_div_le].
Qed.

Section Enclosed.

Variable e : Q. (** the value of one unit of the integers *)
Hypothesis e_nonneg : 0 <= e.

Definition inside (lo hi : N) (x : Q) : Prop := of_N lo * e <= x <= of_N hi * e.

Lemma scaled x y c : 0 < c -> x * c <= y * c -> x <= y.
Proof. intros Hc H. now apply Qmult_le_r with c. Qed.

(** x' = x * num / den *)
Lemma inside_step lo hi x x' num den :
  (0 < den)%N -> inside lo hi x -> x' * of_N den == x * of_N num ->
  inside (lo * num / den) (up (hi * num) den) x'.
Proof.
  intros Hd [H1 H2] E. pose proof (of_N_pos den Hd). pose proof (of_N_nonneg num).
  split; apply scaled with (of_N den); try assumption; rewrite E.
  - pose proof (down_spec (lo * num) den) as D. rewrite of_N_mul in D.
    apply Qle_trans with (of_N lo * of_N num * e).
    + setoid_replace (of_N (lo * num / den) * e * of_N den) with (of_N (lo * num / den) * of_N den * e) by ring.
      now apply Qmult_le_compat_r.
    + setoid_replace (of_N lo * of_N num * e) with (of_N lo * e * of_N num) by ring.
      now apply Qmult_le_compat_r.
  - pose proof (up_spec (hi * num) den Hd) as D. rewrite of_N_mul in D.
    apply Qle_trans with (of_N hi * of_N num * e).
    + setoid_replace (of_N hi * of_N num * e) with (of_N hi * e * of_N num) by ring.
      now apply Qmult_le_compat_r.
    + setoid_replace (of_N (up (hi * num) den) * e * of_N den) with (of_N (up (hi * num) den) * of_N den * e) by ring.
      now apply Qmult_le_compat_r.
Qed.

Definition entries := list (N * N).

Fixpoint inside_all (b : nat -> Q) (first : nat) (l : entries) : Prop :=
  match l with
  | [] => True
  | (lo, hi) :: l => inside lo hi (b first) /\ inside_all b (S first) l
  end.

Fixpoint sum_low (l : entries) : N :=
  match l with [] => 0 | (lo, _) :: l => lo + sum_low l end.
Fixpoint sum_high (l : entries) : N :=
  match l with [] => 0 | (_, hi) :: l => hi + sum_high l end.

Lemma sums_inside b first l :
  inside_all b first l -> inside (sum_low l) (sum_high l) (total first (length l) b).
Proof.
  revert first. induction l as [|[lo hi] l IH]; intros first H.
  - unfold inside. cbn. change (of_N 0) with 0. lra.
  - destruct H as [H1 H2]. specialize (IH _ H2). unfold inside in *. cbn [sum_low sum_high length total].
    rewrite !of_N_add. lra.
Qed.

End Enclosed.

(** *** Walking away from a number, until the rest is small

    A success has the probability u/(u+v). Weights are relative to those of the number where the
    walk began, and end where they are at most [stop] and fall. *)
Section Walks.

Variables u v stop : N.
Variable n : nat.

Let size (i : nat) : N := N.of_nat i.

(** An upper bound on the weights beyond, and the weights after i. *)
Fixpoint climb (fuel i : nat) (lo hi : N) : N * entries :=
  match fuel with
  | O => (0%N, [])
  | S fuel =>
      let num := (size (n - i) * u)%N in
      let den := (size (S i) * v)%N in
      if (hi <=? stop)%N && (num <=? den)%N then ((size (n - i) * hi)%N, [])
      else
        let lo' := (lo * num / den)%N in
        let hi' := up (hi * num) den in
        let (beyond, l) := climb fuel (S i) lo' hi' in (beyond, (lo', hi') :: l)
  end.

(** An upper bound on the weights below, the first number, and the weights up to i before those in
    [l]. *)
Fixpoint descend (i : nat) (lo hi : N) (l : entries) : N * nat * entries :=
  match i with
  | O => (0%N, O, (lo, hi) :: l)
  | S j =>
      let num := (size i * v)%N in
      let den := (size (n - j) * u)%N in
      if (hi <=? stop)%N && (num <=? den)%N then ((size i * hi)%N, i, (lo, hi) :: l)
      else descend j (lo * num / den)%N (up (hi * num) den) ((lo, hi) :: l)
  end.

Variable e : Q.
Hypothesis e_nonneg : 0 <= e.
Variable b : nat -> Q.
Hypothesis b_nonneg : forall i, 0 <= b i.
Hypothesis b_step : forall i, (i <= n)%nat ->
  of_N (size (S i) * v) * b (S i) == of_N (size (n - i) * u) * b i.
Hypothesis b_beyond : forall i, (n < i)%nat -> b i == 0.

Lemma falls_above i j :
  (0 < v)%N -> (size (n - i) * u <= size (S i) * v)%N -> (i <= j)%nat -> b j <= b i.
Proof.
  intros Hv H Hij. induction Hij as [|j Hij IH]; [apply Qle_refl|].
  apply Qle_trans with (b j); [|exact IH].
  destruct (le_lt_dec j n) as [Hj|Hj]; [|rewrite b_beyond by lia; apply b_nonneg].
  apply scaled with (of_N (size (S j) * v)); [apply of_N_pos; unfold size; nia|].
  rewrite Qmult_comm, b_step by exact Hj. rewrite Qmult_comm.
  rewrite !(Qmult_comm (b j)). apply Qmult_le_compat_r; [|apply b_nonneg].
  apply of_N_le. unfold size in *. nia.
Qed.

Lemma falls_below i j :
  (0 < u)%N -> (0 < i <= n)%nat -> (size i * v <= size (n - (i - 1)) * u)%N -> (j <= i)%nat -> b j <= b i.
Proof.
  intros Hu Hi H Hj. replace j with (i - (i - j))%nat by lia.
  assert (i - j <= i)%nat as Hd by lia. clear Hj. revert Hd. generalize (i - j)%nat. clear j.
  induction n0 as [|d IH]; intros Hd; [rewrite Nat.sub_0_r; apply Qle_refl|].
  apply Qle_trans with (b (i - d)%nat); [|apply IH; lia]. clear IH.
  set (j := (i - S d)%nat). replace (i - d)%nat with (S j) by lia.
  apply scaled with (of_N (size (n - j) * u)); [apply of_N_pos; unfold size; nia|].
  rewrite Qmult_comm, <- b_step by lia. rewrite !(Qmult_comm _ (b (S j))), (Qmult_comm (b (S j))).
  rewrite (Qmult_comm (b (S j))). apply Qmult_le_compat_r; [|apply b_nonneg].
  apply of_N_le. unfold size in *. nia.
Qed.

Lemma climb_spec fuel i lo hi :
  (fuel = n - i)%nat -> (i <= n)%nat -> ((0 < v)%N \/ i = n) -> inside e lo hi (b i) ->
  let (beyond, l) := climb fuel i lo hi in
  inside_all e b (S i) l /\ (i + length l <= n)%nat /\
  total (S (i + length l)) (n - (i + length l)) b <= of_N beyond * e.
Proof.
  revert i lo hi. induction fuel as [|fuel IH]; intros i lo hi Hf Hi Hv H; cbn [climb].
  - cbn [length inside_all]. rewrite Nat.add_0_r, <- Hf. cbn [total]. change (of_N 0) with 0.
    repeat split; [exact Hi|lra].
  - destruct Hv as [Hv| ->]; [|lia].
    destruct ((hi <=? stop)%N && (size (n - i) * u <=? size (S i) * v)%N) eqn:Stop.
    + apply andb_true_iff in Stop as [_ Stop]. apply N.leb_le in Stop.
      cbn [length inside_all]. rewrite Nat.add_0_r. repeat split; [exact Hi|].
      apply Qle_trans with (total (S i) (n - i) (fun _ => b i)).
      * apply total_le. intros j Hj. apply falls_above; [exact Hv|exact Stop|lia].
      * rewrite total_const, of_N_mul. fold (of_nat (n - i)). unfold size. fold (of_nat (n - i)).
        destruct H as [_ H]. rewrite <- Qmult_assoc, !(Qmult_comm (of_nat (n - i))).
        apply Qmult_le_compat_r; [exact H|apply of_nat_nonneg].
    + specialize (IH (S i) (lo * (size (n - i) * u) / (size (S i) * v))%N
        (up (hi * (size (n - i) * u)) (size (S i) * v)) ltac:(lia) ltac:(lia) (or_introl Hv)).
      assert (inside e (lo * (size (n - i) * u) / (size (S i) * v))
        (up (hi * (size (n - i) * u)) (size (S i) * v)) (b (S i))) as Next.
      { apply (inside_step e e_nonneg _ _ (b i)); [unfold size; nia|exact H|].
        rewrite Qmult_comm, b_step by lia. ring. }
      specialize (IH Next). destruct (climb _ _ _ _) as [beyond l]. destruct IH as (I1 & I2 & I3).
      cbn [length inside_all]. replace (i + S (length l))%nat with (S i + length l)%nat by lia.
      repeat split; try assumption; apply Next.
Qed.

Lemma descend_spec i lo hi l :
  (0 < u)%N -> (i <= n)%nat -> inside e lo hi (b i) -> inside_all e b (S i) l ->
  let '(below, first, l') := descend i lo hi l in
  inside_all e b first l' /\ (first + length l' = S i + length l)%nat /\
  total 0 first b <= of_N below * e.
Proof.
  intros Hu. revert lo hi l. induction i as [|j IH]; intros lo hi l Hi H Hl.
  - cbn. change (of_N 0) with 0. repeat split; try apply H; try assumption. lra.
  - cbn [descend].
    destruct ((hi <=? stop)%N && (size (S j) * v <=? size (n - j) * u)%N) eqn:Stop.
    + apply andb_true_iff in Stop as [_ Stop]. apply N.leb_le in Stop.
      cbn [inside_all length]. split; [now split|]. split; [lia|].
      apply Qle_trans with (total 0 (S j) (fun _ => b (S j))).
      * apply total_le. intros i Hj. apply falls_below; try exact Hu; try lia.
        replace (n - (S j - 1))%nat with (n - j)%nat by lia. exact Stop.
      * rewrite total_const, of_N_mul. unfold size. fold (of_nat (S j)).
        destruct H as [_ H]. rewrite <- Qmult_assoc, !(Qmult_comm (of_nat (S j))).
        apply Qmult_le_compat_r; [exact H|apply of_nat_nonneg].
    + specialize (IH (lo * (size (S j) * v) / (size (n - j) * u))%N
        (up (hi * (size (S j) * v)) (size (n - j) * u)) ((lo, hi) :: l) ltac:(lia)).
      assert (inside e (lo * (size (S j) * v) / (size (n - j) * u))
        (up (hi * (size (S j) * v)) (size (n - j) * u)) (b j)) as Next.
      { apply (inside_step e e_nonneg _ _ (b (S j))); [unfold size; nia|exact H|].
        rewrite Qmult_comm, <- b_step by lia. ring. }
      specialize (IH Next (conj H Hl)). destruct (descend _ _ _ _) as [[below first] l'].
      destruct IH as (I1 & I2 & I3). cbn [length] in I2. repeat split; try assumption. lia.
Qed.

End Walks.

(** *** A binomial distribution in a window *)

(** An upper bound on the weights beyond the window. *)
Fixpoint above (g : nat -> Q) (first : nat) (F : list N) : Prop :=
  match F with
  | [] => True
  | x :: F => g first <= of_N x /\ above g (S first) F
  end.

Fixpoint weigh (l : entries) (F : list N) : N :=
  match l, F with
  | (_, hi) :: l, x :: F => hi * x + weigh l F
  | _, _ => 0
  end.

Record window := Window { outside : N; first : nat; inner : entries }.

Definition window_of (u v stop unit : N) (n c : nat) : window :=
  let (beyond, l) := climb u v stop n (n - c) c unit unit in
  let '(below, first, l) := descend u v stop n c unit unit l in
  Window (below + beyond) first l.

(** The mean of a function that [F] bounds inside the window, and [most] outside. *)
Definition mean_high (w : window) (F : list N) (most : N) : N :=
  up (weigh (inner w) F + outside w * most) (sum_low (inner w)).

Lemma weigh_spec e b g l F first :
  0 <= e -> (forall i, 0 <= b i) -> inside_all e b first l -> above g first F -> length F = length l ->
  total first (length l) (fun i => b i * g i) <= of_N (weigh l F) * e.
Proof.
  intros He Hb. revert first F. induction l as [|[lo hi] l IH]; intros first F Hl HF L.
  - cbn [length total weigh]. change (of_N 0) with 0. lra.
  - destruct F as [|x F]; [discriminate|]. destruct Hl as [[_ H1] H2], HF as [H3 H4]. injection L as L.
    specialize (IH _ _ H2 H4 L).
    cbn [length total weigh]. rewrite of_N_add, of_N_mul. pose proof (Hb first). pose proof (of_N_nonneg x).
    assert (b first * g first <= b first * of_N x)
      by (rewrite !(Qmult_comm (b first)); now apply Qmult_le_compat_r).
    assert (b first * of_N x <= of_N hi * e * of_N x) by now apply Qmult_le_compat_r.
    lra.
Qed.

Lemma descend_low u v stop n i lo hi l :
  (lo + sum_low l <= sum_low (snd (descend u v stop n i lo hi l)))%N.
Proof.
  revert lo hi l. induction i as [|j IH]; intros lo hi l; cbn [descend]; [reflexivity|].
  destruct (_ && _); [reflexivity|].
  eapply N.le_trans; [|apply IH]. cbn [sum_low]. apply N.le_add_l.
Qed.

Section Window.

Variables u v stop unit : N.
Variables n c : nat.
Hypothesis some_unit : (0 < unit)%N.
Hypothesis u_positive : (0 < u)%N.
Hypothesis c_fits : (c <= n)%nat.
Hypothesis v_positive : (0 < v)%N \/ c = n.

Let p := ratio u (u + v).
Let w := window_of u v stop unit n c.

Lemma sum_positive : 0 < of_N (u + v).
Proof. apply of_N_pos. lia. Qed.

Lemma p_range : 0 <= p <= 1.
Proof.
  split; [apply ratio_nonneg|]. rewrite <- (ratio_self 1) by reflexivity. apply ratio_le; lia.
Qed.

Lemma chance_falls i : (i <= n)%nat ->
  of_N (N.of_nat (S i) * v) * chance p n (S i) == of_N (N.of_nat (n - i) * u) * chance p n i.
Proof.
  intros Hi. pose proof sum_positive as P. pose proof (chance_step p n i) as E.
  assert (p * of_N (u + v) == of_N u) as Eu by (unfold p, ratio; fold (of_N u) (of_N (u + v)); field; lra).
  assert ((1 - p) * of_N (u + v) == of_N v) as Ev.
  { setoid_replace ((1 - p) * of_N (u + v)) with (of_N (u + v) - p * of_N (u + v)) by ring.
    rewrite Eu, of_N_add. ring. }
  rewrite !of_N_mul, <- Eu, <- Ev. fold (of_nat (S i)). unfold of_nat in *.
  assert (of_N (N.of_nat (n - i)) == of_N (N.of_nat n) - of_N (N.of_nat i)) as ->.
  { rewrite Nat2N.inj_sub. apply of_N_sub. lia. }
  setoid_replace (of_N (N.of_nat (S i)) * ((1 - p) * of_N (u + v)) * chance p n (S i))
    with (of_N (u + v) * (of_N (N.of_nat (S i)) * (1 - p) * chance p n (S i))) by ring.
  rewrite E. ring.
Qed.

Lemma window_spec : exists e, 0 <= e /\ (0 < sum_low (inner w))%N /\
  of_N (sum_low (inner w)) * e <= 1 /\
  inside_all e (chance p n) (first w) (inner w) /\ (first w + length (inner w) <= S n)%nat /\
  total 0 (first w) (chance p n) +
    total (first w + length (inner w)) (S n - (first w + length (inner w))) (chance p n) <=
  of_N (outside w) * e.
Proof.
  pose proof (of_N_pos unit some_unit) as Pu. set (b := chance p n).
  assert (forall i, 0 <= b i) as Hb by (intros; apply chance_nonneg, p_range).
  exists (b c / of_N unit).
  assert (0 <= b c / of_N unit) as He by (apply Qmult_le_0_compat; [apply Hb|apply inverse_nonneg]).
  set (e := b c / of_N unit) in *.
  assert (inside e unit unit (b c)) as Hc.
  { unfold inside, e. assert (of_N unit * (b c / of_N unit) == b c) as -> by (field; lra). lra. }
  unfold w, window_of.
  pose proof (climb_spec u v stop n e He b Hb chance_falls (chance_beyond p n) (n - c) c unit unit
    eq_refl c_fits v_positive Hc) as Up.
  destruct (climb u v stop n (n - c) c unit unit) as [beyond l]. destruct Up as (U1 & U2 & U3).
  pose proof (descend_spec u v stop n e He b Hb chance_falls c unit unit l u_positive c_fits Hc U1) as Down.
  pose proof (descend_low u v stop n c unit unit l) as Low.
  destruct (descend u v stop n c unit unit l) as [[below f] l'].
  destruct Down as (D1 & D2 & D3). cbn [inner first outside snd] in *.
  repeat split; try assumption; try lia.
  - apply Qle_trans with (total f (length l') b); [apply (sums_inside e b f l' D1)|].
    rewrite <- (chances_sum p n). replace (S n) with (f + (length l' + (S n - (f + length l'))))%nat by lia.
    rewrite !total_split. fold b. pose proof (total_nonneg 0 f b Hb).
    pose proof (total_nonneg (0 + f + length l') (S n - (f + length l')) b Hb). cbn [Nat.add] in *. lra.
  - rewrite D2. replace (S n - (S c + length l))%nat with (n - (c + length l))%nat by lia.
    cbn [Nat.add] in *. rewrite of_N_add. lra.
Qed.

Theorem mean_high_spec g F most :
  (forall i, (i <= n)%nat -> g i <= of_N most) ->
  above g (first w) F -> length F = length (inner w) ->
  binomial p n g <= of_N (mean_high w F most).
Proof.
  intros Hmost HF L. destruct window_spec as (e & He & Plow & Low & In & Fits & Out).
  unfold mean_high. set (W := (weigh (inner w) F + outside w * most)%N).
  assert (forall i, 0 <= chance p n i) as Hb by (intros; apply chance_nonneg, p_range).
  assert (binomial p n g <= of_N W * e) as H.
  { unfold binomial, W. set (len := length (inner w)) in *.
    replace (S n) with (first w + (len + (S n - (first w + len))))%nat by lia.
    rewrite !total_split. cbn [Nat.add].
    pose proof (weigh_spec e (chance p n) g _ _ _ He Hb In HF L) as Mid. fold len in Mid.
    assert (forall i len', (i + len' <= S n)%nat -> total i len' (fun j => chance p n j * g j) <=
      of_N most * total i len' (chance p n)) as Rest.
    { intros i len' Hl. rewrite <- total_scale. apply total_le. intros j Hj.
      rewrite (Qmult_comm (chance p n j)). apply Qmult_le_compat_r; [apply Hmost; lia|apply Hb]. }
    pose proof (Rest 0%nat (first w) ltac:(lia)) as R1.
    pose proof (Rest (first w + len)%nat (S n - (first w + len))%nat ltac:(lia)) as R2.
    pose proof (of_N_nonneg most).
    set (t1 := total 0 (first w) (chance p n)) in *.
    set (t2 := total (first w + len) (S n - (first w + len)) (chance p n)) in *.
    assert (of_N most * (t1 + t2) <= of_N most * (of_N (outside w) * e))
      by (rewrite !(Qmult_comm (of_N most)); now apply Qmult_le_compat_r).
    rewrite of_N_add, of_N_mul. lra. }
  apply Qle_trans with (of_N W * e); [exact H|].
  pose proof (up_spec W _ Plow) as Up. set (m := up W (sum_low (inner w))) in *.
  apply Qle_trans with (of_N m * of_N (sum_low (inner w)) * e); [now apply Qmult_le_compat_r|].
  pose proof (of_N_nonneg m).
  assert (of_N m * (of_N (sum_low (inner w)) * e) <= of_N m * 1)
    by (rewrite !(Qmult_comm (of_N m)); now apply Qmult_le_compat_r).
  lra.
Qed.

End Window.
