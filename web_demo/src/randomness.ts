/** Random bytes, and integers drawn from them without bias. */

import { viewOf } from "./bytes.js";
import { RandomnessError } from "./errors.js";
import { bitLength } from "./exact.js";

/** A source of random bytes: `systemRandom`, except in tests and experiments. */
export type RandomSource = (size: number) => Uint8Array;

const MOST = 65_536; // largest number of bytes per call of getRandomValues

/**
 * The system's cryptographically secure random numbers, requested for every word, and never buffered.
 *
 * @throws RandomnessError the system has none.
 */
export const systemRandom: RandomSource = (size) => {
  const bytes = new Uint8Array(size);
  try {
    for (let at = 0; at < size; at += MOST) crypto.getRandomValues(bytes.subarray(at, at + MOST));
  } catch {
    throw new RandomnessError("the system provides no random bytes; nothing was released");
  }
  return bytes;
};

/**
 * Returns `size` random bytes.
 *
 * @throws RandomnessError the source gave another number of bytes, so a draw would be biased.
 */
export function draw(size: number, random: RandomSource): Uint8Array {
  const bytes = random(size);
  if (bytes.length !== size) {
    throw new RandomnessError(`the random source returned ${bytes.length} bytes instead of ${size}`);
  }
  return bytes;
}

/**
 * Returns a uniform integer in [0, bound), for 1 <= bound <= 2^63.
 *
 * Takes 8 bytes (little-endian), keeps as many low bits as bound - 1 has, and repeats this until the number is below
 * the bound: a remainder would favor small numbers.
 */
export function uniformBig(bound: bigint, random: RandomSource): bigint {
  const mask = (1n << BigInt(bitLength(bound - 1n))) - 1n; // BigInt.asUintN is negative at times in QuickJS
  for (;;) {
    const number = viewOf(draw(8, random)).getBigUint64(0, true) & mask;
    if (number < bound) return number;
  }
}

/** Does the same for a bound of at most 2^53, with numbers. */
export const uniformBelow = (bound: number, random: RandomSource): number =>
  Number(uniformBig(BigInt(bound), random));

/** Returns a place in a list of weights, drawn in proportion to its weight. The sum of the weights is at most 2^63. */
export function weighedPlace(weights: readonly bigint[], random: RandomSource): number {
  let number = uniformBig(weights.reduce((sum, weight) => sum + weight), random);
  let place = 0;
  while (number >= weights[place]!) {
    number -= weights[place]!;
    place++;
  }
  return place;
}
