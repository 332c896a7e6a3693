(** The checker: whether a runtime's integers satisfy the theorems' premises.

    Booleans, extracted to the program that [brr verify --proof] runs. [Guarantee.v] proves their
    consequences. *)

From Coq Require Import Arith Bool Lia List NArith.
From Brrkit Require Import Sums Hamming Weights Exponential Brr Counts ExpBounds.
Import ListNotations.
Open Scope N_scope.

(** The conditions that a setting can fail. *)
Inductive premise :=
  | Fraction_defined (** epsilon and the cap have denominators *)
  | Table_complete (** a weight for each distance; a number of symbols that 8 bytes can draw *)
  | Weights_positive
  | Weights_decreasing
  | Steps_hold (** no step loses more than epsilon/2 *)
  | Cap_holds (** no weight is below e^(-cap/2) times the first one *)
  | Masses_positive
  | Total_fits (** the first weight is the quotient of 2^63 - 1 and the masses' sum *)
  | Threshold_holds
  | Keep_holds
  | Coin_holds. (** not all of its numbers pass a word *)

Definition failed (checks : list (premise * bool)) : list premise :=
  map fst (filter (fun c => negb (snd c)) checks).

Lemma failed_none checks : failed checks = [] -> forall p holds, In (p, holds) checks -> holds = true.
Proof.
  unfold failed. intros H p holds Hin. destruct holds; [reflexivity|].
  assert (In p (map fst (filter (fun c => negb (snd c)) checks))) as Hp.
  { apply in_map_iff. exists (p, false). split; [reflexivity|]. now apply filter_In. }
  rewrite H in Hp. destruct Hp.
Qed.

(** A number as a numerator and a denominator: the exact value of an IEEE double. *)
Definition fraction := (N * N)%type.

(** The denominator of bounds on e^x is 2^256. *)
Definition one : N := 2 ^ 256.
Definition bound (x : fraction) : N := exp_low one (fst x) (snd x).
Definition half (x : fraction) : fraction := (fst x, 2 * snd x).

Lemma bound_at_least_one x : one <= bound x.
Proof.
  assert (one_positive : 0 < one) by (apply N.neq_0_lt_0, N.pow_nonzero; lia).
  assert (forall terms reduced index, one <= series_low terms one reduced one index) as Series.
  { intros [|terms] reduced index; cbn [series_low]; lia. }
  assert (forall times low, one <= low -> one <= square_low times one low) as Square.
  { induction times as [|times IH]; intros low H; [exact H|]. cbn [square_low]. apply IH.
    apply N.div_le_lower_bound; nia. }
  apply Square, Series.
Qed.

(** ** exponential *)

Record exponential_setting := {
  epsilon : fraction;
  cap : option fraction;
  own_size : N; (** bits of a word *)
  task_size : N; (** task bits *)
  task_weight : N;
  weights : list N; (** W, as the runtime computes it *)
  masses : list N; (** a byte for each word, by id *)
  gains : list (N * list (N * N)) (** for a previous word: the words after it, with a byte each *)
}.

(** The integer for a byte: [LEVELS] in brrkit/masses.py. *)
Definition level (v : N) : N := if v <? 16 then v else (8 + v mod 8) * 2 ^ (v / 8 - 1).

(** A sum that needs no stack, for vocabularies of millions. *)
Definition add_up {A} (f : A -> N) (l : list A) : N := fold_left (fun s x => s + f x) l 0.

Definition gained (after : list (N * N)) : N := add_up (fun p => level (snd p)) after.

(** The upper bound on the base measure's sum: [Masses.most]. *)
Definition total (s : exponential_setting) : N :=
  add_up level (masses s) + fold_left (fun most g => N.max most (gained (snd g))) (gains s) 0.

Definition exponential_checks (s : exponential_setting) : list (premise * bool) :=
  let W := weights s in
  [(Fraction_defined, (0 <? snd (epsilon s)) &&
      match cap s with Some c => 0 <? snd c | None => true end);
   (Table_complete, N.of_nat (last_index W) =? own_size s + task_weight s * task_size s);
   (Weights_positive, positiveb W);
   (Weights_decreasing, decreasingb W);
   (Steps_hold, steps_holdb W (bound (half (epsilon s))) one);
   (Cap_holds, match cap s with Some c => cap_holdsb W (bound (half c)) one | None => true end);
   (Masses_positive,
      match masses s with [] => false | bytes => forallb (fun v => 0 <? v) bytes end);
   (Total_fits, weight W 0 =? (2 ^ 63 - 1) / total s)].

Definition exponential_failed (s : exponential_setting) : list premise :=
  failed (exponential_checks s).

(** ** brr and vickrey *)

Record flip_setting := { flip_epsilon : fraction; flip_threshold : N }.

Definition flip_failed (s : flip_setting) : list premise :=
  failed
    [(Fraction_defined, 0 <? snd (flip_epsilon s));
     (Threshold_holds, threshold_holdsb (2 ^ 32) (flip_threshold s) (bound (flip_epsilon s)) one)].

(** ** Counts *)

Record counts_setting := { counts_cap : fraction; symbols : N; keep : N }.

Definition counts_failed (s : counts_setting) : list premise :=
  failed
    [(Fraction_defined, 0 <? snd (counts_cap s));
     (Table_complete, (0 <? symbols s) && (symbols s <=? 2 ^ 63));
     (Keep_holds, keep_holdsb (2 ^ 63) (keep s) (symbols s) (bound (counts_cap s)) one)].

(** ** Passing words *)

Record passing_setting := { pass_threshold : N }.

Definition passing_failed (s : passing_setting) : list premise :=
  failed [(Coin_holds, pass_threshold s <? 2 ^ 63)].

(** ** The meaning of no failed premise, in integers *)

Section Exponential.

Variable s : exponential_setting.
Hypothesis none : exponential_failed s = [].

Let holds p b := failed_none (exponential_checks s) none p b.

(** Words are ids. *)
Definition words : list nat := seq 0 (length (masses s)).

(** The words after the previously released word: [Masses.following]. *)
Definition following (before : option nat) : list (N * N) :=
  match before with
  | None => []
  | Some b =>
      match find (fun g => fst g =? N.of_nat b) (gains s) with
      | Some g => snd g
      | None => []
      end
  end.

(** The base measure: [Exponential.measure]. Without gains, it is that of [unigram]; with bytes of
    1, that of [uniform]. *)
Definition mass (before : option nat) (y : nat) : N :=
  level (nth y (masses s) 0) +
  sum (fun p => if fst p =? N.of_nat y then level (snd p) else 0) (following before).

Lemma level_positive v : 0 < v -> 0 < level v.
Proof.
  intros H. unfold level. destruct (N.ltb_spec v 16); [exact H|].
  apply N.mul_pos_pos; [now apply N.add_pos_l|apply N.neq_0_lt_0, N.pow_nonzero; lia].
Qed.

Lemma checked_denominators :
  0 < snd (epsilon s) /\ forall c, cap s = Some c -> 0 < snd c.
Proof.
  assert (H := holds Fraction_defined _ ltac:(cbn; auto)). apply andb_true_iff in H as [He Hc].
  split; [now apply N.ltb_lt|]. intros c E. rewrite E in Hc. now apply N.ltb_lt.
Qed.

Lemma checked_table :
  last_index (weights s) =
  (N.to_nat (own_size s) + N.to_nat (task_weight s) * N.to_nat (task_size s))%nat.
Proof.
  assert (H := holds Table_complete _ ltac:(cbn; auto)). apply N.eqb_eq in H. lia.
Qed.

Lemma checked_positive : positive (weights s).
Proof. apply positiveb_spec, (holds Weights_positive). cbn. auto. Qed.

Lemma checked_decreasing : decreasing (weights s).
Proof. apply decreasingb_spec, (holds Weights_decreasing). cbn. auto. Qed.

Lemma checked_steps : steps_hold (weights s) (bound (half (epsilon s))) one.
Proof. apply steps_holdb_spec, (holds Steps_hold). cbn. auto 6. Qed.

Lemma checked_cap c : cap s = Some c -> cap_holds (weights s) (bound (half c)) one.
Proof.
  intros E. assert (H := holds Cap_holds _ ltac:(cbn; auto 7)). rewrite E in H.
  apply cap_holdsb_spec; [apply checked_positive|exact H].
Qed.

Lemma checked_words : words <> [].
Proof.
  assert (H := holds Masses_positive _ ltac:(cbn; auto 8)). unfold words.
  destruct (masses s); [discriminate|easy].
Qed.

Lemma checked_masses h y : In y words -> 0 < mass h y.
Proof.
  assert (H := holds Masses_positive _ ltac:(cbn; auto 8)). intros Hy. apply in_seq in Hy.
  enough (0 < level (nth y (masses s) 0)) by (unfold mass; lia).
  destruct (masses s) as [|v bytes]; [discriminate|].
  change (forallb (fun v => 0 <? v) (v :: bytes) = true) in H. rewrite forallb_forall in H.
  apply level_positive, N.ltb_lt, H, nth_In. lia.
Qed.

Lemma sum_bytes (f : N -> N) l start :
  sum (fun y => f (nth (y - start) l 0)) (seq start (length l)) = sum f l.
Proof.
  revert start. induction l as [|v l IH]; intros start; [reflexivity|].
  cbn [length seq sum fold_right]. rewrite Nat.sub_diag. cbn [nth]. f_equal.
  fold (sum f l). rewrite <- (IH (S start)). apply sum_ext. intros y Hy. apply in_seq in Hy.
  now replace (y - start)%nat with (S (y - S start)) by lia.
Qed.

Lemma sum_plus {A} (f g : A -> N) l : sum (fun x => f x + g x) l = sum f l + sum g l.
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite IH. unfold sum. lia. Qed.

Lemma add_up_sum {A} (f : A -> N) l : add_up f l = sum f l.
Proof.
  assert (forall k, fold_left (fun s x => s + f x) l k = k + sum f l) as H.
  { induction l as [|x l IH]; intros k; cbn [fold_left sum fold_right]; [lia|].
    rewrite IH. unfold sum. lia. }
  unfold add_up. now rewrite H.
Qed.

(** A pair adds to at most one word. *)
Lemma sum_pair after n start :
  sum (fun y => sum (fun p => if fst p =? N.of_nat y then level (snd p) else 0) after) (seq start n)
  <= gained after.
Proof.
  unfold gained. rewrite add_up_sum.
  induction after as [|p after IH]; [cbn; now rewrite sum_zero|]. cbn [sum fold_right].
  fold (sum (fun p => level (snd p)) after). rewrite sum_plus.
  apply N.add_le_mono; [clear IH|exact IH].
  revert start. induction n as [|n IH]; intros start; cbn [seq sum fold_right]; [lia|].
  specialize (IH (S start)). unfold sum in IH. destruct (N.eqb_spec (fst p) (N.of_nat start)) as [E|E].
  - rewrite E. enough (sum (fun y => if N.of_nat start =? N.of_nat y then level (snd p) else 0)
      (seq (S start) n) = 0) as H by (unfold sum in H; rewrite H; lia).
    rewrite (sum_ext _ (fun _ => 0)); [apply sum_zero|]. intros y Hy. apply in_seq in Hy.
    destruct (N.eqb_spec (N.of_nat start) (N.of_nat y)); lia.
  - exact IH.
Qed.

Lemma checked_total h : sum (mass h) words <= total s.
Proof.
  unfold mass. rewrite sum_plus. unfold total. apply N.add_le_mono.
  - rewrite add_up_sum, <- (sum_bytes level (masses s) 0). unfold words. apply N.eq_le_incl, sum_ext.
    intros y _. now rewrite Nat.sub_0_r.
  - eapply N.le_trans; [apply sum_pair|]. unfold following.
    destruct h as [b|]; [|cbn; lia]. generalize (gains s). intros groups.
    assert (forall l m, m <= fold_left (fun most (g : N * list (N * N)) =>
      N.max most (gained (snd g))) l m) as Grows.
    { induction l as [|g l IH]; intros m; cbn [fold_left]; [lia|].
      etransitivity; [|apply IH]. lia. }
    generalize 0. induction groups as [|g groups IH]; intros m; cbn [find fold_left]; [cbn; lia|].
    destruct (fst g =? N.of_nat b); [|apply IH]. etransitivity; [|apply Grows]. lia.
Qed.

Lemma checked_first : weight (weights s) 0 = (2 ^ 63 - 1) / total s.
Proof. apply N.eqb_eq, (holds Total_fits). cbn. auto 10. Qed.

End Exponential.
