(** What releases of different costs lose together, each chosen after what was released before.
    docs/explanation/proofs.md, "Budget": "lose at most that sum times D". *)

From Coq Require Import Lia List Lqa NArith QArith.
From Brrkit Require Import Sums Probability.
Import ListNotations.
Open Scope Q_scope.

Section Composition.

Context {Y : Type}.

Variable outcomes : list Y.

(** A release: its cost, and the probabilities of its outcomes for two inputs, after what was
    released before. *)
Record one_release := Release { cost : N; chance : list Y -> Y -> Q; chance' : list Y -> Y -> Q }.

(** A unit of cost loses at most a factor a/b: for billionths of epsilon and words at most D apart,
    that is e^(D/10^9). *)
Variables a b : N.
Hypothesis at_least_one : (0 < b <= a)%N.

Definition private_release (r : one_release) : Prop := forall past,
  nonnegative outcomes (chance r past) /\ nonnegative outcomes (chance' r past) /\
  bounded (powers a b (N.to_nat (cost r))) outcomes (chance r past) (chance' r past).

(** The probability that the releases give [ys]. *)
Fixpoint joint (which : one_release -> list Y -> Y -> Q) (past : list Y) (rs : list one_release)
    (ys : list Y) : Q :=
  match rs, ys with
  | r :: rs, y :: ys => which r past y * joint which (y :: past) rs ys
  | [], [] => 1
  | _, _ => 0
  end.

Definition total_cost (rs : list one_release) : N := sum cost rs.

Lemma joint_nonneg past rs ys :
  Forall private_release rs -> Forall (fun y => In y outcomes) ys -> 0 <= joint chance past rs ys.
Proof.
  intros Hrs. revert past ys. induction Hrs as [|r rs Hr _ IH]; intros past [|y ys] Hys; simpl; try lra.
  inversion Hys; subst. apply Qmult_nonneg; auto. now apply Hr.
Qed.

(** Costs add up: what is released within a budget loses at most its limit times D. *)
Theorem costs_add_up past rs ys limit :
  Forall private_release rs -> (total_cost rs <= limit)%N -> Forall (fun y => In y outcomes) ys ->
  joint chance past rs ys <= powers a b (N.to_nat limit) * joint chance' past rs ys.
Proof.
  intros Hrs. revert past ys limit.
  induction Hrs as [|r rs Hr Hrs IH]; intros past [|y ys] limit Hcost Hys; simpl; try lra.
  - rewrite Qmult_1_r, <- (powers_zero a b). apply powers_monotone; [exact at_least_one|lia].
  - inversion Hys; subst. unfold total_cost in Hcost. cbn [sum fold_right] in Hcost.
    fold (sum cost rs) in Hcost. destruct (Hr past) as (Hp & _ & Hbound).
    assert (Esplit : powers a b (N.to_nat limit) ==
                     powers a b (N.to_nat (cost r)) * powers a b (N.to_nat (limit - cost r))).
    { rewrite powers_plus by exact at_least_one.
      now replace (N.to_nat (cost r) + N.to_nat (limit - cost r))%nat with (N.to_nat limit) by lia. }
    rewrite Esplit. set (L1 := powers a b (N.to_nat (cost r))) in *.
    set (L2 := powers a b (N.to_nat (limit - cost r))).
    apply Qle_trans with ((L1 * chance' r past y) * (L2 * joint chance' (y :: past) rs ys)); [|lra].
    apply Qmult_le_pairs; auto.
    + now apply joint_nonneg.
    + apply IH; auto. unfold total_cost. lia.
Qed.

End Composition.
