/** Exact Hamming search over the codes where they are. A scan allocates nothing. */

/** A code that a search found. */
export interface Match {
  readonly id: number;
  /** Bits by which its code differs. */
  readonly distance: number;
}

/** How many bits of a number below 2^16 are set: looked up, they take less time than counted. */
const BITS = new Uint8Array(1 << 16);
for (let number = 1; number < BITS.length; number++) BITS[number] = BITS[number >> 1]! + (number & 1);

const countBits = (bits: Uint8Array, x: number, y: number): number =>
  bits[x & 0xffff]! + bits[x >>> 16]! + bits[y & 0xffff]! + bits[y >>> 16]!;

/** The codes of a vocabulary. */
export class HammingIndex {
  readonly #codes: Uint32Array;
  readonly #numbers: number; // of 32 bits, to a code: even
  readonly #taskBits: number;
  readonly #distances: Uint16Array;

  /**
   * @param codes of all words, by id: bit j of one is bit j mod 32 of its number j div 32.
   * @param bits length of a code, a multiple of 64.
   * @param taskBits how many of its last bits are task bits: a multiple of 64 below `bits`.
   */
  constructor(codes: Uint32Array, bits: number, taskBits = 0) {
    this.#codes = codes;
    this.#numbers = bits / 32;
    this.#taskBits = taskBits;
    this.#distances = new Uint16Array(codes.length / this.#numbers);
  }

  /** Returns the code of the word with this id. */
  code(id: number): Uint32Array {
    return this.#codes.subarray(id * this.#numbers, (id + 1) * this.#numbers);
  }

  /** Returns the distances from the word with this id, as `distancesFrom`. */
  distances(id: number, taskWeight?: number): Uint16Array {
    return this.distancesFrom(this.code(id), taskWeight);
  }

  /**
   * Returns the distances from `query` to every code, by id; the next search overwrites them.
   *
   * @param taskWeight how many times a task bit counts that differs.
   */
  distancesFrom(query: Uint32Array, taskWeight = 1): Uint16Array {
    const codes = this.#codes;
    const distances = this.#distances;
    const numbers = this.#numbers;
    const bits = BITS; // a module's variable would be looked up at each step
    const first = query[0]!;
    const second = query[1]!;
    // Four codes to a step: what is looked up for one needn't wait for the others'.
    const whole = distances.length & -4;
    let at = 0;
    for (let id = 0; id < whole; id += 4) {
      distances[id] = countBits(bits, codes[at]! ^ first, codes[at + 1]! ^ second);
      at += numbers;
      distances[id + 1] = countBits(bits, codes[at]! ^ first, codes[at + 1]! ^ second);
      at += numbers;
      distances[id + 2] = countBits(bits, codes[at]! ^ first, codes[at + 1]! ^ second);
      at += numbers;
      distances[id + 3] = countBits(bits, codes[at]! ^ first, codes[at + 1]! ^ second);
      at += numbers;
    }
    for (let id = whole; id < distances.length; id++, at += numbers) {
      distances[id] = countBits(bits, codes[at]! ^ first, codes[at + 1]! ^ second);
    }
    const own = numbers - this.#taskBits / 32; // two at least, which are counted above
    for (let i = 2; i < numbers; i += 2) {
      const weight = i < own ? 1 : taskWeight;
      const [one, other] = [query[i]!, query[i + 1]!];
      for (let id = 0, place = i; id < distances.length; id++, place += numbers) {
        distances[id]! += weight * countBits(bits, codes[place]! ^ one, codes[place + 1]! ^ other);
      }
    }
    return distances;
  }

  /** Returns the `k` codes nearest to `query`, the nearest first; ties go to the lower id. */
  nearest(query: Uint32Array, k: number): Match[] {
    const distances = this.distancesFrom(query);
    const found: Match[] = [];
    let farthest = 1 << 16; // of the k
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
