/** What each word takes: a scan of all codes, by `compiledScan` or `plainScan`. Both give the same numbers. */

/** What is scanned. */
export interface Searched {
  /** Of all words, by id. */
  readonly codes: Uint32Array;
  /** A byte for each word. */
  readonly masses: Uint8Array;
  /** Of 32 bits, to a code: even. */
  readonly numbers: number;
  /** The largest distance that there can be. */
  readonly farthest: number;
}

/** Scans of one vocabulary. */
export interface Scan {
  readonly codes: Uint32Array;
  /** By id. */
  readonly distances: Uint16Array;
  /** Makes them the bits by which the first 64 bits of each code differ from `query`'s. */
  readonly start: (query: Uint32Array) => void;
  /** Adds to them the bits by which 64 bits of each code, from its number `at` on, differ from `query`'s, `weight` times. */
  readonly add: (query: Uint32Array, at: number, weight: number) => void;
  /** Returns the first id from `start` on whose distance is below `limit`, or how many words there are. */
  readonly firstBelow: (limit: number, start: number) => number;
  /** Returns at each distance up to the farthest the sum of the masses' levels; it is valid until the next call. */
  readonly sums: (levels: Float64Array) => Float64Array;
}
