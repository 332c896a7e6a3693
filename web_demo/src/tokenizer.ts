/**
 * Text to tokens, and tokens to words, as a bundle's language is written, without the platform's Unicode tables.
 *
 * Every runtime must cut a text into the same tokens, but the tables of two devices differ by years. So the
 * separators are a fixed list, and letters are composed and lower-cased only where all devices agree.
 * `docs/reference/bundle-format.md`, "Tokenizer", is the specification.
 */

import { composed, escaped, INVISIBLE, LOOKALIKES, SEPARATORS, STYLED } from "./characters.js";
import type { Masses } from "./masses.js";
import type { Token } from "./token.js";
import type { Vocabulary } from "./vocabulary.js";
import { wordCuts } from "./wordCuts.js";
import type { Writing } from "./writing.js";

/** Letters of the Latin, Greek, Cyrillic and Armenian scripts, and what is between them. */
const CASED = /[\u0041-\u058f\u1e00-\u1fff]+/g;

const GREEK = "[\\u0300-\\u0373\\u0386\\u0388-\\u03ff\\u1f00-\\u1fff]";
const FINAL_SIGMA = new RegExp(`(${GREEK})σ(?!${GREEK})`, "g");

/** Two halves of surrogate pairs stay apart, though nothing is left between them. */
const HALF = /[\ud800-\udfff]/u;
const UNSEEN = new RegExp(`[${INVISIBLE}]`, "u");
const UNUSUAL = new RegExp(`[${STYLED}${INVISIBLE}\\ud800-\\udfff]`, "gu");

/** It is captured: what stands before an accent that many type as an apostrophe. */
const APOSTROPHE = new RegExp(`([^${SEPARATORS}])([${LOOKALIKES}])(?=[^${SEPARATORS}])`, "gu");

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
  /** Returns the beginning of a text whose tokens are the same, whatever is typed behind it. */
  finished(text: string): string;
}

/** Returns what cuts text as a language is written. */
export function createTokenizer(writing: Writing, vocabulary: Vocabulary, masses: Masses): Tokenizer {
  const { replaced, joiners: joining, before, links, spellings, irregular, endings, shortest_stem } = writing;
  const cuts = wordCuts(writing, vocabulary, masses);
  const points = (strings: Iterable<string>): string =>
    Array.from(strings, (point) => escaped(point.codePointAt(0)!)).join("");
  const joiners = points(joining);
  const unspaced = writing.unspaced.map((ends) => ends.map(escaped).join("-")).join("");
  const toReplace = new RegExp(`[${points(replaced.keys())}]`, "gu");
  const run = new RegExp(`[^${SEPARATORS}]+(?:[${joiners}][^${SEPARATORS}]+)*`, "gu");
  /** It is captured: a run is split into what is in scripts with spaces and, at odd places, without. */
  const withoutSpaces = new RegExp(`([${unspaced}]+)`, "u");
  /** What no token is without. */
  const letter = new RegExp(`[^'${joiners}]`, "u");
  const joinersAtEnds = new RegExp(`^[${joiners}]+|[${joiners}]+$`, "gu");
  const atEnd = (points: string): RegExp => new RegExp(`[${points}]$`, "u");
  const [separating, joiningNext] = [atEnd(SEPARATORS), atEnd(LOOKALIKES + joiners)];

  function plain(point: string): string {
    if (HALF.test(point)) return "\udc00";
    if (replaced.has(point) || joining.includes(point)) return point;
    return UNSEEN.test(point) ? "" : point.normalize("NFKD");
  }

  function normalize(text: string): string {
    let result = /[^\0-\x7f]/.test(text) ? composed(text.replace(UNUSUAL, plain)) : text;
    if (replaced.size) result = result.replace(toReplace, (point) => replaced.get(point)!);
    if (!/[^\0-_a-\x7f]/.test(result)) return result.toLowerCase();
    // Simple mappings only, one code point to one: what has others is replaced before.
    result = result.replaceAll("İ", "i").replaceAll("Σ", "σ").replace(CASED, (letters) => letters.toLowerCase());
    return composed(result.replace(/[ʹʻ-ʽ’＇]/g, "'").replace(FINAL_SIGMA, "$1ς")).replace(
      APOSTROPHE,
      (both, letter: string, point: string) => (joining.includes(point) ? both : `${letter}'`),
    );
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
          // Joiners that nothing follows here aren't there alone.
          const some = at % 2 ? checked(cuts.ofUnspaced(stretch)) : divided(unspaced ? stretch.replace(joinersAtEnds, "") : stretch, MOST_TIMES);
          for (const token of some) tokens.push(token);
        });
      }
      return tokens;
    },
    lookUp: (token) => tokenOf(token).id,
    finished(text) {
      let end = text.length;
      for (const point of Array.from(text).reverse()) {
        const last = normalize(point);
        if (separating.test(last) && !joiningNext.test(last)) break;
        end -= point.length;
      }
      return text.slice(0, end);
    },
  };
}
