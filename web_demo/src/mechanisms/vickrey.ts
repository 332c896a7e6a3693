/**
 * Vickrey over Hamming distance: randomized response, then one of the nearest words at random.
 *
 * Unlike in the paper's listings (Xu et al. 2021), the input word is a candidate like any other: without it
 * the guarantee would break.
 */

import { concat, doubles, eights } from "../bytes.js";
import { checkArgument } from "../errors.js";
import { decay, isWithin, rational, type Rational } from "../exact.js";
import { weighedPlace } from "../randomness.js";
import { MOST_CANDIDATES, type Parameters } from "../setting.js";
import type { WordBundle } from "../wordBundle.js";
import { brr } from "./brr.js";
import type { Mechanism } from "./mechanism.js";

const DEFAULT_T = 0.5;
const ONE = 2 ** 32;

/**
 * Returns what chooses between the two nearest words (a number t), or among k (a list t_1 ... t_k).
 *
 * For any t: the choice is post-processing. Proof: `docs/explanation/proofs.md`, "vickrey".
 *
 * @param parameters `t`, a number from 0 to 1: the nearest word is chosen with probability
 *   (1 - t) d2 / (t d1 + (1 - t) d2), with d1 and d2 the distances from the noised code to the two nearest.
 *   Or k numbers >= 0, 64 at most: the r-th nearest is chosen with probability proportional to
 *   exp(-t_r d_r). `k` is the number of candidates; only to be stated, since t implies it.
 * @throws ParameterError epsilon or a parameter is out of range, or k doesn't fit t.
 */
export function vickrey(bundle: WordBundle, epsilon: number, { t = DEFAULT_T, k }: Parameters): Mechanism {
  const { effectiveEpsilon, setting, noised } = brr(bundle, epsilon);
  const several = Array.isArray(t);
  const values = several ? t : [t];
  const isRight = (value: unknown): boolean => isWithin(value, 0, several ? Number.MAX_VALUE : 1);
  checkArgument(
    isWithin(values.length, 1, MOST_CANDIDATES) && values.every(isRight),
    `t must be a number from 0 to 1, or a list of k numbers >= 0, at most ${MOST_CANDIDATES}`,
  );
  const count = several ? values.length : 2;
  checkArgument(
    k === undefined || k === count,
    `k must be ${count}, as many as t gives; for another k give t as a list of k numbers`,
  );
  checkArgument(count <= bundle.size, `k = ${count} is larger than the vocabulary of ${bundle.size} words`);
  const rates = several ? values.map(rational) : undefined;
  // Doubles from 2^52 on are integers: to add that rounds to the nearest integer, of two to the even one.
  const second = several ? 0 : values[0] * ONE + 2 ** 52 - 2 ** 52;
  const choice = several ? [Uint8Array.of(1), doubles(values)] : [Uint8Array.of(0), eights(second)];

  /** Returns the integer weights of the nearest words, which are at `distances`. */
  function weights(distances: readonly number[]): bigint[] {
    if (!rates) {
      const [one, other] = [(ONE - second) * distances[1]!, second * distances[0]!];
      // 0 : 0 only when the nearest code is the noised one: t = 1 still means the second.
      return (one + other ? [one, other] : [ONE - second, second]).map(BigInt);
    }
    const exponents = rates.map(([over, under], r): Rational => [over * BigInt(distances[r]!), under]);
    const [least, below] = exponents.reduce((a, b) => (b[0] * a[1] < a[0] * b[1] ? b : a));
    return exponents.map(([over, under]) => decay([over * below - least * under, under * below]));
  }

  return {
    epsilon,
    effectiveEpsilon,
    setting: ["vickrey", concat(setting[1], ...choice)],
    release: (codes, _before, random) =>
      noised(codes, random).map((code) => {
        const nearest = bundle.index.nearest(code, count);
        return nearest[weighedPlace(weights(nearest.map(({ distance }) => distance)), random)]!.id;
      }),
  };
}
