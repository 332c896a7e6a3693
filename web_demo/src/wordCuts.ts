/** Text that has no spaces where words end: it is cut into words of the bundle, the most probable ones. */

import { decoded, encoded } from "./bytes.js";
import { LEVELS, type Masses } from "./masses.js";
import type { Token } from "./token.js";
import type { Vocabulary } from "./vocabulary.js";
import type { Writing } from "./writing.js";

/** Code points that are cut at once: memory has a bound. */
const PART = 1024;

/** Code points of a word that a script without spaces is cut into, at most. */
const LONGEST = 32;

/** What an unknown code point costs more than the word with the least mass. */
const UNKNOWN = 1847;

/** Returns 256 times the logarithm of an integer to base 2: exact at powers of 2, on straight lines between. */
function logarithm(integer: number): number {
  let whole = 0;
  for (; integer >= 2; integer /= 2) whole += 256;
  return whole + Math.floor(256 * integer) - 256;
}

/** The words of a bundle, and what each costs in a cut. */
export class WordCuts {
  readonly #vocabulary: Vocabulary;
  readonly #masses: Uint8Array;
  readonly #writing: Writing;
  readonly #costs: Float64Array; // of each byte of a mass
  readonly #unknown: number;

  constructor(writing: Writing, vocabulary: Vocabulary, masses: Masses) {
    this.#writing = writing;
    this.#vocabulary = vocabulary;
    this.#masses = masses.words;
    const total = logarithm(masses.most("unigram"));
    this.#costs = LEVELS.map((mass) => total - logarithm(mass));
    this.#unknown = UNKNOWN + masses.words.reduce((most, byte) => Math.max(most, this.#costs[byte]!), 0);
  }

  #cost(id: number): number {
    return this.#costs[this.#masses[id]!]!;
  }

  /** Returns the words of a stretch in a script without spaces, and what is unknown between them; each as it stands. */
  ofUnspaced(stretch: string): Token[] {
    const points = [...stretch];
    const parts: Token[][] = [];
    for (let at = 0; at < points.length; at += PART) parts.push(this.#ofSome(points.slice(at, at + PART)));
    return parts.flat();
  }

  #ofSome(points: readonly string[]): Token[] {
    const bytes = encoded(points.join(""));
    let size = 0;
    const ends = points.map((point) => (size += encoded(point).length));
    // By the byte: the least cost up to it; where the last word or unknown code point begins; its id.
    const best = new Float64Array(size + 1).fill(Infinity, 1);
    const starts = new Uint16Array(size + 1);
    const ids = new Int32Array(size + 1);
    ends.forEach((end, at) => {
      const start = ends[at - 1] ?? 0;
      const add = (end: number, cost: number, id: number): void => {
        const sum = best[start]! + cost;
        if (sum < best[end]!) [best[end], starts[end], ids[end]] = [sum, start, id];
      };
      add(end, this.#unknown, -1);
      const last = ends[at + LONGEST - 1] ?? size;
      this.#vocabulary.beginnings(bytes, start, last, (length, id) => add(start + length, this.#cost(id), id));
    });
    const parts: Token[] = [];
    for (let end = size, start; end; end = start) {
      start = starts[end]!;
      while (start && ids[start]! < 0 && ids[end]! < 0) start = starts[start]!;
      parts.push({ text: decoded(bytes.subarray(start, end)), wordId: ids[end]! });
    }
    return parts.reverse();
  }

  /** Returns the two parts of a compound, as they stand; nothing if `text` isn't one. */
  ofCompound(text: string): readonly Token[] | undefined {
    const { links, shortest_part } = this.#writing;
    const isLong = (part: string): boolean => [...part].length >= shortest_part;
    let least = Infinity;
    let parts: readonly Token[] | undefined;
    const bytes = encoded(text);
    this.#vocabulary.beginnings(bytes, 0, bytes.length, (length, id) => {
      const first = decoded(bytes.subarray(0, length));
      if (!isLong(first)) return;
      for (const link of links) {
        if (!text.startsWith(link, first.length)) continue;
        const second = text.slice(first.length + link.length);
        const other = isLong(second) ? this.#vocabulary.find(second) : -1;
        const cost = other < 0 ? Infinity : this.#cost(id) + this.#cost(other);
        if (cost < least) [least, parts] = [cost, [{ text: first, wordId: id }, { text: second, wordId: other }]];
      }
    });
    return parts;
  }
}
