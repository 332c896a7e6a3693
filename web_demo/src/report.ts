/** Reports of privatized words: `spec/reports.md`. */

import { concat, encoded } from "./bytes.js";

const SMALLEST = 1024; // bytes of a report

/** Milliseconds. */
export const DAY_MS = 86_400_000;

/** The bundle and the setting that released words, as reports state them. */
export interface ReportSource {
  /** SHA-256 of the bundle, from its manifest. */
  readonly bundle: string;
  /** `"counts"` or `"recommended"`, or the object that states the setting. */
  readonly setting: unknown;
}

/** What is sent together. */
export interface Reported {
  /** 16 random bytes as hexadecimal digits. They reveal nothing about the device or the time. */
  readonly id: string;
  readonly source: ReportSource;
  /** In UTC, since 1970. */
  readonly day: number;
}

/** Returns the report to send, in a given format. Its only time is the day. */
export function reportOf({ id, source, day }: Reported, format: string, words: readonly string[]): Uint8Array {
  const period = { start: midnight(day), end: midnight(day + 1) };
  return padded(encoded(JSON.stringify({ format, format_version: 1, ...source, batch: id, period, words })));
}

/** Returns JSON padded with spaces to a power of two of at least 1,024 bytes. */
export function padded(json: Uint8Array): Uint8Array {
  let size = SMALLEST;
  while (size < json.length) size *= 2;
  return concat(json, encoded(" ".repeat(size - json.length)));
}

const midnight = (day: number): string => new Date(day * DAY_MS).toISOString().replace(".000", "");
