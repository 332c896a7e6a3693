/** What is sent of privatized words, as `spec/reports.md` has it. */

import { concat, encoded } from "./bytes.js";

const SMALLEST = 1024; // bytes of a report

/** Milliseconds. */
export const DAY_MS = 86_400_000;

/** What made privatized words, as a report states it. */
export interface ReportSource {
  /** SHA-256 of the bundle, from its manifest. */
  readonly bundle: string;
  /** `"counts"` or `"recommended"`, or the object that states the setting. */
  readonly setting: unknown;
}

/** What is sent together. */
export interface Reported {
  /** 16 random bytes as hexadecimal digits. They say nothing of the device or the time. */
  readonly id: string;
  readonly source: ReportSource;
  /** In UTC, since 1970. */
  readonly day: number;
}

/** Returns what is sent, of some format; of time it says the day only. */
export function reportOf({ id, source, day }: Reported, format: string, words: readonly string[]): Uint8Array {
  const period = { start: midnight(day), end: midnight(day + 1) };
  return padded(encoded(JSON.stringify({ format, format_version: 1, ...source, batch: id, period, words })));
}

/** Returns JSON with spaces behind it, of one of few sizes: a power of two of at least 1,024 bytes. */
export function padded(json: Uint8Array): Uint8Array {
  let size = SMALLEST;
  while (size < json.length) size *= 2;
  return concat(json, encoded(" ".repeat(size - json.length)));
}

const midnight = (day: number): string => new Date(day * DAY_MS).toISOString().replace(".000", "");
