(* brr-proof-checker: reads a setting from standard input, and prints "yes", or "no" and each premise of
   the theorems that it fails. The exit code is 0, 1, or 2 for what isn't a setting. With --version it prints
   its version, and the SHA-256 of cat theories/*.v checker/*, by which it was made.

   A line is a name and integers; the first one is the kind of setting:

     exponential               flips                 counts           passing
     epsilon NUM DEN           epsilon NUM DEN       cap NUM DEN      threshold T
     cap NUM DEN (optional)    threshold T           symbols k
     bits OWN TASK WEIGHT                            keep K
     weights W[0] ... W[L]
     masses BYTE ...
     gains BEFORE AFTER BYTE AFTER BYTE ... (any number of lines)
*)

open Checker

exception Malformed of string

let malformed message = raise (Malformed message)

(* Decimal digits to Coq's binary numbers, by Coq's own addition and multiplication. *)
let number text =
  let digits = Array.init 10 (fun d ->
    let rec up n = if n = 0 then N0 else N.add (Npos XH) (up (n - 1)) in up d) in
  let ten = N.add digits.(9) digits.(1) in
  if text = "" then malformed "an integer is missing";
  String.fold_left
    (fun sum c -> match c with
      | '0' .. '9' -> N.add (N.mul ten sum) digits.(Char.code c - Char.code '0')
      | _ -> malformed ("not an integer: " ^ text))
    N0 text

let fields line = String.split_on_char ' ' line |> List.filter (fun field -> field <> "")

(* The lines of a name, each as its numbers. *)
let lines_of name lines =
  List.filter_map
    (function first :: rest when first = name -> Some (List.rev (List.rev_map number rest)) | _ -> None)
    lines

let one name lines =
  match lines_of name lines with
  | [ numbers ] -> numbers
  | _ -> malformed ("needs one line '" ^ name ^ "'")

let fraction name = function
  | [ num; den ] -> (num, den)
  | _ -> malformed ("line '" ^ name ^ "' needs a numerator and a denominator")

let single name lines =
  match one name lines with
  | [ n ] -> n
  | _ -> malformed ("line '" ^ name ^ "' needs one integer")

let rec pairs found = function
  | [] -> found
  | after :: byte :: rest -> pairs ((after, byte) :: found) rest
  | [ _ ] -> malformed "line 'gains' needs pairs"

let gains = function
  | before :: rest -> (before, pairs [] rest)
  | [] -> malformed "line 'gains' needs a word before"

let only names lines =
  List.iter
    (function
      | name :: _ when List.mem name names -> ()
      | name :: _ -> malformed ("unknown line '" ^ name ^ "'")
      | [] -> ())
    lines

let exponential lines =
  only [ "epsilon"; "cap"; "bits"; "weights"; "masses"; "gains" ] lines;
  let own, task, weight =
    match one "bits" lines with
    | [ own; task; weight ] -> (own, task, weight)
    | _ -> malformed "line 'bits' needs three integers" in
  let cap =
    match lines_of "cap" lines with
    | [] -> None
    | _ -> Some (fraction "cap" (one "cap" lines)) in
  exponential_failed
    { epsilon = fraction "epsilon" (one "epsilon" lines); cap; own_size = own; task_size = task;
      task_weight = weight; weights = one "weights" lines; masses = one "masses" lines;
      gains = List.rev_map gains (lines_of "gains" lines) }

let flips lines =
  only [ "epsilon"; "threshold" ] lines;
  flip_failed
    { flip_epsilon = fraction "epsilon" (one "epsilon" lines);
      flip_threshold = single "threshold" lines }

let counts lines =
  only [ "cap"; "symbols"; "keep" ] lines;
  counts_failed
    { counts_cap = fraction "cap" (one "cap" lines); symbols = single "symbols" lines;
      keep = single "keep" lines }

let passing lines =
  only [ "threshold" ] lines;
  passing_failed (single "threshold" lines)

let explained = function
  | Fraction_defined -> "epsilon or the cap has no denominator"
  | Table_complete -> "there isn't one weight for each distance, or there are no or too many symbols"
  | Weights_positive -> "a weight is 0"
  | Weights_decreasing -> "a weight is larger than that of a smaller distance"
  | Steps_hold -> "a step of one bit loses more than epsilon / 2"
  | Cap_holds -> "a weight is below e^(-cap / 2) times the first one"
  | Masses_positive -> "a mass is 0"
  | Total_fits -> "the first weight isn't what the masses leave of 2^63 - 1"
  | Threshold_holds -> "the flip threshold isn't from 2^32 / (1 + e^epsilon) to 2^31"
  | Keep_holds -> "the keep threshold keeps a symbol too often"
  | Coin_holds -> "the pass threshold isn't below 2^63"

let rec read lines =
  match input_line stdin with
  | line -> read (fields line :: lines)
  | exception End_of_file -> List.filter (fun line -> line <> []) (List.rev lines)

let () =
  if Array.to_list Sys.argv |> List.tl = [ "--version" ] then begin
    print_endline ("brr-proof-checker " ^ Version.made_of);
    exit 0
  end;
  let failed =
    try
      match read [] with
      | [ "exponential" ] :: lines -> exponential lines
      | [ "flips" ] :: lines -> flips lines
      | [ "counts" ] :: lines -> counts lines
      | [ "passing" ] :: lines -> passing lines
      | _ -> malformed "begins with 'exponential', 'flips', 'counts' or 'passing'"
    with
    | Malformed message ->
      prerr_endline ("brr-proof-checker: " ^ message);
      exit 2
    | Stack_overflow ->
      prerr_endline "brr-proof-checker: too many words for this stack; raise its limit: ulimit -s";
      exit 2
  in
  print_endline (if failed = [] then "yes" else "no");
  List.iter (fun premise -> print_endline (explained premise)) failed;
  exit (if failed = [] then 0 else 1)
