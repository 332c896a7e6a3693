/**
 * A keyed memory: a word that is typed again gets the same first draw, and no word is stored.
 *
 * Without it, every release of a word is an independent draw, and the privacy losses add up. With it, a pseudo-random
 * function of the word gives the randomness of its first draw, under a key that lasts for one period.
 * `spec/state-files.md` specifies the function.
 */

import { concat, eightBytes, encoded, hex, unhex } from "./bytes.js";
import { pageClock, type Clock } from "./clock.js";
import { checkArgument, checkOptions, MemoryFileError } from "./errors.js";
import { isWithin } from "./exact.js";
import type { MechanismSetting } from "./mechanisms/mechanism.js";
import { damaged, formOf, looking, PERIOD_FIELDS, periodLength, type Looking, type Period } from "./period.js";
import { systemRandom, type RandomSource } from "./randomness.js";
import { hmac } from "./sha256.js";
import type { StateFile, Storage } from "./storage.js";
import { guarded, KEY_SIZE, type KeyVault } from "./vault.js";

const NUMBER_MAX = 1e15 - 1;
const SEALED_MAX = 1024; // bytes

const FORM = formOf("brr-memory", { number: "[1-9][0-9]{0,14}", key: '"(?:[0-9a-f]{2}){32,1024}"', ...PERIOD_FIELDS });

/**
 * The key of the running period, in a private record. It gives a word the same first draw again.
 *
 * After the end of the period, the next release replaces the key. Time is measured as for `PrivacyBudget`. Deleting the
 * record, or restoring an old copy, starts another period: each word gets one more first draw, at the cost of its
 * epsilon. Anyone who has the record can test guesses of released words.
 *
 * Proof: `docs/explanation/proofs.md`, "Memory".
 */
export class Memory {
  readonly #vault: KeyVault;
  readonly #looking: Looking<"number" | "key">;

  /**
   * Describes the memory; the first release creates the record.
   *
   * @param period length of a period in seconds, from 1 to 1e12.
   * @param state storage of the key.
   * @param options `vault` protects the key there; `clock` reads the clocks, for tests.
   * @throws ParameterError period is out of range, or an argument is of the wrong type.
   */
  constructor(
    readonly period: number,
    readonly state: Storage,
    options: { vault?: KeyVault | undefined; clock?: Clock } = {},
  ) {
    checkArgument(state?.locked, "state must be a Storage");
    checkOptions(options);
    const { vault, clock = state.clock ?? pageClock } = options;
    this.#vault = guarded(vault, () => new MemoryFileError(
      `${state.name}: its vault fails; nothing is released until it works, or this is removed`,
    ));
    this.#looking = looking(state, MemoryFileError, FORM, periodLength(period, "memory"), clock);
  }

  /**
   * Returns the running period's key. It is stored before anything uses it.
   *
   * @throws MemoryFileError the record is damaged, or can't be read or written, or the vault fails. Nothing may be
   *   released.
   */
  key(): Promise<MemoryKey> {
    return this.#looking(async (file, { fields, period, isOver, isOther }) => {
      const number = Number(fields.number ?? 0);
      if (isOver) return this.#start(file, Math.min(number + 1, NUMBER_MAX), period);
      const key = fields.key!;
      if (isOther) await file.replace(FORM.write({ number, key, ...period }));
      return this.#opened(number, unhex(key));
    });
  }

  async #start(file: StateFile, number: number, period: Period): Promise<MemoryKey> {
    const sealed = await this.#vault.seal(systemRandom(KEY_SIZE));
    if (!isWithin(sealed.length, KEY_SIZE, SEALED_MAX)) {
      throw new MemoryFileError(`${this.state.name}: its vault gives ${sealed.length} bytes, not 32 to 1,024`);
    }
    await file.replace(FORM.write({ number, key: hex(sealed), ...period }));
    return this.#opened(number, sealed);
  }

  async #opened(number: number, sealed: Uint8Array): Promise<MemoryKey> {
    const secret = await this.#vault.open(sealed);
    if (secret.length !== KEY_SIZE) throw new MemoryFileError(damaged(this.state));
    return new MemoryKey(number, secret);
  }
}

/** The key of a period. It is secret: the object's representation doesn't show it. */
export class MemoryKey {
  readonly #secret: Uint8Array;

  /** @param number number of the period, from 1. */
  constructor(
    readonly number: number,
    secret: Uint8Array,
  ) {
    this.#secret = secret;
  }

  /**
   * Returns the random bytes of a word's first draw: its own, and always the same.
   *
   * @param unit `WordBundle.digest`.
   * @param word the typed word of the vocabulary; null for an unknown word. All unknown words share one draw: a
   *   separate draw would be the word's pseudonym.
   */
  draw(unit: string, setting: MechanismSetting, word: string | null): RandomSource {
    const fields = [
      encoded("brrkit memory"),
      eightBytes(this.number),
      encoded(unit),
      encoded(setting.mechanism),
      setting.numbers,
      encoded(word === null ? "unknown" : "known"),
      encoded(word ?? ""),
    ];
    const message = concat(...fields.map(field));
    let block = 0;
    let left: Uint8Array = new Uint8Array();
    return (size) => {
      while (left.length < size) {
        left = concat(left, hmac(this.#secret, concat(message, field(eightBytes(block)))));
        block++;
      }
      const part = left.subarray(0, size);
      left = left.subarray(size);
      return part;
    };
  }
}

/** Returns `content` after its length, so that a sequence of fields is unambiguous. */
const field = (content: Uint8Array): Uint8Array =>
  concat(eightBytes(content.length).subarray(0, 4), content);
