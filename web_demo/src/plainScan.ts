/** Scans of all codes in JavaScript: what `scan.wat` does. */

import type { Scan, Searched } from "./scan.js";

/** How many bits of a number below 2^16 are set: looked up, they take less time than counted. */
let counted: Uint8Array | undefined;

/** Reads codes and masses where they are. */
export function plainScan({ codes, masses, numbers, farthest }: Searched): Scan {
  const bits = (counted ??= countedBits());
  const distances = new Uint16Array(masses.length);
  const sums = new Float64Array(4 * (farthest + 1));
  return {
    codes,
    distances,
    search(query, own, weight) {
      first(codes, numbers, query, bits, distances);
      for (let i = 2; i < numbers; i += 2) add(codes, numbers, i, query, i < own ? 1 : weight, bits, distances);
    },
    below: (id, bound) => below(distances, id, bound),
    sums: (levels) => sum(masses, distances, levels, sums),
  };
}

function countedBits(): Uint8Array {
  const bits = new Uint8Array(1 << 16);
  for (let number = 1; number < bits.length; number++) bits[number] = bits[number >> 1]! + (number & 1);
  return bits;
}

const countBits = (bits: Uint8Array, x: number, y: number): number =>
  bits[x & 0xffff]! + bits[x >>> 16]! + bits[y & 0xffff]! + bits[y >>> 16]!;

/** Sets the distances of codes' first 64 bits. */
function first(codes: Uint32Array, numbers: number, query: Uint32Array, bits: Uint8Array, distances: Uint16Array): void {
  const one = query[0]!;
  const other = query[1]!;
  // Four codes to a step: what is looked up for one needn't wait for the others'.
  const whole = distances.length & -4;
  let at = 0;
  for (let id = 0; id < whole; id += 4) {
    distances[id] = countBits(bits, codes[at]! ^ one, codes[at + 1]! ^ other);
    at += numbers;
    distances[id + 1] = countBits(bits, codes[at]! ^ one, codes[at + 1]! ^ other);
    at += numbers;
    distances[id + 2] = countBits(bits, codes[at]! ^ one, codes[at + 1]! ^ other);
    at += numbers;
    distances[id + 3] = countBits(bits, codes[at]! ^ one, codes[at + 1]! ^ other);
    at += numbers;
  }
  for (let id = whole; id < distances.length; id++, at += numbers) {
    distances[id] = countBits(bits, codes[at]! ^ one, codes[at + 1]! ^ other);
  }
}

/** Adds those of the 64 bits from a number on, `weight` times. */
function add(
  codes: Uint32Array,
  numbers: number,
  place: number,
  query: Uint32Array,
  weight: number,
  bits: Uint8Array,
  distances: Uint16Array,
): void {
  const [one, other] = [query[place]!, query[place + 1]!];
  for (let id = 0, at = place; id < distances.length; id++, at += numbers) {
    distances[id]! += weight * countBits(bits, codes[at]! ^ one, codes[at + 1]! ^ other);
  }
}

function below(distances: Uint16Array, id: number, bound: number): number {
  while (id < distances.length && distances[id]! >= bound) id++;
  return id;
}

function sum(masses: Uint8Array, distances: Uint16Array, levels: Float64Array, sums: Float64Array): Float64Array {
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
  const all = new Float64Array(sums.length / 4);
  for (let at = 0; at < sums.length; at++) all[at >> 2]! += sums[at]!;
  return all;
}
