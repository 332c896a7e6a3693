/** A device's daily reports of text: a fixed number of frames with a fixed number of words. */

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

/** Options of a `TextReporter`. */
export interface TextReporterOptions {
  /** A setting for `Privatizer`. Without it, the bundle's recommended setting is used. */
  readonly setting?: Setting | undefined;
  /** The shape of a day. Without it, the bundle's is used. */
  readonly frames?: Frames | undefined;
  /**
   * Pays for all words of a day when it begins, whatever will be typed. Use a separate budget: if it also pays for
   * other text, a day without frames reveals that much was typed.
   */
  readonly budget?: PrivacyBudget | undefined;
  /** Source of random bytes. Don't set it in production. */
  readonly random?: RandomSource | undefined;
}

/** The string for an unknown word: no word of the vocabulary has this spelling. */
const FILLER = "";

/**
 * Releases typed text in frames, and stores the day's sample of them in an outbox.
 *
 * A frame has a fixed number of words, and a day has a fixed number of frames. A text is cut into frames; fillers,
 * which are releases of unknown words, complete the last one. A day begins with frames of fillers only. So only the
 * released words depend on typing. Nothing typed is held.
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
  /** The stream that releases an incomplete frame, and its released words. */
  #stream: Stream;
  #piece: string[] = [];

  /** The shape of a day in force, given or the bundle's. */
  readonly frames: Frames;

  /**
   * @param bundle an opened bundle. There is no memory, which would link frames.
   * @param outbox keeps the frames.
   * @throws ParameterError a value is unknown, out of range or of the wrong type, the setting or the shape is missing,
   *   in the bundle, too, or the bundle is a list.
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
   * Begins the day if it hasn't begun, so that its frames are sent even if nobody types. An `Uploader` with this
   * reporter calls it.
   *
   * @throws BudgetError the budget doesn't allow a day; nothing was released.
   * @throws BrrError the budget's or the outbox's record can't be used; nothing is kept.
   */
  beginDay(): Promise<void> {
    return this.#alone(() => this.#keep([]));
  }

  /**
   * Releases a separate text.
   *
   * @param options `marks`, as for `Privatizer.text`: parts that are one token each.
   * @throws ParameterError a mark is empty, outside the text or within a character, or names a list that the policy
   *   lacks.
   * @throws BrrError as for `beginDay`.
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
   * Releases the next word of a text in progress, read as `Privatizer.word` reads it; in the order of the calls.
   *
   * @throws BrrError as for `beginDay`.
   */
  word(word: string): Promise<void> {
    return this.#alone(async () => {
      checkArgument(typeof word === "string", "word takes a string");
      await this.#keep([]);
      await this.#release(word);
    });
  }

  /**
   * Ends the text in progress.
   *
   * @throws BrrError as for `beginDay`; the words since the last frame are lost.
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

  /**
   * Offers frames to the day's sample. If this begins the day, drops the text in progress, which may have been released
   * before a withdrawal.
   */
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

  /** Returns the given setting in the form of reports: `spec/reports.md`, "Settings". */
  #stated(): unknown {
    const { mechanism = DEFAULT_MECHANISM, epsilon, parameters: { k: _, ...parameters } = {} } = this.#privatizer.setting;
    return { mechanism, epsilon, parameters };
  }
}
