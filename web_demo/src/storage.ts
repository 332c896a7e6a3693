/**
 * Where a state is kept: one small record, read and replaced as a whole, under a lock.
 *
 * `IndexedDbStorage` is for browsers, `FileStorage` (`brrkit/node`) for Node. An app can have its own,
 * if it keeps what each method promises: the budget's proof rests on that.
 */

import type { Clock } from "./clock.js";
import { BrrError } from "./errors.js";

/** A record whose lock is held. */
export interface StateFile {
  /** Returns the content, or null if there is none. Rejects if it can't be read. */
  read(): Promise<Uint8Array | null>;
  /**
   * Puts `content` in its place. When it is done, a power cut leaves the new content; before, the old
   * or the new. Rejects if it can't be written.
   */
  replace(content: Uint8Array): Promise<void>;
}

/** A record that pages, workers or processes share. */
export interface Storage {
  /** What messages call it. */
  readonly name: string;
  /** The clocks that count a period in it; a page's own if there are none. */
  readonly clock?: Clock;
  /**
   * Runs `work` while nobody else runs any with this record, in this process or another one. Rejects if
   * `work` does, or if that can't be had.
   */
  locked<T>(work: (file: StateFile) => Promise<T>): Promise<T>;
}

/**
 * Runs `work` with a record; what goes wrong with it is an error of the kind that `Failure` makes.
 *
 * @throws BrrError of that kind, or what `work` throws of brrkit's own.
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

/** Returns what runs work one after the other, in the order of asking. */
export function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
}
