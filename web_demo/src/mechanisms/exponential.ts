/** The exponential mechanism on Hamming distance, exact in integers. */

import { concat, eights } from "../bytes.js";
import { checkArgument, checkChoice } from "../errors.js";
import { checkCap, checkEpsilon, checkInteger, weightsEpsilon, weightTable } from "../exact.js";
import { BASES, type Base, type Masses, type Measure } from "../masses.js";
import { uniformBelow, uniformBig, type RandomSource } from "../randomness.js";
import { MOST_TASK_WEIGHT, type Parameters } from "../setting.js";
import { sha256 } from "../sha256.js";
import type { WordBundle } from "../wordBundle.js";
import type { Mechanism } from "./mechanism.js";

const SHARE = 8; // the default radius is the number of bits without task bits, divided by this

/**
 * Pr[y | w] is proportional to m(y) W[d(w, y)], with the distance d in which each task bit counts `task_weight`
 * times, integer weights W that fall gently up to a radius, and a base measure m of positive integers, which can
 * depend on the word released before. Draws a distance, then a word at that distance; no noised code.
 *
 * Proof: `docs/explanation/proofs.md`, "exponential".
 */
export class Exponential implements Mechanism {
  readonly epsilon: number;
  readonly effectiveEpsilon: number;
  readonly setting: readonly [string, Uint8Array];
  readonly base: Base;
  readonly #bundle: WordBundle;
  readonly #taskWeight: number;
  readonly #weights: readonly bigint[];

  /**
   * Computes the weights.
   *
   * @param parameters `radius`, in bits: words within it are nearly as likely to come out as the word itself,
   *   by default an eighth of the bits without task bits. `base`, by default the last that the bundle has. `cap`,
   *   what the loss between any two words never exceeds, from 1e-9 to 88, by default none. `task_weight`, from 0
   *   to 16, by default 1.
   * @throws ParameterError epsilon or a parameter is out of range, or the bundle has no such base, or no task bits.
   */
  constructor(
    bundle: WordBundle,
    epsilon: number,
    { radius = bundle.wordBits / SHARE, base, cap, task_weight }: Parameters,
  ) {
    const { masses, taskBits, wordBits } = bundle;
    this.#bundle = bundle;
    this.epsilon = checkEpsilon(epsilon);
    checkInteger(radius, 0, wordBits, "radius");
    this.#taskWeight = checkTaskWeight(task_weight, taskBits);
    this.base = checkBase(base, masses);
    const limit = cap === undefined ? undefined : checkCap(cap);
    this.#weights = weightTable(epsilon, wordBits + this.#taskWeight * taskBits, masses.most(this.base), radius, limit);
    this.effectiveEpsilon = weightsEpsilon(this.#weights);
    const alike = Uint8Array.of(this.base === "uniform" ? 0 : 1);
    this.setting = ["exponential", concat(sha256(eights(...this.#weights)), alike)];
  }

  release(codes: readonly Uint32Array[], before: number, random: RandomSource): number[] {
    let last = before;
    return codes.map((code) => (last = this.#release(code, this.#bundle.masses.measure(this.base, last), random)));
  }

  #release(code: Uint32Array, measure: Measure, random: RandomSource): number {
    const distances = this.#bundle.index.distancesFrom(code, this.#taskWeight);
    const masses = this.#bundle.masses.words;
    const sums = this.#bundle.index.sums(measure.levels);
    measure.ids.forEach((id, place) => (sums[distances[id]!]! += measure.gains[place]!));
    // Below 2^63 by the choice of W[0].
    const shares = this.#weights.map((weight, distance) => sums[distance] ? weight * BigInt(sums[distance]!) : 0n);
    let number = uniformBig(shares.reduce((sum, share) => sum + share), random);
    let distance = 0;
    while (number >= shares[distance]!) number -= shares[distance++]!;
    return wordAt(distance, uniformBelow(sums[distance]!, random), measure, masses, distances);
  }
}

/** Returns the first word at `distance` up to which the measure of those there sums to more than `number`. */
function wordAt(
  distance: number,
  number: number,
  { levels, ids, gains }: Measure,
  masses: Uint8Array,
  distances: Uint16Array,
): number {
  let gaining = 0; // of `ids`
  for (let id = 0; id < distances.length; id++) {
    if (distances[id] !== distance) continue;
    number -= levels[masses[id]!]!;
    while (ids[gaining]! < id) gaining++;
    if (ids[gaining] === id) number -= gains[gaining]!;
    if (number < 0) return id;
  }
  return -1; // never: their sum is larger
}

function checkTaskWeight(weight: number | undefined, taskBits: number): number {
  if (weight === undefined) return 1;
  checkInteger(weight, 0, MOST_TASK_WEIGHT, "task_weight");
  checkArgument(taskBits, "parameter task_weight needs task bits, and the bundle has none; build it with tasks");
  return weight;
}

function checkBase(base: unknown, masses: Masses): Base {
  if (base === undefined) return masses.lastBase;
  const found = BASES.find((name) => name === base);
  checkChoice(found, BASES, "base");
  checkArgument(
    found !== "bigram" || masses.bigrams,
    "base 'bigram' needs bigrams, and the bundle has none; choose 'unigram', or build the bundle with --text",
  );
  return found;
}
