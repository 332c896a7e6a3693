/** A uniform sample of a day's released words. */

import { uniformBelow, type RandomSource } from "./randomness.js";

/**
 * A uniform sample of the outputs for a day's words.
 *
 * Each word is released when it is typed, and takes the place of an earlier one or is dropped (reservoir
 * sampling: Vitter 1985, algorithm R). So nothing typed is held, and what leaves is as if the words had
 * been chosen first. Immutable, and plain data.
 */
export interface DaySample {
  /** How many words leave, at most, from 1 to 1,000. */
  readonly most: number;
  /** How many words of the day there were. */
  readonly seen: number;
  /** The outputs that were kept; as many as were seen, up to `most`. */
  readonly words: readonly string[];
}

/** Returns how many more words enter a sample for sure. A budget pays for these, and for no others. */
export const room = ({ most, words }: DaySample): number => most - words.length;

/**
 * Returns the place, from 0, that a day's next item takes among `most`, or none from `most` on (algorithm R).
 *
 * @param seen items of the day, this one included.
 */
export const placeOf = (seen: number, most: number, random: RandomSource): number =>
  seen > most ? uniformBelow(seen, random) : seen - 1;

/** Returns a sample after a word came out as `released`. */
export function plus(sample: DaySample, released: string, random: RandomSource): DaySample {
  const { most, words } = sample;
  const seen = sample.seen + 1;
  if (room(sample) > 0) return { most, seen, words: [...words, released] };
  const place = placeOf(seen, most, random);
  return { most, seen, words: words.map((word, at) => (at === place ? released : word)) };
}
