(* brr-proof-checker: reads a setting from standard input, and prints "yes", or "no" and each
   premise of the theorems that the setting fails. The exit code is 0, 1, or 2 for input that isn't
   a setting. With --version, it prints its version, and the SHA-256 of its sources, cat
   theories/*.v checker/*.

   A line is a name and integers; the first one is the kind of setting:

     exponential               flips                 counts           passing
     epsilon NUM DEN           epsilon NUM DEN       cap NUM DEN      threshold T
     cap NUM DEN (optional)    threshold T           symbols k
     bits OWN TASK WEIGHT                            keep K
     weights W[0] ... W[L]
     masses BYTE ...
     gains BEFORE AFTER BYTE AFTER BYTE ... (any number of lines)

   A certificate has the lines of exponential, without gains, and two more:

     certified NUM DEN
     code WORD ...         (a line for each word; its own bits and then its task bits, 64 to a number)

   distances.c compares all pairs of its words; with --by-definition, Coq's own functions do. *)

open Checker

exception Malformed of string

let malformed message = raise (Malformed message)

(* Converts decimal digits to Coq's binary numbers, with Coq's own addition and multiplication. *)
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

(* The lines with a name, each as its numbers. *)
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

let setting lines =
  let own, task, weight =
    match one "bits" lines with
    | [ own; task; weight ] -> (own, task, weight)
    | _ -> malformed "line 'bits' needs three integers" in
  let cap =
    match lines_of "cap" lines with
    | [] -> None
    | _ -> Some (fraction "cap" (one "cap" lines)) in
    { epsilon = fraction "epsilon" (one "epsilon" lines); cap; own_size = own; task_size = task;
      task_weight = weight; weights = one "weights" lines; masses = one "masses" lines;
      gains = List.rev_map gains (lines_of "gains" lines) }

let of_setting = [ "epsilon"; "cap"; "bits"; "weights"; "masses" ]

let exponential lines =
  only ("gains" :: of_setting) lines;
  List.map explained (exponential_failed (setting lines))

let flips lines =
  only [ "epsilon"; "threshold" ] lines;
  List.map explained (flip_failed
    { flip_epsilon = fraction "epsilon" (one "epsilon" lines);
      flip_threshold = single "threshold" lines })

let counts lines =
  only [ "cap"; "symbols"; "keep" ] lines;
  List.map explained (counts_failed
    { counts_cap = fraction "cap" (one "cap" lines); symbols = single "symbols" lines;
      keep = single "keep" lines })

let passing lines =
  only [ "threshold" ] lines;
  List.map explained (passing_failed (single "threshold" lines))

(* Conversions between Coq's numbers and C's 64-bit numbers. *)
let rec of_positive = function
  | XH -> 1L
  | XO p -> double p
  | XI p -> Int64.add (double p) 1L

and double p =
  let half = of_positive p in
  if Int64.compare half (Int64.shift_left 1L 62) >= 0 then malformed "a number is 2^63 or more";
  Int64.shift_left half 1

let to_64_bits = function N0 -> 0L | Npos p -> of_positive p

let rec to_positive n =
  if n = 1L then XH
  else
    let half = to_positive (Int64.shift_right_logical n 1) in
    if Int64.logand n 1L = 1L then XI half else XO half

let of_64_bits n = if n = 0L then N0 else Npos (to_positive n)

let to_int n = Int64.to_int (to_64_bits n)

let array numbers = Bigarray.Array1.of_array Bigarray.int64 Bigarray.c_layout (Array.of_list numbers)

type numbers = (int64, Bigarray.int64_elt, Bigarray.c_layout) Bigarray.Array1.t

external histogram : numbers -> int * int * int -> numbers -> int -> numbers -> unit = "brr_histogram"
external lowest : numbers -> int * int * int -> numbers -> int -> numbers -> unit = "brr_lowest"

let rec nat n = if n = 0 then O else S (nat (n - 1))

let rec of_nat = function O -> 0 | S n -> 1 + of_nat n

let certificate by_definition lines =
  only ("certified" :: "code" :: of_setting) lines;
  let setting = setting lines in
  let weight = to_int setting.task_weight and own = to_int setting.own_size and tasks = to_int setting.task_size in
  if own mod 64 <> 0 || tasks mod 64 <> 0 then malformed "line 'bits' needs multiples of 64";
  let shape = (own / 64, tasks / 64, weight) in
  let word text =
    try Int64.of_string ("0u" ^ text) with Failure _ -> malformed ("not an integer of 64 bits: " ^ text) in
  let codes =
    List.filter_map (function "code" :: words -> Some (List.map word words) | _ -> None) lines in
  if List.exists (fun code -> List.length code <> (own + tasks) / 64) codes
     || List.length codes <> List.length setting.masses then
    malformed "needs one line 'code' of all bits for each mass";
  let stated = fraction "certified" (one "certified" lines) in
  let failed = exponential_failed setting in
  let masses = List.rev (List.rev_map level setting.masses) in
  let holds =
    if by_definition then begin
      let bits n words =
        List.concat_map
          (fun w -> List.init 64 (fun i -> Int64.logand (Int64.shift_right_logical w i) 1L = 1L)) words
        |> List.filteri (fun i _ -> i < n) in
      let code words =
        { own_bits = bits own words; task_bits = bits tasks (List.filteri (fun i _ -> i >= own / 64) words) } in
      let code = Array.of_list (List.map code codes) in
      let distances x y = distance (nat weight) code.(of_nat x) code.(of_nat y) in
      let words = List.init (Array.length code) nat and last = nat (own + (weight * tasks)) in
      let numbers l = let l = Array.of_list l in fun y -> l.(of_nat y) in
      let masses = numbers masses in
      certificate_holds setting stated
        (fun x -> histogram_of distances words last masses (nat (to_int x)))
        (fun l -> let l = numbers l in fun x -> lowest_of distances words last l (nat (to_int x)))
    end
    else begin
      let codes = array (List.concat codes) in
      let found = array (List.init (own + (weight * tasks) + 1) (fun _ -> 0L)) in
      let by_distance looked numbers x =
        looked codes shape numbers (to_int x) found;
        List.init (Bigarray.Array1.dim found) (fun k -> of_64_bits found.{k}) in
      let all numbers = array (List.rev (List.rev_map to_64_bits numbers)) in
      let latest = ref ([], all []) in
      certificate_holds setting stated (by_distance histogram (all masses)) (fun l ->
        if fst !latest != l then latest := (l, all l);
        by_distance lowest (snd !latest))
    end in
  List.map explained failed
  @ if holds then [] else [ "the words lose more than the certified epsilon a bit" ]

let rec read lines =
  match input_line stdin with
  | line -> read (fields line :: lines)
  | exception End_of_file -> List.filter (fun line -> line <> []) (List.rev lines)

let () =
  let arguments = List.tl (Array.to_list Sys.argv) in
  if arguments = [ "--version" ] then begin
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
      | [ "certificate" ] :: lines -> certificate (arguments = [ "--by-definition" ]) lines
      | _ -> malformed "begins with 'exponential', 'flips', 'counts', 'passing' or 'certificate'"
    with
    | Malformed message ->
      prerr_endline ("brr-proof-checker: " ^ message);
      exit 2
    | Stack_overflow ->
      prerr_endline "brr-proof-checker: too many words for this stack; raise its limit: ulimit -s";
      exit 2
  in
  print_endline (if failed = [] then "yes" else "no");
  List.iter print_endline failed;
  exit (if failed = [] then 0 else 1)
