/** Words and text in, privatized words out: what an app calls. */

import { BundleError, checkArgument, checkOptions, OutOfVocabularyError, ParameterError } from "./errors.js";
import { EPSILON_MAX } from "./exact.js";
import type { Base } from "./masses.js";
import { createMechanism } from "./mechanisms/create.js";
import { Exponential } from "./mechanisms/exponential.js";
import type { Mechanism, Parameters } from "./mechanisms/mechanism.js";
import type { Memory } from "./memory.js";
import type { PrivacyBudget } from "./privacyBudget.js";
import { systemRandom, uniformBelow, type RandomSource } from "./randomness.js";
import type { Setting } from "./setting.js";
import { oneAtATime } from "./storage.js";
import { lookUp, normalize, tokenize } from "./tokenizer.js";
import type { WordBundle } from "./wordBundle.js";

const DEFAULT_MECHANISM = "exponential";
const OOV_POLICIES = ["random", "drop", "error"] as const;

/** How words are released. */
export interface PrivatizerOptions {
  /**
   * Privacy parameter per bit of Hamming distance, from 1e-9 to 22.18. Without it, the bundle's recommended
   * setting is used, all of it: its mechanism, epsilon and parameters.
   */
  readonly epsilon?: number | undefined;
  /** `exponential`, which is the default, `brr` or `vickrey`. Only with an epsilon. */
  readonly mechanism?: string | undefined;
  /** Of `exponential`, in bits: words within it are nearly as likely to come out as the word itself. */
  readonly radius?: number | undefined;
  /** Of `exponential`: which words come out more readily; by default the last that the bundle has. */
  readonly base?: Base | undefined;
  /** Of `exponential`: what the loss between any two words never exceeds; by default none. */
  readonly cap?: number | undefined;
  /** Of `vickrey`: a number from 0 to 1, 0.5 by default, or k numbers >= 0. */
  readonly t?: number | readonly number[] | undefined;
  /** Of `vickrey`: the number of candidates; only to be stated, since t implies it. */
  readonly k?: number | undefined;
  /**
   * What becomes of words outside the vocabulary. `random`, the default: one of the vocabulary's words, drawn
   * uniformly, takes its place before the mechanism runs; `drop`: they are left out; `error`:
   * OutOfVocabularyError. The last two reveal which words were unknown. There is no way to keep them.
   */
  readonly oov?: (typeof OOV_POLICIES)[number] | undefined;
  /**
   * Counts `certifiedEpsilon` for every word that is given, before anything is known of it, and refuses what
   * would exceed its limit. With a memory, it counts a word once in a period.
   */
  readonly budget?: PrivacyBudget | undefined;
  /**
   * Gives a word the same first draw, with `epsilon`, in a whole period; what is released is a second draw,
   * of the word that the first one gave. See `docs/how-to/repeated-words.md`.
   */
  readonly memory?: Memory | undefined;
  /** Of the second draws; twice `epsilon` by default, at most 22.18. Only with a memory. */
  readonly secondEpsilon?: number | undefined;
  /** Source of random bytes. Leave it alone in production. */
  readonly random?: RandomSource | undefined;
}

/**
 * Replaces words by privatized ones.
 *
 * One token in, one word out: `docs/reference/bundle-format.md` says what a token is, and which word of the
 * vocabulary it stands for. The guarantee and its assumptions are in `docs/explanation/threat-model.md`.
 *
 * Proof: `docs/explanation/proofs.md`, "Texts". Proof for unknown words: `docs/explanation/proofs.md`, "Words
 * outside the vocabulary". Proof for a certificate: `docs/explanation/proofs.md`, "The exact loss, certified".
 */
export class Privatizer {
  readonly #bundle: WordBundle;
  readonly #mechanism: Mechanism;
  readonly #second: Mechanism | undefined;
  readonly #oov: (typeof OOV_POLICIES)[number];
  readonly #budget: PrivacyBudget | undefined;
  readonly #memory: Memory | undefined;
  readonly #random: RandomSource;

  /**
   * What a word loses per bit of Hamming distance on this vocabulary; the budget spends it.
   *
   * The certificate's, where the bundle's recommended setting is used and has one; otherwise
   * `effectiveEpsilon`. Never above `epsilon`.
   */
  readonly certifiedEpsilon: number;

  /**
   * Prepares a mechanism on a bundle.
   *
   * @throws ParameterError a parameter is unknown or out of range, or there is no epsilon and the bundle
   *   recommends none; or an argument is of another kind.
   * @throws BundleError the recommended setting isn't one that this version can run.
   */
  constructor(bundle: WordBundle, options: PrivatizerOptions = {}) {
    checkOptions(options);
    const { epsilon, mechanism, oov = "random", budget, memory, secondEpsilon, random, ...parameters } = options;
    checkArgument(bundle?.vocabulary, "bundle must be a WordBundle");
    checkArgument(!budget || budget.spend, "budget must be a PrivacyBudget");
    checkArgument(!memory || memory.key, "memory must be a Memory");
    checkArgument(OOV_POLICIES.includes(oov), `there is no such oov policy; choose one of: ${OOV_POLICIES.join(", ")}`);
    let [name, chosen]: [string, Parameters] = [mechanism ?? DEFAULT_MECHANISM, parameters];
    let certified: number | null = null;
    if (epsilon !== undefined) {
      this.#mechanism = createMechanism(name, bundle, epsilon, chosen);
    } else if (mechanism === undefined && Object.values(parameters).every((value) => value === undefined)) {
      const [setting, recommended] = recommendedBy(bundle);
      this.#mechanism = recommended;
      [name, chosen, certified] = [setting.mechanism, setting.parameters, setting.certifiedEpsilon];
    } else {
      throw new ParameterError("a mechanism or its parameters need an epsilon; give epsilon too");
    }
    this.certifiedEpsilon = certified ?? this.#mechanism.effectiveEpsilon;
    if (memory) {
      const second = secondEpsilon ?? Math.min(2 * this.epsilon, EPSILON_MAX);
      this.#second = createMechanism(name, bundle, second, chosen);
    } else if (secondEpsilon !== undefined) {
      throw new ParameterError("secondEpsilon is for the draws after a memory's; give a memory");
    }
    this.#bundle = bundle;
    this.#oov = oov;
    this.#budget = budget;
    this.#memory = memory;
    this.#random = random ?? systemRandom;
  }

  /**
   * The mechanism's parameter, per bit of Hamming distance; of the first draws with a memory.
   *
   * It fixes every probability: two privatizers of a bundle with the same epsilon and parameters are the same
   * mechanism.
   */
  get epsilon(): number {
    return this.#mechanism.epsilon;
  }

  /** What the integers give for any vocabulary, rounded up; at most `epsilon`. */
  get effectiveEpsilon(): number {
    return this.#mechanism.effectiveEpsilon;
  }

  /**
   * Returns the privatized `word`, or null if the policy `drop` leaves it out.
   *
   * It is a text of one word; for the words of one text, one after the other, see `stream`. A string that
   * isn't one token ("", "hello world", "hello,") is one unknown word, unless the vocabulary has exactly that.
   *
   * @throws OutOfVocabularyError the word is out of vocabulary and the policy is `error`.
   * @throws BudgetError the budget doesn't allow it; nothing is released then.
   * @throws BudgetFileError, MemoryFileError the budget's or the memory's state can't be used; nothing is released.
   */
  async word(word: string): Promise<string | null> {
    return this.#spelled(await this.#released([[checkedString(word, "word")]]))[0]![0] ?? null;
  }

  /**
   * Returns the privatized `words` of one text, in order.
   *
   * Without a memory each is drawn independently of what else is typed. Each is taken as `word` takes it.
   * Under the policy `drop` the result can be shorter than `words`.
   *
   * @throws BrrError as `word`.
   */
  async words(words: readonly string[]): Promise<string[]> {
    return this.#spelled(await this.#released([checkedWords(words, "words")]))[0]!;
  }

  /**
   * Returns the privatized words of `text`, joined by single spaces: one for each token.
   *
   * Case, punctuation, numbers' separators, line breaks and everything else between tokens are dropped.
   *
   * @throws BrrError as `word`.
   */
  async text(text: string): Promise<string> {
    return (await this.words(tokenize(checkedString(text, "text")))).join(" ");
  }

  /**
   * Returns what `text` makes of each of `texts`, in order, paid for at once.
   *
   * The same random bytes give the same words as calls of `text` one after the other. All or nothing: where
   * the budget doesn't allow the words of all texts, none is released.
   *
   * @throws BrrError as `word`.
   */
  async texts(texts: readonly string[]): Promise<string[]> {
    const released = await this.#released(checkedWords(texts, "texts").map(tokenize));
    return this.#spelled(released).map((words) => words.join(" "));
  }

  /**
   * Returns what releases the words of one text as they are typed, one after the other.
   *
   * @param after the id of a word that was released before in the text; -1 at its start.
   */
  stream(after = -1): Stream {
    const alone = oneAtATime();
    let before = after;
    return {
      word: (word) =>
        alone(async () => {
          const released = await this.#released([[checkedString(word, "word")]], before);
          before = released[0]![0] ?? before;
          return this.#spelled(released)[0]![0] ?? null;
        }),
    };
  }

  /** Pays for the words of all lists at once, then draws ids list by list. */
  async #released(lists: readonly (readonly string[])[], before = -1): Promise<number[][]> {
    const { vocabulary } = this.#bundle;
    const tokens = lists.flat().map(normalize);
    const ids = tokens.map((token) => lookUp(token, (word) => vocabulary.find(word)));
    const sources = await this.#paidSources(tokens, ids);
    const place = ids.indexOf(-1);
    if (this.#oov === "error" && place >= 0) {
      throw new OutOfVocabularyError(
        `word ${place + 1} of ${ids.length} is out of vocabulary (policy 'error'); choose the policy 'random' or ` +
          "'drop', or a larger vocabulary",
      );
    }
    const typed = ids.map((id, at): Typed => [id, sources[at]!]);
    let start = 0;
    return lists.map((list) => this.#drawn(typed.slice(start, (start += list.length)), before));
  }

  /** Returns an id for each, drawn with the source beside it where that is the first. */
  #drawn(typed: readonly Typed[], before: number): number[] {
    const { index, size } = this.#bundle;
    const found = this.#oov === "drop" ? typed.filter(([id]) => id >= 0) : typed;
    const codes = found.map(([id, source]) => index.code(id < 0 ? uniformBelow(size, source) : id));
    if (!this.#second) return this.#mechanism.release(codes, before, this.#random);
    const first = codes.map((code, at) => index.code(this.#mechanism.release([code], -1, found[at]![1])[0]!));
    return this.#second.release(first, before, this.#random);
  }

  #spelled(lists: readonly (readonly number[])[]): string[][] {
    return lists.map((ids) => ids.map((id) => this.#bundle.vocabulary.word(id)));
  }

  /** Pays for the draws of tokens; returns where each one's first takes its random bytes. */
  async #paidSources(tokens: readonly string[], ids: readonly number[]): Promise<RandomSource[]> {
    const { digest, vocabulary } = this.#bundle;
    const spend = async (words: number): Promise<void> => this.#budget?.spend(this.certifiedEpsilon, words, digest);
    if (!this.#memory) {
      await spend(tokens.length);
      return tokens.map(() => this.#random);
    }
    const key = await this.#memory.key();
    const draws = tokens.map((token, at) => {
      const id = ids[at]!;
      return key.draw(digest, this.#mechanism.setting, id < 0 ? token : vocabulary.word(id), id >= 0);
    });
    if (this.#budget) await this.#memory.pay(key, draws, spend);
    return draws.map((draw) => draw.source());
  }
}

/** A word's id, or -1, and where its first draw takes random bytes. */
type Typed = readonly [id: number, source: RandomSource];

/** A text that is released word by word, as it is typed. It holds the last released word, and nothing typed. */
export interface Stream {
  /**
   * Returns the privatized `word`, or null if the policy `drop` leaves it out; in the order of the calls.
   *
   * @throws BrrError as `Privatizer.word`.
   */
  word(word: string): Promise<string | null>;
}

function checkedString(value: unknown, name: string): string {
  checkArgument(typeof value === "string", `${name} takes a string`);
  return value;
}

function checkedWords(words: readonly unknown[], name: string): readonly string[] {
  checkArgument(
    Array.isArray(words) && words.every((word) => typeof word === "string"),
    `${name} takes a list of strings; use text for a string`,
  );
  return words as readonly string[];
}

/** Returns the setting that a bundle recommends, and its mechanism. */
function recommendedBy(bundle: WordBundle): [Setting, Mechanism] {
  const setting = bundle.recommended;
  checkArgument(
    setting,
    "there is no epsilon, and the bundle recommends none; give epsilon, or write one into the bundle with " +
      "'brr calibrate --write'",
  );
  try {
    const mechanism = createMechanism(setting.mechanism, bundle, setting.epsilon, setting.parameters);
    checkCertificate(setting, bundle, mechanism);
    return [setting, mechanism];
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error;
    throw new BundleError(
      `${bundle.manifestPath}: field 'recommended': ${error.message}; write it again with 'brr calibrate --write'`,
    );
  }
}

/** Refuses a certificate that isn't for this setting and bundle. */
function checkCertificate(setting: Setting, bundle: WordBundle, mechanism: Mechanism): void {
  const { certifiedEpsilon, certifiedIndex, epsilon } = setting;
  if (certifiedEpsilon === null) return;
  checkArgument(mechanism instanceof Exponential, `a certificate is for mechanism 'exponential', not '${setting.mechanism}'`);
  checkArgument(mechanism.base !== "language", "base 'language' has no certificate");
  checkArgument(certifiedIndex === bundle.digest, "its certificate is of another index.safetensors");
  checkArgument(
    certifiedEpsilon >= epsilon / 2 && certifiedEpsilon <= epsilon,
    "its certified_epsilon isn't from epsilon / 2 to epsilon",
  );
}
