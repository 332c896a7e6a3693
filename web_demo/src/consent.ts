/** Whether privatized words may leave the device. */

import { encoded, hex } from "./bytes.js";
import { checkArgument, OutboxError } from "./errors.js";
import type { Outbox } from "./outbox.js";
import { held, type StateFile, type Storage } from "./storage.js";

const GIVEN = "privatized words may leave this device\n";

/**
 * Whether privatized words may leave the device. **They may not until `give` is called.**
 *
 * The contract:
 * - Without consent no word is drawn for reports, kept or sent, and no budget is spent on them.
 * - When `withdraw` is done, nothing waits any more. It outlives a crash at any instant: consent ends
 *   first, and the next start deletes what is left.
 * - A batch whose sending has begun can't be called back. No other one follows it.
 *
 * Every object with the same record is the same consent, in all pages and workers.
 */
export class Consent {
  /**
   * @param state where it is kept.
   * @param outbox what `withdraw` empties.
   * @throws ParameterError an argument is of another kind.
   */
  constructor(readonly state: Storage, readonly outbox?: Outbox) {
    checkArgument(state?.locked, "state must be a Storage");
    checkArgument(!outbox || outbox.clear, "outbox must be an Outbox");
  }

  /** Returns whether it is given. */
  isGiven(): Promise<boolean> {
    return this.#held((isGiven) => isGiven);
  }

  /** Gives it: call this when the person who types has agreed. */
  give(): Promise<void> {
    return this.#held(async (isGiven, file) => {
      if (!isGiven) await file.replace(encoded(GIVEN));
    });
  }

  /** Withdraws it, and deletes what waits. If that fails, try again. */
  withdraw(): Promise<void> {
    return this.#held(async (isGiven, file) => {
      if (isGiven) await file.replace(new Uint8Array());
      await this.outbox?.clear();
    });
  }

  /** Finishes a withdrawal that a crash interrupted. */
  settle(): Promise<void> {
    return this.#held(async (isGiven) => {
      if (!isGiven) await this.outbox?.clear();
    });
  }

  /** Runs `action` if it is given, so that `withdraw` waits for its end; returns null if not. */
  whileGiven<T>(action: () => Promise<T>): Promise<T | null> {
    return this.#held((isGiven) => (isGiven ? action() : null));
  }

  #held<T>(work: (isGiven: boolean, file: StateFile) => T | Promise<T>): Promise<T> {
    return held(this.state, OutboxError, async (file) => {
      const content = await file.read();
      const isGiven = content !== null && hex(content) === hex(encoded(GIVEN));
      return work(isGiven, file);
    });
  }
}
