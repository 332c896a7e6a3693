(** The checker of a certificate: whether the loss between a vocabulary's words is at most a stated
    epsilon per bit, from codes and masses. docs/explanation/proofs.md, "The certified epsilon".

    [histogram] and [lowest] compare all pairs of words. They need not be these definitions: the
    extracted program has them in C (checker/distances.c), and their equality is a premise of the
    theorem. All other computations are here, in integers. *)

From Coq Require Import Arith Bool Lia List NArith Reals.
From Brrkit Require Import Sums Probability Hamming Weights Exponential Text Ranges Program Draw ExpBounds
  Checker Certificate Guarantee.
Import ListNotations.
Open Scope N_scope.

(** ** The computations over all pairs *)

Section Pairs.

Variables (distances : nat -> nat -> nat) (words : list nat) (last : nat).

(** By distance from a word: the sum of the words' numbers. *)
Definition histogram_of (numbers : nat -> N) (x : nat) : list N :=
  map (fun k => sum (fun y => if (distances x y =? k)%nat then numbers y else 0) words) (seq 0 (S last)).

(** By distance from a word: the smallest of the words' numbers; 0 without a word. *)
Definition lowest_of (numbers : nat -> N) (x : nat) : list N :=
  map (fun k => fold_right (fun y low =>
    if (distances x y =? k)%nat then (if low =? 0 then numbers y else N.min (numbers y) low) else low) 0 words)
    (seq 0 (S last)).

Lemma lowest_spec numbers x y :
  (forall z, In z words -> 0 < numbers z) -> In y words -> (distances x y <= last)%nat ->
  0 < nth (distances x y) (lowest_of numbers x) 0 <= numbers y.
Proof.
  intros Pos Hy Hd. unfold lowest_of. set (k := distances x y) in *.
  set (low := fun k => fold_right (fun y low =>
    if (distances x y =? k)%nat then (if low =? 0 then numbers y else N.min (numbers y) low) else low) 0 words).
  rewrite (nth_indep _ 0 (low 0%nat)) by (rewrite map_length, seq_length; lia).
  rewrite (map_nth low), seq_nth by lia. cbn [plus]. unfold low. clear low.
  induction words as [|z l IH]; [easy|]. cbn [fold_right].
  set (low := fold_right _ 0 l) in *.
  assert (0 < numbers z) by (apply Pos; now left).
  destruct Hy as [->|Hy].
  - fold k. rewrite Nat.eqb_refl. destruct (N.eqb_spec low 0); lia.
  - specialize (IH ltac:(intros; apply Pos; now right) Hy).
    destruct (distances x z =? k)%nat; [|exact IH]. destruct (N.eqb_spec low 0); lia.
Qed.

Fixpoint dot (l m : list N) : N :=
  match l, m with
  | a :: l, b :: m => a * b + dot l m
  | _, _ => 0
  end.

Lemma dot_map W (f : nat -> N) start :
  dot W (map f (seq start (length W))) = sum (fun k => nth (k - start) W 0 * f k) (seq start (length W)).
Proof.
  revert start. induction W as [|w W IH]; intros start; [reflexivity|].
  cbn [length seq map dot sum fold_right]. rewrite IH, Nat.sub_diag. cbn [nth]. f_equal.
  fold (sum (fun k => nth (k - start) (w :: W) 0 * f k) (seq (S start) (length W))).
  apply sum_ext. intros k Hk. apply in_seq in Hk.
  now replace (k - start)%nat with (S (k - S start)) by lia.
Qed.

Lemma sum_add {A} (f g : A -> N) l : sum (fun x => f x + g x) l = sum f l + sum g l.
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite IH. unfold sum. lia. Qed.

Lemma sum_select (f : nat -> N) d start n :
  (start <= d < start + n)%nat ->
  sum (fun k => f k * (if (d =? k)%nat then 1 else 0)) (seq start n) = f d.
Proof.
  revert start. induction n as [|n IH]; intros start H; [lia|]. cbn [seq sum fold_right].
  fold (sum (fun k => f k * (if (d =? k)%nat then 1 else 0)) (seq (S start) n)).
  destruct (Nat.eqb_spec d start) as [->|D].
  - rewrite (sum_ext _ (fun _ => 0)), sum_zero; [lia|]. intros k Hk. apply in_seq in Hk.
    destruct (Nat.eqb_spec start k); lia.
  - rewrite IH by lia. lia.
Qed.

(** A table of weights times the histogram is the sum of weighted numbers. *)
Lemma dot_histogram W numbers x :
  last_index W = last -> W <> [] -> (forall y, In y words -> (distances x y <= last)%nat) ->
  dot W (histogram_of numbers x) = sum (fun y => numbers y * weight W (distances x y)) words.
Proof.
  intros HL HW Hd. assert (length W = S last) as Len.
  { unfold last_index in HL. destruct W; [easy|]. cbn [length] in *. lia. }
  unfold histogram_of. rewrite <- Len, dot_map.
  rewrite (sum_ext _ (fun k => weight W k *
    sum (fun y => if (distances x y =? k)%nat then numbers y else 0) words))
    by (intros k _; rewrite Nat.sub_0_r; reflexivity).
  induction words as [|y l IH].
  - cbn. rewrite (sum_ext _ (fun _ => 0)); [apply sum_zero|]. intros; cbn; lia.
  - cbn [sum fold_right]. fold (sum (fun y => numbers y * weight W (distances x y)) l).
    rewrite <- IH by (intros; apply Hd; now right).
    rewrite <- (sum_select (fun k => numbers y * weight W k) (distances x y) 0 (length W))
      by (pose proof (Hd y ltac:(now left)); lia).
    rewrite <- sum_add. apply sum_ext. intros k _. cbn [sum fold_right].
    fold (sum (fun y => if (distances x y =? k)%nat then numbers y else 0) l).
    destruct (distances x y =? k)%nat; ring.
Qed.

End Pairs.

(** ** The check *)

(** The denominator of bounds on ratios. *)
Definition scale : N := 2 ^ 128.

(** Not above [scale] * (r/s)^k, for k from 0 to n. *)
Fixpoint growths (r s at_k : N) (n : nat) : list N :=
  at_k :: match n with O => [] | S n => growths r s (at_k * r / s) n end.

Lemma growths_spec r s n : 0 < s -> forall at_0 k, (k <= n)%nat ->
  nth k (growths r s at_0 n) 0 * s ^ N.of_nat k <= at_0 * r ^ N.of_nat k.
Proof.
  intros Hs. induction n as [|n IH]; intros at_0 [|k] Hk; try lia; try (cbn; lia).
  cbn [growths nth]. specialize (IH (at_0 * r / s) k ltac:(lia)).
  rewrite Nat2N.inj_succ, !N.pow_succ_r'.
  pose proof (N.mul_div_le (at_0 * r) s ltac:(lia)) as D.
  set (p := nth k (growths r s (at_0 * r / s) n) 0) in *. set (q := at_0 * r / s) in *.
  transitivity (s * (q * r ^ N.of_nat k)); [nia|].
  transitivity (at_0 * r * r ^ N.of_nat k); [|lia]. nia.
Qed.

(** For words k apart: the upper bound on N(x) / N(x'), times [scale]. *)
Definition allowed (W : list N) (k : nat) (growth : N) : N :=
  fold_right (fun i low => N.min (weight W (i + k) * growth / weight W i) low) growth
    (seq 0 (S (last_index W - k))).

Lemma allowed_spec W k growth i :
  positive W -> (i + k <= last_index W)%nat -> weight W i * allowed W k growth <= weight W (i + k) * growth.
Proof.
  intros [_ Pos] Hi. assert (In i (seq 0 (S (last_index W - k)))) as Hin by (apply in_seq; lia).
  unfold allowed. induction (seq 0 (S (last_index W - k))) as [|j l IH]; [easy|]. cbn [fold_right].
  set (low := fold_right _ growth l) in *. destruct Hin as [->|Hin].
  - transitivity (weight W i * (weight W (i + k) * growth / weight W i)).
    + apply N.mul_le_mono_l. lia.
    + apply N.mul_div_le. specialize (Pos i ltac:(lia)). lia.
  - specialize (IH Hin). transitivity (weight W i * low); [apply N.mul_le_mono_l; lia|exact IH].
Qed.

(** By distance k: the upper bound on N(x) / N(x'), times [scale], and an N(x) that is small enough
    compared with all N(x'). *)
Definition limits (W : list N) (r s least : N) : list (N * N) :=
  map (fun '(k, growth) => let most := allowed W k growth in (most, least * most / scale))
    (combine (seq 0 (S (last_index W))) (growths r s scale (last_index W))).

Fixpoint below (total : N) (lows : list N) (limits : list (N * N)) : bool :=
  match lows, limits with
  | low :: lows, (most, small) :: limits =>
      ((low =? 0) || (total <=? small) || (total * scale <=? low * most)) && below total lows limits
  | [], _ => true
  | _ :: _, [] => false
  end.

(** Ids, counted in binary. *)
Fixpoint numbered {A} (i : N) (l : list A) : list (N * A) :=
  match l with
  | [] => []
  | a :: l => (i, a) :: numbered (N.succ i) l
  end.

Section Check.

Variable s : exponential_setting.
Variable stated : fraction. (** certified_epsilon *)
Variable histogram : N -> list N. (** of masses, from the word of an id *)
Variable lowest : list N -> N -> list N. (** of some numbers by id, from the word of an id *)

Definition totals : list N := map (fun '(i, _) => dot (weights s) (histogram i)) (numbered 0 (masses s)).

Definition least (l : list N) : N := match l with [] => 0 | a :: l => fold_left N.min l a end.

Definition certificate_holds : bool :=
  let l := totals in
  let all := tl (limits (weights s) (bound stated) one (least l)) in
  (0 <? snd stated) && match gains s with [] => true | _ => false end &&
  forallb (fun '(i, total) => below total (tl (lowest l i)) all) (numbered 0 l).

(** ** The meaning *)

Variable code_of : nat -> code.
Let own := N.to_nat (own_size s).
Let tasks := N.to_nat (task_size s).
Let w := N.to_nat (task_weight s).
Let d (x y : nat) : nat := distance w (code_of x) (code_of y).
Let last := last_index (weights s).
Definition plain (y : nat) : N := level (nth y (masses s) 0).

Hypothesis sizes : forall y, In y (words s) -> has_size own tasks (code_of y).
Hypothesis checked_setting : exponential_failed s = [].
Hypothesis checked_certificate : certificate_holds = true.
Hypothesis histogram_right : forall x, In x (words s) ->
  histogram (N.of_nat x) = histogram_of d (words s) last plain x.
Hypothesis lowest_right : forall l x, In x (words s) ->
  lowest l (N.of_nat x) = lowest_of d (words s) last (fun y => nth y l 0) x.

Let fit := codes_fit s checked_setting code_of sizes.

Lemma near x y : In x (words s) -> In y (words s) -> (d x y <= last)%nat.
Proof. intros Hx Hy. apply (distance_in_table _ _ _ _ own tasks fit); auto. Qed.

Lemma numbered_length {A} i (l : list A) : length (numbered i l) = length l.
Proof. revert i. induction l as [|a l IH]; intros i; [reflexivity|]. cbn. now rewrite IH. Qed.

Lemma numbered_in {A} (l : list A) x start a : nth_error l x = Some a -> In (start + N.of_nat x, a) (numbered start l).
Proof.
  revert x start. induction l as [|b l IH]; intros [|x] start E; cbn in E; try discriminate.
  - inversion E. left. f_equal. lia.
  - right. specialize (IH x (N.succ start) E). now replace (start + N.of_nat (S x)) with (N.succ start + N.of_nat x) by lia.
Qed.

Lemma nth_numbered {A} (l : list A) (f : N -> N) x start : (x < length l)%nat ->
  nth x (map (fun '(i, _) => f i) (numbered start l)) 0 = f (start + N.of_nat x).
Proof.
  revert x start. induction l as [|a l IH]; intros x start H; [cbn in H; lia|]. destruct x as [|x]; cbn [numbered map nth].
  - f_equal. lia.
  - rewrite IH by (cbn in H; lia). f_equal. lia.
Qed.

Lemma no_gains : gains s = [].
Proof.
  pose proof checked_certificate as H. unfold certificate_holds in H. apply andb_prop in H as [H _].
  apply andb_prop in H as [_ H]. now destruct (gains s).
Qed.

Lemma mass_plain before y : mass s before y = plain y.
Proof.
  unfold mass, plain, following. rewrite no_gains. destruct before; cbn; lia.
Qed.

Lemma total_right before x : In x (words s) ->
  nth x totals 0 = normalizer (words s) code_of w (weights s) (fun _ : unit => mass s before) tt (code_of x).
Proof.
  intros Hx. unfold totals. rewrite (nth_numbered (masses s) (fun i => dot (weights s) (histogram i)))
    by (apply in_seq in Hx; lia).
  rewrite N.add_0_l, histogram_right by exact Hx.
  rewrite (dot_histogram d (words s) last (weights s) plain x) by
    (reflexivity || apply (checked_positive s checked_setting) || (intros; now apply near)).
  unfold normalizer, score. apply sum_ext. intros y _. now rewrite mass_plain.
Qed.

Lemma totals_positive x : In x (words s) -> 0 < nth x totals 0.
Proof.
  intros Hx. rewrite (total_right None) by exact Hx.
  apply (total_positive (words s) code_of w (weights s) own tasks (mass s None) fit); auto.
  - intros y Hy. apply (checked_masses s checked_setting None y Hy).
  - apply (checked_positive s checked_setting).
Qed.

Lemma least_le l x : (x < length l)%nat -> least l <= nth x l 0.
Proof.
  destruct l as [|a l]; [cbn; lia|]. cbn [least length]. intros H.
  assert (forall l a, fold_left N.min l a <= a) as Falls.
  { clear. induction l as [|b l IH]; intros a; cbn; [lia|]. etransitivity; [apply IH|]. lia. }
  destruct x as [|x]; [apply Falls|]. cbn [nth]. revert a x H.
  induction l as [|b l IH]; intros a x H; [cbn in H; lia|]. cbn [fold_left]. destruct x as [|x].
  - etransitivity; [apply Falls|]. cbn. lia.
  - apply IH. cbn in *. lia.
Qed.

Lemma below_spec total lows limits k :
  below total lows limits = true -> (k < length lows)%nat ->
  nth k lows 0 = 0 \/ total <= snd (nth k limits (0, 0)) \/
  total * scale <= nth k lows 0 * fst (nth k limits (0, 0)).
Proof.
  revert limits k. induction lows as [|low lows IH]; intros [|[most small] limits] k H Hk;
    cbn [below length] in *; try lia; try discriminate.
  apply andb_prop in H as [H Rest]. destruct k as [|k]; cbn [nth fst snd]; [|apply IH; auto; lia].
  rewrite !orb_true_iff, N.eqb_eq, !N.leb_le in H. tauto.
Qed.

Lemma nth_tl {A} (l : list A) e k : (0 < k)%nat -> nth (k - 1) (tl l) e = nth k l e.
Proof.
  intros H. destruct k as [|k]; [lia|]. replace (S k - 1)%nat with k by lia.
  destruct l as [|a l]; [now destruct k|reflexivity].
Qed.

Lemma limits_nth r t k : (k <= last)%nat -> nth k (limits (weights s) r t (least totals)) (0, 0) =
  let most := allowed (weights s) k (nth k (growths r t scale last) 0) in (most, least totals * most / scale).
Proof.
  intros Hk. unfold limits. fold last.
  set (f := fun '(k, growth) => let most := allowed (weights s) k growth in (most, least totals * most / scale)).
  assert (length (growths r t scale last) = S last) as Len.
  { generalize scale. clear. induction last as [|n IH]; intros p; cbn; [reflexivity|]. f_equal. apply IH. }
  rewrite (nth_indep _ (0, 0) (f (0%nat, 0))) by (rewrite map_length, combine_length, seq_length, Len; lia).
  rewrite (map_nth f), combine_nth, seq_nth by (rewrite ?seq_length; lia). reflexivity.
Qed.

Theorem checked_certified before :
  Certificate.certified (words s) code_of w (weights s) (mass s before) (bound stated) one.
Proof.
  intros x x' i Hx Hx' Hk Hi k. fold (d x x') in *. set (kn := d x x') in *.
  rewrite <- !(total_right before) by assumption.
  pose proof checked_certificate as H. unfold certificate_holds in H. apply andb_prop in H as [_ H].
  rewrite forallb_forall in H.
  assert (length totals = length (masses s)) as Len by (unfold totals; now rewrite map_length, numbered_length).
  assert (forall z, In z (words s) -> (z < length totals)%nat) as Inside.
  { intros z Hz. apply in_seq in Hz. lia. }
  assert (nth_error totals x = Some (nth x totals 0)) as E by (apply nth_error_nth', Inside, Hx).
  specialize (H _ (numbered_in totals x 0 _ E)). cbn beta iota in H. rewrite N.add_0_l, lowest_right in H by exact Hx.
  assert (kn <= last)%nat as Near by now apply near.
  destruct (lowest_spec d (words s) last (fun y => nth y totals 0) x x' totals_positive Hx' Near) as [Some_low Low].
  fold kn in Some_low, Low.
  set (lows := lowest_of d (words s) last (fun y => nth y totals 0) x) in *.
  set (all := limits (weights s) (bound stated) one (least totals)) in *.
  assert (length lows = S last) as Lows by (unfold lows, lowest_of; now rewrite map_length, seq_length).
  apply (below_spec _ _ _ (kn - 1)) in H; [|destruct lows; cbn in *; lia].
  rewrite !nth_tl in H by exact Hk.
  unfold all in H. rewrite limits_nth in H by exact Near. cbn [fst snd] in H. cbv zeta in H.
  set (growth := nth kn (growths (bound stated) one scale last) 0) in *.
  set (most := allowed (weights s) kn growth) in *.
  assert (nth x totals 0 * scale <= nth x' totals 0 * most) as Step.
  { destruct H as [H|[H|H]].
    - lia.
    - pose proof (N.mul_div_le (least totals * most) scale ltac:(discriminate)).
      pose proof (least_le totals x' (Inside x' Hx')).
      transitivity (least totals * most); [nia|now apply N.mul_le_mono_r].
    - etransitivity; [exact H|]. now apply N.mul_le_mono_r. }
  pose proof (allowed_spec (weights s) kn growth i (checked_positive s checked_setting) Hi) as A. fold most in A.
  pose proof (growths_spec (bound stated) one last one_positive scale kn Near) as G. fold growth in G.
  apply (proj2 (N.mul_le_mono_pos_r _ _ scale ltac:(reflexivity))).
  set (T := nth x totals 0) in *. set (T' := nth x' totals 0) in *.
  transitivity (weight (weights s) i * (T' * most) * one ^ k).
  { replace (weight (weights s) i * T * one ^ k * scale) with (weight (weights s) i * (T * scale) * one ^ k) by lia.
    apply N.mul_le_mono_r. now apply N.mul_le_mono_l. }
  transitivity (weight (weights s) (i + kn) * growth * T' * one ^ k).
  { apply N.mul_le_mono_r. replace (weight (weights s) i * (T' * most)) with (weight (weights s) i * most * T') by lia.
    now apply N.mul_le_mono_r. }
  replace (weight (weights s) (i + kn) * T' * bound stated ^ k * scale)
    with (weight (weights s) (i + kn) * T' * (scale * bound stated ^ k)) by lia.
  replace (weight (weights s) (i + kn) * growth * T' * one ^ k)
    with (weight (weights s) (i + kn) * T' * (growth * one ^ k)) by lia.
  now apply N.mul_le_mono_l.
Qed.

(** On the vocabulary's words the draw is (certified_epsilon d)-private. *)
Theorem certified_guarantee before x x' : In x (words s) -> In x' (words s) ->
  private (number stated * INR (d x x'))
    (draw (words s) code_of w (weights s) (mass s) before (code_of x))
    (draw (words s) code_of w (weights s) (mass s) before (code_of x')).
Proof.
  intros Hx Hx'. apply (private_of_loses (powers (bound stated) one (d x x'))).
  - apply (draw_loses _ _ _ _ _ own tasks fit (checked_positive s checked_setting)); auto.
    apply (certified_private (words s) code_of w (weights s) own tasks (mass s before)); auto using one_positive.
    + intros y Hy. now apply (checked_masses s checked_setting).
    + apply (checked_positive s checked_setting).
    + apply (checked_decreasing s checked_setting).
    + apply checked_certified.
  - rewrite Rmult_comm. apply power_bound.
    pose proof checked_certificate as H. unfold certificate_holds in H.
    apply andb_prop in H as [H _]. apply andb_prop in H as [H _]. now apply N.ltb_lt.
Qed.

(** The loss of texts is at most certified_epsilon times the sum of their places' distances. *)
Theorem certified_text_guarantee largest chosen past text text' ys :
  (forall v v', In v (words s) -> In v' (words s) -> (d v v' <= largest)%nat) ->
  distribution (words s) chosen -> length text = length text' ->
  Forall (is_token (words s)) text -> Forall (is_token (words s)) text' ->
  Forall (fun y => In y (words s)) ys ->
  (text_chance s code_of chosen past text ys <=
    exp (number stated * INR (text_distance d largest text text')) *
      text_chance s code_of chosen past text' ys)%R.
Proof.
  intros Hlargest Hchosen L Ht Ht' Hys.
  pose proof checked_certificate as H. unfold certificate_holds in H.
  apply andb_prop in H as [H _]. apply andb_prop in H as [H _]. apply N.ltb_lt in H.
  assert (0 < one <= bound stated)%N as Range by apply bound_range.
  eapply real_bound; [|now apply text_chance_nonneg|rewrite Rmult_comm; now apply power_bound].
  rewrite <- (text_loss_sum d largest (powers (bound stated) one) text text' (powers_zero _ _)
    (powers_plus _ _ Range)).
  apply text_private; try assumption.
  - intros h v y _. apply ratio_nonneg.
  - intros. now apply powers_monotone.
  - apply QArith_base.Qle_refl.
  - intros h v v' Hv Hv'.
    apply (certified_private (words s) code_of w (weights s) own tasks (mass s (hd_error h))); auto using one_positive.
    + intros y Hy. now apply (checked_masses s checked_setting).
    + apply (checked_positive s checked_setting).
    + apply (checked_decreasing s checked_setting).
    + apply checked_certified.
Qed.

End Check.
