/** Text that has no spaces where words end: it is cut into words of the bundle, the most probable ones. */

import { decoded, encoded } from "./bytes.js";
import { LEVELS, type Masses } from "./masses.js";
import type { Token } from "./token.js";
import type { Vocabulary } from "./vocabulary.js";
import type { Writing } from "./writing.js";

/** As many code points as are cut at once: memory has a bound. */
const PART = /[^]{1,1024}/gu;

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

/** Cuts text into the words of a bundle. */
export interface WordCuts {
  /** Returns the words of a stretch in a script without spaces, and what is unknown between them; each as it stands. */
  ofUnspaced(stretch: string): Token[];
  /** Returns the two parts of a compound, as they stand; nothing if `text` isn't one. */
  ofCompound(text: string): readonly Token[] | undefined;
}

/** Returns what cuts text into the words of a bundle. */
export function wordCuts({ links, shortest_part }: Writing, vocabulary: Vocabulary, masses: Masses): WordCuts {
  const total = logarithm(masses.most("unigram"));
  const costs = LEVELS.map((mass) => total - logarithm(mass)); // of each byte of a mass
  const costOf = (id: number): number => costs[masses.words[id]!]!;
  const unknown = UNKNOWN + masses.words.reduce((most, byte) => Math.max(most, costs[byte]!), 0);

  function cut(stretch: string): Token[] {
    const bytes = encoded(stretch);
    let size = 0;
    const ends = Array.from(stretch, (point) => (size += encoded(point).length));
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
      add(end, unknown, -1);
      const last = ends[at + LONGEST - 1] ?? size;
      vocabulary.beginnings(bytes, start, last, (length, id) => add(start + length, costOf(id), id));
    });
    const parts: Token[] = [];
    for (let end = size, start; end; end = start) {
      start = starts[end]!;
      while (start && ids[start]! < 0 && ids[end]! < 0) start = starts[start]!;
      parts.push({ text: decoded(bytes.subarray(start, end)), id: ids[end]! });
    }
    return parts.reverse();
  }

  return {
    ofUnspaced: (stretch) => stretch.match(PART)!.flatMap(cut),
    ofCompound(text) {
      const isLong = (part: string): boolean => [...part].length >= shortest_part;
      let least = Infinity;
      let parts: readonly Token[] | undefined;
      const bytes = encoded(text);
      vocabulary.beginnings(bytes, 0, bytes.length, (length, id) => {
        const first = decoded(bytes.subarray(0, length));
        if (!isLong(first)) return;
        for (const link of links) {
          if (!text.startsWith(link, first.length)) continue;
          const second = text.slice(first.length + link.length);
          const other = isLong(second) ? vocabulary.find(second) : -1;
          const cost = other < 0 ? Infinity : costOf(id) + costOf(other);
          if (cost < least) [least, parts] = [cost, [{ text: first, id }, { text: second, id: other }]];
        }
      });
      return parts;
    },
  };
}
