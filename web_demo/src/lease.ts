/**
 * What a budget has stored as spent and may still release, without another look at the disk.
 *
 * Storing takes milliseconds, a word microseconds. So a budget stores more than one release costs: a
 * lease. The rule is in `docs/reference/state-files.md`, and the proof that no more is released than is
 * stored in `docs/explanation/proofs.md`, "Budget".
 */

import type { Instant } from "./clock.js";
import { isOf, type Period } from "./period.js";

const SHARE = 8n; // of what is left in the period, a lease is at most one in so many

/** Of one object, in one period and one unit. In billionths of epsilon. */
export interface Lease {
  readonly unit: string;
  /** Where the period's counting stood when this was stored. */
  readonly period: Period;
  /** What is stored as spent, and isn't released yet. */
  readonly stored: bigint;
  /** What this object has released since the period began. */
  readonly released: bigint;
}

/**
 * Returns whether a lease's period still runs, in the run that stored it.
 *
 * Runs that go on beside this one may count its period by the other clock, so both count here.
 */
export function lives({ period }: Lease, now: Instant, length: number): boolean {
  const passed = Math.max(now.uptime - period.uptime, now.beside ? now.time - period.latest : 0);
  return isOf(period, now) && period.elapsed + passed < length;
}

/**
 * Returns what is stored beyond the cost of a release.
 *
 * It is at most what was released, so half of what is spent is lost at worst; at most an eighth of what
 * is left, so other processes go on; and whole words.
 *
 * @param left what remains of the limit when the release is paid.
 * @param each the cost of a word.
 */
export function extra({ released }: Lease, left: bigint, each: bigint): bigint {
  const most = left / SHARE;
  const extra = released < most ? released : most;
  return each ? extra - (extra % each) : 0n;
}
