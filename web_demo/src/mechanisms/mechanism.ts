/** What `Privatizer` needs of a mechanism: codes go in, the ids of words come out. */

import type { Base } from "../masses.js";
import type { RandomSource } from "../randomness.js";

export interface Mechanism {
  /** As requested, per bit of Hamming distance. */
  readonly epsilon: number;
  /** What the integers really give, rounded up; never more than `epsilon`. */
  readonly effectiveEpsilon: number;
  /** That decide its draws: weights, or the flip threshold. */
  readonly integers: readonly (number | bigint)[];
  /** Two mechanisms of a bundle with one setting are the same. */
  readonly setting: MechanismSetting;
  /** The base measure of `exponential`. */
  readonly base?: Base;
  /**
   * Returns the id of the released word for each of `codes`, which are of one text.
   *
   * @param before what was released before them in it, which the base `bigram` takes into account; -1 at its
   *   start.
   */
  release(codes: readonly Uint32Array[], before: number, random: RandomSource): number[];
}

/** A mechanism's name, and the integers that decide its draws, as bytes: `spec/state-files.md`. */
export interface MechanismSetting {
  readonly mechanism: string;
  readonly numbers: Uint8Array;
}
