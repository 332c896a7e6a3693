(** Counts: k-ary randomized response with an integer threshold.
    docs/explanation/proofs.md, "Counts". *)

From Coq Require Import Lia List Lqa NArith QArith.
From Brrkit Require Import Probability Ranges Program Uniform Weights.
Import ListNotations.
Open Scope Q_scope.

Section Counts.

Variables one K k : N. (** 2^63, the keep threshold, and the number of symbols *)
Hypothesis one_positive : (0 < one)%N.
Hypothesis some_symbol : (0 < k)%N.

(** a/b is at most e^cap. *)
Definition keep_holds (a b : N) : Prop :=
  (K <= one)%N /\ ((one - K + k * K) * b <= a * (one - K))%N.

Definition keep_holdsb (a b : N) : bool :=
  ((K <=? one) && ((one - K + k * K) * b <=? a * (one - K)))%N.

Theorem keep_holdsb_spec a b : keep_holdsb a b = true <-> keep_holds a b.
Proof. unfold keep_holdsb, keep_holds. rewrite Bool.andb_true_iff, !N.leb_le. reflexivity. Qed.

(** brrkit/counts.py, [RandomizedResponse.__call__]: [(drawn, symbol)[number < self.threshold]]. *)
Definition respond (symbol : N) : program N :=
  Uniform one (fun number =>
    Uniform k (fun drawn => Return (if (number <? K)%N then symbol else drawn))).

(** The mean over a uniform symbol. *)
Definition uniform_mean (g : N -> Q) : Q := range_sum k g / of_N k.

(** K(y|x): kept for K of 2^63 numbers; otherwise any of k symbols. *)
Theorem respond_mean x g :
  (K <= one)%N ->
  mean (respond x) g == (of_N K * g x + of_N (one - K) * uniform_mean g) / of_N one.
Proof.
  intros HK. pose proof (of_N_pos one one_positive). pose proof (of_N_pos k some_symbol).
  unfold respond. cbn [mean].
  rewrite (range_ext one _ (fun i => if (i <? K)%N then g x else uniform_mean g)).
  - rewrite range_threshold by exact HK. reflexivity.
  - intros i _. destruct (i <? K)%N; [|reflexivity]. rewrite range_const. field. lra.
Qed.

Lemma respond_draws_exist x : draws_exist (respond x).
Proof. split; [exact one_positive|]. intros. split; [exact some_symbol|]. intros. exact I. Qed.

Theorem respond_fits x : (one <= 2 ^ 63)%N -> (k <= 2 ^ 63)%N -> bounds_fit (respond x).
Proof. intros. split; [lia|]. intros. split; [lia|]. intros. exact I. Qed.

Lemma respond_symbol x : (x < k)%N -> releases (fun y => (y < k)%N) (respond x).
Proof. intros Hx i Hi j Hj. cbn. destruct (i <? K)%N; assumption. Qed.

(** The probabilities themselves. *)
Theorem respond_exact x y :
  (K <= one)%N -> (x < k)%N -> (y < k)%N ->
  Pr (respond x) (fun z => z =? y)%N ==
  if (x =? y)%N then of_N (one - K + k * K) / (of_N k * of_N one)
  else of_N (one - K) / (of_N k * of_N one).
Proof.
  intros HK Hx Hy. pose proof (of_N_pos one one_positive). pose proof (of_N_pos k some_symbol).
  unfold Pr. rewrite respond_mean by exact HK. unfold uniform_mean, indicator.
  rewrite (range_select k y (fun _ => 1)) by exact Hy.
  destruct (x =? y)%N; [rewrite of_N_add, of_N_mul|]; field; lra.
Qed.

(** "A report": local differential privacy. *)
Theorem respond_loses a b x x' :
  keep_holds a b -> (0 < b)%N -> (x < k)%N -> (x' < k)%N ->
  loses (ratio a b) (respond x) (respond x').
Proof.
  intros [HK Hab] Hb Hx Hx' g Hg. rewrite !respond_mean by exact HK.
  pose proof (of_N_pos one one_positive) as P1. pose proof (of_N_pos k some_symbol) as Pk.
  pose proof (of_N_pos b Hb) as Pb. apply of_N_le in Hab.
  rewrite !of_N_mul, of_N_add, of_N_mul in Hab.
  set (D := of_N (one - K)) in *. set (S := range_sum k g).
  assert (g x <= S) as HS.
  { unfold S. rewrite <- (range_select k x g Hx). apply range_le. intros i _.
    destruct (i =? x)%N; [lra|apply Hg]. }
  pose proof (Hg x) as Hgx. pose proof (Hg x') as Hgx'. pose proof (of_N_nonneg K) as HK0.
  assert (0 <= D) as HD by apply of_N_nonneg.
  unfold uniform_mean. fold S. unfold ratio. fold (of_N a) (of_N b).
  setoid_replace (of_N a / of_N b * ((of_N K * g x' + D * (S / of_N k)) / of_N one))
    with ((of_N a / of_N b * of_N K * g x' + of_N a / of_N b * D * S / of_N k) / of_N one)
    by (field; repeat split; lra).
  apply Qmult_le_compat_r; [|apply inverse_nonneg].
  assert (0 <= of_N a / of_N b) as Pab.
  { apply Qmult_le_0_compat; [apply of_N_nonneg|apply inverse_nonneg]. }
  assert (D + of_N k * of_N K <= of_N a / of_N b * D) as Hr.
  { setoid_replace (of_N a / of_N b * D) with (of_N a * D / of_N b) by (field; lra).
    apply Qle_shift_div_l; [exact Pb|exact Hab]. }
  assert (0 <= of_N a / of_N b * of_N K * g x') 
    by (apply Qmult_le_0_compat; [apply Qmult_le_0_compat|]; assumption).
  assert (of_N K * g x + D * (S / of_N k) <= of_N a / of_N b * D * S / of_N k); [|lra].
  apply Qle_trans with ((D + of_N k * of_N K) * S / of_N k).
  - setoid_replace ((D + of_N k * of_N K) * S / of_N k) with (of_N K * S + D * (S / of_N k))
      by (field; lra).
    assert (of_N K * g x <= of_N K * S) by nra. lra.
  - apply Qmult_le_compat_r; [|apply inverse_nonneg]. apply Qmult_le_compat_r; [exact Hr|].
    apply Qle_trans with (g x); assumption.
Qed.

End Counts.

(** [keep_threshold] in brrkit/exact.py, for e^cap = a/b: [(gain << 63) // (gain + (symbols <<
    precision))]. *)
Theorem keep_threshold_good one k a b :
  (0 < one)%N -> (0 < k)%N -> (0 < b <= a)%N ->
  keep_holds one (one * (a - b) / (a - b + k * b)) k a b.
Proof.
  intros Hone Hk Hab. set (e := (a - b)%N). set (K := (one * e / (e + k * b))%N).
  assert (K * (e + k * b) <= one * e)%N as HK.
  { rewrite N.mul_comm. apply N.mul_div_le. nia. }
  assert (0 < k * b)%N by nia.
  assert (K <= one)%N as H1 by nia. split; [exact H1|].
  replace a with (e + b)%N by lia. set (D := (one - K)%N). replace one with (D + K)%N in HK by lia.
  nia.
Qed.

(** With a memory, a report is a second response to the result of a first one. *)
Definition respond_twice (one K K2 k symbol : N) : program N :=
  bind (respond one K k symbol) (respond one K2 k).

(** "One report alone is K with a = a1*a2." *)
Theorem respond_twice_mean one K K2 k x g :
  (0 < one)%N -> (0 < k)%N -> (K <= one)%N -> (K2 <= one)%N ->
  mean (respond_twice one K K2 k x) g ==
  let kept := ratio K one * ratio K2 one in kept * g x + (1 - kept) * uniform_mean k g.
Proof.
  intros Hone Hk HK HK2. cbv zeta. pose proof (of_N_pos one Hone). pose proof (of_N_pos k Hk).
  unfold respond_twice. rewrite mean_bind, respond_mean by assumption.
  rewrite respond_mean by assumption.
  assert (uniform_mean k (fun a => mean (respond one K2 k a) g) == uniform_mean k g) as ->.
  { unfold uniform_mean at 1.
    rewrite (range_ext k _ (fun a => of_N K2 / of_N one * g a +
      of_N (one - K2) * uniform_mean k g / of_N one)).
    - rewrite range_plus, range_scale, range_const, of_N_sub by assumption.
      unfold uniform_mean. field. lra.
    - intros. rewrite respond_mean by assumption. field. lra. }
  rewrite !of_N_sub by assumption. unfold ratio. fold (of_N K) (of_N K2) (of_N one). field. lra.
Qed.

(** The first response's loss bounds the loss of everything computed from it. *)
Theorem respond_twice_loses one K K2 k a b x x' :
  (0 < one)%N -> (0 < k)%N -> keep_holds one K k a b -> (0 < b)%N -> (x < k)%N -> (x' < k)%N ->
  loses (ratio a b) (respond_twice one K K2 k x) (respond_twice one K K2 k x').
Proof. intros. apply loses_after. now apply respond_loses. Qed.
