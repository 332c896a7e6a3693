/** Words and text in, privatized words out: what an app calls. */

import { checkArgument, checkChoice, checkOptions, checkRest, OutOfVocabularyError, ParameterError } from "./errors.js";
import { EPSILON_MAX } from "./exact.js";
import { createMechanism } from "./mechanisms/create.js";
import type { Mechanism } from "./mechanisms/mechanism.js";
import type { Memory } from "./memory.js";
import type { PrivacyBudget } from "./privacyBudget.js";
import { systemRandom, type RandomSource } from "./randomness.js";
import { resolve } from "./resolve.js";
import type { Setting } from "./setting.js";
import { oneAtATime } from "./storage.js";
import type { Token } from "./token.js";
import type { WordBundle } from "./wordBundle.js";

const OOV_POLICIES = ["random", "drop", "error"] as const;

/** How words are released. */
export interface PrivatizerOptions {
  /** Mechanism, epsilon and parameters. Without it, the bundle's recommended setting is used, all of it. */
  readonly setting?: Setting | undefined;
  /**
   * What becomes of words outside the vocabulary. `random`, the default: a word of the vocabulary, drawn by the
   * words' masses, takes its place before the mechanism runs; `drop`: they are left out; `error`:
   * OutOfVocabularyError. The last two reveal which words were unknown. There is no way to keep them.
   */
  readonly oov?: (typeof OOV_POLICIES)[number] | undefined;
  /**
   * Counts `certifiedEpsilon` for every word that is given, before anything is known of it, and refuses what
   * would exceed its limit: with a memory, too, so that a refusal tells nothing of what was typed.
   */
  readonly budget?: PrivacyBudget | undefined;
  /**
   * Gives a word the same first draw, with the setting's epsilon, in a whole period; what is released is a second draw,
   * of the word that the first one gave. See `docs/how-to/run-for-months.md`.
   */
  readonly memory?: Memory | undefined;
  /** Of the second draws; twice the setting's by default, at most 22.18. Only with a memory. */
  readonly secondEpsilon?: number | undefined;
  /** Source of random bytes. Leave it alone in production. */
  readonly random?: RandomSource | undefined;
}

/**
 * Replaces words by privatized ones.
 *
 * One token in, one word out: `spec/bundle-format.md` says what a token is, and which word of the
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

  /** The setting that is in force, given or recommended. */
  readonly setting: Setting;
  /**
   * What a word loses per bit of Hamming distance on this vocabulary; the budget spends it.
   *
   * The certificate's, where the setting has one; otherwise `effectiveEpsilon`. Never above `epsilon`.
   */
  readonly certifiedEpsilon: number;

  /**
   * Prepares a mechanism on a bundle.
   *
   * @throws ParameterError a value is unknown, out of range or of another kind, the setting's certificate isn't of
   *   it and this bundle, there is no setting and the bundle recommends none, or the bundle is a list.
   * @throws BundleError the recommended setting isn't one that this version can run.
   */
  constructor(bundle: WordBundle, options: PrivatizerOptions = {}) {
    checkOptions(options);
    const { setting, oov = "random", budget, memory, secondEpsilon, random, ...rest } = options;
    checkRest(rest, "Privatizer");
    checkArgument(bundle?.vocabulary, "bundle must be a WordBundle");
    checkArgument(!budget || budget.spend, "budget must be a PrivacyBudget");
    checkArgument(!memory || memory.key, "memory must be a Memory");
    checkChoice(OOV_POLICIES.includes(oov), OOV_POLICIES, "oov policy");
    const inForce = resolve(bundle, setting);
    this.setting = inForce.setting;
    this.#mechanism = inForce.mechanism;
    this.certifiedEpsilon = this.setting.certificate?.certifiedEpsilon ?? this.#mechanism.effectiveEpsilon;
    if (memory) {
      const epsilon = secondEpsilon ?? Math.min(2 * this.epsilon, EPSILON_MAX);
      this.#second = createMechanism(bundle, { ...this.setting, epsilon });
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
    return (await this.words([checkedString(word, "word")]))[0] ?? null;
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
    const tokens = checkedWords(words, "words").map((word) => this.#token(word));
    const [released] = await this.#released([tokens]);
    return this.#spelled(released!);
  }

  /**
   * Returns the privatized words of `text`, joined by single spaces: one for each token.
   *
   * Case, punctuation, numbers' separators, line breaks and everything else between tokens are dropped.
   *
   * @throws BrrError as `word`.
   */
  async text(text: string): Promise<string> {
    return (await this.texts([checkedString(text, "text")]))[0]!;
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
    const { tokenizer } = this.#bundle;
    const released = await this.#released(checkedWords(texts, "texts").map((text) => tokenizer.read(text)));
    return released.map((ids) => this.#spelled(ids).join(" "));
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
          const token = this.#token(checkedString(word, "word"));
          const [released] = await this.#released([[token]], before);
          const id = released![0];
          if (id === undefined) return null;
          before = id;
          return this.#bundle.vocabulary.word(id);
        }),
    };
  }

  /** Returns a single word, looked up. */
  #token(word: string): Token {
    return { text: word, id: this.#bundle.tokenizer.lookUp(word) };
  }

  /** Pays for the tokens of all lists at once, then draws ids list by list, after `before`. */
  async #released(lists: readonly (readonly Token[])[], before = -1): Promise<number[][]> {
    const tokens = lists.flat();
    const sources = (await this.#paidSources(tokens)).values();
    const place = tokens.findIndex(({ id }) => id < 0);
    if (this.#oov === "error" && place >= 0) {
      throw new OutOfVocabularyError(
        `word ${place + 1} of ${tokens.length} is out of vocabulary (policy 'error'); choose the policy 'random' or ` +
          "'drop', or a larger vocabulary",
      );
    }
    return lists.map((list) => {
      const typed = list.map(({ id }): Typed => ({ id, source: sources.next().value! }));
      return this.#drawn(typed, before);
    });
  }

  /** Returns an id for each, drawn with the source beside it where that is the first. */
  #drawn(typed: readonly Typed[], before: number): number[] {
    const { index, masses } = this.#bundle;
    const found = this.#oov === "drop" ? typed.filter(({ id }) => id >= 0) : typed;
    const codes = found.map(({ id, source }) => index.code(id >= 0 ? id : masses.draw(source)));
    if (!this.#second) return this.#mechanism.release(codes, before, this.#random);
    const firsts = codes.map((code, place) => this.#mechanism.release([code], -1, found[place]!.source)[0]!);
    return this.#second.release(firsts.map((id) => index.code(id)), before, this.#random);
  }

  #spelled(ids: readonly number[]): string[] {
    return ids.map((id) => this.#bundle.vocabulary.word(id));
  }

  /** Pays for the draws of tokens; returns where each one's first takes its random bytes. */
  async #paidSources(tokens: readonly Token[]): Promise<RandomSource[]> {
    const { digest, tokenizer, vocabulary } = this.#bundle;
    const key = await this.#memory?.key();
    // By number alone: what is refused would tell else which words were typed before.
    await this.#budget?.spend(this.certifiedEpsilon, tokens.length, digest);
    if (!key) return tokens.map(() => this.#random);
    return tokens.map(({ text, id }) => {
      const isKnown = id >= 0;
      const word = isKnown ? vocabulary.word(id) : tokenizer.normalize(text);
      return key.draw(digest, this.#mechanism.setting, word, isKnown);
    });
  }
}

/** A word's id, or -1, and where its first draw takes random bytes. */
interface Typed {
  readonly id: number;
  readonly source: RandomSource;
}

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
