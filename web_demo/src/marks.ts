/** Marks: parts of a text that an app declares secret. `spec/bundle-format.md`, "Marks". */

import { checkArgument, checkOptions, checkRest } from "./errors.js";
import { isInteger } from "./exact.js";
import type { Policy } from "./policy.js";
import { UNKNOWN } from "./token.js";
import type { Tokenizer } from "./tokenizer.js";

/**
 * A part of a text that counts as one token, whatever it contains. Its release reveals only `list`, or nothing without
 * a `list`.
 */
export interface Mark {
  /** Index of its first character in the given text, in UTF-16 code units. */
  readonly start: number;
  /** Index after its last character. */
  readonly end: number;
  /** Name of a list of the policy; without one, it counts as an unknown word. */
  readonly list?: string | null | undefined;
}

/** A mark's place in a text, and the id that the mark is typed as, or UNKNOWN. */
export interface Cut {
  readonly start: number;
  readonly end: number;
  readonly id: number;
}

/**
 * Returns the marks of a text in order, widened to whole tokens and without overlap.
 *
 * @throws ParameterError a mark is empty, outside the text or within a character, or names a list that the policy
 *   lacks.
 */
export function cutMarks(text: string, marks: readonly Mark[], tokenizer: Tokenizer): Cut[] {
  checkArgument(Array.isArray(marks), "marks takes a list of marks: [{ start: 10, end: 25, list: 'names' }]");
  const checked = marks.map((mark, place) => check(mark, `mark ${place + 1}`, text, tokenizer.policy));
  checked.sort((one, other) => one.start - other.start || one.end - other.end);
  const cut: Cut[] = [];
  for (const { start, end, id } of checked) {
    const [first, last] = widened(text, start, end, tokenizer);
    const before = cut[cut.length - 1];
    if (before && first < before.end) cut[cut.length - 1] = { ...before, end: Math.max(before.end, last) };
    else cut.push({ start: first, end: last, id });
  }
  return cut;
}

/** Returns the parts of a text before, between and after marks from `cutMarks`. */
export function around(text: string, cut: readonly Cut[]): string[] {
  const starts = [0, ...cut.map(({ end }) => end)];
  return starts.map((start, place) => text.slice(start, cut[place]?.start));
}

/** Returns the ids that the tokens of a text are typed as; each mark is one token. */
export function typedIn(text: string, cut: readonly Cut[], tokenizer: Tokenizer): number[] {
  return around(text, cut).flatMap((part, place) => {
    const typed = tokenizer.read(part).map(({ id }) => id);
    const mark = cut[place];
    return mark ? [...typed, mark.id] : typed;
  });
}

/** Returns both ends, moved outwards while they may be inside a token. */
function widened(text: string, start: number, end: number, tokenizer: Tokenizer): [number, number] {
  let [first, last] = [start, end];
  const isWithin = (place: number): boolean =>
    [before(text, place), at(text, place)].every((point) => point && tokenizer.isInner(point));
  while (isWithin(first)) first -= before(text, first).length;
  while (isWithin(last)) last += at(text, last).length;
  return [first, last];
}

/** Returns the character at a place; empty at the text's end. */
const at = (text: string, place: number): string =>
  place < text.length ? String.fromCodePoint(text.codePointAt(place)!) : "";

/** Returns the character before a place; empty at the text's start. */
const before = (text: string, place: number): string =>
  text.slice(splits(text, place - 1) ? place - 2 : Math.max(place - 1, 0), place);

/** Tells whether a place is within a character: between the halves of a surrogate pair. */
const splits = (text: string, place: number): boolean => text.codePointAt(place - 1)! > 0xffff;

function check(mark: Mark, name: string, text: string, policy: Policy): Cut {
  checkOptions(mark, name);
  const { start, end, list, ...rest } = mark;
  checkRest(rest, name);
  const isWithin = isInteger(start, 0, text.length) && isInteger(end, start + 1, text.length);
  checkArgument(
    isWithin && !splits(text, start) && !splits(text, end),
    `${name} must satisfy 0 <= start < end <= length of the text, and cut no character (UTF-16)`,
  );
  const id = list === undefined || list === null ? UNKNOWN : policy.headOf(list);
  const names = policy.lists.map((each) => each.name).join(", ") || "none";
  checkArgument(id !== undefined, `${name}: the bundle's policy has no such list; its lists: ${names}`);
  return { start, end, id };
}
