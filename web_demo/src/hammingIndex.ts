/** Exact Hamming search over the codes where they are. A scan allocates nothing. */

/** A code that a search found. */
export interface Match {
  readonly id: number;
  /** Bits by which its code differs. */
  readonly distance: number;
}

/** The codes of a vocabulary. */
export class HammingIndex {
  readonly #codes: Uint32Array;
  readonly #numbers: number; // of 32 bits, to a code: even
  readonly #distances: Uint16Array;

  /**
   * @param codes of all words, by id: bit j of one is bit j mod 32 of its number j div 32.
   * @param bits length of a code, a multiple of 64.
   */
  constructor(codes: Uint32Array, bits: number) {
    this.#codes = codes;
    this.#numbers = bits / 32;
    this.#distances = new Uint16Array(codes.length / this.#numbers);
  }

  /** Returns the code of the word with this id. */
  code(id: number): Uint32Array {
    return this.#codes.subarray(id * this.#numbers, (id + 1) * this.#numbers);
  }

  /** Returns the distances from the word with this id; the next search overwrites them. */
  distances(id: number): Uint16Array {
    return this.distancesFrom(this.code(id));
  }

  /** Returns the distances from `query` to every code, by id; the next search overwrites them. */
  distancesFrom(query: Uint32Array): Uint16Array {
    const codes = this.#codes;
    const distances = this.#distances;
    const numbers = this.#numbers;
    const [first, second] = [query[0]!, query[1]!];
    if (numbers === 2) {
      for (let id = 0; id < distances.length; id++) {
        distances[id] = countBits(codes[2 * id]! ^ first, codes[2 * id + 1]! ^ second);
      }
      return distances;
    }
    for (let id = 0, at = 0; id < distances.length; id++) {
      let distance = 0;
      for (let i = 0; i < numbers; i += 2, at += 2) {
        distance += countBits(codes[at]! ^ query[i]!, codes[at + 1]! ^ query[i + 1]!);
      }
      distances[id] = distance;
    }
    return distances;
  }

  /** Returns the `k` codes nearest to `query`, the nearest first; ties go to the lower id. */
  nearest(query: Uint32Array, k: number): Match[] {
    const distances = this.distancesFrom(query);
    const found: Match[] = [];
    let farthest = Infinity; // of the k
    for (let id = 0; id < distances.length; id++) {
      const distance = distances[id]!;
      if (distance >= farthest) continue;
      // Ids ascend: among equals, the one that is there stays in front.
      let place = found.length;
      while (place && found[place - 1]!.distance > distance) place--;
      found.splice(place, 0, { id, distance });
      if (found.length > k) found.pop();
      if (found.length === k) farthest = found[k - 1]!.distance;
    }
    return found;
  }
}

/** Returns how many bits of two numbers of 32 bits are set. */
function countBits(x: number, y: number): number {
  x -= (x >>> 1) & 0x55555555;
  y -= (y >>> 1) & 0x55555555;
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  y = (y & 0x33333333) + ((y >>> 2) & 0x33333333);
  x += y; // four bits hold up to 8
  x = (x & 0x0f0f0f0f) + ((x >>> 4) & 0x0f0f0f0f);
  return Math.imul(x, 0x01010101) >>> 24;
}
