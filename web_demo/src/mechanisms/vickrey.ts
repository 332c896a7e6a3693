/**
 * Vickrey over Hamming distance: randomized response, then one of the nearest words at random.
 *
 * Unlike in the paper's algorithms (Xu et al. 2021), the input word is a candidate like any other. Without it, the
 * guarantee would fail.
 */

import { concat, doubles, eightBytes } from "../bytes.js";
import { checkArgument } from "../errors.js";
import { decay, isWithin, Rational } from "../exact.js";
import { weighedPlace, type RandomSource } from "../randomness.js";
import { MOST_CANDIDATES, type Parameters } from "../setting.js";
import type { WordBundle } from "../wordBundle.js";
import { Brr } from "./brr.js";
import type { Mechanism, MechanismSetting } from "./mechanism.js";

const DEFAULT_T = 0.5;
const ONE = 2 ** 32;

/**
 * Chooses between the two nearest words (a number t), or among k (a list t_1 ... t_k).
 *
 * The guarantee holds for any t, because the choice is post-processing. Proof: `docs/explanation/proofs.md`, "vickrey".
 */
export class Vickrey implements Mechanism {
  readonly effectiveEpsilon: number;
  readonly setting: MechanismSetting;
  readonly integers: readonly [number];
  readonly #bundle: WordBundle;
  readonly #brr: Brr;
  readonly #candidates: number;
  /** The rates of a list t; undefined for a number. */
  readonly #rates: readonly Rational[] | undefined;
  /** The number t in units of 2^-32: exact in every language. */
  readonly #second: number;

  /**
   * @param parameters `t`, a number from 0 to 1: the nearest word is chosen with probability (1 - t) d2 / (t d1 + (1 -
   *   t) d2), where d1 and d2 are the distances from the noised code to the two nearest words. Or k numbers >= 0, 64 at
   *   most: the r-th nearest is chosen with probability proportional to exp(-t_r d_r). `k` is the number of candidates;
   *   optional, since t implies it.
   * @throws ParameterError epsilon or a parameter is out of range, or k doesn't fit t.
   */
  constructor(
    bundle: WordBundle,
    readonly epsilon: number,
    { t = DEFAULT_T, k }: Parameters,
  ) {
    this.#bundle = bundle;
    this.#brr = new Brr(bundle, epsilon);
    this.effectiveEpsilon = this.#brr.effectiveEpsilon;
    this.integers = this.#brr.integers;
    const several = Array.isArray(t);
    const values = (several ? t : [t]) as readonly number[];
    checkValues(values, several);
    this.#candidates = several ? values.length : 2;
    checkArgument(
      k === undefined || k === this.#candidates,
      `k must be ${this.#candidates}, as many as t gives; for another k, give t as a list of k numbers`,
    );
    checkArgument(
      this.#candidates <= bundle.size,
      `k = ${this.#candidates} is larger than the vocabulary of ${bundle.size} words`,
    );
    this.#rates = several ? values.map((value) => Rational.of(value)) : undefined;
    this.#second = several ? 0 : roundedToEven(values[0]! * ONE);
    const numbers = several
      ? concat(Uint8Array.of(1), doubles(values))
      : concat(Uint8Array.of(0), eightBytes(this.#second));
    this.setting = { mechanism: "vickrey", numbers: concat(this.#brr.setting.numbers, numbers) };
  }

  release(codes: readonly Uint32Array[], _before: number, random: RandomSource): number[] {
    return this.#brr.noised(codes, random).map((code) => {
      const nearest = this.#bundle.index.nearest(code, this.#candidates);
      const weights = this.#weights(nearest.map(({ distance }) => distance));
      return nearest[weighedPlace(weights, random)]!.id;
    });
  }

  /** Returns the integer weights of the nearest words at `distances`. */
  #weights(distances: readonly number[]): bigint[] {
    if (!this.#rates) {
      const first = (ONE - this.#second) * distances[1]!;
      const other = this.#second * distances[0]!;
      // It is 0 : 0 only if the nearest code is the noised one. With t = 1, the second word is chosen even then.
      const weights = first + other === 0 ? [ONE - this.#second, this.#second] : [first, other];
      return weights.map(BigInt);
    }
    const exponents = this.#rates.map((rate, rank) => rate.times(BigInt(distances[rank]!)));
    const least = exponents.reduce((one, other) => (other.isLess(one) ? other : one));
    return exponents.map((exponent) => decay(exponent.minus(least)));
  }
}

/** Refuses a value that isn't a number t or, if there are several, a list of numbers. */
function checkValues(values: readonly unknown[], several: boolean): void {
  const most = several ? Number.MAX_VALUE : 1;
  checkArgument(
    isWithin(values.length, 1, MOST_CANDIDATES) && values.every((value) => isWithin(value, 0, most)),
    `t must be a number from 0 to 1, or a list of k numbers >= 0, at most ${MOST_CANDIDATES}`,
  );
}

/** Returns the integer nearest to a number from 0 to 2^32; of two equally near, the even one. */
function roundedToEven(value: number): number {
  const whole = 2 ** 52; // from here on, doubles are integers, so the sum is rounded
  return value + whole - whole;
}
