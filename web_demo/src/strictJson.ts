/**
 * A parser of JSON that may be hostile. It accepts the subset of `spec/bundle-format.md`, "JSON".
 *
 * `JSON.parse` accepts equal keys (and keeps the last), numbers that must be rounded or are too large, halves of
 * surrogate pairs, and any nesting. Every reader of a bundle accepts only this subset, so no file has different
 * meanings on two devices.
 */

import { decoded } from "./bytes.js";

/** A value. A number without a fraction and an exponent is a bigint; any other number is a finite double. */
export type Json = null | boolean | string | number | bigint | readonly Json[] | JsonObject;

/** An object's own fields, without inherited ones. */
export interface JsonObject {
  readonly [name: string]: Json;
}

/** Largest depth of nested objects and arrays, including the outermost. */
const DEEPEST = 32;

/** Largest number of characters of a number, with its sign, point and exponent. */
const LONGEST_NUMBER = 40;

const SPACE = /[ \t\n\r]*/y;
/** Groups: a string, a word or a number; the number again; and its fraction and exponent. */
const SCALAR =
  /"(?:[^"\\\0-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|true|false|null|(-?(?:0|[1-9]\d*)((?:\.\d+)?(?:[eE][+-]?\d+)?))/y;
const HALF = /[\ud800-\udfff]/u;

/** Thrown for a value that a reader doesn't accept. */
const WRONG = new Error();

/** Refuses a value. `readable` then uses its alternative. */
export function need(isRight: unknown): asserts isRight {
  if (!isRight) throw WRONG;
}

/**
 * Returns the value in `content`. The caller limits its size.
 *
 * @throws Error it isn't in the subset.
 */
export function parse(content: Uint8Array): Json {
  const text = decoded(content);
  let at = 0;

  function match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at += found[0].length;
    return found;
  }

  /** Skips spaces, then a character if it is the next one. */
  function take(character: string): boolean {
    match(SPACE);
    const isNext = text[at] === character;
    if (isNext) at++;
    return isNext;
  }

  function scalar(): Json {
    const found = match(SCALAR);
    need(found);
    const [literal, number, rest] = found;
    if (number === undefined) {
      const read = JSON.parse(literal) as string | boolean | null;
      need(typeof read !== "string" || !HALF.test(read));
      return read;
    }
    need(number.length <= LONGEST_NUMBER && number !== "-0");
    if (!rest) return BigInt(number);
    const double = Number(number);
    need(Number.isFinite(double));
    return double;
  }

  /** Reads a value with a limited depth of nested objects and arrays. */
  function value(levels: number): Json {
    if (take("{")) return members(levels);
    return take("[") ? elements(levels) : scalar();
  }

  function members(levels: number): JsonObject {
    const result: Record<string, Json> = Object.create(null);
    sequence(levels, "}", () => {
      match(SPACE);
      const name = scalar();
      need(typeof name === "string" && !(name in result) && take(":"));
      result[name] = value(levels - 1);
    });
    return result;
  }

  function elements(levels: number): readonly Json[] {
    const result: Json[] = [];
    sequence(levels, "]", () => result.push(value(levels - 1)));
    return result;
  }

  /** Reads the items between brackets. */
  function sequence(levels: number, end: string, item: () => void): void {
    need(levels > 0);
    if (take(end)) return;
    do item();
    while (take(","));
    need(take(end));
  }

  const whole = value(DEEPEST);
  match(SPACE);
  need(at === text.length);
  return whole;
}

/** Returns the result of `read` or, if it refused a value, of `otherwise`. */
export function readable<T, Other>(read: () => T, otherwise: () => Other): T | Other {
  try {
    return read();
  } catch (error) {
    if (error !== WRONG) throw error;
    return otherwise();
  }
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a value, which must be an object. */
export function objectOf(value: Json | undefined): JsonObject {
  need(isObject(value));
  return value;
}

/** Returns a value, which must be an array with an allowed number of items. */
export function arrayOf(value: Json | undefined, least = 0, most = Infinity): readonly Json[] {
  need(Array.isArray(value) && value.length >= least && value.length <= most);
  return value as readonly Json[];
}

/** Returns a value, which must be a string. */
export function stringOf(value: Json | undefined): string {
  need(typeof value === "string");
  return value;
}

/** Returns a value, which must be a string with an allowed number of code points. */
export function shortStringOf(value: Json | undefined, shortest: number, longest: number): string {
  const text = stringOf(value);
  const { length } = [...text];
  need(length >= shortest && length <= longest);
  return text;
}

/** Returns items, which must all be different. */
export function unique<T>(items: T[]): T[] {
  need(new Set(items.map((item) => JSON.stringify(item))).size === items.length);
  return items;
}

/** Returns a value, which must be a number in a range, as a double. */
export function numberOf(value: Json | undefined, least = -Infinity, most = Infinity): number {
  need(typeof value === "number" || typeof value === "bigint");
  const number = Number(value);
  need(number >= least && number <= most);
  return number;
}

/** Returns a value, which must be an integer in a range that doubles represent exactly. */
export function integerOf(value: Json | undefined, least?: number, most?: number): number {
  need(typeof value === "bigint");
  return numberOf(value, least, most);
}

/** Returns a value with numbers instead of bigints. */
export function plain(value: Json): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plain(field)]));
}
