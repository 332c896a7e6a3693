(** The randomizer, which flips each bit with probability T/2^32, and the mechanisms [brr] and
    [vickrey] that use it. docs/explanation/proofs.md, "The randomizer", "brr" and "vickrey". *)

From Coq Require Import Arith Bool Lia List NArith QArith.
From Brrkit Require Import Sums Probability Postprocessing Hamming Weights.
Import ListNotations.
Open Scope N_scope.

Section Randomizer.

Variables one T : N. (** 2^32, and the threshold *)

(** a/b is at most e^epsilon: T = ceil(2^32/(1+e^epsilon)) satisfies the last part. *)
Definition threshold_holds (a b : N) : Prop := 0 < T /\ T <= one - T /\ (one - T) * b <= T * a.

Definition threshold_holdsb (a b : N) : bool :=
  (0 <? T) && (T <=? one - T) && ((one - T) * b <=? T * a).

Theorem threshold_holdsb_spec a b : threshold_holdsb a b = true <-> threshold_holds a b.
Proof.
  unfold threshold_holdsb, threshold_holds.
  rewrite !andb_true_iff, N.ltb_lt, !N.leb_le. tauto.
Qed.

(** ** The code *)

(** A bit flips if its number is below T: brrkit/randomizer.py, [Randomizer.__call__]; both signed
    numbers there are 2^31 less. *)
Fixpoint randomize (c : list bool) (numbers : list N) : list bool :=
  match c, numbers with
  | b :: c, r :: numbers => xorb b (r <? T) :: randomize c numbers
  | _, _ => []
  end.

(** The numbers of 32 random bits, and all strings of n such numbers. The model of randomness: all
    are equally likely. *)
Definition numbers_below : list N := map N.of_nat (seq 0 (N.to_nat one)).

Fixpoint strings (n : nat) : list (list N) :=
  match n with
  | 0%nat => [[]]
  | S n => flat_map (fun r => map (cons r) (strings n)) numbers_below
  end.

Fixpoint equal_codes (z z' : list bool) : bool :=
  match z, z' with
  | [], [] => true
  | b :: z, b' :: z' => eqb b b' && equal_codes z z'
  | _, _ => false
  end.

(** The number of strings that turn the code c into the code z. *)
Definition cases (c z : list bool) : N :=
  sum (fun numbers => if equal_codes (randomize c numbers) z then 1 else 0) (strings (length c)).

(** ** The number of cases *)

Definition bit_cases (b z : bool) : N := if eqb b z then one - T else T.

Fixpoint code_cases (c z : list bool) : N :=
  match c, z with
  | [], [] => 1
  | b :: c, x :: z => bit_cases b x * code_cases c z
  | _, _ => 0
  end.

Lemma below_count k : (k <= N.to_nat one)%nat ->
  sum (fun r => if r <? T then 1 else 0) (map N.of_nat (seq 0 k)) = N.min T (N.of_nat k).
Proof.
  induction k as [|k IH]; intros Hk; [simpl; lia|].
  rewrite seq_S, map_app, sum_app, IH by lia. simpl Nat.add. cbn [map sum fold_right].
  destruct (N.ltb_spec (N.of_nat k) T); lia.
Qed.

Lemma sum_both l :
  sum (fun r => if r <? T then 1 else 0) l + sum (fun r => if r <? T then 0 else 1) l =
  N.of_nat (length l).
Proof.
  induction l as [|r l IH]; [reflexivity|]. cbn [length]. rewrite Nat2N.inj_succ, <- IH.
  cbn [sum fold_right]. fold (sum (fun r => if r <? T then 1 else 0) l).
  fold (sum (fun r => if r <? T then 0 else 1) l). destruct (r <? T); lia.
Qed.

Lemma bit_count b z : T <= one ->
  sum (fun r => if eqb (xorb b (r <? T)) z then 1 else 0) numbers_below = bit_cases b z.
Proof.
  intros HT. pose proof (below_count (N.to_nat one) ltac:(lia)) as Hyes. fold numbers_below in Hyes.
  assert (Hboth : sum (fun r => if r <? T then 1 else 0) numbers_below +
                  sum (fun r => if r <? T then 0 else 1) numbers_below = one).
  { rewrite sum_both. unfold numbers_below. rewrite map_length, seq_length. lia. }
  unfold bit_cases. destruct b, z; simpl eqb.
  - rewrite (sum_ext _ (fun r => if r <? T then 0 else 1)); [lia|]. intros r _. now destruct (r <? T).
  - rewrite (sum_ext _ (fun r => if r <? T then 1 else 0)); [lia|]. intros r _. now destruct (r <? T).
  - rewrite (sum_ext _ (fun r => if r <? T then 1 else 0)); [lia|]. intros r _. now destruct (r <? T).
  - rewrite (sum_ext _ (fun r => if r <? T then 0 else 1)); [lia|]. intros r _. now destruct (r <? T).
Qed.

(** Of the 2^32^n strings, p^f*(1-p)^(n-f)*2^32^n turn c into z, with p = T/2^32 and f flips. *)
Theorem cases_product c z : T <= one -> length c = length z -> cases c z = code_cases c z.
Proof.
  intros HT. revert z. unfold cases. induction c as [|b c IH]; intros [|x z] Hl; try discriminate.
  - reflexivity.
  - cbn [length strings code_cases]. rewrite sum_flat_map, <- (bit_count b x HT), sum_mul_r.
    apply sum_ext. intros r _. rewrite sum_map. cbn [randomize equal_codes].
    destruct (eqb (xorb b (r <? T)) x); cbn [andb].
    + rewrite IH by (simpl in Hl; lia). lia.
    + rewrite N.mul_0_l. apply sum_zero.
Qed.

(** ** The bound *)

(** "R is (epsilon d)-private on all codes", in integers. *)
Theorem randomizer_integers a b c c' z :
  threshold_holds a b -> b <= a -> length c = length z -> length c' = length z ->
  let k := N.of_nat (hamming c c') in
  code_cases c z * b ^ k <= a ^ k * code_cases c' z.
Proof.
  intros (HT & Hhalf & Hab) Hone. revert c' z.
  induction c as [|u c IH]; intros [|v c'] [|x z] Hc Hc'; try discriminate Hc;
    try discriminate Hc'; simpl in Hc, Hc'.
  - cbn. lia.
  - specialize (IH c' z ltac:(lia) ltac:(lia)). cbn [hamming code_cases].
    assert (Hbit : bit_cases u x * b ^ N.of_nat (if eqb u v then 0 else 1) <=
                   a ^ N.of_nat (if eqb u v then 0 else 1) * bit_cases v x).
    { unfold bit_cases. destruct u, v, x; cbn [eqb N.of_nat Pos.of_succ_nat];
        rewrite ?N.pow_0_r, ?N.pow_1_r; nia. }
    rewrite Nat2N.inj_add, !N.pow_add_r.
    pose proof (N.mul_le_mono _ _ _ _ Hbit IH). lia.
Qed.

(** Pr[R(c)=z] *)
Definition noise (c z : list bool) : Q := ratio (cases c z) (one ^ N.of_nat (length c)).

Fixpoint codes (n : nat) : list (list bool) :=
  match n with
  | 0%nat => [[]]
  | S n => map (cons true) (codes n) ++ map (cons false) (codes n)
  end.

Lemma codes_length n z : In z (codes n) -> length z = n.
Proof.
  revert z. induction n as [|n IH]; intros z Hz; simpl in Hz.
  - now destruct Hz as [<-|[]].
  - apply in_app_or in Hz as [Hz|Hz]; apply in_map_iff in Hz as (y & <- & Hy); simpl; auto.
Qed.

Lemma code_cases_total c : T <= one -> sum (code_cases c) (codes (length c)) = one ^ N.of_nat (length c).
Proof.
  intros HT. induction c as [|b c IH]; [reflexivity|].
  cbn [length codes]. rewrite sum_app, !sum_map. cbn [code_cases].
  rewrite Nat2N.inj_succ, N.pow_succ_r', <- IH.
  rewrite (sum_ext _ (fun z => code_cases c z * bit_cases b true)) by (intros; lia).
  rewrite (sum_ext (fun z => bit_cases b false * code_cases c z)
             (fun z => code_cases c z * bit_cases b false)) by (intros; lia).
  rewrite <- !sum_mul_r. unfold bit_cases. destruct b; simpl; nia.
Qed.

Theorem noise_distribution c : 0 < one -> T <= one -> distribution (codes (length c)) (noise c).
Proof.
  intros H1 HT. split; [intros z _; apply ratio_nonneg|].
  unfold noise. rewrite Qsum_ratio by (apply N.neq_0_lt_0, N.pow_nonzero; lia).
  rewrite (sum_ext _ (code_cases c)).
  - rewrite code_cases_total by auto. apply ratio_self. apply N.neq_0_lt_0, N.pow_nonzero. lia.
  - intros z Hz. apply cases_product; auto. now rewrite (codes_length _ _ Hz).
Qed.

(** "R is (epsilon d)-private on all codes": (a/b)^k is at most e^(epsilon k). *)
Theorem randomizer_bounded a b n c c' :
  threshold_holds a b -> 0 < b <= a -> length c = n -> length c' = n ->
  bounded (powers a b (hamming c c')) (codes n) (noise c) (noise c').
Proof.
  intros H Hab Hc Hc' z Hz. apply codes_length in Hz. unfold noise, powers.
  assert (T <= one) by (destruct H as (? & ? & ?); lia). assert (0 < one) by (destruct H; lia).
  apply ratio_bound; try (apply N.neq_0_lt_0, N.pow_nonzero; lia).
  rewrite !cases_product by congruence. rewrite Hc, Hc'.
  pose proof (randomizer_integers a b c c' z H ltac:(lia) ltac:(congruence) ltac:(congruence)) as Hi.
  cbv zeta in Hi. nia.
Qed.

(** "The word nearest to R(c)", and "one of the k words nearest to R(c), drawn with probabilities
    that depend on R(c) alone": any kernel. *)
Theorem of_randomizer_bounded {Word} (vocabulary : list Word) kernel a b n c c' :
  (forall z, In z (codes n) -> nonnegative vocabulary (kernel z)) ->
  threshold_holds a b -> 0 < b <= a -> length c = n -> length c' = n ->
  bounded (powers a b (hamming c c')) vocabulary
    (postprocessed (codes n) kernel (noise c)) (postprocessed (codes n) kernel (noise c')).
Proof. intros. apply postprocessing; auto. now apply randomizer_bounded. Qed.

End Randomizer.

(** [brr]: [nearest] is [HammingIndex.nearest] in brrkit/mechanisms/brr.py. *)
Corollary brr_private {Word} (vocabulary : list Word) equal (nearest : list bool -> Word) one T a b n c c' :
  threshold_holds one T a b -> 0 < b <= a -> length c = n -> length c' = n ->
  bounded (powers a b (hamming c c')) vocabulary
    (postprocessed (codes n) (of_function equal nearest) (noise one T c))
    (postprocessed (codes n) (of_function equal nearest) (noise one T c')).
Proof.
  intros. apply of_randomizer_bounded; auto. intros z _. apply of_function_nonnegative.
Qed.

(** [flip_threshold] for e^epsilon = a/b: [-(-(1 << 32 + precision) // ((1 << precision) + e))]. *)
Theorem flip_threshold_good one a b :
  0 < one -> 0 < b <= a -> 2 <= one -> N.even one = true ->
  threshold_holds one (divide_up (one * b) (b + a)) a b.
Proof.
  intros Hone Hab Htwo Heven. set (T := divide_up (one * b) (b + a)).
  assert (Hup : one * b <= T * (b + a)) by (apply divide_up_spec; lia).
  apply N.even_spec in Heven as [half Hhalf].
  assert (HT : T <= half) by (apply divide_up_least; nia).
  repeat split.
  - apply N.neq_0_lt_0. intros E. rewrite E in Hup. nia.
  - lia.
  - rewrite N.mul_sub_distr_r. nia.
Qed.
