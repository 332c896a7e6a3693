/**
 * Probabilities as integers. They decide random outcomes, and are computed without floating point.
 *
 * `Math.exp` differs by an ulp between engines, and one ulp too much would reveal more than promised. Here, two
 * integers enclose e^x.
 */

import { checkArgument } from "./errors.js";

/** Below about 9.3e-10, a 32-bit flip probability equals one half. */
export const EPSILON_MIN = 1e-9;

/** Above ln(2^32 - 1) = 22.1807..., a probability below 2^-32 would be needed. */
export const EPSILON_MAX = 22.18;

/** With a smaller cap, a mechanism reveals next to nothing. */
export const CAP_MIN = 1e-9;

/** W[0] is below 2^63, and e^(88 / 2) is above, so larger caps have no effect. */
export const CAP_MAX = 88;

/** A probability of one, in the units of `keepThreshold`. */
export const KEEP_ONE = 1n << 63n;

/** Within the radius, weights fall more slowly by this factor (`docs/explanation/mechanisms.md` explains why). */
const GENTLE = 8n;

/** Tells whether a value is a number in a range. NaN never is. */
export const isWithin = (value: unknown, least: number, most: number): value is number =>
  typeof value === "number" && value >= least && value <= most;

/** Tells whether a value is an integer in a range. */
export const isInteger = (value: unknown, least: number, most: number): value is number =>
  isWithin(value, least, most) && Number.isInteger(value);

/**
 * Checks that a value is an integer in a range.
 *
 * @param name the value's name in the message.
 * @throws ParameterError it isn't one.
 */
export const checkInteger = (value: unknown, least: number, most: number, name: string): void =>
  checkArgument(isInteger(value, least, most), `${name} must be an integer from ${least} to ${most}`);

/**
 * Returns `epsilon`.
 *
 * @throws ParameterError it isn't a number from EPSILON_MIN to EPSILON_MAX.
 */
export function checkEpsilon(epsilon: number): number {
  const given = typeof epsilon === "number" ? epsilon : NaN;
  checkArgument(
    isWithin(given, EPSILON_MIN, EPSILON_MAX),
    `epsilon must be a number from 1e-09 to 22.18 (per bit of Hamming distance), not ${given}`,
  );
  return given;
}

/**
 * Returns `cap`.
 *
 * @throws ParameterError it isn't a number from CAP_MIN to CAP_MAX.
 */
export function checkCap(cap: number): number {
  checkArgument(isWithin(cap, CAP_MIN, CAP_MAX), "cap must be a number from 1e-09 to 88");
  return cap;
}

/** A nonnegative fraction with a positive denominator. */
export class Rational {
  constructor(
    readonly numerator: bigint,
    readonly denominator: bigint,
  ) {}

  /** Returns the rational value of a finite, nonnegative double. */
  static of(value: number): Rational {
    let whole = value;
    let denominator = 1n;
    while (!Number.isInteger(whole)) {
      whole *= 2; // exact
      denominator *= 2n;
    }
    return new Rational(BigInt(whole), denominator);
  }

  times(factor: bigint): Rational {
    return new Rational(this.numerator * factor, this.denominator);
  }

  dividedBy(divisor: bigint): Rational {
    return new Rational(this.numerator, this.denominator * divisor);
  }

  /** Subtracts a number that is at most this one. */
  minus(other: Rational): Rational {
    return new Rational(
      this.numerator * other.denominator - other.numerator * this.denominator,
      this.denominator * other.denominator,
    );
  }

  isLess(other: Rational): boolean {
    return this.numerator * other.denominator < other.numerator * this.denominator;
  }
}

const dividedUp = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor;

/** Returns the number of bits of a nonnegative number. */
export const bitLength = (number: bigint): number => (number === 0n ? 0 : number.toString(2).length);

/** Returns integers with low <= e^x * 2^precision <= high. */
export function expBounds(x: Rational, precision: bigint): { readonly low: bigint; readonly high: bigint } {
  // Taylor series of x / 2^k < 2^-8, then k squarings; `low` always rounds down, and `high` up.
  const one = 1n << precision;
  const halvings = BigInt(bitLength(x.numerator / x.denominator) + 8);
  const numerator = x.numerator << precision;
  const denominator = x.denominator << halvings;
  const reducedLow = numerator / denominator;
  const reducedHigh = dividedUp(numerator, denominator);

  let low = one;
  let term = one;
  for (let index = 1n; term > 0n; index++) {
    term = ((term * reducedLow) >> precision) / index;
    low += term;
  }

  let high = one;
  term = one;
  for (let index = 1n; term > 1n; index++) {
    term = dividedUp(term * reducedHigh, one * index);
    high += term;
  }
  high += 1n; // the omitted terms: together less than the last term, which was at most 1

  for (let i = 0n; i < halvings; i++) {
    low = (low * low) >> precision;
    high = dividedUp(high * high, one);
  }
  return { low, high };
}

/**
 * Returns the value of `evaluate(e^x * 2^precision, precision)` for exact e^x.
 *
 * `evaluate` is monotonic and never jumps exactly at e^x, which is transcendental for x > 0. With enough bits, both
 * ends of the enclosure therefore agree. The first `precision` only saves time.
 */
function settle<Result>(x: Rational, evaluate: (e: bigint, precision: bigint) => Result, precision = 64n): Result {
  const { low, high } = expBounds(x, precision);
  const result = evaluate(low, precision);
  return result === evaluate(high, precision) ? result : settle(x, evaluate, 2n * precision);
}

/**
 * Returns T = ceil(2^32 / (1 + e^epsilon)): flip when a uniform 32-bit number is below T.
 *
 * The double `epsilon` is taken as an exact rational number. Proof: `docs/explanation/proofs.md`, "The randomizer".
 *
 * @throws ParameterError epsilon is out of range.
 */
export function flipThreshold(epsilon: number): number {
  const threshold = settle(Rational.of(checkEpsilon(epsilon)), (e, precision) =>
    dividedUp(1n << (32n + precision), (1n << precision) + e),
  );
  return Number(threshold);
}

/**
 * Returns T = floor(2^63 (e^cap - 1) / (e^cap - 1 + symbols)): keep a symbol below T.
 *
 * Otherwise any of the symbols is drawn uniformly. Proof that no two symbols have a larger loss:
 * `docs/explanation/proofs.md`, "Counts".
 *
 * @param cap from CAP_MIN to CAP_MAX, taken as an exact rational number.
 * @param symbols their number.
 */
export function keepThreshold(cap: number, symbols: number): bigint {
  return settle(
    Rational.of(cap),
    (e, precision) => {
      const gain = e - (1n << precision);
      return (gain << 63n) / (gain + (BigInt(symbols) << precision));
    },
    192n,
  );
}

/** Returns ln(1 + k T / (2^63 - T)), the loss between any two of k symbols with a keep threshold T, rounded up. */
export function keepLoss(threshold: bigint, symbols: number): number {
  const drawn = KEEP_ONE - threshold;
  return logUp(drawn + BigInt(symbols) * threshold, drawn);
}

/** Returns ln((2^32 - T) / T), the epsilon per bit of a flip threshold T, rounded up. */
export const thresholdEpsilon = (threshold: number): number => logUp(BigInt(2 ** 32 - threshold), BigInt(threshold));

/**
 * Returns 2 ln(max W[d] / W[d+1]), the epsilon of a weight table, rounded up.
 *
 * The exponential mechanism loses half of it by the weight and half by the normalizer.
 * Proof: `docs/explanation/proofs.md`, "exponential".
 */
export function weightsEpsilon(weights: readonly bigint[]): number {
  let steepest = 1;
  for (let distance = 2; distance < weights.length; distance++) {
    const isSteeper = weights[distance - 1]! * weights[steepest]! > weights[steepest - 1]! * weights[distance]!;
    if (isSteeper) steepest = distance;
  }
  return 2 * logUp(weights[steepest - 1]!, weights[steepest]!);
}

/** Returns the smallest double that is at least ln(numerator / denominator), which is >= 0. */
function logUp(numerator: bigint, denominator: bigint): number {
  const reaches = (x: number): boolean =>
    settle(Rational.of(x), (e, precision) => e * denominator >= numerator << precision, 128n);
  // Off by some ulps. Computed from digits, because Number(2n ** 63n) is negative in Hermes 0.12.
  let value = Math.log1p(Number(String(numerator - denominator)) / Number(String(denominator)));
  while (!reaches(value)) value = doubleOf(bitsOf(value) + 1n);
  while (value > 0 && reaches(doubleOf(bitsOf(value) - 1n))) value = doubleOf(bitsOf(value) - 1n);
  return value;
}

/** Returns the bits of a nonnegative double. The next larger double has the next larger bits. */
const bitsOf = (value: number): bigint => new BigUint64Array(Float64Array.of(value).buffer)[0]!;

const doubleOf = (bits: bigint): number => new Float64Array(BigUint64Array.of(bits).buffer)[0]!;

/** Returns floor(2^32 * e^-x). */
export function decay(x: Rational): bigint {
  if (x.numerator === 0n) return 1n << 32n;
  if (x.numerator >= 23n * x.denominator) return 0n; // 2^32 < e^22.2
  return settle(x, (e, precision) => (1n << (32n + precision)) / e);
}

/**
 * Returns the weights W[0..bits] of the exponential mechanism.
 *
 * W[0] = floor((2^63 - 1) / total), so that any total over the vocabulary fits a signed 64-bit integer;
 * W[d+1] = ceil(W[d] * 2^64 / G) with G = floor(2^64 * e^(epsilon / 2)), and with G = floor(2^64 *
 * e^(epsilon / 16)) for d < radius. With a cap, W[d] is at least ceil(W[0] * 2^64 / floor(2^64 * e^(cap / 2))).
 * Proof: `docs/explanation/proofs.md`, "exponential".
 *
 * @param epsilon per bit of Hamming distance, taken as an exact rational number.
 * @param bits length of a code.
 * @param total upper bound on the sum of the base measure over the vocabulary.
 * @param radius in bits, from 0 to `bits`.
 * @param cap largest loss between any two words, from CAP_MIN to CAP_MAX; without one there is no limit.
 * @throws ParameterError epsilon is out of range.
 */
export function weightTable(epsilon: number, bits: number, total: number, radius: number, cap?: number): bigint[] {
  const half = Rational.of(checkEpsilon(epsilon)).dividedBy(2n);
  const within = growth(half.dividedBy(GENTLE));
  const beyond = growth(half);
  const first = (KEEP_ONE - 1n) / BigInt(total);
  const least = cap === undefined ? 0n : shrunk(first, growth(Rational.of(cap).dividedBy(2n)));
  const weights = [first];
  for (let distance = 0; distance < bits; distance++) {
    const next = shrunk(weights[distance]!, distance < radius ? within : beyond);
    weights.push(next > least ? next : least);
  }
  return weights;
}

/** Returns floor(2^64 * e^x). */
const growth = (x: Rational): bigint => settle(x, (e, precision) => e >> (precision - 64n));

/** Returns ceil(weight * 2^64 / growth). */
const shrunk = (weight: bigint, by: bigint): bigint => dividedUp(weight << 64n, by);
