/** The clocks that count a period: one that can be set, and one that can't. */

import { hex } from "./bytes.js";
import { systemRandom } from "./randomness.js";

/** What the clocks say at a moment. */
export interface Instant {
  /** Milliseconds since 1970, by the clock that can be set. */
  readonly time: number;
  /** Milliseconds since this run began, by the clock that can't. */
  readonly uptime: number;
  /** Differs from one run to another; empty where the system doesn't tell. */
  readonly boot: string;
  /**
   * Whether other runs can go on beside this one, as those of a browser's tabs do, and not those of a
   * device. Then this one's uptime says nothing of the time since another one's look.
   */
  readonly beside?: boolean;
}

/** Reads the clocks. */
export type Clock = () => Instant;

/** Drawn once: it tells this page or worker from others. */
let boot: string | undefined;

/** Reads the clocks of this page or worker: each is a run of its own. */
export const pageClock: Clock = () => {
  boot ??= hex(systemRandom(16));
  return { time: Date.now(), uptime: Math.floor(performance.now()), boot, beside: true };
};
