/** The small language model of a bundle: which words are released more readily, and after which. */

import type { PackedNumbers } from "./packedNumbers.js";

/** The integer that each byte of a mass or a gain stands for; no such byte is 0. */
export const LEVELS = Float64Array.from({ length: 256 }, (_, v) =>
  v < 16 ? v : (8 + (v % 8)) * 2 ** ((v >> 3) - 1),
);

const ALIKE = new Float64Array(256).fill(1);

/** What no sum of a base measure over the vocabulary exceeds: exact in a double. */
const MOST = 2 ** 47;

/** What the exponential mechanism releases more readily: its base measure. */
export type Base = (typeof BASES)[number];

/** All words alike; a mass for each; and more for some after the word released before. */
export const BASES = ["uniform", "unigram", "bigram"] as const;

/** A base measure in one place of a text: positive integers. */
export interface Measure {
  /** What each byte of `Masses.words` stands for. */
  readonly levels: Float64Array;
  /** The ids, ascending, that gain something after the word released before. */
  readonly ids: readonly number[];
  /** What each of them gains. */
  readonly gains: readonly number[];
}

/** How readily each word is released, and how much more readily after another one. */
export interface Masses {
  /** The mass of each word as a byte of LEVELS, by id. */
  readonly words: Uint8Array;
  /** How many bigrams there are. */
  readonly bigrams: number;
  /** The base where none is given: the last that there is. */
  readonly lastBase: Base;
  /** Returns what no sum of a base measure over the vocabulary exceeds. */
  most(base: Base): number;
  /** Returns the base measure after the word `before`; -1 is a text's start. */
  measure(base: Base, before: number): Measure;
  /** What is wrong with the content, or nothing: then every sum is exact. */
  readonly damage: string | undefined;
}

/**
 * Returns masses.
 *
 * @param words the mass of each word as a byte of LEVELS, by id.
 * @param before the id of each bigram's first word, in ascending order.
 * @param after the id of each bigram's second word, ascending within a first word.
 * @param gained what each bigram adds to its second word's mass, as a byte of LEVELS.
 */
export function createMasses(
  words: Uint8Array,
  before: PackedNumbers,
  after: PackedNumbers,
  gained: Uint8Array,
): Masses {
  const bigrams = gained.length;
  // At most 2^24 times m(255) each, which is below 2^34: an error beyond 2^53 leaves it beyond 2^47.
  const total = words.reduce((sum, byte) => sum + LEVELS[byte]!, 0);
  let [sum, most, last] = [0, 0, -1];
  gained.forEach((gain, place) => {
    const id = before.at(place);
    sum = (id === last ? sum : 0) + LEVELS[gain]!;
    most = Math.max(most, sum);
    last = id;
  });

  /** Returns the place of the first bigram whose first word isn't below `id`. */
  function first(id: number): number {
    let low = 0;
    let high = bigrams;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (before.at(middle) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    words,
    bigrams,
    lastBase: bigrams ? "bigram" : "unigram",
    most: (base) => (base === "uniform" ? words.length : total + (base === "bigram" ? most : 0)),
    measure(base, previous) {
      const ids: number[] = [];
      const gains: number[] = [];
      if (base === "bigram" && previous >= 0) {
        for (let place = first(previous); place < bigrams && before.at(place) === previous; place++) {
          ids.push(after.at(place));
          gains.push(LEVELS[gained[place]!]!);
        }
      }
      return { levels: base === "uniform" ? ALIKE : LEVELS, ids, gains };
    },
    get damage() {
      if (words.includes(0)) return "tensor 'masses' has a 0";
      if (gained.includes(0)) return "tensor 'gains' has a 0";
      const size = words.length;
      for (const [name, ids] of [["before", before], ["after", after]] as const) {
        for (let place = 0; place < bigrams; place++) {
          if (ids.at(place) >= size) return `tensor '${name}' names a missing word`;
        }
      }
      let last = -1;
      for (let place = 0; place < bigrams; place++) {
        const pair = before.at(place) * size + after.at(place);
        if (pair <= last) return "tensors 'before' and 'after' aren't in order, or have a pair twice";
        last = pair;
      }
      return total + most > MOST ? "tensors 'masses' and 'gains' sum to more than 2^47" : undefined;
    },
  };
}
