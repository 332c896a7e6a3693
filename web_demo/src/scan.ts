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
  /** Of the last search, by id. */
  readonly distances: Uint16Array;
  /** Finds the distances from `query` to every code; a bit counts `weight` times from its number `own` on. */
  search(query: Uint32Array, own: number, weight: number): void;
  /** Returns the first id from `id` on whose distance is below `bound`, or how many words there are. */
  below(id: number, bound: number): number;
  /** Returns at each distance up to the farthest the sum of the masses' levels; it is valid until the next call. */
  sums(levels: Float64Array): Float64Array;
}
