(** Surrogates: in a prompt, another word of the same list replaces each marked one, the same one
    within a session. docs/explanation/proofs.md, "Lists". *)

From Coq Require Import Arith List NArith QArith.
From Brrkit Require Import Sums Program Draw Policy.
Import ListNotations.

Section Session.

Context {Marked Class Word : Type}.

Variable same : forall a b : Marked, {a = b} + {a <> b}. (** marked texts, normalized *)
Variable words_of : Class -> list Word. (** a list's members, or the surrogates without one *)
Variable word_same : forall u v : Word, {u = v} + {u <> v}.
Variable mass : Word -> N.

(** The surrogates and their texts. *)
Definition table := list (Marked * Word).

Fixpoint stands_for (t : table) (a : Marked) : option Word :=
  match t with
  | [] => None
  | (b, y) :: t => if same a b then Some y else stands_for t a
  end.

(** The words of a class that aren't surrogates yet. *)
Definition left_of (t : table) (c : Class) : list Word :=
  filter (fun y => if in_dec word_same y (map snd t) then false else true) (words_of c).

(** [Session.hide]: a surrogate for each mark, or none if no word is left. *)
Fixpoint hide (t : table) (marks : list (Marked * Class)) : program (list (option Word)) :=
  match marks with
  | [] => Return []
  | (a, c) :: marks =>
      match stands_for t a with
      | Some y => ys <- hide t marks ;; Return (Some y :: ys)
      | None =>
          match left_of t c with
          | [] => Return [None]
          | _ => Uniform (sum mass (left_of t c)) (fun number =>
              match pick mass (left_of t c) number with
              | Some y => ys <- hide ((a, y) :: t) marks ;; Return (Some y :: ys)
              | None => Return [None]
              end)
          end
      end
  end.

(** Other marked texts of the same classes, with the same equalities. *)
Variable f : Marked -> Marked.

Definition renamed (marks : list (Marked * Class)) : list (Marked * Class) :=
  map (fun m => (f (fst m), snd m)) marks.

Lemma renamed_alike all t marks :
  (forall a b, In a all -> In b all -> f a = f b -> a = b) ->
  incl (map fst t) all -> incl (map fst marks) all ->
  alike (hide t marks) (hide (map (fun e => (f (fst e), snd e)) t) (renamed marks)).
Proof.
  intros Inj. revert t. induction marks as [|[a c] marks IH]; intros t Ht Hm; [apply alike_refl|].
  cbn [hide renamed map fst snd]. fold (renamed marks).
  assert (In a all) as Ha by (apply Hm; now left).
  assert (incl (map fst marks) all) as Hms by (intros b Hb; apply Hm; now right).
  assert (stands_for (map (fun e => (f (fst e), snd e)) t) (f a) = stands_for t a) as ->.
  { clear - Ht Inj Ha. induction t as [|[b y] t IHt]; [reflexivity|]. cbn [map fst snd stands_for].
    rewrite IHt by (intros z Hz; apply Ht; now right).
    destruct (same (f a) (f b)) as [E|N], (same a b) as [E'|N']; try reflexivity; [|congruence].
    destruct N'. apply Inj; auto. apply Ht. now left. }
  assert (left_of (map (fun e => (f (fst e), snd e)) t) c = left_of t c) as ->.
  { unfold left_of. now rewrite map_map. }
  destruct (stands_for t a) as [y|].
  - apply alike_bind; [now apply IH|]. intros ys. apply alike_refl.
  - destruct (left_of t c) as [|w ws] eqn:E; [apply alike_refl|]. rewrite <- E. constructor. intros number.
    destruct (pick mass (left_of t c) number) as [y|]; [|apply alike_refl].
    apply alike_bind; [|intros; apply alike_refl].
    apply (IH ((a, y) :: t)); auto. intros b [<-|Hb]; auto.
Qed.

(** Surrogates depend only on the marks' number, classes and equalities. *)
Theorem session_same marks :
  (forall a b, In a (map fst marks) -> In b (map fst marks) -> f a = f b -> a = b) ->
  (forall g, mean (hide [] marks) g == mean (hide [] (renamed marks)) g)%Q /\
  (forall source, Uniform.run (hide [] marks) source = Uniform.run (hide [] (renamed marks)) source).
Proof.
  intros Inj. pose proof (renamed_alike (map fst marks) [] marks Inj) as H.
  cbn [map] in H. specialize (H ltac:(easy) ltac:(easy)).
  split; intros; [now apply alike_mean|now apply alike_run].
Qed.

End Session.
