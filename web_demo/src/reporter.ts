/** What a device reports of a day: a uniform sample of its words, released for counts. */

import type { PrivacyBudget } from "./privacyBudget.js";
import type { Counts } from "./counts.js";
import { checkArgument, checkOptions } from "./errors.js";
import { isWithin } from "./exact.js";
import type { Outbox, ReportSource } from "./outbox.js";
import { systemRandom, type RandomSource } from "./randomness.js";
import { MOST_A_DAY } from "./setting.js";

const DAY = 24 * 3600; // seconds

/**
 * Draws typed words for counting, and keeps a sample of each day in an outbox.
 *
 * What a person's day loses is in `docs/explanation/proofs.md`, "Counts".
 */
export class Reporter {
  readonly #counts: Counts;
  readonly #outbox: Outbox;
  readonly #budget: PrivacyBudget | undefined;
  readonly #random: RandomSource;
  readonly #source: ReportSource;

  /** How many words of a day are reported, at most. */
  readonly wordsADay: number;

  /**
   * @param counts releases the words.
   * @param outbox keeps them.
   * @param options `wordsADay`, from 1 to 1,000, by default what the bundle's counts setting says; `budget`
   *   counts `counts.loss` for each word that will leave, before it is drawn, and may be the one that text
   *   is released with; `random`, which is left alone in production.
   * @throws ParameterError wordsADay is out of range, or it isn't given and the bundle recommends nothing; or an
   *   argument is of another kind.
   */
  constructor(
    counts: Counts,
    outbox: Outbox,
    options: { wordsADay?: number | undefined; budget?: PrivacyBudget | undefined; random?: RandomSource } = {},
  ) {
    checkArgument(counts?.setting, "counts must be a Counts");
    checkArgument(outbox?.add, "outbox must be an Outbox");
    const { bundle, memory } = counts;
    checkOptions(options);
    const { wordsADay = bundle.counts?.wordsADay, budget, random = systemRandom } = options;
    checkArgument(!budget || budget.spend, "budget must be a PrivacyBudget");
    checkArgument(
      isWithin(wordsADay, 1, MOST_A_DAY) && Number.isInteger(wordsADay),
      "wordsADay must be an integer from 1 to 1,000, unless the bundle recommends one",
    );
    this.wordsADay = wordsADay;
    this.#counts = counts;
    this.#outbox = outbox;
    this.#budget = budget;
    this.#random = random;
    // How often a word can be among the samples of the days that a memory's period touches.
    const repeats = memory ? wordsADay * (Math.ceil(memory.period / DAY) + 1) : 1;
    this.#source = { bundle: bundle.manifestDigest, setting: counts.setting(repeats) };
  }

  /**
   * Releases `words` that were typed, and keeps those that the day's sample takes; they are stored then.
   *
   * @throws BudgetError the budget doesn't allow another report; the words weren't released.
   * @throws BrrError the budget's, the memory's or the outbox's record can't be used; no word was kept.
   */
  add(words: readonly string[]): Promise<void> {
    return this.#outbox.add(this.#source, this.wordsADay, words.length, this.#random, async (fresh) => {
      const { loss, bundle } = this.#counts;
      if (fresh > 0) await this.#budget?.spend(loss, fresh, bundle.digest);
      return this.#counts.words(words);
    });
  }
}
