/** The shared parts of states' tests: clocks that tests set, and storage that fails on request. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { BrrError } from "../src/errors.js";
import type { Clock } from "../src/clock.js";
import type { StateFile, Storage } from "../src/storage.js";
import { oneAtATime } from "../src/storage.js";

export const HOUR = 3600;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const YEAR_MS = 365 * DAY_MS;
/** When `keeper.ts` keeps its words: a test that runs at midnight would find two days of them. */
export const KEPT_AT = 1_700_000_000_000;

/** A device's clocks, or, with `beside`, those of one of a browser's pages. */
export class TestClock {
  time = 1_700_000_000_000;
  uptime = 500_000;
  boot = "a";

  constructor(readonly beside = false) {}

  readonly read: Clock = () => ({
    time: this.time, uptime: this.uptime, boot: this.boot, ...(this.beside ? { beside: true } : {}),
  });

  pass(milliseconds: number): void {
    this.time += milliseconds;
    this.uptime += milliseconds;
  }

  restart(off: number, up: number): void {
    this.time += off + up;
    this.uptime = up;
    this.boot = (parseInt(this.boot, 16) + 1).toString(16);
  }
}

/** A record in this process. */
export class TestStorage implements Storage {
  readonly name = "test";
  content: Uint8Array | null = null;
  writes = 0;
  /** What goes wrong. */
  fault: "read" | "write" | "lock" | null = null;
  readonly #alone = oneAtATime();

  get text(): string {
    return Buffer.from(this.content ?? []).toString("latin1");
  }

  set text(text: string) {
    this.content = new Uint8Array(Buffer.from(text, "latin1"));
  }

  locked<T>(work: (file: StateFile) => Promise<T>): Promise<T> {
    return this.#alone(async () => {
      this.#check("lock");
      return work({
        read: async () => {
          this.#check("read");
          return this.content && this.content.slice();
        },
        replace: async (content) => {
          await undefined;
          this.#check("write");
          this.writes++;
          this.content = content.slice();
        },
      });
    });
  }

  #check(what: string): void {
    if (this.fault === what) throw new DOMException("no space is left", "QuotaExceededError");
  }
}

/** Returns a state's line with the right digest. */
export const signed = (fields: string): string =>
  `${fields}, "sha256": "${createHash("sha256").update(fields).digest("hex")}"}\n`;

/** Returns the message of an error of a kind, which `action` must reject with. */
export async function failing(kind: BrrError["kind"], action: () => Promise<unknown>): Promise<BrrError> {
  let thrown: BrrError | undefined;
  await assert.rejects(action, (error: BrrError) => {
    assert.equal(error.kind, kind, error.stack);
    thrown = error;
    return true;
  });
  return thrown!;
}

/** A seeded source of numbers, for histories (mulberry32). */
export function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Does something on a page whose policy lets nothing be compiled. */
export async function withoutWebAssembly<T>(work: () => T | Promise<T>): Promise<T> {
  const { WebAssembly } = globalThis;
  Reflect.deleteProperty(globalThis, "WebAssembly");
  try {
    return await work();
  } finally {
    globalThis.WebAssembly = WebAssembly;
  }
}
