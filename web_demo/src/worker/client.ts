/** The page's side of a worker that releases words, so typing never waits. */

import {
  BudgetError, BudgetFileError, BundleError, checkOptions, MemoryFileError, OutboxError, OutOfVocabularyError,
  ParameterError, RandomnessError, type BrrError, type Kind,
} from "../errors.js";
import type { OutboxStatus, RefusedBatch } from "../outbox.js";
import type { Mark } from "../marks.js";
import type { TextOptions, TextsOptions } from "../privatizer.js";
import type { Answer, Call, Failure, Opened, WorkerOptions } from "./protocol.js";

export { removeState } from "../removeState.js";
export type { Opened, WorkerOptions } from "./protocol.js";

/**
 * A bundle in a Web Worker that releases its words.
 *
 * The methods are those of `Privatizer`, `PrivacyBudget`, `Consent`, `Outbox`, `Reporter` and `TextReporter`, and reject
 * with the same errors. The budget, the memory, the consent and the outbox are in IndexedDB. Reports are
 * sent while the page is open.
 */
export interface BrrWorker extends Opened {
  /** Returns the tokens of a text, as `WordBundle.tokenize` does. */
  tokenize(text: string): Promise<string[]>;
  /** Returns the finished part of a text, as `WordBundle.finished` does. */
  finished(text: string): Promise<string>;
  word(word: string): Promise<string | null>;
  words(words: readonly string[]): Promise<string[]>;
  text(text: string, options?: TextOptions): Promise<string>;
  texts(texts: readonly string[], options?: TextsOptions): Promise<string[]>;
  /** Begins a text whose words are released as they are typed. Call `end` when it is finished. */
  stream(): { word(word: string): Promise<string | null>; end(): Promise<void> };
  /** Returns the remaining epsilon of the budget; null without a budget. */
  remaining(): Promise<number | null>;
  /** Returns the number of words of text that the budget still allows; null without a budget. */
  wordsLeft(): Promise<number | null>;
  /** Whether privatized words may leave the device. */
  isGiven(): Promise<boolean>;
  /** Gives consent. Call this after the user has agreed. */
  give(): Promise<void>;
  /** Withdraws consent, and deletes all that waits. */
  withdraw(): Promise<void>;
  /**
   * Releases a text's words for counting, only with consent.
   *
   * @returns whether they were released; false without consent, or if the options' `reports` have no `counts`.
   */
  report(text: string): Promise<boolean>;
  /**
   * Releases a text in the day's frames, as `TextReporter.add` does, only with consent.
   *
   * @returns whether it was released; false without consent, or if the options' `reports` have no `texts`.
   */
  reportText(text: string, options?: { readonly marks?: readonly Mark[] | undefined }): Promise<boolean>;
  /** Returns the content and the losses of the outbox. */
  status(): Promise<OutboxStatus>;
  /** Returns the batches that the receiver refused, the oldest first. They aren't sent again. */
  refusedBatches(): Promise<readonly RefusedBatch[]>;
  /** Deletes the batches that the receiver refused. */
  removeRefused(): Promise<void>;
  /** Ends the worker. All unanswered and later calls fail. */
  terminate(): void;
}

/**
 * Starts a worker and opens the bundle in it.
 *
 * @param worker a worker of the module `brrkit/worker-entry`, if a bundler doesn't find the module, or if the page must
 *   create the worker with a Trusted Types policy.
 * @throws BundleError the bundle can't be read or is damaged.
 * @throws ParameterError an option is out of range.
 *
 * @example
 * const brr = await startWorker({ bundle: "bundle/", budget: { limit: 500, period: 86400 } });
 * console.log(await brr.text("book me a flight to boston"));
 */
export async function startWorker(
  options: WorkerOptions,
  worker = new Worker(new URL("./worker-entry.js", import.meta.url), { type: "module" }),
): Promise<BrrWorker> {
  checkOptions(options);
  const waiting = new Map<number, Waiting>();
  let calls = 0;
  let isOver = false;
  const call = <T>(method: string, ...values: unknown[]): Promise<T> =>
    new Promise<T>((done, failed) => {
      if (isOver) {
        failed(over());
        return;
      }
      const id = calls;
      calls++;
      waiting.set(id, { done, failed });
      worker.postMessage({ id, method, values } satisfies Call);
    });
  const terminate = () => {
    isOver = true;
    worker.terminate();
    for (const { failed } of waiting.values()) failed(over());
    waiting.clear();
  };
  worker.onerror = terminate;
  worker.onmessage = ({ data: { id, value, error } }: MessageEvent<Answer>) => {
    const answered = waiting.get(id);
    waiting.delete(id);
    if (error) answered?.failed(arrived(error));
    else answered?.done(value as never);
  };
  try {
    const { methods, ...opened } = await call<Opened & { methods: string[] }>("open", {
      ...options,
      bundle: new URL(options.bundle, location.href).href,
    });
    const stream = () => {
      const id = calls;
      void call("begin", id).catch(() => undefined);
      return { word: (word: string) => call("next", id, word), end: () => call("end", id) };
    };
    const called = methods.map((method) => [method, (...values: unknown[]) => call(method, ...values)]);
    return { ...opened, ...Object.fromEntries(called), stream, terminate } as BrrWorker;
  } catch (error) {
    terminate();
    throw error;
  }
}

/** The callbacks of a call that waits for its answer. */
interface Waiting {
  readonly done: (value: never) => void;
  readonly failed: (error: Error) => void;
}

const over = (): Error => new Error("the worker ended, or can't be loaded");

const ERRORS: Readonly<Record<Kind, new (message: string, left: number, renewsIn: number) => BrrError>> = {
  bundle: BundleError,
  parameter: ParameterError,
  outOfVocabulary: OutOfVocabularyError,
  budget: BudgetError,
  budgetFile: BudgetFileError,
  memoryFile: MemoryFileError,
  randomness: RandomnessError,
  outbox: OutboxError,
};

/** Returns the error in a worker's answer. */
const arrived = ({ kind, message, left = 0, renewsIn = 0 }: Failure): Error =>
  kind ? new ERRORS[kind](message, left, renewsIn) : new Error(message);
