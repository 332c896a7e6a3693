(** The elapsed time of a period: brrkit/period.py. Times are milliseconds below 10^15, where the
    code's limit for files has no effect. *)

From Coq Require Import Bool Lia NArith.
Open Scope N_scope.

(** A reading of the device's clocks: [Instant]. A run of the device has a name, or none (then the
    same for all runs). *)
Record instant := Instant { wall : N; uptime : N; run : N }.

(** A period, as of a look at it: [Period]. *)
Record period := Period { elapsed : N; latest : N; at_run : N; at_uptime : N }.

(** [Period.starting] *)
Definition starting (now : instant) : period := Period 0 (wall now) (run now) (uptime now).

(** [Period.is_of] *)
Definition is_of (p : period) (now : instant) : bool :=
  (run now =? at_run p) && (at_uptime p <=? uptime now).

(** [Period.at]: [passed] there. *)
Definition passed (p : period) (now : instant) : N :=
  if is_of p now then uptime now - at_uptime p else N.max (uptime now) (wall now - latest p).

(** [Period.at] *)
Definition later (p : period) (now : instant) : period :=
  Period (elapsed p + passed p now) (N.max (latest p + passed p now) (wall now)) (run now) (uptime now).

(** [Period.continues] *)
Definition continues (p earlier : period) : bool :=
  (at_run p =? at_run earlier) && (at_uptime earlier <=? at_uptime p) &&
  (elapsed earlier <=? elapsed p) &&
  (at_uptime p - at_uptime earlier =? elapsed p - elapsed earlier).

(** [replace(period, elapsed=0)] *)
Definition restarted (p : period) : period := Period 0 (latest p) (at_run p) (at_uptime p).
