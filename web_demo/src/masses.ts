/**
 * The small language model of a bundle, which makes some words more likely outputs, also depending on the previous one.
 */

import type { PackedNumbers } from "./packedNumbers.js";
import { uniformBelow, type RandomSource } from "./randomness.js";
import { firstPlace } from "./search.js";

/** The integer for each byte of a mass or a gain. No such byte is 0. */
export const LEVELS = Float64Array.from({ length: 256 }, (_, byte) =>
  byte < 16 ? byte : (8 + (byte % 8)) * 2 ** (Math.floor(byte / 8) - 1),
);

const ALIKE = LEVELS.map(Math.sign);

/** Upper bound on the sum of a base measure over the vocabulary. It is exact in a double. */
const MOST = 2 ** 47;

/** The base measure of the exponential mechanism, which makes some words more likely outputs. */
export type Base = (typeof BASES)[number];

/** Equal masses; a mass for each word; and gains for some words after the previously released word. */
export const BASES = ["uniform", "unigram", "bigram"] as const;

/** A base measure at one place in a text: positive integers. */
export interface Measure {
  /** The integer for each byte of `Masses.words`; 0 for 0. */
  readonly levels: Float64Array;
  /** The ids, ascending, with a gain after the previously released word. */
  readonly ids: readonly number[];
  /** The gain of each. */
  readonly gains: readonly number[];
}

/** The weight of each word as an output, and its gain after another word. */
export class Masses {
  readonly #before: PackedNumbers;
  readonly #after: PackedNumbers;
  readonly #gains: Uint8Array;
  /** The sum of the masses up to each word, by id. */
  readonly #sums: Float64Array;
  readonly #total: number;
  /** The largest sum of the gains of one first word. */
  readonly #gained: number;

  /**
   * @param words the mass of each word as a byte of LEVELS, by id.
   * @param before the id of each bigram's first word, in ascending order.
   * @param after the id of each bigram's second word, ascending within a first word.
   * @param gains gain of each bigram's second word, as a byte of LEVELS.
   */
  constructor(
    readonly words: Uint8Array,
    before: PackedNumbers,
    after: PackedNumbers,
    gains: Uint8Array,
  ) {
    this.#before = before;
    this.#after = after;
    this.#gains = gains;
    // At most 2^24 times m(255) each, which is below 2^34. A sum above 2^53 that is rounded stays above 2^47.
    let sum = 0;
    this.#sums = new Float64Array(words).map((byte) => (sum += LEVELS[byte]!));
    this.#total = sum;
    this.#gained = largestGain(before, gains);
  }

  /** Number of bigrams. */
  get bigrams(): number {
    return this.#gains.length;
  }

  /** The default base: the last one that the bundle has. */
  get lastBase(): Base {
    return this.bigrams > 0 ? "bigram" : "unigram";
  }

  /** Returns the upper bound on the sum of a base measure over the vocabulary. */
  most(base: Base): number {
    switch (base) {
      case "uniform":
        return this.words.length;
      case "unigram":
        return this.#total;
      case "bigram":
        return this.#total + this.#gained;
    }
  }

  /** Returns the smallest mass of a word. */
  least(): number {
    return this.words.reduce((least, byte) => Math.min(least, LEVELS[byte]!), LEVELS[LEVELS.length - 1]!);
  }

  /** Returns the base measure after the word `before`; -1 is a text's start. */
  measure(base: Base, before: number): Measure {
    const ids: number[] = [];
    const gains: number[] = [];
    if (base === "bigram" && before >= 0) {
      const end = this.#firstBigram(before + 1);
      for (let place = this.#firstBigram(before); place < end; place++) {
        ids.push(this.#after.at(place));
        gains.push(LEVELS[this.#gains[place]!]!);
      }
    }
    return { levels: base === "uniform" ? ALIKE : LEVELS, ids, gains };
  }

  /** Returns the place of the first bigram whose first word isn't below `id`. */
  #firstBigram(id: number): number {
    return firstPlace(this.bigrams, (place) => this.#before.at(place) >= id);
  }

  /** Returns the id of a word, drawn in proportion to its mass, with one uniform integer. */
  draw(random: RandomSource): number {
    const number = uniformBelow(this.#total, random);
    return firstPlace(this.words.length, (id) => this.#sums[id]! > number);
  }

  /** Returns the error in the content, or nothing; then every sum is exact. */
  damage(): string | undefined {
    if (this.words.includes(0)) return "tensor 'masses' has a 0";
    if (this.#gains.includes(0)) return "tensor 'gains' has a 0";
    const damage = this.#damageOfBigrams();
    if (damage) return damage;
    return this.most("bigram") > MOST ? "tensors 'masses' and 'gains' sum to more than 2^47" : undefined;
  }

  #damageOfBigrams(): string | undefined {
    const size = this.words.length;
    let isKnown = true;
    let ascends = true;
    let last = -1;
    for (let place = 0; place < this.bigrams; place++) {
      const first = this.#before.at(place);
      const second = this.#after.at(place);
      if (first >= size) return "tensor 'before' names a missing word";
      if (second >= size) isKnown = false;
      const pair = first * size + second;
      if (pair <= last) ascends = false;
      last = pair;
    }
    if (!isKnown) return "tensor 'after' names a missing word";
    return ascends ? undefined : "tensors 'before' and 'after' aren't in order, or have a pair twice";
  }
}

/** Returns the largest sum of the gains of one first word. */
function largestGain(before: PackedNumbers, gains: Uint8Array): number {
  let largest = 0;
  let sum = 0;
  let last = -1;
  gains.forEach((gain, place) => {
    const id = before.at(place);
    if (id !== last) sum = 0;
    sum += LEVELS[gain]!;
    largest = Math.max(largest, sum);
    last = id;
  });
  return largest;
}
