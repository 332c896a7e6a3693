/** The clocks that count a period: one that users can set, and one that they can't. */

import { hex } from "./bytes.js";
import { systemRandom } from "./randomness.js";

/** A reading of the clocks. */
export interface Instant {
  /** Milliseconds since 1970, by the wall clock. */
  readonly time: number;
  /** Milliseconds since this run began, by a clock that nobody can set. */
  readonly uptime: number;
  /** Identifies the run; empty if the system doesn't provide it. */
  readonly boot: string;
  /**
   * Whether other runs can exist at the same time, such as other tabs in a browser. The uptime of this run then doesn't
   * show the time since another run's look.
   */
  readonly beside?: boolean;
}

/** Reads the clocks. */
export type Clock = () => Instant;

/** Drawn once, to distinguish this page or worker from others. */
let boot: string | undefined;

/** Reads the clocks of this page or worker. Each is a separate run. */
export const pageClock: Clock = () => {
  boot ??= hex(systemRandom(16));
  return { time: Date.now(), uptime: Math.floor(performance.now()), boot, beside: true };
};
