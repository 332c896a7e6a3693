/**
 * The proofs' conditions on the integers that decide a draw, checked after their computation.
 *
 * For any setting in range, `exact.ts` computes integers that meet them; a faulty device or engine might not. The
 * checks are those of the machine-checked proofs (`proofs/theories/Checker.v`), with e^x rounded down to 256 bits.
 */

import { checkArgument } from "./errors.js";
import { expBounds, KEEP_ONE, Rational } from "./exact.js";

const BITS = 256n;

/**
 * Checks a table of `exponential`: positive and falling, with one weight for each distance.
 *
 * @param largest largest distance between two codes.
 * @param total upper bound on the sum of the base measure over the vocabulary.
 * @throws ParameterError the first weight isn't the quotient of 2^63 - 1 and `total`, a step loses more than epsilon /
 *   2, or the last weight is below e^(-cap / 2) times the first.
 */
export function checkWeights(weights: readonly bigint[], epsilon: number, largest: number, total: number, cap?: number): void {
  const step = power(epsilon, 2n);
  check(
    weights.length === largest + 1 &&
      weights[0] === (KEEP_ONE - 1n) / BigInt(total) &&
      weights[largest]! > 0n &&
      weights.every((far, place) => !place || (far <= weights[place - 1]! && isAtMost(weights[place - 1]!, far, step))) &&
      (cap === undefined || isAtMost(weights[0]!, weights[largest]!, power(cap, 2n))),
  );
}

/**
 * Checks a flip threshold.
 *
 * @throws ParameterError it is above one half, or the loss of a bit exceeds epsilon.
 */
export function checkFlips(threshold: number, epsilon: number): void {
  const kept = 2 ** 32 - threshold;
  check(threshold <= kept && isAtMost(BigInt(kept), BigInt(threshold), power(epsilon)));
}

/**
 * Checks a keep threshold.
 *
 * @throws ParameterError the loss between two symbols exceeds the cap.
 */
export function checkKeep(threshold: bigint, cap: number, symbols: number): void {
  const drawn = KEEP_ONE - threshold;
  check(isAtMost(drawn + BigInt(symbols) * threshold, drawn, power(cap)));
}

/** Returns e^(exponent / divisor), rounded down, in units of 2^-256. */
const power = (exponent: number, divisor = 1n): bigint => expBounds(Rational.of(exponent).dividedBy(divisor), BITS).low;

/** Tells whether a ratio is at most a power. */
const isAtMost = (numerator: bigint, denominator: bigint, bound: bigint): boolean =>
  numerator << BITS <= denominator * bound;

const check = (holds: boolean): void =>
  checkArgument(
    holds,
    "the integers computed for this setting fail the premises of the proofs; this device or this version of brrkit " +
      "is faulty: try others, and report it",
  );
