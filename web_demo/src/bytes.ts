/** Bytes and text. */

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the UTF-8 of a text; half of a surrogate pair becomes U+FFFD. */
export const encoded = (text: string): Uint8Array => ENCODER.encode(text);

/**
 * Returns the text that UTF-8 stands for.
 *
 * @throws TypeError it isn't UTF-8.
 */
export const decoded = (bytes: Uint8Array): string => DECODER.decode(bytes);

/** Returns bytes as lower-case hexadecimal digits. */
export function hex(bytes: Uint8Array): string {
  let digits = "";
  for (const byte of bytes) digits += byte.toString(16).padStart(2, "0");
  return digits;
}

/** Returns the bytes that hexadecimal digits, of an even number, stand for. */
export const unhex = (digits: string): Uint8Array =>
  Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** Returns the bytes that base 64 stands for. */
export const unbase64 = (text: string): Uint8Array =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

/** Returns what reads and writes numbers in bytes, where they are. */
export const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Returns bytes one after the other. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Returns numbers from 0 to 2^64 - 1 as eight bytes each, the lowest first. */
export const eightBytes = (...numbers: readonly (number | bigint)[]): Uint8Array =>
  new Uint8Array(BigUint64Array.from(numbers, BigInt).buffer);

/** Returns doubles as eight bytes each, the lowest first. */
export const doubles = (numbers: readonly number[]): Uint8Array => new Uint8Array(Float64Array.from(numbers).buffer);
