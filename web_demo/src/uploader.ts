/** Sends an outbox's reports, and schedules the next run. */

import type { Consent } from "./consent.js";
import { BudgetError, checkArgument, checkOptions } from "./errors.js";
import { report, type Outbox } from "./outbox.js";
import { systemRandom, uniformBelow, type RandomSource } from "./randomness.js";
import type { TextReporter } from "./textReporter.js";
import type { Reply, Transport } from "./transport.js";

const REFUSED = [400, 409, 413, 422]; // invalid report, another bundle, too large, unknown word: permanent

/** The schedule of uploads, in seconds. */
export interface UploadPolicy {
  /**
   * Time between two runs, varied at random by up to half of it, so that arrival times reveal little about typing
   * times.
   */
  readonly interval: number;
  /** The longest wait after a failure, doubled after each further one. */
  readonly firstBackoff: number;
  /** The upper limit of this wait. */
  readonly lastBackoff: number;
}

const POLICY: UploadPolicy = { interval: 21_600, firstBackoff: 60, lastBackoff: 43_200 }; // 6 and 12 hours
const HALF_DAY = 43_200; // seconds

/**
 * Returns the wait before the next run, in milliseconds.
 *
 * @param failures number of failed runs in a row, including this one; 0 after a success.
 * @param retryAfter wait that the receiver requested, in seconds.
 */
export function waitAfter(
  { interval, firstBackoff, lastBackoff }: UploadPolicy,
  failures: number,
  retryAfter = 0,
  random: RandomSource = systemRandom,
): number {
  const below = (seconds: number): number => uniformBelow(Math.floor(seconds * 1000) + 1, random);
  if (failures === 0) return interval * 500 + below(interval);
  const half = Math.min(firstBackoff * 2 ** (failures - 1), lastBackoff) / 2;
  return Math.max(Math.min(retryAfter, lastBackoff) * 1000, half * 1000 + below(half));
}

/**
 * The outcome of a run. `done`: all that was due was sent, or the receiver refused it permanently, and the outbox keeps
 * it for the app. `failed`: the receiver can't be reached or can't accept reports now. `off`: there is no consent;
 * nothing was sent, and nothing waits.
 */
export type Upload =
  | { readonly state: "done"; readonly sent: number; readonly refused: number }
  | { readonly state: "failed"; readonly sent: number; readonly retryAfter?: number | undefined }
  | { readonly state: "off" };

/**
 * Sends an outbox's reports of past days: first one random frame, then all batches, the oldest first. The times of
 * frames don't depend on typing.
 *
 * A batch keeps its random id until it has arrived, so a receiver counts it once, even if it arrives twice. Nothing
 * else identifies the device. A receiver can see the network's address, and the sequence of batches.
 */
export class Uploader {
  readonly policy: UploadPolicy;

  /**
   * @param policy differences from the default policy, which has an interval of 6 hours, and back-offs from a minute to
   *   12 hours. With `texts`, the default interval is half a day divided by the number of frames in a day.
   * @param texts reporter of text in frames. Each run begins its day, so frames are sent even if nobody types.
   * @throws ParameterError a time isn't above 0, or the last back-off isn't the longest; or an argument is of the wrong
   *   type.
   */
  constructor(
    readonly outbox: Outbox,
    readonly consent: Consent,
    readonly transport: Transport,
    policy: Partial<UploadPolicy> = {},
    readonly texts?: TextReporter,
  ) {
    checkArgument(outbox?.oldest, "outbox must be an Outbox");
    checkArgument(consent?.whileGiven, "consent must be a Consent");
    checkArgument(transport?.post, "transport must be a Transport");
    checkOptions(policy);
    checkArgument(!texts || texts.beginDay, "texts must be a TextReporter");
    this.policy = { ...POLICY, ...(texts && { interval: HALF_DAY / texts.frames.aDay }), ...policy };
    const { interval, firstBackoff, lastBackoff } = this.policy;
    checkArgument(
      interval > 0 && firstBackoff > 0 && firstBackoff <= lastBackoff && interval + lastBackoff < Infinity,
      "the interval and back-offs must be above 0, and the last back-off the longest",
    );
  }

  /**
   * Begins the day of `texts`, if its budget allows it, sends all that is due, and stores the time of the next run.
   *
   * @throws OutboxError the outbox or the consent can't be read or written, or the vault fails.
   * @throws BudgetFileError the budget's record can't be used.
   */
  async run(): Promise<Upload> {
    const upload = await this.#sent();
    if (upload.state === "off") return upload;
    const isFailed = upload.state === "failed";
    // With frames, a failure doesn't change the wait: the failed batch may be one for counting, which exists only after
    // typing, and the times of frames must not reveal that.
    const failures = isFailed && !this.texts ? (await this.outbox.wait()).failures + 1 : 0;
    const wait = waitAfter(this.policy, failures, isFailed ? upload.retryAfter : undefined);
    await this.outbox.setWait({ failures, until: Date.now() + wait });
    return upload;
  }

  /** Returns the time until the next run in milliseconds, also after a restart. */
  async wait(): Promise<number> {
    const { interval, lastBackoff } = this.policy;
    const { until } = await this.outbox.wait();
    const longest = Math.max(1.5 * interval, lastBackoff) * 1000; // the clock may have been set back
    return Math.min(Math.max(until - Date.now(), 0), longest);
  }

  async #sent(): Promise<Upload> {
    await this.consent.settle();
    await this.consent.whileGiven(() => this.#beginDay());
    let sent = 0;
    let refused = 0;
    const oldest = () => this.consent.whileGiven(() => this.outbox.oldest());
    const frame = await this.consent.whileGiven(() => this.outbox.frame());
    for (let batch = frame ?? (await oldest()); batch; batch = await oldest()) {
      let reply: Reply;
      try {
        reply = await this.transport.post(report(batch));
      } catch {
        return { state: "failed", sent };
      }
      const { status, retryAfter } = reply;
      const isRefused = REFUSED.includes(status);
      if (!isRefused && (status < 200 || status > 204)) return { state: "failed", sent, retryAfter };
      if (isRefused) refused++;
      else sent++;
      await this.outbox.remove(batch, isRefused ? status : undefined);
    }
    return (await this.consent.isGiven()) ? { state: "done", sent, refused } : { state: "off" };
  }

  async #beginDay(): Promise<void> {
    try {
      await this.texts?.beginDay();
    } catch (error) {
      if (!(error instanceof BudgetError)) throw error; // a day without frames; frames of other days are sent
    }
  }
}
