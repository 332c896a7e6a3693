/** The work for each word: a scan of all codes, with `compiledScan` or `plainScan`. Both return the same numbers. */

/** What is scanned. */
export interface Searched {
  /** Of all words, by id. */
  readonly codes: Uint32Array;
  /** A byte for each word. */
  readonly masses: Uint8Array;
  /** 32-bit numbers per code; even. */
  readonly numbers: number;
  /** The largest possible distance. */
  readonly farthest: number;
}

/** Scans of one vocabulary. */
export interface Scan {
  readonly codes: Uint32Array;
  /** By id. */
  readonly distances: Uint16Array;
  /** Sets the distances to the numbers of differing bits among the first 64 bits of each code and of `query`. */
  readonly start: (query: Uint32Array) => void;
  /**
   * Adds the numbers of differing bits in 64 bits of each code, from its number `at` on, and of `query`, `weight`
   * times.
   */
  readonly add: (query: Uint32Array, at: number, weight: number) => void;
  /** Returns the first id from `start` on whose distance is below `limit`; otherwise the number of words. */
  readonly firstBelow: (limit: number, start: number) => number;
  /**
   * Returns the sum of the masses' levels at each distance up to the farthest. The result is valid until the next call.
   */
  readonly sums: (levels: Float64Array) => Float64Array;
}
