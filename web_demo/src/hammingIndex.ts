/** Exact Hamming search over all codes. */

import { compiledScan } from "./compiledScan.js";
import type { Measure } from "./masses.js";
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

/** The sums of a measure at each distance from a code, exact in doubles. */
export interface Sums {
  readonly sums: Float64Array;
  /**
   * Returns the id of the first word at a distance up to which the measure of the words there sums to more than
   * `number`, which is below their sum.
   */
  idAt(distance: number, number: number): number;
}

/** The codes of a vocabulary, and the masses of its words. */
export class HammingIndex {
  readonly #scan: Scan;
  readonly #numbers: number;
  readonly #wordNumbers: number;
  readonly #masses: Uint8Array;

  /**
   * @param codes codes of all words, by id: bit j of a code is bit j mod 32 of its number j div 32.
   * @param masses masses of all words, by id, as bytes.
   * @param bits length of a code, a multiple of 64.
   * @param taskBits number of its last bits that are task bits: a multiple of 64 below `bits`.
   */
  constructor(codes: Uint32Array, masses: Uint8Array, bits: number, taskBits = 0) {
    this.#masses = masses;
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
   * Returns the sums of a measure at each distance from `query`. The next search or call overwrites the result.
   *
   * @param taskWeight weight of a differing task bit.
   */
  sums(query: Uint32Array, { levels, ids, gains }: Measure, taskWeight = 1): Sums {
    const { block, again, distances } = this.#scan; // `again` takes less time than distances of all words
    if (!again) this.distancesFrom(query, taskWeight);
    const upTo = this.#scan.sums(levels, query);
    ids.forEach((id, place) => {
      again?.(query, id, id + 1);
      for (let at = Math.floor(id / block); at < upTo.length; at++) upTo[at]![distances[id]!]! += gains[place]!;
    });
    return {
      sums: upTo[upTo.length - 1]!,
      idAt: (distance, number) => {
        const at = upTo.findIndex((sums) => sums[distance]! > number);
        let left = number - (upTo[at - 1]?.[distance] ?? 0);
        let id = at * block;
        again?.(query, id, Math.min(id + block, distances.length));
        let place = 0; // of what gains
        for (; id < distances.length; id++) {
          if (distances[id] !== distance) continue;
          left -= levels[this.#masses[id]!]!;
          while (ids[place]! < id) place++;
          if (ids[place] === id) left -= gains[place]!;
          if (left < 0) return id;
        }
        return -1; // unreachable: the sum is larger
      },
    };
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
