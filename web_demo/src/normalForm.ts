/**
 * The form of words in a vocabulary, independent of the platform's Unicode tables.
 *
 * All runtimes must normalize a text in the same way, but the Unicode tables of two devices can differ by years. The
 * separators are therefore a fixed list, and letters are composed and lower-cased only where all devices agree.
 * `spec/bundle-format.md`, "Tokenizer", is the specification.
 */

import { BASES, COMPOSED, escaped, INVISIBLE, LOOKALIKES, MARKS, SEPARATORS, STYLED } from "./characters.js";

/** Letters of the Latin, Greek, Cyrillic and Armenian scripts, and code points between them. */
const CASED = /[\u0041-\u058f\u1e00-\u1fff]+/g;

const GREEK = "[\\u0300-\\u0373\\u0386\\u0388-\\u03ff\\u1f00-\\u1fff]";
const LAST_SIGMA = new RegExp(`(${GREEK})σ(?!${GREEK})`, "g");

/** Half of a surrogate pair. */
const HALF = /[\ud800-\udfff]/u;
const UNSEEN = new RegExp(`[${INVISIBLE}]`, "u");
/**
 * Code points that aren't plain, and lone halves of surrogate pairs, which must not form a pair when code points
 * between them are removed.
 */
const UNUSUAL = new RegExp(`[${STYLED}${INVISIBLE}\\ud800-\\udfff]`, "gu");

const APOSTROPHES = /[ʹʻ-ʽ’＇]/g;
/** A character that looks like an apostrophe, between two word characters, the first of which is captured. */
const LOOKALIKE = new RegExp(`([^${SEPARATORS}])([${LOOKALIKES}])(?=[^${SEPARATORS}])`, "gu");

/** A character with at most 30 marks, because sorting them takes quadratic time. */
const PIECE = new RegExp(`[${BASES}${COMPOSED}]?[${MARKS}]{1,30}|[${COMPOSED}]`, "gu");

/** Returns the content of a character class in a regular expression for code points. */
export const classOf = (points: Iterable<string>): string =>
  Array.from(points, (point) => escaped(point.codePointAt(0)!)).join("");

/**
 * Brings texts into the form of words in a vocabulary: plain letters, composed, in lower case, with plain apostrophes.
 */
export class NormalForm {
  readonly #replaced: ReadonlyMap<string, string>;
  readonly #joiners: readonly string[];
  readonly #toReplace: RegExp;

  /**
   * @param replaced code points, and their replacements in the vocabulary.
   * @param joiners code points that stay as they are.
   */
  constructor(replaced: ReadonlyMap<string, string>, joiners: readonly string[]) {
    this.#replaced = replaced;
    this.#joiners = joiners;
    this.#toReplace = new RegExp(`[${classOf(replaced.keys())}]`, "gu");
  }

  /** Returns a text in this form. */
  of(text: string): string {
    const plain = isAscii(text) ? text : composed(text.replace(UNUSUAL, (point) => this.#plain(point)));
    const replaced = this.#replaced.size ? plain.replace(this.#toReplace, (point) => this.#replaced.get(point)!) : plain;
    if (isAscii(replaced) && !replaced.includes("`")) return replaced.toLowerCase();
    return this.#withApostrophes(composed(lowered(replaced).replace(LAST_SIGMA, "$1ς")));
  }

  /** Returns the plain form of an unusual code point. */
  #plain(point: string): string {
    if (HALF.test(point)) return "\udc00";
    if (this.#replaced.has(point) || this.#joiners.includes(point)) return point;
    return UNSEEN.test(point) ? "" : point.normalize("NFKD");
  }

  #withApostrophes(text: string): string {
    return text.replace(LOOKALIKE, (both, letter: string, point: string) =>
      this.#joiners.includes(point) ? both : `${letter}'`,
    );
  }
}

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);

/** Returns a text in Unicode's form C, as far as all devices agree on it. */
const composed = (text: string): string =>
  /[^\0-\u02ff]/.test(text) ? text.replace(PIECE, (piece) => piece.normalize()) : text;

/**
 * The lower case, by simple mappings only, from one code point to one. The two code points with other mappings come
 * first.
 */
const lowered = (text: string): string =>
  text
    .replace(/İ/g, "i")
    .replace(/Σ/g, "σ")
    .replace(CASED, (letters) => letters.toLowerCase())
    .replace(APOSTROPHES, "'");
