(** The draw of [exponential]: first a distance, then a word at that distance, both by cumulative
    integers. A word's probability is exactly m_h(y)*W[d(c,y)]/N_h(c). docs/explanation/proofs.md,
    "The draw is exact". For an unknown word, a word is first drawn by the masses:
    docs/explanation/proofs.md, "Words outside the vocabulary". *)

From Coq Require Import Arith List Lqa Lia NArith QArith.
From Brrkit Require Import Sums Probability Postprocessing Hamming Weights Exponential Text.
From Brrkit Require Import Ranges Program Uniform.
Import ListNotations.
Open Scope Q_scope.

(** The first of [l] at which the sum of the sizes exceeds a number: [bisect_right(cumulative,
    number)] and [searchsorted(number, side="right")] in brrkit/mechanisms/exponential.py. *)
Fixpoint pick {A} (size : A -> N) (l : list A) (number : N) : option A :=
  match l with
  | [] => None
  | x :: rest => if (number <? size x)%N then Some x else pick size rest (number - size x)
  end.

(** Of the numbers below the sum, as many belong to an element as its size. *)
Theorem pick_shares {A} (size : A -> N) l (g : option A -> Q) :
  range_sum (sum size l) (fun i => g (pick size l i)) == Qsum (fun x => of_N (size x) * g (Some x)) l.
Proof.
  induction l as [|x l IH]; [cbn; rewrite range_0; reflexivity|]. cbn [sum fold_right Qsum pick]. fold (sum size l).
  rewrite range_split, <- range_const, <- IH. apply Qplus_comp; apply range_ext; intros i Hi.
  - destruct (N.ltb_spec i (size x)); [reflexivity|lia].
  - destruct (N.ltb_spec (size x + i) (size x)); [lia|].
    replace (size x + i - size x)%N with i by lia. reflexivity.
Qed.

(** The picked element doesn't have the size 0, and for any number below the sum, one is picked. *)
Lemma pick_some {A} (size : A -> N) l i :
  (i < sum size l)%N -> exists x, pick size l i = Some x /\ In x l /\ (0 < size x)%N.
Proof.
  revert i. induction l as [|x l IH]; intros i Hi; simpl in Hi |- *; [lia|].
  destruct (N.ltb_spec i (size x)).
  - exists x. split; [reflexivity|]. split; [now left|lia].
  - destruct (IH (i - size x)%N ltac:(lia)) as (y & E & Hy & Hs). exists y. auto.
Qed.

Section Draw.

Context {Word History : Type}.

Variables (vocabulary : list Word) (code_of : Word -> code) (w : nat) (W : list N).
Variable mass : History -> Word -> N.

(** The words at a distance, and their base measure: h[d], [Exponential._histogram]. *)
Definition at_distance (c : code) (d : nat) : list Word :=
  filter (fun y => distance w c (code_of y) =? d)%nat vocabulary.

Definition measure_at (h : History) (c : code) (d : nat) : N := sum (mass h) (at_distance c d).

Definition distances : list nat := seq 0 (length W).

Definition weighed_measure (h : History) (c : code) (d : nat) : N :=
  (measure_at h c d * weight W d)%N.

(** [Exponential.__call__], for one word. [None] never comes out. *)
Definition draw (h : History) (c : code) : program (option Word) :=
  Uniform (sum (weighed_measure h c) distances) (fun number =>
    match pick (weighed_measure h c) distances number with
    | None => Return None
    | Some d =>
        Uniform (measure_at h c d) (fun number => Return (pick (mass h) (at_distance c d) number))
    end).

Variables n t : nat.
Hypothesis codes_fit : fits vocabulary code_of w W n t.
Hypothesis W_positive : positive W.

Lemma distance_listed c y :
  has_size n t c -> In y vocabulary -> (distance w c (code_of y) < length W)%nat.
Proof.
  intros Hc Hy. apply below_length; [apply W_positive|]. now apply (distance_in_table _ _ _ _ n t codes_fit).
Qed.

Lemma sum_at_distance c d f :
  Qsum f (at_distance c d) ==
  Qsum (fun y => if (distance w c (code_of y) =? d)%nat then f y else 0) vocabulary.
Proof.
  unfold at_distance. clear codes_fit. induction vocabulary as [|y l IH]; simpl; [reflexivity|].
  destruct (distance w c (code_of y) =? d)%nat; simpl; rewrite IH; ring.
Qed.

Lemma sum_one_distance k (f : nat -> Q) start count :
  (start <= k < start + count)%nat ->
  Qsum (fun d => if (k =? d)%nat then f d else 0) (seq start count) == f k.
Proof.
  revert start. induction count as [|count IH]; intros start Hk; simpl; [lia|].
  destruct (Nat.eqb_spec k start) as [<-|].
  - rewrite Qsum_ext with (g := fun _ => 0); [rewrite Qsum_zero; ring|].
    intros d Hd. apply in_seq in Hd. destruct (Nat.eqb_spec k d); [lia|reflexivity].
  - rewrite IH by lia. ring.
Qed.

(** Each word is at one distance. *)
Lemma sum_by_distance c (f : Word -> Q) :
  has_size n t c -> Qsum (fun d => Qsum f (at_distance c d)) distances == Qsum f vocabulary.
Proof.
  intros Hc.
  rewrite (Qsum_ext _ (fun d => Qsum (fun y =>
    if (distance w c (code_of y) =? d)%nat then f y else 0) vocabulary))
    by (intros; apply sum_at_distance).
  rewrite Qsum_swap. apply Qsum_ext. intros y Hy.
  pose proof (sum_one_distance (distance w c (code_of y)) (fun _ => f y) 0%nat (length W)) as One.
  cbv beta in One. apply One. pose proof (distance_listed c y Hc Hy). lia.
Qed.

Lemma of_N_sum {A} (f : A -> N) l : of_N (sum f l) == Qsum (fun x => of_N (f x)) l.
Proof.
  induction l as [|x l IH]; simpl; [reflexivity|]. fold (sum f l). rewrite of_N_add, IH. reflexivity.
Qed.

Lemma of_N_injective a b : of_N a == of_N b -> a = b.
Proof. unfold of_N, Qeq, inject_Z. simpl. lia. Qed.

(** The first draw's bound is N_h(c). *)
Lemma cumulated_normalizer h c :
  has_size n t c -> sum (weighed_measure h c) distances = normalizer vocabulary code_of w W mass h c.
Proof.
  intros Hc. apply of_N_injective. unfold normalizer. rewrite !of_N_sum, <- (sum_by_distance c) by exact Hc.
  apply Qsum_ext. intros d _. unfold weighed_measure, measure_at.
  rewrite of_N_mul, of_N_sum, Qmult_comm, <- Qsum_scale. apply Qsum_ext. intros y Hy.
  apply filter_In in Hy as [_ Hy]. apply Nat.eqb_eq in Hy. unfold score. rewrite Hy, of_N_mul. ring.
Qed.

(** At one distance, the second draw takes each word in proportion to its mass. *)
Lemma second_draw h c d (g : option Word -> Q) :
  of_N (weighed_measure h c d) *
    mean (Uniform (measure_at h c d) (fun i => Return (pick (mass h) (at_distance c d) i))) g ==
  Qsum (fun y => of_N (score code_of w W mass h c y) * g (Some y)) (at_distance c d).
Proof.
  cbn [mean]. unfold measure_at at 1. rewrite (pick_shares (mass h) (at_distance c d) g).
  unfold weighed_measure. rewrite of_N_mul.
  assert (Qsum (fun y => of_N (score code_of w W mass h c y) * g (Some y)) (at_distance c d) ==
    of_N (weight W d) * Qsum (fun y => of_N (mass h y) * g (Some y)) (at_distance c d)) as ->.
  { rewrite <- Qsum_scale. apply Qsum_ext. intros y Hy. apply filter_In in Hy as [_ Hy].
    apply Nat.eqb_eq in Hy. unfold score. rewrite Hy, of_N_mul. ring. }
  fold (measure_at h c d). destruct (N.eq_0_gt_0_cases (measure_at h c d)) as [E|Pos].
  - rewrite (Qsum_ext _ (fun _ => 0)); [rewrite Qsum_zero, E; change (of_N 0) with 0; ring|].
    intros y Hy. pose proof (sum_member (mass h) _ _ Hy) as Le. fold (measure_at h c d) in Le.
    rewrite E in Le. replace (mass h y) with 0%N by lia. change (of_N 0) with 0. ring.
  - field. pose proof (of_N_pos _ Pos). lra.
Qed.

(** "The draw is exact." *)
Theorem draw_mean h c (g : option Word -> Q) :
  has_size n t c ->
  mean (draw h c) g ==
  Qsum (fun y => probability vocabulary code_of w W mass h c y * g (Some y)) vocabulary.
Proof.
  intros Hc. unfold draw. cbn [mean].
  pose (next d := match d with
    | None => g None
    | Some d => mean (Uniform (measure_at h c d)
        (fun i => Return (pick (mass h) (at_distance c d) i))) g
    end).
  rewrite (range_ext _ _ (fun i => next (pick (weighed_measure h c) distances i))).
  2:{ intros i _. unfold next. destruct (pick (weighed_measure h c) distances i); reflexivity. }
  rewrite pick_shares.
  rewrite (Qsum_ext _ (fun d => Qsum
    (fun y => of_N (score code_of w W mass h c y) * g (Some y)) (at_distance c d)))
    by (intros; apply second_draw).
  rewrite sum_by_distance, cumulated_normalizer by exact Hc.
  unfold Qdiv. rewrite Qmult_comm, <- Qsum_scale. apply Qsum_ext. intros y _.
  unfold probability, ratio. fold (of_N (score code_of w W mass h c y)).
  fold (of_N (normalizer vocabulary code_of w W mass h c)). unfold Qdiv. ring.
Qed.

(** A word that occurs once in the vocabulary comes out with its probability. *)
Theorem draw_exact (equal : Word -> Word -> bool) h c y :
  (forall v v', equal v v' = true <-> v = v') -> NoDup vocabulary -> In y vocabulary ->
  has_size n t c ->
  Pr (draw h c) (fun o => match o with Some v => equal v y | None => false end) ==
  probability vocabulary code_of w W mass h c y.
Proof.
  intros Equal Once Hy Hc. unfold Pr. rewrite draw_mean by exact Hc.
  generalize (probability vocabulary code_of w W mass h c). intros p. clear codes_fit.
  induction vocabulary as [|v l IH]; [destruct Hy|]. inversion_clear Once as [|? ? Out Once'].
  cbn [Qsum fold_right]. fold (Qsum (fun x => p x * indicator (equal x y)) l).
  destruct Hy as [->|Hy].
  - rewrite (proj2 (Equal y y) eq_refl), (Qsum_ext _ (fun _ => 0)), Qsum_zero; [cbn; ring|].
    intros x Hx. destruct (equal x y) eqn:E; [|cbn; ring]. apply Equal in E. now subst.
  - destruct (equal v y) eqn:E; [apply Equal in E; now subst|]. rewrite IH by assumption.
    cbn. ring.
Qed.

(** ** Bounds of both draws *)

(** [uniform_below] can draw both integers: they are below positive bounds of 2^63 at most. *)
Theorem draw_fits total h c :
  decreasing W -> weight W 0 = ((2 ^ 63 - 1) / total)%N -> (sum (mass h) vocabulary <= total)%N ->
  (forall h y, In y vocabulary -> (0 < mass h y)%N) -> vocabulary <> [] ->
  has_size n t c -> bounds_fit (draw h c).
Proof.
  intros falls first bound masses some Hc.
  pose proof (normalizer_fits _ _ _ _ _ _ _ codes_fit total h c falls first bound Hc) as Fits.
  pose proof (normalizer_positive _ _ _ _ _ _ _ codes_fit h c W_positive Hc some (masses h)) as Pos.
  rewrite <- cumulated_normalizer in Fits, Pos by exact Hc.
  split; [lia|]. intros i Hi. destruct (pick_some _ _ _ Hi) as (d & -> & Hd & Hs).
  pose proof (sum_member (weighed_measure h c) _ _ Hd) as Le. cbn [bounds_fit].
  assert (weighed_measure h c d < 2 ^ 63)%N as Small by lia. clear - Hs Small.
  unfold weighed_measure in *. apply N.lt_0_mul' in Hs as [Pm Pw].
  assert (measure_at h c d * 1 <= measure_at h c d * weight W d)%N by (apply N.mul_le_mono_l; lia).
  split; [lia|intros; exact I].
Qed.

Theorem draw_at_most_two h c : draws_at_most 2 (draw h c).
Proof. intros i _. destruct (pick (weighed_measure h c) distances i); cbn; auto. Qed.

(** ** The bound *)

(** A bound on the probabilities of two inputs bounds their draws. *)
Theorem draw_loses r h c c' :
  has_size n t c -> has_size n t c' ->
  bounded r vocabulary (probability vocabulary code_of w W mass h c)
    (probability vocabulary code_of w W mass h c') ->
  loses r (draw h c) (draw h c').
Proof.
  intros Hc Hc' H g Hg. rewrite !draw_mean, <- Qsum_scale by assumption. apply Qsum_le. intros y Hy.
  rewrite Qmult_assoc. apply Qmult_le_compat_r; auto.
Qed.

End Draw.

(** ** Unknown words *)

Section Unknown.

Context {Word : Type}.
Variables (vocabulary : list Word) (size : Word -> N). (** the masses *)

(** The replacement of an unknown word: [draw_by] in brrkit/masses.py. *)
Definition stand_in : program (option Word) :=
  Uniform (sum size vocabulary) (fun number => Return (pick size vocabulary number)).

Lemma stand_in_mean (g : option Word -> Q) :
  mean stand_in g == Qsum (fun v => by_mass vocabulary size v * g (Some v)) vocabulary.
Proof.
  unfold stand_in. cbn [mean]. rewrite (pick_shares size vocabulary g).
  unfold Qdiv. rewrite Qmult_comm, <- Qsum_scale. apply Qsum_ext. intros v _.
  unfold by_mass, ratio. fold (of_N (size v)). fold (of_N (sum size vocabulary)).
  unfold Qdiv. ring.
Qed.

(** [uniform_below] can draw it. *)
Theorem stand_in_fits : (0 < sum size vocabulary <= 2 ^ 63)%N -> bounds_fit stand_in.
Proof. intros H. split; [exact H|intros; exact I]. Qed.

Variable drawn : Word -> program (option Word). (** the mechanism's draw for a known word *)
Variable M : Word -> Word -> Q. (** and its probabilities *)
Hypothesis drawn_mean : forall v g, In v vocabulary ->
  mean (drawn v) g == Qsum (fun y => M v y * g (Some y)) vocabulary.

(** The release for an unknown word: [Privatizer._drawn]. *)
Definition draw_unknown : program (option Word) :=
  v <- stand_in ;; match v with Some v => drawn v | None => Return None end.

(** It has exactly the probabilities that Text.v bounds. *)
Theorem unknown_draw_exact (g : option Word -> Q) :
  mean draw_unknown g ==
  Qsum (fun y => mixture vocabulary (by_mass vocabulary size) M y * g (Some y)) vocabulary.
Proof.
  unfold draw_unknown. rewrite mean_bind, stand_in_mean.
  rewrite (Qsum_ext _ (fun v =>
    Qsum (fun y => by_mass vocabulary size v * M v y * g (Some y)) vocabulary)).
  - rewrite Qsum_swap. apply Qsum_ext. intros y _. unfold mixture.
    rewrite (Qsum_ext _ (fun v => g (Some y) * (by_mass vocabulary size v * M v y)))
      by (intros; ring).
    rewrite Qsum_scale. ring.
  - intros v Hv. rewrite (drawn_mean v g Hv), <- Qsum_scale. apply Qsum_ext. intros y _. ring.
Qed.

End Unknown.

(** The same for [exponential], after any history. *)
Corollary exponential_unknown_draw {Word} vocabulary (code_of : Word -> code) w W
    (mass : option Word -> Word -> N) size n t h g :
  fits vocabulary code_of w W n t -> positive W ->
  mean (draw_unknown vocabulary size (fun v => draw vocabulary code_of w W mass (hd_error h) (code_of v))) g ==
  Qsum (fun y => released vocabulary (exponential vocabulary code_of w W mass)
    (by_mass vocabulary size) h Unknown y * g (Some y)) vocabulary.
Proof.
  intros Fits Positive. apply unknown_draw_exact. intros v f Hv.
  apply (draw_mean _ _ _ _ _ n t Fits Positive). now apply Fits.
Qed.
