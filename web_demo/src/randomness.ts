/** Random bytes, and integers drawn from them without bias. */

import { viewOf } from "./bytes.js";
import { RandomnessError } from "./errors.js";
import { bitLength } from "./exact.js";

/** Returns that many random bytes. `systemRandom` everywhere but in tests and experiments. */
export type RandomSource = (size: number) => Uint8Array;

const MOST = 65_536; // bytes to a call of getRandomValues

/**
 * The system's cryptographically secure random numbers, asked for every word, never buffered.
 *
 * @throws RandomnessError it gives none.
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
 * @throws RandomnessError the source gave another number: what came of that would be biased.
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
 * Takes 8 bytes (little-endian), keeps as many low bits as bound - 1 has, and starts over when the number
 * isn't below the bound: a remainder would favor small numbers.
 */
export function uniformBig(bound: bigint, random: RandomSource): bigint {
  const mask = (1n << BigInt(bitLength(bound - 1n))) - 1n; // BigInt.asUintN is negative at times in QuickJS
  for (;;) {
    const number = viewOf(draw(8, random)).getBigUint64(0, true) & mask;
    if (number < bound) return number;
  }
}

/** Returns the same for a bound of at most 2^53, as a number. */
export const uniformBelow = (bound: number, random: RandomSource): number =>
  Number(uniformBig(BigInt(bound), random));

/** Returns a place of a list, drawn with a probability proportional to the weight in it; their sum is at most 2^63. */
export function weighedPlace(weights: readonly bigint[], random: RandomSource): number {
  let number = uniformBig(weights.reduce((sum, weight) => sum + weight), random);
  let place = 0;
  while (number >= weights[place]!) {
    number -= weights[place]!;
    place++;
  }
  return place;
}
