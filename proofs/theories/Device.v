(** A device with budgets: the events that change its clocks, the budget's file and all leases.
    docs/explanation/proofs.md, "Budget", "These events change them". A release counts when
    [PrivacyBudget.spend] reads the clock. Browsers, in which runs overlap, aren't devices in this
    sense. *)

From Coq Require Import Bool Lia List NArith.
From Brrkit Require Import Period Budget.
Import ListNotations.
Open Scope N_scope.

Section Device.

Variables limit length : N.

Local Notation look := (look length).
Local Notation allows := (allows length).
Local Notation looked := (looked length).
Local Notation spend_stored := (spend_stored limit length).
Local Notation spend := (spend limit length).

(** The whole state. [objects] are the budgets in all processes, each with a lease or none. Only the
    proof knows the fields below them: [time] is the real time; [in_run] says that the file was
    written in this run of the device, [written] when; [restarts] counts restarts and [starts]
    beginnings of periods; [here] was released in the running period, [before] in earlier ones. *)
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

(** The code takes only these steps: the total of releases grows by the cost. *)
Theorem spend_is_step c f o mine o' i t w r n h b cost each unit f' l' :
  unit <> 0 -> spend f mine c cost each unit = Some (f', l') ->
  exists i' w' n' h' b', b' + h' = b + h + cost /\
    step (Device c f (o ++ mine :: o') i t w r n h b) (Device c f' (o ++ Some l' :: o') i' t w' r n' h' b').
Proof.
  intros Hunit H.
  assert (Hstored : spend_stored f mine c cost each unit = Some (f', l') ->
    exists i' w' n' h' b', b' + h' = b + h + cost /\
      step (Device c f (o ++ mine :: o') i t w r n h b)
           (Device c f' (o ++ Some l' :: o') i' t w' r n' h' b')).
  { intros Hs. destruct (look f c) as [s new] eqn:E.
    exists true, t, (if new then n + 1 else n), (if new then cost else h + cost), (if new then b + h else b).
    split; [destruct new; lia|]. now apply spends_stored with each unit s. }
  unfold spend in H. destruct mine as [l|]; [|now apply Hstored].
  destruct (allows l cost unit c) eqn:E; [|now apply Hstored].
  inversion H; subst. exists i, w, n, (h + cost), b. split; [lia|]. now apply spends_lease with unit.
Qed.

Theorem looked_is_step c f o i t w r n h b :
  looked f c = f \/
  step (Device c f o i t w r n h b) (Device c (looked f c) o true t t r n h b).
Proof.
  unfold looked. destruct f as [s|]; [|now left]. destruct (look (Some s) c) as [s' new] eqn:E.
  destruct new; [now left|]. destruct (is_of (period_of s) c) eqn:E'; [now left|].
  right. now apply looks.
Qed.

(** Before the first release. *)
Definition fresh (d : device) : Prop :=
  file d = None /\ objects d = [] /\ in_run d = false /\ starts d = 0 /\ here d = 0 /\ before d = 0.

(** Steps. After each of them, the device satisfies [ok]. *)
Inductive steps (ok : device -> Prop) : device -> device -> Prop :=
| no_steps d : steps ok d d
| more_steps d d' d'' : steps ok d d' -> ok d' -> step d' d'' -> steps ok d d''.

End Device.
