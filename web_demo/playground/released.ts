/** What is released for a text as it grows. */

import type { Privatizer } from "../src/privatizer.js";

/** A typed word and what was released for it. */
export interface Word {
  /** Normalized. */
  readonly typed: string;
  readonly released: string;
  /** Whether the vocabulary has it. */
  readonly known: boolean;
}
