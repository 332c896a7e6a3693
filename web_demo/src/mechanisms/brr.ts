/** BRR: randomized response on the code, then the nearest word (BRR, Algorithm 3). */

import { eights } from "../bytes.js";
import { flipThreshold, thresholdEpsilon } from "../exact.js";
import { draw, type RandomSource } from "../randomness.js";
import type { WordBundle } from "../wordBundle.js";
import type { Mechanism } from "./mechanism.js";

/** `brr`, and what it begins with. */
export interface Brr extends Mechanism {
  /**
   * Returns noised codes; 4 * bits random bytes for each, in order: bit i flips when the i-th little-endian
   * signed 32-bit integer is below T - 2^31.
   *
   * Proof: `docs/explanation/proofs.md`, "The randomizer".
   */
  noised(codes: readonly Uint32Array[], random: RandomSource): Uint32Array[];
}

/**
 * Returns the paper's mechanism; metric DP for the Hamming distance by its Theorem 3.
 *
 * Proof: `docs/explanation/proofs.md`, "brr".
 *
 * @throws ParameterError epsilon is out of range.
 */
export function brr({ bits, index }: WordBundle, epsilon: number): Brr {
  const threshold = flipThreshold(epsilon);
  const signed = threshold - 2 ** 31;
  const noised: Brr["noised"] = (codes, random) =>
    codes.map((code) => {
      // A copy of its own: a Node Buffer's slice() isn't one, and its memory begins with other bytes.
      const numbers = new Int32Array(new Uint8Array(draw(4 * bits, random)).buffer);
      return code.map((word, place) => {
        let flips = 0;
        for (let bit = 0; bit < 32; bit++) {
          if (numbers[32 * place + bit]! < signed) flips |= 1 << bit;
        }
        return word ^ flips;
      });
    });
  return {
    epsilon,
    effectiveEpsilon: thresholdEpsilon(threshold),
    setting: ["brr", eights(threshold)],
    noised,
    release: (codes, _before, random) => noised(codes, random).map((code) => index.nearest(code, 1)[0]!.id),
  };
}
