/** The exponential mechanism on Hamming distance, exact in integers. */

import { concat, eightBytes } from "../bytes.js";
import { checkArgument, checkChoice } from "../errors.js";
import { checkCap, checkEpsilon, checkInteger, weightsEpsilon, weightTable } from "../exact.js";
import { BASES, type Base, type Masses } from "../masses.js";
import { checkWeights } from "../premises.js";
import { uniformBelow, weighedPlace, type RandomSource } from "../randomness.js";
import { MOST_TASK_WEIGHT, type Parameters } from "../setting.js";
import { sha256 } from "../sha256.js";
import type { WordBundle } from "../wordBundle.js";
import type { Mechanism, MechanismSetting } from "./mechanism.js";

const SHARE = 8; // divisor of the number of bits without task bits, for the default radius

/**
 * Pr[y | w] is proportional to m(y) W[d(w, y)], with the distance d in which each task bit counts `task_weight` times,
 * integer weights W that fall slowly up to a radius, and a base measure m of positive integers, which can depend on the
 * previously released word. It draws a distance, then a word at this distance, without a noised code.
 *
 * Proof: `docs/explanation/proofs.md`, "exponential".
 */
export class Exponential implements Mechanism {
  readonly effectiveEpsilon: number;
  readonly setting: MechanismSetting;
  readonly base: Base;
  readonly integers: readonly bigint[];
  readonly #bundle: WordBundle;
  readonly #taskWeight: number;

  /**
   * Computes the weights.
   *
   * @param parameters `radius`, in bits: words within it are nearly as probable outputs as the word itself, by default
   *   an eighth of the bits without task bits. `base`, by default the last in the bundle. `cap`, the upper bound on the
   *   privacy loss between any two words, from 1e-9 to 88, by default none. `task_weight`, the weight of a differing
   *   task bit, from 0 to 16, by default 1.
   * @throws ParameterError epsilon or a parameter is out of range, or the bundle has no such base, or no task bits.
   */
  constructor(
    bundle: WordBundle,
    readonly epsilon: number,
    { radius, base, cap, task_weight }: Parameters,
  ) {
    const { masses, taskBits, wordBits } = bundle;
    checkEpsilon(epsilon);
    this.#bundle = bundle;
    const radiusInForce = checkRadius(radius, wordBits);
    this.#taskWeight = checkTaskWeight(task_weight, taskBits);
    this.base = checkBase(base, masses);
    if (cap !== undefined) checkCap(cap);
    const largest = wordBits + this.#taskWeight * taskBits;
    const most = masses.most(this.base);
    this.integers = weightTable(epsilon, largest, most, radiusInForce, cap);
    checkWeights(this.integers, epsilon, largest, most, cap);
    this.effectiveEpsilon = weightsEpsilon(this.integers);
    const digest = sha256(eightBytes(...this.integers));
    this.setting = {
      mechanism: "exponential",
      numbers: concat(digest, Uint8Array.of(this.base === "uniform" ? 0 : 1)),
    };
  }

  release(codes: readonly Uint32Array[], before: number, random: RandomSource): number[] {
    let last = before;
    return codes.map((code) => {
      last = this.#released(code, last, random);
      return last;
    });
  }

  #released(code: Uint32Array, before: number, random: RandomSource): number {
    const { index, masses } = this.#bundle;
    const measure = masses.measure(this.base, before);
    const { sums, idAt } = index.sums(code, measure, this.#taskWeight);
    // Below 2^63 by the choice of W[0].
    const shares = this.integers.map((weight, distance) => {
      const sum = sums[distance]!;
      return sum === 0 ? 0n : weight * BigInt(sum);
    });
    const distance = weighedPlace(shares, random);
    return idAt(distance, uniformBelow(sums[distance]!, random));
  }
}

/** Returns the given radius, or the default. */
function checkRadius(radius: number | undefined, wordBits: number): number {
  if (radius === undefined) return wordBits / SHARE;
  checkInteger(radius, 0, wordBits, "radius");
  return radius;
}

/** Returns the given task weight, or the default. */
function checkTaskWeight(weight: number | undefined, taskBits: number): number {
  if (weight === undefined) return 1;
  checkInteger(weight, 0, MOST_TASK_WEIGHT, "task_weight");
  checkArgument(taskBits, "parameter task_weight needs task bits, and the bundle has none; build it with tasks");
  return weight;
}

/** Returns the given base, or the last one in the bundle. */
function checkBase(base: Base | undefined, masses: Masses): Base {
  if (base === undefined) return masses.lastBase;
  checkChoice(BASES.includes(base), BASES, "base");
  checkArgument(
    base !== "bigram" || masses.bigrams,
    "base 'bigram' needs bigrams, and the bundle has none; choose 'unigram', or build the bundle with --text",
  );
  return base;
}
