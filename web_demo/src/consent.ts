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
 * - Without consent, no word is drawn for reports, kept or sent, and no budget is spent on them.
 * - When `withdraw` is done, nothing waits any more. A crash at any instant doesn't undo this: consent ends first, and
 *   the next start deletes the rest.
 * - A batch that is already being sent can't be recalled. No other batch follows it.
 *
 * All objects with the same record share one consent, in all pages and workers.
 */
export class Consent {
  /**
   * @param state where it is kept.
   * @param outbox the outbox that `withdraw` empties.
   * @throws ParameterError an argument is of the wrong type.
   */
  constructor(readonly state: Storage, readonly outbox?: Outbox) {
    checkArgument(state?.locked, "state must be a Storage");
    checkArgument(!outbox || outbox.clear, "outbox must be an Outbox");
  }

  /** Returns whether consent is given. */
  isGiven(): Promise<boolean> {
    return this.#held((isGiven) => isGiven);
  }

  /** Gives consent. Call this after the user has agreed. */
  give(): Promise<void> {
    return this.#held(async (isGiven, file) => {
      if (!isGiven) await file.replace(encoded(GIVEN));
    });
  }

  /** Withdraws consent, and deletes all that waits. If that fails, try again. */
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

  /** Runs `action` if consent is given; otherwise returns null. `withdraw` waits for the end of `action`. */
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
