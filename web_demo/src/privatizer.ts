/** Words and text in, privatized words out: the interface for apps. */

import { concat } from "./bytes.js";
import { checkArgument, checkChoice, checkOptions, checkRest, OutOfVocabularyError, ParameterError } from "./errors.js";
import { EPSILON_MAX } from "./exact.js";
import { createMechanism } from "./mechanisms/create.js";
import type { Mechanism } from "./mechanisms/mechanism.js";
import { around, cutMarks, typedIn, type Cut, type Mark } from "./marks.js";
import type { Memory } from "./memory.js";
import type { PrivacyBudget } from "./privacyBudget.js";
import { systemRandom, type RandomSource } from "./randomness.js";
import { resolve } from "./resolve.js";
import type { Setting } from "./setting.js";
import { oneAtATime } from "./storage.js";
import { UNKNOWN } from "./token.js";
import type { WordBundle } from "./wordBundle.js";

const OOV_POLICIES = ["random", "drop", "error"] as const;
const RESTS = ["release", "pass"] as const;

/** Options of a `Privatizer`. */
export interface PrivatizerOptions {
  /** Mechanism, epsilon and parameters. Without it, the whole setting that the bundle recommends is used. */
  readonly setting?: Setting | undefined;
  /**
   * The policy for unknown words, those outside the vocabulary. `random`, the default: a word of the vocabulary, drawn
   * in proportion to its mass, replaces each before the mechanism runs. `drop`: they are left out. `error`:
   * OutOfVocabularyError. The last two reveal which words were unknown. No policy keeps unknown words.
   */
  readonly oov?: (typeof OOV_POLICIES)[number] | undefined;
  /**
   * Counts `certifiedEpsilon` for each word to release, and refuses a release that would exceed its limit. The cost
   * depends only on the number of words: unknown and repeated words cost the same, with a memory, too.
   */
  readonly budget?: PrivacyBudget | undefined;
  /**
   * Gives each word one first draw, with the setting's epsilon, for a whole period. The released word is a second draw
   * from the first draw's word. See `docs/how-to/run-for-months.md`.
   */
  readonly memory?: Memory | undefined;
  /** The epsilon of the second draws; by default twice the setting's, but at most 22.18. Only with a memory. */
  readonly secondEpsilon?: number | undefined;
  /** Source of random bytes. Don't set it in production. */
  readonly random?: RandomSource | undefined;
}

/** Treatment of the text outside marks. */
export interface RestOptions {
  /**
   * `release`, the default: its words are privatized, too. `pass`: it **leaves the device as typed**, visible to
   * everybody; only the marked words are replaced, paid for, and protected.
   */
  readonly rest?: (typeof RESTS)[number] | undefined;
}

/** The marked parts of a text. */
export interface TextOptions extends RestOptions {
  /**
   * Parts of the text that are one token each: a word of a list, or an unknown word. They are widened to whole tokens.
   * Overlapping marks are merged, and keep the list of the first. Default: none.
   */
  readonly marks?: readonly Mark[] | undefined;
}

/** The marked parts of several texts. */
export interface TextsOptions extends RestOptions {
  /** The marks of each text, as in `TextOptions`. Default: none. */
  readonly marks?: readonly (readonly Mark[])[] | undefined;
}

/**
 * Replaces words with privatized ones.
 *
 * Each token becomes one word. `spec/bundle-format.md` specifies tokens, and the word that a token is typed as. The
 * guarantee and its assumptions are in `docs/explanation/threat-model.md`.
 *
 * Proof: `docs/explanation/proofs.md`, "Texts". Proof for unknown words: `docs/explanation/proofs.md`, "Words
 * outside the vocabulary". Proof for a certificate: `docs/explanation/proofs.md`, "The certified epsilon".
 */
export class Privatizer {
  readonly #bundle: WordBundle;
  readonly #mechanism: Mechanism;
  readonly #second: Mechanism | undefined;
  readonly #oov: (typeof OOV_POLICIES)[number];
  readonly #budget: PrivacyBudget | undefined;
  readonly #memory: Memory | undefined;
  readonly #random: RandomSource;

  /** The setting in force, given or recommended. */
  readonly setting: Setting;
  /**
   * The privacy loss per bit of Hamming distance on this vocabulary, which the budget counts.
   *
   * The certificate states it, if the setting has one; otherwise it is `effectiveEpsilon`. Never above `epsilon`.
   */
  readonly certifiedEpsilon: number;

  /**
   * Prepares a mechanism on a bundle.
   *
   * @throws ParameterError a value is unknown, out of range or of the wrong type, the certificate belongs to another
   *   setting or bundle, there is no setting and the bundle recommends none, or the bundle is a list.
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
      throw new ParameterError("secondEpsilon is for a memory's second draws; give a memory");
    }
    this.#bundle = bundle;
    this.#oov = oov;
    this.#budget = budget;
    this.#memory = memory;
    this.#random = random ?? systemRandom;
  }

  /**
   * The mechanism's privacy parameter per bit of Hamming distance; with a memory, that of the first draws.
   *
   * Two privatizers with the same bundle, epsilon and parameters have the same output probabilities.
   */
  get epsilon(): number {
    return this.#mechanism.epsilon;
  }

  /** The privacy loss per bit that the mechanism's integers have in any vocabulary, rounded up; at most `epsilon`. */
  get effectiveEpsilon(): number {
    return this.#mechanism.effectiveEpsilon;
  }

  /**
   * Returns the privatized `word`, or null if the policy `drop` leaves it out.
   *
   * The word counts as a text of its own. To release the words of one text one by one, use `stream`. A string that
   * isn't one token ("", "hello world", "hello,") is one unknown word, unless the vocabulary has exactly this string.
   *
   * @throws OutOfVocabularyError the word is out of vocabulary and the policy is `error`.
   * @throws BudgetError the budget doesn't allow the release; nothing is released.
   * @throws BudgetFileError, MemoryFileError the budget's or the memory's state can't be used; nothing is released.
   */
  async word(word: string): Promise<string | null> {
    return (await this.words([checkedString(word, "word")]))[0] ?? null;
  }

  /**
   * Returns the privatized `words` of one text, in order.
   *
   * Each string is read as `word` reads it. With the policy `drop`, the result can be shorter than `words`.
   *
   * @throws BrrError as for `word`.
   */
  async words(words: readonly string[]): Promise<string[]> {
    const typed = checkedWords(words, "words").map((word) => this.#bundle.tokenizer.lookUp(word));
    const [released] = await this.#released([typed]);
    return this.#spelled(released!);
  }

  /**
   * Returns the privatized words of `text`, one for each token, joined by single spaces.
   *
   * The output has no case, punctuation, line breaks or separators of numbers, and nothing else that was typed between
   * tokens.
   *
   * @throws ParameterError a mark is empty, outside the text or within a character, or names a list that the policy
   *   lacks.
   * @throws BrrError as for `word`.
   */
  async text(text: string, options: TextOptions = {}): Promise<string> {
    checkOptions(options);
    const { marks, ...others } = options;
    const each = { ...others, ...(marks === undefined ? {} : { marks: [marks] }) };
    return (await this.texts([checkedString(text, "text")], each))[0]!;
  }

  /**
   * Returns the output of `text` for each of `texts`, in order, paid for at once.
   *
   * The same random bytes give the same words as separate calls of `text`. If the budget doesn't allow the words of all
   * texts, none is released.
   *
   * @throws ParameterError as for `text`; or the numbers of texts and of lists of marks differ.
   * @throws BrrError as for `word`.
   */
  async texts(texts: readonly string[], options: TextsOptions = {}): Promise<string[]> {
    checkOptions(options);
    checkedWords(texts, "texts");
    const { marks = texts.map(() => []), rest = "release", ...others } = options;
    checkRest(others, "texts");
    checkChoice(RESTS.includes(rest), RESTS, "rest");
    const fit = Array.isArray(marks) && marks.length === texts.length;
    checkArgument(fit, "marks needs one list of marks for each text");
    const cut = texts.map((text, place) => cutMarks(text, marks[place]!, this.#bundle.tokenizer));
    if (rest === "pass") {
      const released = await this.#released(cut.map((each) => each.map(({ id }) => id)));
      return texts.map((text, place) => this.#replaced(text, cut[place]!, released[place]!));
    }
    const { tokenizer } = this.#bundle;
    const released = await this.#released(texts.map((text, place) => typedIn(text, cut[place]!, tokenizer)));
    return released.map((ids) => this.#spelled(ids).join(" "));
  }

  /** Returns a text with its marks replaced by their released words. */
  #replaced(text: string, cut: readonly Cut[], released: readonly number[]): string {
    const words = this.#spelled(released).values();
    const parts = around(text, cut).flatMap((part, place) => {
      const mark = cut[place];
      const isLeftOut = !mark || (this.#oov === "drop" && mark.id === UNKNOWN);
      return isLeftOut ? [part] : [part, words.next().value!];
    });
    return parts.join("");
  }

  /**
   * Returns a stream that releases the words of one text one by one, as they are typed.
   *
   * @param after the id of the word released before in the text; -1 at its start.
   */
  stream(after = -1): Stream {
    const alone = oneAtATime();
    let before = after;
    return {
      word: (word) =>
        alone(async () => {
          const typed = this.#bundle.tokenizer.lookUp(checkedString(word, "word"));
          const [released] = await this.#released([[typed]], before);
          const id = released![0];
          if (id === undefined) return null;
          before = id;
          return this.#bundle.vocabulary.word(id);
        }),
    };
  }

  /** Pays for the words of all texts at once, then draws ids text by text, after `before`. */
  async #released(texts: readonly (readonly number[])[], before = -1): Promise<number[][]> {
    const ids = texts.flat();
    const sources = (await this.#paidSources(ids)).values();
    const place = ids.indexOf(UNKNOWN);
    if (this.#oov === "error" && place >= 0) {
      throw new OutOfVocabularyError(
        `word ${place + 1} of ${ids.length} is out of vocabulary (policy 'error'); choose the policy 'random' or ` +
          "'drop', or a larger vocabulary",
      );
    }
    return texts.map((text) => {
      const found = text.map((id): Found => ({ id, source: sources.next().value! }));
      return this.#drawn(found, before);
    });
  }

  /** Returns a drawn id for each word; the source next to it is for its first draw. */
  #drawn(all: readonly Found[], before: number): number[] {
    const { masses } = this.#bundle;
    const found = this.#oov === "drop" ? all.filter(({ id }) => id >= 0) : all;
    const typed = found.map(({ id }) => id);
    const ids = found.map(({ id, source }) => (id >= 0 ? id : masses.draw(source)));
    if (!this.#second) return this.#step(this.#mechanism, typed, ids, this.#random, before);
    const firsts = found.map(({ id, source }, place) => this.#step(this.#mechanism, [id], [ids[place]!], source)[0]!);
    return this.#step(this.#second, firsts, firsts, this.#random, before);
  }

  /** Returns a drawn id for each of `ids`; a typed word that passes keeps its id. */
  #step(
    mechanism: Mechanism,
    typed: readonly number[],
    ids: readonly number[],
    random: RandomSource,
    before = -1,
  ): number[] {
    const { index, policy: { passing } } = this.#bundle;
    const codes = ids.map((id) => index.code(id));
    if (!passing) return mechanism.release(codes, before, random);
    let last = before;
    return codes.map((code, place) => {
      const passes = passing.coin(typed[place]!, random);
      const drawn = mechanism.release([code], last, random)[0]!;
      last = drawn ^ ((drawn ^ ids[place]!) & passes); // no branch on the coin, so the time doesn't reveal it
      return last;
    });
  }

  #spelled(ids: readonly number[]): string[] {
    return ids.map((id) => this.#bundle.vocabulary.word(id));
  }

  /** Pays for the draws of words; returns the source of random bytes of each first draw. */
  async #paidSources(typed: readonly number[]): Promise<RandomSource[]> {
    const { digest, vocabulary, policy: { passing } } = this.#bundle;
    const key = await this.#memory?.key();
    // The number alone decides; otherwise a refusal would reveal repeated words.
    await this.#budget?.spend(this.certifiedEpsilon, typed.length, digest);
    if (!key) return typed.map(() => this.#random);
    const { mechanism, numbers } = this.#mechanism.setting;
    // A bundle with other passing words uses other bytes, so one stream of bytes decides only one kind of draw.
    const setting = { mechanism, numbers: passing ? concat(numbers, passing.numbers) : numbers };
    return typed.map((id) => key.draw(digest, setting, id >= 0 ? vocabulary.word(id) : null));
  }
}

/** The id that a word is typed as, or UNKNOWN, and the source of random bytes of its first draw. */
interface Found {
  readonly id: number;
  readonly source: RandomSource;
}

/** Releases a text word by word, as it is typed. It stores only the last released word, and nothing typed. */
export interface Stream {
  /**
   * Returns the privatized `word`, or null if the policy `drop` leaves it out; in the order of the calls.
   *
   * @throws BrrError as for `Privatizer.word`.
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
