(** The loss of a device's life: at most the budget's releases, if the loss of each release is at
    most its cost. docs/explanation/proofs.md, "A device". *)

From Coq Require Import Arith Lia List Lra NArith QArith Qreals Reals.
From Brrkit Require Import Ranges Program Sample Text Period Budget Device Policy BudgetSpent BudgetTime.
From Brrkit Require Import ExpBounds Coupling Life.
Import ListNotations.
Open Scope Q_scope.

Section Chosen.

Context {Typed Key : Type}.

Variable typed_as : Typed -> @token nat.
Variable new_key : program Key.
Variable in_text : Key -> option nat -> @token nat -> program nat.
Variable in_frame : option nat -> @token nat -> program nat.
Variable symbol : Key -> @token nat -> N.
Variable respond : N -> program N.
Variables limit length unit cost_of_word cost_of_report : N.
Variables most a_day size : nat.

Let frame (piece : list (@token nat)) : program (list nat) := one_by_one in_frame None piece.

(** The running device: it holds released words. *)
Definition device_act := act typed_as new_key in_text symbol respond Return frame Return most a_day size.
Definition device_live := live typed_as new_key in_text symbol respond Return frame Return limit length
  unit cost_of_word cost_of_report most a_day size.

(** The same, as if the outputs had been chosen first. *)
Definition chosen_act := act typed_as new_key in_text symbol Return respond Return frame most a_day size.
Definition chosen_live := live typed_as new_key in_text symbol Return respond Return frame limit length
  unit cost_of_word cost_of_report most a_day size.

Hypothesis respond_draws : forall x, draws_exist (respond x).
Hypothesis frame_draws : forall before a, draws_exist (in_frame before a).

Lemma draws_exist_bind {A B} (p : program A) (f : A -> program B) :
  draws_exist p -> (forall a, draws_exist (f a)) -> draws_exist (bind p f).
Proof. intros Hp H. induction p as [a|b next IH]; cbn in *; [apply H|]. destruct Hp. auto. Qed.

Lemma one_by_one_draws (word : option nat -> @token nat -> program nat) before text :
  (forall before a, draws_exist (word before a)) -> draws_exist (one_by_one word before text).
Proof.
  intros H. revert before. induction text as [|a text IH]; intros before; [exact I|]. cbn [one_by_one].
  apply draws_exist_bind; [apply H|]. intros y. apply draws_exist_bind; [apply IH|]. intros ys. exact I.
Qed.

(** The device's state, from the chosen inputs. *)
Definition held_of (h : @held Key N (list (@token nat))) : program (@held Key N (list nat)) :=
  let 'Held k s m fs := h in
  ys <- hold_all respond s ;; zs <- hold_all frame fs ;; Return (Held k ys m zs).

Lemma hold_all_return {A} (l : list A) : hold_all Return l = Return l.
Proof. induction l as [|x l IH]; [reflexivity|]. cbn [hold_all bind]. now rewrite IH. Qed.

Lemma held_mean k s m fs H :
  mean (held_of (Held k s m fs)) H ==
  mean (hold_all respond s) (fun ys => mean (hold_all frame fs) (fun zs => H (Held k ys m zs))).
Proof.
  cbn [held_of]. rewrite mean_bind. apply mean_ext. intros ys. rewrite mean_bind. reflexivity.
Qed.

Lemma frame_exists piece : draws_exist (frame piece).
Proof. now apply one_by_one_draws. Qed.

Lemma hold_all_draws {X Y} (hold : X -> program Y) inputs :
  (forall x, draws_exist (hold x)) -> draws_exist (hold_all hold inputs).
Proof.
  intros H. induction inputs as [|x inputs IH]; [exact I|]. cbn [hold_all].
  apply draws_exist_bind; [apply H|]. intros y. apply draws_exist_bind; [exact IH|]. intros ys. exact I.
Qed.

Lemma held_of_draws h : draws_exist (held_of h).
Proof.
  destruct h as [k s m fs]. cbn [held_of].
  apply draws_exist_bind; [now apply hold_all_draws|]. intros ys.
  apply draws_exist_bind; [|intros; exact I]. apply hold_all_draws, frame_exists.
Qed.

(** The draws without the state. *)
Lemma mean_around {A} (p : program A) (s : list N) (fs : list (list (@token nat))) (H : A -> list N -> list (list nat) -> Q) :
  mean (hold_all respond s) (fun ys => mean (hold_all frame fs) (fun zs => mean p (fun a => H a ys zs))) ==
  mean p (fun a => mean (hold_all respond s) (fun ys => mean (hold_all frame fs) (fun zs => H a ys zs))).
Proof.
  rewrite (mean_ext (hold_all respond s) _ (fun ys => mean p (fun a =>
    mean (hold_all frame fs) (fun zs => H a ys zs)))) by (intros ys; apply mean_swap).
  apply mean_swap.
Qed.

Lemma act_as_chosen e l h H :
  mean (held_of h) (fun h => mean (device_act l h e) H) ==
  mean (chosen_act l h e) (fun o => mean (held_of (snd o)) (fun h => H (fst o, h))).
Proof.
  destruct h as [k s m fs]. rewrite held_mean. unfold device_act, chosen_act.
  assert (mean (hold_all respond s) (fun ys => mean (hold_all frame fs) (fun zs =>
      H (Nothing, Held k ys m zs))) ==
    mean (held_of (Held k s m fs)) (fun h => H (Nothing, h))) as Still by (symmetry; apply held_mean).
  destruct e; cbn [act]; try exact Still; [| | | |destruct (framing l); try exact Still..].
  - (* New_key *)
    rewrite mean_bind; cbn [mean fst snd]; symmetry; etransitivity;
    [apply mean_ext; intros k'; apply held_mean|]; rewrite <- (mean_around new_key);
    apply mean_ext; intros ys; apply mean_ext; intros zs; rewrite mean_bind; reflexivity.
  - (* Writes *)
    rewrite mean_bind; cbn [mean fst snd]; symmetry; etransitivity;
    [apply mean_ext; intros xs; apply held_mean|]; rewrite <- mean_around;
    apply mean_ext; intros ys; apply mean_ext; intros zs; rewrite mean_bind; reflexivity.
  - (* Counts *)
    rewrite mean_bind; cbn [mean fst snd]; symmetry; etransitivity;
    [apply mean_ext; intros xs; apply held_mean|]; rewrite <- mean_bind, <- collect_as_chosen by exact respond_draws;
    apply mean_ext; intros ys; rewrite mean_swap; apply mean_ext; intros zs; rewrite mean_bind; reflexivity.
  - (* Ends_counts *)
    rewrite mean_bind; cbn [mean fst snd]; apply mean_ext; intros ys; rewrite held_mean;
    cbn [hold_all mean]; apply mean_ext; intros zs; rewrite mean_bind, hold_all_return; reflexivity.
  - (* Begins_frames *)
    rewrite mean_bind, hold_all_return. cbn [mean fst snd]. rewrite held_mean. apply mean_ext. intros ys.
    rewrite (mean_ext (hold_all frame fs) _ (fun _ => mean (hold_all frame (repeat (filled size []) a_day))
      (fun zs => H (Nothing, Held k ys 0 zs)))) by (intros zs; rewrite mean_bind; reflexivity).
    apply (mean_const _ (mean _ _)), hold_all_draws, frame_exists.
  - (* Frames *)
    rewrite mean_bind. cbn [mean fst snd]. symmetry. etransitivity; [apply mean_ext; intros xs; apply held_mean|].
    rewrite mean_swap. apply mean_ext. intros ys.
    rewrite <- mean_bind, <- collect_as_chosen by exact frame_exists.
    apply mean_ext. intros zs. rewrite mean_bind. reflexivity.
  - (* Ends_frames *)
    rewrite mean_bind. cbn [mean fst snd]. symmetry. etransitivity; [apply mean_ext; intros xs; apply held_mean|].
    cbn [hold_all mean]. rewrite mean_swap. apply mean_ext. intros ys. apply mean_ext. intros zs.
    rewrite mean_bind, hold_all_return. reflexivity.
Qed.

Theorem live_as_chosen events person past l h g :
  mean (bind (held_of h) (device_live events person past l)) g == mean (chosen_live events person past l h) g.
Proof.
  rewrite mean_bind. revert past l h. induction events as [|events IH]; intros past l h.
  - apply (mean_const (held_of h) (g past)), held_of_draws.
  - unfold device_live, chosen_live. cbn [live]. destruct (account _ _ _ _ _ _ _ _ l (person past)) as [l'|].
    + rewrite mean_bind.
      rewrite (mean_ext (chosen_act l h (person past)) _ (fun o => mean (held_of (snd o)) (fun h =>
        mean (device_live events person (fst o :: past) l' h) g))) by (intros o; symmetry; apply IH).
      rewrite <- (act_as_chosen (person past) l h (fun o =>
        mean (device_live events person (fst o :: past) l' (snd o)) g)).
      apply mean_ext. intros v. rewrite mean_bind. reflexivity.
    + apply IH.
Qed.

(** ** Its loss *)

Open Scope R_scope.

Variables keys : Key -> Key -> Prop.
Variable possible : @token nat -> Prop. (** the tokens that can be typed *)
Variables text_pair frame_pair : @token nat -> @token nat -> Prop.
Variables each key_loss : R. (** the loss of a billionth of epsilon, and that of a key *)

Let word_loss : R := each * real cost_of_word.
Let report_loss : R := each * real cost_of_report.

Hypothesis each_nonneg : 0 <= each.
Hypothesis key_nonneg : 0 <= key_loss.
Hypothesis keys_coupled : coupled keys key_loss new_key new_key.
Hypothesis text_coupled : forall k k' before a b, keys k k' -> text_pair a b ->
  coupled eq word_loss (in_text k before a) (in_text k' before b).
Hypothesis frame_coupled : forall before a b, frame_pair a b ->
  coupled eq word_loss (in_frame before a) (in_frame before b).
Hypothesis report_coupled : forall k k' a b, keys k k' -> possible a -> possible b ->
  coupled eq report_loss (respond (symbol k a)) (respond (symbol k' b)).
Hypothesis fillers : frame_pair Unknown Unknown.
Hypothesis typed_possible : forall a, possible (typed_as a).
Hypothesis unknown_possible : possible Unknown.

(** Two people do the same at the same time, and type equally many words. In frames, they may type
    anything, if the loss between any two tokens is at most their cost. *)
Definition same_event (e e' : event) : Prop :=
  match e, e' with
  | Changes c, Changes c' => c = c'
  | New_key, New_key => True
  | Writes object before words, Writes object' before' words' =>
      object = object' /\ before = before' /\
      Forall2 (fun a b => text_pair (typed_as a) (typed_as b)) words words'
  | Counts object words, Counts object' words' =>
      object = object' /\ List.length words = List.length words'
  | Ends_counts, Ends_counts => True
  | Begins_frames object, Begins_frames object' => object = object'
  | Frames words, Frames words' =>
      Forall2 (Forall2 frame_pair) (cut typed_as size words) (cut typed_as size words') \/
      (forall a b, possible a -> possible b -> frame_pair a b)
  | Ends_frames, Ends_frames => True
  | _, _ => False
  end.

Lemma Forall2_same_length {A B} (P : A -> B -> Prop) l l' : Forall2 P l l' -> List.length l = List.length l'.
Proof. induction 1; cbn; congruence. Qed.

Lemma all_pairs {A} (P : A -> A -> Prop) (Q : A -> Prop) l l' :
  (forall a b, Q a -> Q b -> P a b) -> Forall Q l -> Forall Q l' -> List.length l = List.length l' ->
  Forall2 P l l'.
Proof.
  intros H F. revert l'. induction F as [|a l Ha F IH]; intros [|b l'] F' E; try discriminate; constructor;
    inversion_clear F'; auto.
Qed.

Let account := account (Typed := Typed) limit length unit cost_of_word cost_of_report most a_day size.

Lemma account_same l e e' : same_event e e' -> account l e = account l e'.
Proof.
  unfold account. destruct l as [dev n f r].
  destruct e, e'; cbn [same_event Life.account]; try contradiction; try reflexivity.
  - now intros <-.
  - intros (<- & <- & H). now rewrite (Forall2_same_length _ _ _ H).
  - intros (<- & H). now rewrite H.
  - now intros <-.
Qed.

Lemma pay_total object cost each' dev dev' :
  pay limit length unit object cost each' dev = Some dev' ->
  (total_released dev' = total_released dev + cost)%N.
Proof.
  unfold pay, spent_by, total_released. destruct (nth_error _ _) as [mine|]; [|discriminate].
  destruct (spend _ _ _ _ _ _ _ _) as [[f' l']|]; [|discriminate]. intros H. inversion H. cbn.
  destruct (_ && _)%bool; lia.
Qed.

Lemma changed_total c dev : total_released (changed length c dev) = total_released dev.
Proof.
  destruct dev as [now f o i t w r n h b]. destruct c; try reflexivity. cbn. destruct f as [s|]; [|reflexivity].
  destruct (look _ _ _) as [s' new]. destruct (_ || _)%bool; reflexivity.
Qed.

Lemma one_by_one_coupled (pair : @token nat -> @token nat -> Prop) word word' before text text' :
  (forall before a b, pair a b -> coupled eq word_loss (word before a) (word' before b)) ->
  Forall2 pair text text' ->
  coupled eq (word_loss * INR (List.length text)) (one_by_one word before text) (one_by_one word' before text').
Proof.
  intros Hword H. revert before. induction H as [|a b text text' Hab _ IH]; intros before.
  - apply coupled_return; [cbn; lra|reflexivity].
  - cbn [one_by_one List.length]. rewrite S_INR.
    apply (coupled_then eq eq word_loss (word_loss * INR (List.length text))); [now apply Hword| |lra].
    intros y ? _ <-. apply (coupled_then eq eq (word_loss * INR (List.length text)) 0); [apply IH| |lra].
    intros ys ? _ <-. now apply coupled_return; [lra|].
Qed.

Lemma hold_all_coupled {X Y} (pair : X -> X -> Prop) (show : X -> program Y) x inputs inputs' :
  (forall a b, pair a b -> coupled eq x (show a) (show b)) -> Forall2 pair inputs inputs' ->
  coupled eq (x * INR (List.length inputs)) (hold_all show inputs) (hold_all show inputs').
Proof.
  intros Hshow H. induction H as [|a b inputs inputs' Hab _ IH].
  - apply coupled_return; [cbn; lra|reflexivity].
  - cbn [hold_all List.length]. rewrite S_INR.
    apply (coupled_then eq eq x (x * INR (List.length inputs))); [now apply Hshow| |lra].
    intros y ? _ <-. apply (coupled_then eq eq (x * INR (List.length inputs)) 0); [apply IH| |lra].
    intros ys ? _ <-. now apply coupled_return; [lra|].
Qed.

Lemma put_pairs {X} (pair : X -> X -> Prop) place x x' s s' :
  Forall2 pair s s' -> pair x x' -> Forall2 pair (put place x s) (put place x' s').
Proof.
  intros Hs Hx. destruct place as [place|]; [|exact Hs]. cbn [put]. revert s s' Hs.
  induction place as [|place IH]; intros s s' Hs; inversion Hs as [|a b l l' Hab Hl]; subst;
    cbn [firstn skipn app]; constructor; auto; apply IH, Hl.
Qed.

(** The same places, for any choice. *)
Lemma collect_coupled {X} (pair : X -> X -> Prop) m n s s' inputs inputs' :
  Forall2 pair s s' -> Forall2 pair inputs inputs' ->
  coupled (Forall2 pair) 0 (collect Return m n s inputs) (collect Return m n s' inputs').
Proof.
  intros Hs H. revert n s s' Hs. induction H as [|x x' inputs inputs' Hx _ IH]; intros n s s' Hs.
  - now apply coupled_return; [lra|].
  - cbn [collect bind]. apply (coupled_then eq _ 0 0); [apply coupled_eq| |lra].
    intros place ? _ <-. apply IH. now apply put_pairs.
Qed.

Lemma collect_length {X} m n (s inputs : list X) :
  List.length s = Nat.min n m ->
  releases (fun s => List.length s = Nat.min (n + List.length inputs) m) (collect Return m n s inputs).
Proof.
  revert n s. induction inputs as [|x inputs IH]; intros n s E; cbn [collect bind List.length].
  - cbn. now rewrite Nat.add_0_r.
  - apply (releases_bind _ _ _ _ (slot_place m n)). intros place Hp.
    replace (n + S (List.length inputs))%nat with (S n + List.length inputs)%nat by lia.
    apply IH. now apply put_slot_length.
Qed.

Lemma collect_full {X} (P : X -> Prop) m n (s inputs : list X) :
  List.length s = m -> Forall P s -> Forall P inputs ->
  releases (fun s => List.length s = m /\ Forall P s) (collect Return m n s inputs).
Proof.
  intros E Hs Hx. revert n s E Hs. induction Hx as [|x inputs Hx _ IH]; intros n s E Hs; [now split|].
  cbn [collect bind]. apply (releases_bind _ _ _ _ (slot_place m n)). intros place Hp. apply IH.
  - rewrite put_length, E. destruct place as [place|]; lia.
  - destruct place as [place|]; [|exact Hs]. cbn [put].
    assert (forall i, Forall P (firstn i s) /\ Forall P (skipn i s)) as Parts
      by (intros i; apply Forall_app; now rewrite firstn_skipn).
    apply Forall_app. split; [apply Parts|]. constructor; [exact Hx|apply Parts].
Qed.

Lemma collect_draws {X} m n (s inputs : list X) : draws_exist (collect Return m n s inputs).
Proof.
  revert n s. induction inputs as [|x inputs IH]; intros n s; [exact I|]. cbn [collect bind].
  apply draws_exist_bind; [|auto]. unfold slot. destruct (_ <? _)%nat; [exact I|].
  split; [lia|]. intros i _. exact I.
Qed.

Definition full (piece : list (@token nat)) : Prop := List.length piece = size /\ Forall possible piece.

Lemma filled_full piece :
  (List.length piece <= size)%nat -> Forall possible piece -> full (filled size piece).
Proof.
  intros H F. unfold full, filled. rewrite app_length, repeat_length. split; [lia|].
  apply Forall_app. split; [exact F|]. apply Forall_forall. intros a Ha. apply repeat_spec in Ha. now subst.
Qed.

Lemma cut_full words : Forall full (cut typed_as size words).
Proof.
  unfold cut. assert (Forall possible (map typed_as words)) as H.
  { apply Forall_forall. intros a Ha. apply in_map_iff in Ha as (x & <- & _). apply typed_possible. }
  revert H. generalize (map typed_as words). generalize (List.length words).
  induction n as [|n IH]; intros text H; [constructor|]. destruct text as [|a text]; [constructor|].
  cbn [pieces]. rewrite <- (firstn_skipn size) in H. apply Forall_app in H as [H1 H2].
  constructor; [|now apply IH]. apply filled_full; [|exact H1]. rewrite firstn_length. lia.
Qed.

Let report_pair x x' : Prop := coupled eq report_loss (respond x) (respond x').

Definition frames_related (h h' : @held Key N (list (@token nat))) : Prop :=
  (List.length (frames h) = a_day /\ Forall full (frames h)) /\
  (List.length (frames h') = a_day /\ Forall full (frames h')) /\
  (offered h = offered h' /\ Forall2 (Forall2 frame_pair) (frames h) (frames h') \/
   forall a b, possible a -> possible b -> frame_pair a b).

Definition related (l : ledger) (h h' : @held Key N (list (@token nat))) : Prop :=
  keys (key h) (key h') /\ Forall2 report_pair (sample h) (sample h') /\
  List.length (sample h) = Nat.min (seen l) most /\
  (framing l = true -> frames_related h h').

(** Payments for which nothing has left yet. *)
Definition pending (l : ledger) : R :=
  report_loss * INR (Nat.min (seen l) most) + if framing l then word_loss * INR (a_day * size) else 0.

Variables (paid : N) (renewals : nat). (** the largest amount at the end of the life *)

Definition remaining (l : ledger) : R :=
  each * (real paid - real (total_released (on l))) + pending l + key_loss * (INR renewals - INR (renewed l)).

Lemma frames_are_pairs h h' : frames_related h h' -> Forall2 (Forall2 frame_pair) (frames h) (frames h').
Proof.
  intros ((L & F) & (L' & F') & [[_ H]|H]); [exact H|]. clear - L F L' F' H. rewrite <- L' in L. clear L'.
  revert L F F'. generalize (frames h) (frames h'). induction l as [|p l IH]; intros [|p' l'] L F F'; try discriminate;
    constructor.
  - inversion_clear F as [|? ? [E1 E2] _]. inversion_clear F' as [|? ? [E1' E2'] _].
    apply (all_pairs _ possible); auto. congruence.
  - inversion_clear F. inversion_clear F'. auto.
Qed.

Lemma act_coupled l l' h h' e e' :
  same_event e e' -> related l h h' -> account l e = Some l' ->
  exists x, coupled (fun o o' => fst o = fst o' /\ related l' (snd o) (snd o')) x
    (chosen_act l h e) (chosen_act l h' e') /\ x + remaining l' <= remaining l.
Proof.
  intros E (Hk & Hs & Hl & Hf) A. unfold account in A. destruct l as [dev n f r]. destruct h as [k s m fs], h' as [k' s' m' fs'].
  cbn [key sample seen framing] in *.
  unfold chosen_act, remaining, pending.
  assert (forall l', related l' (Held k s m fs) (Held k' s' m' fs') ->
    coupled (fun o o' => fst o = fst o' /\ related l' (snd o) (snd o')) 0
      (Return (Nothing, Held k s m fs)) (Return (Nothing, Held k' s' m' fs'))) as Still.
  { intros l1 H. apply coupled_return; [lra|]. now split. }
  destruct e, e'; cbn [same_event] in E; try contradiction; cbn [Life.account] in A; cbn [act framing].
  - (* Changes *)
    inversion A. subst. exists 0. split; [now apply Still|]. cbn. rewrite changed_total. lra.
  - (* New_key *)
    inversion A. subst. exists key_loss. split.
    + apply (coupled_then keys _ key_loss 0); [exact keys_coupled| |lra]. intros k1 k1' _ Hk1.
      apply coupled_return; [lra|]. now split.
    + cbn [on seen framing renewed]. rewrite S_INR. lra.
  - (* Writes *)
    destruct E as (<- & <- & H). destruct (pay _ _ _ _ _ _ _) as [dev'|] eqn:Ep; [|discriminate].
    inversion A. subst. apply pay_total in Ep. pose proof (Forall2_same_length _ _ _ H) as Lw.
    exists (word_loss * INR (List.length words)). split.
    + apply (coupled_then eq _ (word_loss * INR (List.length words)) 0); [| |lra].
      * rewrite <- (map_length typed_as words). apply (one_by_one_coupled text_pair).
        -- intros. now apply text_coupled.
        -- clear - H. induction H; constructor; auto.
      * intros ys ? _ <-. apply coupled_return; [lra|]. now split.
    + cbn [on seen framing renewed]. rewrite Ep, real_add, real_mul, real_of_nat. unfold word_loss. lra.
  - (* Counts *)
    destruct E as (<- & Lw).
    set (new := Nat.min (List.length words) (most - n)) in *.
    assert (exists dev', l' = Ledger dev' (n + List.length words) f r /\
      total_released dev' = total_released dev + cost_of_report * N.of_nat new)%N as (dev' & -> & T).
    { destruct new as [|new'] eqn:En.
      - inversion A. eexists. split; [reflexivity|]. cbn. lia.
      - destruct (pay _ _ _ _ _ _ _) as [dev'|] eqn:Ep; [|discriminate]. inversion A. subst.
        apply pay_total in Ep. eexists. split; [reflexivity|exact Ep]. }
    exists 0. split.
    + apply (coupled_then (fun s s' => Forall2 report_pair s s') _ 0 0); [| |lra].
      * apply collect_coupled; [exact Hs|].
        clear - Lw Hk report_coupled typed_possible. revert words0 Lw. induction words as [|x words IH]; intros [|x' words'] Lw;
          try discriminate; constructor; [|now apply IH; inversion Lw].
        now apply report_coupled.
      * intros s1 s1' Ho Hs1. apply coupled_return; [lra|]. split; [reflexivity|].
        split; [exact Hk|split; [exact Hs1|split; [|exact Hf]]]. cbn [snd sample seen].
        specialize (Ho _ (collect_length most n s _ Hl)). now rewrite map_length in Ho.
    + cbn [on seen framing renewed]. rewrite T, real_add, real_mul, real_of_nat. fold report_loss.
      assert (INR (Nat.min (n + List.length words) most) = INR (Nat.min n most) + INR new) as ->
        by (rewrite <- plus_INR; f_equal; unfold new; lia).
      unfold report_loss. lra.
  - (* Ends_counts *)
    inversion A. subst. exists (report_loss * INR (List.length s)). split.
    + apply (coupled_then eq _ (report_loss * INR (List.length s)) 0); [| |lra].
      * now apply (hold_all_coupled report_pair).
      * intros ys ? _ <-. apply coupled_return; [lra|]. split; [reflexivity|].
        split; [exact Hk|split; [constructor|split; [reflexivity|exact Hf]]].
    + cbn [on seen framing renewed]. rewrite Hl. cbn [Nat.min INR]. lra.
  - (* Begins_frames *)
    subst. destruct f.
    + inversion A. subst. exists 0. split; [now apply Still|]. cbn [on seen framing renewed]. lra.
    + destruct (pay _ _ _ _ _ _ _) as [dev'|] eqn:Ep; [|discriminate]. inversion A. subst.
      apply pay_total in Ep. exists 0. rewrite hold_all_return. cbn [bind]. split.
      * apply coupled_return; [lra|]. split; [reflexivity|].
        split; [exact Hk|split; [exact Hs|split; [exact Hl|intros _]]]. unfold frames_related.
        cbn [snd frames offered]. split; [split|split; [split|]].
        -- apply repeat_length.
        -- apply Forall_forall. intros p Hp. apply repeat_spec in Hp. subst. apply filled_full; [cbn; lia|constructor].
        -- apply repeat_length.
        -- apply Forall_forall. intros p Hp. apply repeat_spec in Hp. subst. apply filled_full; [cbn; lia|constructor].
        -- left. split; [reflexivity|].
           assert (Forall2 frame_pair (filled size []) (filled size [])) as F.
           { unfold filled. cbn [app]. clear - fillers. induction (size - _)%nat; constructor; auto. }
           clear - F. induction a_day; constructor; auto.
      * cbn [on seen framing renewed]. rewrite Ep, real_add, real_mul, real_of_nat. fold word_loss.
        unfold word_loss. lra.
  - (* Frames *)
    inversion A. subst. exists 0. split; [|cbn [on seen framing renewed]; lra]. destruct f.
    2:{ now apply Still. }
    specialize (Hf eq_refl). destruct Hf as ((La & Fa) & (Lb & Fb) & Hp). cbn [frames offered] in *.
    pose proof (collect_full full a_day m fs _ La Fa (cut_full words)) as R1.
    pose proof (collect_full full a_day m' fs' _ Lb Fb (cut_full words0)) as R2.
    assert ((m = m' /\ Forall2 (Forall2 frame_pair) fs fs' /\
      Forall2 (Forall2 frame_pair) (cut typed_as size words) (cut typed_as size words0)) \/
      forall a b, possible a -> possible b -> frame_pair a b) as [(<- & Hp1 & Hp2)|All] by (destruct Hp as [[? ?]|?], E as [?|?]; auto).
    + apply (coupled_then (Forall2 (fun p p' => Forall2 frame_pair p p' /\ full p')) _ 0 0); [| |lra].
      * apply collect_coupled; [clear - Hp1 Fb; induction Hp1; inversion_clear Fb; constructor; auto|].
        pose proof (cut_full words0) as Fc. clear - Hp2 Fc. induction Hp2; inversion_clear Fc; constructor; auto.
      * intros f1 f1' Ho Hf1. apply coupled_return; [lra|]. split; [reflexivity|].
        specialize (Ho _ R1). pose proof (Forall2_same_length _ _ _ Hf1) as L1.
        assert (Forall full f1') as F1' by (clear - Hf1; induction Hf1 as [|? ? ? ? [? ?]]; constructor; auto).
        assert (Forall2 (Forall2 frame_pair) f1 f1') as P1
          by (clear - Hf1; induction Hf1 as [|? ? ? ? [? ?]]; constructor; auto).
        split; [exact Hk|split; [exact Hs|split; [exact Hl|intros _]]].
        split; [exact Ho|split; [split; [|exact F1']|]].
        -- cbn [snd frames]. rewrite <- L1. apply Ho.
        -- left. split; [|exact P1]. cbn [snd offered]. f_equal. apply (Forall2_same_length _ _ _ Hp2).
    + apply (coupled_then _ _ 0 0 _ _ _ _ _
        (coupled_any _ _ _ _ (collect_draws _ _ _ _) (collect_draws _ _ _ _) R1 R2)); [|lra].
      intros f1 f1' _ [H1 H2]. apply coupled_return; [lra|]. split; [reflexivity|].
      split; [exact Hk|split; [exact Hs|split; [exact Hl|intros _]]].
      split; [exact H1|split; [exact H2|now right]].
  - (* Ends_frames *)
    inversion A. subst. destruct f.
    + specialize (Hf eq_refl). pose proof (frames_are_pairs _ _ Hf) as Hp. destruct Hf as ((La & Fa) & _). cbn [frames] in *.
      exists (word_loss * INR size * INR (List.length fs)). split.
      * apply (coupled_then eq _ (word_loss * INR size * INR (List.length fs)) 0); [| |lra].
        -- apply (hold_all_coupled (fun p p' => Forall2 frame_pair p p' /\ full p)).
           ++ intros p p' [H [Hlen _]]. rewrite <- Hlen. now apply (one_by_one_coupled frame_pair).
           ++ clear - Hp Fa. induction Hp; inversion_clear Fa; constructor; auto.
        -- intros ys ? _ <-. apply coupled_return; [lra|]. split; [reflexivity|].
           split; [exact Hk|split; [exact Hs|split; [exact Hl|discriminate]]].
      * cbn [on seen framing renewed]. rewrite La, mult_INR. lra.
    + exists 0. split; [|cbn [on seen framing renewed]; lra]. apply coupled_return; [lra|]. split; [reflexivity|].
      split; [exact Hk|split; [exact Hs|split; [exact Hl|discriminate]]].
Qed.


Let always := always (Typed := Typed) limit length unit cost_of_word cost_of_report most a_day size.

Theorem chosen_live_coupled events person person' past l h h' :
  (forall past, same_event (person past) (person' past)) ->
  always (fun _ => True) (fun l => (total_released (on l) <= paid)%N /\ (key_loss = 0 \/ (renewed l <= renewals)%nat))
    events person past l ->
  related l h h' ->
  coupled eq (remaining l) (chosen_live events person past l h) (chosen_live events person' past l h').
Proof.
  intros Same. revert past l h h'. induction events as [|events IH]; intros past l h h' Bound Rel.
  - apply coupled_return; [|reflexivity]. destruct Bound as [B C]. unfold remaining, pending.
    assert (0 <= each * (real paid - real (total_released (on l)))).
    { apply Rmult_le_pos; [exact each_nonneg|]. apply real_le in B. lra. }
    assert (0 <= key_loss * (INR renewals - INR (renewed l))).
    { destruct C as [->|C]; [lra|]. apply Rmult_le_pos; [exact key_nonneg|]. apply le_INR in C. lra. }
    assert (0 <= word_loss) by (apply Rmult_le_pos; [exact each_nonneg|apply real_nonneg]).
    assert (0 <= report_loss) by (apply Rmult_le_pos; [exact each_nonneg|apply real_nonneg]).
    pose proof (pos_INR (Nat.min (seen l) most)). pose proof (pos_INR (a_day * size)).
    assert (0 <= report_loss * INR (Nat.min (seen l) most)) by now apply Rmult_le_pos.
    assert (0 <= word_loss * INR (a_day * size)) by now apply Rmult_le_pos.
    destruct (framing l); lra.
  - specialize (Same past) as E. unfold chosen_live. cbn [live].
    pose proof (account_same l _ _ E) as A. unfold account in A. rewrite <- A. clear A.
    cbn [Life.always] in Bound. destruct Bound as [_ Bound].
    destruct (Life.account _ _ _ _ _ _ _ _ l (person past)) as [l'|] eqn:El.
    + destruct (act_coupled l l' h h' _ _ E Rel El) as (x & Act & Le).
      apply (coupled_then _ _ _ (remaining l') _ _ _ _ _ Act); [|exact Le].
      intros [o v] [o' v'] _ [Eo Hv]. cbn [fst snd] in *. subst o'. apply IH; [apply Bound|exact Hv].
    + apply IH; [apply Bound|exact Rel].
Qed.

(** The same for the running device, from any sample and frames of a day. *)
Theorem device_live_loses events person person' l h h' event :
  (forall past, same_event (person past) (person' past)) ->
  always (fun _ => True) (fun l => (total_released (on l) <= paid)%N /\ (key_loss = 0 \/ (renewed l <= renewals)%nat))
    events person [] l ->
  related l h h' ->
  let chance person h := Q2R (Pr (bind (held_of h) (device_live events person [] l)) event) in
  chance person h <= exp (remaining l) * chance person' h'.
Proof.
  intros Same Bound Rel. cbv zeta. unfold Pr. rewrite !(Qreals.Qeq_eqR _ _ (live_as_chosen _ _ _ _ _ _)).
  apply (coupled_event (fun o => o) (fun o => o)). now apply chosen_live_coupled.
Qed.

End Chosen.
