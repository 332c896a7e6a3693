/** Scans of all codes in JavaScript, equivalent to `scan.wat`. */

import type { Scan, Searched } from "./scan.js";

/** Number of codes and of sums side by side, so that no look-up or addition waits for the previous one. */
const LANES = 4;

/** The number of set bits in each number below 2^16. A look-up takes less time than counting. */
let bitCounts: Uint8Array | undefined;

function countedBits(): Uint8Array {
  const counts = new Uint8Array(1 << 16);
  for (let number = 1; number < counts.length; number++) counts[number] = counts[number >> 1]! + (number & 1);
  return counts;
}

/** Reads codes and masses in place. */
export function plainScan({ codes, masses, numbers, farthest }: Searched): Scan {
  bitCounts ??= countedBits();
  const counts = bitCounts;
  const distances = new Uint16Array(masses.length);
  const lanes = new Float64Array(LANES * (farthest + 1));
  return {
    codes,
    distances,
    block: masses.length,
    start(query) {
      distances.fill(0);
      addDistances(codes, numbers, 0, query, 1, counts, distances);
    },
    add: (query, at, weight) => addDistances(codes, numbers, at, query, weight, counts, distances),
    firstBelow: (limit, start) => firstBelow(limit, distances, start),
    sums(levels) {
      addLevels(masses, levels, distances, lanes);
      return [addedUp(lanes)];
    },
  };
}

// Each loop is a separate function without an inner loop, which compilers optimize best.

/** Adds to distances the numbers of differing bits in the codes' 64 bits from number `first` on, `weight` times. */
function addDistances(
  codes: Uint32Array,
  numbers: number,
  first: number,
  query: Uint32Array,
  weight: number,
  counts: Uint8Array,
  distances: Uint16Array,
): void {
  const low = query[first]! | 0;
  const high = query[first + 1]! | 0;
  const rounds = distances.length - (distances.length % LANES);
  let at = first;
  for (let id = 0; id < rounds; id += LANES) {
    distances[id]! += weight * bitsSet(counts, codes[at]! ^ low, codes[at + 1]! ^ high);
    at += numbers;
    distances[id + 1]! += weight * bitsSet(counts, codes[at]! ^ low, codes[at + 1]! ^ high);
    at += numbers;
    distances[id + 2]! += weight * bitsSet(counts, codes[at]! ^ low, codes[at + 1]! ^ high);
    at += numbers;
    distances[id + 3]! += weight * bitsSet(counts, codes[at]! ^ low, codes[at + 1]! ^ high);
    at += numbers;
  }
  for (let id = rounds; id < distances.length; id++) {
    distances[id]! += weight * bitsSet(counts, codes[at]! ^ low, codes[at + 1]! ^ high);
    at += numbers;
  }
}

/** Returns the number of set bits in two numbers. */
const bitsSet = (counts: Uint8Array, low: number, high: number): number =>
  counts[low & 0xffff]! + counts[low >>> 16]! + counts[high & 0xffff]! + counts[high >>> 16]!;

function firstBelow(limit: number, distances: Uint16Array, start: number): number {
  let id = start;
  while (id < distances.length && distances[id]! >= limit) id++;
  return id;
}

/** Sets the sums in all lanes: lane l at distance d is number LANES * d + l. */
function addLevels(masses: Uint8Array, levels: Float64Array, distances: Uint16Array, lanes: Float64Array): void {
  lanes.fill(0);
  const rounds = masses.length - (masses.length % LANES);
  for (let id = 0; id < rounds; id += LANES) {
    lanes[LANES * distances[id]!]! += levels[masses[id]!]!;
    lanes[LANES * distances[id + 1]! + 1]! += levels[masses[id + 1]!]!;
    lanes[LANES * distances[id + 2]! + 2]! += levels[masses[id + 2]!]!;
    lanes[LANES * distances[id + 3]! + 3]! += levels[masses[id + 3]!]!;
  }
  for (let id = rounds; id < masses.length; id++) lanes[LANES * distances[id]!]! += levels[masses[id]!]!;
}

/** Returns the sums of all lanes, by distance. */
function addedUp(lanes: Float64Array): Float64Array {
  const sums = new Float64Array(lanes.length / LANES);
  for (let place = 0; place < lanes.length; place++) sums[Math.floor(place / LANES)]! += lanes[place]!;
  return sums;
}
