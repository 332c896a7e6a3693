/** What a device reports of a day for counts: a uniform sample of its words. */

import type { PrivacyBudget } from "./privacyBudget.js";
import type { Counts } from "./counts.js";
import { checkArgument, checkOptions, checkRest } from "./errors.js";
import type { Outbox } from "./outbox.js";
import { systemRandom, type RandomSource } from "./randomness.js";
import type { ReportSource } from "./report.js";

const DAY = 86_400; // seconds

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

  /**
   * @param counts releases the words; its setting says how many of a day leave, at most.
   * @param outbox keeps them.
   * @param options `budget` counts `counts.loss` for each word that will leave, before it is drawn, and may be
   *   the one that text is released with; `random`, which is left alone in production.
   * @throws ParameterError an argument is of another kind.
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
   * Releases `words` that were typed, and keeps those that the day's sample takes; they are stored then.
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

/** Returns how often a word can be among the samples of the days that a memory's period touches. */
function repeats({ memory, setting }: Counts): number {
  return memory ? setting.wordsADay * (Math.ceil(memory.period / DAY) + 1) : 1;
}
