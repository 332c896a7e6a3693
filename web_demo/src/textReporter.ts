/** What a device reports of a day's text: as many frames of as many words, whatever was typed. */

import { checkArgument, checkOptions, checkRest } from "./errors.js";
import type { Frame } from "./frameDays.js";
import { cutMarks, typedIn, type Mark } from "./marks.js";
import type { Outbox } from "./outbox.js";
import type { PrivacyBudget } from "./privacyBudget.js";
import { Privatizer, type Stream } from "./privatizer.js";
import { systemRandom, type RandomSource } from "./randomness.js";
import type { ReportSource } from "./report.js";
import { resolveFrames } from "./resolve.js";
import { DEFAULT_MECHANISM, type Frames, type Setting } from "./setting.js";
import { oneAtATime } from "./storage.js";
import { UNKNOWN } from "./token.js";
import type { WordBundle } from "./wordBundle.js";

/** How text is reported. */
export interface TextReporterOptions {
  /** How words are released. Without it, the bundle's recommended setting is used. */
  readonly setting?: Setting | undefined;
  /** The shape of a day. Without it, the bundle's is used. */
  readonly frames?: Frames | undefined;
  /**
   * Pays for all words of a day when it begins, whatever will be typed. Give it one of its own: where text is paid
   * from it, too, a day without frames tells that much was typed.
   */
  readonly budget?: PrivacyBudget | undefined;
  /** Source of random bytes. Leave it alone in production. */
  readonly random?: RandomSource | undefined;
}

/** What an unknown word is typed as: no word of the vocabulary is spelled like that. */
const FILLER = "";

/**
 * Releases typed text in frames, and keeps those that the day's sample takes in an outbox.
 *
 * A frame has a fixed number of words, and a day a fixed number of frames: a text is cut into frames, and the last one
 * filled by releases of unknown words; a day begins with frames of these alone. So nothing but the released words
 * depends on what was typed. Nothing typed is held.
 *
 * Proof: `docs/explanation/proofs.md`, "Frames".
 */
export class TextReporter {
  readonly #bundle: WordBundle;
  readonly #outbox: Outbox;
  readonly #privatizer: Privatizer;
  readonly #budget: PrivacyBudget | undefined;
  readonly #random: RandomSource;
  readonly #source: ReportSource;
  readonly #alone = oneAtATime();
  /** What releases the piece of a text that isn't a frame yet, and its released words. */
  #stream: Stream;
  #piece: string[] = [];

  /** The shape of a day that is in force, given or the bundle's. */
  readonly frames: Frames;

  /**
   * @param bundle its words are released, without a memory, which would link frames.
   * @param outbox keeps the frames.
   * @throws ParameterError a value is unknown, out of range or of another kind, there is no setting or shape and the
   *   bundle has none, or the bundle is a list.
   * @throws BundleError the recommended setting isn't one that this version can run.
   */
  constructor(bundle: WordBundle, outbox: Outbox, options: TextReporterOptions = {}) {
    checkOptions(options);
    const { setting, frames, budget, random = systemRandom, ...rest } = options;
    checkRest(rest, "TextReporter");
    checkArgument(outbox?.addFrames, "outbox must be an Outbox");
    checkArgument(!budget || budget.spend, "budget must be a PrivacyBudget");
    this.#privatizer = new Privatizer(bundle, { setting, random });
    this.frames = resolveFrames(bundle, frames);
    this.#bundle = bundle;
    this.#outbox = outbox;
    this.#budget = budget;
    this.#random = random;
    this.#source = { bundle: bundle.manifestDigest, setting: setting ? this.#stated() : "recommended" };
    this.#stream = this.#privatizer.stream();
  }

  /**
   * Begins the day if it hasn't begun: its frames leave although nobody types. An `Uploader` that has this reporter
   * calls it.
   *
   * @throws BudgetError the budget doesn't allow a day; nothing was released.
   * @throws BrrError the budget's or the outbox's record can't be used; nothing is kept.
   */
  beginDay(): Promise<void> {
    return this.#alone(() => this.#keep([]));
  }

  /**
   * Releases a text of its own.
   *
   * @param options `marks`, as in `Privatizer.text`: parts that are one token each.
   * @throws ParameterError a mark is empty, outside the text, within a character, or of no list of the policy.
   * @throws BrrError as `beginDay`.
   */
  add(text: string, options: { readonly marks?: readonly Mark[] | undefined } = {}): Promise<void> {
    return this.#alone(async () => {
      checkArgument(typeof text === "string", "add takes a string");
      checkOptions(options);
      const { marks = [], ...rest } = options;
      checkRest(rest, "add");
      const { tokenizer, vocabulary } = this.#bundle;
      const typed = typedIn(text, cutMarks(text, marks, tokenizer), tokenizer);
      await this.#keep([]);
      await this.#end();
      for (const id of typed) await this.#release(id === UNKNOWN ? FILLER : vocabulary.word(id));
      await this.#end();
    });
  }

  /**
   * Releases the next word of a text that is being typed, taken as `Privatizer.word` takes it; in the order of the calls.
   *
   * @throws BrrError as `beginDay`.
   */
  word(word: string): Promise<void> {
    return this.#alone(async () => {
      checkArgument(typeof word === "string", "word takes a string");
      await this.#keep([]);
      await this.#release(word);
    });
  }

  /**
   * Ends the text whose words were given one by one.
   *
   * @throws BrrError as `beginDay`; the words since the last frame are lost.
   */
  end(): Promise<void> {
    return this.#alone(() => this.#end());
  }

  async #end(): Promise<void> {
    while (this.#piece.length > 0) await this.#release(FILLER);
  }

  async #release(word: string): Promise<void> {
    this.#piece.push((await this.#stream.word(word))!); // no policy leaves it out
    if (this.#piece.length < this.frames.words) return;
    const frame = this.#piece;
    this.#drop();
    await this.#keep([frame]);
  }

  /** Shows frames to the day; if it begins with that, what is in progress goes: it may be of before a withdrawal. */
  async #keep(shown: readonly Frame[]): Promise<void> {
    const hasBegun = await this.#outbox.addFrames(this.#source, this.frames, shown, this.#random, () => this.#fillers());
    if (hasBegun) this.#drop();
  }

  #drop(): void {
    this.#piece = [];
    this.#stream = this.#privatizer.stream();
  }

  /** Pays for a day, and draws its first frames. */
  async #fillers(): Promise<Frame[]> {
    const { words, aDay } = this.frames;
    await this.#budget?.spend(this.#privatizer.certifiedEpsilon, words * aDay, this.#bundle.digest);
    const frames: Frame[] = [];
    while (frames.length < aDay) frames.push(await this.#privatizer.words(Array<string>(words).fill(FILLER)));
    return frames;
  }

  /** Returns the given setting as reports state it: `spec/reports.md`, "Settings". */
  #stated(): unknown {
    const { mechanism = DEFAULT_MECHANISM, epsilon, parameters: { k: _, ...parameters } = {} } = this.#privatizer.setting;
    return { mechanism, epsilon, parameters };
  }
}
