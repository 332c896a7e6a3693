/** Text without spaces between words. It is cut into the most probable words of the bundle. */

import { decoded, encoded } from "./bytes.js";
import { LEVELS, type Masses } from "./masses.js";
import type { Token } from "./token.js";
import type { Vocabulary } from "./vocabulary.js";
import type { Writing } from "./writing.js";

/** Number of code points that are cut at once. It bounds the memory. */
const PART = /[^]{1,1024}/gu;

/** Largest number of code points of a word in a script without spaces. */
const LONGEST_WORD = 32;

/** The additional cost of an unknown code point, compared with the rarest word: a factor of e^5, in 1/256 bits. */
const UNKNOWN = 1847;

/** Stands in place of a word's id. */
const UNKNOWN_ID = -1;

/**
 * Returns about 256 times the binary logarithm of an integer, linear between powers of two. It is an integer, and the
 * same on every device.
 */
function logarithm(integer: number): number {
  let rest = integer;
  let whole = 0;
  while (rest >= 2) {
    rest /= 2;
    whole += 256;
  }
  return whole + Math.floor(256 * rest) - 256;
}

/**
 * The most probable cuts of letters without a space between them into words of a vocabulary.
 *
 * Less probable words cost more. `spec/bundle-format.md`, "Cost", "Scripts without spaces" and "Compounds".
 */
export class Cuts {
  readonly #writing: Writing;
  readonly #vocabulary: Vocabulary;
  readonly #masses: Masses;
  /** Costs by the byte of a mass. */
  readonly #costs: Float64Array;
  readonly #unknown: number;

  constructor(writing: Writing, vocabulary: Vocabulary, masses: Masses) {
    this.#writing = writing;
    this.#vocabulary = vocabulary;
    this.#masses = masses;
    const all = logarithm(masses.most("unigram"));
    this.#costs = LEVELS.map((mass) => all - logarithm(mass));
    this.#unknown = all - logarithm(masses.least()) + UNKNOWN;
  }

  #cost(id: number): number {
    return this.#costs[this.#masses.words[id]!]!;
  }

  /**
   * Returns the tokens of a stretch in a script without spaces: the words with the lowest cost. Successive unknown code
   * points are one token.
   */
  unspaced(stretch: string): Token[] {
    return stretch.match(PART)!.flatMap((part) => this.#cutPart(part));
  }

  #cutPart(part: string): Token[] {
    const content = encoded(part);
    const ends = endsOf(part);
    const cut = new CheapestCut(content.length);
    let start = 0;
    ends.forEach((next, place) => {
      cut.take(start, next, this.#unknown, UNKNOWN_ID);
      const limit = ends[place + LONGEST_WORD - 1] ?? content.length;
      this.#vocabulary.beginnings(content, start, limit, (length, id) => {
        cut.take(start, start + length, this.#cost(id), id);
      });
      start = next;
    });
    return cut.tokens(content);
  }

  /** Returns the two words of a compound with the lowest cost; nothing if the text isn't a compound. */
  compound(text: string): readonly Token[] | undefined {
    if (this.#writing.links.length === 0) return undefined;
    const content = encoded(text);
    let least = Infinity;
    let parts: readonly Token[] | undefined;
    this.#vocabulary.beginnings(content, 0, content.length, (length, id) => {
      const first = decoded(content.subarray(0, length));
      if (!this.#isPart(first)) return;
      for (const link of this.#writing.links) {
        if (!text.startsWith(link, first.length)) continue;
        const second = text.slice(first.length + link.length);
        if (!this.#isPart(second)) continue;
        const other = this.#vocabulary.find(second);
        if (other < 0) continue;
        const cost = this.#cost(id) + this.#cost(other);
        if (cost < least) {
          least = cost;
          parts = [{ text: first, id }, { text: second, id: other }];
        }
      }
    });
    return parts;
  }

  /** Tells whether a text is long enough for a part of a compound. */
  #isPart(text: string): boolean {
    return [...text].length >= this.#writing.shortestPart;
  }
}

/** Returns the end of each code point of a text in its UTF-8. */
function endsOf(text: string): number[] {
  let end = 0;
  return Array.from(text, (point) => {
    end += encoded(point).length;
    return end;
  });
}

/** The cheapest cuts up to each place of a part with a given number of bytes. */
class CheapestCut {
  readonly #costs: Float64Array;
  /** Start of the last piece. */
  readonly #begins: Uint16Array;
  readonly #ids: Int32Array;

  constructor(size: number) {
    this.#costs = new Float64Array(size + 1).fill(Infinity, 1);
    this.#begins = new Uint16Array(size + 1);
    this.#ids = new Int32Array(size + 1);
  }

  /** Takes a piece into account. Pieces that begin earlier come first, and win over equal ones. */
  take(start: number, end: number, cost: number, id: number): void {
    const sum = this.#costs[start]! + cost;
    if (sum >= this.#costs[end]!) return;
    this.#costs[end] = sum;
    this.#begins[end] = start;
    this.#ids[end] = id;
  }

  /** Returns each word of the part, and each run of unknown code points, unchanged. */
  tokens(content: Uint8Array): Token[] {
    const tokens: Token[] = [];
    let end = content.length;
    while (end > 0) {
      const id = this.#ids[end]!;
      let begin = this.#begins[end]!;
      if (id === UNKNOWN_ID) {
        while (begin > 0 && this.#ids[begin] === UNKNOWN_ID) begin = this.#begins[begin]!;
      }
      tokens.push({ text: decoded(content.subarray(begin, end)), id });
      end = begin;
    }
    return tokens.reverse();
  }
}
