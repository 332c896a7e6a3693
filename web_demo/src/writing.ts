/** Writing rules of a bundle's language. `spec/bundle-format.md`, "Writing", is the specification. */

import { SEPARATORS } from "./characters.js";
import { isWithin } from "./exact.js";
import { arrayOf, integerOf, need, objectOf, shortStringOf, unique, type Json, type JsonObject } from "./strictJson.js";

/** First and last code point of a script, or of a part of one. */
export interface CodePoints {
  readonly first: number;
  readonly last: number;
}

/** Writing rules of a language. Only data; strings are in the vocabulary's normal form. */
export interface Writing {
  /** For people. */
  readonly language: string;
  /** Code points and their replacements in a vocabulary. */
  readonly replaced: ReadonlyMap<string, string>;
  /** Separators that join two word characters if they stand between them. */
  readonly joiners: readonly string[];
  /** Words that are cut off the beginning of another word, such as l' in l'homme; the longest first. */
  readonly before: readonly string[];
  /** Endings that are removed from an unknown word, the longest first. */
  readonly endings: readonly string[];
  /** Smallest number of code points that the removal of an ending leaves. */
  readonly shortestStem: number;
  /** Tokens that a vocabulary lacks, and their words. A `0` stands for any digit. */
  readonly spellings: ReadonlyMap<string, string>;
  /** Strings in an unknown word, and their replacements. */
  readonly rewritten: readonly (readonly [part: string, other: string])[];
  /** Largest number of equal code points in a row in a word; 0: no limit. */
  readonly longestRun: number;
  /** Scripts without spaces. */
  readonly unspaced: readonly CodePoints[];
  /** Strings that may join the two parts of a compound; none: no compounds. */
  readonly links: readonly string[];
  /** Smallest number of code points in a part of a compound. */
  readonly shortestPart: number;
}

/** The writing rules of English, for a bundle without a field `writing`. */
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

/** Returns the rules in a manifest's field `writing`. */
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

/**
 * Returns an object of at most `most` strings with an allowed number of code points. Their names have at most
 * `longestName`.
 */
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

/** Returns a value, which must be a list of at most `most` different strings with an allowed number of code points. */
const strings = (value: Json | undefined, most: number, shortest = 1, longest = LONGEST): string[] =>
  unique(arrayOf(value, 0, most).map((item) => string(item, shortest, longest)));

/** Returns a value, which must be a string with an allowed number of code points. */
const string = (value: Json | undefined, shortest = 1, longest = LONGEST): string =>
  shortStringOf(value, shortest, longest);

const count = (value: Json | undefined, least = 1): number => integerOf(value, least, LONGEST);

/** Returns a value, which must be a code point, and not half of a surrogate pair. */
function codePoint(value: Json | undefined): number {
  const point = integerOf(value, 0, LAST_CODE_POINT);
  need(!isWithin(point, 0xd800, 0xdfff));
  return point;
}

const pair = (value: Json): readonly Json[] => arrayOf(value, 2, 2);

const longestFirst = (texts: string[]): string[] => texts.sort((one, other) => other.length - one.length);
