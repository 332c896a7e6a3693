/**
 * How long a period has lasted, on a device that is restarted and whose clock can be set.
 *
 * The rule is in `docs/reference/state-files.md`: the uptime counts while the device runs, and the clock
 * that can be set counts only how long it was off. A state holds where the counting stands.
 */

import { encoded, hex } from "./bytes.js";
import type { Clock, Instant } from "./clock.js";
import { type BrrError, checkArgument } from "./errors.js";
import { isWithin } from "./exact.js";
import { sha256 } from "./sha256.js";
import { held, type StateFile, type Storage } from "./storage.js";

const PERIOD_MAX = 1e12; // seconds
const TIME_MAX = 1e15 - 1; // milliseconds; 15 digits
const LINE_MAX = 4096; // bytes; the longest state is shorter
const TIME = "(0|[1-9][0-9]{0,14})";

/** What `fieldsOf` gives, as a regular expression with a group for each field. */
export const PERIOD_FIELDS = `"elapsed": ${TIME}, "latest": ${TIME}, "boot": "([0-9a-f-]{0,36})", "uptime": ${TIME}`;

/** Where the counting of a period stood at a look that was stored. Times are in milliseconds. */
export interface Period {
  readonly elapsed: number;
  /** The latest that the clocks have told. */
  readonly latest: number;
  readonly boot: string;
  readonly uptime: number;
}

/** Returns what `clock` says, within what a state holds. */
export function readClock(clock: Clock): Instant {
  const now = clock();
  return { ...now, time: bounded(now.time), uptime: bounded(now.uptime) };
}

const bounded = (time: number) => Math.min(Math.max(time, 0), TIME_MAX);

/** Returns a period that starts `now`. */
const starting = ({ time, boot, uptime }: Instant): Period => ({ elapsed: 0, latest: time, boot, uptime });

/** Returns whether `now` is of the run of the stored look. */
export const isOf = (period: Period, now: Instant): boolean =>
  now.boot === period.boot && now.uptime >= period.uptime;

/** Returns the period as of `now`, which is later. */
function periodAt(period: Period, now: Instant): Period {
  const passed = isOf(period, now)
    ? now.uptime - period.uptime
    : Math.max(now.beside ? 0 : now.uptime, now.time - period.latest);
  return {
    elapsed: bounded(period.elapsed + passed),
    latest: bounded(Math.max(period.latest + passed, now.time)),
    boot: now.boot,
    uptime: now.uptime,
  };
}

/** Returns whether two looks, in one run, are at the same period. */
export const continues = (period: Period, earlier: Period): boolean =>
  period.uptime - earlier.uptime === period.elapsed - earlier.elapsed;

/** Returns the fields that a state has of a period, in the one form that they have. */
export const fieldsOf = ({ elapsed, latest, boot, uptime }: Period): string =>
  `"elapsed": ${elapsed}, "latest": ${latest}, "boot": "${boot}", "uptime": ${uptime}`;

/** Returns the period of the four groups of `PERIOD_FIELDS`. */
const periodOf = ([elapsed, latest, boot, uptime]: string[]): Period => ({
  elapsed: Number(elapsed),
  latest: Number(latest),
  boot: boot!,
  uptime: Number(uptime),
});

/** What a look at a state finds. */
export interface Look {
  readonly now: Instant;
  /** What the state's form has groups for; empty if there is no state. */
  readonly groups: readonly string[];
  /** As of now; one that starts if the stored one has ended, or there is none. */
  readonly period: Period;
  readonly isOver: boolean;
  /** Whether the state is of another run: what this look found of the period is then to be stored. */
  readonly isOther: boolean;
}

/** Returns what is said of a state that can't be trusted. */
export const damaged = ({ name }: Storage): string =>
  `${name}: damaged, or another state; nothing is released until it is restored or removed`;

/**
 * Returns what looks at a state under its lock, and runs work then.
 *
 * @param Failure makes the errors of what can't be used, or has another form.
 * @param form from `formOf`.
 * @param length of a period, in milliseconds.
 */
export const looking =
  (storage: Storage, Failure: new (message: string) => BrrError, form: RegExp, length: number, clock: Clock) =>
  <T>(work: (file: StateFile, look: Look) => Promise<T>): Promise<T> =>
    held(storage, Failure, async (file) => {
      const now = readClock(clock);
      const content = await file.read();
      if (!content) return work(file, { now, groups: [], period: starting(now), isOver: true, isOther: true });
      const groups = groupsOf(form, content);
      if (!groups) throw new Failure(damaged(storage));
      const stored = periodOf(groups.slice(-4));
      const at = periodAt(stored, now);
      const isOver = at.elapsed >= length;
      const period = isOver ? { ...at, elapsed: 0 } : at;
      return work(file, { now, groups, period, isOver, isOther: !isOf(stored, now) });
    });

/** Returns the line of a state: its format and `fields`, with their digest. */
export function signed(format: string, fields: string): Uint8Array {
  const line = `{"format": "${format}", "format_version": 1, ${fields}`;
  return encoded(`${line}, "sha256": "${digest(line)}"}\n`);
}

/** Returns a regular expression of such a line, with a group for each of `fields`, which are expressions. */
export const formOf = (format: string, fields: string): RegExp =>
  new RegExp(`^(\\{"format": "${format}", "format_version": 1, ${fields}), "sha256": "([0-9a-f]{64})"\\}\\n$`);

/** Returns the groups of `form` in a state's `content`, or null if it isn't what one has. */
export function groupsOf(form: RegExp, content: Uint8Array): string[] | null {
  if (content.length > LINE_MAX) return null;
  const match = form.exec(String.fromCharCode(...content));
  return match && digest(match[1]!) === match.at(-1) ? match.slice(2, -1) : null;
}

const digest = (fields: string) => hex(sha256(encoded(fields)));

/**
 * Returns a period of so many seconds in milliseconds, rounded up.
 *
 * @param seconds from 1 to 1e12.
 * @param owner of the period, for the message.
 * @throws ParameterError it isn't a number in that range.
 */
export function periodLength(seconds: number, owner: string): number {
  checkArgument(isWithin(seconds, 1, PERIOD_MAX), `${owner} period must be from 1 to 1e12 seconds`);
  return Number(scaled(seconds, 3, true));
}

/**
 * Returns 10^`digits` times the decimal that `value` prints as, rounded: 0.1 is meant as one tenth.
 *
 * @param value not negative.
 */
export function scaled(value: number, digits: number, up: boolean): bigint {
  const [decimals, exponent] = value.toExponential().split("e") as [string, string];
  const [whole, rest = ""] = decimals.split(".") as [string, string?];
  const shift = Number(exponent) - rest.length + digits;
  const number = BigInt(whole + rest);
  const power = 10n ** BigInt(Math.abs(shift));
  if (shift >= 0) return number * power;
  return (number + (up ? power - 1n : 0n)) / power;
}
