/** A privacy budget: the epsilon that may be released in a period. */

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
  /** Digest of the bundle to which epsilon refers; empty before the period starts. */
  readonly unit: string;
  /** Billionths of epsilon. */
  readonly spent: bigint;
}

/** The cost of a word, in billionths of epsilon. */
interface Price {
  readonly epsilon: number;
  readonly cost: bigint;
}

/** The rest of a running period's limit, in billionths of epsilon. */
interface Unspent {
  readonly unit: string;
  readonly left: bigint;
}

/**
 * Counts released epsilon in a state, and refuses releases that would exceed the limit.
 *
 * Metric differential privacy composes by addition, so the budget counts epsilon per word. The cost of a release is
 * stored before the release, so even a killed page has recorded at least what it released. Storing takes milliseconds.
 * A budget therefore also stores the cost of the next releases, as a lease: at most what was released with this object
 * in the period, and at most an eighth of the rest. When a page or process ends, its lease is lost, so keep the object.
 *
 * A period starts with the first release after the previous period has ended, so two limits can be spent around the end
 * of a period. While a page or a device runs, a clock that nobody can set measures a period's time; in a browser, the
 * wall clock measures the time between pages. Deleting the state loses the record of spent epsilon.
 * `spec/state-files.md` specifies the rule and the form of the state.
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
   * Describes the budget; the first release creates the state.
   *
   * @param limit largest sum of epsilon over the words released in a period; above 0, at most 1e9.
   * @param period length of a period in seconds, from 1 to 1e12.
   * @param state storage of the state.
   * @param options `clock` reads the clocks; for tests.
   * @throws ParameterError limit or period is out of range, or an argument is of the wrong type.
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
   * Records the release of `words` words with `epsilon` each. Call it before the release.
   *
   * @param epsilon privacy loss of a word, from 0 to 1e9.
   * @param words number of words, below 2^31.
   * @param unit `WordBundle.digest` of the bundle to which epsilon refers: epsilons of different bundles don't add up.
   *   1 to 64 letters, digits, `.`, `_` and `-`, all ASCII.
   * @throws ParameterError an argument is invalid.
   * @throws BudgetError the release would exceed the limit, or this period counts another unit. Nothing is recorded,
   *   and nothing may be released.
   * @throws BudgetFileError the state is damaged, or can't be read or written. Nothing may be released.
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
   * Returns the remaining epsilon of this period, in the period's unit.
   *
   * This includes this object's lease, but no other lease.
   *
   * @throws BudgetFileError the state is damaged, or can't be read or written.
   */
  async remaining(): Promise<number> {
    return epsilonOf((await this.#unspent()).left);
  }

  /**
   * Returns the number of words that may still be released in this period.
   *
   * `spend` then allows exactly this number, at once or one by one, if nothing else spends meanwhile. The number
   * depends only on the number and cost of earlier releases.
   *
   * @param epsilon privacy loss of a word, above 0 and at most 1e9: `Privatizer.certifiedEpsilon`, or `Counts.loss`.
   * @param unit `WordBundle.digest` of the bundle, as for `spend`.
   * @returns at most 2^31 - 1; 0 if the running period counts another unit.
   * @throws ParameterError an argument is invalid.
   * @throws BudgetFileError the state is damaged, or can't be read or written.
   */
  async wordsLeft(epsilon: number, unit: string): Promise<number> {
    checkArgument(isWithin(epsilon, 0, EPSILON_MAX) && epsilon > 0, "epsilon must be a number above 0 and at most 1e9");
    checkUnit(unit);
    const unspent = await this.#unspent();
    if (unspent.unit !== "" && unspent.unit !== unit) return 0;
    return Math.min(Number(unspent.left / this.#priceOf(epsilon)), WORDS_MAX);
  }

  /** Returns the rest of the running period's limit. */
  #unspent(): Promise<Unspent> {
    return this.#alone(() =>
      this.#looking(async (file, look) => {
        const state = await this.#stateAt(file, look);
        return { unit: state.unit, left: this.#left(state) };
      }),
    );
  }

  /** Returns the cost of a word with `epsilon`, which is usually that of the last one. */
  #priceOf(epsilon: number): bigint {
    if (this.#price.epsilon !== epsilon) this.#price = { epsilon, cost: scaled(epsilon, DIGITS, true) };
    return this.#price.cost;
  }

  /** Stores the cost that exceeds the lease, and an extra; returns the new lease. */
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
   * Returns the running period as of now, or an empty one without a unit; drops a lease of another period.
   *
   * The first look in another run is stored, so later changes of the wall clock have no effect.
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

/** Returns billionths as a decimal. */
function shown(billionths: bigint): string {
  const digits = `${billionths}`.padStart(DIGITS + 1, "0");
  return `${digits.slice(0, -DIGITS)}.${digits.slice(-DIGITS)}`.replace(/\.?0+$/, "");
}

const epsilonOf = (billionths: bigint): number => Number(shown(billionths));
