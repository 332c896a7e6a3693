/** The exponential mechanism on Hamming distance, exact in integers. */

import { concat, eights } from "../bytes.js";
import { checkArgument, checkChoice } from "../errors.js";
import { checkCap, checkEpsilon, checkInteger, weightsEpsilon, weightTable } from "../exact.js";
import { BASES, type Measure } from "../masses.js";
import { uniformBelow, weighedPlace, type RandomSource } from "../randomness.js";
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
 *
 * @param parameters `radius`, in bits: words within it are nearly as likely to come out as the word itself,
 *   by default an eighth of the bits without task bits. `base`, by default the last that the bundle has. `cap`,
 *   what the loss between any two words never exceeds, from 1e-9 to 88, by default none. `task_weight`, from 0
 *   to 16, by default 1.
 * @throws ParameterError epsilon or a parameter is out of range, or the bundle has no such base, or no task bits.
 */
export function exponential(
  { index, masses, taskBits, wordBits }: WordBundle,
  epsilon: number,
  parameters: Parameters,
): Mechanism {
  const { radius = wordBits / SHARE, base = masses.lastBase, cap, task_weight = 1 } = parameters;
  checkEpsilon(epsilon);
  checkInteger(radius, 0, wordBits, "radius");
  checkInteger(task_weight, 0, MOST_TASK_WEIGHT, "task_weight");
  checkArgument(
    taskBits || parameters.task_weight === undefined,
    "parameter task_weight needs task bits, and the bundle has none; build it with tasks",
  );
  checkChoice(BASES.includes(base), BASES, "base");
  checkArgument(
    base !== "bigram" || masses.bigrams,
    "base 'bigram' needs bigrams, and the bundle has none; choose 'unigram', or build the bundle with --text",
  );
  const limit = cap === undefined ? undefined : checkCap(cap);
  const weights = weightTable(epsilon, wordBits + task_weight * taskBits, masses.most(base), radius, limit);

  function drawn(code: Uint32Array, measure: Measure, random: RandomSource): number {
    const distances = index.distancesFrom(code, task_weight);
    const sums = index.sums(measure.levels);
    measure.ids.forEach((id, place) => (sums[distances[id]!]! += measure.gains[place]!));
    // Below 2^63 by the choice of W[0].
    const shares = weights.map((weight, distance) => (sums[distance] ? weight * BigInt(sums[distance]) : 0n));
    const distance = weighedPlace(shares, random);
    return wordAt(distance, uniformBelow(sums[distance]!, random), measure, masses.words, distances);
  }

  return {
    epsilon,
    effectiveEpsilon: weightsEpsilon(weights),
    setting: ["exponential", concat(sha256(eights(...weights)), Uint8Array.of(base === "uniform" ? 0 : 1))],
    base,
    release: (codes, before, random) =>
      codes.map((code) => (before = drawn(code, masses.measure(base, before), random))),
  };
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
