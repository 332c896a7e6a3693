/**
 * The elapsed time of a period, on a device that restarts and whose clock users can set.
 *
 * The rule is in `spec/state-files.md`: the uptime measures the time while the device runs, and the wall clock measures
 * only how long it was off. A state contains the elapsed time.
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
const TIME = "0|[1-9][0-9]{0,14}";

/** The fields of a period, as regular expressions. */
export const PERIOD_FIELDS = { elapsed: TIME, latest: TIME, boot: '"[0-9a-f-]{0,36}"', uptime: TIME };

/** A period, as of a stored look at it. Times are in milliseconds. */
export interface Period {
  readonly elapsed: number;
  /** The latest time that the clocks have shown. */
  readonly latest: number;
  readonly boot: string;
  readonly uptime: number;
}

/** Returns the reading of `clock`, within the limits of a state. */
export function readClock(clock: Clock): Instant {
  const now = clock();
  return { ...now, time: bounded(now.time), uptime: bounded(now.uptime) };
}

const bounded = (time: number): number => Math.min(Math.max(time, 0), TIME_MAX);

/** Returns a period that starts at `now`. */
const startingAt = ({ time, boot, uptime }: Instant): Period => ({ elapsed: 0, latest: time, boot, uptime });

/** Returns whether `now` is in the same run as the stored look. */
export const isOf = (period: Period, now: Instant): boolean =>
  now.boot === period.boot && now.uptime >= period.uptime;

/** Returns whether two looks in one run are at the same period. */
export const continues = (period: Period, earlier: Period): boolean =>
  period.uptime - earlier.uptime === period.elapsed - earlier.elapsed;

/** Returns the period as of `now`, which is later. */
function periodAt(period: Period, now: Instant): Period {
  const passed = passedSince(period, now);
  return {
    elapsed: bounded(period.elapsed + passed),
    latest: bounded(Math.max(period.latest + passed, now.time)),
    boot: now.boot,
    uptime: now.uptime,
  };
}

function passedSince(period: Period, now: Instant): number {
  if (isOf(period, now)) return now.uptime - period.uptime;
  // After a restart, at least the uptime has passed.
  const least = now.beside ? 0 : now.uptime;
  return Math.max(least, now.time - period.latest);
}

/** The result of a look at a state. */
export interface Look<Name extends string> {
  readonly now: Instant;
  /** The state's fields; none if there is no state. */
  readonly fields: Partial<Record<Name, string>>;
  /** The period as of now; a new one if the stored one has ended, or if there is none. */
  readonly period: Period;
  /** Whether the stored period has ended, or there is none. */
  readonly isOver: boolean;
  /** Whether the state is from another run. The period as of this look must then be stored. */
  readonly isOther: boolean;
}

/** Returns the message for a state that can't be trusted. */
export const damaged = ({ name }: Storage): string =>
  `${name}: damaged, or another state; nothing is released until it is restored or removed`;

/** Runs work with a state and a look at it. */
export type Looking<Name extends string> = <T>(work: (file: StateFile, look: Look<Name>) => Promise<T>) => Promise<T>;

/**
 * Returns a function that looks at a state under its lock, and runs work.
 *
 * @param Failure makes the errors for a state that can't be used, or has another form.
 * @param form from `formOf`.
 * @param length of a period, in milliseconds.
 */
export function looking<Name extends string>(
  storage: Storage,
  Failure: new (message: string) => BrrError,
  form: Form<Name | keyof Period>,
  length: number,
  clock: Clock,
): Looking<Name> {
  return (work) =>
    held(storage, Failure, async (file) => {
      const now = readClock(clock);
      const content = await file.read();
      if (!content) return work(file, { now, fields: {}, period: startingAt(now), isOver: true, isOther: false });
      const fields = form.read(content);
      if (!fields) throw new Failure(damaged(storage));
      const stored: Period = {
        elapsed: Number(fields.elapsed),
        latest: Number(fields.latest),
        boot: fields.boot,
        uptime: Number(fields.uptime),
      };
      const period = periodAt(stored, now);
      const isOver = period.elapsed >= length;
      return work(file, {
        now,
        fields,
        period: isOver ? { ...period, elapsed: 0 } : period,
        isOver,
        isOther: !isOf(stored, now),
      });
    });
}

/** The only form of a state in a given format: a line with its fields and their digest. */
export interface Form<Name extends string> {
  /** Returns a state's content. */
  write(fields: Readonly<Record<Name, string | number | bigint>>): Uint8Array;
  /** Returns the fields in a state's content; nothing if the content doesn't have this form. */
  read(content: Uint8Array): Record<Name, string> | undefined;
}

/**
 * Returns a form whose `fields`, in this order, match regular expressions. Expressions for strings include quotation
 * marks.
 */
export function formOf<Name extends string>(format: string, fields: Readonly<Record<Name, string>>): Form<Name> {
  const names = Object.keys(fields) as Name[];
  const lineOf = (shown: (name: Name) => unknown): string => {
    const each = names.map((name) => `"${name}": ${shown(name)}`);
    return `{"format": "${format}", "format_version": 1, ${each.join(", ")}`;
  };
  const digest = (line: string): string => hex(sha256(encoded(line)));
  const signed = new RegExp(`^(\\${lineOf((name) => `(${fields[name]})`)}), "sha256": "(.*)"\\}\\n$`);
  return {
    write(values) {
      const isString = (name: Name): boolean => fields[name].startsWith('"');
      const line = lineOf((name) => (isString(name) ? `"${values[name]}"` : values[name]));
      return encoded(`${line}, "sha256": "${digest(line)}"}\n`);
    },
    read(content) {
      if (content.length > LINE_MAX) return undefined;
      const match = signed.exec(String.fromCharCode(...content));
      if (!match) return undefined;
      const line = match[1]!;
      const groups = match.slice(2);
      if (digest(line) !== groups.pop()) return undefined;
      const unquoted = names.map((name, place) => [name, groups[place]!.replace(/"/g, "")]);
      return Object.fromEntries(unquoted) as Record<Name, string>;
    },
  };
}

/**
 * Returns a period of `seconds` in milliseconds, rounded up.
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
 * Returns 10^`digits` times the shortest decimal of `value`, rounded: 0.1 means one tenth.
 *
 * @param value not negative.
 * @param up whether to round up, or down.
 */
export function scaled(value: number, digits: number, up: boolean): bigint {
  const [decimals, exponent] = value.toExponential().split("e") as [string, string];
  const [whole, fraction = ""] = decimals.split(".") as [string, string?];
  const shift = Number(exponent) - fraction.length + digits;
  const number = BigInt(whole + fraction);
  const power = 10n ** BigInt(Math.abs(shift));
  if (shift >= 0) return number * power;
  return up ? (number + power - 1n) / power : number / power;
}
