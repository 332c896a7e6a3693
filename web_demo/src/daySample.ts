/** A uniform sample of a day's released words. */

import { uniformBelow, type RandomSource } from "./randomness.js";

/**
 * A uniform sample of the outputs for a day's words.
 *
 * Each word is released when it is typed. Its output joins the sample, replaces an earlier one or is dropped (reservoir
 * sampling: Vitter 1985, algorithm R). So nothing typed is held, and reports have the same distribution as if the words
 * had been chosen first. Immutable, and plain data.
 */
export interface DaySample {
  /** Largest number of words to send, from 1 to 1,000. */
  readonly most: number;
  /** Number of the day's words so far. */
  readonly seen: number;
  /** The kept outputs: one for each word seen, up to `most`. */
  readonly words: readonly string[];
}

/** Returns the number of further words that certainly join the sample. A budget pays only for these. */
export const room = ({ most, words }: DaySample): number => most - words.length;

/**
 * Returns the place, from 0, of a day's next item among `most`; from `most` on, it is dropped (algorithm R).
 *
 * @param seen number of the day's items, including this one.
 */
export const placeOf = (seen: number, most: number, random: RandomSource): number =>
  seen > most ? uniformBelow(seen, random) : seen - 1;

/** Returns the sample after another `released` word. */
export function plus(sample: DaySample, released: string, random: RandomSource): DaySample {
  const { most, words } = sample;
  const seen = sample.seen + 1;
  if (room(sample) > 0) return { most, seen, words: [...words, released] };
  const place = placeOf(seen, most, random);
  return { most, seen, words: words.map((word, at) => (at === place ? released : word)) };
}
