(** Passing words of a policy: they are released as typed with a fixed probability.
    docs/explanation/proofs.md, "Passing words". *)

From Coq Require Import Lia List Lqa NArith QArith.
From Brrkit Require Import Probability Postprocessing Composition Text Memory Ranges Program Uniform.
Import ListNotations.
Open Scope Q_scope.

(** Programs that draw integers below the same bounds, whatever they release. Neither their random
    bytes nor the number of bytes distinguishes them. *)
Inductive same_draws {A B} : program A -> program B -> Prop :=
| same_return a b : same_draws (Return a) (Return b)
| same_uniform bound f h :
    (forall i, same_draws (f i) (h i)) -> same_draws (Uniform bound f) (Uniform bound h).

Lemma same_draws_after {A B C} (p : program A) (f : A -> B) (h : A -> C) :
  same_draws (bind p (fun a => Return (f a))) (bind p (fun a => Return (h a))).
Proof. induction p; simpl; constructor; auto. Qed.

Section Passing.

Variables one T : N. (** 2^63, and the number of the coin's values that pass a word *)
Hypothesis below : (T < one)%N.

(** ** The coin *)

Section Coin.

Context {Y : Type}.

(** The output for a token: the typed word, if it may pass and the coin decides so; otherwise the
    mechanism's draw. Both are drawn in any case. [Privatizer._drawn] *)
Definition pass (passing : option Y) (drawn : program Y) : program Y :=
  Uniform one (fun coin =>
    y <- drawn ;;
    Return (match passing with
            | Some x => if (coin <? T)%N then x else y
            | None => y
            end)).

(** The random bytes don't reveal which words pass. *)
Theorem pass_draws passing passing' drawn : same_draws (pass passing drawn) (pass passing' drawn).
Proof. constructor. intros coin. apply same_draws_after. Qed.

Lemma one_above_zero : 0 < of_N one.
Proof. apply of_N_pos. lia. Qed.

(** "K(x) = p*delta_x + (1-p)*M(x)" *)
Theorem pass_mean passing drawn g :
  draws_exist drawn ->
  mean (pass passing drawn) g ==
  match passing with
  | Some x => ratio T one * g x + ratio (one - T) one * mean drawn g
  | None => mean drawn g
  end.
Proof.
  intros H. pose proof one_above_zero. unfold pass. cbn [mean]. destruct passing as [x|].
  - rewrite (range_ext one _ (fun coin => if (coin <? T)%N then g x else mean drawn g)).
    + rewrite range_threshold by lia. unfold ratio. fold (of_N T) (of_N (one - T)) (of_N one).
      field. lra.
    + intros coin _. rewrite mean_bind. cbn [mean]. destruct (coin <? T)%N; [|reflexivity].
      now apply mean_const.
  - rewrite (range_ext one _ (fun _ => mean drawn g)).
    + rewrite range_const. field. lra.
    + intros coin _. rewrite mean_bind. reflexivity.
Qed.

(** 1/(1-p), exactly: the additional factor of a bound if the other word passes. *)
Definition passing_factor (passing : option Y) : Q :=
  match passing with
  | Some _ => ratio one (one - T)
  | None => 1
  end.

Lemma rest_above_zero : 0 < of_N (one - T).
Proof. apply of_N_pos. lia. Qed.

(** The mechanism's loss, times 1/(1-p) if the other word passes. *)
Theorem pass_loses r passing' (drawn drawn' : program Y) :
  0 <= r -> draws_exist drawn -> draws_exist drawn' -> loses r drawn drawn' ->
  loses (r * passing_factor passing') (pass None drawn) (pass passing' drawn').
Proof.
  intros Hr H H' Loses g Hg. rewrite !pass_mean by assumption.
  eapply Qle_trans; [now apply Loses|]. rewrite <- Qmult_assoc, !(Qmult_comm r).
  apply Qmult_le_compat_r; [|exact Hr]. destruct passing' as [x|]; simpl; [|lra].
  pose proof one_above_zero. pose proof rest_above_zero as R. unfold ratio.
  fold (of_N T) (of_N (one - T)) (of_N one).
  setoid_replace (of_N one / of_N (one - T) *
    (of_N T / of_N one * g x + of_N (one - T) / of_N one * mean drawn' g))
    with (of_N T / of_N (one - T) * g x + mean drawn' g) by (field; lra).
  assert (0 <= of_N T / of_N (one - T)).
  { apply Qle_shift_div_l; [exact R|]. rewrite Qmult_0_l. apply of_N_nonneg. }
  pose proof (Hg x). nra.
Qed.

Theorem pass_fits passing drawn :
  (one <= 2 ^ 63)%N -> bounds_fit drawn -> bounds_fit (pass passing drawn).
Proof.
  intros Hone H. split; [lia|]. intros coin _. induction drawn as [y|b next IH]; simpl; [exact I|].
  destruct H as [Hb H]. split; [exact Hb|]. intros i Hi. apply IH, H, Hi.
Qed.

End Coin.

(** ** Its probabilities *)

Context {Word : Type}.

Variable same : forall u v : Word, {u = v} + {u <> v}.

(** The same in terms of probabilities. *)
Definition passed (passing : option Word) (m : Word -> Q) (y : Word) : Q :=
  match passing with
  | Some x => ratio T one * (if same x y then 1 else 0) + ratio (one - T) one * m y
  | None => m y
  end.

Theorem pass_exact passing drawn m y :
  draws_exist drawn -> Pr drawn (fun z => if same z y then true else false) == m y ->
  Pr (pass passing drawn) (fun z => if same z y then true else false) == passed passing m y.
Proof.
  intros H E. unfold Pr in *. rewrite pass_mean by exact H. destruct passing as [x|]; simpl; [|exact E].
  rewrite E. unfold indicator. destruct (same x y); reflexivity.
Qed.

Lemma passing_factor_at_least_one (passing : option Word) : 1 <= passing_factor passing.
Proof.
  destruct passing as [x|]; simpl; [|lra]. rewrite <- (ratio_self one) by lia.
  apply ratio_le; nia.
Qed.

Lemma passed_nonnegative outcomes passing m :
  nonnegative outcomes m -> nonnegative outcomes (passed passing m).
Proof.
  intros H y Hy. destruct passing as [x|]; simpl; [|now apply H].
  pose proof (ratio_nonneg T one). pose proof (ratio_nonneg (one - T) one). pose proof (H y Hy).
  assert (0 <= ratio (one - T) one * m y) by now apply Qmult_nonneg.
  destruct (same x y); nra.
Qed.

(** The mechanism's output leaves with at least 1-p of its probability. *)
Lemma passed_at_least outcomes passing m y :
  nonnegative outcomes m -> In y outcomes -> m y <= passing_factor passing * passed passing m y.
Proof.
  intros H Hy. pose proof (H y Hy) as Hm. destruct passing as [x|]; simpl; [|lra].
  pose proof one_above_zero. pose proof rest_above_zero as R. unfold ratio.
  fold (of_N T) (of_N (one - T)) (of_N one).
  setoid_replace (of_N one / of_N (one - T) *
    (of_N T / of_N one * (if same x y then 1 else 0) + of_N (one - T) / of_N one * m y))
    with (of_N T / of_N (one - T) * (if same x y then 1 else 0) + m y) by (field; lra).
  assert (0 <= of_N T / of_N (one - T)).
  { apply Qle_shift_div_l; [exact R|]. rewrite Qmult_0_l. apply of_N_nonneg. }
  destruct (same x y); lra.
Qed.

(** "For x that doesn't pass": the bound of the mechanism, and 1/(1-p) if the other word does. *)
Theorem passed_bounded r outcomes passing' m m' :
  0 <= r -> nonnegative outcomes m' -> bounded r outcomes m m' ->
  bounded (r * passing_factor passing') outcomes (passed None m) (passed passing' m').
Proof.
  intros Hr Hm' H y Hy. simpl. eapply Qle_trans; [now apply H|]. rewrite <- Qmult_assoc.
  rewrite !(Qmult_comm r). apply Qmult_le_compat_r; [|exact Hr]. now apply passed_at_least with outcomes.
Qed.

(** The case in which a passing word may differ, too: the bound needs the smallest probability
    [least] with which the mechanism itself returns such a word unchanged. It is that of second
    draws. *)
Theorem passed_far r least outcomes passing passing' m m' :
  0 <= r -> 0 < least <= 1 -> nonnegative outcomes m -> nonnegative outcomes m' ->
  bounded r outcomes m m' -> (forall x, passing = Some x -> least <= m x) ->
  bounded (r * (1 + ratio T one / least) * ratio one (one - T)) outcomes
    (passed passing m) (passed passing' m').
Proof.
  intros Hr Hl Hm Hm' H Hleast y Hy.
  pose proof one_above_zero as P1. pose proof rest_above_zero as P2.
  pose proof (ratio_nonneg T one) as PT. pose proof (Hm y Hy) as Hmy. pose proof (Hm' y Hy) as Hmy'.
  assert (0 <= ratio T one / least) as Extra.
  { apply Qle_shift_div_l; [apply Hl|]. now rewrite Qmult_0_l. }
  assert (passed passing m y <= (1 + ratio T one / least) * m y) as First.
  { destruct passing as [x|]; simpl; [|nra].
    assert (ratio (one - T) one <= 1) as Rest.
    { rewrite <- (ratio_self one) by lia. apply ratio_le; nia. }
    pose proof (ratio_nonneg (one - T) one).
    destruct (same x y) as [<-|]; [|nra].
    specialize (Hleast x eq_refl).
    assert (ratio T one <= ratio T one / least * m x).
    { setoid_replace (ratio T one / least * m x) with (ratio T one * m x / least) by (field; lra).
      apply Qle_shift_div_l; [apply Hl|]. rewrite !(Qmult_comm (ratio T one)).
      now apply Qmult_le_compat_r. }
    nra. }
  assert (m' y <= ratio one (one - T) * passed passing' m' y) as Last.
  { eapply Qle_trans; [now apply (passed_at_least outcomes passing' m' y)|].
    apply Qmult_le_compat_r; [|now apply (passed_nonnegative outcomes)].
    destruct passing' as [x|]; simpl; [lra|]. apply (passing_factor_at_least_one (Some y)). }
  eapply Qle_trans; [exact First|].
  setoid_replace (r * (1 + ratio T one / least) * ratio one (one - T) * passed passing' m' y)
    with ((1 + ratio T one / least) * (r * (ratio one (one - T) * passed passing' m' y))) by ring.
  rewrite !(Qmult_comm (1 + _)). apply Qmult_le_compat_r; [|lra].
  eapply Qle_trans; [now apply H|]. rewrite !(Qmult_comm r). now apply Qmult_le_compat_r.
Qed.

(** ** Texts *)

Variable vocabulary : list Word.
Variable d : Word -> Word -> nat.
Variable largest : nat.
Hypothesis largest_spec : forall v v', In v vocabulary -> In v' vocabulary -> (d v v' <= largest)%nat.
Variable M : list Word -> Word -> Word -> Q.
Hypothesis M_nonnegative : forall h v, nonnegative vocabulary (M h v).
Variable L : nat -> Q.
Hypothesis L_monotone : forall j k, (j <= k)%nat -> L j <= L k.
Hypothesis L_zero : 1 <= L 0.
Hypothesis M_private : forall h v v', In v vocabulary -> In v' vocabulary ->
  bounded (L (d v v')) vocabulary (M h v) (M h v').
Variable chosen : Word -> Q.
Hypothesis chosen_distribution : distribution vocabulary chosen.

Variable passes : Word -> bool. (** the policy's passing words *)

(** The word that may pass: the word that a token is typed as, never a replacement. *)
Definition passing_word (a : token) : option Word :=
  match a with
  | Known v => if passes v then Some v else None
  | Unknown => None
  end.

(** K *)
Definition released_or_passed (h : list Word) (a : token) : Word -> Q :=
  passed (passing_word a) (released vocabulary M chosen h a).

Definition place_loss (a b : token) : Q :=
  match passing_word a with
  | Some _ => 1 (* b is the same word *)
  | None => L (token_distance d largest a b) * passing_factor (passing_word b)
  end.

Lemma place_private h a b :
  is_token vocabulary a -> is_token vocabulary b -> passing_word a = None \/ b = a ->
  bounded (place_loss a b) vocabulary (released_or_passed h a) (released_or_passed h b).
Proof.
  intros Ha Hb H. unfold place_loss, released_or_passed.
  destruct (passing_word a) as [x|] eqn:E.
  - destruct H as [H| ->]; [discriminate|]. rewrite E. intros y Hy. lra.
  - apply passed_bounded.
    + apply Qle_trans with 1; [lra|]. now apply L_at_least_one.
    + now apply released_nonnegative.
    + now apply token_private.
Qed.

Lemma released_or_passed_nonnegative h a : nonnegative vocabulary (released_or_passed h a).
Proof. apply passed_nonnegative. now apply released_nonnegative. Qed.

(** These are probabilities: they add up to 1. *)
Lemma released_or_passed_distribution h a :
  NoDup vocabulary -> (forall h v, In v vocabulary -> distribution vocabulary (M h v)) ->
  is_token vocabulary a -> distribution vocabulary (released_or_passed h a).
Proof.
  intros Hnd HM Ha. split; [apply released_or_passed_nonnegative|].
  assert (Qsum (released vocabulary M chosen h a) vocabulary == 1) as Sum.
  { destruct a as [v|]; simpl; [now apply HM|]. apply mixture_distribution; auto. }
  unfold released_or_passed. destruct (passing_word a) as [x|] eqn:E; [|exact Sum].
  assert (In x vocabulary) as Hx.
  { destruct a as [v|]; simpl in E; [|discriminate]. destruct (passes v); [|discriminate].
    inversion E; subst. exact Ha. }
  unfold passed. rewrite Qsum_plus, !Qsum_scale, Sum.
  assert (Qsum (fun y => if same x y then 1 else 0) vocabulary == 1) as ->.
  { clear - Hnd Hx. induction Hnd as [|v l Hv Hl IH]; [easy|]. cbn [Qsum fold_right].
    fold (Qsum (fun y => if same x y then 1 else 0) l). destruct (same x v) as [E|E].
    - rewrite (Qsum_ext _ (fun _ => 0)); [rewrite Qsum_zero; ring|].
      intros y Hy. destruct (same x y); [congruence|reflexivity].
    - rewrite IH; [ring|]. destruct Hx; [congruence|assumption]. }
  pose proof one_above_zero. unfold ratio. fold (of_N T) (of_N (one - T)) (of_N one).
  rewrite of_N_sub by lia. field. lra.
Qed.

Fixpoint passing_text_loss (text text' : list token) : Q :=
  match text, text' with
  | a :: text, b :: text' => place_loss a b * passing_text_loss text text'
  | _, _ => 1
  end.

Definition passing_text_probability (past : list Word) (text : list token) (ys : list Word) : Q :=
  joint past (map (fun a h => released_or_passed h a) text) ys.

(** "If a and b agree wherever a has a passing word". *)
Theorem passed_text past text text' ys :
  Forall (is_token vocabulary) text -> Forall (is_token vocabulary) text' ->
  Forall2 (fun a b => passing_word a = None \/ b = a) text text' ->
  Forall (fun y => In y vocabulary) ys ->
  passing_text_probability past text ys <=
  passing_text_loss text text' * passing_text_probability past text' ys.
Proof.
  intros Ht Ht' H Hys. unfold passing_text_probability.
  set (choices := map (fun '(a, b) => Choice (place_loss a b)
    (fun h => released_or_passed h a) (fun h => released_or_passed h b)) (combine text text')).
  assert (map this choices = map (fun a h => released_or_passed h a) text) as <-.
  { unfold choices. rewrite map_map. clear - H. induction H; simpl; f_equal; auto. }
  assert (map that choices = map (fun b h => released_or_passed h b) text') as <-.
  { unfold choices. rewrite map_map. clear - H. induction H; simpl; f_equal; auto. }
  assert (product_of_factors choices = passing_text_loss text text') as <-.
  { unfold choices. clear. revert text'. induction text as [|a text IH]; intros [|b text']; simpl;
      f_equal; auto. }
  apply composition with vocabulary; auto. unfold choices. clear - Ht Ht' H L_monotone L_zero
    M_private M_nonnegative chosen_distribution below largest_spec.
  induction H as [|a b text text' Hab H IH]; simpl; constructor.
  - inversion_clear Ht. inversion_clear Ht'. intros h. simpl.
    repeat split; auto using released_or_passed_nonnegative, place_private.
  - apply IH; [now inversion Ht|now inversion Ht'].
Qed.

(** ** With a memory *)

(** Statement 1 of Memory.v, for typed words: [kind] tells which are known. The first draw passes,
    too; everything computed from it has at most its loss. *)
Theorem passed_memory {Token} (kind : Token -> token) same_token second universe tokens
    (f : Token -> Token) ys :
  NoDup vocabulary -> (forall h v, In v vocabulary -> distribution vocabulary (M h v)) ->
  (forall past (x : Word), nonnegative vocabulary (second past x)) ->
  (forall u, is_token vocabulary (kind u)) ->
  NoDup universe -> incl tokens universe -> incl (map f tokens) universe ->
  (forall u v, In u tokens -> In v tokens -> f u = f v -> u = v) ->
  (forall u, In u tokens -> passing_word (kind u) = None \/ f u = u) ->
  Forall (fun y => In y vocabulary) ys ->
  let first u := released_or_passed [] (kind u) in
  memory same_token vocabulary first second universe tokens ys <=
  product (fun u => place_loss (kind u) (kind (f u))) (nodup same_token tokens) *
    memory same_token vocabulary first second universe (map f tokens) ys.
Proof.
  intros Hnd HM Hsecond Hkind Huniv Ht Hft Hinj Hsame Hys. cbv zeta.
  apply memory_renaming; auto.
  - intros u. apply released_or_passed_distribution; auto.
  - intros u Hu. apply place_private; auto. destruct (Hsame u Hu) as [H| ->]; auto.
Qed.

End Passing.
