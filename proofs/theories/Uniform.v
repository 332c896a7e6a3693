(** Uniform integers below a bound, from random bytes.

    The model of randomness: the random source returns 8 bytes at a time, and each of their 2^64
    values is equally likely, whatever came before. *)

From Coq Require Import QArith Qfield Lqa Lia NArith List Setoid Morphisms.
From Brrkit Require Import Ranges Program.
Import ListNotations.
Open Scope Q_scope.

(** ** 8 bytes are one number below 2^64 *)

(** [int.from_bytes(..., "little")] *)
Fixpoint little_endian (bytes : list N) : N :=
  match bytes with
  | [] => 0
  | byte :: rest => byte + 256 * little_endian rest
  end.

Definition are_bytes (bytes : list N) : Prop := Forall (fun b => (b < 256)%N) bytes.

Theorem each_number_is_of_some_bytes k n :
  (n < 256 ^ N.of_nat k)%N ->
  exists bytes, length bytes = k /\ are_bytes bytes /\ little_endian bytes = n.
Proof.
  revert n. induction k as [|k IH]; intros n H.
  - exists []. change (256 ^ N.of_nat 0)%N with 1%N in H.
    split; [reflexivity|split; [constructor|]]. cbn. lia.
  - rewrite Nat2N.inj_succ, N.pow_succ_r' in H.
    destruct (IH (n / 256)%N) as (bytes & <- & Hb & E).
    { apply N.div_lt_upper_bound; [discriminate|exact H]. }
    exists ((n mod 256)%N :: bytes). cbn [length little_endian]. rewrite E. repeat split.
    + constructor; [apply N.mod_lt; lia|exact Hb].
    + pose proof (N.div_mod n 256 ltac:(lia)). lia.
Qed.

Theorem no_number_is_of_others a b :
  length a = length b -> are_bytes a -> are_bytes b -> little_endian a = little_endian b -> a = b.
Proof.
  revert b. induction a as [|x a IH]; intros [|y b] L Ha Hb E; try discriminate; [reflexivity|].
  inversion_clear Ha. inversion_clear Hb. cbn [little_endian] in E. injection L as L.
  assert (x = y) as -> by lia. f_equal. apply IH; auto. lia.
Qed.

(** ** One draw *)

(** [number & mask] of [brrkit.randomness.uniform_below] *)
Definition mask (bound : N) : N := N.ones (N.size (bound - 1)).
Definition masked (bound number : N) : N := N.land number (mask bound).

(** [brrkit.randomness.uniform_below]: from a source's numbers, the drawn one and the source's rest;
    nothing if the source ends before. *)
Fixpoint uniform_below (bound : N) (source : list N) : option (N * list N) :=
  match source with
  | [] => None
  | number :: rest =>
      if (masked bound number <? bound)%N then Some (masked bound number, rest)
      else uniform_below bound rest
  end.

Lemma masked_mod bound number : masked bound number = (number mod 2 ^ N.size (bound - 1))%N.
Proof. apply N.land_ones. Qed.

(** The bound is at most 2^k, and more than half of it. *)
Lemma bound_fits bound :
  (0 < bound)%N -> (bound <= 2 ^ N.size (bound - 1) <= 2 * bound)%N.
Proof.
  intros H. split; [pose proof (N.size_gt (bound - 1)); lia|].
  destruct (N.eq_dec bound 1) as [->|E]; [cbn; lia|].
  pose proof (N.size_le (bound - 1)). lia.
Qed.

Lemma size_fits bound : (bound <= 2 ^ 63)%N -> (N.size (bound - 1) <= 64)%N.
Proof.
  intros H. destruct (N.eq_dec (bound - 1) 0) as [->|E]; [cbn; lia|].
  rewrite N.size_log2 by exact E. assert (bound - 1 < 2 ^ 63)%N as L by lia.
  apply N.log2_lt_pow2 in L; lia.
Qed.

(** Each value of [masked] has the same number of the 2^64. *)
Lemma range_masked bound f :
  (bound <= 2 ^ 63)%N ->
  range_sum (2 ^ 64) (fun r => f (masked bound r)) ==
  of_N (2 ^ (64 - N.size (bound - 1))) * range_sum (2 ^ N.size (bound - 1)) f.
Proof.
  intros H. set (k := N.size (bound - 1)).
  replace (2 ^ 64)%N with (2 ^ (64 - k) * 2 ^ k)%N
    by (rewrite <- N.pow_add_r; f_equal; pose proof (size_fits bound H); subst k; lia).
  rewrite range_blocks, <- range_const. apply range_ext. intros q Hq. apply range_ext. intros j Hj.
  rewrite masked_mod. fold k.
  rewrite N.add_comm, N.mod_add, N.mod_small by lia || exact Hj. reflexivity.
Qed.

(** Each accepted value has equally many of the 2^64 numbers. A draw is therefore uniform. *)
Theorem accepted_equally bound y :
  (0 < bound <= 2 ^ 63)%N -> (y < bound)%N ->
  range_sum (2 ^ 64) (fun r => indicator (masked bound r =? y)%N) ==
  of_N (2 ^ (64 - N.size (bound - 1))).
Proof.
  intros H Hy. rewrite (range_masked bound (fun v => indicator (v =? y)%N)) by lia.
  unfold indicator. rewrite (range_select _ y (fun _ => 1));
    [ring|pose proof (bound_fits bound); lia].
Qed.

(** ** All draws of a program *)

(** A program's release from a source's numbers; nothing if the source ends before. *)
Fixpoint run {A} (p : program A) (source : list N) : option A :=
  match p with
  | Return a => Some a
  | Uniform bound next =>
      match uniform_below bound source with
      | None => None
      | Some (i, rest) => run (next i) rest
      end
  end.

(** The mean of [g] over all sources of t numbers, which are equally likely. *)
Fixpoint over_sources (t : nat) (g : list N -> Q) : Q :=
  match t with
  | O => g []
  | S t => range_sum (2 ^ 64) (fun r => over_sources t (fun source => g (r :: source))) / of_N (2 ^ 64)
  end.

(** [g] of the release, or [none]. *)
Definition outcome {A} (g : A -> Q) (none : Q) (o : option A) : Q :=
  match o with
  | Some a => g a
  | None => none
  end.

(** The mean of [g] after at most t numbers, if it is [none] for unfinished draws. *)
Definition so_far {A} (p : program A) g none t : Q :=
  over_sources t (fun source => outcome g none (run p source)).

Fixpoint bounds_fit {A} (p : program A) : Prop :=
  match p with
  | Return _ => True
  | Uniform b next => (0 < b <= 2 ^ 63)%N /\ forall i, (i < b)%N -> bounds_fit (next i)
  end.

Lemma over_sources_const t c : over_sources t (fun _ => c) == c.
Proof.
  induction t; cbn [over_sources]; [reflexivity|].
  rewrite (range_ext _ _ (fun _ => c)) by (intros; assumption).
  rewrite range_const. field. pose proof (of_N_power_pos 64). lra.
Qed.

(** A release without a draw doesn't wait for one. *)
Lemma so_far_return {A} (a : A) g none t : so_far (Return a) g none t == g a.
Proof. exact (over_sources_const t (g a)). Qed.

Lemma so_far_0 {A} b (next : N -> program A) g none : so_far (Uniform b next) g none 0 == none.
Proof. reflexivity. Qed.

(** One number more: it is accepted, or the draw starts over. *)
Lemma so_far_succ {A} b (next : N -> program A) g none t :
  (0 < b <= 2 ^ 63)%N ->
  so_far (Uniform b next) g none (S t) * of_N (2 ^ N.size (b - 1)) ==
  range_sum b (fun i => so_far (next i) g none t) +
  of_N (2 ^ N.size (b - 1) - b) * so_far (Uniform b next) g none t.
Proof.
  intros Hb. unfold so_far at 1. cbn [over_sources]. set (k := N.size (b - 1)).
  pose (f v := if (v <? b)%N then so_far (next v) g none t else so_far (Uniform b next) g none t).
  rewrite (range_ext _ _ (fun r => f (masked b r))).
  2:{ intros r _. unfold f, so_far. cbn [run uniform_below].
      destruct (masked b r <? b)%N; reflexivity. }
  rewrite range_masked by lia. fold k.
  assert (range_sum (2 ^ k) f ==
    range_sum b (fun i => so_far (next i) g none t) +
    of_N (2 ^ k - b) * so_far (Uniform b next) g none t) as ->.
  { pose proof (bound_fits b ltac:(lia)) as F. fold k in F.
    replace (2 ^ k)%N with (b + (2 ^ k - b))%N at 1 by lia. rewrite range_split, <- range_const.
    apply Qplus_comp; apply range_ext; intros i Hi; unfold f.
    - destruct (N.ltb_spec i b); [reflexivity|lia].
    - destruct (N.ltb_spec (b + i) b); [lia|reflexivity]. }
  assert (of_N (2 ^ 64) == of_N (2 ^ (64 - k)) * of_N (2 ^ k)) as ->.
  { rewrite <- of_N_mul, <- N.pow_add_r. subst k. pose proof (size_fits b ltac:(lia)).
    replace (64 - N.size (b - 1) + N.size (b - 1))%N with 64%N by lia. reflexivity. }
  pose proof (of_N_power_pos k).
  pose proof (of_N_power_pos (64 - k)).
  field. lra.
Qed.

(** For any number of attempts, all values are equally likely. *)
Theorem drawn_equally bound y y' t :
  (0 < bound <= 2 ^ 63)%N -> (y < bound)%N -> (y' < bound)%N ->
  so_far (uniform_integer bound) (fun v => indicator (v =? y)%N) 0 t ==
  so_far (uniform_integer bound) (fun v => indicator (v =? y')%N) 0 t.
Proof.
  intros Hb Hy Hy'. induction t as [|t IH]; [reflexivity|].
  pose proof (of_N_power_pos (N.size (bound - 1))).
  apply Qmult_inj_r with (of_N (2 ^ N.size (bound - 1))); [lra|].
  pose (is v := fun i => indicator (i =? v)%N). fold (is y) (is y') in IH |- *.
  unfold uniform_integer in *.
  eapply Qeq_trans; [exact (so_far_succ bound Return (is y) 0 t Hb)|].
  eapply Qeq_trans; [|symmetry; exact (so_far_succ bound Return (is y') 0 t Hb)].
  apply Qplus_comp; [|apply Qmult_comp; [reflexivity|exact IH]].
  assert (forall v, (v < bound)%N ->
    range_sum bound (fun i => so_far (Return i) (is v) 0 t) == 1) as One.
  { intros v Hv. rewrite (range_ext bound _ (is v)) by (intros; apply so_far_return).
    unfold is, indicator. apply (range_select bound v (fun _ => 1) Hv). }
  rewrite (One y Hy), (One y' Hy'). reflexivity.
Qed.

(** After t numbers, a release has at most its probability... *)
Theorem so_far_at_most {A} (p : program A) g t :
  bounds_fit p -> (forall a, 0 <= g a) -> so_far p g 0 t <= mean p g.
Proof.
  intros Hp Hg. revert t. induction p as [a|b next IH]; intros t.
  - rewrite so_far_return. apply Qle_refl.
  - destruct Hp as [Hb Hp]. induction t as [|t IHt].
    + rewrite so_far_0. apply mean_nonneg, Hg.
    + pose proof (so_far_succ b next g 0 t Hb) as E.
      set (k := N.size (b - 1)) in *.
      pose proof (bound_fits b ltac:(lia)) as F. fold k in F.
      assert (0 < of_N b) by (apply of_N_pos; lia).
      pose proof (of_N_power_pos k).
      assert (range_sum b (fun i => so_far (next i) g 0 t) <= of_N b * mean (Uniform b next) g) as S.
      { apply Qle_trans with (range_sum b (fun i => mean (next i) g)).
        - apply range_le. intros. apply IH, Hp. assumption.
        - cbn [mean]. assert (of_N b * (range_sum b (fun i => mean (next i) g) / of_N b) ==
            range_sum b (fun i => mean (next i) g)) as -> by (field; lra). apply Qle_refl. }
      rewrite of_N_sub in E by lia.
      assert (of_N b <= of_N (2 ^ k)) by (apply of_N_le; lia).
      nra.
Qed.

(** ... and at least its probability, minus the probability that more numbers are needed. Here,
    unfinished draws also count as the event. *)
Theorem so_far_at_least {A} (p : program A) g t :
  bounds_fit p -> (forall a, g a <= 1) -> mean p g <= so_far p g 1 t.
Proof.
  intros Hp Hg. revert t. induction p as [a|b next IH]; intros t.
  - rewrite so_far_return. apply Qle_refl.
  - destruct Hp as [Hb Hp]. pose proof (bound_fits b ltac:(lia)) as F.
    pose proof (of_N_pos b ltac:(lia)) as Pb.
    assert (forall f, of_N b * (range_sum b f / of_N b) == range_sum b f) as Cancel by (intros; field; lra).
    induction t as [|t IHt].
    + rewrite so_far_0. cbn [mean]. apply Qle_shift_div_r; [exact Pb|].
      rewrite Qmult_comm, <- range_const. apply range_le. intros i Hi.
      specialize (IH i (Hp i Hi) 0%nat). unfold so_far in IH. cbn [over_sources] in IH.
      destruct (next i); cbn in *; [apply Hg|exact IH].
    + pose proof (so_far_succ b next g 1 t Hb) as E. set (k := N.size (b - 1)) in *.
      pose proof (of_N_power_pos k).
      assert (of_N b * mean (Uniform b next) g <= range_sum b (fun i => so_far (next i) g 1 t)) as S.
      { cbn [mean]. rewrite Cancel. apply range_le. intros. apply IH, Hp. assumption. }
      rewrite of_N_sub in E by lia.
      assert (of_N b <= of_N (2 ^ k)) by (apply of_N_le; lia).
      nra.
Qed.

Lemma over_sources_plus t f g :
  over_sources t (fun s => f s + g s) == over_sources t f + over_sources t g.
Proof.
  revert f g. induction t; intros; cbn [over_sources]; [reflexivity|].
  rewrite (range_ext _ _ (fun r => over_sources t (fun s => f (r :: s)) +
    over_sources t (fun s => g (r :: s)))) by (intros; apply IHt).
  rewrite range_plus. unfold Qdiv. ring.
Qed.

Lemma over_sources_ext t f g : (forall s, f s == g s) -> over_sources t f == over_sources t g.
Proof.
  revert f g. induction t; intros f g H; cbn [over_sources]; [apply H|].
  apply Qmult_comp; [|reflexivity]. apply range_ext. intros. apply IHt. intros. apply H.
Qed.

Lemma so_far_parts {A} (p : program A) g t :
  so_far p g 1 t == so_far p g 0 t + so_far p (fun _ => 0) 1 t.
Proof.
  unfold so_far. rewrite <- over_sources_plus. apply over_sources_ext. intros.
  destruct (run p s); cbn; ring.
Qed.

(** The probability that t numbers aren't enough. *)
Definition unfinished {A} (p : program A) (t : nat) : Q := so_far p (fun _ => 0) 1 t.

(** A program's release has its probability in [Program.v], except for unfinished draws after t
    numbers... *)
Theorem run_probability {A} (p : program A) (event : A -> bool) t :
  bounds_fit p ->
  let share := so_far p (fun a => indicator (event a)) 0 t in
  share <= Pr p event <= share + unfinished p t.
Proof.
  intros Hp share. unfold share, unfinished. split.
  - apply so_far_at_most; [exact Hp|]. intros. unfold indicator. destruct (event a); lra.
  - rewrite <- so_far_parts. apply so_far_at_least; [exact Hp|].
    intros. unfold indicator. destruct (event a); lra.
Qed.

Fixpoint draws_at_most {A} (n : nat) (p : program A) : Prop :=
  match p, n with
  | Return _, _ => True
  | Uniform _ _, O => False
  | Uniform b next, S n => forall i, (i < b)%N -> draws_at_most n (next i)
  end.

Definition two_to (t : nat) : Q := of_N (2 ^ N.of_nat t).
Definition to_the (x n : nat) : Q := of_N (N.of_nat x ^ N.of_nat n).

Lemma two_to_succ t : two_to (S t) == 2 * two_to t.
Proof. unfold two_to. rewrite Nat2N.inj_succ, N.pow_succ_r', of_N_mul. reflexivity. Qed.

Lemma to_the_succ x n : to_the x (S n) == of_N (N.of_nat x) * to_the x n.
Proof. unfold to_the. rewrite Nat2N.inj_succ, N.pow_succ_r', of_N_mul. reflexivity. Qed.

Lemma to_the_grows x n : to_the x n <= to_the (S x) n.
Proof. apply of_N_le, N.pow_le_mono_l. lia. Qed.

Lemma two_to_pos t : 0 < two_to t.
Proof. apply of_N_power_pos. Qed.

Lemma to_the_nonneg x n : 0 <= to_the x n.
Proof. apply of_N_nonneg. Qed.

Lemma to_the_1 n : to_the 1 n == 1.
Proof. unfold to_the. rewrite N.pow_1_l. reflexivity. Qed.

Lemma unfinished_step (u u' s K B T m x y : Q) :
  0 < K -> 0 < T -> B <= K -> K <= 2 * B -> 1 <= m -> 0 <= x -> x <= y ->
  u * T <= m * x -> s * T <= B * x -> u' * K == s + (K - B) * u ->
  u' * (2 * T) <= (m + 1) * y.
Proof.
  intros HK HT Fit Half Hm Hx Hy Hu Hs E.
  apply Qle_trans with ((m + 1) * x); [|nra].
  apply (Qmult_lt_0_le_reg_r _ _ K HK).
  setoid_replace (u' * (2 * T) * K) with (2 * T * (u' * K)) by ring. rewrite E.
  assert ((K - B) * (u * T) <= (K - B) * (m * x)) by nra.
  assert (2 * (B * x) + 2 * ((K - B) * (m * x)) <= (m + 1) * x * K).
  { assert (0 <= (2 * B - K) * (m - 1)) by nra. nra. }
  nra.
Qed.

(** ... which vanishes as t grows: n draws are unfinished with a probability of at most
    (t + 1)^n / 2^t. *)
Theorem unfinished_vanishes {A} (p : program A) n t :
  bounds_fit p -> draws_at_most n p -> unfinished p t * two_to t <= to_the (S t) n.
Proof.
  unfold unfinished. revert n t. induction p as [a|b next IH]; intros n t Hp Hn.
  - pose proof (so_far_return a (fun _ => 0) 1 t) as E. cbv beta in E.
    rewrite E, Qmult_0_l. apply to_the_nonneg.
  - destruct Hp as [Hb Hp]. destruct n as [|n]; [destruct Hn|]. cbn in Hn.
    pose proof (bound_fits b ltac:(lia)) as F.
    induction t as [|t IHt].
    { rewrite so_far_0, to_the_1. change (two_to 0) with 1. lra. }
    pose proof (so_far_succ b next (fun _ => 0) 1 t Hb) as E.
    rewrite of_N_sub in E by lia.
    assert (range_sum b (fun i => so_far (next i) (fun _ => 0) 1 t) * two_to t
      <= of_N b * to_the (S t) n) as Next.
    { rewrite Qmult_comm, <- range_scale, <- range_const. apply range_le. intros i Hi.
      rewrite Qmult_comm. apply IH; auto. }
    pose proof (to_the_succ (S t) n) as E1. pose proof (to_the_succ (S (S t)) n) as E2.
    pose proof (two_to_succ t) as E3.
    assert (of_N (N.of_nat (S (S t))) == of_N (N.of_nat (S t)) + 1) as E4
      by (rewrite Nat2N.inj_succ; apply of_N_succ).
    eapply Qle_trans with (_ * (2 * two_to t)); [apply Qle_lteq; right; apply Qmult_comp;
      [reflexivity|exact E3]|].
    eapply Qle_trans with ((of_N (N.of_nat (S t)) + 1) * to_the (S (S t)) n);
      [|apply Qle_lteq; right; rewrite E2; apply Qmult_comp; [symmetry; exact E4|reflexivity]].
    eapply unfinished_step; [| | | | | | | |exact Next|exact E].
    + apply of_N_power_pos.
    + apply two_to_pos.
    + apply of_N_le. lia.
    + change 2 with (of_N 2). rewrite <- of_N_mul. apply of_N_le. lia.
    + change 1 with (of_N 1). apply of_N_le. lia.
    + apply to_the_nonneg.
    + apply to_the_grows.
    + eapply Qle_trans; [exact IHt|]. apply Qle_lteq. right. exact E1.
Qed.
