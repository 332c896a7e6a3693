/**
 * Vickrey over Hamming distance: randomized response, then one of the nearest words at random.
 *
 * Unlike in the paper's listings (Xu et al. 2021), the input word is a candidate like any other: without it
 * the guarantee would break.
 */

import { concat, doubles, eights } from "../bytes.js";
import { checkArgument, ParameterError } from "../errors.js";
import { decay, isWithin, rational, type Rational } from "../exact.js";
import { uniformBig, type RandomSource } from "../randomness.js";
import { MOST_CANDIDATES, type Parameters } from "../setting.js";
import type { WordBundle } from "../wordBundle.js";
import { Brr } from "./brr.js";
import type { Mechanism } from "./mechanism.js";

const DEFAULT_T = 0.5;
const ONE = 2 ** 32;

/**
 * Chooses between the two nearest words (a number t), or among k (a list t_1 ... t_k).
 *
 * For any t: the choice is post-processing. Proof: `docs/explanation/proofs.md`, "vickrey".
 */
export class Vickrey implements Mechanism {
  readonly effectiveEpsilon: number;
  readonly setting: readonly [string, Uint8Array];
  readonly #bundle: WordBundle;
  readonly #brr: Brr;
  readonly #k: number;
  readonly #rates: readonly Rational[] | undefined;
  readonly #second: number;

  /**
   * @param parameters `t`, a number from 0 to 1: the nearest word is chosen with probability
   *   (1 - t) d2 / (t d1 + (1 - t) d2), with d1 and d2 the distances from the noised code to the two nearest.
   *   Or k numbers >= 0, 64 at most: the r-th nearest is chosen with probability proportional to
   *   exp(-t_r d_r). `k` is the number of candidates; only to be stated, since t implies it.
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
    const several = Array.isArray(t);
    const values = checked(several ? t : [t], several);
    this.#k = several ? values.length : 2;
    if (k !== undefined && k !== this.#k) {
      throw new ParameterError(
        `k must be ${this.#k}, as many as t gives; for another k give t as a list of k numbers`,
      );
    }
    if (this.#k > bundle.size) {
      throw new ParameterError(`k = ${this.#k} is larger than the vocabulary of ${bundle.size} words`);
    }
    this.#rates = several ? values.map(rational) : undefined;
    // Doubles from 2^52 on are integers: to add that rounds to the nearest integer, of two to the even one.
    this.#second = several ? 0 : values[0]! * ONE + 2 ** 52 - 2 ** 52;
    const choice = several ? [Uint8Array.of(1), doubles(values)] : [Uint8Array.of(0), eights(this.#second)];
    this.setting = ["vickrey", concat(this.#brr.setting[1], ...choice)];
  }

  release(codes: readonly Uint32Array[], _before: number, random: RandomSource): number[] {
    return this.#brr.noised(codes, random).map((code) => {
      const nearest = this.#bundle.index.nearest(code, this.#k);
      return nearest[this.#chosen(nearest.map(({ distance }) => distance), random)]!.id;
    });
  }

  #chosen(distances: readonly number[], random: RandomSource): number {
    const weights = this.#weights(distances);
    let number = uniformBig(weights.reduce((sum, weight) => sum + weight), random);
    let rank = 0;
    while (number >= weights[rank]!) number -= weights[rank++]!;
    return rank;
  }

  /** Returns the integer weights of the nearest words, which are at `distances`. */
  #weights(distances: readonly number[]): bigint[] {
    const rates = this.#rates;
    if (!rates) {
      const [one, other] = [ONE - this.#second, this.#second];
      const [first, second] = [one * distances[1]!, other * distances[0]!];
      // 0 : 0 only when the nearest code is the noised one: t = 1 still means the second.
      return (first + second ? [first, second] : [one, other]).map(BigInt);
    }
    const exponents = rates.map(([over, under], r): Rational => [over * BigInt(distances[r]!), under]);
    const [least, below] = exponents.reduce((a, b) => (b[0] * a[1] < a[0] * b[1] ? b : a));
    return exponents.map(([over, under]) => decay([over * below - least * under, under * below]));
  }
}

/** Returns the numbers of t. */
function checked(values: readonly unknown[], several: boolean): number[] {
  const isRight = (value: unknown): value is number => isWithin(value, 0, several ? Number.MAX_VALUE : 1);
  checkArgument(
    isWithin(values.length, 1, MOST_CANDIDATES) && values.every(isRight),
    `t must be a number from 0 to 1, or a list of k numbers >= 0, at most ${MOST_CANDIDATES}`,
  );
  return [...values];
}
