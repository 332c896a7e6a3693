/** Scans of all codes in JavaScript: what `scan.wat` does. */

import type { Scan, Searched } from "./scan.js";

/** How many bits of a number below 2^16 are set: looked up, they take less time than counted. */
let counted: Uint8Array | undefined;

function countedBits(): Uint8Array {
  const bits = new Uint8Array(1 << 16);
  for (let number = 1; number < bits.length; number++) bits[number] = bits[number >> 1]! + (number & 1);
  return bits;
}

/** Reads codes and masses where they are. */
export function plainScan({ codes, masses, numbers, farthest }: Searched): Scan {
  const bits = (counted ??= countedBits());
  const distances = new Uint16Array(masses.length);
  const sums = new Float64Array(4 * (farthest + 1));
  return {
    codes,
    distances,
    add: (query, at, weight) => differ(codes, numbers, at, query, weight, bits, distances),
    below(id, bound) {
      while (++id < distances.length && distances[id]! >= bound);
      return id;
    },
    sums(levels) {
      // Four sums side by side: an addition needn't wait for the one before to be stored.
      sums.fill(0);
      const whole = masses.length & -4;
      for (let id = 0; id < whole; id += 4) {
        sums[distances[id]! << 2]! += levels[masses[id]!]!;
        sums[(distances[id + 1]! << 2) | 1]! += levels[masses[id + 1]!]!;
        sums[(distances[id + 2]! << 2) | 2]! += levels[masses[id + 2]!]!;
        sums[(distances[id + 3]! << 2) | 3]! += levels[masses[id + 3]!]!;
      }
      for (let id = whole; id < masses.length; id++) sums[distances[id]! << 2]! += levels[masses[id]!]!;
      const all = new Float64Array(farthest + 1);
      for (let at = 0; at < sums.length; at++) all[at >> 2]! += sums[at]!;
      return all;
    },
  };
}

const countBits = (bits: Uint8Array, x: number, y: number): number =>
  bits[x & 0xffff]! + bits[x >>> 16]! + bits[y & 0xffff]! + bits[y >>> 16]!;

/** Adds to distances the bits by which the 64 bits of codes from number `at` on differ, `weight` times. */
function differ(
  codes: Uint32Array,
  numbers: number,
  at: number,
  query: Uint32Array,
  weight: number,
  bits: Uint8Array,
  distances: Uint16Array,
): void {
  const one = query[at]! | 0;
  const other = query[at + 1]! | 0;
  // Four codes to a step: what is looked up for one needn't wait for the others'.
  const whole = distances.length & -4;
  for (let id = 0; id < whole; id += 4) {
    distances[id]! += weight * countBits(bits, codes[at]! ^ one, codes[at + 1]! ^ other);
    at += numbers;
    distances[id + 1]! += weight * countBits(bits, codes[at]! ^ one, codes[at + 1]! ^ other);
    at += numbers;
    distances[id + 2]! += weight * countBits(bits, codes[at]! ^ one, codes[at + 1]! ^ other);
    at += numbers;
    distances[id + 3]! += weight * countBits(bits, codes[at]! ^ one, codes[at + 1]! ^ other);
    at += numbers;
  }
  for (let id = whole; id < distances.length; id++, at += numbers) {
    distances[id]! += weight * countBits(bits, codes[at]! ^ one, codes[at + 1]! ^ other);
  }
}
