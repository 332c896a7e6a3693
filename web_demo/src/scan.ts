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
  /** Number of consecutive ids in a block of sums. */
  readonly block: number;
  /** Sets the distances to the numbers of differing bits among the first 64 bits of each code and of `query`. */
  readonly start: (query: Uint32Array) => void;
  /** Does so for the ids from `from` to before `to`. Without it, `sums` needs the distances. */
  readonly again?: ((query: Uint32Array, from: number, to: number) => void) | undefined;
  /**
   * Adds the numbers of differing bits in 64 bits of each code, from its number `at` on, and of `query`, `weight`
   * times.
   */
  readonly add: (query: Uint32Array, at: number, weight: number) => void;
  /** Returns the first id from `start` on whose distance is below `limit`; otherwise the number of words. */
  readonly firstBelow: (limit: number, start: number) => number;
  /**
   * Returns the sums of the masses' levels over each block and all blocks before it, at each distance up to the
   * farthest. The result is valid until the next call.
   *
   * @param levels integer for each byte of a mass; 0 for 0.
   * @param query the distances are those from it, if there is `again`; otherwise those that were set last.
   */
  readonly sums: (levels: Float64Array, query: Uint32Array) => readonly Float64Array[];
}
