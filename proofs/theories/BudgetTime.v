(** A budget's releases in a time: docs/explanation/proofs.md, "Budget", the statement. *)

From Coq Require Import Bool Lia List NArith ZArith.
From Brrkit Require Import Sums Period Budget Device BudgetSpent.
Open Scope N_scope.

Section BudgetTime.

Variables limit length : N.

Local Notation look := (look length).
Local Notation good := (good limit length).
Local Notation steps := (steps limit length).

Definition total_released (d : device) : N := before d + here d.

Lemma total_of_starts ok d0 d : good d0 -> steps ok d0 d ->
  starts d0 <= starts d /\ restarts d0 <= restarts d /\ time d0 <= time d /\
  before d <= before d0 + (starts d - starts d0) * limit.
Proof.
  intros Hg Hs. induction Hs as [d|d d' d'' Hs IH _ Hstep]; [lia|].
  specialize (IH Hg). pose proof (good_here (good_steps Hs Hg)) as Hh.
  destruct Hstep; cbn in *; try lia. destruct new; [|lia].
  replace (n + 1 - starts d) with (n - starts d + 1) by lia. lia.
Qed.

Lemma total_bound ok d0 d k : good d0 -> steps ok d0 d -> starts d <= starts d0 + k ->
  total_released d <= total_released d0 + (k + 1) * limit.
Proof.
  intros Hg Hs Hk. pose proof (good_here (good_steps Hs Hg)).
  destruct (total_of_starts ok d0 d Hg Hs) as (_ & _ & _ & Hb). unfold total_released.
  pose proof (N.mul_le_mono_r (starts d - starts d0) k limit ltac:(lia)). lia.
Qed.

(** The elapsed time of the period as of now, if the file was written in this run. *)
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

(** Whenever the file is written, in the same run as the last time or not. *)
Lemma starts_apart_written d0 d s s' new : good d -> starts_apart d0 d ->
  time d0 <= time d -> look (file d) (clock d) = (s, new) -> period_of s' = period_of s ->
  forall o h b, starts_apart d0
    (Device (clock d) (Some s') o true (time d) (time d) (restarts d)
       (if new then starts d + 1 else starts d) h b).
Proof.
  intros Hg Hd Ht Hlook Es' o h b. pose proof (good_in_run d) as Hrun.
  unfold starts_apart, counted in *. cbn [file in_run starts restarts time written]. rewrite Es'. cbv zeta in *.
  pose proof (look_spec Hlook) as (_ & _ & Hs).
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
  - specialize (IH Hg). pose proof (good_steps Hs Hg) as Hgood.
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
    + destruct (spend_stored_spec H0 H1) as (l & total & _ & _ & _ & _ & -> & ->).
      exact (starts_apart_written _ _ _ (State unit total (period_of s)) new Hgood IH Ht H0 eq_refl
               _ (if new then cost else h + cost) (if new then b + h else b)).
Qed.

(** "In any time shorter than P with r restarts, the released epsilons sum to at most (2+r)*L": in
    any time t, floor(t/P) more, both ends included; with one end, that is the page's bound. *)
Theorem released_in_time ok d0 d d' : fresh d0 -> steps ok d0 d -> steps ok d d' -> 0 < length ->
  total_released d' <= total_released d +
    (2 + (restarts d' - restarts d) + (time d' - time d) / length) * limit.
Proof.
  intros Hf H0 Hs HP. pose proof (good_steps H0 (good_fresh Hf)) as Hg.
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
  cbn [file starts written]. pose proof (look_spec Hlook) as (_ & _ & Hs).
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
  specialize (IH Hg). pose proof (good_steps Hs Hg) as Hgood.
  destruct (total_of_starts _ _ _ Hg Hs) as (Hn & _ & Ht & _).
  destruct Hstep; try exact IH.
  - exact (all_starts_apart_written _ _ _ _ false Hgood Hh IH Hn Ht H0 eq_refl o h b).
  - destruct (spend_stored_spec H0 H1) as (l & total & _ & _ & _ & _ & -> & ->).
    exact (all_starts_apart_written _ _ _ (State unit total (period_of s)) new Hgood Hh IH Hn Ht H0
             eq_refl _ (if new then cost else h + cost) (if new then b + h else b)).
Qed.

(** "To at most 2*L if the wall clock is not set forward around a restart", in any time shorter than
    P; in any time t, floor(t/P) more. *)
Theorem released_in_time_honest d0 d d' :
  fresh d0 -> steps clock_is_honest d0 d -> steps clock_is_honest d d' -> 0 < length ->
  total_released d' <= total_released d + (2 + (time d' - time d) / length) * limit.
Proof.
  intros Hf H0 Hs HP. pose proof (good_steps H0 (good_fresh Hf)) as Hg.
  pose proof (good_steps Hs Hg) as Hg'.
  set (q := (time d' - time d) / length). replace (2 + q) with (q + 1 + 1) by lia.
  apply (total_bound clock_is_honest); auto.
  destruct (all_starts_apart_steps _ _ Hg Hs) as [E|(s & Ef & Ha)]; [lia|].
  assert (Hw : written d' <= time d') by (unfold good in Hg'; rewrite Ef in Hg'; apply Hg').
  pose proof (N.mul_succ_div_gt (time d' - time d) length ltac:(lia)) as Hq. fold q in Hq.
  assert (starts d' - starts d - 1 <= q); [|lia]. apply N.lt_succ_r. nia.
Qed.

End BudgetTime.
