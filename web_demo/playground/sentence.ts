/**
 * The guesses of an attacker who reads a whole released text: the forward-backward algorithm over all words, as
 * `brrkit_toolchain.attackers.texts.readers.sentence_reader` defines it, with the bundle's language model.
 *
 * The typed text is a hidden Markov chain. Its transitions are the bundle's bigrams, and its outputs are those of the
 * mechanism.
 */

import type { Masses } from "../src/masses.js";
import type { Channel, Distances } from "./attack.js";

/** The transitions between words: Pr[x | h] = (words[x] + gain(h, x)) / totals[h]. */
export interface Language {
  /** The masses [n]. */
  readonly words: Float64Array;
  /** Σ words. */
  readonly sum: number;
  /** By history [n]: the sum of `words` and of the gains after it. */
  readonly totals: Float64Array;
  /** By history [n]: the ids with a gain after it, and the gains. */
  readonly following: readonly Following[];
}

interface Following {
  readonly ids: readonly number[];
  readonly gains: readonly number[];
}

/** Pr[x | y_1 ... y_T] [T][n] for the words that were released in a text. */
export type Reader = (released: readonly number[]) => Float64Array[];

const MOST = 4_000_000; // largest number of a text's probabilities; only the end of a longer text is read

/** Returns the language model of a bundle with `size` words. */
export function languageOf(masses: Masses, size: number): Language {
  const { levels } = masses.measure("unigram", -1);
  const words = Float64Array.from(masses.words, (byte) => levels[byte]!);
  const sum = words.reduce((all, each) => all + each, 0);
  const base = masses.lastBase;
  const following = Array.from({ length: size }, (_, history) => masses.measure(base, history));
  const totals = Float64Array.from(following, ({ gains }) => gains.reduce((all, gain) => all + gain, sum));
  return { words, sum, totals, following };
}

/**
 * Returns a reader of texts that a channel released.
 *
 * @param channel channel of a text's first word.
 * @param follows whether releases depend on the previously released word.
 */
export function reader(language: Language, channel: Channel, distances: Distances, follows: boolean): Reader {
  const normalizers = new Map<number, Float64Array>(); // by the previously released word
  return (released) => {
    const outputs = released.slice(-Math.floor(MOST / channel.totals.length));
    const earlier = released.length - outputs.length;
    const likelihoods = outputs.map((y, t) => {
      const before = follows ? (released[earlier + t - 1] ?? -1) : -1;
      const totals = normalizers.get(before) ?? totalsAfter(language, channel, distances, before);
      normalizers.set(before, totals);
      const apart = distances(y);
      const found = totals.map((total, x) => ((1 - channel.shares[x]!) * channel.weights[apart[x]!]!) / total);
      found[y]! += channel.shares[y]! / (channel.measure[y]! + gainOf(language, before, y));
      return found;
    });
    return posteriors(language, likelihoods);
  };
}

/** Returns N_h(x) [n]: the normalizers of a channel after the word `before`; -1 is a text's start. */
function totalsAfter({ following }: Language, channel: Channel, distances: Distances, before: number): Float64Array {
  const totals = channel.totals.slice();
  const { ids, gains } = following[before] ?? { ids: [], gains: [] };
  ids.forEach((id, place) => {
    const apart = distances(id);
    const weights = channel.weights.map((weight) => weight * gains[place]!);
    for (let x = 0; x < totals.length; x++) totals[x]! += weights[apart[x]!]!;
  });
  return totals;
}

/** Returns the gain of `word` after the word `before`. */
function gainOf({ following }: Language, before: number, word: number): number {
  const { ids, gains } = following[before] ?? { ids: [], gains: [] };
  return gains[ids.indexOf(word)] ?? 0;
}

/** Returns Pr[x_t | y_1 ... y_T] [T][n] for likelihoods Pr[y_t | x] [T][n], each up to a factor of its row. */
export function posteriors(language: Language, likelihoods: readonly Float64Array[]): Float64Array[] {
  const { words, sum, totals, following } = language;
  const size = words.length;
  const read: Float64Array[] = [];
  let expected: Float64Array = words.map((mass) => mass / sum);
  for (const likelihood of likelihoods) {
    const belief = scaled(expected.map((share, x) => share * likelihood[x]!));
    read.push(belief);
    const shares = belief.map((share, history) => share / totals[history]!);
    const all = shares.reduce((whole, share) => whole + share, 0);
    expected = words.map((mass) => mass * all);
    following.forEach(({ ids, gains }, history) => {
      for (let i = 0; i < ids.length; i++) expected[ids[i]!]! += shares[history]! * gains[i]!;
    });
  }
  let later: Float64Array = new Float64Array(size).fill(1);
  for (let t = read.length - 2; t >= 0; t--) {
    const weighted = later.map((share, x) => share * likelihoods[t + 1]![x]!);
    const all = weighted.reduce((whole, share, x) => whole + share * words[x]!, 0);
    later = scaled(
      Float64Array.from(following, ({ ids, gains }, history) => {
        let some = all;
        for (let i = 0; i < ids.length; i++) some += weighted[ids[i]!]! * gains[i]!;
        return some / totals[history]!;
      }),
    );
    read[t] = scaled(read[t]!.map((share, x) => share * later[x]!));
  }
  return read;
}

/** Returns the numbers, scaled to the sum 1. */
function scaled(numbers: Float64Array): Float64Array {
  const sum = numbers.reduce((all, each) => all + each, 0);
  return numbers.map((each) => each / sum);
}

/** The most probable word at each place; of equal ones, the most frequent. */
export const guesses = (read: readonly Float64Array[]): number[] =>
  read.map((belief) => belief.reduce((best, share, x) => (share > belief[best]! ? x : best), 0));
