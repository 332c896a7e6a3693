/** The interface of a mechanism for `Privatizer`: codes go in, ids of words come out. */

import type { Base } from "../masses.js";
import type { RandomSource } from "../randomness.js";

export interface Mechanism {
  /** The requested epsilon per bit of Hamming distance. */
  readonly epsilon: number;
  /** The epsilon of the integers, rounded up; never above `epsilon`. */
  readonly effectiveEpsilon: number;
  /** The integers that decide its draws: weights, or the flip threshold. */
  readonly integers: readonly (number | bigint)[];
  /** The mechanism's setting. Two mechanisms of a bundle with equal settings are the same. */
  readonly setting: MechanismSetting;
  /** The base measure of `exponential`. */
  readonly base?: Base;
  /**
   * Returns the id of the released word for each of `codes` from one text.
   *
   * @param before id of the previously released word in the text, for the base `bigram`; -1 at its start.
   */
  release(codes: readonly Uint32Array[], before: number, random: RandomSource): number[];
}

/** A mechanism's name, and the integers that decide its draws, as bytes: `spec/state-files.md`. */
export interface MechanismSetting {
  readonly mechanism: string;
  readonly numbers: Uint8Array;
}
