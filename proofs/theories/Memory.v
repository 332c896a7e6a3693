(** A keyed memory: a word has one first draw in a period, and each release is a second draw from
    its result. docs/explanation/proofs.md, "Memory".

    The idealization: to anyone without the key, HMAC-SHA256 gives each word its own random bytes,
    uniform and independent of those of all other words. The first draw of the word u is therefore x
    with the probability [first u x], independently of the other words' first draws, and [average]
    is the mean over them. The page assumes that HMAC-SHA256 can be distinguished from this only
    with a small advantage. This isn't proven here. *)

From Coq Require Import Lia List Lqa QArith.
From Brrkit Require Import Probability Postprocessing Text.
Import ListNotations.
Open Scope Q_scope.

Section Memory.

Context {Word Y : Type}. (** words: the words that tokens are typed as; all unknown words are one *)

Variable same : forall u v : Word, {u = v} + {u <> v}.

Variable draws : list Y. (** the results of draws: the vocabulary *)
Variable first : Word -> Y -> Q. (** the first mechanism, on a word *)
Variable second : list Y -> Y -> Y -> Q. (** the second one, after the earlier releases *)

Hypothesis first_distribution : forall u, distribution draws (first u).
Hypothesis second_nonnegative : forall past x, nonnegative draws (second past x).

(** ** Random functions *)

(** The first draws of some words. *)
Definition table := list (Word * Y).

Fixpoint lookup (T : table) (u : Word) : option Y :=
  match T with
  | [] => None
  | (v, x) :: T => if same u v then Some x else lookup T u
  end.

(** The mean of [f] over the independent first draws of [words]. *)
Fixpoint average (words : list Word) (f : table -> Q) : Q :=
  match words with
  | [] => f []
  | u :: words => Qsum (fun x => first u x * average words (fun T => f ((u, x) :: T))) draws
  end.

Definition table_of (words : list Word) (T : table) : Prop :=
  map fst T = words /\ forall u x, In (u, x) T -> In x draws.

Lemma table_of_cons u x words T :
  table_of words T -> In x draws -> table_of (u :: words) ((u, x) :: T).
Proof.
  intros [H H'] Hx. split; [simpl; now f_equal|]. intros v z [E|Hin]; [congruence|now apply H' with v].
Qed.

Lemma average_ext words f g :
  (forall T, table_of words T -> f T == g T) -> average words f == average words g.
Proof.
  revert f g. induction words as [|u words IH]; intros f g H; simpl.
  - apply H. split; [reflexivity|easy].
  - apply Qsum_ext. intros x Hx. rewrite (IH _ (fun T => g ((u, x) :: T))); [reflexivity|].
    intros T HT. apply H. now apply table_of_cons.
Qed.

Lemma average_le words r f g :
  (forall T, table_of words T -> f T <= r * g T) -> average words f <= r * average words g.
Proof.
  revert f g. induction words as [|u words IH]; intros f g H; simpl.
  - apply H. split; [reflexivity|easy].
  - rewrite <- Qsum_scale. apply Qsum_le. intros x Hx.
    setoid_replace (r * (first u x * average words (fun T => g ((u, x) :: T))))
      with (r * average words (fun T => g ((u, x) :: T)) * first u x) by ring.
    rewrite Qmult_comm. apply Qmult_le_compat_r; [|now apply (first_distribution u)].
    apply IH. intros T HT. apply H. now apply table_of_cons.
Qed.

Lemma average_nonneg words f :
  (forall T, table_of words T -> 0 <= f T) -> 0 <= average words f.
Proof.
  revert f. induction words as [|u words IH]; intros f H; simpl.
  - apply H. split; [reflexivity|easy].
  - apply Qsum_nonneg. intros x Hx. apply Qmult_nonneg; [now apply (first_distribution u)|].
    apply IH. intros T HT. apply H. now apply table_of_cons.
Qed.

Lemma average_const words c : average words (fun _ => c) == c.
Proof.
  induction words as [|u words IH]; simpl; [reflexivity|].
  rewrite (Qsum_ext _ (fun x => c * first u x)) by (intros; rewrite IH; ring).
  rewrite Qsum_scale. destruct (first_distribution u) as [_ ->]. ring.
Qed.

(** A function of a table that depends only on its entries for the words [on]. *)
Definition looks_up (on : list Word) (f : table -> Q) : Prop :=
  forall T T', (forall u, In u on -> lookup T u = lookup T' u) -> f T == f T'.

Lemma average_extract before u after f :
  ~ In u before -> (forall T T', (forall v, lookup T v = lookup T' v) -> f T == f T') ->
  average (before ++ u :: after) f ==
  Qsum (fun x => first u x * average (before ++ after) (fun T => f ((u, x) :: T))) draws.
Proof.
  revert f. induction before as [|v before IH]; intros f Hu Hf; [reflexivity|].
  simpl. simpl in Hu. rewrite (Qsum_ext _ (fun y => Qsum (fun x =>
    first v y * (first u x * average (before ++ after) (fun T => f ((v, y) :: (u, x) :: T)))) draws)).
  - rewrite Qsum_swap. apply Qsum_ext. intros x _. rewrite <- Qsum_scale. apply Qsum_ext. intros y _.
    rewrite (average_ext _ _ (fun T => f ((u, x) :: (v, y) :: T))); [ring|].
    intros T _. apply Hf. intros z. simpl. destruct (same z v), (same z u); auto. subst. tauto.
  - intros y _. rewrite IH, Qsum_scale; [reflexivity|tauto|].
    intros T T' HT. apply Hf. intros z. simpl. now rewrite HT.
Qed.

(** Unused words, and the order of words, do not matter. *)
Lemma average_universe used universe f :
  NoDup used -> NoDup universe -> incl used universe -> looks_up used f ->
  average universe f == average used f.
Proof.
  revert universe f. induction used as [|u used IH]; intros universe f Hused Huniv Hincl Hf.
  - simpl. rewrite <- (average_const universe (f [])). apply average_ext. intros T _. now apply Hf.
  - destruct (in_split u universe) as (before & after & ->); [apply Hincl; now left|].
    apply NoDup_remove in Huniv as [Huniv Hnot]. inversion Hused; subst.
    rewrite average_extract.
    + simpl. apply Qsum_ext. intros x _. rewrite IH; auto; [reflexivity| |].
      * intros v Hv. specialize (Hincl v (or_intror Hv)). apply in_app_or in Hincl.
        apply in_or_app. destruct Hincl as [?|[<-|?]]; auto. contradiction.
      * intros T T' HT. apply Hf. intros v [<-|Hv]; simpl.
        -- now destruct (same u u).
        -- destruct (same v u); auto.
    + intros Hin. apply Hnot, in_or_app. now left.
    + intros T T' HT. apply Hf. auto.
Qed.

(** ** A period *)

(** The probability that the words of a period become [ys], after the period's earlier releases
    [past], the last word first. The beginnings of texts are public, so the second mechanism may
    know them: [Privatizer._drawn] passes it the previously released word of the same text. *)
Fixpoint releases (past : list Y) (words : list Word) (ys : list Y) (T : table) : Q :=
  match words, ys with
  | u :: words, y :: ys =>
      match lookup T u with
      | Some x => second past x y * releases (y :: past) words ys T
      | None => 0
      end
  | [], [] => 1
  | _, _ => 0
  end.

(** The same over the first draws. [universe] contains all words that tokens can be typed as: the
    keyed function's arguments. *)
Definition memory (universe words : list Word) (ys : list Y) : Q :=
  average universe (releases [] words ys).

Lemma releases_look_up past words ys : looks_up words (releases past words ys).
Proof.
  intros T T'. revert past ys. induction words as [|u words IH]; intros past [|y ys] H; simpl;
    try reflexivity.
  rewrite (H u) by now left. destruct (lookup T' u); [|reflexivity].
  rewrite IH; [reflexivity|]. intros v Hv. apply H. now right.
Qed.

Lemma releases_nonneg past words ys universe T :
  Forall (fun y => In y draws) ys -> table_of universe T -> 0 <= releases past words ys T.
Proof.
  intros Hys HT. revert past words. induction Hys as [|y ys Hy _ IH]; intros past [|u words]; simpl;
    try lra.
  destruct (lookup T u) as [x|]; [|lra]. apply Qmult_nonneg; auto. now apply second_nonnegative.
Qed.

(** The choice between two universes that contain a period's words does not matter. *)
Lemma memory_universe universe words ys :
  NoDup universe -> incl words universe ->
  memory universe words ys == memory (nodup same words) words ys.
Proof.
  intros Hu Hw. apply average_universe; auto using NoDup_nodup.
  - intros v Hv. apply Hw. now apply nodup_In in Hv.
  - intros T T' H. apply releases_look_up. intros v Hv. apply H. now apply nodup_In.
Qed.

Lemma average_sum {Z} words (f : Z -> table -> Q) l :
  Qsum (fun z => average words (f z)) l == average words (fun T => Qsum (fun z => f z T) l).
Proof.
  revert f. induction words as [|u words IH]; intros f; simpl; [reflexivity|].
  rewrite Qsum_swap. apply Qsum_ext. intros x _. now rewrite Qsum_scale, IH.
Qed.

Lemma lookup_some universe T u : table_of universe T -> In u universe ->
  exists x, lookup T u = Some x /\ In x draws.
Proof.
  intros [<- Hdraws] Hu. induction T as [|[v x] T IH]; simpl in *; [easy|].
  destruct (same u v) as [E|E].
  - exists x. split; auto. now apply Hdraws with v; left.
  - apply IH; [|destruct Hu; [congruence|auto]]. intros z y Hz. apply Hdraws with z. now right.
Qed.

(** These are probabilities: they add up to 1. *)
Theorem memory_distribution universe words :
  (forall past x, In x draws -> distribution draws (second past x)) -> incl words universe ->
  distribution (lists draws (length words)) (memory universe words).
Proof.
  intros Hsecond Hwords. split.
  - intros ys Hys. apply average_nonneg. intros T HT. apply releases_nonneg with universe; auto.
    now apply lists_spec in Hys.
  - unfold memory. rewrite average_sum, (average_ext _ _ (fun _ => 1)); [apply average_const|].
    intros T HT. generalize (@nil Y). induction words as [|u words IH]; intros past; [reflexivity|].
    apply incl_cons_inv in Hwords as [Hu Hwords]. cbn [length]. rewrite Qsum_lists. cbn [releases].
    destruct (lookup_some universe T u HT Hu) as (x & Ex & Hx). rewrite Ex.
    destruct (Hsecond past x Hx) as [_ Hsum]. rewrite <- Hsum. apply Qsum_ext. intros y _.
    rewrite Qsum_scale, IH by auto. ring.
Qed.

(** ** A word, at all its places *)

Section Renaming.

Variable f : Word -> Word.
Variable loss : Word -> Q. (** the loss between the first draws of u and f u, as a factor *)

Definition renamed (T : table) : table := map (fun entry => (f (fst entry), snd entry)) T.

Definition product (words : list Word) : Q := fold_right (fun u p => loss u * p) 1 words.

Lemma average_renamed words g :
  (forall u, In u words -> bounded (loss u) draws (first u) (first (f u))) ->
  (forall T, table_of (map f words) T -> 0 <= g T) ->
  average words (fun T => g (renamed T)) <= product words * average (map f words) g.
Proof.
  revert g. induction words as [|u words IH]; intros g H Hg; simpl.
  - rewrite Qmult_1_l. apply Qle_refl.
  - rewrite <- Qsum_scale. apply Qsum_le. intros x Hx.
    set (A := average words (fun T => g (renamed ((u, x) :: T)))).
    set (B := average (map f words) (fun T => g ((f u, x) :: T))).
    assert (HA : A <= product words * B).
    { apply (IH (fun T => g ((f u, x) :: T))).
      - intros v Hv. apply H. now right.
      - intros T HT. apply Hg. now apply table_of_cons. }
    assert (HA0 : 0 <= A).
    { apply average_nonneg. intros T [HT HT']. apply Hg. simpl. apply table_of_cons; auto. split.
      - rewrite <- HT. unfold renamed. rewrite !map_map. now apply map_ext.
      - intros v z Hz. apply in_map_iff in Hz as ([v' z'] & E & Hin). inversion E; subst.
        now apply HT' with v'. }
    apply Qle_trans with ((loss u * first (f u) x) * (product words * B)).
    + apply Qmult_le_pairs; auto.
      * now apply (first_distribution u).
      * apply H; auto. now left.
    + lra.
Qed.

Lemma lookup_renamed T u :
  (forall v, In v (map fst T) -> f v = f u -> v = u) -> lookup (renamed T) (f u) = lookup T u.
Proof.
  induction T as [|[v x] T IH]; intros H; simpl; [reflexivity|]. simpl in H.
  destruct (same (f u) (f v)) as [E|E], (same u v) as [E'|E']; subst; try congruence.
  - exfalso. apply E'. symmetry. apply H; auto.
  - apply IH. auto.
Qed.

Lemma releases_renamed past words ys T :
  (forall u v, In u words -> In v (map fst T) -> f v = f u -> v = u) ->
  releases past words ys T == releases past (map f words) ys (renamed T).
Proof.
  revert past ys. induction words as [|u words IH]; intros past [|y ys] H; simpl; try reflexivity.
  rewrite lookup_renamed by (intros; apply H; auto; now left).
  destruct (lookup T u); [|reflexivity]. rewrite IH; [reflexivity|].
  intros v z Hv. apply H. now right.
Qed.

(** Statement 1: to the history in which f u replaces each word u, the loss is the product of the
    different words' factors, for any number of releases of each. *)
Theorem memory_renaming universe words ys :
  NoDup universe -> incl words universe -> incl (map f words) universe ->
  (forall u v, In u words -> In v words -> f u = f v -> u = v) ->
  (forall u, In u words -> bounded (loss u) draws (first u) (first (f u))) ->
  Forall (fun y => In y draws) ys ->
  memory universe words ys <= product (nodup same words) * memory universe (map f words) ys.
Proof.
  intros Huniv Hwords Hrenamed Hinj Hloss Hys.
  set (different := nodup same words).
  assert (Hin : forall u, In u different <-> In u words) by (intros; apply nodup_In).
  assert (Hdiff : memory universe (map f words) ys == memory (map f different) (map f words) ys).
  { apply average_universe; auto.
    - assert (Hnd : NoDup different) by apply NoDup_nodup.
      assert (Hsub : forall u, In u different -> In u words) by (intros; now apply Hin).
      clear - Hnd Hsub Hinj. induction Hnd as [|u l Hu _ IH]; simpl; constructor.
      + intros H. apply in_map_iff in H as (v & E & Hv). apply Hu.
        replace u with v; auto. apply Hinj; auto; apply Hsub; simpl; auto.
      + apply IH. intros v Hv. apply Hsub. now right.
    - intros z Hz. apply in_map_iff in Hz as (v & <- & Hv). apply Hrenamed, in_map, Hin, Hv.
    - intros T T' H. apply releases_look_up. intros z Hz. apply H.
      apply in_map_iff in Hz as (v & <- & Hv). apply in_map, Hin, Hv. }
  rewrite Hdiff, memory_universe by auto. fold different.
  apply Qle_trans with (average different (fun T => releases [] (map f words) ys (renamed T))).
  - unfold memory. rewrite (average_ext _ _ (fun T => releases [] (map f words) ys (renamed T)));
      [apply Qle_refl|].
    intros T [HT _]. apply releases_renamed. rewrite HT. intros u v Hu Hv. apply Hinj; auto.
    now apply Hin.
  - apply average_renamed.
    + intros u Hu. apply Hloss. now apply Hin.
    + intros T HT. now apply releases_nonneg with (map f different).
Qed.

End Renaming.

(** ** Some places *)

Section Places.

Variable far : Q. (** the loss between second draws of any two words, as a factor: epsilon_2*P_max, or the cap *)
Hypothesis second_private : forall past x x', In x draws -> In x' draws ->
  bounded far draws (second past x) (second past x').

Fixpoint places_loss (words words' : list Word) : Q :=
  match words, words' with
  | u :: words, v :: words' => (if same u v then 1 else far) * places_loss words words'
  | _, _ => 1
  end.

Lemma releases_places universe past words words' ys T :
  table_of universe T -> incl words universe -> incl words' universe ->
  length words = length words' -> Forall (fun y => In y draws) ys ->
  releases past words ys T <= places_loss words words' * releases past words' ys T.
Proof.
  intros HT. revert past words' ys.
  induction words as [|u words IH]; intros past [|v words'] [|y ys] Hw Hw' Hl Hys;
    simpl in Hl |- *; try discriminate Hl; try lra.
  apply incl_cons_inv in Hw as [Hu Hw]. apply incl_cons_inv in Hw' as [Hv Hw'].
  inversion Hys; subst.
  destruct (lookup_some universe T u HT Hu) as (x & Ex & Hx).
  destruct (lookup_some universe T v HT Hv) as (x' & Ex' & Hx').
  specialize (IH (y :: past) words' ys Hw Hw' ltac:(lia) ltac:(auto)).
  assert (Hnn : 0 <= releases (y :: past) words ys T) by now apply releases_nonneg with universe.
  rewrite Ex, Ex'. set (P := releases (y :: past) words ys T) in *.
  set (P' := releases (y :: past) words' ys T) in *.
  assert (Hstep : second past x y <= (if same u v then 1 else far) * second past x' y).
  { destruct (same u v) as [E|E].
    - subst v. rewrite Ex in Ex'. inversion Ex'; subst. lra.
    - now apply second_private. }
  apply Qle_trans with
    (((if same u v then 1 else far) * second past x' y) * (places_loss words words' * P')).
  - apply Qmult_le_pairs; auto. now apply second_nonnegative.
  - lra.
Qed.

(** Statement 2: between histories that differ in k places, the loss is at most k times that of
    second draws. *)
Theorem memory_places universe words words' ys :
  incl words universe -> incl words' universe -> length words = length words' ->
  Forall (fun y => In y draws) ys ->
  memory universe words ys <= places_loss words words' * memory universe words' ys.
Proof.
  intros. apply average_le. intros T HT. now apply releases_places with universe.
Qed.

End Places.

End Memory.

(** Statement 1 for first draws that are those of a text's first word. [kind] tells which tokens are
    known. L k is the factor for words k apart, as in Text.v. *)
Corollary memory_of_tokens {Token Word} same (kind : Token -> token) vocabulary d largest M L chosen
    second universe tokens (f : Token -> Token) ys :
  distribution vocabulary chosen ->
  (forall v v', In v vocabulary -> In v' vocabulary -> (d v v' <= largest)%nat) ->
  (forall h v, nonnegative vocabulary (M h v)) ->
  (forall h v, In v vocabulary -> distribution vocabulary (M h v)) ->
  (forall j k, (j <= k)%nat -> L j <= L k) -> 1 <= L 0%nat ->
  (forall h v v', In v vocabulary -> In v' vocabulary ->
     bounded (L (d v v')) vocabulary (M h v) (M h v')) ->
  (forall past (x : Word), nonnegative vocabulary (second past x)) ->
  (forall u, is_token vocabulary (kind u)) ->
  NoDup universe -> incl tokens universe -> incl (map f tokens) universe ->
  (forall u v, In u tokens -> In v tokens -> f u = f v -> u = v) ->
  Forall (fun y => In y vocabulary) ys ->
  memory same vocabulary (fun u => released vocabulary M chosen [] (kind u)) second universe tokens ys <=
  product (fun u => L (token_distance d largest (kind u) (kind (f u)))) (nodup same tokens) *
    memory same vocabulary (fun u => released vocabulary M chosen [] (kind u)) second universe (map f tokens) ys.
Proof.
  intros Hchosen Hlargest HM0 HM Hmono H0 Hpriv Hsecond Hkind Huniv Ht Hft Hinj Hys.
  apply memory_renaming; auto.
  - intros u. specialize (Hkind u). destruct (kind u) as [v|]; simpl; [now apply HM|].
    apply mixture_distribution; auto.
  - intros u _. now apply token_private.
Qed.
