/** How a bundle's language is written: `docs/reference/bundle-format.md`, "Writing", is the specification. */

import { isWithin } from "./exact.js";
import { arrayOf, integerOf, needed, objectOf, readable, stringOf, type Json } from "./strictJson.js";

/** How a language is written. Only data. */
export interface Writing {
  /** What code points become before anything else. */
  readonly replaced: ReadonlyMap<string, string>;
  /** Separators that join where they stand between two word characters. */
  readonly joiners: readonly string[];
  /** Words of their own before another one, the longest first. */
  readonly before: readonly string[];
  /** What is taken off an unknown word, the longest first. */
  readonly endings: readonly string[];
  /** Code points that an ending leaves, at least. */
  readonly shortestStem: number;
  /** The words of tokens that have another one than what is left of them. */
  readonly irregular: ReadonlyMap<string, string>;
  /** Other spellings of unknown words: what is replaced, and by what. */
  readonly spellings: readonly (readonly [string, string])[];
  /** First and last code points of scripts without spaces. */
  readonly unspaced: readonly (readonly [number, number])[];
  /** What stands between the parts of a compound. */
  readonly links: readonly string[];
  /** Code points of a part, at least. */
  readonly shortestPart: number;
}

/** How English is written, and the language of a bundle that doesn't say. */
export const ENGLISH: Writing = {
  replaced: new Map(),
  joiners: [],
  before: [],
  endings: ["n't", "'re", "'ve", "'ll", "'s", "'d", "'m"],
  shortestStem: 1,
  irregular: new Map([["can't", "can"], ["won't", "will"], ["shan't", "shall"]]),
  spellings: [],
  unspaced: [],
  links: [],
  shortestPart: 4,
};

const LONGEST = 64; // code points of a string
const LAST = 0x10ffff;

/** Returns what a manifest's field `writing` says, if it is as specified. */
export const readWriting = (value: Json): Writing | undefined =>
  readable(() => {
    const {
      language, replaced, joiners, before, endings, shortest_stem, irregular, spellings, unspaced, links, shortest_part,
      ...others
    } = needed(objectOf(value));
    need(/^[ -~]{1,64}$/.test(needed(stringOf(language))) && !Object.keys(others).length);
    let last = -1;
    return {
      replaced: map(replaced, 256, 1, 0, 4),
      joiners: list(joiners, 16, (each) => string(each, 1, 1)),
      before: longestFirst(list(before, 64, string)),
      endings: longestFirst(list(endings, 256, string)),
      shortestStem: needed(integerOf(shortest_stem, 1, LONGEST)),
      irregular: map(irregular, 64, LONGEST, 1, LONGEST),
      spellings: list(spellings, 64, (each) => {
        const [one, other] = pair(each);
        need(one !== other);
        return [string(one), string(other, 0)] as const;
      }),
      unspaced: list(unspaced, 64, (each) => {
        const [start, end] = pair(each);
        const first = needed(integerOf(start, last + 1, LAST));
        return [first, (last = needed(integerOf(end, first, LAST)))] as const;
      }),
      links: list(links, 8, (each) => string(each, 0, 4)),
      shortestPart: needed(integerOf(shortest_part, 1, LONGEST)),
    };
  });

const need = (isRight: boolean): unknown => needed(isRight || undefined);

/** Returns a value if it is a string of so many code points. */
function string(value: Json | undefined, least = 1, most = LONGEST): string {
  const text = needed(stringOf(value));
  need(isWithin([...text].length, least, most));
  return text;
}

/** Returns what a list's items are read as, if they are few enough, and none is there twice. */
function list<T>(value: Json | undefined, most: number, read: (item: Json) => T): T[] {
  const json = needed(arrayOf(value));
  need(json.length <= most);
  const items = json.map((item) => read(item));
  need(new Set(items.map((item) => JSON.stringify(item))).size === items.length);
  return items;
}

function pair(value: Json): readonly Json[] {
  const json = needed(arrayOf(value));
  need(json.length === 2);
  return json;
}

/** Returns an object's fields, if they are few enough, and their names and values no longer than stated. */
function map(value: Json | undefined, count: number, name: number, least: number, most: number): Map<string, string> {
  const fields = Object.entries(needed(objectOf(value)));
  need(fields.length <= count);
  return new Map(fields.map(([key, field]) => [string(key, 1, name), string(field, least, most)]));
}

const longestFirst = (strings: string[]): string[] => strings.sort((one, other) => other.length - one.length);
