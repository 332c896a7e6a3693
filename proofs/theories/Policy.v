(** Lists and marks: of a token, a device sees only the word that it is typed as.
    docs/explanation/proofs.md, "Lists".

    The device is that of Device.v, with a memory's key and a day's reports. About the keyed
    function, the mechanism and the treatment of a key, only their inputs are assumed. *)

From Coq Require Import Arith Bool Lia List NArith QArith.
From Brrkit Require Import Ranges Program Uniform Text Counts Passing Budget Device Sample.
Import ListNotations.
Open Scope Q_scope.

(** ** Indistinguishable programs *)

(** They draw integers below the same bounds, and release the same for the same integers. *)
Inductive alike {A} : program A -> program A -> Prop :=
| alike_return a : alike (Return a) (Return a)
| alike_uniform bound f h : (forall i, alike (f i) (h i)) -> alike (Uniform bound f) (Uniform bound h).

Lemma alike_refl {A} (p : program A) : alike p p.
Proof. induction p; constructor; auto. Qed.

Lemma alike_bind {A B} (p q : program A) (f h : A -> program B) :
  alike p q -> (forall a, alike (f a) (h a)) -> alike (bind p f) (bind q h).
Proof. induction 1; simpl; auto using alike_uniform. Qed.

(** Their releases have the same distribution: the loss is 0. *)
Theorem alike_mean {A} (p q : program A) g : alike p q -> mean p g == mean q g.
Proof.
  induction 1 as [a|b f h _ IH]; [reflexivity|]. cbn [mean].
  apply Qmult_comp; [|reflexivity]. apply range_ext. intros. apply IH.
Qed.

(** Equal bytes give equal outputs. *)
Theorem alike_run {A} (p q : program A) source : alike p q -> run p source = run q source.
Proof.
  intros H. revert source. induction H as [a|b f h _ IH]; intros source; [reflexivity|]. cbn [run].
  destruct (uniform_below b source) as [[i rest]|]; [apply IH|reflexivity].
Qed.

Section Policy.

(** ** The word that a token is typed as *)

Variable spelling : Type. (** normalized strings *)
Variable equal : spelling -> spelling -> bool.
Variable find_word : spelling -> option nat. (** the vocabulary *)
Variable candidates : spelling -> list spelling. (** the candidates for a token, itself first *)

Record secret_list := SecretList { members : list nat; forms : list spelling }.

Definition head (l : secret_list) : nat := hd 0%nat (members l).

Variable lists : list secret_list.

Definition list_of_word (id : nat) : option secret_list :=
  find (fun l => existsb (Nat.eqb id) (members l)) lists.

Definition list_of_form (s : spelling) : option secret_list :=
  find (fun l => existsb (equal s) (forms l)) lists.

(** The first candidate that is a word or a form: [Tokenizer.look_up]. *)
Fixpoint look_up (cs : list spelling) : @token nat :=
  match cs with
  | [] => Unknown
  | s :: cs =>
      match find_word s with
      | Some id => Known (match list_of_word id with Some l => head l | None => id end)
      | None => match list_of_form s with Some l => Known (head l) | None => look_up cs end
      end
  end.

(** A token of the text, or a mark with the app's list, or without a list. *)
Inductive typed := Plain (s : spelling) | Marked (s : spelling) (of : option secret_list).

(** g *)
Definition typed_as (a : typed) : @token nat :=
  match a with
  | Plain s => look_up (candidates s)
  | Marked _ (Some l) => Known (head l)
  | Marked _ None => Unknown
  end.

(** No word and no form is in two lists: [read_policy] refuses the manifest. *)
Definition disjoint : Prop := forall l l', In l lists -> In l' lists ->
  (exists id, In id (members l) /\ In id (members l')) \/
  (exists s, existsb (equal s) (forms l) = true /\ existsb (equal s) (forms l') = true) -> l = l'.

(** The tokens of a list: its members, its forms, and marks with this list. *)
Inductive belongs (l : secret_list) : typed -> Prop :=
| a_member s before c after id :
    candidates s = before ++ c :: after -> Forall (fun c => look_up [c] = Unknown) before ->
    find_word c = Some id -> In id (members l) -> belongs l (Plain s)
| a_form s before c after :
    candidates s = before ++ c :: after -> Forall (fun c => look_up [c] = Unknown) before ->
    find_word c = None -> existsb (equal c) (forms l) = true -> belongs l (Plain s)
| a_mark s : belongs l (Marked s (Some l)).

Lemma find_only {A} (f : A -> bool) (l : list A) x :
  In x l -> f x = true -> (forall y, In y l -> f y = true -> y = x) -> find f l = Some x.
Proof.
  intros Hx Hf Only. destruct (find f l) as [y|] eqn:E.
  - apply find_some in E as [Hy E]. f_equal. now apply Only.
  - apply find_none with (x := x) in E; [|exact Hx]. congruence.
Qed.

Lemma has_member l id : existsb (Nat.eqb id) (members l) = true <-> In id (members l).
Proof.
  rewrite existsb_exists. split.
  - intros (id' & H & E). apply Nat.eqb_eq in E. now subst.
  - intros H. exists id. split; [exact H|apply Nat.eqb_refl].
Qed.

Lemma look_up_after before cs :
  Forall (fun c => look_up [c] = Unknown) before -> look_up (before ++ cs) = look_up cs.
Proof.
  induction 1 as [|c before Hc _ IH]; [reflexivity|]. cbn [app look_up] in *.
  destruct (find_word c); [discriminate|]. destruct (list_of_form c); [discriminate|exact IH].
Qed.

(** All tokens of a list are typed as its head. *)
Theorem typed_as_head l a : disjoint -> In l lists -> belongs l a -> typed_as a = Known (head l).
Proof.
  intros Disjoint Hl [s before c after id E Hb Hc Hid|s before c after E Hb Hc Hf|s]; [| |reflexivity];
    cbn [typed_as]; rewrite E, look_up_after by exact Hb; cbn [look_up]; rewrite Hc.
  - unfold list_of_word. rewrite (find_only _ lists l); auto; [now apply has_member|].
    intros l' Hl' H. apply has_member in H. apply Disjoint; auto. left. now exists id.
  - unfold list_of_form. rewrite (find_only _ lists l); auto.
    intros l' Hl' H. apply Disjoint; auto. right. now exists c.
Qed.

(** ** A release *)

Variables one T : N. (** 2^63, and the number of the coin's values that pass a word *)
Variable coins : bool. (** whether the policy has passing words *)
Variable passes : nat -> bool.

Variable stand_in : program nat.
(** The draws for a known word, after the earlier releases: with the setting's epsilon, and a
    memory's second draws. *)
Variables mechanism second : option nat -> nat -> program nat.

Definition drawn_or_passed (a : @token nat) (drawn : program nat) : program nat :=
  if coins then pass one T (passing_word passes a) drawn else drawn.

(** The input of a token's draw: [Privatizer._drawn]. *)
Definition known_for (a : @token nat) : program nat :=
  match a with
  | Known id => Return id
  | Unknown => stand_in
  end.

Fixpoint known_for_all (text : list typed) : program (list nat) :=
  match text with
  | [] => Return []
  | a :: text => id <- known_for (typed_as a) ;; ids <- known_for_all text ;; Return (id :: ids)
  end.

(** Word by word, each after the earlier releases. *)
Fixpoint drawn_all (before : option nat) (text : list typed) (ids : list nat) : program (list nat) :=
  match text, ids with
  | a :: text, id :: ids =>
      y <- drawn_or_passed (typed_as a) (mechanism before id) ;;
      ys <- drawn_all (Some y) text ids ;; Return (y :: ys)
  | _, _ => Return []
  end.

(** ** With a memory *)

Variables key memory : Type.
(** [Memory.key]: the running period's key, a new one or not, and its stored state. *)
Variable key_of : memory -> Period.instant -> program (key * memory).
(** HMAC-SHA256, with the setting and the bundle. It may be any function of a key and a message. *)
Variable keyed : key -> list N -> list N.
Variable bytes_of : nat -> list N. (** a word's UTF-8, after its kind *)
Variable bytes_of_unknown : list N.

(** The message names the word that a token is typed as; for an unknown token, nothing. *)
Definition message (a : typed) : list N :=
  match typed_as a with
  | Known id => bytes_of id
  | Unknown => bytes_of_unknown
  end.

(** First draws take the keyed function's bytes, and return nothing if these end. *)
Fixpoint first_draws (k : key) (text : list typed) : option (list nat) :=
  match text with
  | [] => Some []
  | a :: text =>
      let first := id <- known_for (typed_as a) ;; drawn_or_passed (typed_as a) (mechanism None id) in
      match run first (keyed k (message a)), first_draws k text with
      | Some y, Some ys => Some (y :: ys)
      | _, _ => None
      end
  end.

Fixpoint second_draws (before : option nat) (ids : list nat) : program (list nat) :=
  match ids with
  | [] => Return []
  | id :: ids =>
      y <- drawn_or_passed (Known id) (second before id) ;;
      ys <- second_draws (Some y) ids ;; Return (y :: ys)
  end.

Definition release_text (k : option key) (before : option nat) (text : list typed) :
    program (option (list nat)) :=
  match k with
  | None => ids <- known_for_all text ;; ys <- drawn_all before text ids ;; Return (Some ys)
  | Some k =>
      match first_draws k text with
      | Some ids => ys <- second_draws before ids ;; Return (Some ys)
      | None => Return None
      end
  end.

(** ** A device *)

Inductive oov := Random | Drop | Error.
Variable policy : oov.
Variables limit length cost_of_word cost_of_report unit : N. (** of the budget *)
Variables keep keep_second symbols : N. (** of counts: [symbols - 1] is that of unknown words *)
Variable most : nat. (** reports a day *)
Variables (counts_bytes_of : N -> list N) (has_memory : bool).

Record world := World { on : device; kept : memory; seen : nat; sample : list N }.

(** An output, or a message to the app. *)
Inductive observation :=
| Nothing | Refused | Unknown_word (place : nat) | Broken
| Shown (texts : list (list (spelling + nat))) | Batch (reports : list N).

(** A text consists of parts that leave as typed, under [rest = "pass"], and tokens. *)
Definition text := list (spelling + typed).

(** The events of a device. Time, restarts and other processes are arbitrary, but see nothing typed.
    One of its budgets' objects releases texts, and words for counts. *)
Inductive event :=
| Happens (change : device -> device)
| Writes (object : nat) (before : option nat) (texts : list text)
| Reports (object : nat) (words : list typed)
| Ends_day.

Definition tokens_of (t : text) : list typed :=
  flat_map (fun piece => match piece with inl _ => [] | inr a => [a] end) t.

Definition is_unknown (a : typed) : bool :=
  match typed_as a with Known _ => false | Unknown => true end.

(** A token that isn't released is left out, or raises an error that names its place. *)
Definition left_out (a : typed) : bool := match policy with Drop => is_unknown a | _ => false end.

Fixpoint place_of_unknown (text : list typed) : option nat :=
  match text with
  | [] => None
  | a :: text => if is_unknown a then Some 0%nat else option_map S (place_of_unknown text)
  end.

(** The text again, with the releases for its tokens. *)
Fixpoint assembled (t : text) (ys : list nat) : list (spelling + nat) :=
  match t with
  | [] => []
  | inl s :: t => inl s :: assembled t ys
  | inr a :: t =>
      if left_out a then assembled t ys
      else match ys with y :: ys => inr y :: assembled t ys | [] => [] end
  end.

Fixpoint release_texts (k : option key) (before : option nat) (texts : list text) :
    program (option (list (list (spelling + nat)))) :=
  match texts with
  | [] => Return (Some [])
  | t :: texts =>
      ys <- release_text k before (filter (fun a => negb (left_out a)) (tokens_of t)) ;;
      rest <- release_texts k before texts ;;
      Return (match ys, rest with Some ys, Some rest => Some (assembled t ys :: rest) | _, _ => None end)
  end.

(** [PrivacyBudget.spend] by an object, with the records of Device.v for its proof. *)
Definition spent_by (object : nat) (cost each : N) (dev : device) : option device :=
  match nth_error (objects dev) object with
  | None => None
  | Some mine =>
      match spend limit length (file dev) mine (clock dev) cost each unit with
      | None => None
      | Some (file', lease') =>
          let leased :=
            match mine with Some l => allows length l cost unit (clock dev) | None => false end in
          let new := negb leased && snd (look length (file dev) (clock dev)) in
          Some {|
            clock := clock dev;
            file := file';
            objects := firstn object (objects dev) ++ Some lease' :: skipn (S object) (objects dev);
            in_run := if leased then in_run dev else true;
            time := time dev;
            written := if leased then written dev else time dev;
            restarts := restarts dev;
            starts := if new then (starts dev + 1)%N else starts dev;
            here := if new then cost else (here dev + cost)%N;
            before := if new then (before dev + here dev)%N else before dev
          |}
      end
  end.

(** A release is one of a device's steps. *)
Theorem spent_is_step object cost each dev dev' :
  unit <> 0%N -> spent_by object cost each dev = Some dev' -> step limit length dev dev'.
Proof.
  intros Hunit H. unfold spent_by in H. destruct (nth_error _ _) as [mine|] eqn:E; [|discriminate].
  destruct dev as [c f o i t w r n h b]. cbn [clock file objects in_run time written restarts starts here before] in *.
  destruct (spend _ _ _ _ _ _ _ _) as [[f' l']|] eqn:Hs; [|discriminate]. inversion H as [H']. clear H H'.
  assert (o = firstn object o ++ mine :: skipn (S object) o) as Ho.
  { clear - E. revert object E. induction o as [|m o IH]; intros [|object] E; try discriminate; simpl in *.
    - now inversion E.
    - f_equal. now apply IH. }
  rewrite Ho at 1. clear Ho E.
  assert (spend_stored limit length f mine c cost each unit = Some (f', l') ->
    let new := snd (look length f c) in
    step limit length (Device c f (firstn object o ++ mine :: skipn (S object) o) i t w r n h b)
      (Device c f' (firstn object o ++ Some l' :: skipn (S object) o) true t t r
        (if new then n + 1 else n) (if new then cost else h + cost) (if new then b + h else b))%N)
    as Stored.
  { intros Hst new. unfold new. destruct (look length f c) as [s nw] eqn:El. cbn [snd].
    now apply spends_stored with each unit s. }
  unfold spend in Hs. destruct mine as [l|]; [|now apply Stored].
  destruct (allows length l cost unit c) eqn:Ea; [|now apply Stored].
  inversion Hs; subst. cbn [negb andb]. now apply spends_lease with unit.
Qed.

Definition symbol_of (a : typed) : N :=
  match typed_as a with
  | Known id => N.of_nat id
  | Unknown => symbols - 1
  end.

(** First responses, with a memory; none without one. *)
Definition symbols_of (k : option key) (words : list typed) : list N :=
  match k with
  | None => map symbol_of words
  | Some k => map (fun a =>
      match run (respond one keep symbols (symbol_of a)) (keyed k (counts_bytes_of (symbol_of a))) with
      | Some y => y
      | None => symbols - 1
      end%N) words
  end.

Definition key_now (w : world) : program (option key * memory) :=
  if has_memory then k <- key_of (kept w) (clock (on w)) ;; Return (Some (fst k), snd k)
  else Return (None, kept w).

Definition happen (w : world) (e : event) : program (observation * world) :=
  match e with
  | Happens change => Return (Nothing, World (change (on w)) (kept w) (seen w) (sample w))
  | Writes object before texts =>
      k <- key_now w ;;
      let tokens := flat_map tokens_of texts in
      match spent_by object (cost_of_word * N.of_nat (List.length tokens)) cost_of_word (on w) with
      | None => Return (Refused, World (on w) (snd k) (seen w) (sample w))
      | Some paid =>
          let w' := World paid (snd k) (seen w) (sample w) in
          match policy, place_of_unknown tokens with
          | Error, Some place => Return (Unknown_word place, w')
          | _, _ =>
              shown <- release_texts (fst k) before texts ;;
              Return (match shown with Some s => Shown s | None => Broken end, w')
          end
      end
  | Reports object words =>
      k <- key_now w ;;
      let new := N.of_nat (Nat.min (List.length words) (most - List.length (sample w))) in
      match spent_by object (cost_of_report * new) cost_of_report (on w) with
      | None => Return (Refused, World (on w) (snd k) (seen w) (sample w))
      | Some paid =>
          let threshold := match fst k with Some _ => keep_second | None => keep end in
          sample' <- collect (respond one threshold symbols) most (seen w) (sample w) (symbols_of (fst k) words) ;;
          Return (Nothing, World paid (snd k) (seen w + List.length words) sample')
      end
  | Ends_day => Return (Batch (sample w), World (on w) (kept w) 0 [])
  end.

(** The next event may depend on all earlier outputs. *)
Fixpoint live (events : nat) (person : list observation -> event) (past : list observation) (w : world) :
    program (list observation * world) :=
  match events with
  | O => Return (past, w)
  | S events => o <- happen w (person past) ;; live events person (fst o :: past) (snd o)
  end.

(** ** Equal g, token by token *)

Definition typed_alike (a b : typed) : Prop := typed_as a = typed_as b.

Definition same_piece (p q : spelling + typed) : Prop :=
  match p, q with
  | inl s, inl s' => s = s'
  | inr a, inr b => typed_alike a b
  | _, _ => False
  end.

Definition same_event (e e' : event) : Prop :=
  match e, e' with
  | Happens change, Happens change' => forall dev, change dev = change' dev
  | Writes object before texts, Writes object' before' texts' =>
      object = object' /\ before = before' /\ Forall2 (Forall2 same_piece) texts texts'
  | Reports object words, Reports object' words' =>
      object = object' /\ Forall2 typed_alike words words'
  | Ends_day, Ends_day => True
  | _, _ => False
  end.

Lemma same_length words words' :
  Forall2 typed_alike words words' -> List.length words = List.length words'.
Proof. induction 1; simpl; congruence. Qed.

Lemma known_for_all_alike text text' :
  Forall2 typed_alike text text' -> alike (known_for_all text) (known_for_all text').
Proof.
  induction 1 as [|a b text text' Hab _ IH]; simpl; [apply alike_refl|]. rewrite Hab.
  apply alike_bind; [apply alike_refl|]. intros id. apply alike_bind; [exact IH|].
  intros ids. apply alike_refl.
Qed.

Lemma drawn_all_alike before text text' ids :
  Forall2 typed_alike text text' -> alike (drawn_all before text ids) (drawn_all before text' ids).
Proof.
  intros H. revert before ids. induction H as [|a b text text' Hab _ IH]; intros before [|id ids];
    simpl; try apply alike_refl.
  rewrite Hab. apply alike_bind; [apply alike_refl|]. intros y. apply alike_bind; [apply IH|].
  intros ys. apply alike_refl.
Qed.

Lemma first_draws_same k text text' :
  Forall2 typed_alike text text' -> first_draws k text = first_draws k text'.
Proof.
  induction 1 as [|a b text text' Hab _ IH]; simpl; [reflexivity|].
  unfold message. now rewrite Hab, IH.
Qed.

Lemma release_text_alike k before text text' :
  Forall2 typed_alike text text' -> alike (release_text k before text) (release_text k before text').
Proof.
  intros H. unfold release_text. destruct k as [k|].
  - rewrite (first_draws_same k text text' H). apply alike_refl.
  - apply alike_bind; [now apply known_for_all_alike|]. intros ids.
    apply alike_bind; [now apply drawn_all_alike|]. intros ys. apply alike_refl.
Qed.

Lemma tokens_alike t t' : Forall2 same_piece t t' -> Forall2 typed_alike (tokens_of t) (tokens_of t').
Proof.
  induction 1 as [|[s|a] [s'|b] t t' H _ IH]; simpl; try contradiction; auto.
Qed.

Lemma flat_tokens_alike texts texts' :
  Forall2 (Forall2 same_piece) texts texts' ->
  Forall2 typed_alike (flat_map tokens_of texts) (flat_map tokens_of texts').
Proof. induction 1; simpl; [constructor|]. apply Forall2_app; auto. now apply tokens_alike. Qed.

Lemma left_out_same a b : typed_alike a b -> left_out a = left_out b.
Proof. intros H. unfold left_out, is_unknown. now rewrite H. Qed.

Lemma filtered_alike words words' :
  Forall2 typed_alike words words' ->
  Forall2 typed_alike (filter (fun a => negb (left_out a)) words)
    (filter (fun a => negb (left_out a)) words').
Proof.
  induction 1 as [|a b words words' Hab _ IH]; simpl; [constructor|].
  rewrite (left_out_same a b Hab). destruct (left_out b); simpl; auto.
Qed.

Lemma assembled_same t t' ys : Forall2 same_piece t t' -> assembled t ys = assembled t' ys.
Proof.
  intros H. revert ys. induction H as [|[s|a] [s'|b] t t' H _ IH]; intros ys; simpl; try contradiction.
  - reflexivity.
  - simpl in H. now rewrite H, IH.
  - rewrite (left_out_same a b H). destruct (left_out b); [apply IH|]. destruct ys; [reflexivity|].
    now rewrite IH.
Qed.

Lemma release_texts_alike k before texts texts' :
  Forall2 (Forall2 same_piece) texts texts' ->
  alike (release_texts k before texts) (release_texts k before texts').
Proof.
  induction 1 as [|t t' texts texts' Ht _ IH]; simpl; [apply alike_refl|].
  apply alike_bind; [apply release_text_alike, filtered_alike, tokens_alike, Ht|]. intros ys.
  apply alike_bind; [exact IH|]. intros rest.
  destruct ys as [ys|]; [|apply alike_refl]. rewrite (assembled_same t t' ys Ht). apply alike_refl.
Qed.

Lemma place_of_unknown_same words words' :
  Forall2 typed_alike words words' -> place_of_unknown words = place_of_unknown words'.
Proof.
  induction 1 as [|a b words words' Hab _ IH]; simpl; [reflexivity|]. unfold is_unknown.
  now rewrite Hab, IH.
Qed.

Lemma symbols_of_same k words words' :
  Forall2 typed_alike words words' -> symbols_of k words = symbols_of k words'.
Proof.
  intros H. assert (map symbol_of words = map symbol_of words') as E.
  { induction H as [|a b words words' Hab _ IH]; simpl; [reflexivity|]. unfold symbol_of at 1 3.
    now rewrite Hab, IH. }
  destruct k as [k|]; [|exact E]. simpl.
  induction H as [|a b words words' Hab _ IH]; simpl; [reflexivity|].
  simpl in E. inversion E as [[E1 E2]]. now rewrite E1, IH.
Qed.

Lemma happen_alike w e e' : same_event e e' -> alike (happen w e) (happen w e').
Proof.
  intros H. destruct e as [change|object before texts|object words|], e' as [change'|object' before' texts'|
    object' words'|]; simpl in H; try contradiction.
  - simpl. rewrite H. apply alike_refl.
  - destruct H as (<- & <- & H). simpl. apply alike_bind; [apply alike_refl|]. intros k.
    pose proof (flat_tokens_alike _ _ H) as Ht.
    rewrite (same_length _ _ Ht), (place_of_unknown_same _ _ Ht).
    destruct (spent_by _ _ _ _) as [paid|]; [|apply alike_refl].
    assert (alike (shown <- release_texts (fst k) before texts ;;
        Return (match shown with Some s => Shown s | None => Broken end,
          World paid (snd k) (seen w) (sample w)))
      (shown <- release_texts (fst k) before texts' ;;
        Return (match shown with Some s => Shown s | None => Broken end,
          World paid (snd k) (seen w) (sample w)))) as Released.
    { apply alike_bind; [now apply release_texts_alike|]. intros. apply alike_refl. }
    destruct policy; try exact Released.
    destruct (place_of_unknown _); [apply alike_refl|exact Released].
  - destruct H as (<- & H). simpl. apply alike_bind; [apply alike_refl|]. intros k.
    rewrite (same_length _ _ H), (symbols_of_same _ _ _ H). apply alike_refl.
  - apply alike_refl.
Qed.

Lemma live_alike events person person' past w :
  (forall past, same_event (person past) (person' past)) ->
  alike (live events person past w) (live events person' past w).
Proof.
  intros H. revert past w. induction events as [|events IH]; intros past w; simpl; [apply alike_refl|].
  apply alike_bind; [now apply happen_alike|]. intros o. apply IH.
Qed.

(** "If g(a) = g(b) token by token, all that ever leaves has the same distribution", and so has the
    device's state; for equal bytes, both are the same. *)
Theorem policy_same events person person' w :
  (forall past, same_event (person past) (person' past)) ->
  (forall g, mean (live events person [] w) g == mean (live events person' [] w) g) /\
  (forall source, run (live events person [] w) source = run (live events person' [] w) source).
Proof. intros H. split; intros; [apply alike_mean|apply alike_run]; now apply live_alike. Qed.

End Policy.
