/** Exact Hamming search over all codes. */

import { compiledScan } from "./compiledScan.js";
import { plainScan } from "./plainScan.js";
import type { Scan, Searched } from "./scan.js";
import { MOST_TASK_WEIGHT } from "./setting.js";

/** More than any distance. */
const NEVER = 1 << 16;

/** A code found by a search. */
export interface Match {
  readonly id: number;
  /** Number of bits in which its code differs. */
  readonly distance: number;
}

/** The codes of a vocabulary, and the masses of its words. */
export class HammingIndex {
  readonly #scan: Scan;
  readonly #numbers: number;
  readonly #wordNumbers: number;

  /**
   * @param codes codes of all words, by id: bit j of a code is bit j mod 32 of its number j div 32.
   * @param masses masses of all words, by id, as bytes.
   * @param bits length of a code, a multiple of 64.
   * @param taskBits number of its last bits that are task bits: a multiple of 64 below `bits`.
   */
  constructor(codes: Uint32Array, masses: Uint8Array, bits: number, taskBits = 0) {
    this.#numbers = bits / 32;
    this.#wordNumbers = (bits - taskBits) / 32;
    const farthest = bits + (MOST_TASK_WEIGHT - 1) * taskBits;
    this.#scan = scanOf({ codes, masses, numbers: this.#numbers, farthest });
  }

  /** Returns the code of the word with this id. */
  code(id: number): Uint32Array {
    return this.#scan.codes.subarray(id * this.#numbers, (id + 1) * this.#numbers);
  }

  /**
   * Returns the distance from `query` to every code, by id. The next search overwrites the result.
   *
   * @param taskWeight weight of a differing task bit.
   */
  distancesFrom(query: Uint32Array, taskWeight = 1): Uint16Array {
    this.#scan.start(query);
    for (let at = 2; at < this.#numbers; at += 2) {
      this.#scan.add(query, at, at < this.#wordNumbers ? 1 : taskWeight);
    }
    return this.#scan.distances;
  }

  /**
   * Returns the sum of the masses' levels at each distance of the last search, exact in doubles. The next call
   * overwrites the result.
   *
   * @param levels integer for each byte of a mass.
   */
  sums(levels: Float64Array): Float64Array {
    return this.#scan.sums(levels);
  }

  /** Returns the `k` codes nearest to `query`, the nearest first; ties go to the lower id. */
  nearest(query: Uint32Array, k: number): Match[] {
    const distances = this.distancesFrom(query);
    const found: Match[] = [];
    let farthest = NEVER; // of the k
    let id = this.#scan.firstBelow(farthest, 0);
    while (id < distances.length) {
      insert(found, { id, distance: distances[id]! });
      if (found.length > k) found.pop();
      if (found.length === k) farthest = found[k - 1]!.distance;
      id = this.#scan.firstBelow(farthest, id + 1);
    }
    return found;
  }
}

/** Inserts a match into the ascending `found`. Ids ascend, so among equals, the earlier one stays first. */
function insert(found: Match[], match: Match): void {
  let place = found.length;
  while (place > 0 && found[place - 1]!.distance > match.distance) place--;
  found.splice(place, 0, match);
}

function scanOf(searched: Searched): Scan {
  try {
    return compiledScan(searched);
  } catch {
    return plainScan(searched);
  }
}
