(** Unknown words, and texts of several words.
    docs/explanation/proofs.md, "Words outside the vocabulary" and "Texts".

    The mechanism is any whose loss is a function L of the distance. This therefore applies to
    [exponential] with and without a cap, the certificate, [brr] and [vickrey]. *)

From Coq Require Import Arith Lia List Lqa NArith QArith Qminmax.
From Brrkit Require Import Sums Probability Postprocessing Composition Hamming Weights Exponential.
Import ListNotations.
Open Scope Q_scope.

Section Text.

Context {Word : Type}.

Variable vocabulary : list Word.

Variable d : Word -> Word -> nat.
Variable largest : nat. (** P_max: the largest distance between two words *)
Hypothesis largest_spec : forall v v', In v vocabulary -> In v' vocabulary -> (d v v' <= largest)%nat.

(** The earlier releases of the same text, the last word first. *)
Definition history := list Word.

(** Pr[M_h(v)=y] *)
Variable M : history -> Word -> Word -> Q.
Hypothesis M_nonnegative : forall h v, nonnegative vocabulary (M h v).

(** The largest loss between words k apart, as a factor. *)
Variable L : nat -> Q.
Hypothesis L_monotone : forall j k, (j <= k)%nat -> L j <= L k.
Hypothesis L_zero : 1 <= L 0.
Hypothesis M_private : forall h v v', In v vocabulary -> In v' vocabulary ->
  bounded (L (d v v')) vocabulary (M h v) (M h v').

Lemma L_at_least_one k : 1 <= L k.
Proof. apply Qle_trans with (L 0); auto. apply L_monotone. lia. Qed.

(** ** Words outside the vocabulary *)

(** A token is a word of the vocabulary or unknown: [Token.word_id] in brrkit/tokenizer.py. *)
Inductive token := Known (v : Word) | Unknown.

Definition is_token (a : token) : Prop :=
  match a with Known v => In v vocabulary | Unknown => True end.

(** The probability with which each word replaces an unknown one. It doesn't depend on typing; the
    proofs use nothing else. A bundle's is [by_mass] below. *)
Variable chosen : Word -> Q.
Hypothesis chosen_distribution : distribution vocabulary chosen.

(** The result for a token under the policy [random]: [Privatizer._drawn]. *)
Definition released (h : history) (a : token) : Word -> Q :=
  match a with
  | Known v => M h v
  | Unknown => mixture vocabulary chosen (M h)
  end.

Definition token_distance (a b : token) : nat :=
  match a, b with
  | Known v, Known v' => d v v'
  | Unknown, Unknown => 0
  | _, _ => largest
  end.

Lemma released_nonnegative h a : nonnegative vocabulary (released h a).
Proof.
  destruct a; [apply M_nonnegative|]. intros y Hy. apply Qsum_nonneg. intros v Hv.
  apply Qmult_nonneg; [now apply chosen_distribution|now apply M_nonnegative].
Qed.

(** "An unknown word and a word w of V are as if at most r(w) apart": k is at least r(w). *)
Theorem unknown_private h v k :
  In v vocabulary -> (forall u, In u vocabulary -> (d u v <= k)%nat /\ (d v u <= k)%nat) ->
  bounded (L k) vocabulary (released h Unknown) (released h (Known v)) /\
  bounded (L k) vocabulary (released h (Known v)) (released h Unknown).
Proof.
  intros Hv Hk. split.
  - apply mixture_bounded_l; [exact chosen_distribution|]. intros u Hu.
    apply bounded_weaken with (L (d u v));
      [now apply L_monotone, Hk|now apply M_nonnegative|now apply M_private].
  - apply mixture_bounded_r; [exact chosen_distribution|]. intros u Hu.
    apply bounded_weaken with (L (d v u));
      [now apply L_monotone, Hk|now apply M_nonnegative|now apply M_private].
Qed.

(** The loss between two tokens is at most that of their distance. "Two unknown words have the same
    distribution." *)
Theorem token_private h a b : is_token a -> is_token b ->
  bounded (L (token_distance a b)) vocabulary (released h a) (released h b).
Proof.
  destruct a as [v|], b as [v'|]; intros Ha Hb; simpl token_distance.
  - now apply M_private.
  - apply unknown_private; auto.
  - apply unknown_private; auto.
  - intros y Hy. pose proof (released_nonnegative h Unknown y Hy) as H.
    set (p := released h Unknown y) in *. rewrite <- (Qmult_1_l p) at 1.
    now apply Qmult_le_compat_r.
Qed.

(** ** Texts *)

(** The probability that the tokens of a text become the words [ys], after [past]: each draw may
    depend on all earlier releases. [Exponential.__call__] passes on the last word. *)
Definition text_probability (past : history) (text : list token) (ys : list Word) : Q :=
  joint past (map (fun a h => released h a) text) ys.

(** The product of the places' factors: as logarithms, the sum. *)
Fixpoint text_loss (text text' : list token) : Q :=
  match text, text' with
  | a :: text, b :: text' => L (token_distance a b) * text_loss text text'
  | _, _ => 1
  end.

Lemma text_probability_nonnegative past text ys :
  Forall (fun y => In y vocabulary) ys -> 0 <= text_probability past text ys.
Proof.
  apply joint_nonneg. apply Forall_map, Forall_forall. intros a _ h. apply released_nonnegative.
Qed.

(** "Two texts a and b of m tokens each": for every output y of m words. *)
Theorem text_private past text text' ys :
  length text = length text' -> Forall is_token text -> Forall is_token text' ->
  Forall (fun y => In y vocabulary) ys ->
  text_probability past text ys <= text_loss text text' * text_probability past text' ys.
Proof.
  intros Hl Ht Ht' Hys. unfold text_probability.
  set (choices := map (fun '(a, b) =>
    Choice (L (token_distance a b)) (fun h => released h a) (fun h => released h b))
    (combine text text')).
  assert (Hthis : map this choices = map (fun a h => released h a) text).
  { unfold choices. rewrite map_map. clear - Hl. revert text' Hl.
    induction text as [|a text IH]; intros [|b text'] Hl; simpl in *; f_equal; auto; discriminate. }
  assert (Hthat : map that choices = map (fun b h => released h b) text').
  { unfold choices. rewrite map_map. clear - Hl. revert text' Hl.
    induction text as [|a text IH]; intros [|b text'] Hl; simpl in *; f_equal; auto; discriminate. }
  assert (Hloss : product_of_factors choices = text_loss text text').
  { unfold choices. clear. revert text'. induction text as [|a text IH]; intros [|b text']; simpl;
      f_equal; auto. }
  rewrite <- Hthis, <- Hthat, <- Hloss. apply composition with vocabulary; auto.
  unfold choices. apply Forall_map, Forall_forall. intros [a b] Hab h.
  pose proof (in_combine_l _ _ _ _ Hab) as Ha. pose proof (in_combine_r _ _ _ _ Hab) as Hb.
  rewrite Forall_forall in Ht, Ht'. simpl.
  repeat split; [apply released_nonnegative|apply released_nonnegative|apply token_private; auto].
Qed.

(** The same for all outputs at once: post-processing and sets of outputs follow. *)
Corollary text_bounded past text text' :
  length text = length text' -> Forall is_token text -> Forall is_token text' ->
  bounded (text_loss text text') (lists vocabulary (length text))
    (text_probability past text) (text_probability past text').
Proof. intros Hl Ht Ht' ys Hys. apply text_private; auto. now apply lists_spec in Hys. Qed.

(** These are probabilities: they add up to 1. *)
Theorem text_distribution past text :
  (forall h v, In v vocabulary -> distribution vocabulary (M h v)) -> Forall is_token text ->
  distribution (lists vocabulary (length text)) (text_probability past text).
Proof.
  intros HM Ht. rewrite <- (map_length (fun a h => released h a) text).
  apply joint_distribution, Forall_map. eapply Forall_impl; [|exact Ht]. intros [v|] Ha h.
  - now apply HM.
  - apply mixture_distribution; auto.
Qed.

(** Between texts that differ in one word, the loss is at most that of the word. *)
Corollary text_private_one_word past before a b after ys :
  L 0 == 1 -> (forall v, d v v = 0%nat) ->
  Forall is_token (before ++ a :: after) -> is_token b -> Forall (fun y => In y vocabulary) ys ->
  text_probability past (before ++ a :: after) ys <=
  L (token_distance a b) * text_probability past (before ++ b :: after) ys.
Proof.
  intros H0 Hd Ht Hb Hys.
  assert (Hself : forall c, L (token_distance c c) == 1).
  { intros [v|]; simpl; auto. rewrite Hd. auto. }
  assert (Hsame : forall l, text_loss l l == 1).
  { induction l as [|c l IH]; simpl; [reflexivity|]. rewrite IH, Hself. reflexivity. }
  assert (Hone : text_loss (before ++ a :: after) (before ++ b :: after) == L (token_distance a b)).
  { induction before as [|c l IH]; simpl.
    - rewrite Hsame. ring.
    - rewrite IH by now inversion Ht. rewrite Hself. ring. }
  rewrite <- Hone. apply text_private; auto.
  - now rewrite !app_length.
  - apply Forall_app in Ht as [H1 H2]. apply Forall_app. inversion H2; subst. auto.
Qed.

End Text.

Arguments Known {Word} v.
Arguments Unknown {Word}.

(** ** The masses of a bundle *)

Section ByMass.

Context {Word : Type}.
Variables (vocabulary : list Word) (size : Word -> N).

(** A word's mass, divided by the sum of all. The masses are those of the vocabulary, for any base
    measure of the mechanism. [stand_in] in Draw.v draws in this way. *)
Definition by_mass (v : Word) : Q := ratio (size v) (sum size vocabulary).

Lemma by_mass_distribution : (0 < sum size vocabulary)%N -> distribution vocabulary by_mass.
Proof.
  intros H. split; [intros v _; apply ratio_nonneg|].
  unfold by_mass. rewrite Qsum_ratio by exact H. now apply ratio_self.
Qed.

End ByMass.

(** The sum of the places' distances: the page's exponent, without the epsilon. *)
Fixpoint text_distance {Word} (d : Word -> Word -> nat) (largest : nat) (text text' : list token) : nat :=
  match text, text' with
  | a :: text, b :: text' => (token_distance d largest a b + text_distance d largest text text')%nat
  | _, _ => 0%nat
  end.

(** Without a cap, the factors' product is the factor of the sum. *)
Lemma text_loss_sum {Word} d largest (L : nat -> Q) (text text' : list (@token Word)) :
  L 0%nat == 1 -> (forall j k, L j * L k == L (j + k)%nat) ->
  text_loss d largest L text text' == L (text_distance d largest text text').
Proof.
  intros H0 Hplus. revert text'. induction text as [|a text IH]; intros [|b text']; simpl;
    try (symmetry; exact H0).
  rewrite IH, Hplus. reflexivity.
Qed.

(** ** Texts under [exponential] *)

Section ExponentialText.

Context {Word : Type}.

Variables (vocabulary : list Word) (code_of : Word -> code) (w : nat) (W : list N) (n t : nat).
Variable mass : option Word -> Word -> N. (** after the previously released word, or at a text's start *)
Variables a b top bottom : N. (** bounds of a step, and of the cap *)
Variable largest : nat.

Hypothesis some_word : vocabulary <> [].
Hypothesis codes_fit : fits vocabulary code_of w W n t.
Hypothesis masses_positive : forall h y, In y vocabulary -> (0 < mass h y)%N.
Hypothesis W_positive : positive W.
Hypothesis falls : decreasing W.
Hypothesis steps : steps_hold W a b.
Hypothesis at_least_one : (0 < b <= a)%N.

Let d (v v' : Word) : nat := distance w (code_of v) (code_of v').
Hypothesis largest_spec : forall v v', In v vocabulary -> In v' vocabulary -> (d v v' <= largest)%nat.

Variable chosen : Word -> Q. (** the replacement of an unknown word *)
Hypothesis chosen_distribution : distribution vocabulary chosen.

(** Pr[M_h(v)=y], h being the last word of the history: [Exponential.__call__] passes it on. *)
Definition exponential (h : list Word) (v y : Word) : Q :=
  probability vocabulary code_of w W mass (hd_error h) (code_of v) y.

Lemma exponential_nonnegative h v : nonnegative vocabulary (exponential h v).
Proof. intros y _. apply ratio_nonneg. Qed.

Lemma code_fits v : In v vocabulary -> has_size n t (code_of v).
Proof. apply codes_fit. Qed.

(** The factor is at most e^(epsilon * sum of the places' distances). *)
Theorem exponential_text_private past text text' ys :
  length text = length text' ->
  Forall (is_token vocabulary) text -> Forall (is_token vocabulary) text' ->
  Forall (fun y => In y vocabulary) ys ->
  text_probability vocabulary exponential chosen past text ys <=
  loss a b (text_distance d largest text text') *
    text_probability vocabulary exponential chosen past text' ys.
Proof.
  intros Hl Ht Ht' Hys.
  rewrite <- text_loss_sum by (intros; first [reflexivity | now apply loss_plus]).
  apply text_private; auto using exponential_nonnegative.
  - intros. now apply loss_monotone.
  - unfold loss. apply Qle_refl.
  - intros h v v' Hv Hv'. apply exponential_bounded with (n := n) (t := t); auto using code_fits.
Qed.

(** With a cap, the loss of each place is at most min(epsilon * distance, cap). *)
Theorem exponential_text_private_cap past text text' ys :
  cap_holds W top bottom -> (0 < bottom <= top)%N ->
  length text = length text' ->
  Forall (is_token vocabulary) text -> Forall (is_token vocabulary) text' ->
  Forall (fun y => In y vocabulary) ys ->
  text_probability vocabulary exponential chosen past text ys <=
  text_loss d largest (loss_with_cap a b top bottom) text text' *
    text_probability vocabulary exponential chosen past text' ys.
Proof.
  intros cap Hcap Hl Ht Ht' Hys.
  apply text_private; auto using exponential_nonnegative.
  - intros j k Hjk. unfold loss_with_cap. apply Q.min_le_compat_r. now apply loss_monotone.
  - unfold loss_with_cap. apply Q.min_glb; [apply Qle_refl|].
    rewrite <- (powers_zero top bottom). apply powers_monotone; auto.
  - intros h v v' Hv Hv'.
    apply exponential_bounded_cap with (n := n) (t := t); auto using code_fits. lia.
Qed.

End ExponentialText.
