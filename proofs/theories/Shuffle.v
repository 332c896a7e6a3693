(** Shuffled reports: the privacy blanket (Balle, Bell, Gascon and Nissim 2019).
    docs/explanation/proofs.md, "Shuffled reports". *)

From Coq Require Import Lia List Lqa NArith Permutation QArith Qminmax.
From Brrkit Require Import Probability Ranges Program Counts Sample.
Import ListNotations.
Open Scope Q_scope.

(** A shuffler's output is a function of the histogram: the order of reports doesn't matter. *)
Definition symmetric (g : list N -> Q) : Prop := forall l l', Permutation l l' -> g l == g l'.

Lemma symmetric_cons g y : symmetric g -> symmetric (fun ys => g (y :: ys)).
Proof. intros H l l' P. apply H. now constructor. Qed.

(** Many reports are (r, delta)-private: e^epsilon = r. *)
Definition approximately (r delta : Q) (p q : program (list N)) : Prop :=
  forall g, symmetric g -> (forall l, 0 <= g l <= 1) -> mean p g <= r * mean q g + delta.

Section Shuffle.

Variables one K k : N.
Hypothesis one_positive : (0 < one)%N.
Hypothesis some_symbol : (0 < k)%N.
Hypothesis K_fits : (K <= one)%N.

Let respond := respond one K k.
Let respond_all := respond_all one K k.
Let kept := ratio K one. (** a *)

(** For the reports of [others]: the number of uniform symbols, which don't depend on typing, and
    the other reports. A report is uniform with probability 1 - a. *)
Fixpoint blanket (others : list N) : program (nat * list N) :=
  match others with
  | [] => Return (0%nat, [])
  | x :: others =>
      Uniform one (fun number =>
        v <- blanket others ;;
        Return (if (number <? K)%N then (fst v, x :: snd v) else (S (fst v), snd v)))
  end.

(** Uniform symbols. *)
Fixpoint uniforms (m : nat) : program (list N) :=
  match m with
  | O => Return []
  | S m => Uniform k (fun y => ys <- uniforms m ;; Return (y :: ys))
  end.

Lemma uniforms_succ m g :
  mean (uniforms (S m)) g == uniform_mean k (fun y => mean (uniforms m) (fun ys => g (y :: ys))).
Proof.
  cbn [uniforms mean]. unfold uniform_mean, Qdiv. apply Qmult_comp; [|reflexivity].
  apply range_ext. intros y _. rewrite mean_bind. reflexivity.
Qed.

Lemma respond_shares x g :
  mean (respond x) g == kept * g x + (1 - kept) * uniform_mean k g.
Proof.
  unfold respond. rewrite respond_mean, of_N_sub by assumption. unfold kept, ratio.
  fold (of_N K) (of_N one). pose proof (of_N_pos one one_positive). field. lra.
Qed.

Lemma blanket_cons x others g :
  mean (blanket (x :: others)) g ==
  kept * mean (blanket others) (fun v => g (fst v, x :: snd v)) +
  (1 - kept) * mean (blanket others) (fun v => g (S (fst v), snd v)).
Proof.
  cbn [blanket mean].
  rewrite (range_ext _ _ (fun i => if (i <? K)%N
    then mean (blanket others) (fun v => g (fst v, x :: snd v))
    else mean (blanket others) (fun v => g (S (fst v), snd v)))).
  - rewrite range_threshold, of_N_sub by assumption. unfold kept, ratio.
    fold (of_N K) (of_N one). pose proof (of_N_pos one one_positive). field. lra.
  - intros i _. rewrite mean_bind. destruct (i <? K)%N; reflexivity.
Qed.

(** A uniform symbol can be drawn before or after independent draws. *)
Lemma uniform_swap {A} (p : program A) (g : N -> A -> Q) :
  uniform_mean k (fun y => mean p (g y)) == mean p (fun a => uniform_mean k (fun y => g y a)).
Proof. exact (mean_swap (uniform_integer k) p g). Qed.

(** The decomposition: reports reveal no more than the other reports, and the uniform symbols. *)
Theorem blanket_decomposition others g :
  symmetric g ->
  mean (respond_all others) g ==
  mean (blanket others) (fun v => mean (uniforms (fst v)) (fun ys => g (ys ++ snd v))).
Proof.
  revert g. induction others as [|x others IH]; intros g Hg; [reflexivity|].
  unfold respond_all. rewrite respond_all_cons, blanket_cons. fold respond. fold respond_all.
  rewrite (mean_ext (respond x) _ (fun y => mean (blanket others) (fun v =>
    mean (uniforms (fst v)) (fun ys => g (y :: ys ++ snd v)))))
    by (intros y; apply (IH (fun ys => g (y :: ys))), symmetric_cons, Hg).
  rewrite respond_shares. apply Qplus_comp; apply Qmult_comp; try reflexivity.
  - apply mean_ext. intros v. apply mean_ext. intros ys. apply Hg. cbn. apply Permutation_middle.
  - rewrite uniform_swap. apply mean_ext. intros v. cbn [fst snd]. rewrite uniforms_succ.
    reflexivity.
Qed.

(** The number M of uniform reports is binomial, and doesn't depend on anyone's words. *)
Fixpoint blanket_size (n : nat) : program nat :=
  match n with
  | O => Return 0%nat
  | S n => Uniform one (fun number =>
      m <- blanket_size n ;; Return (if (number <? K)%N then m else S m))
  end.

Theorem blanket_size_independent others (f : nat -> Q) :
  mean (blanket others) (fun v => f (fst v)) == mean (blanket_size (length others)) f.
Proof.
  revert f. induction others as [|x others IH]; intros f; [reflexivity|].
  rewrite blanket_cons. cbn [fst length blanket_size mean].
  rewrite (IH f), (IH (fun m => f (S m))).
  rewrite (range_ext _ _ (fun i => if (i <? K)%N then mean (blanket_size (length others)) f
    else mean (blanket_size (length others)) (fun m => f (S m)))).
  - rewrite range_threshold, of_N_sub by assumption. unfold kept, ratio.
    fold (of_N K) (of_N one). pose proof (of_N_pos one one_positive). field. lra.
  - intros i _. rewrite mean_bind. destruct (i <? K)%N; reflexivity.
Qed.

(** ** One report among m uniform symbols *)

Fixpoint count (y : N) (ys : list N) : N :=
  match ys with
  | [] => 0
  | z :: ys => (if z =? y then 1 else 0) + count y ys
  end%N.

(** "By the multinomial formula": y and m uniform symbols are as m + 1 uniform symbols, with weights
    k*h_y/(m+1). *)
Theorem uniforms_with m y g :
  symmetric g -> (y < k)%N ->
  of_N (N.of_nat (S m)) * mean (uniforms m) (fun ys => g (y :: ys)) ==
  of_N k * mean (uniforms (S m)) (fun ys => of_N (count y ys) * g ys).
Proof.
  intros Hg Hy. pose proof (of_N_pos k some_symbol). revert g Hg.
  assert (forall f, uniform_mean k (fun z => of_N (if (z =? y)%N then 1 else 0) * f z)
    == f y / of_N k) as Select.
  { intros f. unfold uniform_mean. apply Qmult_comp; [|reflexivity].
    rewrite <- (range_select k y f Hy). apply range_ext. intros z _.
    destruct (z =? y)%N; [change (of_N 1) with 1|change (of_N 0) with 0]; ring. }
  induction m as [|m IH]; intros g Hg; rewrite (uniforms_succ _ (fun ys => of_N (count y ys) * g ys)).
  - cbn [uniforms mean count].
    assert (uniform_mean k (fun z => of_N ((if (z =? y)%N then 1 else 0) + 0) * g [z]) == g [y] / of_N k)
      as -> by (rewrite <- (Select (fun z => g [z])); apply Qmult_comp; [|reflexivity];
        apply range_ext; intros; rewrite N.add_0_r; reflexivity).
    change (of_N (N.of_nat 1)) with 1. field. lra.
  - set (F := mean (uniforms (S m)) (fun ys => g (y :: ys))).
    assert (uniform_mean k (fun z => mean (uniforms (S m)) (fun ys =>
        of_N (count y (z :: ys)) * g (z :: ys))) ==
      uniform_mean k (fun z => of_N (if (z =? y)%N then 1 else 0) *
        mean (uniforms (S m)) (fun ys => g (z :: ys))) +
      uniform_mean k (fun z => mean (uniforms (S m)) (fun ys => of_N (count y ys) * g (z :: ys))))
      as ->.
    { unfold uniform_mean, Qdiv. rewrite <- Qmult_plus_distr_l, <- range_plus.
      apply Qmult_comp; [|reflexivity]. apply range_ext. intros z _.
      rewrite <- mean_scale, <- mean_plus. apply mean_ext. intros ys. cbn [count].
      rewrite of_N_add. ring. }
    rewrite (Select (fun z => mean (uniforms (S m)) (fun ys => g (z :: ys)))). fold F.
    assert (of_N k * uniform_mean k (fun z =>
        mean (uniforms (S m)) (fun ys => of_N (count y ys) * g (z :: ys))) ==
      of_N (N.of_nat (S m)) * F) as E.
    { unfold F. rewrite uniforms_succ. unfold uniform_mean.
      setoid_replace (of_N k * (range_sum k (fun z => mean (uniforms (S m))
          (fun ys => of_N (count y ys) * g (z :: ys))) / of_N k))
        with (range_sum k (fun z => of_N k * mean (uniforms (S m))
          (fun ys => of_N (count y ys) * g (z :: ys))) / of_N k)
        by (rewrite range_scale; unfold Qdiv; ring).
      unfold Qdiv. rewrite Qmult_assoc, <- range_scale. apply Qmult_comp; [|reflexivity].
      apply range_ext. intros z _.
      rewrite <- (IH (fun ys => g (z :: ys)) (symmetric_cons _ _ Hg)).
      apply Qmult_comp; [reflexivity|]. apply mean_ext. intros ys. apply Hg. constructor. }
    rewrite Qmult_plus_distr_r, E, Nat2N.inj_succ, of_N_succ. field. lra.
Qed.

(** L(h) of the page: the likelihood ratio of a histogram with a report of x. *)
Definition likelier (m : nat) (x : N) (ys : list N) : Q :=
  kept * of_N k * of_N (count x ys) / of_N (N.of_nat (S m)) + (1 - kept).

Theorem report_among_uniforms m x g :
  symmetric g -> (x < k)%N ->
  mean (respond x) (fun y => mean (uniforms m) (fun ys => g (y :: ys))) ==
  mean (uniforms (S m)) (fun ys => likelier m x ys * g ys).
Proof.
  intros Hg Hx. rewrite respond_shares, <- uniforms_succ.
  pose proof (of_N_pos (N.of_nat (S m)) ltac:(lia)).
  assert (mean (uniforms m) (fun ys => g (x :: ys)) ==
    of_N k * mean (uniforms (S m)) (fun ys => of_N (count x ys) * g ys) / of_N (N.of_nat (S m)))
    as -> by (rewrite <- uniforms_with by assumption; field; lra).
  setoid_replace (kept * (of_N k * mean (uniforms (S m)) (fun ys => of_N (count x ys) * g ys) /
      of_N (N.of_nat (S m))))
    with (kept * of_N k / of_N (N.of_nat (S m)) *
      mean (uniforms (S m)) (fun ys => of_N (count x ys) * g ys)) by (field; lra).
  rewrite <- !mean_scale, <- mean_plus. apply mean_ext. intros ys. unfold likelier. field. lra.
Qed.

(** ** The bound *)

Definition positive_part (v : Q) : Q := Qmax 0 v.

(** delta_1 given M = m, for one pair of symbols. *)
Definition delta_given (r : Q) (x x' : N) (m : nat) : Q :=
  mean (uniforms (S m)) (fun ys => positive_part (likelier m x ys - r * likelier m x' ys)).

(** delta_1 = E[(L(h_0) - e^epsilon*L(h_1))+], for one pair of symbols and n other reports. *)
Definition delta_of (r : Q) (x x' : N) (n : nat) : Q := mean (blanket_size n) (delta_given r x x').

(** "One report": data sets that differ in the report of x or x', with any other reports. *)
Theorem shuffled_one_report r x x' others :
  (x < k)%N -> (x' < k)%N ->
  approximately r (delta_of r x x' (length others)) (respond_all (x :: others))
    (respond_all (x' :: others)).
Proof.
  intros Hx Hx' g Hg Range.
  assert (forall z, (z < k)%N -> mean (respond_all (z :: others)) g ==
    mean (blanket others) (fun v => mean (uniforms (S (fst v)))
      (fun ys => likelier (fst v) z ys * g (ys ++ snd v)))) as View.
  { intros z Hz. unfold respond_all. rewrite respond_all_cons. fold respond. fold respond_all.
    rewrite (mean_ext (respond z) _ (fun y => mean (blanket others) (fun v =>
      mean (uniforms (fst v)) (fun ys => g (y :: ys ++ snd v)))))
      by (intros y; apply (blanket_decomposition others (fun ys => g (y :: ys))), symmetric_cons, Hg).
    rewrite mean_swap. apply mean_ext. intros v.
    apply (report_among_uniforms (fst v) z (fun ys => g (ys ++ snd v))); [|exact Hz].
    intros l l' P. apply Hg. now apply Permutation_app_tail. }
  rewrite !View by assumption. unfold delta_of. rewrite <- (blanket_size_independent others).
  rewrite <- mean_scale, <- mean_plus. apply mean_le. intros v. unfold delta_given.
  rewrite <- mean_scale, <- mean_plus. apply mean_le. intros ys.
  specialize (Range (ys ++ snd v)). unfold positive_part.
  set (l := likelier (fst v) x ys). set (l' := likelier (fst v) x' ys). set (y := g (ys ++ snd v)) in *.
  pose proof (Q.le_max_l 0 (l - r * l')). pose proof (Q.le_max_r 0 (l - r * l')).
  set (top := Qmax 0 (l - r * l')) in *.
  assert ((l - r * l') * y <= top * y) by (apply Qmult_le_compat_r; lra).
  assert (y * top <= 1 * top) by (apply Qmult_le_compat_r; lra). lra.
Qed.

(** *** All pairs of symbols have the same delta *)

Lemma uniforms_exchanged u v m g :
  (u < k)%N -> (v < k)%N ->
  mean (uniforms m) (fun ys => g (map (exchange u v) ys)) == mean (uniforms m) g.
Proof.
  intros Hu Hv. revert g. induction m as [|m IH]; intros g; [reflexivity|].
  rewrite !uniforms_succ. unfold uniform_mean, Qdiv. apply Qmult_comp; [|reflexivity]. cbn [map].
  rewrite <- (range_exchange k u v (fun y => mean (uniforms m) (fun ys => g (y :: ys)))) by assumption.
  apply range_ext. intros y _. apply (IH (fun ys => g (exchange u v y :: ys))).
Qed.

Lemma count_exchanged u v x ys : count (exchange u v x) (map (exchange u v) ys) = count x ys.
Proof.
  induction ys as [|y ys IH]; [reflexivity|]. cbn [map count]. rewrite IH. f_equal.
  assert (exchange u v y = exchange u v x <-> y = x) as Same.
  { split; [|congruence]. unfold exchange.
    destruct (N.eqb_spec y u), (N.eqb_spec y v), (N.eqb_spec x u), (N.eqb_spec x v); congruence. }
  destruct (N.eqb_spec (exchange u v y) (exchange u v x)), (N.eqb_spec y x); tauto.
Qed.

Lemma delta_exchanged r u v x x' n :
  (u < k)%N -> (v < k)%N ->
  delta_of r (exchange u v x) (exchange u v x') n == delta_of r x x' n.
Proof.
  intros Hu Hv. unfold delta_of. apply mean_ext. intros m. unfold delta_given.
  rewrite <- (uniforms_exchanged u v) by assumption. apply mean_ext. intros ys.
  unfold likelier. rewrite !count_exchanged. reflexivity.
Qed.

(** "The same for all pairs of symbols." *)
Theorem delta_of_any_pair r x x' y y' n :
  (x < k)%N -> (x' < k)%N -> (y < k)%N -> (y' < k)%N -> x <> x' -> y <> y' ->
  delta_of r x x' n == delta_of r y y' n.
Proof.
  intros Hx Hx' Hy Hy' Dx Dy. set (z := exchange x y x').
  assert (z <> y).
  { unfold z, exchange. destruct (N.eqb_spec x' x), (N.eqb_spec x' y); congruence. }
  assert (z < k)%N by now apply exchange_below.
  rewrite <- (delta_exchanged r x y x x') by assumption. fold z.
  rewrite <- (delta_exchanged r z y' _ z) by assumption.
  assert (exchange x y x = y) as -> by (unfold exchange; now rewrite N.eqb_refl).
  assert (exchange z y' z = y') as -> by (unfold exchange; now rewrite N.eqb_refl).
  assert (exchange z y' y = y) as ->; [|reflexivity].
  unfold exchange. destruct (N.eqb_spec y z), (N.eqb_spec y y'); congruence.
Qed.

(** Without a difference, there is no loss. *)
Lemma delta_of_same r x n : 1 <= r -> delta_of r x x n == 0.
Proof.
  intros Hr. unfold delta_of. apply Qeq_trans with (mean (blanket_size n) (fun _ => 0 * 0)).
  - apply mean_ext. intros m. unfold delta_given.
    apply Qeq_trans with (mean (uniforms (S m)) (fun _ => 0 * 0)).
    + apply mean_ext. intros ys. unfold positive_part. apply Q.max_l.
      assert (0 <= likelier m x ys).
      { assert (0 <= kept <= 1) as Hk.
        { split; [apply ratio_nonneg|]. unfold kept. rewrite <- (ratio_self 1) by reflexivity.
          apply ratio_le; [assumption|reflexivity|lia]. }
        unfold likelier. assert (0 <= kept * of_N k * of_N (count x ys) / of_N (N.of_nat (S m))).
        { apply Qmult_le_0_compat; [|apply inverse_nonneg].
          apply Qmult_le_0_compat; [apply Qmult_le_0_compat|]; try apply of_N_nonneg; lra. }
        lra. }
      nra.
    + rewrite (mean_scale _ 0 (fun _ => 0)). ring.
  - rewrite (mean_scale _ 0 (fun _ => 0)). ring.
Qed.

(** ** Several reports of one reporter *)

Lemma approximately_chain r delta s eta p q q' :
  0 <= r -> approximately r delta p q -> approximately s eta q q' ->
  approximately (r * s) (delta + r * eta) p q'.
Proof.
  intros Hr H1 H2 g Hg Range. specialize (H1 g Hg Range). specialize (H2 g Hg Range).
  apply Qle_trans with (r * (s * mean q' g + eta) + delta).
  - apply Qle_trans with (r * mean q g + delta); [exact H1|].
    apply Qplus_le_l. rewrite !(Qmult_comm r). now apply Qmult_le_compat_r.
  - lra.
Qed.

(** The order of reporters doesn't matter either. *)
Lemma respond_all_permuted words words' g :
  symmetric g -> Permutation words words' ->
  mean (respond_all words) g == mean (respond_all words') g.
Proof.
  intros Hg P. revert g Hg. unfold respond_all. induction P; intros g Hg.
  - reflexivity.
  - rewrite !respond_all_cons. apply mean_ext. intros y. now apply (IHP _ (symmetric_cons g y Hg)).
  - rewrite !respond_all_cons.
    rewrite (mean_ext (Counts.respond one K k y) _ (fun u => mean (Counts.respond one K k x)
      (fun v => mean (Sample.respond_all one K k l) (fun ys => g (u :: v :: ys)))))
      by (intros; apply respond_all_cons).
    rewrite mean_swap. apply mean_ext. intros v. rewrite respond_all_cons. apply mean_ext. intros u.
    apply mean_ext. intros ys. apply Hg. constructor.
  - rewrite IHP1 by exact Hg. now apply IHP2.
Qed.

(** (e^(m epsilon), delta*(1 + e^epsilon + ... + e^((m-1) epsilon))) *)
Fixpoint group_factor (r : Q) (m : nat) : Q :=
  match m with
  | O => 1
  | S m => r * group_factor r m
  end.

Fixpoint group_delta (r delta : Q) (m : nat) : Q :=
  match m with
  | O => 0
  | S m => delta + r * group_delta r delta m
  end.

(** "m reports": [own] and [own'] are all reports of one reporter. *)
Theorem shuffled_reports r y y' n own own' others :
  let delta := delta_of r y y' n in
  1 <= r -> (y < k)%N -> (y' < k)%N -> y <> y' -> length own = length own' -> symbols k own -> symbols k own' -> (length own + length others = S n)%nat ->
  approximately (group_factor r (length own)) (group_delta r delta (length own))
    (respond_all (own ++ others)) (respond_all (own' ++ others)).
Proof.
  intros delta Hr1 Hy Hy' Dy. assert (0 <= r) as Hr by lra.
  assert (forall x x', (x < k)%N -> (x' < k)%N -> delta_of r x x' n <= delta) as Hdelta.
  { intros x x' Hx Hx'. destruct (N.eq_dec x x') as [<-|Dx].
    - rewrite delta_of_same by exact Hr1. apply mean_nonneg. intros m. apply mean_nonneg. intros ys.
      apply Q.le_max_l.
    - unfold delta. rewrite (delta_of_any_pair r x x' y y') by assumption. apply Qle_refl. }
  clearbody delta. revert own' others.
  induction own as [|x own IH]; intros [|x' own'] others L H H' Total; try discriminate.
  - intros g _ _. cbn. lra.
  - inversion_clear H. inversion_clear H'. cbn [app length group_factor group_delta] in *.
    apply approximately_chain with (respond_all (x' :: own ++ others)); [exact Hr| |].
    + pose proof (shuffled_one_report r x x' (own ++ others) ltac:(assumption) ltac:(assumption)) as One.
      intros g Hg Range. specialize (One g Hg Range). rewrite app_length in One.
      replace (length own + length others)%nat with n in One by lia.
      pose proof (Hdelta x x' ltac:(assumption) ltac:(assumption)). lra.
    + intros g Hg Range.
      rewrite (respond_all_permuted (x' :: own ++ others) (own ++ x' :: others)),
        (respond_all_permuted (x' :: own' ++ others) (own' ++ x' :: others));
        try apply Permutation_middle; try exact Hg.
      apply IH; auto. cbn [length]. lia.
Qed.

(** ** More uniform symbols hide better *)

Lemma positive_part_times v y : 0 <= y <= 1 -> v * y <= positive_part v.
Proof.
  intros H. unfold positive_part. pose proof (Q.le_max_l 0 v). pose proof (Q.le_max_r 0 v).
  set (top := Qmax 0 v) in *. assert (v * y <= top * y) by (apply Qmult_le_compat_r; lra).
  assert (y * top <= 1 * top) by (apply Qmult_le_compat_r; lra). lra.
Qed.

(** The information in a symmetric function, with m uniform symbols. *)
Lemma told_apart r x x' m g :
  (x < k)%N -> (x' < k)%N -> symmetric g -> (forall l, 0 <= g l <= 1) ->
  mean (respond x) (fun y => mean (uniforms m) (fun ys => g (y :: ys))) -
  r * mean (respond x') (fun y => mean (uniforms m) (fun ys => g (y :: ys))) <=
  delta_given r x x' m.
Proof.
  intros Hx Hx' Hg Range. rewrite !report_among_uniforms by assumption.
  unfold Qminus. rewrite <- mean_scale.
  setoid_replace (- mean (uniforms (S m)) (fun a => r * (likelier m x' a * g a)))
    with (mean (uniforms (S m)) (fun a => -(1) * (r * (likelier m x' a * g a))))
    by (rewrite (mean_scale _ (-(1))); ring).
  rewrite <- mean_plus. apply mean_le. intros ys.
  eapply Qle_trans; [|apply (positive_part_times _ (g ys) (Range ys))]. apply Qle_lteq. right. ring.
Qed.

Lemma count_permuted y l l' : Permutation l l' -> count y l = count y l'.
Proof. induction 1; cbn [count]; lia. Qed.

Lemma likelier_symmetric m x l l' : Permutation l l' -> likelier m x l == likelier m x l'.
Proof. intros P. unfold likelier. now rewrite (count_permuted x l l' P). Qed.

Theorem delta_given_falls r x x' m :
  (x < k)%N -> (x' < k)%N -> delta_given r x x' (S m) <= delta_given r x x' m.
Proof.
  intros Hx Hx'.
  set (gain := fun ys => likelier (S m) x ys - r * likelier (S m) x' ys).
  set (g := fun ys => if Qlt_le_dec 0 (gain ys) then 1 else 0).
  assert (symmetric g) as Hg.
  { intros l l' P. unfold g. assert (gain l == gain l') as E
      by (unfold gain; now rewrite (likelier_symmetric _ x l l' P), (likelier_symmetric _ x' l l' P)).
    destruct (Qlt_le_dec 0 (gain l)), (Qlt_le_dec 0 (gain l')); (reflexivity || lra). }
  assert (forall l, 0 <= g l <= 1) as Range by (intros; unfold g; destruct (Qlt_le_dec _ _); lra).
  (* g distinguishes it *)
  assert (delta_given r x x' (S m) ==
    mean (respond x) (fun y => mean (uniforms (S m)) (fun ys => g (y :: ys))) +
    - r * mean (respond x') (fun y => mean (uniforms (S m)) (fun ys => g (y :: ys)))) as ->.
  { rewrite !report_among_uniforms by assumption.
    rewrite <- mean_scale, <- mean_plus. apply mean_ext. intros ys.
    fold (gain ys). unfold g, positive_part.
    destruct (Qlt_le_dec 0 (gain ys)).
    - rewrite Q.max_r by lra. unfold gain. ring.
    - rewrite Q.max_l by lra. ring. }
  assert (forall z, (z < k)%N -> mean (respond z) (fun y => mean (uniforms (S m)) (fun ys => g (y :: ys))) ==
    uniform_mean k (fun y' => mean (respond z) (fun y => mean (uniforms m) (fun ys => g (y' :: y :: ys))))) as Out.
  { intros z Hz. rewrite uniform_swap. apply mean_ext. intros y.     rewrite uniforms_succ. unfold uniform_mean, Qdiv. apply Qmult_comp; [|reflexivity].
    apply range_ext. intros y' _. apply mean_ext. intros ys. apply Hg. constructor. }
  rewrite !Out by assumption. unfold uniform_mean.
  pose proof (of_N_pos k some_symbol).
  apply Qle_trans with (range_sum k (fun _ => delta_given r x x' m) / of_N k);
    [|rewrite range_const; apply Qle_lteq; right; field; lra].
  setoid_replace (range_sum k (fun y' => mean (respond x) (fun y => mean (uniforms m) (fun ys => g (y' :: y :: ys)))) / of_N k
    + - r * (range_sum k (fun y' => mean (respond x') (fun y => mean (uniforms m) (fun ys => g (y' :: y :: ys)))) / of_N k))
    with (range_sum k (fun y' => mean (respond x) (fun y => mean (uniforms m) (fun ys => g (y' :: y :: ys)))
      + - r * mean (respond x') (fun y => mean (uniforms m) (fun ys => g (y' :: y :: ys)))) / of_N k)
    by (rewrite range_plus, range_scale; field; lra).
  apply Qmult_le_compat_r; [|apply inverse_nonneg]. apply range_le. intros z Hz.
  assert (forall a b c, a - r * b <= c -> a + - r * b <= c) as Same by (intros; lra). apply Same.
  apply (told_apart r x x' m (fun l => g (z :: l))); auto using symmetric_cons.
Qed.

(** A likelihood ratio has the mean 1. *)
Lemma uniforms_exist m : draws_exist (uniforms m).
Proof.
  induction m as [|m IH]; [exact I|]. cbn [uniforms draws_exist].
  split; [exact some_symbol|]. intros i _. revert IH. generalize (uniforms m). intros q.
  induction q as [a|b next IHq]; cbn [bind draws_exist]; [auto|]. intros [Hb H]. split; [exact Hb|auto].
Qed.

Lemma delta_given_range r x x' m :
  0 <= r -> (x < k)%N -> (x' < k)%N -> 0 <= delta_given r x x' m <= 1.
Proof.
  intros Hr Hx Hx'. split; [apply mean_nonneg; intros; apply Q.le_max_l|].
  assert (mean (uniforms (S m)) (likelier m x) == 1) as <-.
  { assert (mean (uniforms (S m)) (likelier m x) ==
      mean (respond x) (fun y => mean (uniforms m) (fun ys => 1))) as ->.
    {       rewrite (report_among_uniforms m x (fun _ => 1)); auto.
      - apply mean_ext. intros ys. ring.
      - intros l l' _. reflexivity. }
    rewrite (mean_ext _ _ (fun _ => 1)) by (intros; apply mean_const, uniforms_exist).
    apply mean_const, respond_draws_exist; assumption. }
  apply mean_le. intros ys.
  assert (forall z, 0 <= likelier m z ys) as P.
  { intros z. unfold likelier.
    assert (0 <= kept <= 1) as Hk.
    { split; [apply ratio_nonneg|]. unfold kept. rewrite <- (ratio_self 1) by reflexivity.
      apply ratio_le; [assumption|reflexivity|lia]. }
    assert (0 <= kept * of_N k * of_N (count z ys) / of_N (N.of_nat (S m))).
    { apply Qmult_le_0_compat; [|apply inverse_nonneg].
      apply Qmult_le_0_compat; [apply Qmult_le_0_compat|]; try apply of_N_nonneg; lra. }
    lra. }
  pose proof (P x). pose proof (P x'). apply Q.max_lub; [assumption|].
  assert (0 <= r * likelier m x' ys) by (apply Qmult_le_0_compat; assumption). lra.
Qed.

End Shuffle.
