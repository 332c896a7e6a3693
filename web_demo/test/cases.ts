/** What tests of the runtime share: bundles, cases, and random bytes that are given. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { unhex } from "../src/bytes.js";
import { MemoryKey, type Draw, type Memory } from "../src/memory.js";
import type { RandomSource } from "../src/randomness.js";

const work = process.env["BRR_WORK"];

/** Returns where `tests/phones/prepare.sh` has put something. */
export const inWork = (...names: string[]): string => join(work!, ...names);

/** For tests that need that. */
export const onWork = { skip: work ? false : "BRR_WORK names no folder of cases" };

/** The names of the bundles that were built just now. */
export const namesOfBundles = work && existsSync(inWork("bundles")) ? readdirSync(inWork("bundles")) : [];

/** The bundle that comes with the Python runtime. */
export const SAMPLE = fileURLToPath(new URL("../../../runtime/brrkit/sample", import.meta.url));

/** Returns the lines of a file, and the cases that they are. */
export const linesOf = (name: string): string[] => readFileSync(inWork(name), "utf8").split("\n").slice(0, -1);
export const casesOf = (name: string): any[] => linesOf(name).map((line) => JSON.parse(line));

/** Random bytes that are given. */
export class Script {
  readonly #bytes: Uint8Array;
  #at = 0;

  /** @param digits of the bytes, hexadecimal. */
  constructor(digits: string) {
    this.#bytes = unhex(digits);
  }

  readonly source: RandomSource = (size) => this.#bytes.subarray(this.#at, (this.#at += size));

  /** How many weren't taken. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  assertUsed(): void {
    assert.equal(this.left, 0);
  }
}

/** Returns a memory with a known key, without a file. */
export const remembering = (number: number, key: string): Memory =>
  ({
    key: async () => new MemoryKey(number, unhex(key)),
    pay: (_key: MemoryKey, draws: readonly Draw[], spend: (words: number) => Promise<void>) => spend(draws.length),
  }) as unknown as Memory;
