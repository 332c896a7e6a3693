/** How a bundle's language is written: `docs/reference/bundle-format.md`, "Writing", is the specification. */

import { SEPARATORS } from "./characters.js";
import { isWithin } from "./exact.js";
import { arrayOf, integerOf, need, objectOf, stringOf, type Json } from "./strictJson.js";

type Given = Json | undefined;

/** How a language is written. Only data, named as in manifests. */
export interface Writing {
  /** For people. */
  readonly language: string;
  /** What code points become before anything else. */
  readonly replaced: ReadonlyMap<string, string>;
  /** Separators that join where they stand between two word characters. */
  readonly joiners: readonly string[];
  /** Words of their own before another one, the longest first. */
  readonly before: readonly string[];
  /** What is taken off an unknown word, the longest first. */
  readonly endings: readonly string[];
  /** Code points that an ending leaves, at least. */
  readonly shortest_stem: number;
  /** Tokens whose word isn't what an ending leaves. */
  readonly irregular: ReadonlyMap<string, string>;
  /** Other spellings of unknown words: what is replaced, and by what. */
  readonly spellings: readonly (readonly [string, string])[];
  /** First and last code points of scripts without spaces. */
  readonly unspaced: readonly (readonly [number, number])[];
  /** What stands between the two parts of a compound. */
  readonly links: readonly string[];
  /** Code points of a part, at least. */
  readonly shortest_part: number;
}

/** How English is written: the language of a bundle that names none. */
export const ENGLISH: Writing = {
  language: "en",
  replaced: new Map(),
  joiners: [],
  before: [],
  endings: ["n't", "'re", "'ve", "'ll", "'s", "'d", "'m"],
  shortest_stem: 1,
  irregular: new Map([["can't", "can"], ["won't", "will"], ["shan't", "shall"]]),
  spellings: [],
  unspaced: [],
  links: [],
  shortest_part: 4,
};

const SEPARATOR = new RegExp(`[${SEPARATORS}]`, "u");

/** Code points of a string. */
const LONGEST = 64;

const count = (value: Given): number => integerOf(value, 1, LONGEST);

/** Returns a value that has to be a string of so many code points. */
function string(value: Given, least = 1, most = LONGEST): string {
  const text = stringOf(value);
  need(isWithin([...text].length, least, most));
  return text;
}

/** Returns what the items of a list are read as, which has to be few enough and different ones. */
function list<T>(value: Given, most: number, read: (item: Json) => T): T[] {
  const items = arrayOf(value).map((item) => read(item));
  need(items.length <= most && new Set(items.map((item) => JSON.stringify(item))).size === items.length);
  return items;
}

/** Returns what the two items of a pair are read as. */
function pair<T>(value: Json, read: (item: Json, at: number) => T): readonly [T, T] {
  const items = arrayOf(value);
  need(items.length === 2);
  return items.map(read) as [T, T];
}

/** Returns the fields of an object, which has to have few enough, names and values no longer than stated. */
function map(value: Given, most: number, name: number, least: number, longest: number): ReadonlyMap<string, string> {
  const fields = Object.entries(objectOf(value));
  need(fields.length <= most);
  return new Map(fields.map(([key, field]) => [string(key, 1, name), string(field, least, longest)]));
}

const longestFirst = (strings: string[]): string[] => strings.sort((one, other) => other.length - one.length);

const READ: { readonly [Name in keyof Writing]: (value: Given) => Writing[Name] } = {
  language(value) {
    const name = string(value);
    need(/^[ -~]+$/.test(name));
    return name;
  },
  replaced: (value) => map(value, 256, 1, 0, 4),
  joiners: (value) =>
    list(value, 16, (each) => {
      const joiner = string(each, 1, 1);
      need(SEPARATOR.test(joiner));
      return joiner;
    }),
  before: (value) => longestFirst(list(value, 64, string)),
  endings: (value) => longestFirst(list(value, 256, string)),
  shortest_stem: count,
  irregular: (value) => map(value, 64, LONGEST, 1, LONGEST),
  spellings: (value) =>
    list(value, 64, (each) => {
      const both = pair(each, (item, at) => string(item, 1 - at));
      need(both[0] !== both[1]);
      return both;
    }),
  unspaced(value) {
    let last = -1;
    return list(value, 64, (each) =>
      pair(each, (item, at) => {
        last = integerOf(item, last + 1 - at, 0x10ffff);
        need(last >> 11 !== 27); // half of a surrogate pair
        return last;
      }),
    );
  },
  links: (value) => list(value, 8, (each) => string(each, 0, 4)),
  shortest_part: count,
};

/** Returns what a manifest's field `writing` says. */
export function readWriting(value: Json): Writing {
  const json = objectOf(value);
  const fields = Object.entries(READ).map(([name, read]) => [name, read(json[name])]);
  need(Object.keys(json).length === fields.length);
  const writing = Object.fromEntries(fields) as Writing;
  for (const joiner of writing.joiners) {
    need(!writing.unspaced.some(([first, last]) => isWithin(joiner.codePointAt(0)!, first, last)));
  }
  return writing;
}
