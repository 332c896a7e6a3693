/** Words for counting: a word comes out as itself with a known probability, otherwise as one drawn from all. */

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

/** How reports name the setting that the bundle recommends for counts, and a memory names the mechanism. */
const COUNTS = "counts";

/** The output that stands for every unknown word: no word is spelled like that. */
const UNKNOWN = "";

/** How words are counted. */
export interface CountsOptions {
  /**
   * The cap, and how many words of a day a `Reporter` keeps. Without it, the bundle's setting for counts is used.
   */
  readonly setting?: CountsSetting | undefined;
  /**
   * Gives a symbol the same first draw for a whole period, one for all unknown words. See
   * `docs/how-to/run-for-months.md`.
   */
  readonly memory?: Memory | undefined;
  /** The cap of the second draws; twice the cap by default, at most 88. Only with a memory. */
  readonly secondCap?: number | undefined;
  /** Source of random bytes. Leave it alone in production. */
  readonly random?: RandomSource | undefined;
}

/**
 * Replaces words with others, so that the frequency of each word can be estimated from many reports.
 *
 * One word in, one out: a word of the vocabulary, or the empty string, which stands for every unknown one, as private
 * as any. A device shouldn't send all outputs: see `Reporter`.
 *
 * Proof: `docs/explanation/proofs.md`, "Counts".
 */
export class Counts {
  readonly #first: RandomizedResponse;
  readonly #second: RandomizedResponse | undefined;
  readonly #isRecommended: boolean;
  readonly #random: RandomSource;

  /** The setting that is in force, given or recommended; with a memory, its cap applies to the first draws. */
  readonly setting: ReturnType<typeof resolveCounts>;
  /** The cap of the second draws; null without a memory. */
  readonly secondCap: number | null;
  readonly memory: Memory | undefined;

  /**
   * @throws ParameterError a value is unknown, out of range or of another kind, or there is no setting and the
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

  /** The exact loss of one draw (with a memory: of a first one) between any two words, rounded up; at most the cap. */
  get loss(): number {
    return keepLoss(this.#first.threshold, this.#first.symbols);
  }

  /**
   * Returns the setting as reports state it: `spec/reports.md`, "Settings".
   *
   * @param repeats how often a device may send one symbol in a period of the memory.
   */
  stated(repeats: number): string | Readonly<Record<string, string | number>> {
    if (this.#isRecommended) return COUNTS;
    const stated = { mechanism: "counts", cap: this.setting.cap };
    return this.secondCap === null ? stated : { ...stated, second_cap: this.secondCap, repeats };
  }

  /**
   * Returns the output for `word`: a word of the vocabulary, or the empty string.
   *
   * @throws MemoryFileError the memory's key can't be used; nothing is released then.
   */
  async word(word: string): Promise<string> {
    return (await this.words([word]))[0]!;
  }

  /**
   * Returns the output for each of `words`, drawn independently.
   *
   * @throws MemoryFileError the memory's key can't be used; nothing is released then.
   */
  async words(words: readonly string[]): Promise<string[]> {
    const areStrings = Array.isArray(words) && words.every((word) => typeof word === "string");
    checkArgument(areStrings, "words takes a list of strings");
    const ids = words.map((word) => this.bundle.tokenizer.lookUp(word));
    const key = await this.memory?.key();
    return ids.map((id) => this.#released(id, key));
  }

  /** Returns what the word with this id, or -1, comes out as. */
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
  /** Of 2^63 numbers, how many keep the symbol; the others give any. */
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
   * Returns the output for `symbol`; two uniform integers.
   *
   * Both are drawn whether it is kept or not, and nothing branches on that: the time doesn't tell which.
   */
  draw(symbol: number, random: RandomSource): number {
    const number = uniformBig(KEEP_ONE, random);
    const drawn = uniformBelow(this.symbols, random);
    const kept = -Number(number < this.threshold); // all bits if it is below, else none
    return drawn ^ ((drawn ^ symbol) & kept);
  }
}
