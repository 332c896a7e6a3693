/** Words and text in, privatized words out: what an app calls. */

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
   * Counts `certifiedEpsilon` for every given word before it looks at the word, and refuses what would exceed its
   * limit, even with a memory, so that a refusal reveals nothing about what was typed.
   */
  readonly budget?: PrivacyBudget | undefined;
  /**
   * Gives a word the same first draw, with the setting's epsilon, for a whole period; the released word is a second
   * draw, from the output of the first. See `docs/how-to/run-for-months.md`.
   */
  readonly memory?: Memory | undefined;
  /** The epsilon of the second draws; twice the setting's by default, at most 22.18. Only with a memory. */
  readonly secondEpsilon?: number | undefined;
  /** Source of random bytes. Leave it alone in production. */
  readonly random?: RandomSource | undefined;
}

/** What becomes of a text outside its marks. */
export interface RestOptions {
  /**
   * `release`, the default: its words are privatized, too. `pass`: it **leaves as it was typed**; only the marks' words
   * are replaced, paid for, and protected. What no mark covers is shown.
   */
  readonly rest?: (typeof RESTS)[number] | undefined;
}

/** The marked parts of a text. */
export interface TextOptions extends RestOptions {
  /**
   * Parts of it that are one token each: a word of a list, or an unknown one. They are widened to whole tokens; those
   * that overlap are one, of the first one's list. Default: none.
   */
  readonly marks?: readonly Mark[] | undefined;
}

/** The marked parts of several texts. */
export interface TextsOptions extends RestOptions {
  /** The marks of each text, as `TextOptions` has them. Default: none. */
  readonly marks?: readonly (readonly Mark[])[] | undefined;
}

/**
 * Replaces words with privatized ones.
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
   * The privacy loss per bit of Hamming distance on this vocabulary, which the budget counts.
   *
   * It is the certificate's, if the setting has one; otherwise `effectiveEpsilon`. Never above `epsilon`.
   */
  readonly certifiedEpsilon: number;

  /**
   * Prepares a mechanism on a bundle.
   *
   * @throws ParameterError a value is unknown, out of range or of another kind, the certificate belongs to another
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
    const typed = checkedWords(words, "words").map((word) => this.#bundle.tokenizer.lookUp(word));
    const [released] = await this.#released([typed]);
    return this.#spelled(released!);
  }

  /**
   * Returns the privatized words of `text`, joined by single spaces: one for each token.
   *
   * Case, punctuation, numbers' separators, line breaks and everything else between tokens are dropped.
   *
   * @throws ParameterError a mark is empty, outside the text, within a character, or of no list of the policy.
   * @throws BrrError as `word`.
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
   * The same random bytes give the same words as calls of `text` one after the other. All or nothing: where
   * the budget doesn't allow the words of all texts, none is released.
   *
   * @throws ParameterError as `text`; or there are not as many lists of marks as texts.
   * @throws BrrError as `word`.
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

  /** Returns a text with the words that are released for its marks. */
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
   * Returns a stream, which releases the words of one text as they are typed.
   *
   * @param after the id of a word that was released before in the text; -1 at its start.
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

  /** Returns an id for each, drawn with the source beside it where that is the first. */
  #drawn(all: readonly Found[], before: number): number[] {
    const { masses } = this.#bundle;
    const found = this.#oov === "drop" ? all.filter(({ id }) => id >= 0) : all;
    const typed = found.map(({ id }) => id);
    const ids = found.map(({ id, source }) => (id >= 0 ? id : masses.draw(source)));
    if (!this.#second) return this.#step(this.#mechanism, typed, ids, this.#random, before);
    const firsts = found.map(({ id, source }, place) => this.#step(this.#mechanism, [id], [ids[place]!], source)[0]!);
    return this.#step(this.#second, firsts, firsts, this.#random, before);
  }

  /** Returns what a draw of each of `ids` gives, or what was typed where that passes. */
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
      last = drawn ^ ((drawn ^ ids[place]!) & passes); // nothing branches on the coin: the time doesn't tell which
      return last;
    });
  }

  #spelled(ids: readonly number[]): string[] {
    return ids.map((id) => this.#bundle.vocabulary.word(id));
  }

  /** Pays for the draws of words; returns where each one's first takes its random bytes. */
  async #paidSources(typed: readonly number[]): Promise<RandomSource[]> {
    const { digest, vocabulary, policy: { passing } } = this.#bundle;
    const key = await this.#memory?.key();
    // By number alone: what is refused would tell else which words were typed before.
    await this.#budget?.spend(this.certifiedEpsilon, typed.length, digest);
    if (!key) return typed.map(() => this.#random);
    const { mechanism, numbers } = this.#mechanism.setting;
    // A bundle with other passing words takes other bytes: one stream of them decides one kind of draw.
    const setting = { mechanism, numbers: passing ? concat(numbers, passing.numbers) : numbers };
    return typed.map((id) => key.draw(digest, setting, id >= 0 ? vocabulary.word(id) : null));
  }
}

/** The id of what a word is typed as, or UNKNOWN, and where its first draw takes random bytes. */
interface Found {
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
