(** The guarantee of a setting in which the checker has found no error, with e^x in the standard
    library's real numbers. [brr verify --proof] prints these statements. *)

From Coq Require Import Arith Lia List Lra NArith Qreals Reals.
From Coq Require QArith_base.
From Brrkit Require Import Sums Probability Postprocessing Hamming Weights Exponential Text Brr Ranges
  Program Uniform Draw Counts Sample Composition Passing ExpBounds Checker.
Import ListNotations.
Open Scope R_scope.

(** ** From integers to e^x *)

Lemma Q2R_of_N n : Q2R (of_N n) = real n.
Proof. unfold Q2R, of_N, real. cbn. field. Qed.

Lemma Q2R_ratio p q : (0 < q)%N -> Q2R (ratio p q) = real p / real q.
Proof.
  intros Hq. unfold ratio. rewrite Q2R_div, <- !Q2R_of_N; [reflexivity|].
  pose proof (inject_positive q Hq) as P. intros E. rewrite E in P. now apply QArith_base.Qlt_irrefl in P.
Qed.

Lemma one_positive : (0 < one)%N.
Proof. apply N.neq_0_lt_0, N.pow_nonzero. lia. Qed.

Lemma bound_range x : (0 < one <= bound x)%N.
Proof. split; [apply one_positive|apply bound_at_least_one]. Qed.

(** The value of a fraction. *)
Definition number (x : fraction) : R := real (fst x) / real (snd x).

Lemma number_half x : (0 < snd x)%N -> number (half x) = number x / 2.
Proof.
  intros H. pose proof (real_pos _ H). unfold number, half. cbn [fst snd].
  rewrite real_mul. change (real 2) with 2. field. lra.
Qed.

Lemma bound_exp x : (0 < snd x)%N -> real (bound x) / real one <= exp (number x).
Proof. apply (exp_low_spec one one_positive). Qed.

Lemma bound_nonneg x : 0 <= real (bound x) / real one.
Proof.
  apply Rmult_le_pos; [apply real_nonneg|]. left. apply Rinv_0_lt_compat, real_pos, one_positive.
Qed.

(** (a/b)^n is at most e^(n x). *)
Lemma power_bound x n :
  (0 < snd x)%N ->
  Q2R (powers (bound x) one n) <= exp (INR n * number x).
Proof.
  intros H. unfold powers. rewrite Q2R_ratio by (apply N.neq_0_lt_0, N.pow_nonzero; pose proof one_positive; lia).
  rewrite !real_pow, exp_times. unfold Rdiv.
  rewrite <- pow_inv, <- Rpow_mult_distr.
  apply pow_incr. split; [apply bound_nonneg|now apply bound_exp].
Qed.

(** e^(epsilon/2) squared, to the power of the codes' distance. *)
Lemma loss_bound x k :
  (0 < snd x)%N -> Q2R (loss (bound (half x)) one k) <= exp (number x * INR k).
Proof.
  intros H. unfold loss. eapply Rle_trans; [apply power_bound; cbn [half snd]; lia|]. rewrite number_half by exact H.
  right. f_equal. rewrite mult_INR. change (INR 2) with 2. field.
Qed.

Lemma cap_bound x :
  (0 < snd x)%N -> Q2R (powers (bound (half x)) one 2) <= exp (number x).
Proof.
  intros H. eapply Rle_trans; [apply (power_bound (half x) 2); cbn [half snd]; lia|].
  rewrite number_half by exact H. right. f_equal. change (INR 2) with 2. field.
Qed.

(** A bound with the factor r in rational numbers is a bound with the factor e, if r <= e. *)
Lemma real_bound (p p' r : QArith_base.Q) e :
  QArith_base.Qle p (QArith_base.Qmult r p') -> QArith_base.Qle 0 p' -> Q2R r <= e -> Q2R p <= e * Q2R p'.
Proof.
  intros H Hp Hr. apply Qle_Rle in H. rewrite Q2R_mult in H. apply Qle_Rle in Hp.
  rewrite RMicromega.Q2R_0 in Hp. eapply Rle_trans; [exact H|]. now apply Rmult_le_compat_r.
Qed.

(** The privacy of the page's definition: no set of outputs is more than e^x times as probable. *)
Definition private {A} (x : R) (p p' : program A) : Prop :=
  forall event, Q2R (Pr p event) <= exp x * Q2R (Pr p' event).

Lemma Pr_nonneg {A} (p : program A) event : QArith_base.Qle 0 (Pr p event).
Proof. apply mean_nonneg. intros. unfold indicator. destruct (event a); easy. Qed.

Lemma private_of_loses {A} r x (p p' : program A) : loses r p p' -> Q2R r <= exp x -> private x p p'.
Proof.
  intros H Hr event. apply (real_bound _ _ r); [now apply loses_event|apply Pr_nonneg|exact Hr].
Qed.

(** ** exponential *)

Section Exponential.

Variable s : exponential_setting.
Hypothesis none : exponential_failed s = [].

Let own := N.to_nat (own_size s).
Let tasks := N.to_nat (task_size s).
Let w := N.to_nat (task_weight s).
Let eps := number (epsilon s).

(** The codes of words are any of the bundle's size. *)
Variable code_of : nat -> code.
Hypothesis sizes : forall y, In y (words s) -> has_size own tasks (code_of y).

Let drawn := draw (words s) code_of w (weights s) (mass s).

Lemma codes_fit : fits (words s) code_of w (weights s) own tasks.
Proof. split; [now apply checked_table|exact sizes]. Qed.

Let eps_defined : (0 < snd (epsilon s))%N := proj1 (checked_denominators s none).

Lemma exponential_loses before c c' :
  has_size own tasks c -> has_size own tasks c' ->
  loses (loss (bound (half (epsilon s))) one (distance w c c')) (drawn before c) (drawn before c').
Proof.
  intros Hc Hc'.
  apply (draw_loses _ _ _ _ _ own tasks codes_fit (checked_positive s none)); try assumption.
  apply (exponential_bounded _ _ _ _ _ own tasks codes_fit); try assumption.
  - intros h y. now apply checked_masses.
  - now apply checked_words.
  - now apply checked_positive.
  - now apply checked_decreasing.
  - now apply checked_steps.
  - apply bound_range.
Qed.

(** Whatever was released before, the draw of a word is (epsilon d)-private on all codes. *)
Theorem exponential_guarantee before c c' :
  has_size own tasks c -> has_size own tasks c' ->
  private (eps * INR (distance w c c')) (drawn before c) (drawn before c').
Proof.
  intros Hc Hc'. eapply private_of_loses; [now apply exponential_loses|now apply loss_bound].
Qed.

Lemma exponential_loses_cap c before x x' :
  cap s = Some c -> has_size own tasks x -> has_size own tasks x' ->
  loses (powers (bound (half c)) one 2) (drawn before x) (drawn before x').
Proof.
  intros E Hx Hx'.
  apply (draw_loses _ _ _ _ _ own tasks codes_fit (checked_positive s none)); try assumption.
  intros y Hy. eapply QArith_base.Qle_trans.
  - apply (exponential_bounded_cap _ _ _ _ _ own tasks codes_fit) with (a := bound (half (epsilon s)))
      (b := one) (top := bound (half c)) (bottom := one) (c' := x'); try assumption.
    + intros h v. now apply checked_masses.
    + now apply checked_words.
    + now apply checked_positive.
    + now apply checked_decreasing.
    + now apply checked_steps.
    + apply bound_range.
    + now apply checked_cap.
    + apply one_positive.
  - apply QArith_base.Qmult_le_compat_r; [apply Qminmax.Q.le_min_r|apply ratio_nonneg].
Qed.

(** With a cap, its loss between any two codes is at most the cap, too. *)
Theorem exponential_guarantee_cap c before x x' :
  cap s = Some c -> has_size own tasks x -> has_size own tasks x' ->
  private (number c) (drawn before x) (drawn before x').
Proof.
  intros E Hx Hx'. pose proof (proj2 (checked_denominators s none) c E) as Hd.
  eapply private_of_loses; [now apply exponential_loses_cap with (c := c)|now apply cap_bound].
Qed.

(** Both uniform integers of a draw are below bounds that 8 random bytes can draw. *)
Theorem exponential_draws before c : has_size own tasks c -> bounds_fit (drawn before c).
Proof.
  intros Hc. apply (draw_fits _ _ _ _ _ own tasks codes_fit) with (total := total s); try assumption.
  - now apply checked_positive.
  - now apply checked_decreasing.
  - now apply checked_first.
  - now apply checked_total.
  - intros h y. now apply checked_masses.
  - now apply checked_words.
Qed.

(** The same for random bytes themselves: of all sources of t numbers of 8 bytes, the share [share]
    releases a word in the set. The share of unfinished draws after t numbers vanishes as t grows.
    *)
Theorem exponential_guarantee_of_bytes before c c' (event : option nat -> bool) t :
  has_size own tasks c -> has_size own tasks c' ->
  let share c := Q2R (so_far (drawn before c) (fun y => indicator (event y)) 0 t) in
  share c <= exp (eps * INR (distance w c c')) * (share c' + (INR t + 1) ^ 2 / 2 ^ t).
Proof.
  intros Hc Hc' share.
  pose proof (run_probability (drawn before c) event t (exponential_draws before c Hc)) as [H _].
  pose proof (run_probability (drawn before c') event t (exponential_draws before c' Hc')) as [_ H'].
  pose proof (unfinished_vanishes (drawn before c') 2 t (exponential_draws before c' Hc')
    (draw_at_most_two _ _ _ _ _ before c')) as Rest.
  apply Qle_Rle in H, H', Rest. rewrite Q2R_plus in H'. rewrite Q2R_mult in Rest.
  fold (share c) in H. fold (share c') in H'.
  unfold two_to, to_the in Rest. rewrite !Q2R_of_N in Rest.
  rewrite !real_pow, real_of_nat, S_INR in Rest. change (real 2) with 2 in Rest.
  eapply Rle_trans; [exact H|].
  eapply Rle_trans; [exact (exponential_guarantee before c c' Hc Hc' event)|].
  apply Rmult_le_compat_l; [left; apply exp_pos|]. eapply Rle_trans; [exact H'|].
  apply Rplus_le_compat_l, le_div; [apply pow_lt; lra|exact Rest].
Qed.

(** ** Texts *)

Let d (v v' : nat) : nat := distance w (code_of v) (code_of v').
Variable largest : nat. (** P_max, or an upper bound *)
Hypothesis largest_spec : forall v v', In v (words s) -> In v' (words s) -> (d v v' <= largest)%nat.

(** The replacement of an unknown word. A bundle's masses determine one, by [by_mass_distribution].
    *)
Variable chosen : nat -> QArith_base.Q.
Hypothesis chosen_distribution : distribution (words s) chosen.

(** Pr[M(a)=y], after some released words. *)
Definition text_chance (past : list nat) (text : list token) (ys : list nat) : R :=
  Q2R (text_probability (words s) (exponential (words s) code_of w (weights s) (mass s)) chosen past text ys).

Lemma text_chance_nonneg past text ys :
  Forall (fun y => In y (words s)) ys ->
  QArith_base.Qle 0 (text_probability (words s) (exponential (words s) code_of w (weights s) (mass s))
    chosen past text ys).
Proof.
  intros H. apply text_probability_nonnegative; [|exact chosen_distribution|exact H].
  intros h v y _. apply ratio_nonneg.
Qed.

(** The loss of texts is at most epsilon times the sum of their places' distances. *)
Theorem text_guarantee past text text' ys :
  length text = length text' ->
  Forall (is_token (words s)) text -> Forall (is_token (words s)) text' ->
  Forall (fun y => In y (words s)) ys ->
  text_chance past text ys <=
  exp (eps * INR (text_distance d largest text text')) * text_chance past text' ys.
Proof.
  intros L Ht Ht' Hys. eapply real_bound; [|now apply text_chance_nonneg|now apply loss_bound].
  apply (exponential_text_private _ _ _ _ own tasks) with (largest := largest); try assumption.
  - now apply checked_words.
  - apply codes_fit.
  - intros h y. now apply checked_masses.
  - now apply checked_positive.
  - now apply checked_decreasing.
  - now apply checked_steps.
  - apply bound_range.
Qed.

(** With a cap, the loss of each place is at most min(epsilon*distance, cap). *)
Fixpoint text_bound (c : fraction) (text text' : list token) : R :=
  match text, text' with
  | a :: text, b :: text' =>
      Rmin (eps * INR (token_distance d largest a b)) (number c) + text_bound c text text'
  | _, _ => 0
  end.

Lemma text_loss_bound c text text' :
  (0 < snd c)%N ->
  Q2R (text_loss d largest (loss_with_cap (bound (half (epsilon s))) one (bound (half c)) one)
    text text') <= exp (text_bound c text text').
Proof.
  intros Hc. revert text'. induction text as [|a text IH]; intros [|b text']; cbn [text_loss text_bound];
    try (rewrite exp_0, RMicromega.Q2R_1; lra).
  rewrite Q2R_mult, exp_plus. set (k := token_distance d largest a b).
  pose proof (loss_bound (epsilon s) k eps_defined) as H1. pose proof (cap_bound c Hc) as H2.
  assert (Q2R (loss_with_cap (bound (half (epsilon s))) one (bound (half c)) one k) <=
    exp (Rmin (eps * INR k) (number c))) as H.
  { unfold loss_with_cap, Rmin. destruct (Rle_dec (eps * INR k) (number c)).
    - eapply Rle_trans; [apply Qle_Rle, Qminmax.Q.le_min_l|exact H1].
    - eapply Rle_trans; [apply Qle_Rle, Qminmax.Q.le_min_r|exact H2]. }
  assert (forall q, QArith_base.Qle 0 q -> 0 <= Q2R q) as Pos.
  { intros q Hq. apply Qle_Rle in Hq. now rewrite RMicromega.Q2R_0 in Hq. }
  assert (forall l l', QArith_base.Qle 0 (text_loss d largest
    (loss_with_cap (bound (half (epsilon s))) one (bound (half c)) one) l l')) as Losses.
  { induction l as [|x l IHl]; intros [|x' l']; try easy. cbn [text_loss].
    apply QArith_base.Qmult_le_0_compat; [|apply IHl].
    unfold loss_with_cap. apply Qminmax.Q.min_glb; apply ratio_nonneg. }
  apply Rmult_le_compat; [apply Pos|apply Pos, Losses|exact H|apply IH].
  unfold loss_with_cap. apply Qminmax.Q.min_glb; apply ratio_nonneg.
Qed.

Theorem text_guarantee_cap c past text text' ys :
  cap s = Some c -> length text = length text' ->
  Forall (is_token (words s)) text -> Forall (is_token (words s)) text' ->
  Forall (fun y => In y (words s)) ys ->
  text_chance past text ys <= exp (text_bound c text text') * text_chance past text' ys.
Proof.
  intros E L Ht Ht' Hys. pose proof (proj2 (checked_denominators s none) c E) as Hd.
  eapply real_bound; [|now apply text_chance_nonneg|now apply text_loss_bound].
  apply (exponential_text_private_cap _ _ _ _ own tasks); try assumption.
  - now apply checked_words.
  - apply codes_fit.
  - intros h y. now apply checked_masses.
  - now apply checked_positive.
  - now apply checked_decreasing.
  - now apply checked_steps.
  - apply bound_range.
  - now apply checked_cap.
  - apply bound_range.
Qed.

End Exponential.

(** ** brr and vickrey *)

(** [kernel] turns the noised code into the nearest word, or into one of the nearest. *)
Theorem flip_guarantee s (vocabulary : list nat) kernel n c c' y :
  flip_failed s = [] ->
  (forall z, In z (codes n) -> nonnegative vocabulary (kernel z)) ->
  length c = n -> length c' = n -> In y vocabulary ->
  let noise := noise (2 ^ 32) (flip_threshold s) in
  Q2R (postprocessed (codes n) kernel (noise c) y) <=
  exp (number (flip_epsilon s) * INR (hamming c c')) *
    Q2R (postprocessed (codes n) kernel (noise c') y).
Proof.
  intros H Hk Hc Hc' Hy. cbv zeta.
  pose proof (failed_none _ H Fraction_defined _ ltac:(cbn; auto)) as Hd. apply N.ltb_lt in Hd.
  pose proof (failed_none _ H Threshold_holds _ ltac:(cbn; auto)) as Ht.
  apply threshold_holdsb_spec in Ht.
  eapply real_bound.
  - apply (of_randomizer_bounded (2 ^ 32) (flip_threshold s) vocabulary kernel
      (bound (flip_epsilon s)) one n c c' Hk Ht (bound_range _) Hc Hc' y Hy).
  - apply Qsum_nonneg. intros z Hz. apply Qmult_nonneg; [now apply Hk|apply ratio_nonneg].
  - eapply Rle_trans; [now apply power_bound|]. right. f_equal. ring.
Qed.

(** ** Counts *)

Section Counts.

Variable s : counts_setting.
Hypothesis none : counts_failed s = [].

Let capped := number (counts_cap s).
Let respond := respond (2 ^ 63) (keep s) (symbols s).
Let day := day (2 ^ 63) (keep s) (symbols s).

Lemma checked_cap_defined : (0 < snd (counts_cap s))%N.
Proof. apply N.ltb_lt, (failed_none _ none Fraction_defined). cbn. auto. Qed.

Lemma checked_symbols : (0 < symbols s <= 2 ^ 63)%N.
Proof.
  pose proof (failed_none _ none Table_complete _ ltac:(cbn; auto)) as H.
  apply andb_prop in H as [H H']. split; [now apply N.ltb_lt|now apply N.leb_le].
Qed.

Lemma checked_keep : keep_holds (2 ^ 63) (keep s) (symbols s) (bound (counts_cap s)) one.
Proof. apply keep_holdsb_spec, (failed_none _ none Keep_holds). cbn. auto. Qed.

(** Both uniform integers of a report are below bounds that 8 random bytes can draw. *)
Theorem report_draws x : bounds_fit (respond x).
Proof. apply respond_fits; [reflexivity|apply checked_symbols|easy|apply checked_symbols]. Qed.

(** The loss of a report is at most the cap. *)
Theorem report_guarantee x x' :
  (x < symbols s)%N -> (x' < symbols s)%N -> private capped (respond x) (respond x').
Proof.
  intros Hx Hx'. apply (private_of_loses (ratio (bound (counts_cap s)) one)).
  - apply respond_loses; auto using checked_keep, one_positive; apply checked_symbols.
  - rewrite Q2R_ratio by apply one_positive. apply bound_exp, checked_cap_defined.
Qed.

(** The loss between two days with equally many words is at most [most] times the cap. *)
Theorem day_guarantee most words words' :
  length words = length words' -> Sample.symbols (symbols s) words ->
  Sample.symbols (symbols s) words' ->
  private (INR most * capped) (day most words) (day most words').
Proof.
  intros L H H'. apply (private_of_loses (powers (bound (counts_cap s)) one most)).
  - apply day_loses; auto using checked_keep, one_positive; apply checked_symbols.
  - apply power_bound, checked_cap_defined.
Qed.

End Counts.

(** ** Passing words *)

Section Passing.

Variable s : passing_setting.
Hypothesis none : passing_failed s = [].

Let T := pass_threshold s.

(** -ln(1-p), if a word passes. *)
Definition passing_loss {Y} (passing : option Y) : R :=
  match passing with
  | Some _ => ln (real (2 ^ 63) / real (2 ^ 63 - T))
  | None => 0
  end.

Lemma checked_coin : (T < 2 ^ 63)%N.
Proof. apply N.ltb_lt, (failed_none _ none Coin_holds). cbn. auto. Qed.

Lemma passing_loss_exp {Y} (passing : option Y) :
  Q2R (passing_factor (2 ^ 63) T passing) = exp (passing_loss passing).
Proof.
  destruct passing as [x|]; cbn [passing_factor passing_loss]; [|now rewrite exp_0, RMicromega.Q2R_1].
  pose proof checked_coin. rewrite Q2R_ratio, exp_ln; [reflexivity| |lia].
  apply Rdiv_lt_0_compat; apply real_pos; lia.
Qed.

(** For words that don't pass: the mechanism's loss, plus -ln(1-p) to a word that passes. *)
Theorem passed_guarantee {Y} r x (passing' : option Y) (p p' : program Y) :
  QArith_base.Qle 0 r -> draws_exist p -> draws_exist p' -> loses r p p' -> Q2R r <= exp x ->
  private (x + passing_loss passing') (pass (2 ^ 63) T None p) (pass (2 ^ 63) T passing' p').
Proof.
  intros Hr Hp Hp' H Hx.
  apply (private_of_loses (QArith_base.Qmult r (passing_factor (2 ^ 63) T passing'))).
  - apply pass_loses; auto using checked_coin.
  - rewrite Q2R_mult, passing_loss_exp, exp_plus. apply Rmult_le_compat_r; [left; apply exp_pos|exact Hx].
Qed.

Lemma fits_exist {Y} (p : program Y) : bounds_fit p -> draws_exist p.
Proof. induction p as [y|b next IH]; [easy|]. intros [Hb H]. split; [lia|auto]. Qed.

Section Exponential.

Variable e : exponential_setting.
Hypothesis checked : exponential_failed e = [].
Let own := N.to_nat (own_size e).
Let tasks := N.to_nat (task_size e).
Let w := N.to_nat (task_weight e).
Variable code_of : nat -> code.
Hypothesis sizes : forall y, In y (words e) -> has_size own tasks (code_of y).

Let drawn := draw (words e) code_of w (weights e) (mass e).

(** [exponential], for words that don't pass: the loss to any other word, which may be a passing
    one. *)
Theorem exponential_passed_guarantee before c c' (passing' : option (option nat)) :
  has_size own tasks c -> has_size own tasks c' ->
  private (number (epsilon e) * INR (distance w c c') + passing_loss passing')
    (pass (2 ^ 63) T None (drawn before c)) (pass (2 ^ 63) T passing' (drawn before c')).
Proof.
  intros Hc Hc'. apply (passed_guarantee (loss (bound (half (epsilon e))) one (distance w c c'))).
  - apply ratio_nonneg.
  - now apply fits_exist, exponential_draws.
  - now apply fits_exist, exponential_draws.
  - now apply exponential_loses.
  - apply loss_bound, (proj1 (checked_denominators e checked)).
Qed.

Theorem exponential_passed_guarantee_cap cap' before c c' (passing' : option (option nat)) :
  cap e = Some cap' -> has_size own tasks c -> has_size own tasks c' ->
  private (number cap' + passing_loss passing')
    (pass (2 ^ 63) T None (drawn before c)) (pass (2 ^ 63) T passing' (drawn before c')).
Proof.
  intros E Hc Hc'. apply (passed_guarantee (powers (bound (half cap')) one 2)).
  - apply ratio_nonneg.
  - now apply fits_exist, exponential_draws.
  - now apply fits_exist, exponential_draws.
  - now apply exponential_loses_cap with (c := cap').
  - apply cap_bound, (proj2 (checked_denominators e checked)), E.
Qed.

End Exponential.

Section Texts.

Context {Word : Type}.
Variable same : forall u v : Word, {u = v} + {u <> v}.
Variables (vocabulary : list Word) (d : Word -> Word -> nat) (largest : nat) (passes : Word -> bool).
Variable l : nat -> R. (** the loss of words k apart *)

Fixpoint passing_text_bound (text text' : list token) : R :=
  match text, text' with
  | a :: text, b :: text' =>
      match passing_word passes a with
      | Some _ => 0
      | None => l (token_distance d largest a b) + passing_loss (passing_word passes b)
      end + passing_text_bound text text'
  | _, _ => 0
  end.

(** Texts that agree wherever the first one has a passing word. *)
Theorem passed_text_guarantee M L chosen past text text' ys :
  (forall v v', In v vocabulary -> In v' vocabulary -> (d v v' <= largest)%nat) ->
  (forall h v, nonnegative vocabulary (M h v)) ->
  (forall j k, (j <= k)%nat -> QArith_base.Qle (L j) (L k)) -> QArith_base.Qle 1 (L 0%nat) ->
  (forall h v v', In v vocabulary -> In v' vocabulary ->
     bounded (L (d v v')) vocabulary (M h v) (M h v')) ->
  distribution vocabulary chosen ->
  (forall k, Q2R (L k) <= exp (l k)) ->
  Forall (is_token vocabulary) text -> Forall (is_token vocabulary) text' ->
  Forall2 (fun a b => passing_word passes a = None \/ b = a) text text' ->
  Forall (fun y => In y vocabulary) ys ->
  let chance text := Q2R (passing_text_probability (2 ^ 63) T same vocabulary M chosen passes past text ys) in
  chance text <= exp (passing_text_bound text text') * chance text'.
Proof.
  intros Hlargest HM Hmono H0 Hpriv Hchosen Hl Ht Ht' H2 Hys. cbv zeta.
  apply (real_bound _ _ (passing_text_loss (2 ^ 63) T d largest L passes text text')).
  - apply passed_text; auto using checked_coin.
  - apply joint_nonneg with vocabulary; [|exact Hys]. apply Forall_map, Forall_forall. intros a _ h.
    apply released_or_passed_nonnegative; auto.
  - assert (forall a b, 0 <= Q2R (place_loss (2 ^ 63) T d largest L passes a b)) as Pos.
    { intros a b. assert (QArith_base.Qle 0 (place_loss (2 ^ 63) T d largest L passes a b)) as P.
      { unfold place_loss. destruct (passing_word passes a); [easy|]. apply Qmult_nonneg.
        - eapply QArith_base.Qle_trans; [|apply L_at_least_one; auto]. easy.
        - eapply QArith_base.Qle_trans; [|apply passing_factor_at_least_one, checked_coin]. easy. }
      apply Qle_Rle in P. now rewrite RMicromega.Q2R_0 in P. }
    clear - Pos Hl none. revert text'. induction text as [|a text IH]; intros [|b text'];
      cbn [passing_text_loss passing_text_bound]; try (rewrite exp_0, RMicromega.Q2R_1; lra).
    rewrite Q2R_mult, exp_plus. apply Rmult_le_compat; [apply Pos| |unfold place_loss|apply IH].
    + clear - Pos. revert text'. induction text as [|a text IH]; intros [|b text']; cbn [passing_text_loss];
        rewrite ?Q2R_mult, ?RMicromega.Q2R_1; try lra. now apply Rmult_le_pos.
    + destruct (passing_word passes a); [rewrite exp_0, RMicromega.Q2R_1; lra|].
      rewrite Q2R_mult, passing_loss_exp, exp_plus. apply Rmult_le_compat_r; [left; apply exp_pos|apply Hl].
Qed.

End Texts.

End Passing.
