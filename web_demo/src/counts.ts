/** Words for counting: a word stays with a known probability; otherwise a random symbol replaces it. */

import { eightBytes } from "./bytes.js";
import { checkArgument, checkOptions, checkRest } from "./errors.js";
import { CAP_MAX, checkCap, KEEP_ONE, keepLoss, keepThreshold } from "./exact.js";
import type { Memory, MemoryKey } from "./memory.js";
import type { MechanismSetting } from "./mechanisms/mechanism.js";
import { checkKeep } from "./premises.js";
import { systemRandom, uniformBelow, uniformBig, type RandomSource } from "./randomness.js";
import { resolveCounts } from "./resolve.js";
import type { CountsSetting } from "./setting.js";
import type { WordBundle } from "./wordBundle.js";

/** The name of the recommended setting for counts in reports, and of the mechanism in a memory. */
const COUNTS = "counts";

/** The output that stands for all unknown words. No word has this spelling. */
const UNKNOWN = "";

/** Options of `Counts`. */
export interface CountsOptions {
  /**
   * The cap, and the number of words that a `Reporter` keeps for a day. Without it, the bundle's setting for counts is
   * used.
   */
  readonly setting?: CountsSetting | undefined;
  /**
   * Gives each symbol one first draw for a whole period; all unknown words share one. The output is a second draw from
   * the first draw's result. See `docs/how-to/run-for-months.md`.
   */
  readonly memory?: Memory | undefined;
  /** The cap of the second draws; by default twice the cap, but at most 88. Only with a memory. */
  readonly secondCap?: number | undefined;
  /** Source of random bytes. Don't set it in production. */
  readonly random?: RandomSource | undefined;
}

/**
 * Replaces words at random, so that many reports together show the frequency of each word.
 *
 * Each word becomes one word of the vocabulary, or the empty string, which stands for all unknown words and has the
 * same protection as any word. A device shouldn't send all outputs: see `Reporter`.
 *
 * Proof: `docs/explanation/proofs.md`, "Counts".
 */
export class Counts {
  readonly #first: RandomizedResponse;
  readonly #second: RandomizedResponse | undefined;
  readonly #isRecommended: boolean;
  readonly #random: RandomSource;

  /** The setting in force, given or recommended; with a memory, its cap applies to the first draws. */
  readonly setting: ReturnType<typeof resolveCounts>;
  /** The cap of the second draws; null without a memory. */
  readonly secondCap: number | null;
  readonly memory: Memory | undefined;

  /**
   * @throws ParameterError a value is unknown, out of range or of the wrong type, or there is no setting and the
   *   bundle recommends none.
   */
  constructor(readonly bundle: WordBundle, options: CountsOptions = {}) {
    checkOptions(options);
    const { setting, memory, secondCap, random = systemRandom, ...rest } = options;
    checkRest(rest, "Counts");
    checkArgument(bundle?.vocabulary, "bundle must be a WordBundle");
    checkArgument(!memory || memory.key, "memory must be a Memory");
    this.setting = resolveCounts(bundle, setting);
    const { cap } = this.setting;
    const symbols = bundle.size + 1;
    this.#first = new RandomizedResponse(cap, symbols);
    if (memory) {
      this.secondCap = secondCap ?? Math.min(2 * cap, CAP_MAX);
      this.#second = new RandomizedResponse(this.secondCap, symbols);
    } else {
      checkArgument(secondCap === undefined, "secondCap is for a memory's second draws; give a memory");
      this.secondCap = null;
    }
    this.#isRecommended = setting === undefined && !memory;
    this.memory = memory;
    this.#random = random;
  }

  /** The exact privacy loss between any two words in one draw; with a memory, a first draw. Rounded up. */
  get loss(): number {
    return keepLoss(this.#first.threshold, this.#first.symbols);
  }

  /**
   * Returns the setting in the form of reports: `spec/reports.md`, "Settings".
   *
   * @param repeats largest number of reports of one symbol that a device may send in a period of the memory.
   */
  stated(repeats: number): string | Readonly<Record<string, string | number>> {
    if (this.#isRecommended) return COUNTS;
    const stated = { mechanism: "counts", cap: this.setting.cap };
    return this.secondCap === null ? stated : { ...stated, second_cap: this.secondCap, repeats };
  }

  /**
   * Returns the output for `word`: a word of the vocabulary, or the empty string.
   *
   * @throws MemoryFileError the memory's key can't be used; nothing is released.
   */
  async word(word: string): Promise<string> {
    return (await this.words([word]))[0]!;
  }

  /**
   * Returns the output for each of `words`, each drawn separately.
   *
   * @throws MemoryFileError the memory's key can't be used; nothing is released.
   */
  async words(words: readonly string[]): Promise<string[]> {
    const areStrings = Array.isArray(words) && words.every((word) => typeof word === "string");
    checkArgument(areStrings, "words takes a list of strings");
    const ids = words.map((word) => this.bundle.tokenizer.lookUp(word));
    const key = await this.memory?.key();
    return ids.map((id) => this.#released(id, key));
  }

  /** Returns the output for the word with this id, or -1. */
  #released(id: number, key: MemoryKey | undefined): string {
    const { size, digest } = this.bundle;
    const symbol = id >= 0 ? id : size;
    if (!key || !this.#second) return this.#spelled(this.#first.draw(symbol, this.#random));
    const draw = key.draw(digest, this.#first.setting, id >= 0 ? this.#spelled(id) : null);
    return this.#spelled(this.#second.draw(this.#first.draw(symbol, draw), this.#random));
  }

  #spelled(symbol: number): string {
    return symbol === this.bundle.size ? UNKNOWN : this.bundle.vocabulary.word(symbol);
  }
}

/**
 * Randomized response over a number of symbols.
 *
 * Proof: `docs/explanation/proofs.md`, "Counts".
 */
export class RandomizedResponse {
  /** The number of integers below 2^63 that keep the symbol; all others draw any symbol. */
  readonly threshold: bigint;
  readonly setting: MechanismSetting;

  /** @throws ParameterError cap isn't a number from 1e-9 to 88. */
  constructor(
    cap: number,
    readonly symbols: number,
  ) {
    this.threshold = keepThreshold(checkCap(cap), symbols);
    checkKeep(this.threshold, cap, symbols);
    this.setting = { mechanism: COUNTS, numbers: eightBytes(this.threshold) };
  }

  /**
   * Returns the output for `symbol`; draws two uniform integers.
   *
   * It draws both in any case and doesn't branch on the first, so its duration doesn't reveal whether the symbol was
   * kept.
   */
  draw(symbol: number, random: RandomSource): number {
    const number = uniformBig(KEEP_ONE, random);
    const drawn = uniformBelow(this.symbols, random);
    const kept = -Number(number < this.threshold); // all bits if it is below, else none
    return drawn ^ ((drawn ^ symbol) & kept);
  }
}
