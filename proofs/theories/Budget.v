(** The budget, with leases: docs/explanation/proofs.md, "Budget". The rules are those of
    docs/reference/state-files.md; brrkit/budget.py and brrkit/lease.py.

    Costs are billionths of epsilon. A release counts when [PrivacyBudget.spend] reads the clock. *)

From Coq Require Import Bool Lia List NArith ZArith.
From Brrkit Require Import Sums Period.
Import ListNotations.
Open Scope N_scope.

Section Budget.

Variables limit length : N. (** L, and the length of a period, P *)

(** A unit is a number here; 0 is the empty one, of a period that hasn't started. *)
Record state := State { unit_of : N; spent : N; period_of : period }.

Record lease := Lease { lease_unit : N; lease_period : period; stored : N; released : N }.

(** ** The code *)

(** [PrivacyBudget._look]: the running period as of now, and whether a new one would begin. *)
Definition look (file : option state) (now : instant) : state * bool :=
  match file with
  | None => (State 0 0 (starting now), true)
  | Some s =>
      let p := later (period_of s) now in
      if length <=? elapsed p then (State 0 0 (restarted p), true)
      else (State (unit_of s) (spent s) p, false)
  end.

(** The part of [Lease.allows] that does not depend on the release. *)
Definition valid (l : lease) (now : instant) : bool :=
  is_of (lease_period l) now &&
  (elapsed (lease_period l) + uptime now - at_uptime (lease_period l) <? length).

(** [Lease.allows] *)
Definition allows (l : lease) (cost unit : N) (now : instant) : bool :=
  (cost <=? stored l) && (unit =? lease_unit l) && valid l now.

(** [Lease.release] *)
Definition release (l : lease) (cost : N) : lease :=
  Lease (lease_unit l) (lease_period l) (stored l - cost) (released l + cost).

(** [Lease.extra] *)
Definition extra (l : lease) (left each : N) : N :=
  let most := N.min (released l) (left / 8) in
  if each =? 0 then 0 else most - most mod each.

(** [_of_period(lease, state) or Lease(unit, state.period)] *)
Definition lease_for (mine : option lease) (s : state) (unit : N) : lease :=
  match mine with
  | Some l =>
      if (lease_unit l =? unit_of s) && continues (period_of s) (lease_period l) then l
      else Lease unit (period_of s) 0 0
  | None => Lease unit (period_of s) 0 0
  end.

(** [PrivacyBudget._stored]: what is spent for the release alone. *)
Definition spent_for (s : state) (l : lease) (cost : N) : N := spent s + (cost - stored l).

(** ** The device *)

(** All that changes. [objects] are the budgets in all processes, each with a lease or none. What is
    below them only the proof knows: [time] is the real time; [in_run] says that the file was written
    in this run of the device, [written] when; [restarts] counts restarts and [starts] beginnings of
    periods; [here] was released in the running period, [before] in all earlier ones. *)
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
| (* Time passes; the clock that can be set says anything. *)
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
| (* A look that notices a restart, in a period that goes on, is stored. *)
  looks c s o i t w r n h b s' :
    is_of (period_of s) c = false ->
    look (Some s) c = (s', false) ->
    step (Device c (Some s) o i t w r n h b) (Device c (Some s') o true t t r n h b)
| (* [PrivacyBudget.spend] where the lease allows it. *)
  spends_lease c f o l o' i t w r n h b cost unit :
    allows l cost unit c = true ->
    step (Device c f (o ++ Some l :: o') i t w r n h b)
         (Device c f (o ++ Some (release l cost) :: o') i t w r n (h + cost) b)
| (* [PrivacyBudget.spend] where it stores. *)
  spends_stored c f o mine o' i t w r n h b cost unit each s new l total :
    unit <> 0 ->
    look f c = (s, new) ->
    unit_of s = 0 \/ unit_of s = unit ->
    l = lease_for mine s unit ->
    spent_for s l cost <= limit ->
    total = spent_for s l cost + extra l (limit - spent_for s l cost) each ->
    step (Device c f (o ++ mine :: o') i t w r n h b)
         (Device c (Some (State unit total (period_of s)))
            (o ++ Some (release (Lease unit (period_of s) (stored l + total - spent s) (released l)) cost)
               :: o')
            true t t r
            (if new then n + 1 else n) (if new then cost else h + cost) (if new then b + h else b)).

(** Before the first release. *)
Definition fresh (d : device) : Prop :=
  file d = None /\ objects d = [] /\ in_run d = false /\ starts d = 0 /\ here d = 0 /\ before d = 0.

(** Steps, at each of which the device satisfies [ok]. *)
Inductive steps (ok : device -> Prop) : device -> device -> Prop :=
| no_steps d : steps ok d d
| more_steps d d' d'' : steps ok d d' -> ok d' -> step d' d'' -> steps ok d d''.

(** ** Nothing is released that is not on disk *)

(** What a lease still holds: nothing, once it has ended. *)
Definition holds (now : instant) (m : option lease) : N :=
  match m with
  | Some l => if valid l now then stored l else 0
  | None => 0
  end.

Definition held (d : device) : N := sum (holds (clock d)) (objects d).

(** A lease is of this run; while it has not ended, it is of the file's period and unit. *)
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

(** A look in the run of the file adds what the uptime has advanced. *)
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

(** Leases of a period have ended when the file says that it has. *)
Lemma all_ended now s l :
  at_run (period_of s) = run now -> at_uptime (period_of s) <= uptime now ->
  good_lease now s l -> length <= elapsed (period_of s) + (uptime now - at_uptime (period_of s)) ->
  valid l now = false.
Proof.
  intros Hr Hu (_ & _ & Hl & H) Hlen. destruct (valid l now) eqn:E; auto.
  destruct (H eq_refl) as [_ Heq]. apply valid_spec in E. lia.
Qed.

(** What [look] gives, in the device's run or not. *)
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

(** A lease that is used again is one that holds. *)
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
  - (* a look that is stored: not in the file's run, so that there are no leases *)
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
    intros Hgood. apply look_spec in H0. destruct H0 as (Er & Eu & Hlook).
    pose proof (extra_small l (limit - spent_for s l cost) each) as Hextra.
    assert (Htotal : total <= limit) by lia.
    set (s' := State unit total (period_of s)).
    set (l' := Lease unit (period_of s) (stored l + total - spent s) (released l)).
    assert (Hl' : good_lease c s' l').
    { split; [exact H|]. split; [exact Er|]. split; [simpl; lia|]. intros _. split; reflexivity. }
    (* the other leases, and what all hold *)
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
        { subst l. apply lease_for_nothing; auto. intros l0 ->. apply Hended, in_elt. }
        split.
        + intros l0 Hl0'. destruct (Hended l0 (Hin' l0 Hl0')) as (? & ? & ? & Hv).
          repeat (split; [assumption|]). rewrite Hv. discriminate.
        + rewrite (sum_ext _ (fun _ => 0) o), (sum_ext _ (fun _ => 0) o'), !sum_zero.
          * unfold l', spent_for in *. simpl. lia.
          * intros m Hm. apply Hzero, in_or_app. right. now right.
          * intros m Hm. apply Hzero, in_or_app. now left.
      - (* the period goes on *)
        destruct Hlook as (s0 & -> & Eun & Esp & Eper & Hlen).
        destruct Hgood as (Hunit & Hlim & Hhere & Hw & Hl & Hrun).
        assert (Hmine : stored l <= holds c mine) by (subst l; now apply lease_for_stored).
        split.
        + intros l0 Hl0. destruct i; [|now apply Hin', Hrun in Hl0].
          apply (good_lease_later c s0); [| |now apply Hl, Hin'].
          * simpl. destruct H1; congruence.
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

(** The lemma of the page: what was released in the running period and what all leases still hold
    is at most what is on disk as spent, and that is at most the limit. *)
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

(** ** What is released in a time *)

Definition total_released (d : device) : N := before d + here d.

Lemma total_of_starts ok d0 d : good d0 -> steps ok d0 d ->
  starts d0 <= starts d /\ restarts d0 <= restarts d /\ time d0 <= time d /\
  before d <= before d0 + (starts d - starts d0) * limit.
Proof.
  intros Hg Hs. induction Hs as [d|d d' d'' Hs IH _ Hstep]; [lia|].
  specialize (IH Hg). pose proof (good_here d' (good_steps _ _ _ Hs Hg)) as Hh.
  destruct Hstep; cbn in *; try lia. destruct new; [|lia].
  replace (n + 1 - starts d) with (n - starts d + 1) by lia. lia.
Qed.

Lemma total_bound ok d0 d k : good d0 -> steps ok d0 d -> starts d <= starts d0 + k ->
  total_released d <= total_released d0 + (k + 1) * limit.
Proof.
  intros Hg Hs Hk. pose proof (good_here d (good_steps _ _ _ Hs Hg)).
  destruct (total_of_starts ok d0 d Hg Hs) as (_ & _ & _ & Hb). unfold total_released.
  pose proof (N.mul_le_mono_r (starts d - starts d0) k limit ltac:(lia)). lia.
Qed.

(** The count of the period as of now, where the file was written in this run. *)
Definition counted (d : device) (s : state) : N :=
  elapsed (period_of s) + (time d - written d).

(** Periods that begin in one run begin at least a length apart; a restart can end one early. *)
Definition starts_apart (d0 d : device) : Prop :=
  let j := (Z.of_N (starts d) - Z.of_N (restarts d) -
            (Z.of_N (starts d0) - Z.of_N (restarts d0)))%Z in
  let P := Z.of_N length in
  let since := (Z.of_N (time d) - Z.of_N (time d0))%Z in
  match file d, in_run d with
  | Some s, true => (j <= 0 \/ (j - 1) * P + Z.of_N (counted d s) <= since)%Z
  | _, _ => (j * P <= since)%Z
  end.

Lemma good_in_run d s : good d -> file d = Some s -> in_run d = true ->
  written d <= time d /\ is_of (period_of s) (clock d) = true /\
  elapsed (later (period_of s) (clock d)) = counted d s.
Proof.
  unfold good, counted. intros Hg Ef Hi. rewrite Ef, Hi in Hg.
  destruct Hg as (_ & _ & _ & Hw & _ & Hr & Hu). split; [exact Hw|].
  split; [|rewrite later_in_run by (auto; lia); simpl; lia].
  unfold is_of. rewrite Hr, N.eqb_refl. simpl. apply N.leb_le. lia.
Qed.

(** Whenever the file is written, in the run of the last time or not. *)
Lemma starts_apart_written d0 d s s' new : good d -> starts_apart d0 d ->
  time d0 <= time d -> look (file d) (clock d) = (s, new) -> period_of s' = period_of s ->
  forall o h b, starts_apart d0
    (Device (clock d) (Some s') o true (time d) (time d) (restarts d)
       (if new then starts d + 1 else starts d) h b).
Proof.
  intros Hg Hd Ht Hlook Es' o h b. pose proof (good_in_run d) as Hrun.
  unfold starts_apart, counted in *. cbn [file in_run starts restarts time written]. rewrite Es'. cbv zeta in *.
  pose proof (look_spec _ _ _ _ Hlook) as (_ & _ & Hs).
  destruct (file d) as [s0|] eqn:Ef.
  - set (j := (Z.of_N (starts d) - Z.of_N (restarts d) - _)%Z) in Hd.
    assert (Enext : (Z.of_N (starts d + 1) - Z.of_N (restarts d) -
                     (Z.of_N (starts d0) - Z.of_N (restarts d0)) = j + 1)%Z) by (unfold j; lia).
    specialize (Hrun s0 Hg eq_refl). destruct (in_run d).
    + destruct (Hrun eq_refl) as (Hw & _ & He). clear Hrun. destruct new.
      * destruct Hs as (_ & _ & -> & Hover). specialize (Hover s0 eq_refl). unfold counted in He.
        rewrite Enext. destruct (Z.eq_dec j 0) as [->|]; lia.
      * destruct Hs as (s1 & E1 & _ & _ & -> & _). inversion E1; subst s1. unfold counted in He.
        fold j. lia.
    + destruct new.
      * destruct Hs as (_ & _ & -> & _). rewrite Enext. lia.
      * destruct Hs as (_ & _ & _ & _ & _ & Hlen). fold j. lia.
  - destruct new.
    + destruct Hs as (_ & _ & -> & _). lia.
    + destruct Hs as (s1 & E1 & _). discriminate.
Qed.

Lemma starts_apart_steps ok d0 d : good d0 -> steps ok d0 d -> starts_apart d0 d.
Proof.
  intros Hg Hs. induction Hs as [d|d d' d'' Hs IH _ Hstep].
  - unfold starts_apart. destruct (file d), (in_run d); lia.
  - specialize (IH Hg). pose proof (good_steps _ _ _ Hs Hg) as Hgood.
    destruct (total_of_starts _ _ _ Hg Hs) as (_ & _ & Ht & _).
    destruct Hstep.
    + pose proof (fun s => good_in_run _ s Hgood) as Hrun.
      unfold starts_apart, counted in *. cbn in *. destruct f as [s|]; [destruct i|]; [|lia|lia].
      destruct (Hrun s eq_refl eq_refl). lia.
    + unfold starts_apart, counted in *. cbn in *. destruct f as [s|]; [destruct i|]; [|lia|lia].
      destruct IH as [IH|IH]; [nia|lia].
    + exact IH.
    + exact IH.
    + exact (starts_apart_written _ _ _ _ false Hgood IH Ht H0 eq_refl o h b).
    + exact IH.
    + exact (starts_apart_written _ _ _ (State unit total (period_of s)) new Hgood IH Ht H0 eq_refl
               _ (if new then cost else h + cost) (if new then b + h else b)).
Qed.

(** "In any time shorter than P with r restarts, the released epsilons sum to at most (2+r)*L": in
    any time t, floor(t/P) more. *)
Theorem released_in_time ok d0 d d' : fresh d0 -> steps ok d0 d -> steps ok d d' -> 0 < length ->
  total_released d' <= total_released d +
    (2 + (restarts d' - restarts d) + (time d' - time d) / length) * limit.
Proof.
  intros Hf H0 Hs HP. pose proof (good_steps _ _ _ H0 (good_fresh _ Hf)) as Hg.
  set (q := (time d' - time d) / length).
  replace (2 + (restarts d' - restarts d) + q) with (restarts d' - restarts d + q + 1 + 1) by lia.
  apply (total_bound ok); auto.
  destruct (total_of_starts _ _ _ Hg Hs) as (Hn & Hr & Ht & _).
  pose proof (starts_apart_steps _ _ _ Hg Hs) as Ha.
  pose proof (N.mul_succ_div_gt (time d' - time d) length ltac:(lia)) as Hq. fold q in Hq.
  assert (Hj : (Z.of_N (starts d') - Z.of_N (restarts d') - (Z.of_N (starts d) - Z.of_N (restarts d)) <=
                Z.of_N q + 1)%Z).
  { unfold starts_apart in Ha. cbv zeta in Ha.
    set (j := (Z.of_N (starts d') - Z.of_N (restarts d') - (Z.of_N (starts d) - Z.of_N (restarts d)))%Z) in *.
    assert (Hlast : (j <= 0 \/ (j - 1) * Z.of_N length <= Z.of_N (time d') - Z.of_N (time d))%Z).
    { destruct (file d') as [s|]; [destruct (in_run d')|]; lia. }
    destruct Hlast as [?|Hlast]; [lia|]. apply Z.lt_succ_r. nia. }
  lia.
Qed.

(** ** If the wall clock is not set forward around a restart *)

(** Between the last stored look before a restart and the first one after it, the wall clock advances
    by no more than the time that passes. *)
Definition clock_is_honest (d : device) : Prop :=
  match file d with
  | Some s => in_run d = false -> wall (clock d) <= latest (period_of s) + (time d - written d)
  | None => True
  end.

(** Then any two periods begin at least a length apart. *)
Definition all_starts_apart (d0 d : device) : Prop :=
  starts d = starts d0 \/
  exists s, file d = Some s /\
    (starts d - starts d0 - 1) * length + elapsed (period_of s) + time d0 <= written d.

Lemma honest_count d s : good d -> clock_is_honest d -> file d = Some s ->
  written d <= time d /\ elapsed (later (period_of s) (clock d)) <= elapsed (period_of s) + (time d - written d).
Proof.
  intros Hg Hh Ef. pose proof (good_in_run d s Hg Ef) as Hrun.
  unfold good, clock_is_honest in *. rewrite Ef in *. destruct (in_run d).
  - destruct (Hrun eq_refl) as (? & _ & ->). unfold counted. lia.
  - specialize (Hh eq_refl). destruct Hg as (_ & _ & _ & Hw & _ & _ & Hu). split; [exact Hw|].
    unfold later, passed. simpl. destruct (is_of (period_of s) (clock d)); lia.
Qed.

Lemma all_starts_apart_written d0 d s s' new : good d -> clock_is_honest d -> all_starts_apart d0 d ->
  starts d0 <= starts d -> time d0 <= time d ->
  look (file d) (clock d) = (s, new) -> period_of s' = period_of s ->
  forall o h b, all_starts_apart d0
    (Device (clock d) (Some s') o true (time d) (time d) (restarts d)
       (if new then starts d + 1 else starts d) h b).
Proof.
  intros Hg Hh Hd Hn Ht Hlook Es' o h b. unfold all_starts_apart in *.
  cbn [file starts written]. pose proof (look_spec _ _ _ _ Hlook) as (_ & _ & Hs).
  pose proof (honest_count d) as Hcount.
  destruct new.
  - destruct Hs as (_ & _ & He & Hover). right. exists s'. split; [reflexivity|]. rewrite Es', He.
    destruct Hd as [E|(s0 & Ef & Hd)]; [rewrite E; lia|].
    destruct (Hcount s0 Hg Hh Ef). specialize (Hover s0 Ef).
    destruct (N.eq_dec (starts d) (starts d0)); [lia|].
    replace (starts d + 1 - starts d0 - 1) with (starts d - starts d0 - 1 + 1) by lia. lia.
  - destruct Hd as [E|(s0 & Ef & Hd)]; [left; exact E|]. right. exists s'. split; [reflexivity|].
    destruct Hs as (s1 & E1 & _ & _ & E2 & _). rewrite Ef in E1. inversion E1; subst s1.
    destruct (Hcount s0 Hg Hh Ef). rewrite Es', E2. lia.
Qed.

Lemma all_starts_apart_steps d0 d : good d0 -> steps clock_is_honest d0 d -> all_starts_apart d0 d.
Proof.
  intros Hg Hs. induction Hs as [d|d d' d'' Hs IH Hh Hstep]; [now left|].
  specialize (IH Hg). pose proof (good_steps _ _ _ Hs Hg) as Hgood.
  destruct (total_of_starts _ _ _ Hg Hs) as (Hn & _ & Ht & _).
  destruct Hstep; try exact IH.
  - exact (all_starts_apart_written _ _ _ _ false Hgood Hh IH Hn Ht H0 eq_refl o h b).
  - exact (all_starts_apart_written _ _ _ (State unit total (period_of s)) new Hgood Hh IH Hn Ht H0
             eq_refl _ (if new then cost else h + cost) (if new then b + h else b)).
Qed.

(** "To at most 2*L if the wall clock is not set forward around a restart", in any time shorter than
    P; in any time t, floor(t/P) more. *)
Theorem released_in_time_honest d0 d d' :
  fresh d0 -> steps clock_is_honest d0 d -> steps clock_is_honest d d' -> 0 < length ->
  total_released d' <= total_released d + (2 + (time d' - time d) / length) * limit.
Proof.
  intros Hf H0 Hs HP. pose proof (good_steps _ _ _ H0 (good_fresh _ Hf)) as Hg.
  pose proof (good_steps _ _ _ Hs Hg) as Hg'.
  set (q := (time d' - time d) / length). replace (2 + q) with (q + 1 + 1) by lia.
  apply (total_bound clock_is_honest); auto.
  destruct (all_starts_apart_steps _ _ Hg Hs) as [E|(s & Ef & Ha)]; [lia|].
  assert (Hw : written d' <= time d') by (unfold good in Hg'; rewrite Ef in Hg'; apply Hg').
  pose proof (N.mul_succ_div_gt (time d' - time d) length ltac:(lia)) as Hq. fold q in Hq.
  assert (starts d' - starts d - 1 <= q); [|lia]. apply N.lt_succ_r. nia.
Qed.

End Budget.
