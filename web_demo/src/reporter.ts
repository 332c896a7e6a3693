/** A device's daily reports for counts: a uniform sample of the day's words. */

import type { PrivacyBudget } from "./privacyBudget.js";
import type { Counts } from "./counts.js";
import { checkArgument, checkOptions, checkRest } from "./errors.js";
import type { Outbox } from "./outbox.js";
import { systemRandom, type RandomSource } from "./randomness.js";
import type { ReportSource } from "./report.js";

const DAY = 86_400; // seconds

/**
 * Releases typed words for counting, and stores a sample of each day in an outbox.
 *
 * `docs/explanation/proofs.md`, "Counts", bounds the privacy loss of a person's day.
 */
export class Reporter {
  readonly #counts: Counts;
  readonly #outbox: Outbox;
  readonly #budget: PrivacyBudget | undefined;
  readonly #random: RandomSource;
  readonly #source: ReportSource;

  /**
   * @param counts releases the words; its setting limits their number per day.
   * @param outbox keeps the sample.
   * @param options `budget` counts `counts.loss` for each report of the day, before the draw, and may also be the
   *   budget for text; `random` is the source of random bytes. Don't set it in production.
   * @throws ParameterError an argument is of the wrong type.
   */
  constructor(
    counts: Counts,
    outbox: Outbox,
    options: { budget?: PrivacyBudget | undefined; random?: RandomSource } = {},
  ) {
    checkArgument(counts?.stated, "counts must be a Counts");
    checkArgument(outbox?.add, "outbox must be an Outbox");
    checkOptions(options);
    const { budget, random = systemRandom, ...rest } = options;
    checkRest(rest, "Reporter");
    checkArgument(!budget || budget.spend, "budget must be a PrivacyBudget");
    this.#counts = counts;
    this.#outbox = outbox;
    this.#budget = budget;
    this.#random = random;
    this.#source = { bundle: counts.bundle.manifestDigest, setting: counts.stated(repeats(counts)) };
  }

  /**
   * Releases typed `words`, and stores the outputs that the day's sample selects.
   *
   * @throws BudgetError the budget doesn't allow another report; the words weren't released.
   * @throws BrrError the budget's, the memory's or the outbox's record can't be used; no word was kept.
   */
  add(words: readonly string[]): Promise<void> {
    const { bundle, loss, setting } = this.#counts;
    return this.#outbox.add(this.#source, setting.wordsADay, words.length, this.#random, async (fresh) => {
      if (fresh > 0) await this.#budget?.spend(loss, fresh, bundle.digest);
      return this.#counts.words(words);
    });
  }
}

/** Returns the largest number of reports of one word on the days that a memory's period overlaps. */
function repeats({ memory, setting }: Counts): number {
  return memory ? setting.wordsADay * (Math.ceil(memory.period / DAY) + 1) : 1;
}
