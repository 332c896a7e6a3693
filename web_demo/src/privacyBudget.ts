/** A privacy budget: how much may be released in a period. */

import { pageClock, type Clock, type Instant } from "./clock.js";
import { checkArgument, checkOptions, BudgetError, BudgetFileError } from "./errors.js";
import { isInteger, isWithin } from "./exact.js";
import { Lease } from "./lease.js";
import {
  continues, damaged, formOf, looking, PERIOD_FIELDS, periodLength, readClock, scaled, type Look, type Looking,
  type Period,
} from "./period.js";
import { oneAtATime, type StateFile, type Storage } from "./storage.js";

const DIGITS = 9; // the state counts billionths of epsilon, as integers
const EPSILON_MAX = 1e9;
const WORDS_MAX = 2 ** 31 - 1;
const UNIT = "[0-9A-Za-z._-]{1,64}";
const SPENT_END = 2n ** 63n;
const FORM = formOf("brr-budget", { unit: `"${UNIT}"`, spent: "0|[1-9][0-9]{0,18}", ...PERIOD_FIELDS });

/** A period, as of its last release or of the first look in another run. */
interface State extends Period {
  /** The unit of epsilon; empty in a period that hasn't started. */
  readonly unit: string;
  /** Billionths of epsilon. */
  readonly spent: bigint;
}

/** What a word costs, in billionths of epsilon. */
interface Price {
  readonly epsilon: number;
  readonly cost: bigint;
}

/** What is left of a running period, in billionths of epsilon. */
interface Unspent {
  readonly unit: string;
  readonly left: bigint;
}

/**
 * Counts released epsilon in a state, and refuses what would exceed the limit.
 *
 * Metric differential privacy composes by addition, so the budget counts epsilon per word. What a release
 * costs is stored before it happens: ended at any instant, a page has spent at least what it released.
 * Storing takes milliseconds, so a budget stores what the next releases cost, too: a lease, at most what
 * was released with this object in the period, and at most an eighth of what is left. A page or process
 * that ends loses it: keep the object.
 *
 * A period starts with the first release after the last one ended, so two limits can be spent around the
 * end of a period. While a page or a device runs, a period's time is counted by a clock that can't be set;
 * in a browser the clock that can be set counts between pages. Deleting the state forgets what was spent.
 * The rule and the form of the state are in `spec/state-files.md`.
 *
 * Proof: `docs/explanation/proofs.md`, "Budget".
 */
export class PrivacyBudget {
  readonly #limit: bigint;
  readonly #length: number;
  readonly #clock: Clock;
  readonly #looking: Looking<"unit" | "spent">;
  readonly #alone = oneAtATime();
  #lease: Lease | undefined;
  #price: Price = { epsilon: 0, cost: 0n };

  /**
   * Describes the budget; the state is made by the first release.
   *
   * @param limit epsilon that may be released in a period (sum over words), at most 1e9.
   * @param period its length in seconds, from 1 to 1e12.
   * @param state where it is counted.
   * @param options `clock` reads the clocks; for tests.
   * @throws ParameterError limit or period is out of range, or an argument is of another kind.
   */
  constructor(
    readonly limit: number,
    readonly period: number,
    readonly state: Storage,
    options: { clock?: Clock } = {},
  ) {
    checkArgument(state?.locked, "state must be a Storage");
    checkOptions(options);
    const { clock = state.clock ?? pageClock } = options;
    checkArgument(isWithin(limit, 0, EPSILON_MAX) && limit > 0, "budget limit must be a number above 0 and at most 1e9");
    this.#length = periodLength(period, "budget");
    this.#limit = scaled(limit, DIGITS, false);
    this.#clock = clock;
    this.#looking = looking(state, BudgetFileError, FORM, this.#length, clock);
  }

  /**
   * Records the release of `words` words with `epsilon` each, before it happens.
   *
   * @param epsilon from 0 to 1e9.
   * @param words how many, below 2^31.
   * @param unit the unit of epsilon, `WordBundle.digest`: epsilons of different bundles don't add up. 1 to 64 letters,
   *   digits, `.`, `_` and `-`, all ASCII.
   * @throws ParameterError an argument isn't as described.
   * @throws BudgetError it would exceed the limit, or epsilon was spent in another unit in this period.
   *   Nothing is recorded then, and nothing may be released.
   * @throws BudgetFileError the state is damaged or can't be written. Nothing may be released then.
   */
  async spend(epsilon: number, words: number, unit: string): Promise<void> {
    checkArgument(isWithin(epsilon, 0, EPSILON_MAX), "epsilon must be a number from 0 to 1e9");
    checkArgument(isInteger(words, 0, WORDS_MAX), "words must be an integer from 0 to 2^31 - 1");
    checkUnit(unit);
    await this.#alone(async () => {
      const each = this.#priceOf(epsilon);
      const cost = each * BigInt(words);
      if (!this.#lease?.allows(cost, unit, readClock(this.#clock), this.#length)) {
        this.#lease = await this.#stored(cost, each, unit);
      }
      this.#lease.release(cost);
    });
  }

  /**
   * Returns the epsilon that is left in this period, in the unit that it is spent in.
   *
   * That includes this object's lease, and no other one.
   *
   * @throws BudgetFileError the state is damaged, or can't be read or written.
   */
  async remaining(): Promise<number> {
    return epsilonOf((await this.#unspent()).left);
  }

  /**
   * Returns how many more words may be released in this period with `epsilon` each.
   *
   * `spend` then allows exactly that many, at once or one by one, if nothing else spends meanwhile. This number
   * depends only on the count and the cost of earlier releases.
   *
   * @param epsilon above 0 and at most 1e9: `Privatizer.certifiedEpsilon`, or `Counts.loss`.
   * @param unit the unit of epsilon, as in `spend`.
   * @returns at most 2^31 - 1; 0 if the running period counts another unit.
   * @throws ParameterError an argument isn't as described.
   * @throws BudgetFileError the state is damaged, or can't be read or written.
   */
  async wordsLeft(epsilon: number, unit: string): Promise<number> {
    checkArgument(isWithin(epsilon, 0, EPSILON_MAX) && epsilon > 0, "epsilon must be a number above 0 and at most 1e9");
    checkUnit(unit);
    const unspent = await this.#unspent();
    if (unspent.unit !== "" && unspent.unit !== unit) return 0;
    return Math.min(Number(unspent.left / this.#priceOf(epsilon)), WORDS_MAX);
  }

  /** Returns what is left of the running period. */
  #unspent(): Promise<Unspent> {
    return this.#alone(() =>
      this.#looking(async (file, look) => {
        const state = await this.#stateAt(file, look);
        return { unit: state.unit, left: this.#left(state) };
      }),
    );
  }

  /** Returns what a word costs with `epsilon`; nearly always it is the last one's. */
  #priceOf(epsilon: number): bigint {
    if (this.#price.epsilon !== epsilon) this.#price = { epsilon, cost: scaled(epsilon, DIGITS, true) };
    return this.#price.cost;
  }

  /** Stores what a release needs beyond the lease, and more; returns the lease that there is then. */
  #stored(cost: bigint, each: bigint, unit: string): Promise<Lease> {
    return this.#looking(async (file, look) => {
      const state = await this.#stateAt(file, look);
      const lease = this.#lease ?? new Lease(unit, state);
      const wait = Math.ceil((this.#length - state.elapsed) / 1000);
      if (state.unit !== "" && state.unit !== unit) {
        throw new BudgetError(
          `${this.state.name}: counts another bundle's epsilon; give each bundle a state of its own, or wait: the ` +
            `period ends in ${wait} seconds`,
          0,
          wait,
        );
      }
      const missing = cost - lease.stored;
      const paid = missing > 0n ? state.spent + missing : state.spent;
      if (paid > this.#limit) {
        const left = this.#left(state);
        throw new BudgetError(
          `the privacy budget doesn't allow this release: it costs ${shown(cost)}, ${shown(left)} of ` +
            `${shown(this.#limit)} is left; it renews in ${wait} seconds`,
          epsilonOf(left),
          wait,
        );
      }
      const spent = paid + lease.extra(this.#limit - paid, each);
      await file.replace(FORM.write({ ...state, unit, spent }));
      return new Lease(unit, state, lease.stored + spent - state.spent, lease.released);
    });
  }

  /** Returns the billionths of epsilon that may be released, here and elsewhere. */
  #left({ spent }: State): bigint {
    const unspent = spent < this.#limit ? this.#limit - spent : 0n;
    return this.#lease ? unspent + this.#lease.stored : unspent;
  }

  /**
   * Returns the running period as of now, or an empty one of no unit; drops a lease of another one.
   *
   * The first look in another run is stored: what is done to the clock from then on doesn't count.
   */
  async #stateAt(file: StateFile, look: Look<"unit" | "spent">): Promise<State> {
    const { fields, period } = look;
    const state = look.isOver
      ? { unit: "", spent: 0n, ...period }
      : { unit: fields.unit!, spent: BigInt(fields.spent!), ...period };
    if (state.spent >= SPENT_END) throw new BudgetFileError(damaged(this.state));
    if (look.isOther && !look.isOver) await file.replace(FORM.write(state));
    if (!this.#hasLease(state, look.now)) this.#lease = undefined;
    return state;
  }

  /** Returns whether there is a lease of a state's period and unit. */
  #hasLease(state: State, now: Instant): boolean {
    const lease = this.#lease;
    if (!lease || lease.unit !== state.unit) return false;
    return continues(state, lease.period) && lease.lives(now, this.#length);
  }
}

function checkUnit(unit: unknown): void {
  checkArgument(
    typeof unit === "string" && new RegExp(`^${UNIT}$`).test(unit),
    "a budget's unit must be 1 to 64 of A-Z a-z 0-9 . _ -; use WordBundle.digest",
  );
}

/** Returns billionths as the decimal that they are. */
function shown(billionths: bigint): string {
  const digits = `${billionths}`.padStart(DIGITS + 1, "0");
  return `${digits.slice(0, -DIGITS)}.${digits.slice(-DIGITS)}`.replace(/\.?0+$/, "");
}

const epsilonOf = (billionths: bigint): number => Number(shown(billionths));
