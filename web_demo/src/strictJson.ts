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

/** Thrown where a value isn't what a reader needs. */
const WRONG = new Error();

/** Refuses a value: `readable` takes something else then. */
export function need(isRight: unknown): asserts isRight {
  if (!isRight) throw WRONG;
}

/**
 * Returns the value that `content` stands for. The caller limits its size.
 *
 * @throws Error it isn't of the subset.
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

  /** Passes over spaces, then over a character if it is the next one. */
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
    need(!number || (number.length <= LONGEST_NUMBER && number !== "-0"));
    if (number && !rest) return BigInt(number);
    const value = JSON.parse(literal) as Json;
    need(number ? Number.isFinite(value) : !HALF.test(`${value}`));
    return value;
  }

  function value(levels: number): Json {
    const isObject = take("{");
    if (!isObject && !take("[")) return scalar();
    need(levels);
    const end = isObject ? "}" : "]";
    const result = isObject ? Object.create(null) : [];
    if (take(end)) return result;
    do {
      match(SPACE);
      const name = isObject ? scalar() : result.length;
      need(!isObject || (typeof name === "string" && !(name in result) && take(":")));
      result[name] = value(levels - 1);
    } while (take(","));
    need(take(end));
    return result;
  }

  const whole = value(DEEPEST);
  match(SPACE);
  need(at === text.length);
  return whole;
}

/** Returns what `read` returns, or what `otherwise` does where a value was refused. */
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

/** Returns a value that has to be an object. */
export function objectOf(value: Json | undefined): JsonObject {
  need(isObject(value));
  return value;
}

/** Returns a value that has to be an array. */
export function arrayOf(value: Json | undefined): readonly Json[] {
  need(Array.isArray(value));
  return value as readonly Json[];
}

/** Returns a value that has to be a string. */
export function stringOf(value: Json | undefined): string {
  need(typeof value === "string");
  return value;
}

/** Returns a value, which has to be a number in a range, as a double. */
export function numberOf(value: Json | undefined, least = -Infinity, most = Infinity): number {
  need(typeof value === "number" || typeof value === "bigint");
  const number = Number(value);
  need(number >= least && number <= most);
  return number;
}

/** Returns a value that has to be an integer, of a range that doubles have exactly. */
export function integerOf(value: Json | undefined, least?: number, most?: number): number {
  need(typeof value === "bigint");
  return numberOf(value, least, most);
}

/** Returns a value with numbers for bigints. */
export function plain(value: Json): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plain(field)])) : value;
}
