/**
 * Success of the best possible attacker, and share of unchanged words, as `brrkit_toolchain.attackers.one_word` defines
 * them. For `exponential`, a generator begins with an estimate from a sample of output words and ends with the exact
 * number, so a page can show a number at once. For other mechanisms, which are only sampled, it ends with an estimate.
 */

import { firstPlace } from "../src/search.js";

/** A number with its 95% confidence interval. If it is exact, all three numbers are equal. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Attack success, and the completed share of the work. */
export interface Success extends Estimate {
  /** Number of output words or draws behind it. */
  readonly from: number;
  /** Mean success on the least protected 1% of the words; null until the number is exact. */
  readonly worst: number | null;
}

/**
 * A mechanism that draws y with probability measure[y] weights[d(x, y)] / totals[x], and a coin with which x itself
 * comes out instead, with probability shares[x].
 */
export interface Channel {
  /** W [bits + 1], never increasing. */
  readonly weights: Float64Array;
  /** μ [n]. */
  readonly measure: Float64Array;
  /** N [n]. */
  readonly totals: Float64Array;
  /** p [n], 0 where a word doesn't pass. */
  readonly shares: Float64Array;
}

/** Hamming distances [n] of all words to a word. They are valid until the next call. */
export type Distances = (word: number) => ArrayLike<number>;

const DEVIATIONS = 1.959963984540054; // 95%
const LEAST_PROTECTED = 100; // inverse of the share of words
const SAMPLED = 1000; // number of output words in the first estimates
const PIECE = 25; // number of them between two looks at the clock

/** The prior π [n] of an attacker who assumes that all words are equally likely. */
export function isolated(words: number): Float64Array {
  return new Float64Array(words).fill(1 / words);
}

/** The prior π [n] of an attacker who knows the words' frequencies: Zipf's law on the ranks. */
export function frequencies(words: number): Float64Array {
  const shares = Float64Array.from({ length: words }, (_, rank) => 1 / (rank + 1));
  const sum = total(shares);
  return shares.map((share) => share / sum);
}

/**
 * Yields the number of processed `words`, and returns the measure [n, bits + 1] at each distance from each word.
 *
 * @param sums sums for one word [bits + 1 or more].
 */
export function* surroundings(
  sums: (word: number) => ArrayLike<number>,
  words: number,
  bits: number,
): Generator<number, Float64Array> {
  const width = bits + 1;
  const result = new Float64Array(words * width);
  for (let x = 0; x < words; x++) {
    if (x % PIECE === 0) yield x;
    const row = sums(x);
    for (let d = 0; d < width; d++) result[x * width + d] = row[d]!;
  }
  return result;
}

/** N [n] from `surroundings` [n, bits + 1] and W [bits + 1]. */
export function totals(around: Float64Array, weights: Float64Array): Float64Array {
  const width = weights.length;
  return Float64Array.from({ length: around.length / width }, (_, x) => {
    let sum = 0;
    for (let d = 0; d < width; d++) sum += around[x * width + d]! * weights[d]!;
    return sum;
  });
}

/** The share of words that come out unchanged, if words are typed with the probabilities `prior` [n]. */
export function unchanged(channel: Channel, prior: Float64Array): number {
  return total(staying(channel, prior));
}

/**
 * The success against a mechanism with computed probabilities. Yields estimates from output words drawn with `random`,
 * numbers in [0, 1). The last one is exact.
 */
export function* weightedSuccess(
  channel: Channel,
  distances: Distances,
  prior: Float64Array,
  random: () => number = seeded(),
): Generator<Success> {
  const { measure } = channel;
  const words = measure.length;
  const guess = guesser(channel, distances, prior);
  const shares = likelyOutputs(channel, prior);
  const draw = drawer(shares, random);
  let latest: Success = { value: 0, low: 0, high: 1, from: 0, worst: null };
  let mean = 0;
  let squares = 0;
  for (let from = 1; from <= Math.min(SAMPLED, words); from++) {
    const y = draw();
    const right = (measure[y]! * guess(y).joint) / shares[y]!;
    squares += ((from - 1) / from) * (right - mean) ** 2;
    mean += (right - mean) / from;
    if (from % PIECE === 0 && from > PIECE) {
      const reach = DEVIATIONS * Math.sqrt(squares / (from - 1) / from);
      latest = { ...within(mean, mean - reach, mean + reach), from, worst: null };
      yield latest;
    }
  }
  const right = new Float64Array(words); // π(x) times the probability that the attacker guesses x
  for (let y = 0; y < words; y++) {
    const { joint, word } = guess(y);
    right[word]! += measure[y]! * joint;
    if (y % PIECE === 0) yield latest;
  }
  const value = total(right);
  const worst = leastProtected(right.map((each, x) => each / prior[x]!));
  yield { value, low: value, high: value, from: words, worst };
}

/** The share of `hits` in `trials`, with Wilson's interval. */
export function proportion(hits: number, trials: number): Estimate {
  const share = hits / trials;
  const spread = (DEVIATIONS * DEVIATIONS) / trials;
  const center = share + spread / 2;
  const reach = DEVIATIONS * Math.sqrt((share * (1 - share)) / trials + spread / trials / 4);
  return within(share, (center - reach) / (1 + spread), (center + reach) / (1 + spread));
}

/** Draws words in proportion to `shares` [n], which need not sum to 1. */
export function drawer(shares: Float64Array, random: () => number): () => number {
  let sum = 0;
  const sums = shares.map((share) => {
    sum += share;
    return sum;
  });
  return () => {
    const target = random() * sum;
    return firstPlace(sums.length - 1, (id) => sums[id]! > target);
  };
}

/**
 * Numbers in [0, 1) from a linear congruential generator (Knuth's MMIX), the same ones each time. They choose the
 * measured words, and never affect releases.
 */
export function seeded(): () => number {
  let state = 0n;
  return () => {
    state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
    return Number(state >> 11n) / 2 ** 53;
  };
}

/**
 * The approximate probability of each output word [n], with the sum 1: half of it follows μ, and half the probability
 * that a word is typed and stays.
 */
function likelyOutputs(channel: Channel, prior: Float64Array): Float64Array {
  const { measure } = channel;
  const stay = staying(channel, prior);
  const all = total(measure);
  const allStaying = total(stay);
  return stay.map((each, y) => (measure[y]! / all + each / allStaying) / 2);
}

/** The probability that each word is typed and stays [n]. */
function staying(channel: Channel, prior: Float64Array): Float64Array {
  const { weights, measure, totals, shares } = channel;
  return prior.map((each, x) => each * (shares[x]! + ((1 - shares[x]!) * measure[x]! * weights[0]!) / totals[x]!));
}

/** The guess of an attacker who sees y: the word x with the largest π(x) Pr[y | x] / μ(y), and this value. */
function guesser(
  channel: Channel,
  distances: Distances,
  prior: Float64Array,
): (y: number) => { joint: number; word: number } {
  const { weights, measure, shares } = channel;
  const scales = prior.map((each, x) => (each * (1 - shares[x]!)) / channel.totals[x]!);
  // The largest scales first, and of equal ones the most frequent word, so the rest can't win.
  const order = Uint32Array.from(scales.keys()).sort((a, b) => scales[b]! - scales[a]! || a - b);
  const falling = Float64Array.from(order, (x) => scales[x]!);
  return (y) => {
    const apart = distances(y);
    const passed = (prior[y]! * shares[y]!) / measure[y]!;
    let joint = -1;
    let word = y;
    if (passed > 0) joint = passed + scales[y]! * weights[0]!;
    for (let i = 0; i < order.length && falling[i]! * weights[0]! > joint; i++) {
      const each = falling[i]! * weights[apart[order[i]!]!]!;
      if (each > joint) {
        joint = each;
        word = order[i]!;
      }
    }
    return { joint, word };
  };
}

/** The mean of the largest 1% of `words` [n], at least of one word. */
function leastProtected(words: Float64Array): number {
  const count = Math.ceil(words.length / LEAST_PROTECTED);
  const largest = words.sort().subarray(-count);
  return total(largest) / count;
}

function total(values: Float64Array): number {
  return values.reduce((sum, each) => sum + each, 0);
}

function within(value: number, low: number, high: number): Estimate {
  return { value: Math.min(1, value), low: Math.max(0, low), high: Math.min(1, high) };
}
