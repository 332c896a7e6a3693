/**
 * JSON that may be hostile: the subset of `docs/reference/bundle-format.md`, "JSON".
 *
 * `JSON.parse` takes the last of two equal keys, numbers that are rounded or too large, halves of surrogate
 * pairs, and any nesting. Every reader of a bundle takes this subset, so that no file means different things
 * on two devices.
 */

import { decoded } from "./bytes.js";

/** A value; a number without fraction and exponent is a bigint, any other a finite number. */
export type Json = null | boolean | string | number | bigint | readonly Json[] | JsonObject;

/** An object: its fields, and nothing that it inherits. */
export interface JsonObject {
  readonly [name: string]: Json;
}

/** Objects and arrays within one another, the outermost included. */
const DEEPEST = 32;

/** Characters, with its sign, point and exponent. */
const LONGEST_NUMBER = 40;

const SPACE = /[ \t\n\r]*/y;
/** A string, a word or a number; the number again; and the fraction and exponent of that. */
const SCALAR =
  /"(?:[^"\\\0-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|true|false|null|(-?(?:0|[1-9]\d*)((?:\.\d+)?(?:[eE][+-]?\d+)?))/y;
const HALF = /[\ud800-\udfff]/u;

/**
 * Returns the value that `content` stands for. The caller limits its size.
 *
 * @throws Error it isn't of the subset.
 */
export function parse(content: Uint8Array): Json {
  const text = decoded(content);
  let at = 0;

  function refuse(): never {
    throw new SyntaxError("not JSON");
  }

  function match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at += found[0].length;
    return found;
  }

  /** Passes over spaces, then over a character if it is the next one. */
  function take(character: string): boolean {
    match(SPACE);
    const isNext = text[at] === character;
    if (isNext) at++;
    return isNext;
  }

  function scalar(): Json {
    const [literal, number, rest] = match(SCALAR) ?? refuse();
    if (number && (number.length > LONGEST_NUMBER || number === "-0")) refuse();
    if (number && !rest) return BigInt(number);
    const value = JSON.parse(literal) as Json;
    return (number ? Number.isFinite(value) : !HALF.test(`${value}`)) ? value : refuse();
  }

  function value(levels: number): Json {
    if (take("{")) return object(levels);
    return take("[") ? array(levels) : scalar();
  }

  /** Reads items up to the end of what holds them. */
  function each(levels: number, end: string, read: () => void): void {
    if (!levels) refuse();
    if (take(end)) return;
    do read();
    while (take(","));
    if (!take(end)) refuse();
  }

  function object(levels: number): JsonObject {
    const result: Record<string, Json> = Object.create(null);
    each(levels, "}", () => {
      match(SPACE);
      const name = scalar();
      if (typeof name !== "string" || name in result || !take(":")) return refuse();
      result[name] = value(levels - 1);
    });
    return result;
  }

  function array(levels: number): Json[] {
    const result: Json[] = [];
    each(levels, "]", () => result.push(value(levels - 1)));
    return result;
  }

  const whole = value(DEEPEST);
  match(SPACE);
  return at === text.length ? whole : refuse();
}

/** Returns a value if it is an object. */
export const objectOf = (value: Json | undefined): JsonObject | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;

/** Returns a value if it is an array. */
export const arrayOf = (value: Json | undefined): readonly Json[] | undefined =>
  Array.isArray(value) ? value : undefined;

/** Returns a value if it is a string. */
export const stringOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;

/** Returns a value as a double if it is a number; of one outside a range, nothing. */
export function numberOf(value: Json | undefined, least = -Infinity, most = Infinity): number | undefined {
  if (typeof value !== "number" && typeof value !== "bigint") return undefined;
  const number = Number(value);
  return number >= least && number <= most ? number : undefined;
}

/** Returns a value if it is an integer of a range that doubles have exactly. */
export const integerOf = (value: Json | undefined, least?: number, most?: number): number | undefined =>
  typeof value === "bigint" ? numberOf(value, least, most) : undefined;

/** Returns a value with numbers for bigints. */
export function plain(value: Json): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  const json = objectOf(value);
  return json ? Object.fromEntries(Object.entries(json).map(([name, field]) => [name, plain(field)])) : value;
}

/** Thrown where a field is missing or wrong. */
const WRONG = new Error();

/** Returns a value that a reader needs: neither missing nor false. */
export function needed<T>(value: T | false | undefined): T {
  if (value === undefined || value === false) throw WRONG;
  return value;
}

/** Returns what `read` returns, or nothing where it needed something that wasn't there. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error === WRONG) return undefined;
    throw error;
  }
}
