(** Finite sums of rationals over the integers below a bound.

    A bound is a binary number up to 2^64. Nothing here is computed, only proven. *)

From Coq Require Import QArith Qfield Lqa Lia NArith List Setoid Morphisms.
Import ListNotations.
Open Scope Q_scope.

(** [range_sum n f] is f 0 + ... + f (n - 1). *)
Definition range_sum (n : N) (f : N -> Q) : Q :=
  N.peano_rect (fun _ => Q) 0 (fun i s => s + f i) n.

Definition of_N (n : N) : Q := inject_Z (Z.of_N n).

(** 1 if a decidable statement holds, otherwise 0. *)
Definition indicator (b : bool) : Q := if b then 1 else 0.

Lemma of_N_add a b : of_N (a + b) == of_N a + of_N b.
Proof. unfold of_N. rewrite N2Z.inj_add, inject_Z_plus. reflexivity. Qed.

Lemma of_N_mul a b : of_N (a * b) == of_N a * of_N b.
Proof. unfold of_N. rewrite N2Z.inj_mul, inject_Z_mult. reflexivity. Qed.

Lemma of_N_succ a : of_N (N.succ a) == of_N a + 1.
Proof. rewrite <- N.add_1_r, of_N_add. reflexivity. Qed.

Lemma of_N_nonneg a : 0 <= of_N a.
Proof. unfold of_N, Qle, inject_Z. simpl. lia. Qed.

Lemma of_N_pos a : (0 < a)%N -> 0 < of_N a.
Proof. unfold of_N, Qlt, inject_Z. simpl. lia. Qed.

Lemma of_N_power_pos k : 0 < of_N (2 ^ k).
Proof. apply of_N_pos. pose proof (N.pow_nonzero 2 k). lia. Qed.

Lemma of_N_le a b : (a <= b)%N -> of_N a <= of_N b.
Proof. unfold of_N, Qle, inject_Z. simpl. lia. Qed.

Lemma of_N_sub a b : (b <= a)%N -> of_N (a - b) == of_N a - of_N b.
Proof.
  intros H. assert (E : of_N a == of_N (a - b) + of_N b)
    by (rewrite <- of_N_add; replace (a - b + b)%N with a by lia; reflexivity).
  rewrite E. ring.
Qed.

Lemma range_0 f : range_sum 0 f = 0.
Proof. reflexivity. Qed.

Lemma range_succ n f : range_sum (N.succ n) f = range_sum n f + f n.
Proof. unfold range_sum. rewrite N.peano_rect_succ. reflexivity. Qed.

Lemma range_ext n f g : (forall i, (i < n)%N -> f i == g i) -> range_sum n f == range_sum n g.
Proof.
  induction n using N.peano_ind; intros H; [reflexivity|].
  rewrite !range_succ, IHn, (H n) by (intros; try apply H; lia). reflexivity.
Qed.

Lemma range_le n f g : (forall i, (i < n)%N -> f i <= g i) -> range_sum n f <= range_sum n g.
Proof.
  induction n using N.peano_ind; intros H; [apply Qle_refl|].
  rewrite !range_succ. apply Qplus_le_compat; [apply IHn; intros|]; apply H; lia.
Qed.

Lemma range_nonneg n f : (forall i, (i < n)%N -> 0 <= f i) -> 0 <= range_sum n f.
Proof.
  induction n using N.peano_ind; intros H; [apply Qle_refl|].
  rewrite range_succ. assert (0 <= range_sum n f) by (apply IHn; intros; apply H; lia).
  assert (0 <= f n) by (apply H; lia). lra.
Qed.

Lemma range_const n c : range_sum n (fun _ => c) == of_N n * c.
Proof.
  induction n using N.peano_ind; [rewrite range_0; change (of_N 0) with 0; ring|].
  rewrite range_succ, IHn, of_N_succ. ring.
Qed.

Lemma range_zero n f : (forall i, (i < n)%N -> f i == 0) -> range_sum n f == 0.
Proof. intros H. rewrite (range_ext n f (fun _ => 0)) by exact H. rewrite range_const. ring. Qed.

Lemma range_plus n f g : range_sum n (fun i => f i + g i) == range_sum n f + range_sum n g.
Proof.
  induction n using N.peano_ind; [rewrite !range_0; ring|]. rewrite !range_succ, IHn. ring.
Qed.

Lemma range_scale n c f : range_sum n (fun i => c * f i) == c * range_sum n f.
Proof.
  induction n using N.peano_ind; [rewrite !range_0; ring|]. rewrite !range_succ, IHn. ring.
Qed.

Lemma range_split a b f : range_sum (a + b) f == range_sum a f + range_sum b (fun i => f (a + i)%N).
Proof.
  induction b using N.peano_ind; [rewrite N.add_0_r, range_0; ring|].
  rewrite N.add_succ_r, !range_succ, IHb. ring.
Qed.

(** The integers below q b are q blocks of b. *)
Lemma range_blocks q b f : range_sum (q * b) f == range_sum q (fun i => range_sum b (fun j => f (i * b + j)%N)).
Proof.
  induction q using N.peano_ind; [reflexivity|].
  rewrite N.mul_succ_l, range_split, range_succ, IHq. reflexivity.
Qed.

(** Exactly one integer below n is y. *)
Lemma range_select n y f :
  (y < n)%N -> range_sum n (fun i => if (i =? y)%N then f i else 0) == f y.
Proof.
  revert y. induction n using N.peano_ind; intros y H; [lia|].
  rewrite range_succ. destruct (N.eqb_spec n y) as [->|E].
  - rewrite range_zero; [ring|]. intros i Hi. destruct (N.eqb_spec i y); [lia|reflexivity].
  - rewrite IHn by lia. ring.
Qed.

(** Of the integers below n, T are below T. *)
Lemma range_threshold n t (x y : Q) :
  (t <= n)%N -> range_sum n (fun i => if (i <? t)%N then x else y) == of_N t * x + of_N (n - t) * y.
Proof.
  intros H. replace n with (t + (n - t))%N at 1 by lia. rewrite range_split.
  rewrite (range_ext t _ (fun _ => x)), (range_ext (n - t) _ (fun _ => y)), !range_const; [reflexivity| |].
  - intros. destruct (N.ltb_spec (t + i) t); [lia|reflexivity].
  - intros. destruct (N.ltb_spec i t); [reflexivity|lia].
Qed.

(** u and v change places, and everything else stays. *)
Definition exchange (u v i : N) : N := (if i =? u then v else if i =? v then u else i)%N.

Lemma exchange_below n u v i : (u < n)%N -> (v < n)%N -> (i < n)%N -> (exchange u v i < n)%N.
Proof. unfold exchange. destruct (i =? u)%N, (i =? v)%N; auto. Qed.

(** A sum doesn't depend on the order. *)
Lemma range_exchange n u v f :
  (u < n)%N -> (v < n)%N -> range_sum n (fun i => f (exchange u v i)) == range_sum n f.
Proof.
  intros Hu Hv. destruct (N.eqb_spec u v) as [->|Different].
  { apply range_ext. intros i _. unfold exchange. destruct (N.eqb_spec i v) as [->|]; reflexivity. }
  rewrite (range_ext n _ (fun i => f i + (if (i =? u)%N then f v - f u else 0) +
    (if (i =? v)%N then f u - f v else 0))).
  - rewrite !range_plus, (range_select n u (fun _ => f v - f u)),
      (range_select n v (fun _ => f u - f v)) by assumption. ring.
  - intros i _. unfold exchange.
    destruct (N.eqb_spec i u), (N.eqb_spec i v); subst;
      try contradiction; ring.
Qed.

(** Prevents the computation of a sum over 2^64 integers. *)
#[global] Opaque range_sum.
