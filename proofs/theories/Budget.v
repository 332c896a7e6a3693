(** The budget's computations: spec/state-files.md, "Rules of the budget"; brrkit/budget.py and
    brrkit/lease.py. Costs are billionths of epsilon. *)

From Coq Require Import Bool NArith.
From Brrkit Require Import Period.
Open Scope N_scope.

Section Budget.

Variables limit length : N. (** L, and the length of a period, P *)

(** A unit is a number here; 0 is the empty one, of a period that hasn't started. *)
Record state := State { unit_of : N; spent : N; period_of : period }.

Record lease := Lease { lease_unit : N; lease_period : period; stored : N; released : N }.

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

(** [PrivacyBudget._stored]: the amount spent for the release alone. *)
Definition spent_for (s : state) (l : lease) (cost : N) : N := spent s + (cost - stored l).

(** [PrivacyBudget._look]: the file after it. *)
Definition looked (file : option state) (now : instant) : option state :=
  match file with
  | Some s =>
      let (s', new) := look file now in
      if new || is_of (period_of s) now then file else Some s'
  | None => None
  end.

(** [PrivacyBudget._stored] and the release: the file and the lease after it, or None if it refuses. *)
Definition spend_stored (file : option state) (mine : option lease) (now : instant)
    (cost each unit : N) : option (option state * lease) :=
  let (s, _) := look file now in
  let l := lease_for mine s unit in
  let least := spent_for s l cost in
  if negb ((unit_of s =? 0) || (unit_of s =? unit)) || (limit <? least) then None
  else
    let total := least + extra l (limit - least) each in
    Some (Some (State unit total (period_of s)),
          release (Lease unit (period_of s) (stored l + total - spent s) (released l)) cost).

(** [PrivacyBudget.spend], of one object. *)
Definition spend (file : option state) (mine : option lease) (now : instant) (cost each unit : N) :
    option (option state * lease) :=
  match mine with
  | Some l =>
      if allows l cost unit now then Some (file, release l cost)
      else spend_stored file mine now cost each unit
  | None => spend_stored file mine now cost each unit
  end.

End Budget.
