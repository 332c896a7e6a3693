(** A device's loss in a time, as e^x, with texts, unknown words, counts, frames, a memory, passing
    words, and refusals. docs/explanation/proofs.md, "A device". *)

From Coq Require Import Arith Lia List Lra NArith QArith Qreals Reals.
From Brrkit Require Import Sums Probability Hamming Weights Exponential Text Ranges Program Uniform Draw.
From Brrkit Require Import Certificate Counts Sample Passing ExpBounds Checker Guarantee.
From Brrkit Require Import Period Budget Device Policy BudgetSpent BudgetTime Coupling Life LifeLoss.
Import ListNotations.
Open Scope R_scope.

(** ** More of coupled programs *)

Lemma coupled_chain {A} x y (p q r : program A) :
  coupled eq x p q -> coupled eq y q r -> coupled eq (x + y) p r.
Proof.
  intros Hpq Hqr s Hs g h Hg Hh H. destruct (split_above x y s Hs) as (s1 & s2 & H1 & H2 & Le).
  apply QArith_base.Qle_trans with (mean p h).
  { apply (mean_le_on (outcome p)); [apply releases_outcomes|]. intros a Ha. now apply H. }
  assert (forall a b : A, outcome p a -> a = b -> (h a <= h b)%Q) as R1 by (intros a b _ ->; apply QArith_base.Qle_refl).
  assert (forall a b : A, outcome q a -> a = b -> (h a <= h b)%Q) as R2 by (intros a b _ ->; apply QArith_base.Qle_refl).
  eapply QArith_base.Qle_trans; [exact (Hpq s1 H1 h h Hh Hh R1)|].
  apply QArith_base.Qle_trans with (s1 * (s2 * mean r h))%Q.
  - rewrite !(QArith_base.Qmult_comm s1). apply QArith_base.Qmult_le_compat_r; [exact (Hqr s2 H2 h h Hh Hh R2)|].
    apply QArith_base.Qlt_le_weak, (exp_above x), H1.
  - rewrite QArith_base.Qmult_assoc. apply QArith_base.Qmult_le_compat_r; [exact Le|now apply mean_nonneg].
Qed.

(** Draws that come first, and don't depend on typing. *)
Lemma coupled_draw_r {A B} (P : B -> Prop) x (p : program A) (d : program B) (q : B -> program A) :
  draws_exist d -> releases P d -> (forall b, P b -> coupled eq x p (q b)) -> coupled eq x p (bind d q).
Proof.
  intros Hd HP Hq s Hs g h Hg Hh H. rewrite mean_bind, <- mean_scale, <- (mean_const d (mean p g) Hd).
  apply (mean_le_on P); [exact HP|]. intros b Hb. now apply (Hq b Hb s Hs).
Qed.

Lemma coupled_draw_l {A B} (P : B -> Prop) x (p : program A) (d : program B) (q : B -> program A) :
  draws_exist d -> releases P d -> (forall b, P b -> coupled eq x (q b) p) -> coupled eq x (bind d q) p.
Proof.
  intros Hd HP Hq s Hs g h Hg Hh H. rewrite mean_bind, <- (mean_const d (s * mean p h) Hd).
  apply (mean_le_on (fun b => outcome d b /\ P b)); [apply releases_both; [apply releases_outcomes|exact HP]|].
  intros b [Ho Hb]. apply (Hq b Hb s Hs); auto. intros a a' Ha E. apply H; [|exact E].
  now apply outcome_bind with b.
Qed.

Lemma coupled_zero {A} x (p : program A) : 0 <= x -> coupled eq x p p.
Proof. intros Hx. apply coupled_more with 0; [exact Hx|apply coupled_eq]. Qed.

(** ** Lists *)

(** Tokens that are typed as the same word are the same to a device: the programs are equal, and the
    loss is 0. *)
Section Same.

Context {Typed Key Report Frame : Type}.
Variable typed_as : Typed -> @token nat.
Variable new_key : program Key.
Variable in_text : Key -> option nat -> @token nat -> program nat.
Variable symbol : Key -> @token nat -> N.
Variables (hold_report : N -> program Report) (show_report : Report -> program N).
Variables (hold_frame : list (@token nat) -> program Frame) (show_frame : Frame -> program (list nat)).
Variables limit length unit cost_of_word cost_of_report : N.
Variables most a_day size : nat.

Definition typed_same (e e' : @event Typed) : Prop :=
  match e, e' with
  | Writes object before words, Writes object' before' words' =>
      object = object' /\ before = before' /\ map typed_as words = map typed_as words'
  | Counts object words, Counts object' words' => object = object' /\ map typed_as words = map typed_as words'
  | Frames words, Frames words' => map typed_as words = map typed_as words'
  | _, _ => e = e'
  end.

Theorem same_typed_same_life events person person' past l h :
  (forall past, typed_same (person past) (person' past)) ->
  let life person := live typed_as new_key in_text symbol hold_report show_report hold_frame show_frame
    limit length unit cost_of_word cost_of_report most a_day size events person past l h in
  alike (life person) (life person').
Proof.
  intros H. cbv zeta. revert past l h. induction events as [|events IH]; intros past l h; [apply alike_refl|].
  cbn [live]. specialize (H past).
  assert (account limit length unit cost_of_word cost_of_report most a_day size l (person past) =
    account limit length unit cost_of_word cost_of_report most a_day size l (person' past) /\
    act typed_as new_key in_text symbol hold_report show_report hold_frame show_frame most a_day size l h
      (person past) =
    act typed_as new_key in_text symbol hold_report show_report hold_frame show_frame most a_day size l h
      (person' past)) as [<- <-].
  { destruct (person past), (person' past); cbn [typed_same] in H; try discriminate;
      lazymatch type of H with
      | map _ _ = _ => idtac
      | _ = _ => first [split; reflexivity | rewrite H; split; reflexivity]
      | _ => idtac
      end; destruct l as [dev n f r], h as [k s m fs].
    - destruct H as (<- & <- & H). assert (List.length words = List.length words0) as L
        by (rewrite <- (map_length typed_as words), H; apply map_length).
      cbn [account act]. now rewrite H, L.
    - destruct H as (<- & H). assert (List.length words = List.length words0) as L
        by (rewrite <- (map_length typed_as words), H; apply map_length).
      cbn [account act seen]. rewrite <- (map_map typed_as (symbol k)), H, map_map, L. now split.
    - assert (List.length words = List.length words0) as L
        by (rewrite <- (map_length typed_as words), H; apply map_length).
      cbn [account act framing]. unfold cut. now rewrite H, L. }
  destruct (account _ _ _ _ _ _ _ _ l (person past)) as [l'|]; [|apply IH].
  apply alike_bind; [apply alike_refl|]. intros o. apply IH.
Qed.

End Same.

(** ** The budget, in a time *)

Section Time.

Context {Typed : Type}.
Variables limit length unit cost_of_word cost_of_report : N.
Variables most a_day size : nat.

Let account := account (Typed := Typed) limit length unit cost_of_word cost_of_report most a_day size.
Let always := always (Typed := Typed) limit length unit cost_of_word cost_of_report most a_day size.

Hypothesis unit_exists : unit <> 0%N.

Lemma changed_is_step c dev : changed length c dev = dev \/ step limit length dev (changed length c dev).
Proof.
  destruct dev as [now f o i t w r n h b]. destruct c as [ms wall|ms wall run| |object|]; cbn [changed].
  - right. apply passes.
  - right. apply restarts_device.
  - right. apply opens.
  - destruct (nth_error o object) as [m|] eqn:E.
    + right. assert (o = firstn object o ++ m :: skipn (S object) o) as Ho.
      { clear - E. revert object E. induction o as [|z o IH]; intros [|object] E; try discriminate; cbn in *.
        - now inversion E.
        - f_equal. now apply IH. }
      rewrite Ho at 1. apply ends.
    + left. apply nth_error_None in E. rewrite firstn_all2, skipn_all2 by lia. now rewrite app_nil_r.
  - destruct f as [s|]; [|now left]. destruct (look length (Some s) now) as [s' new] eqn:E.
    destruct new; [now left|]. destruct (is_of (period_of s) now) eqn:E'; [now left|]. right. now apply looks.
Qed.

Lemma account_is_step l l' e : account l e = Some l' -> on l' = on l \/ step limit length (on l) (on l').
Proof.
  unfold account. destruct l as [dev n f r]. intros A. destruct e; cbn [Life.account] in A.
  - inversion A. apply changed_is_step.
  - inversion A. now left.
  - destruct (pay _ _ _ _ _ _ _) as [dev'|] eqn:E; [|discriminate]. inversion A. right.
    now apply (spent_is_step limit length unit object) with (1 := unit_exists) (2 := E).
  - destruct (Nat.min _ _); [inversion A; now left|].
    destruct (pay _ _ _ _ _ _ _) as [dev'|] eqn:E; [|discriminate]. inversion A. right.
    now apply (spent_is_step limit length unit object) with (1 := unit_exists) (2 := E).
  - inversion A. now left.
  - destruct f; [inversion A; now left|].
    destruct (pay _ _ _ _ _ _ _) as [dev'|] eqn:E; [|discriminate]. inversion A. right.
    now apply (spent_is_step limit length unit object) with (1 := unit_exists) (2 := E).
  - inversion A. now left.
  - inversion A. now left.
Qed.

(** A condition that holds at the end of all steps holds at the end of a life. *)
Lemma always_steps (ok : device -> Prop) (last last' : ledger -> Prop) d events person past l :
  steps limit length ok d (on l) ->
  (forall l, steps limit length ok d (on l) -> last l -> last' l) ->
  always (fun l => ok (on l)) last events person past l ->
  always (fun _ => True) last' events person past l.
Proof.
  intros S H. revert past l S. induction events as [|events IH]; intros past l S A; [now apply H|].
  destruct A as [Hok A]. split; [exact I|]. intros o. apply IH; [|apply A].
  destruct (Life.account _ _ _ _ _ _ _ _ l (person past)) as [l'|] eqn:E; [|exact S].
  destruct (account_is_step l l' _ E) as [->|St]; [exact S|]. now apply more_steps with (on l).
Qed.

Lemma always_more (now last last' : ledger -> Prop) events person past l :
  (forall l, last l -> last' l) -> always now last events person past l -> always now last' events person past l.
Proof.
  intros H. revert past l. induction events as [|events IH]; intros past l A; [now apply H|].
  destruct A as [Hnow A]. split; [exact Hnow|]. intros o. apply IH, A.
Qed.

(** A time of at most [t] milliseconds, with at most [r] restarts, that begins at [l]. *)
Definition within (t r : N) (l l' : ledger) : Prop :=
  (time (on l') <= time (on l) + t /\ restarts (on l') <= restarts (on l) + r)%N.

(** The releases in it, in billionths. *)
Definition released_within (t r : N) : N := ((2 + r + t / length) * limit)%N.

Lemma paid_within d0 t r events person past l :
  fresh d0 -> steps limit length (fun _ => True) d0 (on l) -> (0 < length)%N ->
  always (fun _ => True) (within t r l) events person past l ->
  always (fun _ => True) (fun l' => total_released (on l') <= total_released (on l) + released_within t r)%N
    events person past l.
Proof.
  intros Hf Hs HP. apply (always_steps (fun _ => True)) with (d := on l); [constructor|].
  intros l' S [Ht Hr].
  eapply N.le_trans; [exact (released_in_time limit length _ d0 (on l) (on l') Hf Hs S HP)|].
  apply N.add_le_mono_l. unfold released_within. apply N.mul_le_mono_r.
  assert ((time (on l') - time (on l)) / length <= t / length)%N by (apply N.div_le_mono; lia). lia.
Qed.

Lemma paid_within_honest d0 t r events person past l :
  fresh d0 -> steps limit length clock_is_honest d0 (on l) -> (0 < length)%N ->
  always (fun l => clock_is_honest (on l)) (within t r l) events person past l ->
  always (fun _ => True) (fun l' => total_released (on l') <= total_released (on l) + released_within t 0)%N
    events person past l.
Proof.
  intros Hf Hs HP. apply (always_steps clock_is_honest) with (d := on l); [constructor|].
  intros l' S [Ht Hr].
  eapply N.le_trans; [exact (released_in_time_honest limit length d0 (on l) (on l') Hf Hs S HP)|].
  apply N.add_le_mono_l. unfold released_within. apply N.mul_le_mono_r.
  assert ((time (on l') - time (on l)) / length <= t / length)%N by (apply N.div_le_mono; lia). lia.
Qed.

End Time.

(** ** A word *)

Section Word.

Variables (vocabulary : list nat) (mechanism : option nat -> nat -> program nat) (stand : program nat).
Variables (d : nat -> nat -> nat) (largest : nat) (lose : nat -> R). (** the loss of words k apart *)
Variables (p : passing_setting) (coins : bool) (passes : nat -> bool).

Hypothesis coin : passing_failed p = [].
Hypothesis largest_spec : forall v v', In v vocabulary -> In v' vocabulary -> (d v v' <= largest)%nat.
Hypothesis lose_nonneg : 0 <= lose 0%nat.
Hypothesis lose_monotone : forall j k, (j <= k)%nat -> lose j <= lose k.
Hypothesis stand_draws : draws_exist stand.
Hypothesis stand_words : releases (fun v => In v vocabulary) stand.
Hypothesis mechanism_draws : forall before v, draws_exist (mechanism before v).
Hypothesis mechanism_coupled : forall before v v', In v vocabulary -> In v' vocabulary ->
  coupled eq (lose (d v v')) (mechanism before v) (mechanism before v').

(** The release of a token: [Privatizer._drawn]. *)
Definition word (before : option nat) (a : @token nat) : program nat :=
  v <- known_for stand a ;; drawn_or_passed (2 ^ 63) (pass_threshold p) coins passes a (mechanism before v).

Definition may_pass (a : @token nat) : option nat := if coins then passing_word passes a else None.

(** The loss between a word that doesn't pass and another one. *)
Definition word_bound (a b : @token nat) : R :=
  match may_pass a with
  | Some _ => 0 (* b is the same word *)
  | None => lose (token_distance d largest a b) + passing_loss p (may_pass b)
  end.

Let drawn (x : program nat) : program nat := if coins then pass (2 ^ 63) (pass_threshold p) None x else x.

Lemma drawn_coupled x q q' : coupled eq x q q' -> coupled eq x (drawn q) (drawn q').
Proof.
  intros H. unfold drawn. destruct coins; [|exact H]. unfold pass.
  apply (coupled_then eq eq 0 x x (uniform_integer (2 ^ 63)) (uniform_integer (2 ^ 63))); [apply coupled_eq| |lra].
  intros i ? _ <-. apply (coupled_then eq eq x 0); [exact H| |lra]. intros y ? _ <-. now apply coupled_return; [lra|].
Qed.

Theorem word_coupled before a b :
  is_token vocabulary a -> is_token vocabulary b -> may_pass a = None \/ b = a ->
  coupled eq (word_bound a b) (word before a) (word before b).
Proof.
  intros Ha Hb H. unfold word_bound. destruct (may_pass a) as [x|] eqn:E.
  { destruct H as [H| ->]; [discriminate|]. apply coupled_zero. lra. }
  set (free a := v <- known_for stand a ;; drawn (mechanism before v)).
  assert (word before a = free a) as ->.
  { unfold word, free, drawn, drawn_or_passed, may_pass in *. destruct coins; [|reflexivity]. now rewrite E. }
  apply coupled_chain with (free b).
  - unfold free. destruct a as [v|], b as [v'|]; cbn [known_for token_distance bind is_token] in *.
    + now apply drawn_coupled, mechanism_coupled.
    + apply (coupled_draw_r (fun v => In v vocabulary)); auto. intros u Hu. apply drawn_coupled.
      apply coupled_more with (lose (d v u)); auto.
    + apply (coupled_draw_l (fun v => In v vocabulary)); auto. intros u Hu. apply drawn_coupled.
      apply coupled_more with (lose (d u v')); auto.
    + now apply coupled_zero.
  - unfold free, word. destruct (may_pass b) as [y|] eqn:Eb.
    2:{ unfold may_pass in Eb. unfold drawn, drawn_or_passed. cbn [passing_loss].
        destruct coins; [rewrite Eb|]; apply coupled_zero; lra. }
    assert (b = Known y /\ In y vocabulary /\ coins = true) as (-> & Hy & C).
    { unfold may_pass in Eb. destruct coins; [|discriminate]. destruct b as [v|]; cbn in *; [|discriminate].
      destruct (passes v); inversion Eb; subst. auto. }
    unfold may_pass in Eb. unfold drawn, drawn_or_passed. rewrite C in *. rewrite Eb. cbn [known_for bind].
    apply (coupled_of_loses (1 * passing_factor (2 ^ 63) (pass_threshold p) (Some y))%Q).
    + apply pass_loses; auto using checked_coin; [easy|apply loses_same].
    + rewrite Q2R_mult, RMicromega.Q2R_1, passing_loss_exp by exact coin. lra.
Qed.

Lemma word_draws before a : draws_exist (word before a).
Proof.
  unfold word. apply draws_exist_bind; [destruct a; [exact I|exact stand_draws]|]. intros v.
  unfold drawn_or_passed. destruct coins; [|apply mechanism_draws]. split; [lia|]. intros i _.
  apply draws_exist_bind; [apply mechanism_draws|]. intros y. exact I.
Qed.

End Word.

(** ** The guarantee *)

Section Guarantee.

(** The bundle, and its settings, in which the checker has found no error. *)
Variables s second : exponential_setting. (** for texts and frames; for a memory's second draws *)
Variable counts : counts_setting.
Variable p : passing_setting.
Hypothesis checked : exponential_failed s = [].
Hypothesis second_checked : exponential_failed second = [].
Hypothesis counts_checked : counts_failed counts = [].
Hypothesis coin_checked : passing_failed p = [].

Let w := N.to_nat (task_weight s).
Let own := N.to_nat (own_size s).
Let tasks := N.to_nat (task_size s).

(** Second draws have codes of the same size. *)
Hypothesis same_sizes : own_size second = own_size s /\ task_size second = task_size s /\
  task_weight second = task_weight s.

Variable code_of : nat -> code.
Hypothesis sizes : forall v, has_size own tasks (code_of v). (** numbers that aren't words' don't matter *)
Let d (v v' : nat) : nat := distance w (code_of v) (code_of v').
Variable largest : nat. (** P_max, or an upper bound *)
Hypothesis largest_spec : forall v v', In v (words s) -> In v' (words s) -> (d v v' <= largest)%nat.

Variable size : nat -> N. (** the masses, which decide the draw of an unknown word's replacement *)
Hypothesis masses_fit : (0 < sum size (words s) <= 2 ^ 63)%N.

Variables (coins : bool) (passes : nat -> bool). (** passing words *)

(** [None] never comes out of a draw. *)
Definition the_word (o : option nat) : nat := match o with Some v => v | None => 0%nat end.

Definition mechanism (e : exponential_setting) (before : option nat) (v : nat) : program nat :=
  o <- draw (words e) code_of w (weights e) (mass e) before (code_of v) ;; Return (the_word o).

Definition stand : program nat := o <- stand_in (words s) size ;; Return (the_word o).

(** The loss of words k apart: epsilon k, or at most the cap. *)
Definition lose (e : exponential_setting) (k : nat) : R :=
  match cap e with
  | None => number (epsilon e) * INR k
  | Some c => Rmin (number (epsilon e) * INR k) (number c)
  end.

Lemma number_nonneg x : (0 < snd x)%N -> 0 <= number x.
Proof.
  intros H. unfold number. apply Rmult_le_pos; [apply real_nonneg|]. left. now apply Rinv_0_lt_compat, real_pos.
Qed.

Lemma lose_monotone e j k : exponential_failed e = [] -> (j <= k)%nat -> lose e j <= lose e k.
Proof.
  intros He H. pose proof (number_nonneg _ (proj1 (checked_denominators e He))) as P.
  assert (number (epsilon e) * INR j <= number (epsilon e) * INR k)
    by (apply Rmult_le_compat_l; [exact P|now apply le_INR]).
  unfold lose. destruct (cap e) as [c|]; [|assumption]. now apply Rle_min_compat_r.
Qed.

Lemma lose_zero e : exponential_failed e = [] -> lose e 0 = 0.
Proof.
  intros He. unfold lose. destruct (cap e) as [c|] eqn:E; cbn [INR]; [|lra].
  pose proof (number_nonneg _ (proj2 (checked_denominators e He) c E)).
  rewrite Rmin_left; lra.
Qed.

Lemma stand_draws : draws_exist stand.
Proof. split; [apply masses_fit|]. intros i _. exact I. Qed.

Lemma stand_words : releases (fun v => In v (words s)) stand.
Proof. intros i Hi. destruct (pick_some _ _ _ Hi) as (v & E & Hv & _). cbn. now rewrite E. Qed.

Section Mechanism.

Variable e : exponential_setting.
Hypothesis e_checked : exponential_failed e = [].
Hypothesis e_sizes : own_size e = own_size s /\ task_size e = task_size s /\ task_weight e = task_weight s.

Lemma e_fits y : In y (words e) -> has_size (N.to_nat (own_size e)) (N.to_nat (task_size e)) (code_of y).
Proof. intros _. destruct e_sizes as (-> & -> & _). apply sizes. Qed.

Lemma mechanism_draws before v : draws_exist (mechanism e before v).
Proof.
  apply draws_exist_bind; [|intros; exact I]. apply (fits_exist p).
  pose proof (exponential_draws e e_checked code_of e_fits before (code_of v)) as D.
  destruct e_sizes as (Eo & Et & Ew). rewrite Eo, Et, Ew in D. apply D, sizes.
Qed.

Lemma mechanism_coupled before v v' : In v (words s) -> In v' (words s) ->
  coupled eq (lose e (d v v')) (mechanism e before v) (mechanism e before v').
Proof.
  intros Hv Hv'. unfold mechanism. apply (coupled_then eq eq (lose e (d v v')) 0); [| |lra].
  2:{ intros o ? _ <-. now apply coupled_return; [lra|]. }
  pose proof (exponential_loses e e_checked code_of e_fits before (code_of v) (code_of v')) as L.
  pose proof (fun c => exponential_loses_cap e e_checked code_of e_fits c before (code_of v) (code_of v')) as LC.
  destruct e_sizes as (Eo & Et & Ew). rewrite Eo, Et, Ew in L, LC. fold own tasks w in L, LC.
  specialize (L (sizes v) (sizes v')). pose proof (checked_denominators e e_checked) as [De Dc].
  assert (coupled eq (number (epsilon e) * INR (d v v'))
    (draw (words e) code_of w (weights e) (mass e) before (code_of v))
    (draw (words e) code_of w (weights e) (mass e) before (code_of v'))) as First
    by (apply (coupled_of_loses _ _ _ _ L), loss_bound, De).
  unfold lose. destruct (cap e) as [c|] eqn:E; [|exact First].
  unfold Rmin. destruct (Rle_dec _ _); [exact First|].
  apply (coupled_of_loses _ _ _ _ (LC c eq_refl (sizes v) (sizes v'))), cap_bound, Dc. reflexivity.
Qed.

End Mechanism.

(** The manifest's bound for words k apart: epsilon and the cap, or a certificate. *)
Record states (claim : nat -> R) : Prop := {
  nothing_apart : claim 0%nat = 0;
  more_apart : forall j k, (j <= k)%nat -> claim j <= claim k;
  holds_apart : forall before v v', In v (words s) -> In v' (words s) -> exists r,
    Q2R r <= exp (claim (d v v')) /\
    bounded r (words s) (probability (words s) code_of w (weights s) (mass s) before (code_of v))
      (probability (words s) code_of w (weights s) (mass s) before (code_of v'))
}.

Lemma codes_fit_all : fits (words s) code_of w (weights s) own tasks.
Proof. split; [now apply checked_table|]. intros v _. apply sizes. Qed.

(** For a checked setting, the epsilon and the cap are true. *)
Theorem epsilon_is_true : states (lose s).
Proof.
  split; [now apply lose_zero|intros; now apply lose_monotone|]. intros before v v' Hv Hv'.
  pose proof (checked_denominators s checked) as [De Dc].
  assert (exists r, Q2R r <= exp (number (epsilon s) * INR (d v v')) /\
    bounded r (words s) (probability (words s) code_of w (weights s) (mass s) before (code_of v))
      (probability (words s) code_of w (weights s) (mass s) before (code_of v'))) as First.
  { exists (loss (bound (half (epsilon s))) one (d v v')). split; [now apply loss_bound|].
    apply (exponential_bounded _ _ _ _ _ own tasks codes_fit_all); auto using bound_range.
    - intros h y. now apply checked_masses.
    - now apply checked_words.
    - now apply checked_positive.
    - now apply checked_decreasing.
    - now apply checked_steps. }
  unfold lose. destruct (cap s) as [c|] eqn:E; [|exact First].
  unfold Rmin. destruct (Rle_dec _ _); [exact First|].
  exists (powers (bound (half c)) one 2). split; [now apply cap_bound, Dc|].
  intros y Hy. eapply QArith_base.Qle_trans.
  - apply (exponential_bounded_cap _ _ _ _ _ own tasks codes_fit_all) with (a := bound (half (epsilon s)))
      (b := one) (top := bound (half c)) (bottom := one) (c' := code_of v'); auto using bound_range, one_positive.
    + intros h u. now apply checked_masses.
    + now apply checked_words.
    + now apply checked_positive.
    + now apply checked_decreasing.
    + now apply checked_steps.
    + now apply checked_cap.
  - apply QArith_base.Qmult_le_compat_r; [apply Qminmax.Q.le_min_r|apply ratio_nonneg].
Qed.

(** So is a certificate, if the base measure has no bigrams. Its premise is that (r/q)^k bounds
    every pair of words. *)
Theorem certificate_is_true r q :
  gains s = [] -> certified (words s) code_of w (weights s) (mass s None) r q -> (0 < q)%N ->
  (0 < r)%N -> 0 <= ln (real r / real q) ->
  states (fun k => ln (real r / real q) * INR k).
Proof.
  intros NoGains Cert Hq Hr Pos. split.
  - cbn. lra.
  - intros j k H. apply Rmult_le_compat_l; [exact Pos|now apply le_INR].
  - intros before v v' Hv Hv'. exists (powers r q (d v v')). split.
    + unfold powers. rewrite Q2R_ratio by (apply N.neq_0_lt_0, N.pow_nonzero; lia).
      rewrite !real_pow, Rmult_comm, exp_times. unfold Rdiv at 1. rewrite <- pow_inv, <- Rpow_mult_distr.
      rewrite exp_ln; [apply Rle_refl|]. apply Rdiv_lt_0_compat; now apply real_pos.
    + intros y Hy.
      pose proof (certified_private (words s) code_of w (weights s) own tasks (mass s None) r q codes_fit_all
        (fun y => checked_masses s checked None y) (checked_positive s checked) (checked_decreasing s checked)
        Cert Hq v v' Hv Hv' y Hy) as C.
      assert (forall b u, mass s b u = mass s None u) as Same.
      { intros b u. unfold mass, following. rewrite NoGains. destruct b; reflexivity. }
      unfold probability in *.
      assert (forall x, score code_of w (weights s) (mass s) before x y =
        score code_of w (weights s) (fun (_ : unit) => mass s None) tt x y) as E1
        by (intros x; unfold score; now rewrite Same).
      assert (forall x, normalizer (words s) code_of w (weights s) (mass s) before x =
        normalizer (words s) code_of w (weights s) (fun (_ : unit) => mass s None) tt x) as E2
        by (intros x; unfold normalizer; apply sum_ext; intros u _; unfold score; now rewrite Same).
      rewrite !E1, !E2. exact C.
Qed.

Lemma states_coupled claim before v v' : states claim -> In v (words s) -> In v' (words s) ->
  coupled eq (claim (d v v')) (mechanism s before v) (mechanism s before v').
Proof.
  intros C Hv Hv'. unfold mechanism. apply (coupled_then eq eq (claim (d v v')) 0); [| |lra].
  2:{ intros o ? _ <-. now apply coupled_return; [lra|]. }
  destruct (holds_apart _ C before v v' Hv Hv') as (r & Hr & B).
  apply (coupled_of_loses r); [|exact Hr].
  apply (draw_loses _ _ _ _ _ own tasks codes_fit_all (checked_positive s checked)); auto.
Qed.

(** ** The device *)

Context {Typed Key : Type}.
Variable typed_as : Typed -> @token nat. (** lists, marks, and unknown words: [typed_as] of Policy.v *)
Hypothesis typed_tokens : forall a, is_token (words s) (typed_as a).

(** With a memory, a key determines each word's first draw, and each symbol's first response in
    counts. They may be any functions of the key, and the key anything that doesn't depend on
    typing. *)
Variable has_memory : bool.
Variable new_key : program Key.
Variables (first_draw : Key -> @token nat -> nat) (first_response : Key -> N -> N) (keep_second : N).
Definition valid (k : Key) : Prop :=
  (forall a, In (first_draw k a) (words s)) /\ (forall x, first_response k x < symbols counts)%N.
Hypothesis keys_valid : releases valid new_key.

Definition in_frame : option nat -> @token nat -> program nat := word (mechanism s) stand p coins passes.

Definition in_text (k : Key) (before : option nat) (a : @token nat) : program nat :=
  if has_memory
  then word (mechanism second) stand p coins passes before (Known (first_draw k a))
  else word (mechanism s) stand p coins passes before a.

Hypothesis symbols_spec : symbols counts = N.of_nat (S (List.length (words s))).
Definition symbol_of (a : @token nat) : N :=
  match a with Known v => N.of_nat v | Unknown => N.of_nat (List.length (words s)) end.
Definition symbol (k : Key) (a : @token nat) : N :=
  if has_memory then first_response k (symbol_of a) else symbol_of a.

(** With a memory, [counts] are the second responses. *)
Definition respond : N -> program N := Counts.respond (2 ^ 63) (keep counts) (symbols counts).

Variables limit length unit cost_of_word cost_of_report : N. (** billionths of epsilon, and milliseconds *)
Variables most a_day in_a_frame : nat.
Hypothesis unit_exists : unit <> 0%N.
Hypothesis period_lasts : (0 < length)%N.

Definition live_device := device_live typed_as new_key in_text in_frame symbol respond limit length unit
  cost_of_word cost_of_report most a_day in_a_frame.

(** ** The differences between two people *)

Variable claim : nat -> R.
Hypothesis claim_holds : states claim.
Variable D : R. (** the loss per paid epsilon *)
Hypothesis D_nonneg : 0 <= D.
Let price (cost : N) : R := real cost / real 1000000000.

Definition frame_pair (a b : @token nat) : Prop :=
  is_token (words s) a /\ is_token (words s) b /\ (may_pass coins passes a = None \/ b = a) /\
  word_bound d largest claim p coins passes a b <= D * price cost_of_word.

Definition text_pair (a b : @token nat) : Prop :=
  if has_memory then b = a \/ coins = false /\ lose second largest <= D * price cost_of_word
  else frame_pair a b.

Hypothesis reports_paid : number (counts_cap counts) <= D * price cost_of_report.
Definition two_people := same_event typed_as in_a_frame (is_token (words s)) text_pair frame_pair.

Lemma price_is cost : D * price cost = D / real 1000000000 * real cost.
Proof. unfold price, Rdiv. ring. Qed.

Lemma price_nonneg cost : 0 <= price cost.
Proof. apply Rmult_le_pos; [apply real_nonneg|]. left. apply Rinv_0_lt_compat, real_pos. reflexivity. Qed.

Lemma in_frame_coupled before a b : frame_pair a b ->
  coupled eq (D / real 1000000000 * real cost_of_word) (in_frame before a) (in_frame before b).
Proof.
  intros (Ha & Hb & Hp & Le). rewrite <- price_is.
  apply coupled_more with (1 := Le). apply (word_coupled (words s)); auto using stand_draws, stand_words.
  - rewrite (nothing_apart _ claim_holds). lra.
  - apply claim_holds.
  - intros. now apply mechanism_draws.
  - intros. now apply states_coupled.
Qed.

Lemma in_text_coupled k k' before a b : k = k' /\ valid k -> text_pair a b ->
  coupled eq (D / real 1000000000 * real cost_of_word) (in_text k before a) (in_text k' before b).
Proof.
  intros [<- [Hk _]] H. unfold in_text, text_pair in *. destruct has_memory; [|now apply in_frame_coupled].
  rewrite <- price_is. destruct H as [->|[C Le]].
  - apply coupled_zero, Rmult_le_pos; [exact D_nonneg|apply price_nonneg].
  - apply coupled_more with (1 := Le).
    apply coupled_more with (word_bound d largest (lose second) p coins passes (Known (first_draw k a))
      (Known (first_draw k b))).
    + unfold word_bound, may_pass. rewrite C. cbn [passing_loss token_distance]. rewrite Rplus_0_r.
      apply lose_monotone; [exact second_checked|]. apply largest_spec; apply Hk.
    + apply (word_coupled (words s)); try apply Hk; auto using stand_draws, stand_words.
      * rewrite lose_zero by exact second_checked. lra.
      * intros i j. now apply lose_monotone.
      * intros. now apply mechanism_draws.
      * intros. now apply mechanism_coupled.
      * left. unfold may_pass. now rewrite C.
Qed.

Lemma symbol_fits k a : valid k -> is_token (words s) a -> (symbol k a < symbols counts)%N.
Proof.
  intros [_ Hk] Ha. unfold symbol. destruct has_memory; [apply Hk|]. rewrite symbols_spec.
  destruct a as [v|]; cbn [symbol_of is_token] in *; [|lia]. apply in_seq in Ha.
  unfold words. rewrite seq_length. lia.
Qed.

Lemma respond_coupled x x' : (x < symbols counts)%N -> (x' < symbols counts)%N ->
  coupled eq (D / real 1000000000 * real cost_of_report) (respond x) (respond x').
Proof.
  intros Hx Hx'. rewrite <- price_is. apply coupled_more with (1 := reports_paid).
  apply (coupled_of_loses (ratio (bound (counts_cap counts)) one)).
  - apply respond_loses; auto using checked_keep, one_positive; apply (checked_symbols _ counts_checked).
  - rewrite Q2R_ratio by apply one_positive. apply bound_exp, checked_cap_defined, counts_checked.
Qed.

(** The state of a day that has already begun: chosen symbols and pieces of frames, equal for both
    people. *)
Definition begun (l : ledger) (h : @held Key N (list (@token nat))) : Prop :=
  valid (key h) /\ Forall (fun x => (x < symbols counts)%N) (sample h) /\
  List.length (sample h) = Nat.min (seen l) most /\
  (framing l = true -> List.length (frames h) = a_day /\
    Forall (full in_a_frame (is_token (words s))) (frames h)).

(** The amount paid for it before. *)
Definition paid_before (l : ledger) : N :=
  (cost_of_report * N.of_nat (Nat.min (seen l) most) +
   if framing l then cost_of_word * N.of_nat (a_day * in_a_frame) else 0)%N.

Lemma frame_pair_same a : is_token (words s) a -> frame_pair a a.
Proof.
  intros Ha. repeat (split; [exact Ha|]). split; [now right|].
  unfold word_bound. pose proof (Rmult_le_pos _ _ D_nonneg (price_nonneg cost_of_word)) as P.
  destruct (may_pass coins passes a) eqn:E; [exact P|]. cbn [passing_loss].
  assert (token_distance d largest a a = 0)%nat as ->.
  { destruct a; [apply distance_refl|reflexivity]. }
  rewrite (nothing_apart _ claim_holds). lra.
Qed.

(** Words for which the claim is paid [D] times, if none passes: "words at most D apart". *)
Lemma paid_pair a b : coins = false -> is_token (words s) a -> is_token (words s) b ->
  claim (token_distance d largest a b) <= D * price cost_of_word -> frame_pair a b.
Proof.
  intros C Ha Hb H. repeat (split; [assumption|]). unfold word_bound, may_pass. rewrite C. cbn [passing_loss].
  split; [now left|lra].
Qed.

Theorem device_guarantee_begun events person person' l h amount event :
  (forall past, two_people (person past) (person' past)) ->
  begun l h ->
  always limit length unit cost_of_word cost_of_report most a_day in_a_frame (fun _ => True)
    (fun l' => total_released (on l') <= total_released (on l) + amount)%N events person [] l ->
  let chance person := Q2R (Pr (bind (held_of in_frame respond h) (live_device events person [] l)) event) in
  chance person <= exp (D * price (amount + paid_before l)) * chance person'.
Proof.
  intros Same (Hk & Hs & Hl & Hf) Bound. cbv zeta. unfold live_device.
  pose proof (device_live_loses typed_as new_key in_text in_frame symbol respond limit length unit
    cost_of_word cost_of_report most a_day in_a_frame) as Loss.
  specialize (Loss (fun x => respond_draws_exist (2 ^ 63) (keep counts) (symbols counts) eq_refl
    (proj1 (checked_symbols _ counts_checked)) x)).
  specialize (Loss (fun before a => word_draws _ _ _ _ _ stand_draws
    (fun before v => mechanism_draws s checked (conj eq_refl (conj eq_refl eq_refl)) before v) before a)).
  specialize (Loss (fun k k' => k = k' /\ valid k) (is_token (words s)) text_pair frame_pair
    (D / real 1000000000) 0).
  assert (0 < real 1000000000) as Billion by (apply real_pos; reflexivity).
  specialize (Loss ltac:(apply Rmult_le_pos; [exact D_nonneg|left; now apply Rinv_0_lt_compat]) ltac:(lra)).
  specialize (Loss ltac:(apply (coupled_same _ valid); [exact keys_valid|auto])).
  specialize (Loss (fun k k' before a b H => in_text_coupled k k' before a b H)).
  specialize (Loss (fun before a b H => in_frame_coupled before a b H)).
  specialize (Loss ltac:(intros k k' a b [<- V] Ha Hb; apply respond_coupled; now apply symbol_fits)).
  specialize (Loss (frame_pair_same Unknown I) typed_tokens I (total_released (on l) + amount)%N 0%nat).
  specialize (Loss events person person' l h h event Same).
  assert (D * price (amount + paid_before l) = remaining cost_of_word cost_of_report most a_day in_a_frame
    (D / real 1000000000) 0 (total_released (on l) + amount) 0 l) as ->.
  { unfold remaining, pending, paid_before, price. rewrite !real_add.
    destruct (framing l); rewrite !real_mul, !real_of_nat; change (real 0) with 0; field; lra. }
  apply Loss.
  - revert Bound. apply always_more. auto.
  - split; [now split|]. split; [|split; [exact Hl|]].
    + clear - Hs D_nonneg counts_checked reports_paid. induction Hs; constructor; auto. now apply respond_coupled.
    + intros F. destruct (Hf F) as [L Fu]. split; [now split|]. split; [now split|]. left. split; [reflexivity|].
      clear - Fu claim_holds D_nonneg. induction Fu as [|piece fs [_ Hp] _ IH]; constructor; [|exact IH].
      clear - Hp claim_holds D_nonneg. induction Hp; constructor; auto. now apply frame_pair_same.
Qed.

(** ** From the beginning of a day, in a time *)

(** A device with any budget's history, and no open day. *)
Definition ready (l : ledger) : Prop := seen l = 0%nat /\ framing l = false.
Definition nothing_held (k : Key) : @held Key N (list nat) := Held k [] 0 [].

Theorem device_guarantee d0 t r events person person' l k event :
  (forall past, two_people (person past) (person' past)) ->
  fresh d0 -> steps limit length (fun _ => True) d0 (on l) -> ready l -> valid k ->
  always limit length unit cost_of_word cost_of_report most a_day in_a_frame (fun _ => True)
    (within t r l) events person [] l ->
  let chance person := Q2R (Pr (live_device events person [] l (nothing_held k)) event) in
  chance person <= exp (D * price ((2 + r + t / length) * limit)) * chance person'.
Proof.
  intros Same Fresh Steps [Seen Framing] Hk Bound.
  pose proof (paid_within limit length unit cost_of_word cost_of_report most a_day in_a_frame unit_exists
    d0 t r events person [] l Fresh Steps period_lasts Bound) as Paid.
  assert (begun l (Held k [] 0 [])) as Begun.
  { split; [exact Hk|]. split; [constructor|]. rewrite Seen, Framing. split; [reflexivity|discriminate]. }
  pose proof (device_guarantee_begun events person person' l _ _ event Same Begun Paid) as G.
  unfold paid_before in G. rewrite Seen, Framing in G. cbn [Nat.min N.of_nat] in G.
  rewrite N.mul_0_r, !N.add_0_r in G. exact G.
Qed.

(** If the wall clock is not set forward around a restart, restarts don't count. *)
Theorem device_guarantee_honest d0 t r events person person' l k event :
  (forall past, two_people (person past) (person' past)) ->
  fresh d0 -> steps limit length clock_is_honest d0 (on l) -> ready l -> valid k ->
  always limit length unit cost_of_word cost_of_report most a_day in_a_frame (fun l => clock_is_honest (on l))
    (within t r l) events person [] l ->
  let chance person := Q2R (Pr (live_device events person [] l (nothing_held k)) event) in
  chance person <= exp (D * price ((2 + t / length) * limit)) * chance person'.
Proof.
  intros Same Fresh Steps [Seen Framing] Hk Bound.
  pose proof (paid_within_honest limit length unit cost_of_word cost_of_report most a_day in_a_frame unit_exists
    d0 t r events person [] l Fresh Steps period_lasts Bound) as Paid.
  assert (begun l (Held k [] 0 [])) as Begun.
  { split; [exact Hk|]. split; [constructor|]. rewrite Seen, Framing. split; [reflexivity|discriminate]. }
  pose proof (device_guarantee_begun events person person' l _ _ event Same Begun Paid) as G.
  unfold paid_before, released_within in G. rewrite Seen, Framing in G. cbn [Nat.min N.of_nat] in G.
  rewrite N.mul_0_r, !N.add_0_r in G. exact G.
Qed.

(** In any time. Earlier payments for the open day count, too. *)
Theorem device_guarantee_any_time d0 t r events person person' l h event :
  (forall past, two_people (person past) (person' past)) ->
  fresh d0 -> steps limit length (fun _ => True) d0 (on l) -> begun l h ->
  always limit length unit cost_of_word cost_of_report most a_day in_a_frame (fun _ => True)
    (within t r l) events person [] l ->
  let chance person := Q2R (Pr (bind (held_of in_frame respond h) (live_device events person [] l)) event) in
  chance person <= exp (D * price ((2 + r + t / length) * limit + paid_before l)) * chance person'.
Proof.
  intros Same Fresh Steps Begun Bound. apply device_guarantee_begun; auto.
  now apply (paid_within limit length unit cost_of_word cost_of_report most a_day in_a_frame unit_exists d0).
Qed.

(** Less than the budget's period, a day, with honest clocks: twice the limit. *)
Corollary device_guarantee_day d0 t r events person person' l k event :
  (forall past, two_people (person past) (person' past)) ->
  fresh d0 -> steps limit length clock_is_honest d0 (on l) -> ready l -> valid k -> (t < length)%N ->
  always limit length unit cost_of_word cost_of_report most a_day in_a_frame (fun l => clock_is_honest (on l))
    (within t r l) events person [] l ->
  let chance person := Q2R (Pr (live_device events person [] l (nothing_held k)) event) in
  chance person <= exp (D * price (2 * limit)) * chance person'.
Proof.
  intros Same Fresh Steps Ready Hk Short Bound. cbv zeta.
  eapply Rle_trans; [now apply (device_guarantee_honest d0 t r events person person')|].
  rewrite N.div_small by exact Short. apply Rle_refl.
Qed.

(** A year of periods of a day: 366 limits. *)
Corollary device_guarantee_year d0 t r events person person' l k event :
  (forall past, two_people (person past) (person' past)) ->
  fresh d0 -> steps limit length clock_is_honest d0 (on l) -> ready l -> valid k -> (t < 365 * length)%N ->
  always limit length unit cost_of_word cost_of_report most a_day in_a_frame (fun l => clock_is_honest (on l))
    (within t r l) events person [] l ->
  let chance person := Q2R (Pr (live_device events person [] l (nothing_held k)) event) in
  chance person <= exp (D * price (366 * limit)) * chance person'.
Proof.
  intros Same Fresh Steps Ready Hk Short Bound. cbv zeta.
  eapply Rle_trans; [now apply (device_guarantee_honest d0 t r events person person')|].
  apply Rmult_le_compat_r.
  - rewrite <- RMicromega.Q2R_0. apply Qle_Rle, Pr_nonneg.
  - assert (t / length <= 364)%N as Days by (apply N.lt_succ_r, N.div_lt_upper_bound; lia).
    assert (price ((2 + t / length) * limit) <= price (366 * limit)) as Le.
    { apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, real_pos; reflexivity|]. apply real_le. nia. }
    apply (Rmult_le_compat_l D) in Le; [|exact D_nonneg].
    destruct Le as [Le| ->]; [left; now apply exp_increasing|apply Rle_refl].
Qed.

End Guarantee.
