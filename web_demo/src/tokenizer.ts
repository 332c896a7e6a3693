/**
 * Text to tokens, and tokens to words, as a bundle's language is written, without the platform's Unicode tables.
 *
 * Every runtime must cut a text into the same tokens, but the tables of two devices differ by years. So the
 * separators are a fixed list, and letters are composed and lower-cased only where all devices agree.
 * `docs/reference/bundle-format.md`, "Tokenizer", is the specification.
 */

import { composed, escaped, SEPARATORS } from "./characters.js";
import type { Masses } from "./masses.js";
import type { Token } from "./token.js";
import type { Vocabulary } from "./vocabulary.js";
import { wordCuts } from "./wordCuts.js";
import type { Writing } from "./writing.js";

/** Letters of the Latin, Greek, Cyrillic and Armenian scripts, and what is between them. */
const CASED = /[\u0041-\u058f\u1e00-\u1fff\uff21-\uff3a]+/g;

const GREEK = "[\\u0300-\\u0373\\u0386\\u0388-\\u03ff\\u1f00-\\u1fff]";
const FINAL_SIGMA = new RegExp(`(${GREEK})σ(?!${GREEK})`, "g");

/** Code points of a token that is taken apart, at most. */
const LONGEST = 256;

/** Words before another one, and endings after one another, that are taken off. */
const MOST_TIMES = 8;

const isLong = (token: string): boolean => token.length > LONGEST && [...token].length > LONGEST;

/** Cuts text into tokens, and finds their words. */
export interface Tokenizer {
  /** Returns a string in the form in which a vocabulary holds it: composed, lower case, plain apostrophes. */
  normalize(text: string): string;
  /** Returns the tokens of a text, normalized, with their words. */
  read(text: string): Token[];
  /** Returns the id of the one word that a token, or another string, stands for, or -1 if that is unknown. */
  lookUp(token: string): number;
}

/** Returns what cuts text as a language is written. */
export function createTokenizer(writing: Writing, vocabulary: Vocabulary, masses: Masses): Tokenizer {
  const { replaced, before, links, spellings, irregular, endings, shortest_stem } = writing;
  const cuts = wordCuts(writing, vocabulary, masses);
  const points = (strings: Iterable<string>): string =>
    Array.from(strings, (point) => escaped(point.codePointAt(0)!)).join("");
  const joiners = points(writing.joiners);
  const unspaced = writing.unspaced.map((ends) => ends.map(escaped).join("-")).join("");
  const toReplace = new RegExp(`[${points(replaced.keys())}]`, "gu");
  const run = new RegExp(`[^${SEPARATORS}]+(?:[${joiners}][^${SEPARATORS}]+)*`, "gu");
  /** It is captured: a run is split into what is in scripts with spaces and, at odd places, without. */
  const withoutSpaces = new RegExp(`([${unspaced}]+)`, "u");
  /** What no token is without. */
  const letter = new RegExp(`[^'${joiners}]`, "u");

  function normalize(text: string): string {
    let result = composed(text);
    if (replaced.size) {
      // Two halves of surrogate pairs stay apart, though nothing is left between them.
      result = result.replace(/[\ud800-\udfff]/gu, "\udc00").replace(toReplace, (point) => replaced.get(point)!);
    }
    if (!/[^\0-\x7f]/.test(result)) return result.toLowerCase();
    // Simple mappings only, one code point to one: what has others is replaced before.
    result = result.replaceAll("İ", "i").replaceAll("Σ", "σ").replace(CASED, (letters) => letters.toLowerCase());
    return composed(result.replace(/[ʼ’＇]/g, "'").replace(FINAL_SIGMA, "$1ς"));
  }

  /** Returns a token with its word; a vocabulary's word `known` is one only if it is normalized. */
  function tokenOf(text: string, known = -1): Token {
    const normalized = normalize(text);
    let id = normalized === text ? known : -1;
    if (id < 0) for (const candidate of candidates(normalized)) {
      id = vocabulary.find(candidate);
      if (id >= 0) break;
    }
    return { text, id };
  }

  /** Gives what a normalized token may stand for: the first that is a word. */
  function* candidates(token: string): Generator<string> {
    yield token;
    if (isLong(token)) return;
    const bare = token.replace(/^'+|'+$/g, "");
    if (bare !== token) yield bare;
    for (const [one, other] of spellings) if (bare.includes(one)) yield bare.replaceAll(one, () => other);
    let rest: string | undefined = bare;
    for (let left = MOST_TIMES; rest && left; left--) {
      const word: string = rest;
      if (irregular.has(word)) return void (yield irregular.get(word)!);
      const stems = endings.filter((ending) => word.endsWith(ending)).map((ending) => word.slice(0, -ending.length));
      const left = stems.filter((stem) => [...stem].length >= shortest_stem);
      yield* left;
      rest = left[0];
    }
  }

  const checked = (parts: readonly Token[]): Token[] => parts.map(({ text, id }) => tokenOf(text, id));

  /** Returns the tokens of a stretch in a script with spaces, off which so many words before another one are taken. */
  function divided(stretch: string, times: number): Token[] {
    if (!letter.test(stretch)) return [];
    const whole = tokenOf(stretch);
    const bare = stretch.replace(/^'+/, "");
    const first = times && before.find((each) => bare.startsWith(each) && /[^']/.test(bare.slice(each.length)));
    if (!(first || links.length) || isLong(stretch) || whole.id >= 0) return [whole];
    if (first) return [tokenOf(first), ...divided(bare.slice(first.length), times - 1)];
    const parts = cuts.ofCompound(bare.replace(/'+$/, ""));
    return parts ? checked(parts) : [whole];
  }

  return {
    normalize,
    read(text) {
      const tokens: Token[] = [];
      for (const each of normalize(text).match(run) ?? []) {
        (unspaced ? each.split(withoutSpaces) : [each]).forEach((stretch, at) => {
          tokens.push(...(at % 2 ? checked(cuts.ofUnspaced(stretch)) : divided(stretch, MOST_TIMES)));
        });
      }
      return tokens;
    },
    lookUp: (token) => tokenOf(token).id,
  };
}
