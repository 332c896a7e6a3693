(** The device of Life.v in the code's order of draws: for a text, first the replacements of its
    unknown words; for a call for counts, all responses before their places in the sample. This
    changes no probability of any output. The program extracted from this produces the vectors of
    all languages: proofs/golden. *)

From Coq Require Import List NArith QArith.
From Brrkit Require Import Hamming Ranges Program Uniform Text Counts Sample Passing Checker.
From Brrkit Require Import Budget Device Policy Life LifeLoss DeviceGuarantee.
Import ListNotations.
Open Scope Q_scope.

(** [Uniform.run], with the rest of the source. *)
Fixpoint run_on {A} (p : program A) (source : list N) : option (A * list N) :=
  match p with
  | Return a => Some (a, source)
  | Uniform bound next =>
      match uniform_below bound source with
      | None => None
      | Some (i, rest) => run_on (next i) rest
      end
  end.

Theorem run_on_runs {A} (p : program A) source : option_map fst (run_on p source) = Uniform.run p source.
Proof.
  revert source. induction p as [a|bound next IH]; intros source; [reflexivity|]. cbn [run_on Uniform.run].
  destruct (uniform_below bound source) as [[i rest]|]; [apply IH|reflexivity].
Qed.

(** ** A text *)

Section Text.

Variables (stand : program nat) (drawn : option nat -> @token nat -> nat -> program nat).

Definition one_word (before : option nat) (a : @token nat) : program nat :=
  v <- known_for stand a ;; drawn before a v.

Fixpoint drawn_for (before : option nat) (text : list (@token nat)) (ids : list nat) : program (list nat) :=
  match text, ids with
  | a :: text, v :: ids => y <- drawn before a v ;; ys <- drawn_for (Some y) text ids ;; Return (y :: ys)
  | _, _ => Return []
  end.

(** [Privatizer.words] *)
Definition together (before : option nat) (text : list (@token nat)) : program (list nat) :=
  ids <- hold_all (known_for stand) text ;; drawn_for before text ids.

Theorem together_mean before text g :
  mean (together before text) g == mean (one_by_one one_word before text) g.
Proof.
  revert before g. induction text as [|a text IH]; intros before g; [reflexivity|].
  unfold together. rewrite mean_bind, hold_all_cons. cbn [one_by_one]. unfold one_word at 1.
  rewrite mean_bind, mean_bind. apply mean_ext. intros v. cbn [drawn_for].
  rewrite (mean_ext _ _ (fun ids => mean (drawn before a v) (fun y =>
    mean (drawn_for (Some y) text ids) (fun ys => g (y :: ys)))))
    by (intros ids; rewrite mean_bind; apply mean_ext; intros y; rewrite mean_bind; reflexivity).
  rewrite mean_swap. apply mean_ext. intros y. rewrite mean_bind. cbn [mean].
  rewrite <- (IH (Some y) (fun ys => g (y :: ys))). unfold together. now rewrite mean_bind.
Qed.

Theorem frames_mean before texts g :
  mean (hold_all (together before) texts) g == mean (hold_all (one_by_one one_word before) texts) g.
Proof.
  revert g. induction texts as [|text texts IH]; intros g; [reflexivity|].
  rewrite !hold_all_cons, together_mean. apply mean_ext. intros ys. apply IH.
Qed.

End Text.

(** ** A call for counts *)

(** [Counts.words], and then [Reporter.add]. *)
Theorem collected_mean {X Y} (hold : X -> program Y) most seen sample inputs g :
  mean (ys <- hold_all hold inputs ;; collect Return most seen sample ys) g ==
  mean (collect hold most seen sample inputs) g.
Proof.
  rewrite mean_bind. revert seen sample. induction inputs as [|x inputs IH]; intros seen sample; [reflexivity|].
  rewrite hold_all_cons. cbn [collect]. rewrite mean_bind. apply mean_ext. intros y. cbn [bind].
  rewrite mean_bind, (mean_ext _ _ (fun ys => mean (slot most seen) (fun place =>
    mean (collect Return most (S seen) (put place y sample) ys) g))) by (intros ys; now rewrite mean_bind).
  rewrite mean_swap. apply mean_ext. intros place. apply IH.
Qed.

(** ** The device *)

Section Device.

Variables s second : exponential_setting.
Variable counts : counts_setting.
Variable p : passing_setting.
Variable code_of : nat -> code.
Variable size : nat -> N.
Variables (coins : bool) (passes : nat -> bool).
Context {Typed Key : Type}.
Variable typed_as : Typed -> @token nat.
Variable has_memory : bool.
Variable new_key : program Key.
Variables (first_draw : Key -> @token nat -> nat) (first_response : Key -> N -> N).
Variables limit length unit cost_of_word cost_of_report : N.
Variables most a_day in_a_frame : nat.

Let stands : program nat := stand s size.

Definition drawn (e : exponential_setting) (before : option nat) (a : @token nat) (v : nat) : program nat :=
  drawn_or_passed (2 ^ 63) (pass_threshold p) coins passes a (mechanism s code_of e before v).

(** A text, of which a memory makes known words. *)
Definition of_text (k : Key) (before : option nat) (text : list (@token nat)) : program (list nat) :=
  if has_memory
  then together stands (drawn second) before (map (fun a => Known (first_draw k a)) text)
  else together stands (drawn s) before text.

Definition ordered_act (l : ledger) (h : @held Key N (list nat)) (e : @event Typed) :
    program (observation * @held Key N (list nat)) :=
  let 'Held k sample m fs := h in
  match e, framing l with
  | Writes _ before words, _ => ys <- of_text k before (map typed_as words) ;; Return (Words ys, h)
  | Counts _ words, _ =>
      ys <- hold_all (respond counts)
        (map (fun a => symbol s has_memory first_response k (typed_as a)) words) ;;
      sample <- collect Return most (seen l) sample ys ;; Return (Nothing, Held k sample m fs)
  | Begins_frames _, false =>
      fs <- hold_all (together stands (drawn s) None) (repeat (filled in_a_frame []) a_day) ;;
      Return (Nothing, Held k sample 0 fs)
  | _, _ =>
      device_act typed_as new_key
        (in_text s second p code_of size coins passes has_memory first_draw)
        (in_frame s p code_of size coins passes) (symbol s has_memory first_response) (respond counts)
        most a_day in_a_frame l h e
  end.

Fixpoint ordered_live (events : nat) (person : list observation -> @event Typed) (past : list observation)
    (l : ledger) (h : @held Key N (list nat)) : program (list observation) :=
  match events with
  | O => Return past
  | S events =>
      match account limit length unit cost_of_word cost_of_report most a_day in_a_frame l (person past) with
      | None => ordered_live events person (Refused :: past) l h
      | Some l' =>
          o <- ordered_act l h (person past) ;; ordered_live events person (fst o :: past) l' (snd o)
      end
  end.

Lemma of_text_mean k before text g :
  mean (of_text k before text) g ==
  mean (one_by_one (in_text s second p code_of size coins passes has_memory first_draw k) before text) g.
Proof.
  unfold of_text, in_text. destruct has_memory; rewrite together_mean; [|reflexivity].
  revert before g. induction text as [|a text IH]; intros before g; [reflexivity|]. cbn [map one_by_one].
  rewrite !mean_bind. apply mean_ext. intros y. rewrite !mean_bind. apply IH.
Qed.

Lemma ordered_act_mean l h e g :
  mean (ordered_act l h e) g ==
  mean (device_act typed_as new_key (in_text s second p code_of size coins passes has_memory first_draw)
    (in_frame s p code_of size coins passes) (symbol s has_memory first_response) (respond counts)
    most a_day in_a_frame l h e) g.
Proof.
  destruct h as [k sample m fs].
  destruct e; cbn [ordered_act]; unfold device_act; cbn [act]; try reflexivity;
    try (destruct (framing l); reflexivity).
  - rewrite !mean_bind. apply of_text_mean.
  - rewrite (mean_bind (collect (respond counts) _ _ _ _)), <- collected_mean, !mean_bind.
    apply mean_ext. intros ys. now rewrite mean_bind.
  - destruct (framing l); [reflexivity|]. rewrite !mean_bind. apply frames_mean.
Qed.

(** The outputs of the device, as the code runs it, have the probabilities that [a_device] bounds.
    *)
Theorem ordered_as_lived events person past l h g :
  mean (ordered_live events person past l h) g ==
  mean (live_device s second counts p code_of size coins passes typed_as has_memory new_key first_draw
    first_response limit length unit cost_of_word cost_of_report most a_day in_a_frame events person past l h) g.
Proof.
  unfold live_device, device_live. revert past l h.
  induction events as [|events IH]; intros past l h; [reflexivity|]. cbn [ordered_live live].
  destruct (account _ _ _ _ _ _ _ _ l (person past)) as [l'|]; [|apply IH].
  rewrite !mean_bind, ordered_act_mean. apply mean_ext. intros o. apply IH.
Qed.

End Device.
