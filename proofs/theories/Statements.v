(** What is proven, with all definitions written out: for readers who know Coq and have not seen the other
    theories. Inductive types are quoted in comments, with the file that has them. The proofs here only point
    to the theorems behind them, so a weaker theorem does not fit. *)

From Coq Require Import Arith Bool List NArith Permutation QArith Qreals Reals.
From Brrkit Require Sums Probability Postprocessing Ranges Program Hamming Weights Exponential Text Brr Draw Counts Sample
  Passing ExpBounds Checker Guarantee Certified Period Budget Device BudgetTime Policy Coupling Life LifeLoss
  DeviceGuarantee ShuffledDelta ShuffledGuarantee.
Import ListNotations.
#[local] Transparent Ranges.range_sum.

(** * 1. Probability

<<Program.v
Inductive program (A : Type) : Type :=
| Return (a : A)
| Uniform (bound : N) (next : N -> program A).
>>
    A program draws integers, each uniform below a bound, and then returns a value. *)

Notation program := Program.program.
Notation Return := Program.Return.
Notation Uniform := Program.Uniform.

Fixpoint bind {A B} (p : program A) (f : A -> program B) : program B :=
  match p with
  | Program.Return a => f a
  | Program.Uniform b next => Uniform b (fun i => bind (next i) f)
  end.
Notation "x <- p ;; q" := (bind p (fun x => q)) (at level 61, p at next level, right associativity).

(** f 0 + ... + f (n - 1), and its mean over all draws of a program. *)
Definition sum_below (n : N) (f : N -> Q) : Q := N.peano_rect (fun _ => Q) 0%Q (fun i s => s + f i)%Q n.

Fixpoint mean {A} (p : program A) (g : A -> Q) : Q :=
  match p with
  | Program.Return a => g a
  | Program.Uniform b next =>
      (sum_below b (fun i => mean (next i) g) / inject_Z (Z.of_N b))%Q
  end.

(** The probability that the returned value is in a set. *)
Definition Pr {A} (p : program A) (set : A -> bool) : R := Q2R (mean p (fun a => if set a then 1 else 0)%Q).

Definition number (n : N) : R := IZR (Z.of_N n).

(** * 2. A word *)

(** Codes are lists of bits. Task bits count [weight] times.
<<Hamming.v
Record code := Code { own_bits : list bool; task_bits : list bool }.
>> *)
Notation code := Hamming.code.

Fixpoint hamming (c c' : list bool) : nat :=
  match c, c' with
  | b :: rest, b' :: rest' => (if eqb b b' then 0 else 1) + hamming rest rest'
  | [], _ => length c'
  | _, [] => length c
  end.

Definition distance (weight : nat) (c c' : code) : nat :=
  hamming (Hamming.own_bits c) (Hamming.own_bits c') +
  weight * hamming (Hamming.task_bits c) (Hamming.task_bits c').

Section Word.

Context {Word History : Type}.
Variables (vocabulary : list Word) (code_of : Word -> code) (weight : nat) (W : list N).
Variable mass : History -> Word -> N. (** after the earlier releases *)

Definition sum {A} (f : A -> N) (l : list A) : N := fold_right (fun x s => f x + s)%N 0%N l.

(** The first element of a list at which the sum of sizes exceeds a number. *)
Fixpoint pick {A} (size : A -> N) (l : list A) (number : N) : option A :=
  match l with
  | [] => None
  | x :: rest => if (number <? size x)%N then Some x else pick size rest (number - size x)
  end.

Definition at_distance (c : code) (d : nat) : list Word :=
  filter (fun y => distance weight c (code_of y) =? d)%nat vocabulary.

(** First a distance is drawn, then a word. *)
Definition draw (h : History) (c : code) : program (option Word) :=
  let size d := (sum (mass h) (at_distance c d) * nth d W 0)%N in
  Uniform (sum size (seq 0 (length W))) (fun number =>
    match pick size (seq 0 (length W)) number with
    | None => Return None
    | Some d =>
        Uniform (sum (mass h) (at_distance c d)) (fun number =>
          Return (pick (mass h) (at_distance c d) number))
    end).

Definition of_size (n t : nat) (c : code) : Prop :=
  length (Hamming.own_bits c) = n /\ length (Hamming.task_bits c) = t.

(** "M is (epsilon d)-private on all codes." *)
Theorem a_word (n t : nat) (a b : N) (epsilon : R) :
  vocabulary <> [] -> (forall y, In y vocabulary -> of_size n t (code_of y)) ->
  (forall h y, In y vocabulary -> (0 < mass h y)%N) ->
  length W = S (n + weight * t) ->
  (forall d, (d <= n + weight * t)%nat -> (0 < nth d W 0)%N) ->
  (forall d, (d < n + weight * t)%nat -> (nth (S d) W 0 <= nth d W 0)%N) ->
  (forall d, (d < n + weight * t)%nat -> (nth d W 0 * b <= nth (S d) W 0 * a)%N) ->
  (0 < b <= a)%N -> (number a / number b <= exp (epsilon / 2))%R ->
  forall h c c' set, of_size n t c -> of_size n t c' ->
  (Pr (draw h c) set <= exp (epsilon * INR (distance weight c c')) * Pr (draw h c') set)%R.
Proof.
  intros some sizes masses full positive falls steps ab step h c c' set Hc Hc'.
  assert (last : Weights.last_index W = (n + weight * t)%nat) by (unfold Weights.last_index; now rewrite full).
  assert (fits : Exponential.fits vocabulary code_of weight W n t) by (split; assumption).
  assert (pos : Weights.positive W).
  { split; [intros E; rewrite E in full; discriminate|]. intros d Hd. apply positive. now rewrite <- last. }
  apply (Guarantee.private_of_loses (Exponential.loss a b (distance weight c c'))).
  - apply (Draw.draw_loses _ _ _ _ _ n t fits pos); try assumption.
    apply (Exponential.exponential_bounded _ _ _ _ _ n t fits); try assumption;
      intros d Hd; rewrite last in Hd; [now apply falls|now apply steps].
  - unfold Exponential.loss, Probability.powers.
    assert (forall k, (0 < b ^ k)%N) as P by (intros k; apply N.neq_0_lt_0, N.pow_nonzero; now destruct b).
    rewrite Guarantee.Q2R_ratio by apply P. rewrite !ExpBounds.real_pow.
    assert (0 < ExpBounds.real b)%R by (apply ExpBounds.real_pos, ab).
    unfold Rdiv. rewrite <- pow_inv, <- Rpow_mult_distr.
    replace (epsilon * INR (distance weight c c'))%R
      with (INR (2 * distance weight c c') * (epsilon / 2))%R
      by (rewrite mult_INR; change (INR 2) with 2%R; field).
    rewrite ExpBounds.exp_times. apply pow_incr. split; [|exact step].
    apply Rmult_le_pos; [apply ExpBounds.real_nonneg|]. left. now apply Rinv_0_lt_compat.
Qed.

End Word.

(** * 3. A day's counts *)

(** A symbol is kept if a number below [one] is below [keep], and otherwise any symbol is drawn. *)
Definition respond (one keep symbols : N) (x : N) : program N :=
  Uniform one (fun number =>
    Uniform symbols (fun drawn => Return (if (number <? keep)%N then x else drawn))).

(** The place of the next item in a sample of [most], if any, after [seen] others. *)
Definition slot (most seen : nat) : program (option nat) :=
  if (seen <? most)%nat then Return (Some seen)
  else
    Uniform (N.of_nat (S seen)) (fun place =>
      Return (if (place <? N.of_nat most)%N then Some (N.to_nat place) else None)).

Definition put {A} (place : option nat) (y : A) (sample : list A) : list A :=
  match place with
  | Some place => firstn place sample ++ y :: skipn (S place) sample
  | None => sample
  end.

Section Sample.

Context {X Y : Type}.
Variable hold : X -> program Y.
Variable most : nat.

(** Each is randomized by [hold], then sampled. *)
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

End Sample.

(** "Two days of as many words lose at most m*cap, however much they differ." *)
Theorem a_day_of_counts (one keep symbols a b : N) (cap : R) (most : nat) :
  (0 < one)%N -> (0 < symbols)%N -> (keep <= one)%N -> (0 < b)%N ->
  ((one - keep + symbols * keep) * b <= a * (one - keep))%N -> (number a / number b <= exp cap)%R ->
  forall words words' set, length words = length words' ->
  Forall (fun x => (x < symbols)%N) words -> Forall (fun x => (x < symbols)%N) words' ->
  let day words := collect (respond one keep symbols) most 0 [] words in
  (Pr (day words) set <= exp (INR most * cap) * Pr (day words') set)%R.
Proof.
  intros Hone Hsymbols Hkeep Hb Hab Hcap words words' set L Hw Hw'.
  apply (Guarantee.private_of_loses (Probability.powers a b most)).
  - exact (Sample.day_loses one keep symbols Hone Hsymbols most a b (conj Hkeep Hab) Hb words words' L Hw Hw').
  - unfold Probability.powers.
    assert (0 < b ^ N.of_nat most)%N as P by (apply N.neq_0_lt_0, N.pow_nonzero; now destruct b).
    rewrite Guarantee.Q2R_ratio by exact P. rewrite !ExpBounds.real_pow, ExpBounds.exp_times. unfold Rdiv.
    rewrite <- pow_inv, <- Rpow_mult_distr. apply pow_incr. split; [|exact Hcap].
    apply Rmult_le_pos; [apply ExpBounds.real_nonneg|]. left. now apply Rinv_0_lt_compat, ExpBounds.real_pos.
Qed.

(** ** Shuffled reports

    If the order of reports is hidden, the difference between [own] and [own'] is bounded with a
    delta: an integer in parts of [unit], which the definitions in ShuffledDelta.v compute, rounded
    up. *)
Theorem a_shuffle (one keep symbols numerator denominator exponent_unit stop unit : N) own own' others :
  (0 < keep < one)%N -> (2 <= symbols)%N ->
  (0 < denominator)%N -> (0 < exponent_unit)%N -> (0 < unit)%N -> length own = length own' ->
  Forall (fun x => (x < symbols)%N) own -> Forall (fun x => (x < symbols)%N) own' ->
  let epsilon := (number numerator / number denominator)%R in
  let delta := ShuffledDelta.delta_high one keep symbols (N.of_nat (length (own ++ others)))
    (length own) numerator denominator exponent_unit stop unit in
  let reports words := hold_all (respond one keep symbols) words in
  forall set, (forall ys ys', Permutation ys ys' -> set ys = set ys') ->
  (Pr (reports (own ++ others)) set <=
    exp (INR (length own) * epsilon) * Pr (reports (own' ++ others)) set + number delta / number unit)%R.
Proof.
  intros HK Hk Hd He Hu L H H' epsilon delta reports set Order.
  apply (ShuffledGuarantee.shuffled_guarantee one keep symbols _ own own' others numerator denominator
    exponent_unit stop unit (fun ys => if set ys then 1 else 0)%Q); try assumption; try reflexivity.
  - intros ys ys' P. now rewrite (Order ys ys' P).
  - intros ys. destruct (set ys); split; discriminate.
Qed.

(** * 4. A budget

<<Period.v
Record instant := Instant { wall : N; uptime : N; run : N }.
>>
<<Device.v
Record device := Device {
  clock : instant;
  file : option state;
  objects : list (option lease);
  in_run : bool;
  time : N;
  written : N;
  restarts : N;
  starts : N;
  here : N;
  before : N
}.

Inductive step : device -> device -> Prop :=
| (* Time passes; the wall clock can show anything. *)
  passes c f o i t w r n h b ms wall' :
    step (Device c f o i t w r n h b)
         (Device (Instant wall' (uptime c + ms) (run c)) f o i (t + ms) w r n h b)
| (* The device is off for a time and starts again: no process is left. *)
  restarts_device c f o i t w r n h b ms wall' run' :
    step (Device c f o i t w r n h b) (Device (Instant wall' 0 run') f [] false (t + ms) w (r + 1) n h b)
| (* An object is made, or a process forks: it has no lease. *)
  opens c f o i t w r n h b :
    step (Device c f o i t w r n h b) (Device c f (None :: o) i t w r n h b)
| (* A process ends, or an object is forgotten. *)
  ends c f o o' m i t w r n h b :
    step (Device c f (o ++ m :: o') i t w r n h b) (Device c f (o ++ o') i t w r n h b)
| (* A look that notices a restart in a running period is stored. *)
  looks c s o i t w r n h b s' :
    is_of (period_of s) c = false ->
    look (Some s) c = (s', false) ->
    step (Device c (Some s) o i t w r n h b) (Device c (Some s') o true t t r n h b)
| (* A release that the lease allows. *)
  spends_lease c f o l o' i t w r n h b cost unit :
    allows l cost unit c = true ->
    step (Device c f (o ++ Some l :: o') i t w r n h b)
         (Device c f (o ++ Some (release l cost) :: o') i t w r n (h + cost) b)
| (* A release that stores: in a new period, or not. *)
  spends_stored c f o mine o' i t w r n h b cost each unit s new f' l' :
    unit <> 0 ->
    look f c = (s, new) ->
    spend_stored f mine c cost each unit = Some (f', l') ->
    step (Device c f (o ++ mine :: o') i t w r n h b)
         (Device c f' (o ++ Some l' :: o') true t t r
            (if new then n + 1 else n) (if new then cost else h + cost) (if new then b + h else b)).

Inductive steps (ok : device -> Prop) : device -> device -> Prop :=
| no_steps d : steps ok d d
| more_steps d d' d'' : steps ok d d' -> ok d' -> step d' d'' -> steps ok d d''.
>>
    [look], [allows], [release] and [spend_stored] are the code of the budget, in Budget.v. *)

(** ** Its releases in a time *)

Notation device := Device.device.
Notation steps := Device.steps.
Notation time := Device.time.
Notation restarts := Device.restarts.

(** Before the first release. *)
Definition fresh (d : device) : Prop :=
  Device.file d = None /\ Device.objects d = [] /\ Device.in_run d = false /\
  Device.starts d = 0%N /\ Device.here d = 0%N /\ Device.before d = 0%N.

(** The releases so far: in the running period, and in all earlier ones. *)
Definition released (d : device) : N := (Device.before d + Device.here d)%N.

(** "In any time t with r restarts, the released epsilons sum to at most (2 + r + floor(t/P)) L." *)
Theorem a_budget (limit period : N) d0 d d' :
  (0 < period)%N -> fresh d0 ->
  steps limit period (fun _ => True) d0 d -> steps limit period (fun _ => True) d d' ->
  (released d' <= released d +
    (2 + (restarts d' - restarts d) + (time d' - time d) / period) * limit)%N.
Proof. intros P F S S'. exact (BudgetTime.released_in_time limit period _ d0 d d' F S S' P). Qed.

(** Between the last stored look before a restart and the first one after it, the wall clock advances by no
    more than the time that passes. *)
Definition clock_is_honest (d : device) : Prop :=
  match Device.file d with
  | Some s => Device.in_run d = false ->
      (Period.wall (Device.clock d) <=
       Period.latest (Budget.period_of s) + (time d - Device.written d))%N
  | None => True
  end.

(** "2 L if the wall clock is not set forward around a restart." *)
Theorem an_honest_budget (limit period : N) d0 d d' :
  (0 < period)%N -> fresh d0 ->
  steps limit period clock_is_honest d0 d -> steps limit period clock_is_honest d d' ->
  (released d' <= released d + (2 + (time d' - time d) / period) * limit)%N.
Proof. intros P F S S'. exact (BudgetTime.released_in_time_honest limit period d0 d d' F S S' P). Qed.

(** * 5. A device

    What happens to it, and what is seen of it:
<<Text.v
Inductive token := Known (v : Word) | Unknown.
>>
<<Life.v
Inductive change :=
| Time (ms wall : N) (** passes; the wall clock can show anything *)
| Restart (ms wall run : N)
| Open_budget
| Close_budget (object : nat)
| Look.

Inductive event :=
| Changes (c : change)
| New_key (** a period of the memory ends *)
| Writes (object : nat) (before : option nat) (words : list Typed)
| Counts (object : nat) (words : list Typed)
| Ends_counts
| Begins_frames (object : nat)
| Frames (words : list Typed) (** a text *)
| Ends_frames.

(** An output, or a message to the app. *)
Inductive observation :=
| Nothing
| Refused
| Words (released : list nat)
| Counted (reports : list N)
| Framed (frames : list (list nat)).

(** The state that depends only on the number of words. *)
Record ledger := Ledger {
  on : device;
  seen : nat; (** words of the day's counts *)
  framing : bool; (** whether a day of frames has begun *)
  renewed : nat (** the number of keys so far; only the proof knows it *)
}.

(** The rest: the memory's key, the day's sample, the day's frames and the number offered. *)
Record held := Held { key : Key; sample : list Report; offered : nat; frames : list Frame }.
>> *)

Notation token := (@Text.token nat).
Notation ledger := Life.ledger.
Notation observation := Life.observation.

Section Device.

Context {Typed Key : Type}.

(** ** Its parts *)

(** A bundle: two settings (of texts and frames, and of a memory's second draws), those of counts
    and of passing words, the codes, the masses, and the word that a token is typed as: a list's
    head for all tokens of a list, [Unknown] for all unknown tokens. *)
Variables s second : Checker.exponential_setting.
Variable counts : Checker.counts_setting.
Variable p : Checker.passing_setting.
Variable code_of : nat -> code.
Variable size : nat -> N.
Variables (coins : bool) (passes : nat -> bool).
Variable typed_as : Typed -> token.

(** With a memory, first draws, and first responses in counts, may be any functions of a key. *)
Variable has_memory : bool.
Variable new_key : program Key.
Variables (first_draw : Key -> token -> nat) (first_response : Key -> N -> N).

(** The budget's limit and costs in billionths, and its period in milliseconds; reports a day, frames a day,
    and words a frame. *)
Variables limit period unit cost_of_word cost_of_report : N.
Variables most a_day in_a_frame : nat.

(** ** The draw of a word *)

Definition the_word (o : option nat) : nat := match o with Some v => v | None => 0%nat end.

Definition mechanism (e : Checker.exponential_setting) (before : option nat) (v : nat) : program nat :=
  o <- draw (Checker.words e) code_of (N.to_nat (Checker.task_weight s)) (Checker.weights e) (Checker.mass e)
    before (code_of v) ;;
  Return (the_word o).

Definition stand_in : program nat :=
  o <- Uniform (sum size (Checker.words s)) (fun number => Return (pick size (Checker.words s) number)) ;;
  Return (the_word o).

Definition passing_word (a : token) : option nat :=
  match a with
  | Text.Known v => if passes v then Some v else None
  | Text.Unknown => None
  end.

Definition passed (a : token) (drawn : program nat) : program nat :=
  if coins then
    Uniform (2 ^ 63) (fun coin =>
      y <- drawn ;;
      Return (match passing_word a with
              | Some x => if (coin <? Checker.pass_threshold p)%N then x else y
              | None => y
              end))
  else drawn.

Definition word (e : Checker.exponential_setting) (before : option nat) (a : token) : program nat :=
  v <- (match a with Text.Known v => Return v | Text.Unknown => stand_in end) ;;
  passed a (mechanism e before v).

Definition in_text (k : Key) (before : option nat) (a : token) : program nat :=
  if has_memory then word second before (Text.Known (first_draw k a)) else word s before a.

Fixpoint one_by_one (word : option nat -> token -> program nat) (before : option nat) (text : list token) :
    program (list nat) :=
  match text with
  | [] => Return []
  | a :: text => y <- word before a ;; ys <- one_by_one word (Some y) text ;; Return (y :: ys)
  end.

Definition symbol (k : Key) (a : token) : N :=
  let x := match a with
           | Text.Known v => N.of_nat v
           | Text.Unknown => N.of_nat (length (Checker.words s))
           end in
  if has_memory then first_response k x else x.

Definition report : N -> program N := respond (2 ^ 63) (Checker.keep counts) (Checker.symbols counts).

(** ** A frame *)

(** A frame is a text with a fixed number of words. *)
Definition frame (piece : list token) : program (list nat) := one_by_one (word s) None piece.

Definition filled (piece : list token) : list token :=
  piece ++ repeat Text.Unknown (in_a_frame - length piece).

Fixpoint pieces (most : nat) (text : list token) : list (list token) :=
  match most, text with
  | S most, _ :: _ => filled (firstn in_a_frame text) :: pieces most (skipn in_a_frame text)
  | _, _ => []
  end.

Definition cut (words : list Typed) : list (list token) := pieces (length words) (map typed_as words).

(** ** Its actions *)

(** The payment, before any draw; None is a refusal. [pay] is [PrivacyBudget.spend], in Budget.v,
    and [changed] is the effect of a change on a device, as above. *)
Definition pay := Life.pay limit period unit.
Definition changed := Life.changed period.

Definition account (l : ledger) (e : Life.event) : option ledger :=
  let 'Life.Ledger dev n f r := l in
  match e with
  | Life.Changes c => Some (Life.Ledger (changed c dev) n f r)
  | Life.New_key => Some (Life.Ledger dev n f (S r))
  | Life.Writes object before words =>
      option_map (fun dev => Life.Ledger dev n f r)
        (pay object (cost_of_word * N.of_nat (@length Typed words)) cost_of_word dev)
  | Life.Counts object words =>
      let new := Nat.min (length words) (most - n) in
      option_map (fun dev => Life.Ledger dev (n + length words) f r)
        (match new with
         | O => Some dev
         | _ => pay object (cost_of_report * N.of_nat new) cost_of_report dev
         end)
  | Life.Ends_counts => Some (Life.Ledger dev 0 f r)
  | Life.Begins_frames object =>
      if f then Some l
      else option_map (fun dev => Life.Ledger dev n true r)
        (pay object (cost_of_word * N.of_nat (a_day * in_a_frame)) cost_of_word dev)
  | Life.Frames words => Some l
  | Life.Ends_frames => Some (Life.Ledger dev n false r)
  end.

Notation held := (@Life.held Key N (list nat)).

(** ** Its draws, state and observations *)

Definition act (l : ledger) (h : held) (e : Life.event) : program (observation * held) :=
  let 'Life.Held k sample offered frames := h in
  match e, Life.framing l with
  | Life.New_key, _ => k <- new_key ;; Return (Life.Nothing, Life.Held k sample offered frames)
  | Life.Writes object before words, _ =>
      ys <- one_by_one (in_text k) before (map typed_as words) ;; Return (Life.Words ys, h)
  | Life.Counts object words, _ =>
      sample <- collect report most (Life.seen l) sample (map (fun a => symbol k (typed_as a)) words) ;;
      Return (Life.Nothing, Life.Held k sample offered frames)
  | Life.Ends_counts, _ => Return (Life.Counted sample, Life.Held k [] offered frames)
  | Life.Begins_frames object, false =>
      frames <- hold_all frame (repeat (filled []) a_day) ;;
      Return (Life.Nothing, Life.Held k sample 0 frames)
  | Life.Frames words, true =>
      frames <- collect frame a_day offered frames (cut words) ;;
      Return (Life.Nothing, Life.Held k sample (offered + length (cut words)) frames)
  | Life.Ends_frames, true => Return (Life.Framed frames, Life.Held k sample 0 [])
  | _, _ => Return (Life.Nothing, h)
  end.

(** All that leaves, the last first. The next event may depend on it. *)
Fixpoint live (events : nat) (person : list observation -> Life.event) (past : list observation)
    (l : ledger) (h : held) : program (list observation) :=
  match events with
  | O => Return past
  | S events =>
      match account l (person past) with
      | None => live events person (Life.Refused :: past) l h
      | Some l' => o <- act l h (person past) ;; live events person (fst o :: past) l' (snd o)
      end
  end.

(** It is the program of Life.v, which writes out the state and the observations. *)
Lemma lives events person past l h g :
  mean (live events person past l h) g == mean (DeviceGuarantee.live_device s second counts p code_of size
    coins passes typed_as has_memory new_key first_draw first_response limit period unit cost_of_word
    cost_of_report most a_day in_a_frame events person past l h) g.
Proof.
  unfold DeviceGuarantee.live_device, LifeLoss.device_live. revert past l h.
  induction events as [|events IH]; intros past l h; [reflexivity|]. cbn [live Life.live].
  change (account l (person past)) with (Life.account limit period unit cost_of_word cost_of_report most a_day
    in_a_frame l (person past)).
  destruct (Life.account _ _ _ _ _ _ _ _ l (person past)) as [l'|]; [|apply IH].
  etransitivity; [apply (Program.mean_bind (act l h (person past)))|]. symmetry.
  etransitivity; [apply Program.mean_bind|]. symmetry.
  match goal with |- Program.mean ?a _ == Program.mean ?b _ => assert (a = b) as <- end.
  { destruct h as [h1 h2 h3 h4]. destruct (person past); cbn [act Life.act]; try reflexivity;
      rewrite ?LifeLoss.hold_all_return; try reflexivity;
      destruct (Life.framing l); rewrite ?LifeLoss.hold_all_return; reflexivity. }
  apply Program.mean_ext. intros o. apply IH.
Qed.

(** ** The differences between two people *)

Variable largest : nat. (** the upper bound on the distance between two words *)
Variable D : R. (** the loss per paid epsilon *)

Definition price (cost : N) : R := (number cost / number 1000000000)%R.
Definition fraction (x : N * N) : R := (number (fst x) / number (snd x))%R.

(** Epsilon times a distance, or at most the cap. *)
Definition lose (e : Checker.exponential_setting) (k : nat) : R :=
  match Checker.cap e with
  | None => fraction (Checker.epsilon e) * INR k
  | Some c => Rmin (fraction (Checker.epsilon e) * INR k) (fraction c)
  end%R.

Definition token_distance (a b : token) : nat :=
  match a, b with
  | Text.Known v, Text.Known v' => distance (N.to_nat (Checker.task_weight s)) (code_of v) (code_of v')
  | Text.Unknown, Text.Unknown => 0
  | _, _ => largest
  end%nat.

Definition may_pass (a : token) : option nat := if coins then passing_word a else None.

Definition passing_loss (passing : option nat) : R :=
  match passing with
  | Some _ => ln (number (2 ^ 63) / number (2 ^ 63 - Checker.pass_threshold p))
  | None => 0
  end.

(** From a word that doesn't pass to any word. *)
Definition word_bound (a b : token) : R :=
  match may_pass a with
  | Some _ => 0
  | None => lose s (token_distance a b) + passing_loss (may_pass b)
  end%R.

Definition is_token (a : token) : Prop :=
  match a with Text.Known v => In v (Checker.words s) | Text.Unknown => True end.

Definition frame_pair (a b : token) : Prop :=
  is_token a /\ is_token b /\ (may_pass a = None \/ b = a) /\ (word_bound a b <= D * price cost_of_word)%R.

(** With a memory, a place may differ if the loss between second draws of any two words is at most
    the payment. *)
Definition text_pair (a b : token) : Prop :=
  if has_memory then b = a \/ coins = false /\ (lose second largest <= D * price cost_of_word)%R
  else frame_pair a b.

(** Two people do the same at the same time, and type equally many words. In frames, they may type
    anything, if the loss between any two tokens is at most the payment. *)
Definition alike (e e' : @Life.event Typed) : Prop :=
  match e, e' with
  | Life.Changes c, Life.Changes c' => c = c'
  | Life.New_key, Life.New_key => True
  | Life.Writes object before words, Life.Writes object' before' words' =>
      object = object' /\ before = before' /\
      Forall2 (fun a b => text_pair (typed_as a) (typed_as b)) words words'
  | Life.Counts object words, Life.Counts object' words' => object = object' /\ length words = length words'
  | Life.Ends_counts, Life.Ends_counts => True
  | Life.Begins_frames object, Life.Begins_frames object' => object = object'
  | Life.Frames words, Life.Frames words' =>
      Forall2 (Forall2 frame_pair) (cut words) (cut words') \/
      (forall a b, is_token a -> is_token b -> frame_pair a b)
  | Life.Ends_frames, Life.Ends_frames => True
  | _, _ => False
  end.

(** ** Their loss *)

(** For any observations, [now] holds at each event, and [last] at the end. *)
Fixpoint always (now last : ledger -> Prop) (events : nat) (person : list observation -> Life.event)
    (past : list observation) (l : ledger) : Prop :=
  match events with
  | O => last l
  | S events =>
      now l /\ forall o, always now last events person (o :: past)
        (match account l (person past) with Some l' => l' | None => l end)
  end.

Definition valid (k : Key) : Prop :=
  (forall a, In (first_draw k a) (Checker.words s)) /\
  (forall x, (first_response k x < Checker.symbols counts)%N).

(** For any draws of a program, [P] holds for the returned value. *)
Fixpoint releases {A} (P : A -> Prop) (q : program A) : Prop :=
  match q with
  | Program.Return a => P a
  | Program.Uniform b next => forall i, (i < b)%N -> releases P (next i)
  end.

(** A time of at most t milliseconds with at most r restarts, that begins at l. *)
Definition within (t r : N) (l l' : ledger) : Prop :=
  (time (Life.on l') <= time (Life.on l) + t /\ restarts (Life.on l') <= restarts (Life.on l) + r)%N.

(** The premises about a device: settings in which the bundle's checker has found no error, codes of
    their size, masses that 8 random bytes can draw, tokens of the vocabulary, a number of symbols,
    a key that doesn't depend on typing, and a budget with a unit and a period. The loss of reports
    is at most the payment. *)
Definition well_made : Prop :=
  (Checker.exponential_failed s = [] /\ Checker.exponential_failed second = [] /\
   Checker.counts_failed counts = [] /\ Checker.passing_failed p = []) /\
  (Checker.own_size second = Checker.own_size s /\ Checker.task_size second = Checker.task_size s /\
   Checker.task_weight second = Checker.task_weight s) /\
  (forall v, of_size (N.to_nat (Checker.own_size s)) (N.to_nat (Checker.task_size s)) (code_of v)) /\
  (forall v v', In v (Checker.words s) -> In v' (Checker.words s) ->
     (token_distance (Text.Known v) (Text.Known v') <= largest)%nat) /\
  (0 < sum size (Checker.words s) <= 2 ^ 63)%N /\ (forall a, is_token (typed_as a)) /\
  Checker.symbols counts = N.of_nat (S (length (Checker.words s))) /\ releases valid new_key /\
  unit <> 0%N /\ (0 < period)%N /\
  (0 <= D)%R /\ (fraction (Checker.counts_cap counts) <= D * price cost_of_report)%R.

(** A device with no open day, and a key. *)
Definition begins (l : ledger) (k : Key) : Prop := Life.seen l = 0%nat /\ Life.framing l = false /\ valid k.
Definition seen (events : nat) (person : list observation -> Life.event) (l : ledger) (k : Key) :
    program (list observation) :=
  live events person [] l (Life.Held k [] 0 []).

(** In any time, the loss between two people is at most D times (2 + r + floor(t/P)) limits, for any
    outputs and refusals. The clocks are those of section 4: the uptime measures the passing time,
    and is 0 after a restart. *)
Theorem a_device d0 (t r : N) events person person' (l : ledger) k set :
  well_made -> fresh d0 -> steps limit period (fun _ => True) d0 (Life.on l) -> begins l k ->
  always (fun _ => True) (within t r l) events person [] l ->
  (forall past, alike (person past) (person' past)) ->
  (Pr (seen events person l k) set <=
   exp (D * price ((2 + r + t / period) * limit)) * Pr (seen events person' l k) set)%R.
Proof.
  intros (Checked & Same & sizes & far & masses & typed & symbols & keys & Unit & Lasts & D0 & reports)
    F S (n0 & f0 & Hk) A E. destruct Checked as (C1 & C2 & C3 & C4).
  unfold seen, Pr. rewrite !(Qreals.Qeq_eqR _ _ (lives _ _ _ _ _ _)).
  exact (DeviceGuarantee.device_guarantee s second counts p C1 C2 C3 C4 Same code_of sizes largest far size
    masses coins passes typed_as typed has_memory new_key first_draw first_response keys symbols limit period
    unit cost_of_word cost_of_report most a_day in_a_frame Unit Lasts (lose s)
    (DeviceGuarantee.epsilon_is_true s C1 code_of sizes) D D0 reports d0 t r events person person' l k set E
    F S (conj n0 f0) Hk A).
Qed.

(** ** Their loss in a day, and in a year *)

(** In less than a period, by default a day, their loss is at most D times two limits if the wall
    clock is not set forward around a restart. *)
Theorem a_device_in_a_day d0 (t r : N) events person person' (l : ledger) k set :
  well_made -> fresh d0 -> steps limit period clock_is_honest d0 (Life.on l) -> begins l k ->
  (t < period)%N ->
  always (fun l => clock_is_honest (Life.on l)) (within t r l) events person [] l ->
  (forall past, alike (person past) (person' past)) ->
  (Pr (seen events person l k) set <=
   exp (D * price (2 * limit)) * Pr (seen events person' l k) set)%R.
Proof.
  intros (Checked & Same & sizes & far & masses & typed & symbols & keys & Unit & Lasts & D0 & reports)
    F S (n0 & f0 & Hk) Short A E. destruct Checked as (C1 & C2 & C3 & C4).
  unfold seen, Pr. rewrite !(Qreals.Qeq_eqR _ _ (lives _ _ _ _ _ _)).
  exact (DeviceGuarantee.device_guarantee_day s second counts p C1 C2 C3 C4 Same code_of sizes largest far size
    masses coins passes typed_as typed has_memory new_key first_draw first_response keys symbols limit period
    unit cost_of_word cost_of_report most a_day in_a_frame Unit Lasts (lose s)
    (DeviceGuarantee.epsilon_is_true s C1 code_of sizes) D D0 reports d0 t r events person person' l k set E
    F S (conj n0 f0) Hk Short A).
Qed.

(** In less than 365 periods, it is at most D times 366 limits. *)
Theorem a_device_in_a_year d0 (t r : N) events person person' (l : ledger) k set :
  well_made -> fresh d0 -> steps limit period clock_is_honest d0 (Life.on l) -> begins l k ->
  (t < 365 * period)%N ->
  always (fun l => clock_is_honest (Life.on l)) (within t r l) events person [] l ->
  (forall past, alike (person past) (person' past)) ->
  (Pr (seen events person l k) set <=
   exp (D * price (366 * limit)) * Pr (seen events person' l k) set)%R.
Proof.
  intros (Checked & Same & sizes & far & masses & typed & symbols & keys & Unit & Lasts & D0 & reports)
    F S (n0 & f0 & Hk) Short A E. destruct Checked as (C1 & C2 & C3 & C4).
  unfold seen, Pr. rewrite !(Qreals.Qeq_eqR _ _ (lives _ _ _ _ _ _)).
  exact (DeviceGuarantee.device_guarantee_year s second counts p C1 C2 C3 C4 Same code_of sizes largest far size
    masses coins passes typed_as typed has_memory new_key first_draw first_response keys symbols limit period
    unit cost_of_word cost_of_report most a_day in_a_frame Unit Lasts (lose s)
    (DeviceGuarantee.epsilon_is_true s C1 code_of sizes) D D0 reports d0 t r events person person' l k set E
    F S (conj n0 f0) Hk Short A).
Qed.

(** * 6. A list

    Two people who type tokens on the same device that are typed as the same words, such as the
    words of one list, have a loss of 0, for any length of time. *)
Definition typed_same (e e' : @Life.event Typed) : Prop :=
  match e, e' with
  | Life.Writes object before words, Life.Writes object' before' words' =>
      object = object' /\ before = before' /\ map typed_as words = map typed_as words'
  | Life.Counts object words, Life.Counts object' words' =>
      object = object' /\ map typed_as words = map typed_as words'
  | Life.Frames words, Life.Frames words' => map typed_as words = map typed_as words'
  | _, _ => e = e'
  end.

Theorem a_list events person person' (l : ledger) (h : held) set :
  (forall past, typed_same (person past) (person' past)) ->
  Pr (live events person [] l h) set = Pr (live events person' [] l h) set.
Proof.
  intros E. unfold Pr. rewrite !(Qreals.Qeq_eqR _ _ (lives _ _ _ _ _ _)). apply Qreals.Qeq_eqR, Policy.alike_mean.
  now apply DeviceGuarantee.same_typed_same_life.
Qed.

End Device.

(** * 7. The statements of [brr verify --proof], if the checker finds no error in a setting *)

Section Checked.

Variable s : Checker.exponential_setting.
Variable code_of : nat -> code.
Let own := N.to_nat (Checker.own_size s).
Let tasks := N.to_nat (Checker.task_size s).
Let apart (c c' : code) : nat := distance (N.to_nat (Checker.task_weight s)) c c'.
Let drawn := draw (Checker.words s) code_of (N.to_nat (Checker.task_weight s)) (Checker.weights s) (Checker.mass s).

Theorem checked_word before c c' set :
  Checker.exponential_failed s = [] ->
  (forall y, In y (Checker.words s) -> of_size own tasks (code_of y)) ->
  of_size own tasks c -> of_size own tasks c' ->
  (Pr (drawn before c) set <=
   exp (fraction (Checker.epsilon s) * INR (apart c c')) * Pr (drawn before c') set)%R.
Proof. intros C S H H'. exact (Guarantee.exponential_guarantee s C code_of S before c c' H H' set). Qed.

Theorem checked_word_cap cap before c c' set :
  Checker.exponential_failed s = [] ->
  (forall y, In y (Checker.words s) -> of_size own tasks (code_of y)) ->
  Checker.cap s = Some cap -> of_size own tasks c -> of_size own tasks c' ->
  (Pr (drawn before c) set <= exp (fraction cap) * Pr (drawn before c') set)%R.
Proof. intros C S E H H'. exact (Guarantee.exponential_guarantee_cap s C code_of S cap before c c' E H H' set). Qed.

(** ** A text

    The exact probability of a word, and of a text, each of whose words may depend on earlier
    releases. [chosen] is the replacement of an unknown word. *)
Definition word_chance (before : option nat) (v y : nat) : Q :=
  let score y := (Checker.mass s before y * nth (apart (code_of v) (code_of y)) (Checker.weights s) 0)%N in
  (inject_Z (Z.of_N (score y)) / inject_Z (Z.of_N (sum score (Checker.words s))))%Q.

Definition token_chance (chosen : nat -> Q) (past : list nat) (a : token) : nat -> Q :=
  match a with
  | Text.Known v => word_chance (hd_error past) v
  | Text.Unknown => fun y =>
      fold_right (fun v rest => chosen v * word_chance (hd_error past) v y + rest)%Q 0%Q (Checker.words s)
  end.

Fixpoint chance_of (past : list nat) (text : list (list nat -> nat -> Q)) (ys : list nat) : Q :=
  match text, ys with
  | word :: text, y :: ys => word past y * chance_of (y :: past) text ys
  | [], [] => 1
  | _, _ => 0
  end%Q.

Definition text_chance (chosen : nat -> Q) (past : list nat) (text : list token) (ys : list nat) : R :=
  Q2R (chance_of past (map (fun a past => token_chance chosen past a) text) ys).

Fixpoint text_distance {Word} (d : Word -> Word -> nat) (largest : nat) (text text' : list (@Text.token Word)) :
    nat :=
  match text, text' with
  | a :: text, b :: text' =>
      match a, b with
      | Text.Known v, Text.Known v' => d v v'
      | Text.Unknown, Text.Unknown => 0
      | _, _ => largest
      end + text_distance d largest text text'
  | _, _ => 0
  end.

Theorem checked_text largest chosen past text text' ys :
  Checker.exponential_failed s = [] ->
  (forall y, In y (Checker.words s) -> of_size own tasks (code_of y)) ->
  (forall v v', In v (Checker.words s) -> In v' (Checker.words s) ->
     (apart (code_of v) (code_of v') <= largest)%nat) ->
  (forall v, In v (Checker.words s) -> (0 <= chosen v)%Q) ->
  (fold_right (fun v rest => chosen v + rest) 0 (Checker.words s) == 1)%Q ->
  length text = length text' ->
  Forall (is_token s) text -> Forall (is_token s) text' -> Forall (fun y => In y (Checker.words s)) ys ->
  (text_chance chosen past text ys <=
   exp (fraction (Checker.epsilon s) *
        INR (text_distance (fun v v' => apart (code_of v) (code_of v')) largest text text')) *
     text_chance chosen past text' ys)%R.
Proof.
  intros C S F P One L T T' Y.
  exact (Guarantee.text_guarantee s C code_of S largest F chosen (conj P One) past text text' ys L T T' Y).
Qed.

(** ** A text with a cap

    The loss of each place is at most min(epsilon * distance, cap). *)
Variable largest : nat.

Fixpoint capped_distance (cap : N * N) (text text' : list token) : R :=
  match text, text' with
  | a :: text, b :: text' =>
      Rmin (fraction (Checker.epsilon s) * INR (match a, b with
            | Text.Known v, Text.Known v' => apart (code_of v) (code_of v')
            | Text.Unknown, Text.Unknown => 0
            | _, _ => largest
            end)) (fraction cap) + capped_distance cap text text'
  | _, _ => 0
  end.

Theorem checked_text_cap cap chosen past text text' ys :
  Checker.exponential_failed s = [] ->
  (forall y, In y (Checker.words s) -> of_size own tasks (code_of y)) ->
  (forall v v', In v (Checker.words s) -> In v' (Checker.words s) ->
     (apart (code_of v) (code_of v') <= largest)%nat) ->
  (forall v, In v (Checker.words s) -> (0 <= chosen v)%Q) ->
  (fold_right (fun v rest => chosen v + rest) 0 (Checker.words s) == 1)%Q ->
  Checker.cap s = Some cap -> length text = length text' ->
  Forall (is_token s) text -> Forall (is_token s) text' -> Forall (fun y => In y (Checker.words s)) ys ->
  (text_chance chosen past text ys <=
   exp (capped_distance cap text text') * text_chance chosen past text' ys)%R.
Proof.
  intros C S F P One E L T T' Y. exact (Guarantee.text_guarantee_cap s C code_of S largest F chosen
    (conj P One) cap past text text' ys E L T T' Y).
Qed.

End Checked.

(** ** A text with words that pass

    For any mechanism M, with the probability that it draws the word y for v after some released
    words: the loss between words k apart is at most l k, and L k as a factor. *)
Section Passing.

Variables (passes : nat -> bool) (p : Checker.passing_setting) (vocabulary : list nat).
Variables (M : list nat -> nat -> nat -> Q) (chosen : nat -> Q).
Variables (d : nat -> nat -> nat) (largest : nat) (L : nat -> Q) (l : nat -> R).

Definition that_passes (a : token) : option nat :=
  match a with
  | Text.Known v => if passes v then Some v else None
  | Text.Unknown => None
  end.

Definition leaves (past : list nat) (a : token) (y : nat) : Q :=
  let drawn := match a with
    | Text.Known v => M past v
    | Text.Unknown => fun y => fold_right (fun v rest => chosen v * M past v y + rest)%Q 0%Q vocabulary
    end in
  let share n := (inject_Z (Z.of_N n) / inject_Z (Z.of_N (2 ^ 63)))%Q in
  let T := Checker.pass_threshold p in
  match that_passes a with
  | Some x => share T * (if Nat.eq_dec x y then 1 else 0) + share (2 ^ 63 - T)%N * drawn y
  | None => drawn y
  end.

(** If the first text has a passing word at a place, the other text has the same word there. *)
Fixpoint passing_distance (text text' : list token) : R :=
  match text, text' with
  | a :: text, b :: text' =>
      match that_passes a with
      | Some _ => 0
      | None =>
          l match a, b with
            | Text.Known v, Text.Known v' => d v v'
            | Text.Unknown, Text.Unknown => 0
            | _, _ => largest
            end +
          match that_passes b with
          | Some _ => ln (number (2 ^ 63) / number (2 ^ 63 - Checker.pass_threshold p))
          | None => 0
          end
      end + passing_distance text text'
  | _, _ => 0
  end.

Theorem checked_passing_text past text text' ys :
  let word a := match a with Text.Known v => In v vocabulary | Text.Unknown => True end in
  Checker.passing_failed p = [] ->
  (forall v v', In v vocabulary -> In v' vocabulary -> (d v v' <= largest)%nat) ->
  (forall past v y, In y vocabulary -> (0 <= M past v y)%Q) ->
  (forall j k, (j <= k)%nat -> (L j <= L k)%Q) -> (1 <= L 0%nat)%Q ->
  (forall past v v', In v vocabulary -> In v' vocabulary ->
     forall y, In y vocabulary -> (M past v y <= L (d v v') * M past v' y)%Q) ->
  (forall v, In v vocabulary -> (0 <= chosen v)%Q) ->
  (fold_right (fun v rest => chosen v + rest) 0 vocabulary == 1)%Q ->
  (forall k, (Q2R (L k) <= exp (l k))%R) ->
  Forall word text -> Forall word text' ->
  Forall2 (fun a b => that_passes a = None \/ b = a) text text' ->
  Forall (fun y => In y vocabulary) ys ->
  let chance text := Q2R (chance_of past (map (fun a past => leaves past a) text) ys) in
  (chance text <= exp (passing_distance text text') * chance text')%R.
Proof.
  intros word C F N Mono Zero B P One E T T' A Y. exact (Guarantee.passed_text_guarantee p C Nat.eq_dec
    vocabulary d largest passes l M L chosen past text text' ys F N Mono Zero B (conj P One) E T T' A Y).
Qed.

End Passing.

(** ** Other mechanisms

    The nearest word to a noised code, or one of the nearest: [kernel] chooses it. *)
Theorem checked_flips (s : Checker.flip_setting) (vocabulary : list nat) kernel n c c' y :
  Checker.flip_failed s = [] ->
  (forall z, In z (Brr.codes n) -> Probability.nonnegative vocabulary (kernel z)) ->
  length c = n -> length c' = n -> In y vocabulary ->
  let chance c := Q2R (Postprocessing.postprocessed (Brr.codes n) kernel
    (Brr.noise (2 ^ 32) (Checker.flip_threshold s) c) y) in
  (chance c <= exp (fraction (Checker.flip_epsilon s) * INR (hamming c c')) * chance c')%R.
Proof. intros C K H H' Y. exact (Guarantee.flip_guarantee s vocabulary kernel n c c' y C K H H' Y). Qed.

Lemma Pr_is {A} (p : program A) set : Pr p set = Q2R (Program.Pr p set).
Proof. reflexivity. Qed.

Lemma respond_is : respond = Counts.respond.
Proof. reflexivity. Qed.

Lemma collect_is {X Y} : @collect X Y = @Sample.collect X Y.
Proof. reflexivity. Qed.

Theorem checked_report (s : Checker.counts_setting) x x' set :
  Checker.counts_failed s = [] -> (x < Checker.symbols s)%N -> (x' < Checker.symbols s)%N ->
  let report := respond (2 ^ 63) (Checker.keep s) (Checker.symbols s) in
  (Pr (report x) set <= exp (fraction (Checker.counts_cap s)) * Pr (report x') set)%R.
Proof.
  intros C H H' report. unfold report. rewrite !Pr_is, respond_is.
  exact (Guarantee.report_guarantee s C x x' H H' set).
Qed.

Theorem checked_day (s : Checker.counts_setting) most words words' set :
  Checker.counts_failed s = [] -> length words = length words' ->
  Forall (fun x => (x < Checker.symbols s)%N) words -> Forall (fun x => (x < Checker.symbols s)%N) words' ->
  let day words := collect (respond (2 ^ 63) (Checker.keep s) (Checker.symbols s)) most 0 [] words in
  (Pr (day words) set <= exp (INR most * fraction (Checker.counts_cap s)) * Pr (day words') set)%R.
Proof.
  intros C L H H' day. unfold day. rewrite !Pr_is, respond_is, collect_is.
  exact (Guarantee.day_guarantee s C most words words' L H H' set).
Qed.

(** From a word that doesn't pass to any other one, which may be a passing one. *)
Theorem checked_passing (s : Checker.exponential_setting) (p : Checker.passing_setting) (code_of : nat -> code)
    before c c' passing' set :
  Checker.passing_failed p = [] -> Checker.exponential_failed s = [] ->
  let own := N.to_nat (Checker.own_size s) in
  let tasks := N.to_nat (Checker.task_size s) in
  let weight := N.to_nat (Checker.task_weight s) in
  (forall y, In y (Checker.words s) -> of_size own tasks (code_of y)) ->
  of_size own tasks c -> of_size own tasks c' ->
  let drawn := draw (Checker.words s) code_of weight (Checker.weights s) (Checker.mass s) before in
  let leaves passing drawn :=
    Uniform (2 ^ 63) (fun coin =>
      y <- drawn ;;
      Return (match passing with
              | Some x => if (coin <? Checker.pass_threshold p)%N then x else y
              | None => y
              end)) in
  (Pr (leaves None (drawn c)) set <=
   exp (fraction (Checker.epsilon s) * INR (distance weight c c') +
        match passing' with
        | Some _ => ln (number (2 ^ 63) / number (2 ^ 63 - Checker.pass_threshold p))
        | None => 0
        end) *
     Pr (leaves passing' (drawn c')) set)%R.
Proof.
  intros P C own tasks weight S H H' drawn leaves. rewrite !Pr_is.
  exact (Guarantee.exponential_passed_guarantee p P s C code_of S before c c' passing' H H' set).
Qed.

(** ** With a cap, too *)
Theorem checked_passing_cap (s : Checker.exponential_setting) (p : Checker.passing_setting)
    (code_of : nat -> code) cap before c c' passing' set :
  Checker.passing_failed p = [] -> Checker.exponential_failed s = [] -> Checker.cap s = Some cap ->
  let own := N.to_nat (Checker.own_size s) in
  let tasks := N.to_nat (Checker.task_size s) in
  let weight := N.to_nat (Checker.task_weight s) in
  (forall y, In y (Checker.words s) -> of_size own tasks (code_of y)) ->
  of_size own tasks c -> of_size own tasks c' ->
  let drawn := draw (Checker.words s) code_of weight (Checker.weights s) (Checker.mass s) before in
  let leaves passing drawn :=
    Uniform (2 ^ 63) (fun coin =>
      y <- drawn ;;
      Return (match passing with
              | Some x => if (coin <? Checker.pass_threshold p)%N then x else y
              | None => y
              end)) in
  (Pr (leaves None (drawn c)) set <=
   exp (fraction cap +
        match passing' with
        | Some _ => ln (number (2 ^ 63) / number (2 ^ 63 - Checker.pass_threshold p))
        | None => 0
        end) *
     Pr (leaves passing' (drawn c')) set)%R.
Proof.
  intros P C E own tasks weight S H H' drawn leaves. rewrite !Pr_is.
  exact (Guarantee.exponential_passed_guarantee_cap p P s C code_of S cap before c c' passing' E H H' set).
Qed.

(** ** A certificate

    For the words of one vocabulary. [histogram] and [lowest] compare all pairs, by distance from a
    word. The program does this in C, without a proof. *)
Theorem checked_certificate (s : Checker.exponential_setting) stated histogram lowest (code_of : nat -> code)
    before x x' set :
  let words := Checker.words s in
  let weight := N.to_nat (Checker.task_weight s) in
  let apart x y := distance weight (code_of x) (code_of y) in
  let by_distance := seq 0 (length (Checker.weights s)) in
  let mass y := Checker.level (nth y (Checker.masses s) 0%N) in
  Checker.exponential_failed s = [] -> Certified.certificate_holds s stated histogram lowest = true ->
  (forall y, In y words -> of_size (N.to_nat (Checker.own_size s)) (N.to_nat (Checker.task_size s)) (code_of y)) ->
  (forall x, In x words -> histogram (N.of_nat x) =
     map (fun k => sum (fun y => if (apart x y =? k)%nat then mass y else 0)%N words) by_distance) ->
  (forall numbers x, In x words -> lowest numbers (N.of_nat x) =
     map (fun k => fold_right (fun y low =>
       if (apart x y =? k)%nat then (if low =? 0 then nth y numbers 0 else N.min (nth y numbers 0) low) else low)%N
       0%N words) by_distance) ->
  In x words -> In x' words ->
  let drawn x := draw words code_of weight (Checker.weights s) (Checker.mass s) before (code_of x) in
  (Pr (drawn x) set <= exp (fraction stated * INR (apart x x')) * Pr (drawn x') set)%R.
Proof.
  intros words weight apart by_distance mass C H Z Histogram Lowest Hx Hx' drawn.
  assert (by_distance = seq 0 (S (Weights.last_index (Checker.weights s)))) as E.
  { unfold by_distance, Weights.last_index. destruct (Checker.checked_positive s C) as [W _].
    destruct (Checker.weights s); [now destruct W|]. cbn. now rewrite ?Nat.sub_0_r. }
  rewrite E in Histogram, Lowest.
  exact (Certified.certified_guarantee s stated histogram lowest code_of Z C H Histogram Lowest before x x' Hx Hx' set).
Qed.
