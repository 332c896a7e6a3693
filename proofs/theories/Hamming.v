(** The distance of two words: the Hamming distance of their codes, in which each task bit counts
    [w] times. docs/explanation/proofs.md, "exponential", "The distance". *)

From Coq Require Import Arith Bool Lia List.
Import ListNotations.

(** The number of differing bits. All codes of one bundle have the same length. The rest of a longer
    code counts, so the following holds without a premise. brrkit/hamming.py,
    [HammingIndex.distances]. *)
Fixpoint hamming (c c' : list bool) : nat :=
  match c, c' with
  | b :: rest, b' :: rest' => (if eqb b b' then 0 else 1) + hamming rest rest'
  | [], _ => length c'
  | _, [] => length c
  end.

Lemma hamming_refl c : hamming c c = 0.
Proof. induction c; simpl; now rewrite ?eqb_reflx. Qed.

Theorem hamming_symmetric c c' : hamming c c' = hamming c' c.
Proof.
  revert c'; induction c as [|b c IH]; intros [|b' c']; simpl; auto.
  rewrite IH. now destruct b, b'.
Qed.

Lemma hamming_bound c c' : hamming c c' <= max (length c) (length c').
Proof.
  revert c'; induction c as [|b c IH]; intros [|b' c']; simpl; try lia.
  specialize (IH c'). destruct (eqb b b'); lia.
Qed.

Lemma hamming_length c c' : length c' <= hamming c c' + length c.
Proof.
  revert c'; induction c as [|b c IH]; intros [|b' c']; simpl; try lia.
  specialize (IH c'). destruct (eqb b b'); lia.
Qed.

Theorem hamming_triangle a b c : hamming a c <= hamming a b + hamming b c.
Proof.
  revert b c; induction a as [|x a IH]; intros [|y b] [|z c]; cbn [hamming length]; try lia.
  - pose proof (hamming_length b c). destruct (eqb y z); lia.
  - pose proof (hamming_bound a c). destruct (eqb x z); lia.
  - pose proof (hamming_length b a). rewrite (hamming_symmetric b a) in *.
    destruct (eqb x y); lia.
  - specialize (IH b c). destruct x, y, z; simpl; lia.
Qed.

(** The bits of the word, followed by its task bits. *)
Record code := Code { own_bits : list bool; task_bits : list bool }.

(** A bundle has [bits] - [task_bits] = n word bits and t task bits. *)
Definition has_size (n t : nat) (c : code) : Prop :=
  length (own_bits c) = n /\ length (task_bits c) = t.

Section Distance.

Variable w : nat. (** the task weight *)

Definition distance (c c' : code) : nat :=
  hamming (own_bits c) (own_bits c') + w * hamming (task_bits c) (task_bits c').

Theorem distance_refl c : distance c c = 0.
Proof. unfold distance. rewrite !hamming_refl. lia. Qed.

Theorem distance_symmetric c c' : distance c c' = distance c' c.
Proof.
  unfold distance. now rewrite (hamming_symmetric (own_bits c)), (hamming_symmetric (task_bits c)).
Qed.

Theorem distance_triangle a b c : distance a c <= distance a b + distance b c.
Proof.
  unfold distance.
  pose proof (hamming_triangle (own_bits a) (own_bits b) (own_bits c)).
  pose proof (hamming_triangle (task_bits a) (task_bits b) (task_bits c)). nia.
Qed.

(** The largest distance, L: the last index of a table of weights. *)
Theorem distance_bound n t c c' :
  has_size n t c -> has_size n t c' -> distance c c' <= n + w * t.
Proof.
  intros [Hn Ht] [Hn' Ht']. unfold distance.
  pose proof (hamming_bound (own_bits c) (own_bits c')).
  pose proof (hamming_bound (task_bits c) (task_bits c')).
  rewrite Hn, Hn', Nat.max_id in *. rewrite Ht, Ht', Nat.max_id in *. nia.
Qed.

(** The task bits are repeated [w] times: brrkit/hamming.py, [weigh_codes]. *)
Definition weigh (c : code) : list bool := own_bits c ++ concat (repeat (task_bits c) w).

Lemma hamming_app a b a' b' :
  length a = length a' -> hamming (a ++ b) (a' ++ b') = hamming a a' + hamming b b'.
Proof.
  revert a'; induction a as [|x a IH]; intros [|x' a'] H; simpl in *; try discriminate; auto.
  rewrite IH by lia. lia.
Qed.

(** The runtime's Hamming distance of weighed codes is therefore this distance. *)
Theorem weigh_distance n t c c' :
  has_size n t c -> has_size n t c' -> hamming (weigh c) (weigh c') = distance c c'.
Proof.
  intros [Hn Ht] [Hn' Ht']. unfold weigh, distance. rewrite hamming_app by congruence. f_equal.
  induction w as [|v IH]; simpl; auto. rewrite hamming_app by congruence. lia.
Qed.

End Distance.
