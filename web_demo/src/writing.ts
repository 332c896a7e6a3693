/** How a bundle's language is written: `spec/bundle-format.md`, "Writing", is the specification. */

import { SEPARATORS } from "./characters.js";
import { isWithin } from "./exact.js";
import { arrayOf, integerOf, need, objectOf, shortStringOf, unique, type Json, type JsonObject } from "./strictJson.js";

/** First and last code point of a script, or of a part of one. */
export interface CodePoints {
  readonly first: number;
  readonly last: number;
}

/** How a language is written. Only data; strings are in the vocabulary's normal form. */
export interface Writing {
  /** For people. */
  readonly language: string;
  /** A code point, and what stands for it in a vocabulary. */
  readonly replaced: ReadonlyMap<string, string>;
  /** Separators that join where they stand between two word characters. */
  readonly joiners: readonly string[];
  /** Words of their own before another one, the longest first. */
  readonly before: readonly string[];
  /** What is taken off an unknown word, the longest first. */
  readonly endings: readonly string[];
  /** Code points that an ending leaves, at least. */
  readonly shortestStem: number;
  /** A token that a vocabulary lacks, and its word. A `0` stands for any digit. */
  readonly spellings: ReadonlyMap<string, string>;
  /** Other spellings of unknown words: what is replaced, and by what. */
  readonly rewritten: readonly (readonly [part: string, other: string])[];
  /** Equal code points in a row that a word has, at most; 0: any number. */
  readonly longestRun: number;
  /** Scripts without spaces. */
  readonly unspaced: readonly CodePoints[];
  /** What may stand between the two parts of a compound; none: there are no compounds. */
  readonly links: readonly string[];
  /** Code points that a part of a compound has, at least. */
  readonly shortestPart: number;
}

/** How English is written: the language of a bundle that names none. */
export const ENGLISH: Writing = {
  language: "en",
  replaced: new Map(),
  joiners: [],
  before: [],
  endings: ["n't", "'re", "'ve", "'ll", "'s", "'d", "'m"],
  shortestStem: 1,
  spellings: new Map([["can't", "can"], ["won't", "will"], ["shan't", "shall"]]),
  rewritten: [],
  longestRun: 2,
  unspaced: [],
  links: [],
  shortestPart: 4,
};

const FIELDS = 12; // of a manifest's writing
const LONGEST = 64; // code points
const LAST_CODE_POINT = 0x10ffff;
const SEPARATOR = new RegExp(`[${SEPARATORS}]`, "u");

/** Returns what a manifest's field `writing` says. */
export function readWriting(value: Json): Writing {
  const fields = objectOf(value);
  need(Object.keys(fields).length === FIELDS);
  const joiners = strings(fields["joiners"], 16, 1, 1);
  need(joiners.every((joiner) => SEPARATOR.test(joiner)));
  const unspaced = unspacedIn(fields);
  for (const joiner of joiners) {
    need(!unspaced.some(({ first, last }) => isWithin(joiner.codePointAt(0)!, first, last)));
  }
  return {
    language: languageIn(fields),
    replaced: map(fields["replaced"], 256, 1, 0, 4),
    joiners,
    before: longestFirst(strings(fields["before"], 64)),
    endings: longestFirst(strings(fields["endings"], 256)),
    shortestStem: count(fields["shortest_stem"]),
    spellings: map(fields["spellings"], 4096),
    rewritten: rewrittenIn(fields),
    longestRun: count(fields["longest_run"], 0),
    unspaced,
    links: strings(fields["links"], 8, 0, 4),
    shortestPart: count(fields["shortest_part"]),
  };
}

function languageIn(fields: JsonObject): string {
  const name = string(fields["language"]);
  need(/^[ -~]+$/.test(name));
  return name;
}

function rewrittenIn(fields: JsonObject): Writing["rewritten"] {
  const rewritten = arrayOf(fields["rewritten"], 0, 64).map((value): [string, string] => {
    const [part, other] = pair(value);
    return [string(part), string(other, 0)];
  });
  need(rewritten.every(([part, other]) => part !== other));
  return unique(rewritten);
}

function unspacedIn(fields: JsonObject): CodePoints[] {
  const ranges = arrayOf(fields["unspaced"], 0, 64).map((value) => {
    const [first, last] = pair(value);
    return { first: codePoint(first), last: codePoint(last) };
  });
  ranges.forEach(({ first, last }, place) => need(first <= last && (place === 0 || ranges[place - 1]!.last < first)));
  return ranges;
}

/** Returns an object of strings, at most `most` of them, of so many code points, by names of at most `longestName`. */
function map(
  value: Json | undefined,
  most: number,
  longestName = LONGEST,
  shortest = 1,
  longest = LONGEST,
): ReadonlyMap<string, string> {
  const entries = Object.entries(objectOf(value));
  need(entries.length <= most);
  return new Map(entries.map(([name, field]) => [string(name, 1, longestName), string(field, shortest, longest)]));
}

/** Returns a value that has to be a list of different strings of so many code points, at most `most` of them. */
const strings = (value: Json | undefined, most: number, shortest = 1, longest = LONGEST): string[] =>
  unique(arrayOf(value, 0, most).map((item) => string(item, shortest, longest)));

/** Returns a value that has to be a string of so many code points. */
const string = (value: Json | undefined, shortest = 1, longest = LONGEST): string =>
  shortStringOf(value, shortest, longest);

const count = (value: Json | undefined, least = 1): number => integerOf(value, least, LONGEST);

/** Returns a value that has to be a code point, and not half of a surrogate pair. */
function codePoint(value: Json | undefined): number {
  const point = integerOf(value, 0, LAST_CODE_POINT);
  need(!isWithin(point, 0xd800, 0xdfff));
  return point;
}

const pair = (value: Json): readonly Json[] => arrayOf(value, 2, 2);

const longestFirst = (texts: string[]): string[] => texts.sort((one, other) => other.length - one.length);
