(* brr-proven-device: the releases of the proofs' program, for the tables and the random bytes on
   standard input. This file only reads and prints; Coq's functions compute everything. The exit
   code is 0, or 2 for invalid input.

   A line is a name and fields, and the first one says what runs. A device has one of these lines each:

     random HEX                   budget LIMIT PERIOD COST-OF-WORD COST-OF-REPORT
     codes CODE ...               a-day FRAMES WORDS (optional)
     levels BYTE ...              passing T ID ... (optional)
     epsilon, cap, bits, weights, masses, gains: as the checker reads them
     second LINE ...              these lines of a memory's second draws (optional)
     report LINE ...              cap NUM DEN, keep K, first K, most M: of counts (optional)

   and any number of these:

     list ID ...                  and for each list: forms STRING ...
     keyed ID|- HEX               keyed-symbol SYMBOL HEX: what a memory's key gives
     first TOKEN                  first-symbol TOKEN: prints a first draw

   and events: open, time MS WALL, writes BEFORE|- TOKEN ..., counts TOKEN ..., ends-counts, begins-frames,
   frames TOKEN ..., ends-frames. A token is its candidates, or - for none; @3 is a mark of list 3, @ of
   none. Strings are numbers, those of words their ids. *)

open Device

exception Malformed of string

let malformed message = raise (Malformed message)

(* Numbers *)

let rec nat_of_int i = if i = 0 then O else S (nat_of_int (i - 1))
let rec int_of_nat = function O -> 0 | S n -> 1 + int_of_nat n
let rec int64_of_positive = function
  | XH -> 1L
  | XO p -> Int64.shift_left (int64_of_positive p) 1
  | XI p -> Int64.succ (Int64.shift_left (int64_of_positive p) 1)
let int64_of_n = function N0 -> 0L | Npos p -> int64_of_positive p
let int_of_n n = Int64.to_int (int64_of_n n)
let shown n = Printf.sprintf "%Lu" (int64_of_n n)
let shown_all numbers = String.concat " " (List.map shown numbers)

let small = Array.init 256 (fun i ->
  let rec up i = if i = 0 then N0 else N.add (Npos XH) (up (i - 1)) in up i)

(* Decimal digits, by Coq's own addition and multiplication. *)
let number text =
  String.fold_left
    (fun sum c -> match c with
      | '0' .. '9' -> N.add (N.mul small.(10) sum) small.(Char.code c - Char.code '0')
      | _ -> malformed ("not an integer: " ^ text))
    N0 text

let nat text = nat_of_int (int_of_string text)

(* Hexadecimal bytes; those of a draw are 8. *)
let bytes text =
  List.init (String.length text / 2) (fun i -> small.(int_of_string ("0x" ^ String.sub text (2 * i) 2)))

let rec numbers size = function
  | [] -> []
  | rest ->
    let rec part i rest = match i, rest with
      | 0, _ -> [], rest
      | _, byte :: rest -> let first, rest = part (i - 1) rest in byte :: first, rest
      | _, [] -> malformed "bytes are missing" in
    let first, rest = part size rest in
    little_endian first :: numbers size rest

let n_of_int i = number (string_of_int i)
let bits count code = List.init count (fun i -> N.testbit code (n_of_int i))

(* Lines *)

let lines_of name lines =
  List.filter_map (function first :: rest when first = name -> Some rest | _ -> None) lines

let one name lines =
  match lines_of name lines with
  | [ fields ] -> fields
  | _ -> malformed ("needs one line '" ^ name ^ "'")

let fraction name = function
  | [ a; b ] -> (number a, number b)
  | _ -> malformed ("line '" ^ name ^ "' needs a numerator and a denominator")

let optional name lines otherwise made =
  match lines_of name lines with [] -> otherwise | fields :: _ -> made fields

let rec pairs = function
  | a :: b :: rest -> (number a, number b) :: pairs rest
  | _ -> []

let triple name lines =
  match List.map number (one name lines) with
  | [ a; b; c ] -> a, b, c
  | _ -> malformed ("line '" ^ name ^ "' needs three integers")

let setting lines =
  let own_size, task_size, task_weight = triple "bits" lines in
  { epsilon = fraction "epsilon" (one "epsilon" lines);
    cap = optional "cap" lines None (fun fields -> Some (fraction "cap" fields));
    own_size; task_size; task_weight;
    weights = List.map number (one "weights" lines);
    masses = List.map number (one "masses" lines);
    gains = List.map
      (function before :: after -> number before, pairs after | [] -> malformed "line 'gains' is empty")
      (lines_of "gains" lines) }

(* A device: events are lines, and typed tokens are candidates, a mark of a list, or a mark without
   one. *)

let events = [ "open"; "time"; "writes"; "counts"; "ends-counts"; "begins-frames"; "frames"; "ends-frames" ]

let typed lists text =
  match text.[0] with
  | '@' when text = "@" -> Marked ([], None)
  | '@' -> Marked ([], Some (List.nth lists (int_of_string (String.sub text 1 (String.length text - 1)))))
  | _ -> Plain (List.map int_of_string (List.filter (( <> ) "-") (String.split_on_char ',' text)))

let event lists =
  let typed = typed lists in
  function
  | [ "open" ] -> Changes Open_budget
  | [ "time"; ms; wall ] -> Changes (Time (number ms, number wall))
  | "writes" :: before :: words ->
    Writes (O, (if before = "-" then None else Some (nat before)), List.map typed words)
  | "counts" :: words -> Counts (O, List.map typed words)
  | [ "ends-counts" ] -> Ends_counts
  | [ "begins-frames" ] -> Begins_frames O
  | "frames" :: words -> Frames (List.map typed words)
  | [ "ends-frames" ] -> Ends_frames
  | name :: _ -> malformed ("no such event: " ^ name)
  | [] -> malformed "no event"

let joined separator shown list = String.concat separator (List.map shown list)
let ids words = joined " " (fun id -> string_of_int (int_of_nat id)) words

let observed = function
  | Nothing -> "nothing"
  | Refused -> "refused"
  | Words released -> "words " ^ ids released
  | Counted reports -> "counted " ^ shown_all reports
  | Framed frames -> "framed " ^ joined "," ids frames

let device lines =
  let second_lines = lines_of "second" lines in
  let s = setting lines in
  let second = if second_lines = [] then s else setting second_lines in
  let vocabulary = List.length s.masses in
  let own, task = int_of_n s.own_size, int_of_n s.task_size in
  let codes = Array.of_list (List.map (fun code ->
    let all = bits (own + task) (number code) in
    { own_bits = List.filteri (fun i _ -> i < own) all;
      task_bits = List.filteri (fun i _ -> i >= own) all }) (one "codes" lines)) in
  let code_of v = codes.(int_of_nat v) in
  let sizes = Array.of_list (List.map (fun byte -> level (number byte)) (one "levels" lines)) in
  let size v = sizes.(int_of_nat v) in
  let p, passing = optional "passing" lines (N0, None)
    (function t :: words -> number t, Some words | [] -> malformed "line 'passing' is empty") in
  let passes v = List.mem (string_of_int (int_of_nat v)) (Option.value passing ~default:[]) in
  let symbols = n_of_int (vocabulary + 1) in
  let report = lines_of "report" lines in
  let counts =
    { counts_cap = optional "cap" report (small.(1), small.(1)) (fraction "cap"); symbols;
      keep = optional "keep" report N0 (fun fields -> number (List.hd fields)) } in
  let keep_first = optional "first" report N0 (fun fields -> number (List.hd fields)) in
  let most = optional "most" report O (fun fields -> nat (List.hd fields)) in
  let limit, period, of_word, of_report = match one "budget" lines with
    | [ a; b; c; d ] -> number a, number b, number c, number d
    | _ -> malformed "line 'budget' needs four integers" in
  let a_day, in_a_frame = optional "a-day" lines (O, O)
    (function [ a; b ] -> nat a, nat b | _ -> malformed "line 'a-day' needs two integers") in
  (* Lists and typed tokens: words are below [vocabulary], other strings aren't. *)
  let lists = List.map2 (fun members forms -> { members = List.map nat members; forms })
    (lines_of "list" lines) (List.map (List.map (fun form -> [ int_of_string form ])) (lines_of "forms" lines)) in
  let find_word = function [ x ] when x < vocabulary -> Some (nat_of_int x) | _ -> None in
  let typed_as = typed_as ( = ) find_word (List.map (fun x -> [ x ])) lists in
  (* A memory: the bytes that its key gives a word, an unknown one, or a symbol of counts. *)
  let keyed name x = match List.find_opt (fun fields -> List.hd fields = x) (lines_of name lines) with
    | Some fields -> numbers 8 (bytes (List.nth fields 1))
    | None -> malformed ("no bytes for " ^ name ^ " " ^ x) in
  let has_memory = lines_of "keyed" lines <> [] || lines_of "keyed-symbol" lines <> [] in
  let drawn program source = match run_on program source with
    | Some (y, _) -> y
    | None -> malformed "a key's bytes end" in
  let first_draw () a =
    let bytes = keyed "keyed" (match a with Known v -> string_of_int (int_of_nat v) | Unknown -> "-") in
    drawn (word (mechanism s code_of s) (stand s size) p (passing <> None) passes None a) bytes in
  let first_response () x =
    drawn (respond (N.pow small.(2) small.(63)) keep_first symbols x)
      (keyed "keyed-symbol" (shown x)) in
  let lived = List.filter (fun line -> List.mem (List.hd line) events) lines in
  let events = List.map (event lists) lived in
  let zero = { wall = N0; uptime = N0; run = N0 } in
  let begun = { on = { clock = zero; file = None; objects = []; in_run = false; time = N0; written = N0;
                       restarts = N0; starts = N0; here = N0; before = N0 };
                seen = O; framing = false; renewed = O } in
  let life = ordered_live s second counts p code_of size (passing <> None) passes typed_as has_memory
    (Return ()) first_draw first_response limit period small.(1) of_word of_report most a_day in_a_frame
    (nat_of_int (List.length events)) (fun past -> List.nth events (List.length past)) [] begun
    { key = (); sample = []; offered = O; frames = [] } in
  match run_on life (numbers 8 (bytes (String.concat "" (one "random" lines)))) with
  | None -> malformed "the random bytes end"
  | Some (observations, rest) ->
    List.iter (fun o -> print_endline (observed o)) (List.rev observations);
    let firsts name shown = List.iter (List.iter (fun token ->
      Printf.printf "%s %s\n" name (shown (typed_as (typed lists token))))) (lines_of name lines) in
    firsts "first" (fun a -> string_of_int (int_of_nat (first_draw () a)));
    firsts "first-symbol" (fun a -> shown (symbol s true first_response () a));
    Printf.printf "left %d\n" (8 * List.length rest)

(* Releases of budgets with one file. *)

let budget lines =
  let period = match one "period" lines with [ ms ] -> number ms | _ -> malformed "needs one period" in
  let leases = Hashtbl.create 3 and file = ref None in
  let spend_one = function
    | [ object_; limit; wall; uptime; run; cost; each; unit_ ] ->
      let now = { wall = number wall; uptime = number uptime; run = number run } in
      let released = spend (number limit) period !file (Hashtbl.find_opt leases object_) now (number cost)
        (number each) (number unit_) in
      (match released with
       | Some (after, lease) -> file := after; Hashtbl.replace leases object_ lease
       | None -> file := looked period !file now);
      print_endline ((if released = None then "refused" else "spent") ^ (match !file with
        | None -> ""
        | Some { unit_of; spent; period_of = { elapsed; latest; at_run; at_uptime } } ->
          " " ^ shown_all [ unit_of; spent; elapsed; latest; at_run; at_uptime ]))
    | _ -> malformed "line 'spend' needs eight fields" in
  List.iter spend_one (lines_of "spend" lines)

(* Noised codes and tables, a line each. *)

let noised = function
  | [ threshold; code; random ] ->
    let code = bytes code and random = numbers 4 (bytes random) in
    let half = N.pow small.(2) small.(31) and all = N.pow small.(2) small.(32) in
    let unsigned r = let sum = N.add r half in if N.ltb sum all then sum else N.sub sum all in
    let flipped = randomize (number threshold) (List.concat_map (bits 8) code) (List.map unsigned random) in
    joined "" (fun b -> if b then "1" else "0") flipped
  | _ -> malformed "needs a threshold, a code and bytes"

let table = function
  | [ first; growth; gentle; steep; radius; far ] ->
    let one = N.pow small.(2) small.(64) and first = number first in
    let least = if growth = "-" then N0 else floor_of_cap one first (number growth) in
    shown_all (weight_table one first least (number gentle) (number steep) (nat radius) (nat far))
  | _ -> malformed "needs six integers"

let rec read lines =
  match input_line stdin with
  | line -> read (List.filter (( <> ) "") (String.split_on_char ' ' line) :: lines)
  | exception End_of_file -> List.filter (( <> ) []) (List.rev lines)

let () =
  try
    match read [] with
    | [ "device" ] :: lines -> device lines
    | [ "budget" ] :: lines -> budget lines
    | [ "noised" ] :: lines -> List.iter (fun line -> print_endline (noised line)) lines
    | [ "tables" ] :: lines -> List.iter (fun line -> print_endline (table line)) lines
    | _ -> malformed "begins with 'device', 'budget', 'noised' or 'tables'"
  with Malformed message ->
    prerr_endline ("brr-proven-device: " ^ message);
    exit 2
