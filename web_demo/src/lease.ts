/**
 * The epsilon that a budget has stored as spent and may still release, without another look at the disk.
 *
 * Storing takes milliseconds, a release microseconds. A budget therefore stores more than the cost of one release: a
 * lease. The rule is in `spec/state-files.md`, and the proof that releases never exceed the stored cost is in
 * `docs/explanation/proofs.md`, "Budget".
 */

import type { Instant } from "./clock.js";
import { isOf, type Period } from "./period.js";

const SHARE = 8n; // a lease is at most this fraction of the period's rest

/** The lease of one object, in one period and one unit, in billionths of epsilon. */
export class Lease {
  /**
   * @param unit the unit of epsilon.
   * @param period the period, as of the storing.
   * @param stored amount that is stored as spent, and isn't released yet.
   * @param released amount that was released with the budget's object since the period began.
   */
  constructor(
    readonly unit: string,
    readonly period: Period,
    public stored = 0n,
    public released = 0n,
  ) {}

  /** Returns whether a release of `cost` in `unit` needs no further storing. */
  allows(cost: bigint, unit: string, now: Instant, length: number): boolean {
    return cost <= this.stored && unit === this.unit && this.lives(now, length);
  }

  /**
   * Returns whether the period of `length` milliseconds is still running, in the run that stored this.
   *
   * Other runs at the same time may count its period by the wall clock, so both clocks count here.
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
   * Returns the amount to store in addition to the cost of a release.
   *
   * It is at most the amount released so far, so at worst half of the spent epsilon is lost. It is at most an eighth of
   * the rest, so other processes can continue. It is a multiple of a word's cost.
   *
   * @param left rest of the limit after the release is paid.
   * @param each cost of a word.
   */
  extra(left: bigint, each: bigint): bigint {
    const most = left / SHARE;
    const extra = this.released < most ? this.released : most;
    return each > 0n ? extra - (extra % each) : 0n;
  }
}
