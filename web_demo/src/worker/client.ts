/** The page's side of a worker that releases words, so that typing never waits. */

import * as errors from "../errors.js";
import type { OutboxStatus } from "../outbox.js";
import type { Answer, Call, Failure, Opened, WorkerOptions } from "./protocol.js";

export type { Opened, WorkerOptions } from "./protocol.js";

type Waiting = { done: (value: never) => void; failed: (error: Error) => void };

/**
 * A bundle with all that releases its words, in a Web Worker.
 *
 * The methods are those of `Privatizer`, `PrivacyBudget`, `Consent`, `Outbox` and `Reporter`, and reject
 * with the same errors. The budget, the memory, the consent and the outbox are in IndexedDB. Reports are
 * sent while the page is open.
 *
 * @example
 * const brr = await BrrWorker.start({ bundle: "bundle/", budget: { limit: 500, period: 86400 } });
 * console.log(await brr.text("book me a flight to boston"));
 */
export class BrrWorker {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;
  #opened!: Opened;

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.onmessage = ({ data: { id, value, error } }: MessageEvent<Answer>) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) waiting?.failed(arrived(error));
      else waiting?.done(value as never);
    };
    worker.onerror = () => this.#fail("the worker can't be loaded, or failed");
  }

  /**
   * Starts a worker and opens the bundle in it.
   *
   * @param worker of the module `brrkit/worker/entry`, where a bundler doesn't find it by itself.
   * @throws BundleError the bundle can't be read or is damaged.
   * @throws ParameterError an option is out of range.
   */
  static async start(
    options: WorkerOptions,
    worker = new Worker(new URL("./worker-entry.js", import.meta.url), { type: "module" }),
  ): Promise<BrrWorker> {
    const brr = new BrrWorker(worker);
    try {
      brr.#opened = await brr.#call("open", { ...options, bundle: new URL(options.bundle, location.href).href });
    } catch (error) {
      worker.terminate();
      throw error;
    }
    return brr;
  }

  /** What was opened. */
  get opened(): Opened {
    return this.#opened;
  }

  word(word: string): Promise<string | null> {
    return this.#call("word", word);
  }

  words(words: readonly string[]): Promise<string[]> {
    return this.#call("words", words);
  }

  text(text: string): Promise<string> {
    return this.#call("text", text);
  }

  texts(texts: readonly string[]): Promise<string[]> {
    return this.#call("texts", texts);
  }

  /** Begins a text whose words are released as they are typed; `end` it when it is over. */
  stream(): { word(word: string): Promise<string | null>; end(): Promise<void> } {
    const id = this.#calls;
    void this.#call("begin", id).catch(() => undefined);
    return { word: (word) => this.#call("next", id, word), end: () => this.#call("end", id) };
  }

  /** Returns the epsilon that the budget has left; null if there is no budget. */
  remaining(): Promise<number | null> {
    return this.#call("remaining");
  }

  /** Whether privatized words may leave the device: `Consent`. */
  isGiven(): Promise<boolean> {
    return this.#call("isGiven");
  }

  /** Gives consent: call this when the person who types has agreed. */
  give(): Promise<void> {
    return this.#call("give");
  }

  /** Withdraws consent, and deletes what waits. */
  withdraw(): Promise<void> {
    return this.#call("withdraw");
  }

  /**
   * Shows words to the day's sample for counting, with consent only.
   *
   * @returns whether they were shown; false without consent, or if the options don't have `reports`.
   */
  report(words: readonly string[]): Promise<boolean> {
    return this.#call("report", words);
  }

  /** Returns what waits to be sent. */
  status(): Promise<OutboxStatus> {
    return this.#call("status");
  }

  /** Ends the worker: what it hasn't answered fails. */
  terminate(): void {
    this.#worker.terminate();
    this.#fail("the worker was terminated");
  }

  #call<T>(method: string, ...values: unknown[]): Promise<T> {
    const id = this.#calls++;
    return new Promise<T>((done, failed) => {
      this.#waiting.set(id, { done, failed });
      this.#worker.postMessage({ id, method, values } satisfies Call);
    });
  }

  #fail(message: string): void {
    for (const { failed } of this.#waiting.values()) failed(new Error(message));
    this.#waiting.clear();
  }
}

/** Returns the error that a worker's answer is. */
function arrived({ kind, message, left, renewsIn }: Failure): Error {
  if (kind === "budget") return new errors.BudgetError(message, left!, renewsIn!);
  const kinds: Record<string, new (message: string) => Error> = {
    bundle: errors.BundleError,
    parameter: errors.ParameterError,
    outOfVocabulary: errors.OutOfVocabularyError,
    budgetFile: errors.BudgetFileError,
    memoryFile: errors.MemoryFileError,
    randomness: errors.RandomnessError,
    outbox: errors.OutboxError,
  };
  return new (kinds[kind!] ?? Error)(message);
}
