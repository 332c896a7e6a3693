(** Tables of weights: W[0], ..., W[L], integers.

    The premises of the theorems about [exponential] (docs/explanation/proofs.md), as propositions
    about a table and two rational bounds, with a boolean for each; and the proof that the result of
    [weight_table] in brrkit/exact.py satisfies them. *)

From Coq Require Import Arith Bool Lia List NArith.
Import ListNotations.
Open Scope N_scope.

(** W[d]. *)
Definition weight (W : list N) (d : nat) : N := nth d W 0.

(** The largest distance, L, if the table isn't empty. *)
Definition last_index (W : list N) : nat := pred (length W).

(** No weight is 0. *)
Definition positive (W : list N) : Prop :=
  W <> [] /\ forall d, (d <= last_index W)%nat -> 0 < weight W d.

(** Weights never increase. *)
Definition decreasing (W : list N) : Prop :=
  forall d, (d < last_index W)%nat -> weight W (S d) <= weight W d.

(** The loss of a step of one bit is at most a factor a/b, which is e^(epsilon/2), rounded down. *)
Definition steps_hold (W : list N) (a b : N) : Prop :=
  forall d, (d < last_index W)%nat -> weight W d * b <= weight W (S d) * a.

(** No weight is below W[0]*b/a: a/b is e^(cap/2), rounded down. *)
Definition cap_holds (W : list N) (a b : N) : Prop :=
  forall d, (d <= last_index W)%nat -> weight W 0 * b <= weight W d * a.

(** ** The premises as booleans, for a program *)

Fixpoint all_steps (holds : N -> N -> bool) (W : list N) : bool :=
  match W with
  | w :: (v :: _) as rest => holds w v && all_steps holds rest
  | _ => true
  end.

Lemma all_steps_spec holds W :
  all_steps holds W = true <->
  forall d, (d < last_index W)%nat -> holds (weight W d) (weight W (S d)) = true.
Proof.
  unfold last_index, weight. induction W as [|w [|v W] IH].
  - split; auto. intros _ d H. simpl in H. lia.
  - split; auto. intros _ d H. simpl in H. lia.
  - change (all_steps holds (w :: v :: W)) with (holds w v && all_steps holds (v :: W)).
    rewrite andb_true_iff, IH. split.
    + intros [H0 H] [|d] Hd; [exact H0|]. apply (H d). simpl in *. lia.
    + intros H. split; [apply (H 0%nat); simpl; lia|].
      intros d Hd. apply (H (S d)). simpl in *. lia.
Qed.

Lemma forallb_weight holds W :
  forallb holds W = true <-> forall d, (d < length W)%nat -> holds (weight W d) = true.
Proof.
  unfold weight. rewrite forallb_forall. split.
  - intros H d Hd. apply H, nth_In, Hd.
  - intros H x Hx. destruct (In_nth W x 0 Hx) as (d & Hd & <-). auto.
Qed.

Definition positiveb (W : list N) : bool :=
  negb (length W =? 0)%nat && forallb (fun w => 0 <? w) W.

Definition decreasingb : list N -> bool := all_steps (fun w v => v <=? w).

Definition steps_holdb (W : list N) (a b : N) : bool := all_steps (fun w v => w * b <=? v * a) W.

Definition cap_holdsb (W : list N) (a b : N) : bool :=
  let first := weight W 0 * b in forallb (fun w => first <=? w * a) W.

Lemma below_length (W : list N) d : W <> [] -> (d < length W)%nat <-> (d <= last_index W)%nat.
Proof. unfold last_index. destruct W; [easy|]. simpl. lia. Qed.

Theorem positiveb_spec W : positiveb W = true <-> positive W.
Proof.
  unfold positiveb, positive. rewrite andb_true_iff, negb_true_iff, Nat.eqb_neq, forallb_weight.
  rewrite length_zero_iff_nil. split; intros [H0 H]; split; auto; intros d Hd.
  - apply N.ltb_lt, H. now apply below_length.
  - apply N.ltb_lt, H. now apply below_length.
Qed.

Theorem decreasingb_spec W : decreasingb W = true <-> decreasing W.
Proof.
  unfold decreasingb, decreasing. rewrite all_steps_spec.
  split; intros H d Hd; now apply N.leb_le, H.
Qed.

Theorem steps_holdb_spec W a b : steps_holdb W a b = true <-> steps_hold W a b.
Proof.
  unfold steps_holdb, steps_hold. rewrite all_steps_spec.
  split; intros H d Hd; now apply N.leb_le, H.
Qed.

Theorem cap_holdsb_spec W a b : W <> [] -> cap_holdsb W a b = true <-> cap_holds W a b.
Proof.
  intros HW. unfold cap_holdsb, cap_holds. rewrite forallb_weight.
  split; intros H d Hd; apply N.leb_le, H; now apply below_length.
Qed.

(** ** The consequences of the premises *)

Lemma decreasing_le W i j :
  decreasing W -> (i <= j <= last_index W)%nat -> weight W j <= weight W i.
Proof.
  intros falls [Hij Hj]. induction Hij as [|j Hij IH]; [lia|].
  transitivity (weight W j); [apply falls; lia|apply IH; lia].
Qed.

Section Bounds.

Variables (W : list N) (a b : N).
Hypothesis falls : decreasing W.
Hypothesis steps : steps_hold W a b.
Hypothesis at_least_one : b <= a.

(** The loss of k steps is at most the k-th power. *)
Lemma steps_power i k :
  (i + k <= last_index W)%nat -> weight W i * b ^ N.of_nat k <= weight W (i + k) * a ^ N.of_nat k.
Proof.
  induction k as [|k IH]; intros Hk.
  - rewrite Nat.add_0_r. simpl. lia.
  - rewrite Nat2N.inj_succ, !N.pow_succ_r', Nat.add_succ_r.
    transitivity (weight W (i + k) * b * a ^ N.of_nat k).
    + specialize (IH ltac:(lia)). nia.
    + specialize (steps (i + k)%nat ltac:(lia)). nia.
Qed.

(** Inequality (1) of the page: the weights of two distances that differ by at most k. *)
Theorem weight_ratio i j k :
  (i <= last_index W)%nat -> (j <= last_index W)%nat -> (j <= i + k)%nat ->
  weight W i * b ^ N.of_nat k <= weight W j * a ^ N.of_nat k.
Proof.
  intros Hi Hj Hk. destruct (Nat.le_gt_cases j i) as [Hji|Hij].
  - apply N.mul_le_mono; [apply decreasing_le; auto; lia|now apply N.pow_le_mono_l].
  - replace k with ((j - i) + (k - (j - i)))%nat by lia.
    rewrite Nat2N.inj_add, !N.pow_add_r, !N.mul_assoc.
    apply N.mul_le_mono; [|now apply N.pow_le_mono_l].
    replace (weight W j) with (weight W (i + (j - i))%nat) by (f_equal; lia).
    apply steps_power. lia.
Qed.

End Bounds.

(** With a cap, the ratio of any two weights is at most a/b. *)
Theorem weight_ratio_cap W a b i j :
  decreasing W -> cap_holds W a b -> (i <= last_index W)%nat -> (j <= last_index W)%nat ->
  weight W i * b <= weight W j * a.
Proof.
  intros falls cap Hi Hj. transitivity (weight W 0 * b); [|now apply cap].
  apply N.mul_le_mono_r, decreasing_le; auto. lia.
Qed.

(** ** The table that the runtime computes *)

(** brrkit/exact.py: [-(-n // d)]. *)
Definition divide_up (n d : N) : N := (n + (d - 1)) / d.

Lemma divide_up_spec n d : 0 < d -> n <= divide_up n d * d.
Proof.
  intros Hd. unfold divide_up.
  pose proof (N.div_mod (n + (d - 1)) d ltac:(lia)).
  pose proof (N.mod_lt (n + (d - 1)) d ltac:(lia)). nia.
Qed.

(** It is the smallest sufficient integer. *)
Lemma divide_up_least n d k : 0 < d -> n <= k * d -> divide_up n d <= k.
Proof.
  intros Hd H. unfold divide_up. apply N.lt_succ_r, N.div_lt_upper_bound; [lia|]. nia.
Qed.

(** The weights from [w] on, one for each growth of [growths] after it: a loop's body is
    [weights.append(max(-(-(weights[-1] << 64) // growth), least))]; one = 2^64. *)
Fixpoint weights_from (one least w : N) (growths : list N) : list N :=
  match growths with
  | [] => [w]
  | g :: growths => w :: weights_from one least (N.max (divide_up (w * one) g) least) growths
  end.

(** [weight_table]: slow growth up to the radius, then steep growth. [first] is W[0], [least] the
    floor F, [gentle] and [steep] are results of [_growth], [far] is L - radius. *)
Definition weight_table (one first least gentle steep : N) (radius far : nat) : list N :=
  weights_from one least first (repeat gentle radius ++ repeat steep far).

(** The floor F for a cap with the growth [g] = floor(2^64 * e^(cap/2)). *)
Definition floor_of_cap (one first g : N) : N := divide_up (first * one) g.

Lemma weights_from_head one least w growths : exists rest,
  weights_from one least w growths = w :: rest.
Proof. destruct growths; simpl; eauto. Qed.

Lemma weights_from_length one least w growths :
  length (weights_from one least w growths) = S (length growths).
Proof. revert w. induction growths; intros; simpl; auto. Qed.

Section Table.

Variables one least : N.
Hypothesis one_positive : 0 < one.

Definition step_is_good (a : N) (w v : N) : Prop := w * one <= v * a /\ v <= w /\ least <= v /\ 0 < v.

Lemma table_step g a w :
  one <= g <= a -> least <= w -> 0 < w ->
  step_is_good a w (N.max (divide_up (w * one) g) least).
Proof.
  intros Hg Hl Hw. pose proof (divide_up_spec (w * one) g ltac:(lia)) as Hup.
  pose proof (divide_up_least (w * one) g w ltac:(lia) ltac:(nia)).
  assert (0 < divide_up (w * one) g).
  { destruct (N.eq_0_gt_0_cases (divide_up (w * one) g)) as [E|]; auto. rewrite E in Hup. nia. }
  unfold step_is_good. repeat split; try lia.
  transitivity (divide_up (w * one) g * g); [auto|]. apply N.mul_le_mono; lia.
Qed.

Lemma table_steps a w growths d :
  Forall (fun g => one <= g <= a) growths -> least <= w -> 0 < w -> (d < length growths)%nat ->
  step_is_good a (weight (weights_from one least w growths) d)
    (weight (weights_from one least w growths) (S d)).
Proof.
  intros Hgs. revert w d. induction Hgs as [|g growths Hg _ IH]; intros w d Hl Hw Hd; simpl in *; [lia|].
  pose proof (table_step g a w Hg Hl Hw) as Hstep. destruct d as [|d].
  - destruct (weights_from_head one least (N.max (divide_up (w * one) g) least) growths) as [r E].
    unfold weight. rewrite E. exact Hstep.
  - apply IH; try (apply Hstep). lia.
Qed.

Variables (first gentle steep : N) (radius far : nat).
Hypothesis growths_good : one <= gentle <= steep.
Hypothesis first_positive : 0 < first.
Hypothesis least_small : least <= first.

Let W := weight_table one first least gentle steep radius far.

Lemma weight_table_last : last_index W = (radius + far)%nat.
Proof.
  unfold W, weight_table, last_index. now rewrite weights_from_length, app_length, !repeat_length.
Qed.

Lemma weight_table_first : weight W 0 = first.
Proof.
  unfold W, weight_table.
  now destruct (weights_from_head one least first (repeat gentle radius ++ repeat steep far)) as [r ->].
Qed.

Lemma weight_table_steps d : (d < last_index W)%nat ->
  step_is_good steep (weight W d) (weight W (S d)).
Proof.
  rewrite weight_table_last. intros Hd. apply table_steps; auto.
  - apply Forall_app; split; apply Forall_forall; intros g Hg; apply repeat_spec in Hg; lia.
  - now rewrite app_length, !repeat_length.
Qed.

Lemma weight_table_least d : (d <= last_index W)%nat -> least <= weight W d /\ 0 < weight W d.
Proof.
  destruct d as [|d]; intros Hd.
  - now rewrite weight_table_first.
  - destruct (weight_table_steps d Hd) as (_ & _ & H & H'). auto.
Qed.

(** "The table satisfies the conditions": for every first weight, floor and radius, and for all
    growths of at least 1, if the steep one is the larger. *)
Theorem weight_table_good : positive W /\ decreasing W /\ steps_hold W steep one.
Proof.
  split; [|split].
  - split; [|intros d Hd; now apply weight_table_least].
    unfold W, weight_table.
    now destruct (weights_from_head one least first (repeat gentle radius ++ repeat steep far)) as [r ->].
  - intros d Hd. now destruct (weight_table_steps d Hd) as (_ & H & _).
  - intros d Hd. now destruct (weight_table_steps d Hd) as (H & _).
Qed.

End Table.

(** With the floor of a cap, which is at most W[0], the cap holds. *)
Theorem weight_table_cap one first gentle steep growth radius far :
  let least := floor_of_cap one first growth in
  0 < one -> one <= gentle <= steep -> one <= growth -> 0 < first ->
  least <= first /\ cap_holds (weight_table one first least gentle steep radius far) growth one.
Proof.
  intros least Hone Hg Hc Hf.
  assert (Hl : least <= first) by (apply divide_up_least; nia). split; auto.
  intros d Hd. rewrite weight_table_first.
  transitivity (least * growth); [apply divide_up_spec; lia|].
  apply N.mul_le_mono_r, weight_table_least; auto.
Qed.
