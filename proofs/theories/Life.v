(** All that a device does in its life, and all that an attacker sees: texts that are released word
    by word, a day's counts, a day's frames, and the budget's refusals. docs/explanation/proofs.md,
    "A device". *)

From Coq Require Import Arith Lia List NArith QArith.
From Brrkit Require Import Ranges Program Sample Text Period Budget Device Policy.
Import ListNotations.

(** ** The events of a device *)

(** What nobody types: time, restarts, and the budgets' objects of all processes. *)
Inductive change :=
| Time (ms wall : N) (** passes; the wall clock can show anything *)
| Restart (ms wall run : N)
| Open_budget
| Close_budget (object : nat)
| Look.

Section Life.

Context {Typed Key Report Frame : Type}.

Variable typed_as : Typed -> @token nat. (** a word of the vocabulary, or unknown: [g] of Policy.v *)

(** The release of a token, after the previously released word of its text: in texts, where a
    memory's key determines first draws, and in frames. The symbol of a word in counts, and its
    report. *)
Variable new_key : program Key.
Variable in_text : Key -> option nat -> @token nat -> program nat.
Variable in_frame : option nat -> @token nat -> program nat.
Variable symbol : Key -> @token nat -> N.

(** The state of the day's symbols and frames on a device, and the part that leaves at the day's
    end. A device holds released words. The proof compares it with a device that holds typed words.
    *)
Variable hold_report : N -> program Report.
Variable show_report : Report -> program N.
Variable hold_frame : list (@token nat) -> program Frame.
Variable show_frame : Frame -> program (list nat).

Variables limit length unit : N. (** of the budget *)
Variables cost_of_word cost_of_report : N. (** billionths of epsilon *)
Variable most : nat. (** reports a day *)
Variables a_day size : nat. (** frames a day, and words a frame *)

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

(** [PrivacyBudget.spend] by one of the objects. *)
Definition pay (object : nat) (cost each : N) (dev : device) : option device :=
  spent_by limit length unit object cost each dev.

Definition changed (c : change) (dev : device) : device :=
  match dev with
  | Device now f o i t w r n h b =>
      match c with
      | Time ms wall => Device (Instant wall (uptime now + ms) (run now)) f o i (t + ms) w r n h b
      | Restart ms wall run => Device (Instant wall 0 run) f [] false (t + ms) w (r + 1) n h b
      | Open_budget => Device now f (None :: o) i t w r n h b
      | Close_budget object => Device now f (firstn object o ++ skipn (S object) o) i t w r n h b
      | Look => match f with
                | Some s =>
                    let (s', new) := look length f now in
                    if new || is_of (period_of s) now then dev
                    else Device now (Some s') o true t t r n h b
                | None => dev
                end
      end%N%bool
  end.

(** The words of a text, in order. *)
Fixpoint one_by_one (word : option nat -> @token nat -> program nat) (before : option nat)
    (text : list (@token nat)) : program (list nat) :=
  match text with
  | [] => Return []
  | a :: text => y <- word before a ;; ys <- one_by_one word (Some y) text ;; Return (y :: ys)
  end.

(** A text is cut into pieces, each filled by unknown words. *)
Definition filled (piece : list (@token nat)) : list (@token nat) :=
  piece ++ repeat Unknown (size - List.length piece).

Fixpoint pieces (most : nat) (text : list (@token nat)) : list (list (@token nat)) :=
  match most, text with
  | S most, _ :: _ => filled (firstn size text) :: pieces most (skipn size text)
  | _, _ => []
  end.

Definition cut (words : list Typed) : list (list (@token nat)) :=
  pieces (List.length words) (map typed_as words).

(** The payment, before any draw; None is a refusal. *)
Definition account (l : ledger) (e : event) : option ledger :=
  let 'Ledger dev n f r := l in
  match e with
  | Changes c => Some (Ledger (changed c dev) n f r)
  | New_key => Some (Ledger dev n f (S r))
  | Writes object before words =>
      option_map (fun dev => Ledger dev n f r)
        (pay object (cost_of_word * N.of_nat (List.length words)) cost_of_word dev)
  | Counts object words =>
      let new := Nat.min (List.length words) (most - n) in
      option_map (fun dev => Ledger dev (n + List.length words) f r)
        (match new with
         | O => Some dev
         | _ => pay object (cost_of_report * N.of_nat new) cost_of_report dev
         end)
  | Ends_counts => Some (Ledger dev 0 f r)
  | Begins_frames object =>
      if f then Some l
      else option_map (fun dev => Ledger dev n true r)
        (pay object (cost_of_word * N.of_nat (a_day * size)) cost_of_word dev)
  | Frames words => Some l
  | Ends_frames => Some (Ledger dev n false r)
  end.

(** The draws, the state and the observations after it. *)
Definition act (l : ledger) (h : held) (e : event) : program (observation * held) :=
  let 'Held k s m fs := h in
  match e, framing l with
  | New_key, _ => k <- new_key ;; Return (Nothing, Held k s m fs)
  | Writes object before words, _ =>
      ys <- one_by_one (in_text k) before (map typed_as words) ;; Return (Words ys, h)
  | Counts object words, _ =>
      s <- collect hold_report most (seen l) s (map (fun a => symbol k (typed_as a)) words) ;;
      Return (Nothing, Held k s m fs)
  | Ends_counts, _ => ys <- hold_all show_report s ;; Return (Counted ys, Held k [] m fs)
  | Begins_frames object, false =>
      fs <- hold_all hold_frame (repeat (filled []) a_day) ;; Return (Nothing, Held k s 0 fs)
  | Frames words, true =>
      fs <- collect hold_frame a_day m fs (cut words) ;;
      Return (Nothing, Held k s (m + List.length (cut words)) fs)
  | Ends_frames, true => ys <- hold_all show_frame fs ;; Return (Framed ys, Held k s 0 [])
  | _, _ => Return (Nothing, h)
  end.

(** All that leaves. The next event, and the typed text, may depend on earlier observations. *)
Fixpoint live (events : nat) (person : list observation -> event) (past : list observation) (l : ledger)
    (h : held) : program (list observation) :=
  match events with
  | O => Return past
  | S events =>
      match account l (person past) with
      | None => live events person (Refused :: past) l h
      | Some l' => o <- act l h (person past) ;; live events person (fst o :: past) l' (snd o)
      end
  end.

(** For any observations, [now] holds at each event, and [last] at the end. *)
Fixpoint always (now last : ledger -> Prop) (events : nat) (person : list observation -> event)
    (past : list observation) (l : ledger) : Prop :=
  match events with
  | O => last l
  | S events =>
      now l /\ forall o, always now last events person (o :: past)
        (match account l (person past) with Some l' => l' | None => l end)
  end.

End Life.
