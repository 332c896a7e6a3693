(** Sentence codes: randomized response on each symbol, with weights over 2^64.
    docs/explanation/proofs.md, "Sentence codes". *)

From Coq Require Import QArith Lqa Lia NArith List.
From Brrkit Require Import Probability Weights Ranges Program.
Import ListNotations.
Open Scope Q_scope.

(** A cyclic shift of the symbols yields the same symbols. *)
Lemma range_rotated K x g : (x < K)%N ->
  range_sum K (fun i => g ((x + i) mod K)%N) == range_sum K g.
Proof.
  intros Hx. set (f := fun i => g ((x + i) mod K)%N).
  pose proof (range_split (K - x) x f) as Hf. replace (K - x + x)%N with K in Hf by lia.
  pose proof (range_split x (K - x) g) as Hg. replace (x + (K - x))%N with K in Hg by lia.
  rewrite Hf, Hg, Qplus_comm. unfold f. apply Qplus_comp; apply range_ext; intros i Hi.
  - replace (x + (K - x + i))%N with (i + 1 * K)%N by lia. now rewrite N.mod_add, N.mod_small by lia.
  - now rewrite N.mod_small by lia.
Qed.

Section Symbol.

(** brrkit_adept/sentence_codes.py, [Response]: 2^64, K and T. *)
Variables one size other : N.

(** a/b is at most e^epsilon. *)
Definition response_holds (a b : N) : Prop :=
  (0 < other /\ size * other <= one /\ (one - (size - 1) * other) * b <= a * other)%N.

(** [respond] there: a symbol is shifted by 0 to K - 1 places. *)
Definition move (uniform : N) : N :=
  if (uniform <? (size - 1) * other)%N then (uniform / other + 1)%N else 0%N.

Definition release_symbol (x : N) : program N :=
  Uniform one (fun uniform => Return ((x + move uniform) mod size)%N).

(** Any other given symbol comes out for T of 2^64 numbers, the true one for S = 2^64 - (K - 1)T. *)
Theorem release_symbol_mean x g : (0 < other)%N -> (size * other <= one)%N -> (x < size)%N ->
  mean (release_symbol x) g ==
  (of_N other * range_sum size g + (of_N (one - (size - 1) * other) - of_N other) * g x) / of_N one.
Proof.
  intros HT HK Hx. unfold release_symbol. cbn [mean]. apply Qmult_comp; [|reflexivity].
  set (moved := fun i => g ((x + i) mod size)%N).
  set (others := ((size - 1) * other)%N). set (f := fun u => g ((x + move u) mod size)%N).
  pose proof (range_split others (one - others) f) as Hf.
  replace (others + (one - others))%N with one in Hf by (unfold others; nia).
  assert (Hothers : range_sum others f ==
                    of_N other * range_sum (size - 1) (fun i => moved (1 + i)%N)).
  { unfold others. rewrite range_blocks, <- range_scale. apply range_ext. intros i Hi.
    rewrite (range_ext other _ (fun _ => moved (1 + i)%N)); [apply range_const|].
    intros j Hj. unfold f, moved, move.
    replace (i * other + j <? (size - 1) * other)%N with true by (symmetry; apply N.ltb_lt; nia).
    rewrite N.div_add_l, (N.div_small j) by lia. now replace (i + 0 + 1)%N with (1 + i)%N by lia. }
  assert (Hsame : range_sum (one - others) (fun i => f (others + i)%N) == of_N (one - others) * g x).
  { rewrite <- range_const. apply range_ext. intros i _. unfold f, move. fold others.
    replace (others + i <? others)%N with false by (symmetry; apply N.ltb_ge; lia).
    now rewrite N.add_0_r, N.mod_small. }
  assert (Hmoved : range_sum size g == g x + range_sum (size - 1) (fun i => moved (1 + i)%N)).
  { rewrite <- (range_rotated size x g Hx). fold moved.
    pose proof (range_split 1 (size - 1) moved) as H. replace (1 + (size - 1))%N with size in H by lia.
    rewrite H. apply Qplus_comp; [|reflexivity].
    change 1%N with (N.succ 0). rewrite range_succ, range_0. unfold moved.
    rewrite N.add_0_r, N.mod_small by lia. ring. }
  rewrite Hf, Hothers, Hsame, Hmoved. ring.
Qed.

(** "Pr[y|x]/Pr[y|x'] is at most S/T, for any symbols." *)
Theorem release_symbol_loses a b x x' :
  response_holds a b -> (0 < b)%N -> (x < size)%N -> (x' < size)%N ->
  loses (ratio a b) (release_symbol x) (release_symbol x').
Proof.
  intros (HT & HK & Hab) Hb Hx Hx' g Hg. rewrite !release_symbol_mean by assumption.
  set (S := of_N (one - (size - 1) * other)). set (T := of_N other).
  set (total := range_sum size g). set (r := ratio a b).
  assert (HST : T <= S) by (apply of_N_le; nia).
  assert (Hr : S <= r * T).
  { apply of_N_le in Hab. rewrite !of_N_mul in Hab. fold S T in Hab.
    pose proof (of_N_pos b Hb) as Pb. unfold r, ratio. fold (of_N a) (of_N b).
    setoid_replace (of_N a / of_N b * T) with (of_N a * T / of_N b) by (field; lra).
    now apply Qle_shift_div_l. }
  assert (Htotal : g x <= total).
  { unfold total. rewrite <- (range_select size x g Hx). apply range_le. intros i _.
    destruct (i =? x)%N; [lra|apply Hg]. }
  pose proof (Hg x) as Hgx. pose proof (Hg x') as Hgx'.
  assert (Hr0 : 0 <= r) by apply ratio_nonneg.
  assert (H1 : T * total + (S - T) * g x <= S * total).
  { setoid_replace (S * total) with (T * total + (S - T) * total) by ring.
    apply Qplus_le_r. rewrite !(Qmult_comm (S - T)). apply Qmult_le_compat_r; lra. }
  assert (H2 : S * total <= r * T * total) by (apply Qmult_le_compat_r; lra).
  assert (H3 : 0 <= r * ((S - T) * g x')).
  { apply Qmult_nonneg; [exact Hr0|]. apply Qmult_nonneg; lra. }
  setoid_replace (r * ((T * total + (S - T) * g x') / of_N one))
    with (r * (T * total + (S - T) * g x') / of_N one) by (unfold Qdiv; ring).
  apply Qmult_le_compat_r; [lra|apply inverse_nonneg].
Qed.

(** [response] for e^epsilon = a/b: T is 2^64 / (e^epsilon + K - 1), rounded up. *)
Theorem response_good a b :
  other = divide_up (one * b) (a + (size - 1) * b) -> (0 < one)%N -> (0 < b <= a)%N ->
  (1 <= size)%N -> (size * other <= one)%N -> response_holds a b.
Proof.
  intros E Hone Hb Hsize HK. pose proof (divide_up_spec (one * b) (a + (size - 1) * b)) as Hup.
  rewrite <- E in Hup. unfold response_holds.
  assert (H : (one * b <= other * (a + (size - 1) * b))%N) by (apply Hup; nia).
  repeat split; [|exact HK|].
  - apply N.neq_0_lt_0. intros E0. rewrite E0 in H. nia.
  - rewrite N.mul_sub_distr_r. set (others := (size - 1)%N) in *.
    replace (other * (a + others * b))%N with (a * other + others * other * b)%N in H by ring. lia.
Qed.

End Symbol.

(** A sentence's code: a response and a symbol for each place. *)
Record place := Place { one_of : N; size_of : N; other_of : N; top : N; bottom : N }.

Definition place_holds (p : place) : Prop :=
  response_holds (one_of p) (size_of p) (other_of p) (top p) (bottom p) /\ (0 < bottom p)%N.

Fixpoint release_code (places : list place) (code : list N) : program (list N) :=
  match places, code with
  | p :: places, x :: code =>
      y <- release_symbol (one_of p) (size_of p) (other_of p) x ;;
      ys <- release_code places code ;; Return (y :: ys)
  | _, _ => Return []
  end.

(** e to the sum of the places' epsilons. *)
Definition code_loss (places : list place) : Q :=
  fold_right (fun p r => ratio (top p) (bottom p) * r) 1 places.

Lemma code_loss_nonneg places : 0 <= code_loss places.
Proof.
  induction places as [|p places IH]; simpl; [lra|]. apply Qmult_nonneg; [apply ratio_nonneg|exact IH].
Qed.

Definition is_code (places : list place) (code : list N) : Prop :=
  Forall2 (fun p x => (x < size_of p)%N) places code.

(** "For any two inputs": the codes of any sentences; for functions of the released code, see
    [loses_after]. *)
Theorem code_loses places code code' :
  Forall place_holds places -> is_code places code -> is_code places code' ->
  loses (code_loss places) (release_code places code) (release_code places code').
Proof.
  intros Hp H. revert code'. induction H as [|p x places code Hx _ IH]; intros code' H';
    inversion H' as [|? x' ? code'' Hx' H'']; subst; [apply loses_same|].
  inversion Hp as [|? ? [Hholds Hb] Hrest]; subst.
  cbn [release_code code_loss fold_right].
  apply loses_bind; [apply ratio_nonneg|apply code_loss_nonneg|now apply release_symbol_loses|].
  intros y. apply loses_after. now apply IH.
Qed.
