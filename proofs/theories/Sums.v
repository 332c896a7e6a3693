(** Sums of natural numbers over a list. *)

From Coq Require Import Lia List NArith.
Import ListNotations.
Open Scope N_scope.

Definition sum {A} (f : A -> N) (l : list A) : N := fold_right (fun x s => f x + s) 0 l.

Lemma sum_le {A} (f g : A -> N) l : (forall x, In x l -> f x <= g x) -> sum f l <= sum g l.
Proof.
  induction l as [|x l IH]; simpl; intros H; [lia|].
  apply N.add_le_mono; [apply H; auto|apply IH; intros; apply H; auto].
Qed.

Lemma sum_mul_r {A} (f : A -> N) k l : sum f l * k = sum (fun x => f x * k) l.
Proof. induction l as [|x l IH]; simpl; [lia|]. rewrite <- IH. lia. Qed.

Lemma sum_positive {A} (f : A -> N) l x : In x l -> 0 < f x -> 0 < sum f l.
Proof.
  induction l as [|y l IH]; simpl; [easy|]. intros [->|Hx] Hf; [lia|]. specialize (IH Hx Hf). lia.
Qed.

Lemma sum_member {A} (f : A -> N) l x : In x l -> f x <= sum f l.
Proof.
  induction l as [|y l IH]; simpl; [easy|]. intros [->|Hx]; [lia|]. specialize (IH Hx). lia.
Qed.

Lemma length_positive {A} (l : list A) : l <> [] -> 0 < N.of_nat (length l).
Proof. destruct l; [easy|]. intros _. cbn [length]. lia. Qed.

Lemma sum_ones {A} (l : list A) : sum (fun _ => 1) l = N.of_nat (length l).
Proof. induction l as [|x l IH]; [reflexivity|]. cbn [sum fold_right length] in *. unfold sum in IH. lia. Qed.

Lemma sum_zero {A} (l : list A) : sum (fun _ => 0) l = 0.
Proof. now induction l. Qed.

Lemma sum_app {A} (f : A -> N) l m : sum f (l ++ m) = sum f l + sum f m.
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite IH. lia. Qed.

Lemma sum_map {A B} (f : B -> N) (g : A -> B) l : sum f (map g l) = sum (fun x => f (g x)) l.
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. now rewrite IH. Qed.

Lemma sum_flat_map {A B} (f : B -> N) (g : A -> list B) l :
  sum f (flat_map g l) = sum (fun x => sum f (g x)) l.
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. now rewrite sum_app, IH. Qed.

Lemma sum_ext {A} (f g : A -> N) l : (forall x, In x l -> f x = g x) -> sum f l = sum g l.
Proof.
  intros H. induction l as [|x l IH]; simpl; [reflexivity|].
  rewrite H by now left. rewrite IH; auto. intros; apply H; now right.
Qed.
