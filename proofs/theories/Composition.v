(** Successive releases, each of which may depend on earlier outputs. Their loss is the product of
    the single losses or, in logarithms, their sum. docs/explanation/proofs.md, "Texts" (adaptive
    composition), and "Budget". *)

From Coq Require Import Lia List Lqa NArith QArith.
From Brrkit Require Import Sums Probability.
Import ListNotations.
Open Scope Q_scope.

Section Composition.

Context {Y : Type}.

Variable outcomes : list Y.

(** The probabilities of a release's outcomes after the earlier outcomes, the last one first. *)
Definition mechanism := list Y -> Y -> Q.

(** The probability that the releases' outcomes are [ys]. *)
Fixpoint joint (past : list Y) (releases : list mechanism) (ys : list Y) : Q :=
  match releases, ys with
  | M :: releases, y :: ys => M past y * joint (y :: past) releases ys
  | [], [] => 1
  | _, _ => 0
  end.

Lemma joint_nonneg past releases ys :
  Forall (fun M => forall past, nonnegative outcomes (M past)) releases ->
  Forall (fun y => In y outcomes) ys -> 0 <= joint past releases ys.
Proof.
  intros H. revert past ys. induction H as [|M releases HM _ IH]; intros past [|y ys] Hys; simpl; try lra.
  inversion Hys; subst. apply Qmult_nonneg; auto. now apply HM.
Qed.

(** They add up to 1. *)
Theorem joint_distribution past releases :
  Forall (fun M => forall past, distribution outcomes (M past)) releases ->
  distribution (lists outcomes (length releases)) (joint past releases).
Proof.
  intros H. split.
  - intros ys Hys. apply joint_nonneg; [|now apply lists_spec in Hys].
    eapply Forall_impl; [|exact H]. intros M HM past'. apply HM.
  - revert past. induction H as [|M releases HM _ IH]; intros past; [reflexivity|].
    cbn [length]. rewrite Qsum_lists. cbn [joint]. destruct (HM past) as [_ HMsum].
    rewrite (Qsum_ext _ (M past)); [exact HMsum|]. intros y _. rewrite Qsum_scale, IH. ring.
Qed.

(** A release of one of two inputs, and its loss between them, as a factor. *)
Record choice := Choice { factor : Q; this : mechanism; that : mechanism }.

Definition private_choice (c : choice) : Prop := forall past,
  nonnegative outcomes (this c past) /\ nonnegative outcomes (that c past) /\
  bounded (factor c) outcomes (this c past) (that c past).

Definition product_of_factors (cs : list choice) : Q := fold_right (fun c p => factor c * p) 1 cs.

Theorem composition past cs ys :
  Forall private_choice cs -> Forall (fun y => In y outcomes) ys ->
  joint past (map this cs) ys <= product_of_factors cs * joint past (map that cs) ys.
Proof.
  intros H. revert past ys. induction H as [|c cs Hc Hcs IH]; intros past [|y ys] Hys; simpl; try lra.
  inversion Hys; subst. destruct (Hc past) as (Hthis & _ & Hbound).
  apply Qle_trans with
    ((factor c * that c past y) * (product_of_factors cs * joint (y :: past) (map that cs) ys)); [|lra].
  apply Qmult_le_pairs; auto. apply joint_nonneg; auto.
  apply Forall_map. eapply Forall_impl; [|exact Hcs]. intros c' Hc' past'. apply Hc'.
Qed.

(** ** Costs *)

Variables (a b : N) (cost : choice -> N).
Hypothesis at_least_one : (0 < b <= a)%N.

(** If the loss of a unit of cost is a factor a/b (for billionths of epsilon and words at most D
    apart, e^(D/10^9)), the loss of all releases within a budget is at most its limit times D. *)
Theorem costs_add_up past cs ys limit :
  Forall (fun c => private_choice c /\ factor c == powers a b (N.to_nat (cost c))) cs ->
  (sum cost cs <= limit)%N -> Forall (fun y => In y outcomes) ys ->
  joint past (map this cs) ys <= powers a b (N.to_nat limit) * joint past (map that cs) ys.
Proof.
  intros Hcs Hlimit Hys.
  assert (Hproduct : product_of_factors cs == powers a b (N.to_nat (sum cost cs))).
  { clear Hlimit. induction Hcs as [|c cs [_ Hc] _ IH]; [reflexivity|].
    cbn [product_of_factors fold_right sum]. fold (product_of_factors cs) (sum cost cs).
    rewrite Hc, IH, powers_plus, N2Nat.inj_add by exact at_least_one. reflexivity. }
  apply Qle_trans with (product_of_factors cs * joint past (map that cs) ys).
  - apply composition; auto. eapply Forall_impl; [|exact Hcs]. now intros c [H _].
  - rewrite Hproduct. apply Qmult_le_compat_r.
    + apply powers_monotone; [exact at_least_one|lia].
    + apply joint_nonneg; auto. apply Forall_map. eapply Forall_impl; [|exact Hcs].
      intros c [Hc _] past'. apply Hc.
Qed.

End Composition.
