/** What tests of the runtime share: bundles, and random bytes that are given. */

import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { unhex } from "../src/bytes.js";
import type { RandomSource } from "../src/randomness.js";

/** Where `tests/phones/prepare.sh` has put its cases; undefined where it didn't run. */
export const work = process.env["BRR_WORK"];

/** The bundle that comes with the Python runtime. */
export const SAMPLE = fileURLToPath(new URL("../../../runtime/brrkit/sample", import.meta.url));

/** The sample, and the bundles that were built just now. */
export const bundles = [
  SAMPLE,
  ...(work && existsSync(join(work, "bundles")) ? readdirSync(join(work, "bundles")).map((name) => join(work, "bundles", name)) : []),
];

/** Random bytes that are given. */
export class Script {
  readonly #bytes: Uint8Array;
  #at = 0;

  /** @param digits of the bytes, hexadecimal. */
  constructor(digits: string) {
    this.#bytes = unhex(digits);
  }

  readonly source: RandomSource = (size) => this.#bytes.subarray(this.#at, (this.#at += size));

  assertUsed(): void {
    assert.equal(this.#at, this.#bytes.length);
  }
}
