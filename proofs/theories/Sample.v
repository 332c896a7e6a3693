(** A day's reports: a uniform sample of at most m of the day's words or frames, each randomized
    before it is chosen. docs/explanation/proofs.md, "Counts", "A person's day". *)

From Coq Require Import Arith Lia List Lqa NArith QArith.
From Brrkit Require Import Probability Ranges Program Counts.
Import ListNotations.
Open Scope Q_scope.

(** [sample[place] = y], or [sample.append(y)] if the place is the next one. *)
Definition put {A} (place : option nat) (y : A) (sample : list A) : list A :=
  match place with
  | Some place => firstn place sample ++ y :: skipn (S place) sample
  | None => sample
  end.

(** The place of the next item in a sample of [most], if any, after [seen] others: reservoir
    sampling (algorithm R). *)
Definition slot (most seen : nat) : program (option nat) :=
  if (seen <? most)%nat then Return (Some seen)
  else
    Uniform (N.of_nat (S seen)) (fun place =>
      Return (if (place <? N.of_nat most)%N then Some (N.to_nat place) else None)).

Lemma mean_bind_twice {A B C} (p : program A) (f : A -> program B) (h : B -> program C) g :
  mean (bind (bind p f) h) g == mean p (fun a => mean (bind (f a) h) g).
Proof. rewrite mean_bind, mean_bind. apply mean_ext. intros a. now rewrite mean_bind. Qed.

Section Sample.

Context {X Y : Type}.

Variable hold : X -> program Y. (** the state for an input *)
Variable most : nat.

(** brrkit/reporter.py, [Reporter.add]. There, all words of one call are randomized before the
    places are drawn; both are independent. *)
Fixpoint collect (seen : nat) (sample : list Y) (inputs : list X) : program (list Y) :=
  match inputs with
  | [] => Return sample
  | x :: inputs => y <- hold x ;; place <- slot most seen ;; collect (S seen) (put place y sample) inputs
  end.

Fixpoint hold_all (inputs : list X) : program (list Y) :=
  match inputs with
  | [] => Return []
  | x :: inputs => y <- hold x ;; ys <- hold_all inputs ;; Return (y :: ys)
  end.

(** ** Nothing typed is held, but the distribution is the same as if inputs were chosen first *)

Lemma hold_all_cons x inputs g :
  mean (hold_all (x :: inputs)) g ==
  mean (hold x) (fun y => mean (hold_all inputs) (fun ys => g (y :: ys))).
Proof.
  cbn [hold_all]. rewrite mean_bind. apply mean_ext. intros y. rewrite mean_bind. reflexivity.
Qed.

Lemma hold_all_length inputs : releases (fun ys => length ys = length inputs) (hold_all inputs).
Proof.
  induction inputs as [|x inputs IH]; [reflexivity|]. cbn [hold_all].
  apply (releases_bind (fun _ => True)); [|intros y _].
  - generalize (hold x). intros p. induction p; cbn; auto.
  - apply (releases_bind _ _ _ _ IH). intros ys E. cbn. now rewrite E.
Qed.

Hypothesis draws : forall x, draws_exist (hold x).

(** Replaced items don't matter. *)
Lemma hold_all_put place inputs x g :
  mean (hold_all (put place x inputs)) g ==
  mean (hold_all inputs) (fun ys => mean (hold x) (fun y => g (put place y ys))).
Proof.
  destruct place as [place|]; cbn [put].
  2:{ apply mean_ext. intros ys. symmetry. apply (mean_const (hold x) (g ys)), draws. }
  revert place g. induction inputs as [|z inputs IH]; intros place g.
  - destruct place as [|place]; cbn [firstn skipn app]; rewrite hold_all_cons; reflexivity.
  - destruct place as [|place]; cbn [firstn skipn app]; rewrite !hold_all_cons.
    + symmetry. etransitivity; [apply (mean_const (hold z)
        (mean (hold_all inputs) (fun ys => mean (hold x) (fun y => g (y :: ys))))), draws|].
      apply mean_swap.
    + apply mean_ext. intros y. rewrite IH. reflexivity.
Qed.

End Sample.

(** [collect Return] chooses inputs. Then each input in the sample is randomized. *)
Theorem collect_as_chosen {X Y} (hold : X -> program Y) most inputs seen sample g :
  (forall x, draws_exist (hold x)) ->
  mean (hold_all hold sample) (fun ys => mean (collect hold most seen ys inputs) g) ==
  mean (bind (collect Return most seen sample inputs) (hold_all hold)) g.
Proof.
  intros draws. revert seen sample. induction inputs as [|x inputs IH]; intros seen sample; [reflexivity|].
  cbn [collect bind]. rewrite mean_bind.
  rewrite (mean_ext (hold_all hold sample) _ (fun ys => mean (slot most seen) (fun place =>
    mean (hold x) (fun y => mean (collect hold most (S seen) (put place y ys) inputs) g)))).
  - rewrite mean_swap, mean_bind. apply mean_ext. intros place.
    rewrite <- mean_bind, <- IH, hold_all_put by exact draws. reflexivity.
  - intros ys. rewrite mean_bind, (mean_swap (slot most seen)). apply mean_ext. intros y.
    rewrite mean_bind. reflexivity.
Qed.

(** ** The size of the sample *)

Lemma put_length {A} place (y : A) sample :
  length (put place y sample) =
  match place with
  | Some place => S (Nat.min place (length sample) + (length sample - S place))
  | None => length sample
  end%nat.
Proof.
  destruct place as [place|]; [|reflexivity]. cbn [put].
  rewrite app_length, firstn_length. cbn [length]. rewrite skipn_length. lia.
Qed.

Lemma slot_place most seen :
  releases (fun place => match place with
    | Some place => place = seen /\ (seen < most)%nat \/ (most <= seen /\ place < most)%nat
    | None => (most <= seen)%nat
    end) (slot most seen).
Proof.
  unfold slot. destruct (Nat.ltb_spec seen most); [left; auto|]. intros i Hi. cbn.
  destruct (N.ltb_spec i (N.of_nat most)); [right; lia|assumption].
Qed.

Lemma put_slot_length {A} most seen place (y : A) sample :
  match place with
  | Some place => place = seen /\ (seen < most)%nat \/ (most <= seen /\ place < most)%nat
  | None => (most <= seen)%nat
  end -> length sample = Nat.min seen most -> length (put place y sample) = Nat.min (S seen) most.
Proof. intros H E. rewrite put_length, E. destruct place as [place|]; lia. Qed.

(** ** A day of counts *)

Section Day.

Variables one K k : N.
Hypothesis one_positive : (0 < one)%N.
Hypothesis some_symbol : (0 < k)%N.
Variable most : nat. (** m, the setting's words_a_day *)

Let respond := respond one K k.

Definition respond_all : list N -> program (list N) := hold_all respond.

Lemma respond_all_cons x words g :
  mean (respond_all (x :: words)) g ==
  mean (respond x) (fun y => mean (respond_all words) (fun ys => g (y :: ys))).
Proof. apply hold_all_cons. Qed.

(** A day's batch. *)
Definition day (words : list N) : program (list N) := collect respond most 0 [] words.

(** ** The bound *)

Variables a b : N.
Hypothesis keeps : keep_holds one K k a b.
Hypothesis b_positive : (0 < b)%N.

Lemma at_least_one : (0 < b <= a)%N.
Proof.
  destruct keeps as [HK H]. split; [exact b_positive|].
  destruct (N.eq_0_gt_0_cases (one - K)) as [E|Pos].
  - rewrite E in H. assert (0 < k * K)%N by nia. nia.
  - apply (N.mul_le_mono_pos_r _ _ (one - K) Pos). nia.
Qed.

Definition symbols : list N -> Prop := Forall (fun x => (x < k)%N).

(** Independent reports of a sample. *)
Lemma respond_all_loses words words' :
  length words = length words' -> symbols words -> symbols words' ->
  loses (powers a b (length words)) (respond_all words) (respond_all words').
Proof.
  revert words'. induction words as [|x words IH]; intros [|x' words'] L H H'; try discriminate.
  - apply loses_same.
  - inversion_clear H. inversion_clear H'. unfold respond_all. cbn [hold_all length].
    apply loses_more with (ratio a b * powers a b (length words)).
    { apply Qle_lteq. right. pose proof (powers_plus a b at_least_one 1 (length words)) as E.
      unfold powers at 1 in E. cbn [N.of_nat Pos.of_succ_nat] in E. now rewrite !N.pow_1_r in E. }
    apply loses_bind; try apply ratio_nonneg; [now apply respond_loses|].
    intros y. apply loses_after, IH; auto.
Qed.

Lemma put_symbols place x sample : symbols sample -> (x < k)%N -> symbols (put place x sample).
Proof.
  intros H Hx. destruct place as [place|]; [|exact H]. cbn [put].
  assert (forall n, symbols (firstn n sample) /\ symbols (skipn n sample)) as Parts
    by (intros n; apply Forall_app; now rewrite firstn_skipn).
  apply Forall_app. split; [apply Parts|]. constructor; [exact Hx|apply Parts].
Qed.

Lemma chosen_loses words words' seen sample sample' :
  length words = length words' -> symbols words -> symbols words' ->
  length sample = length sample' -> symbols sample -> symbols sample' ->
  length sample = Nat.min seen most ->
  loses (powers a b most) (bind (collect Return most seen sample words) respond_all)
    (bind (collect Return most seen sample' words') respond_all).
Proof.
  revert words' seen sample sample'.
  induction words as [|x words IH]; intros [|x' words'] seen sample sample' Lw Hw Hw' Ls Hs Hs' Fit;
    try discriminate.
  - apply loses_more with (powers a b (length sample)).
    { apply (powers_monotone a b at_least_one). lia. }
    now apply respond_all_loses.
  - inversion_clear Hw. inversion_clear Hw'. cbn [collect bind length] in *.
    intros g Hg. rewrite !mean_bind_twice, <- mean_scale.
    eapply mean_le_on; [apply slot_place|]. intros place Hplace. cbv beta.
    apply IH; auto using put_symbols.
    + now rewrite !put_length, Ls.
    + now apply put_slot_length.
Qed.

(** "Two days of as many words lose at most m*cap, however much they differ." *)
Theorem day_loses words words' :
  length words = length words' -> symbols words -> symbols words' ->
  loses (powers a b most) (day words) (day words').
Proof.
  intros L H H'.
  apply (loses_as _ _ (bind (collect Return most 0 [] words) respond_all) _
    (bind (collect Return most 0 [] words') respond_all)).
  - intros g. apply (collect_as_chosen respond most words 0 []). now apply respond_draws_exist.
  - intros g. apply (collect_as_chosen respond most words' 0 []). now apply respond_draws_exist.
  - apply chosen_loses; auto; constructor.
Qed.

End Day.

(** ** With a memory

    The collected items are second responses to first ones, which a key determines. The
    idealization: a key gives each symbol its own independent response. *)

Section Memory.

Variables one K1 K k : N. (** the thresholds of first and second responses *)
Hypothesis one_positive : (0 < one)%N.
Hypothesis some_symbol : (0 < k)%N.

Definition first_responses : program (N -> N) :=
  ys <- respond_all one K1 k (map N.of_nat (seq 0 (N.to_nat k))) ;;
  Return (fun x => nth (N.to_nat x) ys 0%N).

Lemma respond_all_symbols words : symbols k words -> releases (symbols k) (respond_all one K1 k words).
Proof.
  induction 1 as [|x words Hx _ IH]; [constructor|]. unfold respond_all. cbn [hold_all].
  apply (releases_bind _ _ _ _ (respond_symbol one K1 k x Hx)). intros y Hy.
  apply (releases_bind _ _ _ _ IH). intros ys Hys. now constructor.
Qed.

Lemma first_responses_symbols : releases (fun first => forall x, (first x < k)%N) first_responses.
Proof.
  apply (releases_bind (symbols k)).
  - apply respond_all_symbols, Forall_forall. intros x Hx.
    apply in_map_iff in Hx as (i & <- & Hi). apply in_seq in Hi. lia.
  - intros ys Hys x. unfold symbols in Hys. rewrite Forall_forall in Hys.
    destruct (nth_in_or_default (N.to_nat x) ys 0%N) as [H| ->]; [auto|exact some_symbol].
Qed.

(** "A day in which single places change loses at most m*second_cap": all places may change. *)
Theorem day_with_memory_loses most a b words words' :
  keep_holds one K k a b -> (0 < b)%N -> length words = length words' ->
  loses (powers a b most) (bind first_responses (fun first => day one K k most (map first words)))
    (bind first_responses (fun first => day one K k most (map first words'))).
Proof.
  intros keeps Hb L. apply (loses_given (fun first => forall x, (first x < k)%N)).
  - apply first_responses_symbols.
  - intros first H. apply day_loses; rewrite ?map_length; auto; apply Forall_forall; intros y Hy;
      apply in_map_iff in Hy as (x & <- & _); apply H.
Qed.

End Memory.
