(** Every release is on disk as spent before it happens: docs/explanation/proofs.md, "Budget", the
    lemma. *)

From Coq Require Import Bool Lia List NArith.
From Brrkit Require Import Sums Period Budget Device.
Import ListNotations.
Open Scope N_scope.

Section BudgetSpent.

Variables limit length : N.

Local Notation look := (look length).
Local Notation valid := (valid length).
Local Notation spend_stored := (spend_stored limit length).
Local Notation step := (step limit length).
Local Notation steps := (steps limit length).

(** The rest of a lease; 0 after its end. *)
Definition holds (now : instant) (m : option lease) : N :=
  match m with
  | Some l => if valid l now then stored l else 0
  | None => 0
  end.

Definition held (d : device) : N := sum (holds (clock d)) (objects d).

(** A lease belongs to this run. Until its end, it belongs to the file's period and unit. *)
Definition good_lease (now : instant) (s : state) (l : lease) : Prop :=
  lease_unit l <> 0 /\
  at_run (lease_period l) = run now /\ at_uptime (lease_period l) <= uptime now /\
  (valid l now = true ->
     lease_unit l = unit_of s /\
     elapsed (lease_period l) + at_uptime (period_of s) =
     elapsed (period_of s) + at_uptime (lease_period l)).

Definition good (d : device) : Prop :=
  match file d with
  | None =>
      (forall m, In m (objects d) -> m = None) /\ in_run d = false /\ here d = 0 /\ starts d = 0
  | Some s =>
      unit_of s <> 0 /\ spent s <= limit /\ here d + held d <= spent s /\ written d <= time d /\
      (forall l, In (Some l) (objects d) -> good_lease (clock d) s l) /\
      if in_run d then
        at_run (period_of s) = run (clock d) /\
        at_uptime (period_of s) + (time d - written d) = uptime (clock d)
      else
        (forall m, In m (objects d) -> m = None) /\ uptime (clock d) <= time d - written d
  end.

Lemma sum_holds_none now o : (forall m, In m o -> m = None) -> sum (holds now) o = 0.
Proof.
  intros H. rewrite (sum_ext _ (fun _ => 0)); [apply sum_zero|]. intros m Hm. now rewrite (H m Hm).
Qed.

(** A lease that has ended does not come back. *)
Lemma valid_earlier l now wall' ms :
  at_uptime (lease_period l) <= uptime now ->
  valid l (Instant wall' (uptime now + ms) (run now)) = true -> valid l now = true.
Proof.
  unfold valid, is_of. simpl. rewrite !andb_true_iff, !N.ltb_lt, !N.leb_le. intros H [[? ?] ?].
  repeat split; auto. lia.
Qed.

Lemma in_split_cons {A} (x m : A) o o' : In x (o ++ o') -> In x (o ++ m :: o').
Proof. rewrite !in_app_iff. simpl. tauto. Qed.

Lemma in_replaced {A} (x m m' : A) o o' : In x (o ++ m' :: o') -> x = m' \/ In x (o ++ m :: o').
Proof. rewrite !in_app_iff. simpl. intuition. Qed.

(** A look in the run of the file adds the advance of the uptime. *)
Lemma later_in_run p now : at_run p = run now -> at_uptime p <= uptime now ->
  later p now = Period (elapsed p + (uptime now - at_uptime p))
                       (N.max (latest p + (uptime now - at_uptime p)) (wall now)) (run now) (uptime now).
Proof.
  intros Hr Hu. unfold later, passed, is_of. rewrite Hr, N.eqb_refl. simpl.
  now apply N.leb_le in Hu as ->.
Qed.

Lemma valid_spec l now : valid l now = true <->
  run now = at_run (lease_period l) /\ at_uptime (lease_period l) <= uptime now /\
  elapsed (lease_period l) + uptime now - at_uptime (lease_period l) < length.
Proof.
  unfold valid, is_of. rewrite !andb_true_iff, N.eqb_eq, N.leb_le, N.ltb_lt. tauto.
Qed.

(** The leases of a period have ended if the file shows that the period has. *)
Lemma all_ended now s l :
  at_run (period_of s) = run now -> at_uptime (period_of s) <= uptime now ->
  good_lease now s l -> length <= elapsed (period_of s) + (uptime now - at_uptime (period_of s)) ->
  valid l now = false.
Proof.
  intros Hr Hu (_ & _ & Hl & H) Hlen. destruct (valid l now) eqn:E; auto.
  destruct (H eq_refl) as [_ Heq]. apply valid_spec in E. lia.
Qed.

(** The result of [look], in the device's run or not. *)
Lemma look_spec f now s new : look f now = (s, new) ->
  at_run (period_of s) = run now /\ at_uptime (period_of s) = uptime now /\
  (if new then
     unit_of s = 0 /\ spent s = 0 /\ elapsed (period_of s) = 0 /\
     forall s0, f = Some s0 -> length <= elapsed (later (period_of s0) now)
   else exists s0, f = Some s0 /\ unit_of s = unit_of s0 /\ spent s = spent s0 /\
     period_of s = later (period_of s0) now /\ elapsed (period_of s) < length).
Proof.
  unfold look. destruct f as [s0|]; [destruct (N.leb_spec length (elapsed (later (period_of s0) now)))|];
    intros E; inversion E; subst; cbn; repeat split; auto.
  - intros s1 E1. now inversion E1; subst.
  - exists s0. auto.
  - discriminate.
Qed.

Lemma spend_stored_spec f mine now cost each unit s new f' l' :
  look f now = (s, new) -> spend_stored f mine now cost each unit = Some (f', l') ->
  exists l total,
    (unit_of s = 0 \/ unit_of s = unit) /\ l = lease_for mine s unit /\
    spent_for s l cost <= limit /\
    total = spent_for s l cost + extra l (limit - spent_for s l cost) each /\
    f' = Some (State unit total (period_of s)) /\
    l' = release (Lease unit (period_of s) (stored l + total - spent s) (released l)) cost.
Proof.
  unfold spend_stored. intros ->.
  destruct (N.eqb_spec (unit_of s) 0), (N.eqb_spec (unit_of s) unit); simpl; try discriminate;
    destruct (N.ltb_spec limit (spent_for s (lease_for mine s unit) cost)); try discriminate;
    intros E; inversion E; subst; eauto 10.
Qed.

Lemma good_lease_later now s s' l :
  unit_of s' = unit_of s -> elapsed (period_of s') + at_uptime (period_of s) =
    elapsed (period_of s) + at_uptime (period_of s') ->
  good_lease now s l -> good_lease now s' l.
Proof.
  intros Hu He (H0 & Hr & Ht & H). repeat split; auto; [rewrite Hu|]; destruct (H H1); auto. lia.
Qed.

Lemma held_app now o o' : sum (holds now) (o ++ o') = sum (holds now) o + sum (holds now) o'.
Proof. apply sum_app. Qed.

Lemma held_cons now m o : sum (holds now) (m :: o) = holds now m + sum (holds now) o.
Proof. reflexivity. Qed.

(** A lease that is used again is valid. *)
Lemma lease_for_stored now mine s unit :
  at_run (period_of s) = run now -> at_uptime (period_of s) = uptime now ->
  elapsed (period_of s) < length ->
  stored (lease_for mine s unit) <= holds now mine.
Proof.
  intros Hr Hu He. unfold lease_for. destruct mine as [l|]; simpl; [|lia].
  destruct (lease_unit l =? unit_of s); simpl; [|lia].
  destruct (continues (period_of s) (lease_period l)) eqn:E; simpl; [|lia].
  unfold continues in E. rewrite !andb_true_iff, !N.eqb_eq, !N.leb_le in E.
  replace (valid l now) with true; [lia|]. symmetry. apply valid_spec. lia.
Qed.

Lemma lease_for_nothing mine s unit : unit_of s = 0 ->
  (forall l, mine = Some l -> lease_unit l <> 0) -> stored (lease_for mine s unit) = 0.
Proof.
  intros H0 H. unfold lease_for. destruct mine as [l|]; [|reflexivity].
  rewrite H0. destruct (N.eqb_spec (lease_unit l) 0) as [E|E]; [|reflexivity].
  now apply H in E.
Qed.

Lemma extra_small l left each : extra l left each <= left.
Proof.
  unfold extra. destruct (each =? 0); [lia|].
  transitivity (N.min (released l) (left / 8)); [apply N.le_sub_l|].
  transitivity (left / 8); [apply N.le_min_r|]. apply N.div_le_upper_bound; lia.
Qed.

(** Time ends leases, and does nothing else to them. *)
Lemma good_lease_passes now s l wall' ms :
  good_lease now s l -> good_lease (Instant wall' (uptime now + ms) (run now)) s l.
Proof.
  intros (H0 & Hr & Hu & H). split; [exact H0|]. split; [exact Hr|]. split; [simpl; lia|].
  intros Hv. apply H. now apply valid_earlier with wall' ms.
Qed.

Lemma holds_passes now s m wall' ms : (forall l, m = Some l -> good_lease now s l) ->
  holds (Instant wall' (uptime now + ms) (run now)) m <= holds now m.
Proof.
  intros H. destruct m as [l|]; simpl; [|lia].
  destruct (valid l (Instant wall' (uptime now + ms) (run now))) eqn:E; [|lia].
  destruct (H l eq_refl) as (_ & _ & Hu & _). now rewrite (valid_earlier l now wall' ms).
Qed.

Lemma good_lease_release now s l cost :
  good_lease now s l -> good_lease now s (release l cost).
Proof. intros H. exact H. Qed.

Lemma good_step d d' : step d d' -> good d -> good d'.
Proof.
  intros Hs. destruct Hs; unfold good, held; cbn [file objects in_run here starts clock written time].
  - (* time passes *)
    destruct f as [s|]; [|auto]. intros (Hunit & Hlim & Hsum & Hw & Hl & Hrun).
    split; [exact Hunit|]. split; [exact Hlim|]. split; [|split; [lia|split]].
    + transitivity (h + sum (holds c) o); [|exact Hsum]. apply N.add_le_mono_l, sum_le.
      intros m Hm. apply holds_passes with s. intros l ->. now apply Hl.
    + intros l Hin. apply good_lease_passes, Hl, Hin.
    + destruct i; simpl; [lia|]. split; [apply Hrun|]. destruct Hrun. lia.
  - (* a restart *)
    destruct f as [s|].
    + intros (Hunit & Hlim & Hsum & Hw & Hl & Hrun). simpl.
      repeat (split; [solve [auto | lia | easy]|]). lia.
    + intros (_ & _ & Hh & Hn). repeat (split; [easy|]). auto.
  - (* another object *)
    destruct f as [s|].
    + intros (Hunit & Hlim & Hsum & Hw & Hl & Hrun). rewrite held_cons. simpl holds.
      split; [exact Hunit|]. split; [exact Hlim|]. split; [lia|]. split; [exact Hw|]. split.
      * intros l [Hl'|Hl']; [discriminate|now apply Hl].
      * destruct i; [exact Hrun|]. destruct Hrun as [Hnone Hu]. split; [|exact Hu].
        intros m [<-|Hm]; auto.
    + intros (Hnone & H). split; [|exact H]. intros m [<-|Hm]; auto.
  - (* an object less *)
    destruct f as [s|].
    + intros (Hunit & Hlim & Hsum & Hw & Hl & Hrun). rewrite held_app, held_cons in *.
      split; [exact Hunit|]. split; [exact Hlim|]. split; [lia|]. split; [exact Hw|]. split.
      * intros l Hl'. now apply Hl, in_split_cons.
      * destruct i; [exact Hrun|]. destruct Hrun as [Hnone Hu]. split; [|exact Hu].
        intros z Hz. now apply Hnone, in_split_cons.
    + intros (Hnone & H). split; [|exact H]. intros z Hz. now apply Hnone, in_split_cons.
  - (* a look that is stored: it isn't in the file's run, so there are no leases *)
    intros (Hunit & Hlim & Hsum & Hw & Hl & Hrun). apply look_spec in H0.
    destruct H0 as (Er & Eu & s0 & Es & Eun & Esp & _). inversion Es; subst s0.
    assert (Hnone : forall m, In m o -> m = None).
    { destruct i; [|apply Hrun]. destruct Hrun as [Hr Hu]. unfold is_of in H.
      rewrite Hr, N.eqb_refl in H. apply N.leb_gt in H. lia. }
    split; [congruence|]. split; [lia|]. split; [|split; [lia|split]].
    + rewrite sum_holds_none in * by auto. lia.
    + intros l Hin. now apply Hnone in Hin.
    + rewrite N.sub_diag, N.add_0_r. auto.
  - (* a release of a lease *)
    destruct f as [s|].
    2:{ intros (Hnone & _). assert (E : Some l = None) by (apply Hnone, in_elt). discriminate. }
    intros (Hunit & Hlim & Hsum & Hw & Hl & Hrun).
    unfold allows in H. rewrite !andb_true_iff, N.leb_le in H. destruct H as [[Hcost _] Hvalid].
    rewrite held_app, held_cons in *. simpl holds in *.
    change (valid (release l cost) c) with (valid l c). rewrite Hvalid in *. simpl stored.
    split; [exact Hunit|]. split; [exact Hlim|]. split; [lia|]. split; [exact Hw|]. split.
    + intros l' Hin. apply in_replaced with (m := Some l) in Hin as [E|Hin]; [|now apply Hl].
      inversion E; subst. apply good_lease_release, Hl, in_elt.
    + destruct i; [exact Hrun|]. destruct Hrun as [Hnone _].
      assert (E : Some l = None) by (apply Hnone, in_elt). discriminate.
  - (* a release that is stored *)
    intros Hgood.
    destruct (spend_stored_spec _ _ _ _ _ _ _ _ _ _ H0 H1)
      as (l & total & Hunit & El & Hleast & Etotal & -> & ->). clear H1.
    apply look_spec in H0. destruct H0 as (Er & Eu & Hlook).
    pose proof (extra_small l (limit - spent_for s l cost) each) as Hextra.
    assert (Htotal : total <= limit) by lia.
    set (s' := State unit total (period_of s)).
    set (l' := Lease unit (period_of s) (stored l + total - spent s) (released l)).
    assert (Hl' : good_lease c s' l').
    { split; [exact H|]. split; [exact Er|]. split; [simpl; lia|]. intros _. split; reflexivity. }
    (* the other leases, and the rests of all *)
    assert (Hothers : (forall l0, In (Some l0) (o ++ o') -> good_lease c s' l0) /\
                      (if new then cost else h + cost) +
                        (sum (holds c) o + (stored l' - cost) + sum (holds c) o') <= total).
    { assert (Hin' : forall l0, In (Some l0) (o ++ o') -> In (Some l0) (o ++ mine :: o')).
      { intros l0. apply in_split_cons. }
      destruct new.
      - (* a period begins: all leases have ended *)
        destruct Hlook as (Eun & Esp & _ & Hover).
        assert (Hended : forall l0, In (Some l0) (o ++ mine :: o') ->
                  lease_unit l0 <> 0 /\ at_run (lease_period l0) = run c /\
                  at_uptime (lease_period l0) <= uptime c /\ valid l0 c = false).
        { intros l0 Hl0. destruct f as [s0|]; [|now apply Hgood in Hl0].
          destruct Hgood as (_ & _ & _ & _ & Hl & Hrun). destruct i.
          - destruct Hrun as [Hr Hu]. pose proof (Hl l0 Hl0) as Hg.
            repeat (split; [apply Hg|]). apply (all_ended c s0); auto; [lia|].
            specialize (Hover s0 eq_refl). rewrite later_in_run in Hover by (auto; lia). exact Hover.
          - now apply Hrun in Hl0. }
        assert (Hzero : forall m, In m (o ++ mine :: o') -> holds c m = 0).
        { intros [l0|] Hm; simpl; [|reflexivity]. destruct (Hended l0 Hm) as (_ & _ & _ & ->). reflexivity. }
        assert (Hl0 : stored l = 0).
        { rewrite El. apply lease_for_nothing; auto. intros l0 ->. apply Hended, in_elt. }
        split.
        + intros l0 Hl0'. destruct (Hended l0 (Hin' l0 Hl0')) as (? & ? & ? & Hv).
          repeat (split; [assumption|]). rewrite Hv. discriminate.
        + rewrite (sum_ext _ (fun _ => 0) o), (sum_ext _ (fun _ => 0) o'), !sum_zero.
          * unfold l', spent_for in *. simpl. lia.
          * intros m Hm. apply Hzero, in_or_app. right. now right.
          * intros m Hm. apply Hzero, in_or_app. now left.
      - (* the period goes on *)
        destruct Hlook as (s0 & -> & Eun & Esp & Eper & Hlen).
        destruct Hgood as (Hs0 & _ & Hhere & _ & Hl & Hrun).
        assert (Hmine : stored l <= holds c mine) by (rewrite El; now apply lease_for_stored).
        split.
        + intros l0 Hl0. destruct i; [|now apply Hin', Hrun in Hl0].
          apply (good_lease_later c s0); [| |now apply Hl, Hin'].
          * simpl. destruct Hunit; congruence.
          * simpl. destruct Hrun as [Hr Hu]. rewrite Eper, later_in_run by (auto; lia). simpl. lia.
        + rewrite held_app, held_cons in Hhere. unfold l', spent_for in *. simpl. lia. }
    destruct Hothers as [Hothers Hsum].
    split; [exact H|]. split; [exact Htotal|]. split; [|split; [lia|split]].
    + rewrite held_app, held_cons. change (spent s') with total. simpl holds.
      destruct (valid (release l' cost) c); simpl stored in *; lia.
    + intros l0 Hin. apply in_app_or in Hin as [Hin|[E|Hin]].
      * apply Hothers, in_or_app. now left.
      * inversion E; subst. now apply good_lease_release.
      * apply Hothers, in_or_app. now right.
    + rewrite N.sub_diag, N.add_0_r. auto.
Qed.

Lemma good_fresh d : fresh d -> good d.
Proof.
  intros (Ef & Eo & Er & Es & Eh & _). unfold good. rewrite Ef, Eo. repeat split; auto. easy.
Qed.

Lemma good_steps ok d d' : steps ok d d' -> good d -> good d'.
Proof. induction 1; auto. intros. apply good_step with d'; auto. Qed.

(** The page's lemma: the releases of the running period and the rests of all leases sum to at most
    the amount that is on disk as spent, which is at most the limit. *)
Theorem released_is_spent ok d0 d : fresh d0 -> steps ok d0 d ->
  match file d with
  | Some s => here d + held d <= spent s /\ spent s <= limit
  | None => here d = 0
  end.
Proof.
  intros Hf Hs. pose proof (good_steps _ _ _ Hs (good_fresh _ Hf)) as H. unfold good in H.
  destruct (file d); intuition.
Qed.

Corollary period_within_limit ok d0 d : fresh d0 -> steps ok d0 d -> here d <= limit.
Proof.
  intros Hf Hs. pose proof (released_is_spent _ _ _ Hf Hs). destruct (file d); lia.
Qed.

Lemma good_here d : good d -> here d <= limit.
Proof. unfold good. destruct (file d); [|intuition lia]. intros (_ & ? & ? & _). lia. Qed.

End BudgetSpent.

Arguments look_spec {length f now s new}.
Arguments spend_stored_spec {limit length f mine now cost each unit s new f' l'}.
Arguments good_fresh {limit length d}.
Arguments good_steps {limit length ok d d'}.
Arguments good_here {limit length d}.
