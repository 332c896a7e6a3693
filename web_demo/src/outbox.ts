/** Reports that wait to be sent. They contain nothing typed. */

import { concat, decoded, encoded, hex, unhex } from "./bytes.js";
import { plus, room, type DaySample } from "./daySample.js";
import { checkArgument, checkOptions, OutboxError } from "./errors.js";
import {
  anyFrame, closeDay, dropDays, withFrame, type Frame, type FrameBatch, type WaitingFrames,
} from "./frameDays.js";
import { formOf } from "./period.js";
import { systemRandom, type RandomSource } from "./randomness.js";
import { DAY_MS, reportOf, type Reported, type ReportSource } from "./report.js";
import type { Frames } from "./setting.js";
import { held, type StateFile, type Storage } from "./storage.js";
import { decrypt, encrypt, GCM, guarded, KEY_SIZE, USES, type KeyVault } from "./vault.js";

const HEAD = formOf("brr-outbox", { key: '"[0-9a-f]*"' });
const LINE_END = 10;

/** A day's sample of privatized words. They are sent together. */
export interface Batch extends Reported {
  /** Its words, sorted, so their original order isn't kept. */
  readonly sample: DaySample;
  /** Whether it takes no more words because its day is over. */
  isClosed: boolean;
}

/** A batch that the receiver refused. It isn't sent again. The app can look at it. */
export interface RefusedBatch {
  /** The HTTP status: 400 or 422, not a valid batch; 409, another bundle or setting; 413, too large. */
  readonly status: number;
  /** The sent JSON: `spec/reports.md`. */
  readonly report: string;
}

/**
 * The capacity of an outbox. Beyond it, the oldest batches are deleted, refused ones first. Frames don't count. Those
 * of seven past days can wait; beyond that, the oldest day is deleted.
 */
export interface OutboxLimits {
  /** The largest number of batches; there is one per day. Refused ones count, too. */
  readonly batches: number;
  readonly bytes: number;
}

/** The content and the losses of an outbox. */
export interface OutboxStatus {
  /** Number of waiting batches, including the current day's. */
  readonly batches: number;
  /** Number of words in these batches. */
  readonly words: number;
  /** Number of bytes in these batches, before encryption. */
  readonly bytes: number;
  /** Number of waiting frames, including the current day's. */
  readonly frames: number;
  /** Number of batches and frames that were deleted because there was no room, or another setting on their day. */
  readonly dropped: number;
  /** Number of times that the record couldn't be read. Its content was lost. */
  readonly damaged: number;
  /** Number of batches and frames that the receiver refused. */
  readonly refused: number;
}

/** The time of an uploader's next run. */
export interface Wait {
  /** Number of failed runs in a row. */
  readonly failures: number;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** The content of a record. Methods change it in place while the record is locked. */
interface State {
  /** Waiting batches, the oldest first. */
  batches: Batch[];
  frames: WaitingFrames;
  refusals: RefusedBatch[];
  /** The last closed day. Its batch may have been sent. */
  day: number;
  dropped: number;
  damaged: number;
  refused: number;
  wait: Wait;
}

const emptyState = (): State => ({
  batches: [],
  frames: { open: null, day: -1, waiting: [] },
  refusals: [],
  day: -1,
  dropped: 0,
  damaged: 0,
  refused: 0,
  wait: { failures: 0, until: 0 },
});

/** The state in a record, and the line before it with the key. The line can be reused. */
interface Stored {
  readonly state: State;
  readonly head: Uint8Array | undefined;
}

/** A key, and its form in a record. */
interface StoredKey {
  readonly digits: string;
  readonly key: CryptoKey;
}

/** Returns the report for a batch or a frame. */
export const report = (batch: Batch | FrameBatch): Uint8Array =>
  "words" in batch ? reportOf(batch, "brr-frames", batch.words) : reportOf(batch, "brr-reports", batch.sample.words);

const bytesOf = (value: unknown): Uint8Array => encoded(JSON.stringify(value));
const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * Reports that wait to be sent: a sample of each day's words, and each day's frames.
 *
 * A `Reporter` and a `TextReporter` fill it. A day (UTC) is sent only when it is over, so its limits hold. If the clock
 * is set back, the open day continues. Reports are stored before the calls return, encrypted (AES-256-GCM) with a key
 * that the vault protects. A record that can't be authenticated is dropped and counted, never read in part. Pages and
 * processes can share it.
 */
export class Outbox {
  readonly #vault: KeyVault;
  readonly #limits: OutboxLimits;
  readonly #time: () => number;
  /** The last key that was read: a vault isn't asked again for it. */
  #key: StoredKey | undefined;

  /**
   * @param state where it is kept.
   * @param options `vault` protects the key; `limits`, by default 50 batches and 1 MiB; `time` says which
   *   day it is, in milliseconds since 1970, for tests.
   * @throws ParameterError an argument is of another kind, or a limit not above 0.
   */
  constructor(
    readonly state: Storage,
    options: { vault?: KeyVault | undefined; limits?: OutboxLimits; time?: () => number } = {},
  ) {
    checkArgument(state?.locked, "state must be a Storage");
    checkOptions(options);
    const { vault, limits = { batches: 50, bytes: 1 << 20 }, time = Date.now } = options;
    this.#vault = guarded(vault, () => new OutboxError(
      `${state.name}: its vault fails; no words are kept or sent until it works`,
    ));
    checkArgument(limits.batches > 0 && limits.bytes > 0, "an outbox's limits must be above 0");
    this.#limits = limits;
    this.#time = time;
  }

  /**
   * Offers words to the day's sample, which keeps some of them. Deletes a sample of the same day with another setting,
   * because both together would exceed the limit.
   *
   * @param words number of words.
   * @param draw releases the words. Its argument is the number of them that certainly join the sample.
   * @throws OutboxError they can't be stored, or the vault fails.
   */
  add(
    source: ReportSource,
    wordsADay: number,
    words: number,
    random: RandomSource,
    draw: (fresh: number) => Promise<readonly string[]>,
  ): Promise<void> {
    return this.#changed(async (state) => {
      const open = openBatch(state);
      const isSame = open !== undefined && same(open.source, source) && open.sample.most === wordsADay;
      if (open) state.batches.pop();
      if (open && !isSame) state.dropped++;
      const before = isSame ? open : newBatch(source, wordsADay, open?.day ?? this.#nextDay(state));
      let { sample } = before;
      for (const word of await draw(Math.min(words, room(sample)))) sample = plus(sample, word, random);
      state.batches.push({ ...before, sample: { ...sample, words: [...sample.words].sort() } });
      this.#dropOldest(state);
    });
  }

  /**
   * Offers frames of typed text to the day's sample, and begins the day if it hasn't begun. Deletes the same day's
   * frames with another setting or shape, because both together would exceed the limit.
   *
   * @param shape shape of the day.
   * @param shown the frames; perhaps none, because a day has frames even if nobody types.
   * @param begin pays for a day, and returns its first frames: releases of unknown words.
   * @returns whether the day has begun now.
   * @throws OutboxError they can't be stored, or the vault fails.
   */
  addFrames(
    source: ReportSource,
    shape: Frames,
    shown: readonly Frame[],
    random: RandomSource,
    begin: () => Promise<readonly Frame[]>,
  ): Promise<boolean> {
    return this.#changed(async (state) => {
      const { frames } = state;
      const { open } = frames;
      const goesOn = open !== null && same([open.source, open.shape], [source, shape]);
      const day = open?.day ?? this.#nextDay(frames);
      let opened = goesOn ? open : { source, shape, day, seen: 0, frames: await begin() };
      if (open && !goesOn) state.dropped += open.frames.length;
      for (const frame of shown) opened = withFrame(opened, frame, random);
      frames.open = opened;
      return !goesOn;
    });
  }

  /** Returns the content and the losses. */
  async status(): Promise<OutboxStatus> {
    const { batches, frames, dropped, damaged, refused } = await this.#read();
    const words = batches.reduce((sum, { sample }) => sum + sample.words.length, 0);
    const bytes = words > 0 ? bytesOf(batches).length : 0;
    const waiting = frames.waiting.length + (frames.open?.frames.length ?? 0);
    return { batches: batches.length, words, bytes, frames: waiting, dropped, damaged, refused };
  }

  /**
   * Returns the batches that the receiver refused, the oldest first. `removeRefused` and `clear` delete them. The
   * oldest are also deleted if there is no room.
   */
  async refusedBatches(): Promise<readonly RefusedBatch[]> {
    return (await this.#read()).refusals;
  }

  /** Deletes the refused batches. Waiting reports stay. */
  removeRefused(): Promise<void> {
    return this.#changed((state) => {
      state.refusals = [];
    });
  }

  /** Deletes all waiting and refused reports, and the key. */
  clear(): Promise<void> {
    return held(this.state, OutboxError, async (file) => {
      if ((await file.read())?.length) await file.replace(new Uint8Array());
    });
  }

  /** Returns the oldest batch of a past day; null without any. It then takes no more words. */
  oldest(): Promise<Batch | null> {
    return this.#changed(({ batches }) => batches.find(({ isClosed }) => isClosed) ?? null);
  }

  /** Returns a random frame of a past day, each with the same probability; null without any. */
  frame(): Promise<FrameBatch | null> {
    return this.#changed(({ frames }) => anyFrame(frames));
  }

  /** Removes a batch or a frame: it was sent, or the receiver refused it with `status`. */
  remove(batch: Batch | FrameBatch, status?: number): Promise<void> {
    return this.#changed((state) => {
      const waiting: { id: string }[] = "words" in batch ? state.frames.waiting : state.batches;
      const place = waiting.findIndex(({ id }) => id === batch.id);
      if (place < 0) return;
      waiting.splice(place, 1);
      if (status === undefined) return;
      state.refusals.push({ status, report: decoded(report(batch)) });
      state.refused++;
      this.#dropOldest(state);
    });
  }

  /** Returns the time of the next upload. */
  async wait(): Promise<Wait> {
    return (await this.#read()).wait;
  }

  /** Stores the time of the next upload, if anything waits. */
  setWait(wait: Wait): Promise<void> {
    return this.#changed((state) => {
      if (!same(state, emptyState())) state.wait = wait;
    });
  }

  #today(): number {
    return Math.floor(this.#time() / DAY_MS);
  }

  /** The day of a new batch or of new frames: later than every closed day, which may have been sent. */
  #nextDay({ day }: { readonly day: number }): number {
    return Math.max(this.#today(), day + 1);
  }

  /** Deletes what exceeds the limits. */
  #dropOldest(state: State): void {
    const { batches, refusals } = state;
    const limits = this.#limits;
    while (
      batches.length + refusals.length > limits.batches ||
      bytesOf(batches).length + bytesOf(refusals).length > limits.bytes
    ) {
      if (refusals.length > 0) {
        refusals.shift(); // counted already
      } else {
        batches.shift();
        state.dropped++;
      }
    }
  }

  /** Returns the state. */
  #read(): Promise<State> {
    return held(this.state, OutboxError, async (file) => (await this.#stored(file)).state);
  }

  /** Passes the current state, in which past days are closed, to `change`. Stores it if it has changed. */
  #changed<Result>(change: (state: State) => Result | Promise<Result>): Promise<Result> {
    return held(this.state, OutboxError, async (file) => {
      const { state, head } = await this.#stored(file);
      const before = JSON.stringify(state);
      const open = openBatch(state);
      if (open && open.day < this.#today()) {
        open.isClosed = true;
        state.day = open.day;
      }
      closeDay(state.frames, this.#today());
      state.dropped += dropDays(state.frames);
      const result = await change(state);
      if (JSON.stringify(state) !== before) await this.#replace(file, state, head);
      return result;
    });
  }

  /** Reads the record. Content that can't be authenticated is lost, and counted. */
  async #stored(file: StateFile): Promise<Stored> {
    const state = emptyState();
    const content = await file.read();
    if (!content?.length) return { state, head: undefined };
    const head = content.subarray(0, content.indexOf(LINE_END) + 1);
    const key = await this.#keyIn(head);
    try {
      const decrypted = await decrypt(key!, content.subarray(head.length)); // rejects without a key
      return { state: { ...state, ...JSON.parse(decoded(decrypted)) }, head }; // an earlier version had no refusals
    } catch {
      return { state: { ...state, damaged: 1 }, head: undefined };
    }
  }

  async #replace(file: StateFile, state: State, head: Uint8Array | undefined): Promise<void> {
    const line = head ?? HEAD.write({ key: hex(await this.#vault.seal(systemRandom(KEY_SIZE))) });
    const key = await this.#keyIn(line);
    await file.replace(concat(line, await encrypt(key!, bytesOf(state)))); // rejects without a key
  }

  /** Returns the key in a record's head; undefined without one, or if the vault returns something else. */
  async #keyIn(head: Uint8Array): Promise<CryptoKey | undefined> {
    const digits = HEAD.read(head)?.key;
    if (digits === undefined) return undefined;
    if (this.#key?.digits === digits) return this.#key.key;
    const secret = await this.#vault.open(unhex(digits));
    if (secret.length !== KEY_SIZE) return undefined;
    const key = await crypto.subtle.importKey("raw", secret as BufferSource, GCM, false, USES);
    this.#key = { digits, key };
    return key;
  }
}

/** Returns the newest batch if it takes words. */
function openBatch({ batches }: State): Batch | undefined {
  const newest = batches[batches.length - 1];
  return newest && !newest.isClosed ? newest : undefined;
}

function newBatch(source: ReportSource, wordsADay: number, day: number): Batch {
  const sample = { most: wordsADay, seen: 0, words: [] };
  return { id: hex(systemRandom(16)), source, sample, day, isClosed: false };
}
