/** Reports that wait to be sent. Nothing that was typed is in them. */

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

/** A day's sample of privatized words, which are sent together. */
export interface Batch extends Reported {
  /** Its words are sorted: in which order they came isn't kept. */
  readonly sample: DaySample;
  /** Whether it takes no more words, since its day is over. */
  isClosed: boolean;
}

/** A batch that the receiver doesn't take: it isn't sent again, and waits for the app to look at it. */
export interface RefusedBatch {
  /** Of HTTP: 400 or 422, it isn't a batch; 409, of another bundle or setting; 413, too large. */
  readonly status: number;
  /** What was sent: JSON, as `spec/reports.md` has it. */
  readonly report: string;
}

/**
 * How much an outbox holds: where it would be more, the oldest batches go, those that were refused first. Frames don't
 * count: those of seven days that are over can wait, and then the oldest day goes.
 */
export interface OutboxLimits {
  /** There is one of each day. Those that were refused count, too. */
  readonly batches: number;
  readonly bytes: number;
}

/** What is in an outbox, and what it lost. */
export interface OutboxStatus {
  /** Batches that wait, the current day's among them. */
  readonly batches: number;
  /** The words in these batches. */
  readonly words: number;
  /** The bytes in these batches, before they are encrypted. */
  readonly bytes: number;
  /** Frames that wait, the current day's among them. */
  readonly frames: number;
  /** Batches and frames that went because there was no room, or another setting on their day. */
  readonly dropped: number;
  /** Times that the record couldn't be read: what was in it is lost. */
  readonly damaged: number;
  /** Batches and frames that the receiver doesn't take. */
  readonly refused: number;
}

/** When an uploader's next run is. */
export interface Wait {
  /** Runs in a row that failed. */
  readonly failures: number;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** What a record holds. It is changed in place while the record is locked. */
interface State {
  /** Those that wait, the oldest first. */
  batches: Batch[];
  frames: WaitingFrames;
  refusals: RefusedBatch[];
  /** The last one that was closed: its batch may have been sent. */
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

/** The state in a record, and the line before it, which can be used again: it has the key. */
interface Stored {
  readonly state: State;
  readonly head: Uint8Array | undefined;
}

/** A key, and how it stands in a record. */
interface StoredKey {
  readonly digits: string;
  readonly key: CryptoKey;
}

/** Returns what is sent of a batch or a frame. */
export const report = (batch: Batch | FrameBatch): Uint8Array =>
  "words" in batch ? reportOf(batch, "brr-frames", batch.words) : reportOf(batch, "brr-reports", batch.sample.words);

const bytesOf = (value: unknown): Uint8Array => encoded(JSON.stringify(value));
const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * Reports that wait to be sent: a sample of each day's words, and each day's frames.
 *
 * A `Reporter` and a `TextReporter` fill it. A day (UTC) can be sent when it is over, so no more than its words and
 * frames a day leave; where the clock is set back, the day that is open goes on. What they put in is stored then,
 * encrypted (AES-256 in GCM) under a key that the vault protects. What can't be authenticated is dropped
 * and counted, never read in part. Pages and processes share it.
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
   * Shows words to the day's sample, which takes some of them. A sample of another setting on the same day
   * goes: both would be too much.
   *
   * @param words how many.
   * @param draw releases them; it is told how many of them enter the sample for sure.
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
   * Shows frames of typed text to the day's frames, and begins the day if it hasn't begun. A day of another setting or
   * shape on the same day goes: both would be too much.
   *
   * @param shape of the day.
   * @param shown may be none: a day has its frames whatever was typed.
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

  /** Returns what is in it, and what it lost. */
  async status(): Promise<OutboxStatus> {
    const { batches, frames, dropped, damaged, refused } = await this.#read();
    const words = batches.reduce((sum, { sample }) => sum + sample.words.length, 0);
    const bytes = words > 0 ? bytesOf(batches).length : 0;
    const waiting = frames.waiting.length + (frames.open?.frames.length ?? 0);
    return { batches: batches.length, words, bytes, frames: waiting, dropped, damaged, refused };
  }

  /**
   * Returns the batches that the receiver refused, the oldest first, until `removeRefused` or `clear` deletes
   * them. Where there is no room for all, the oldest go.
   */
  async refusedBatches(): Promise<readonly RefusedBatch[]> {
    return (await this.#read()).refusals;
  }

  /** Deletes the batches that the receiver refused; what waits to be sent stays. */
  removeRefused(): Promise<void> {
    return this.#changed((state) => {
      state.refusals = [];
    });
  }

  /** Deletes all that waits or was refused, and the key. */
  clear(): Promise<void> {
    return held(this.state, OutboxError, async (file) => {
      if ((await file.read())?.length) await file.replace(new Uint8Array());
    });
  }

  /** Returns the oldest batch whose day is over; null if there is none. It then takes no more words. */
  oldest(): Promise<Batch | null> {
    return this.#changed(({ batches }) => batches.find(({ isClosed }) => isClosed) ?? null);
  }

  /** Returns one of the frames whose days are over, each with the same probability; null if there is none. */
  frame(): Promise<FrameBatch | null> {
    return this.#changed(({ frames }) => anyFrame(frames));
  }

  /** Takes a batch or a frame out: it was sent, or the receiver refuses it with `status`. */
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

  /** Returns when the next upload is to be. */
  async wait(): Promise<Wait> {
    return (await this.#read()).wait;
  }

  /** Stores when the next upload is to be, if anything waits. */
  setWait(wait: Wait): Promise<void> {
    return this.#changed((state) => {
      if (!same(state, emptyState())) state.wait = wait;
    });
  }

  #today(): number {
    return Math.floor(this.#time() / DAY_MS);
  }

  /** The day of a new batch or of new frames: none that was closed, which may have been sent. */
  #nextDay({ day }: { readonly day: number }): number {
    return Math.max(this.#today(), day + 1);
  }

  /** Lets go what is too much. */
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

  /** Shows the state as of now, in which a day that is over is closed, to `change`, and stores it if it differs. */
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

  /** Reads the record. What can't be authenticated is lost, and counted. */
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

  /** Returns the key that a record's head has; undefined if there is none, or what the vault gives isn't one. */
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
