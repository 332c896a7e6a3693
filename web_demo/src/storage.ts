/**
 * Storage of a state: one small record, read and replaced as a whole, under a lock.
 *
 * `IndexedDbStorage` is for browsers, `FileStorage` (`brrkit/node`) for Node. An app can implement its own, which must
 * keep the promises of each method: the budget's proof relies on them.
 */

import type { Clock } from "./clock.js";
import { BrrError } from "./errors.js";

/** A record while its lock is held. */
export interface StateFile {
  /** Returns the content, or null if there is none. Rejects if it can't be read. */
  read(): Promise<Uint8Array | null>;
  /**
   * Replaces the content. After it is done, a power cut leaves the new content; before, the old or the new one. Rejects
   * if the content can't be written.
   */
  replace(content: Uint8Array): Promise<void>;
}

/** A record that pages, workers or processes share. */
export interface Storage {
  /** What messages call it. */
  readonly name: string;
  /** The clocks for its period; by default the page's own. */
  readonly clock?: Clock;
  /**
   * Runs `work` while no other work runs with this record, in this process or another one. Rejects if `work` does, or
   * if the lock can't be taken.
   */
  locked<T>(work: (file: StateFile) => Promise<T>): Promise<T>;
}

/**
 * Runs `work` with a record. Turns the record's failures into errors of the class `Failure`.
 *
 * @throws BrrError of this class, or an error of brrkit's own from `work`.
 */
export async function held<T>(
  storage: Storage,
  Failure: new (message: string) => BrrError,
  work: (file: StateFile) => Promise<T>,
): Promise<T> {
  try {
    return await storage.locked(work);
  } catch (error) {
    if (error instanceof BrrError) throw error;
    const reason = error instanceof Error ? error.message || error.name : "failed";
    throw new Failure(`${storage.name}: ${reason}; nothing is released until that is repaired`);
  }
}

/** Returns a function that runs work one after the other, in the order of the calls. */
export function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
}
