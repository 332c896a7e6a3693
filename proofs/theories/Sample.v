(** A day's reports: a uniform sample of at most m of the day's words, each randomized before it is
    chosen. docs/explanation/proofs.md, "Counts", "A person's day". *)

From Coq Require Import Arith Lia List Lqa NArith QArith.
From Brrkit Require Import Probability Ranges Program Counts.
Import ListNotations.
Open Scope Q_scope.

(** [sample[place] = released] *)
Fixpoint replace {A} (place : nat) (y : A) (sample : list A) : list A :=
  match sample, place with
  | [], _ => []
  | _ :: rest, O => y :: rest
  | z :: rest, S place => z :: replace place y rest
  end.

Lemma replace_length {A} place (y : A) sample : length (replace place y sample) = length sample.
Proof. revert place. induction sample; intros [|place]; simpl; auto. Qed.

Section Sample.

Variables one K k : N.
Hypothesis one_positive : (0 < one)%N.
Hypothesis some_symbol : (0 < k)%N.
Variable most : nat. (** m, the setting's words_a_day *)

Let respond := respond one K k.

(** [seen] words came before. Reservoir sampling: brrkit/reporter.py, [Reporter.add]. There the words
    of one call are all randomized before the places are drawn; both are independent. *)
Fixpoint collect (seen : nat) (sample : list N) (words : list N) : program (list N) :=
  match words with
  | [] => Return sample
  | x :: words =>
      released <- respond x ;;
      if (length sample <? most)%nat then collect (S seen) (sample ++ [released]) words
      else
        Uniform (N.of_nat (S seen)) (fun place =>
          collect (S seen)
            (if (place <? N.of_nat most)%N then replace (N.to_nat place) released sample
             else sample) words)
  end.

(** A day's batch. *)
Definition day (words : list N) : program (list N) := collect 0 [] words.

(** The same if the words had been chosen first, and then each of the sample randomized. *)
Fixpoint choose (seen : nat) (sample : list N) (words : list N) : program (list N) :=
  match words with
  | [] => Return sample
  | x :: words =>
      if (length sample <? most)%nat then choose (S seen) (sample ++ [x]) words
      else
        Uniform (N.of_nat (S seen)) (fun place =>
          choose (S seen)
            (if (place <? N.of_nat most)%N then replace (N.to_nat place) x sample else sample) words)
  end.

Fixpoint respond_all (words : list N) : program (list N) :=
  match words with
  | [] => Return []
  | x :: words => y <- respond x ;; ys <- respond_all words ;; Return (y :: ys)
  end.

(** ** Nothing typed is held, and yet it is as if the words had been chosen first *)

Lemma respond_all_cons x words g :
  mean (respond_all (x :: words)) g ==
  mean (respond x) (fun y => mean (respond_all words) (fun ys => g (y :: ys))).
Proof.
  cbn [respond_all]. rewrite mean_bind. apply mean_ext. intros y. rewrite mean_bind. reflexivity.
Qed.

Lemma respond_all_length words : releases (fun ys => length ys = length words) (respond_all words).
Proof.
  induction words as [|x words IH]; [reflexivity|]. cbn [respond_all].
  apply (releases_bind (fun _ => True)); [intros i _ j _; exact I|]. intros y _.
  apply (releases_bind _ _ _ _ IH). intros ys E. cbn. now rewrite E.
Qed.

Lemma respond_all_last words x g :
  mean (respond_all (words ++ [x])) g ==
  mean (respond_all words) (fun ys => mean (respond x) (fun y => g (ys ++ [y]))).
Proof.
  revert g. induction words as [|z words IH]; intros g.
  - cbn [app]. rewrite respond_all_cons. reflexivity.
  - cbn [app]. rewrite !respond_all_cons. apply mean_ext. intros y. rewrite IH. reflexivity.
Qed.

Lemma respond_const x c : mean (respond x) (fun _ => c) == c.
Proof. apply mean_const. now apply respond_draws_exist. Qed.

(** What was replaced doesn't matter. *)
Lemma respond_all_replace place words x g :
  mean (respond_all (replace place x words)) g ==
  mean (respond_all words) (fun ys => mean (respond x) (fun y => g (replace place y ys))).
Proof.
  revert place g. induction words as [|z words IH]; intros place g.
  - destruct place; symmetry; exact (respond_const x (g [])).
  - destruct place as [|place]; cbn [replace]; rewrite !respond_all_cons.
    + rewrite (respond_const z (mean (respond_all words)
        (fun ys => mean (respond x) (fun y => g (y :: ys))))).
      apply mean_swap.
    + apply mean_ext. intros y. rewrite IH. reflexivity.
Qed.

Lemma mean_uniform {A} b (next : N -> program A) g :
  mean (Uniform b next) g == mean (uniform_integer b) (fun i => mean (next i) g).
Proof. reflexivity. Qed.

Theorem collect_as_chosen words seen sample g :
  mean (respond_all sample) (fun ys => mean (collect seen ys words) g) ==
  mean (bind (choose seen sample words) respond_all) g.
Proof.
  revert seen sample. induction words as [|x words IH]; intros seen sample; [reflexivity|].
  cbn [collect choose].
  rewrite (mean_ext_on _ _ _ (fun ys => mean (respond x) (fun y =>
    mean (if (length sample <? most)%nat then collect (S seen) (ys ++ [y]) words
      else Uniform (N.of_nat (S seen)) (fun place => collect (S seen)
        (if (place <? N.of_nat most)%N then replace (N.to_nat place) y ys else ys) words)) g))
    (respond_all_length sample)) by (intros ys ->; rewrite mean_bind; reflexivity).
  destruct (length sample <? most)%nat.
  - rewrite <- IH, respond_all_last. reflexivity.
  - cbn [bind]. rewrite mean_uniform.
    rewrite (mean_ext (respond_all sample) _ (fun ys => mean (uniform_integer (N.of_nat (S seen)))
      (fun place => mean (respond x) (fun y => mean (collect (S seen)
        (if (place <? N.of_nat most)%N then replace (N.to_nat place) y ys else ys) words) g))))
      by (intros ys; apply (mean_swap (respond x) (uniform_integer (N.of_nat (S seen))))).
    rewrite mean_swap. apply mean_ext. intros place. rewrite <- IH.
    destruct (place <? N.of_nat most)%N.
    + rewrite respond_all_replace. reflexivity.
    + apply mean_ext. intros ys. apply respond_const.
Qed.

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
  - inversion_clear H. inversion_clear H'. cbn [respond_all length].
    apply loses_more with (ratio a b * powers a b (length words)).
    { apply Qle_lteq. right. pose proof (powers_plus a b at_least_one 1 (length words)) as E.
      unfold powers at 1 in E. cbn [N.of_nat Pos.of_succ_nat] in E. now rewrite !N.pow_1_r in E. }
    apply loses_bind; try apply ratio_nonneg; [now apply respond_loses|].
    intros y. apply loses_after, IH; auto.
Qed.

Lemma replace_symbols place x sample : symbols sample -> (x < k)%N -> symbols (replace place x sample).
Proof.
  intros H Hx. revert place. induction H; intros [|place]; cbn; constructor; auto. apply IHForall.
Qed.

Lemma chosen_loses words words' seen sample sample' :
  length words = length words' -> symbols words -> symbols words' ->
  length sample = length sample' -> symbols sample -> symbols sample' ->
  (length sample <= most)%nat ->
  loses (powers a b most) (bind (choose seen sample words) respond_all)
    (bind (choose seen sample' words') respond_all).
Proof.
  revert words' seen sample sample'.
  induction words as [|x words IH]; intros [|x' words'] seen sample sample' Lw Hw Hw' Ls Hs Hs' Fit;
    try discriminate.
  - apply loses_more with (powers a b (length sample)); [now apply (powers_monotone a b at_least_one)|].
    now apply respond_all_loses.
  - inversion_clear Hw. inversion_clear Hw'. cbn [choose length] in *. rewrite <- Ls.
    destruct (Nat.ltb_spec (length sample) most).
    + apply IH; rewrite ?app_length; cbn; auto; try lia; apply Forall_app; auto.
    + cbn [bind]. intros g Hg. cbn [mean].
      setoid_replace (powers a b most *
        (range_sum (N.of_nat (S seen)) (fun i => mean (bind (choose (S seen)
          (if (i <? N.of_nat most)%N then replace (N.to_nat i) x' sample' else sample') words')
          respond_all) g) / of_N (N.of_nat (S seen))))
        with (range_sum (N.of_nat (S seen)) (fun i => powers a b most * mean (bind (choose (S seen)
          (if (i <? N.of_nat most)%N then replace (N.to_nat i) x' sample' else sample') words')
          respond_all) g) / of_N (N.of_nat (S seen)))
        by (rewrite range_scale; unfold Qdiv; ring).
      apply Qmult_le_compat_r; [|apply inverse_nonneg]. apply range_le. intros i _.
      apply IH; auto; destruct (i <? N.of_nat most)%N;
        rewrite ?replace_length; auto using replace_symbols.
Qed.

(** "Two days of as many words lose at most m*cap, however much they differ." *)
Theorem day_loses words words' :
  length words = length words' -> symbols words -> symbols words' ->
  loses (powers a b most) (day words) (day words').
Proof.
  intros L H H'.
  apply (loses_as _ _ (bind (choose 0 [] words) respond_all) _
    (bind (choose 0 [] words') respond_all));
    [intros g; apply (collect_as_chosen words 0 [])|intros g; apply (collect_as_chosen words' 0 [])|].
  apply chosen_loses; auto; try constructor. cbn. lia.
Qed.

End Sample.

(** ** With a memory

    What is collected are second responses to first ones, which a key fixes. The idealization: a key
    gives each symbol a response of its own. *)

Section Memory.

Variables one K1 K k : N. (** the thresholds of first and second responses *)
Hypothesis one_positive : (0 < one)%N.
Hypothesis some_symbol : (0 < k)%N.

Definition first_responses : program (N -> N) :=
  ys <- respond_all one K1 k (map N.of_nat (seq 0 (N.to_nat k))) ;;
  Return (fun x => nth (N.to_nat x) ys 0%N).

Lemma respond_all_symbols words : symbols k words -> releases (symbols k) (respond_all one K1 k words).
Proof.
  induction 1 as [|x words Hx _ IH]; [constructor|]. cbn [respond_all].
  apply (releases_bind _ _ _ _ (respond_symbol one K1 k x Hx)). intros y Hy.
  apply (releases_bind _ _ _ _ IH). intros ys Hys. now constructor.
Qed.

(** "A day in which single places change loses at most m*second_cap": all places may change. *)
Theorem day_with_memory_loses most a b words words' :
  keep_holds one K k a b -> (0 < b)%N -> length words = length words' ->
  loses (powers a b most) (bind first_responses (fun first => day one K k most (map first words)))
    (bind first_responses (fun first => day one K k most (map first words'))).
Proof.
  intros keeps Hb L. apply (loses_given (fun first => forall x, (first x < k)%N)).
  - apply (releases_bind (symbols k)).
    + apply respond_all_symbols, Forall_forall. intros x Hx.
      apply in_map_iff in Hx as (i & <- & Hi). apply in_seq in Hi. lia.
    + intros ys Hys x. unfold symbols in Hys. rewrite Forall_forall in Hys.
      destruct (nth_in_or_default (N.to_nat x) ys 0%N) as [H| ->]; [auto|exact some_symbol].
  - intros first H. apply day_loses; rewrite ?map_length; auto; apply Forall_forall; intros y Hy;
      apply in_map_iff in Hy as (x & <- & _); apply H.
Qed.

End Memory.
