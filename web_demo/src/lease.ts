/**
 * What a budget has stored as spent and may still release, without another look at the disk.
 *
 * Storing takes milliseconds, a word microseconds. So a budget stores more than one release costs: a
 * lease. The rule is in `spec/state-files.md`, and the proof that no more is released than is
 * stored in `docs/explanation/proofs.md`, "Budget".
 */

import type { Instant } from "./clock.js";
import { isOf, type Period } from "./period.js";

const SHARE = 8n; // of what is left in the period: at most one in so many

/** What one object has, in one period and one unit. In billionths of epsilon. */
export class Lease {
  /**
   * @param unit the unit of epsilon.
   * @param period where its counting stood when this was stored.
   * @param stored what is on disk as spent, and isn't released yet.
   * @param released what was released with the budget's object since the period began.
   */
  constructor(
    readonly unit: string,
    readonly period: Period,
    public stored = 0n,
    public released = 0n,
  ) {}

  /** Returns whether a release of `cost` in `unit` needs nothing more on disk. */
  allows(cost: bigint, unit: string, now: Instant, length: number): boolean {
    return cost <= this.stored && unit === this.unit && this.lives(now, length);
  }

  /**
   * Returns whether the period of `length` milliseconds still runs, in the run that stored this.
   *
   * Runs that go on beside this one may count its period by the other clock, so both count here.
   */
  lives(now: Instant, length: number): boolean {
    const { elapsed, latest, uptime } = this.period;
    const sinceStored = now.uptime - uptime;
    const passed = now.beside ? Math.max(sinceStored, now.time - latest) : sinceStored;
    return isOf(this.period, now) && elapsed + passed < length;
  }

  /** Counts a release before it happens. */
  release(cost: bigint): void {
    this.stored -= cost;
    this.released += cost;
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
  extra(left: bigint, each: bigint): bigint {
    const most = left / SHARE;
    const extra = this.released < most ? this.released : most;
    return each > 0n ? extra - (extra % each) : 0n;
  }
}
