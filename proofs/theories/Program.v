(** Programs that draw uniform integers, and the probabilities of their releases.

    The model of randomness: each draw gives every integer below its bound with the same
    probability, whatever was drawn before. [Uniform.v] proves that
    [brrkit.randomness.uniform_below] does so, if random bytes are uniform and independent. *)

From Coq Require Import QArith Qfield Lqa Lia NArith List Setoid Morphisms.
From Brrkit Require Import Ranges.
Import ListNotations.
Open Scope Q_scope.

Inductive program (A : Type) : Type :=
| Return (a : A)
| Uniform (bound : N) (next : N -> program A).
Arguments Return {A}.
Arguments Uniform {A}.

Fixpoint bind {A B} (p : program A) (f : A -> program B) : program B :=
  match p with
  | Return a => f a
  | Uniform b next => Uniform b (fun i => bind (next i) f)
  end.
Notation "x <- p ;; q" := (bind p (fun x => q)) (at level 61, p at next level, right associativity).

(** One uniform integer. *)
Definition uniform_integer (b : N) : program N := Uniform b Return.

(** Every bound is positive, as [uniform_below] requires. *)
Fixpoint draws_exist {A} (p : program A) : Prop :=
  match p with
  | Return _ => True
  | Uniform b next => (0 < b)%N /\ forall i, (i < b)%N -> draws_exist (next i)
  end.

(** The mean of [g] over a program's releases. *)
Fixpoint mean {A} (p : program A) (g : A -> Q) : Q :=
  match p with
  | Return a => g a
  | Uniform b next => range_sum b (fun i => mean (next i) g) / of_N b
  end.

(** The probability that a program's release is in the set [event]. *)
Definition Pr {A} (p : program A) (event : A -> bool) : Q :=
  mean p (fun a => indicator (event a)).

Lemma mean_bind {A B} (p : program A) (f : A -> program B) g :
  mean (bind p f) g == mean p (fun a => mean (f a) g).
Proof.
  induction p as [a|b next IH]; cbn; [reflexivity|].
  apply Qmult_comp; [|reflexivity]. apply range_ext. intros. apply IH.
Qed.

Lemma mean_ext {A} (p : program A) g h : (forall a, g a == h a) -> mean p g == mean p h.
Proof.
  intros H. induction p as [a|b next IH]; cbn; [apply H|].
  apply Qmult_comp; [|reflexivity]. apply range_ext. intros. apply IH.
Qed.

Lemma inverse_nonneg b : 0 <= / of_N b.
Proof. apply Qinv_le_0_compat, of_N_nonneg. Qed.

Lemma mean_le {A} (p : program A) g h : (forall a, g a <= h a) -> mean p g <= mean p h.
Proof.
  intros H. induction p as [a|b next IH]; cbn; [apply H|].
  apply Qmult_le_compat_r; [|apply inverse_nonneg]. apply range_le. intros. apply IH.
Qed.

Lemma mean_nonneg {A} (p : program A) g : (forall a, 0 <= g a) -> 0 <= mean p g.
Proof.
  intros H. induction p as [a|b next IH]; cbn; [apply H|].
  apply Qmult_le_0_compat; [|apply inverse_nonneg]. apply range_nonneg. intros. apply IH.
Qed.

Lemma mean_plus {A} (p : program A) g h : mean p (fun a => g a + h a) == mean p g + mean p h.
Proof.
  induction p as [a|b next IH]; cbn; [reflexivity|].
  rewrite (range_ext b _ (fun i => mean (next i) g + mean (next i) h)) by (intros; apply IH).
  rewrite range_plus. unfold Qdiv. ring.
Qed.

Lemma mean_scale {A} (p : program A) c g : mean p (fun a => c * g a) == c * mean p g.
Proof.
  induction p as [a|b next IH]; cbn; [reflexivity|].
  rewrite (range_ext b _ (fun i => c * mean (next i) g)) by (intros; apply IH).
  rewrite range_scale. unfold Qdiv. ring.
Qed.

Lemma mean_const {A} (p : program A) c : draws_exist p -> mean p (fun _ => c) == c.
Proof.
  induction p as [a|b next IH]; cbn; intros H; [reflexivity|]. destruct H as [Hb H].
  rewrite (range_ext b _ (fun _ => c)) by (intros; apply IH, H; assumption).
  rewrite range_const. field. pose proof (of_N_pos b Hb). lra.
Qed.

Lemma mean_sum {A} (p : program A) n (g : N -> A -> Q) :
  mean p (fun a => range_sum n (fun i => g i a)) == range_sum n (fun i => mean p (g i)).
Proof.
  induction n using N.peano_ind.
  - rewrite range_0, (mean_ext p _ (fun _ => 0 * 0)) by (intros; rewrite range_0; ring).
    rewrite (mean_scale p 0 (fun _ => 0)). ring.
  - rewrite range_succ, <- IHn, <- mean_plus. apply mean_ext. intros. rewrite range_succ. reflexivity.
Qed.

(** Independent draws can be made in any order. *)
Lemma mean_swap {A B} (p : program A) (q : program B) (g : A -> B -> Q) :
  mean p (fun a => mean q (g a)) == mean q (fun b => mean p (fun a => g a b)).
Proof.
  induction p as [a|b next IH]; cbn; [reflexivity|].
  rewrite (range_ext b _ (fun i => mean q (fun x => mean (next i) (fun a => g a x))))
    by (intros; apply IH).
  rewrite <- mean_sum. unfold Qdiv. rewrite Qmult_comm, <- mean_scale.
  apply mean_ext. intros. ring.
Qed.

(** ** The definition of privacy

    [loses r p q]: the releases of [p] are at most r times as probable as under [q], in the mean of
    every nonnegative function, and therefore for every set of outputs.
    [docs/explanation/proofs.md], "Definition": with r = e^(epsilon d) for the programs of two
    words, in both orders. *)
Definition loses {A} (r : Q) (p q : program A) : Prop :=
  forall g : A -> Q, (forall a, 0 <= g a) -> mean p g <= r * mean q g.

Lemma loses_event {A} r (p q : program A) event :
  loses r p q -> Pr p event <= r * Pr q event.
Proof. intros H. apply H. intros. unfold indicator. destruct (event a); lra. Qed.

Lemma loses_same {A} (p : program A) : loses 1 p p.
Proof. intros g H. lra. Qed.

Lemma loses_more {A} r s (p q : program A) : r <= s -> loses r p q -> loses s p q.
Proof.
  intros Hrs H g Hg. specialize (H g Hg). pose proof (mean_nonneg q g Hg). nra.
Qed.

(** Programs with the same means have the same loss. *)
Lemma loses_as {A} r (p p' q q' : program A) :
  (forall g, mean p g == mean p' g) -> (forall g, mean q g == mean q' g) ->
  loses r p' q' -> loses r p q.
Proof. intros Hp Hq H g Hg. rewrite Hp, Hq. apply H. exact Hg. Qed.

(** Adaptive composition: the next draw may depend on earlier releases. *)
Theorem loses_bind {A B} r s (p q : program A) (f h : A -> program B) :
  0 <= r -> 0 <= s -> loses r p q -> (forall a, loses s (f a) (h a)) ->
  loses (r * s) (bind p f) (bind q h).
Proof.
  intros Hr Hs Hpq Hfh g Hg. rewrite !mean_bind.
  apply Qle_trans with (mean p (fun a => s * mean (h a) g)).
  - apply mean_le. intros. apply Hfh, Hg.
  - rewrite mean_scale. pose proof (Hpq (fun a => mean (h a) g)) as H.
    assert (forall a, 0 <= mean (h a) g) by (intros; apply mean_nonneg, Hg).
    specialize (H ltac:(assumption)). nra.
Qed.

(** [docs/explanation/proofs.md], "Post-processing": any function of the releases, which may draw
    its own random numbers. *)
Theorem loses_after {A B} r (p q : program A) (f : A -> program B) :
  loses r p q -> loses r (bind p f) (bind q f).
Proof.
  intros H g Hg. rewrite !mean_bind. apply (H (fun a => mean (f a) g)).
  intros. apply mean_nonneg, Hg.
Qed.

(** ** The possible releases of a program *)

Fixpoint releases {A} (P : A -> Prop) (p : program A) : Prop :=
  match p with
  | Return a => P a
  | Uniform b next => forall i, (i < b)%N -> releases P (next i)
  end.

Lemma releases_bind {A B} (P : A -> Prop) (R : B -> Prop) (p : program A) (f : A -> program B) :
  releases P p -> (forall a, P a -> releases R (f a)) -> releases R (bind p f).
Proof. induction p as [a|b next IH]; cbn; auto. Qed.

Lemma mean_ext_on {A} (P : A -> Prop) (p : program A) g h :
  releases P p -> (forall a, P a -> g a == h a) -> mean p g == mean p h.
Proof.
  intros Hp H. induction p as [a|b next IH]; cbn; [auto|].
  apply Qmult_comp; [|reflexivity]. apply range_ext. intros. apply IH, Hp. assumption.
Qed.

Lemma mean_le_on {A} (P : A -> Prop) (p : program A) g h :
  releases P p -> (forall a, P a -> g a <= h a) -> mean p g <= mean p h.
Proof.
  intros Hp H. induction p as [a|b next IH]; cbn; [auto|].
  apply Qmult_le_compat_r; [|apply inverse_nonneg]. apply range_le. intros. apply IH, Hp. assumption.
Qed.

(** If a first program is the same for both inputs, a bound that holds for each of its outcomes also
    holds on average. *)
Theorem loses_given {A B} (P : A -> Prop) r (p : program A) (f h : A -> program B) :
  releases P p -> (forall a, P a -> loses r (f a) (h a)) -> loses r (bind p f) (bind p h).
Proof.
  intros Hp H g Hg. rewrite !mean_bind, <- mean_scale. apply (mean_le_on P); [exact Hp|].
  intros a Ha. apply H; assumption.
Qed.
