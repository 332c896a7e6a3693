/** Sends what waits in an outbox, and says when to do so again. */

import type { Consent } from "./consent.js";
import { BudgetError, checkArgument, checkOptions } from "./errors.js";
import { report, type Outbox } from "./outbox.js";
import { systemRandom, uniformBelow, type RandomSource } from "./randomness.js";
import type { TextReporter } from "./textReporter.js";
import type { Reply, Transport } from "./transport.js";

const REFUSED = [400, 409, 413, 422]; // a bad report, another bundle, too large, a foreign word: for good

/** When batches are sent. Seconds. */
export interface UploadPolicy {
  /**
   * Between two runs, varied at random by up to half of it, so that arrival times reveal little about typing times.
   */
  readonly interval: number;
  /** The longest wait after a failure, doubled after each further one. */
  readonly firstBackoff: number;
  /** The longest of these. */
  readonly lastBackoff: number;
}

const POLICY: UploadPolicy = { interval: 21_600, firstBackoff: 60, lastBackoff: 43_200 }; // 6 and 12 hours
const HALF_DAY = 43_200; // seconds

/**
 * Returns how long to wait for before the next run, in milliseconds.
 *
 * @param failures runs in a row that failed, this one included; 0 if it didn't.
 * @param retryAfter seconds that the receiver asked for.
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
 * What became of a run: all that was due is sent (or refused by the receiver, for good: the outbox keeps that for
 * the app to look at); or the receiver can't be reached or can't take batches now; or there is no consent: nothing
 * was sent, and nothing waits.
 */
export type Upload =
  | { readonly state: "done"; readonly sent: number; readonly refused: number }
  | { readonly state: "failed"; readonly sent: number; readonly retryAfter?: number | undefined }
  | { readonly state: "off" };

/**
 * Sends an outbox's batches whose days are over, the oldest first; of frames one a run, any of them, and that before the
 * batches: nothing of when a frame leaves depends on what was typed.
 *
 * A batch keeps its random id until it has arrived, so a receiver counts it once however often it is sent.
 * Nothing else names the device. What a receiver can see: the network's address, and which batches come
 * one after the other.
 */
export class Uploader {
  readonly policy: UploadPolicy;

  /**
   * @param policy what of the default (an interval of 6 hours, back-offs from a minute to 12 hours) is
   *   otherwise. With `texts` the interval is half a day, divided by the frames of a day: there are twice as many runs.
   * @param texts what fills the outbox with frames: each run begins its day, too, so that frames leave although nobody
   *   types.
   * @throws ParameterError a time isn't above 0, or the last back-off isn't the longest; or an argument is of
   *   another kind.
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
   * Begins the day of `texts`, if its budget allows it, sends what is due, and stores when the next run is to be.
   *
   * @throws OutboxError the outbox or the consent can't be read or written, or the vault fails.
   * @throws BudgetFileError the budget's record can't be used.
   */
  async run(): Promise<Upload> {
    const upload = await this.#sent();
    if (upload.state === "off") return upload;
    const isFailed = upload.state === "failed";
    const failures = isFailed ? (await this.outbox.wait()).failures + 1 : 0;
    const wait = waitAfter(this.policy, failures, isFailed ? upload.retryAfter : undefined);
    await this.outbox.setWait({ failures, until: Date.now() + wait });
    return upload;
  }

  /** Returns the milliseconds until the next run is to be, also after a restart. */
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
      if (!(error instanceof BudgetError)) throw error; // a day without frames; those of others leave
    }
  }
}
