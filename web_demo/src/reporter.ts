/** What a device reports of a day: a uniform sample of its words, released for counts. */

import type { PrivacyBudget } from "./privacyBudget.js";
import type { Counts } from "./counts.js";
import { checkArgument, checkOptions, checkRest } from "./errors.js";
import type { Outbox } from "./outbox.js";
import { systemRandom, type RandomSource } from "./randomness.js";

const DAY = 86_400; // seconds

/**
 * Draws typed words for counting, and keeps a sample of each day in an outbox.
 *
 * What a person's day loses is in `docs/explanation/proofs.md`, "Counts".
 */
export class Reporter {
  readonly #add: (words: readonly string[]) => Promise<void>;

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
    const { bundle, memory, loss, setting: { wordsADay } } = counts;
    checkOptions(options);
    const { budget, random = systemRandom, ...rest } = options;
    checkRest(rest, "Reporter");
    checkArgument(!budget || budget.spend, "budget must be a PrivacyBudget");
    // How often a word can be among the samples of the days that a memory's period touches.
    const repeats = memory ? wordsADay * (Math.ceil(memory.period / DAY) + 1) : 1;
    const source = { bundle: bundle.manifestDigest, setting: counts.stated(repeats) };
    this.#add = (words) =>
      outbox.add(source, wordsADay, words.length, random, async (fresh) => {
        if (fresh > 0) await budget?.spend(loss, fresh, bundle.digest);
        return counts.words(words);
      });
  }

  /**
   * Releases `words` that were typed, and keeps those that the day's sample takes; they are stored then.
   *
   * @throws BudgetError the budget doesn't allow another report; the words weren't released.
   * @throws BrrError the budget's, the memory's or the outbox's record can't be used; no word was kept.
   */
  add(words: readonly string[]): Promise<void> {
    return this.#add(words);
  }
}
