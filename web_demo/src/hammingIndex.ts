/** Exact Hamming search over all codes. */

import { compiledScan } from "./compiledScan.js";
import { plainScan } from "./plainScan.js";
import type { Scan, Searched } from "./scan.js";
import { MOST_TASK_WEIGHT } from "./setting.js";

/** A code that a search found. */
export interface Match {
  readonly id: number;
  /** Bits by which its code differs. */
  readonly distance: number;
}

/** The codes of a vocabulary, and the masses of its words. */
export interface HammingIndex {
  /** Returns the code of the word with this id. */
  code(id: number): Uint32Array;
  /**
   * Returns the distances from `query` to every code, by id; the next search overwrites them.
   *
   * @param taskWeight how many times a task bit counts that differs.
   */
  distancesFrom(query: Uint32Array, taskWeight?: number): Uint16Array;
  /**
   * Returns at each distance of the last search the sum of the levels of the masses there, exact in doubles; the next
   * call overwrites it.
   *
   * @param levels the integer that each byte of a mass stands for.
   */
  sums(levels: Float64Array): Float64Array;
  /** Returns the `k` codes nearest to `query`, the nearest first; ties go to the lower id. */
  nearest(query: Uint32Array, k: number): Match[];
}

/**
 * Returns what searches codes.
 *
 * @param given of all words, by id: bit j of a code is bit j mod 32 of its number j div 32.
 * @param masses of all words, by id, as bytes.
 * @param bits length of a code, a multiple of 64.
 * @param taskBits how many of its last bits are task bits: a multiple of 64 below `bits`.
 */
export function createIndex(given: Uint32Array, masses: Uint8Array, bits: number, taskBits = 0): HammingIndex {
  const numbers = bits / 32;
  const farthest = bits + (MOST_TASK_WEIGHT - 1) * taskBits;
  const { codes, distances, add, below, sums } = scanOf({ codes: given, masses, numbers, farthest });

  function distancesFrom(query: Uint32Array, taskWeight = 1): Uint16Array {
    distances.fill(0);
    for (let at = 0; at < numbers; at += 2) add(query, at, at < (bits - taskBits) / 32 ? 1 : taskWeight);
    return distances;
  }

  return {
    code: (id) => codes.subarray(id * numbers, (id + 1) * numbers),
    distancesFrom,
    sums,
    nearest(query, k) {
      distancesFrom(query);
      const found: Match[] = [];
      let farthest = 1 << 16; // of the k
      for (let id = -1; (id = below(id, farthest)) < distances.length; ) {
        const distance = distances[id]!;
        // Ids ascend: among equals, the one that is there stays in front.
        let place = found.length;
        while (place && found[place - 1]!.distance > distance) place--;
        found.splice(place, 0, { id, distance });
        if (found.length > k) found.pop();
        if (found.length === k) farthest = found[k - 1]!.distance;
      }
      return found;
    },
  };
}

function scanOf(searched: Searched): Scan {
  try {
    return compiledScan(searched);
  } catch {
    return plainScan(searched);
  }
}
