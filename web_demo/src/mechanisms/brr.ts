/** BRR: randomized response on the code, then the nearest word (BRR, Algorithm 3). */

import { eightBytes } from "../bytes.js";
import { flipThreshold, thresholdEpsilon } from "../exact.js";
import { checkFlips } from "../premises.js";
import { draw, type RandomSource } from "../randomness.js";
import type { WordBundle } from "../wordBundle.js";
import type { Mechanism, MechanismSetting } from "./mechanism.js";

/**
 * The paper's mechanism; metric DP for the Hamming distance by its Theorem 3.
 *
 * Proof: `docs/explanation/proofs.md`, "brr".
 */
export class Brr implements Mechanism {
  readonly effectiveEpsilon: number;
  readonly setting: MechanismSetting;
  readonly integers: readonly [number];
  readonly #bundle: WordBundle;

  /** @throws ParameterError epsilon is out of range. */
  constructor(
    bundle: WordBundle,
    readonly epsilon: number,
  ) {
    this.#bundle = bundle;
    const threshold = flipThreshold(epsilon);
    checkFlips(threshold, epsilon);
    this.integers = [threshold];
    this.effectiveEpsilon = thresholdEpsilon(threshold);
    this.setting = { mechanism: "brr", numbers: eightBytes(threshold) };
  }

  release(codes: readonly Uint32Array[], _before: number, random: RandomSource): number[] {
    const { index } = this.#bundle;
    return this.noised(codes, random).map((code) => index.nearest(code, 1)[0]!.id);
  }

  /**
   * Returns noised codes; 4 * bits random bytes for each, in order: bit i flips when the i-th little-endian
   * signed 32-bit integer is below T - 2^31.
   *
   * Proof: `docs/explanation/proofs.md`, "The randomizer".
   */
  noised(codes: readonly Uint32Array[], random: RandomSource): Uint32Array[] {
    return codes.map((code) => flipped(code, draw(4 * this.#bundle.bits, random), this.integers[0] - 2 ** 31));
  }
}

/** Returns a code with each bit i flipped for which number i of `random` is below `threshold`. */
function flipped(code: Uint32Array, random: Uint8Array, threshold: number): Uint32Array {
  // A separate copy: slice() of a Node Buffer doesn't copy, and its memory begins with other bytes.
  const numbers = new Int32Array(new Uint8Array(random).buffer);
  return code.map((word, place) => {
    let flips = 0;
    for (let bit = 0; bit < 32; bit++) {
      if (numbers[32 * place + bit]! < threshold) flips |= 1 << bit;
    }
    return word ^ flips;
  });
}
