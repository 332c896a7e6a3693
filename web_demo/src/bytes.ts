/** Bytes and text. */

// React Native's engine may lack both, or have a decoder that accepts invalid UTF-8.
const ENCODER = globalThis.TextEncoder && new TextEncoder();
let DECODER: TextDecoder | undefined;
try {
  DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  DECODER.decode(Uint8Array.of(0xff));
  DECODER = undefined; // since it took that
} catch {
  // as it should
}
const isHalf = (point: string): boolean => point.length === 1 && point >= "\ud800" && point <= "\udfff";

/** Returns a text in UTF-8. Half of a surrogate pair becomes U+FFFD. */
export function encoded(text: string): Uint8Array {
  if (ENCODER) return ENCODER.encode(text);
  const escaped = encodeURIComponent(Array.from(text, (point) => isHalf(point) ? "\ufffd" : point).join(""));
  return Uint8Array.from(escaped.match(/%..|./g) ?? [], (unit) => unit[1] ? parseInt(unit.slice(1), 16) : unit.charCodeAt(0));
}

/**
 * Returns the text in UTF-8 bytes.
 *
 * @throws Error it isn't UTF-8.
 */
export const decoded = (bytes: Uint8Array): string =>
  DECODER ? DECODER.decode(bytes) : decodeURIComponent(hex(bytes).replace(/../g, "%$&"));

/** Returns bytes as lower-case hexadecimal digits. */
export function hex(bytes: Uint8Array): string {
  let digits = "";
  for (const byte of bytes) digits += byte.toString(16).padStart(2, "0");
  return digits;
}

/** Returns the bytes for an even number of hexadecimal digits. */
export const unhex = (digits: string): Uint8Array =>
  Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** Returns the bytes for a text in base 64. */
export const unbase64 = (text: string): Uint8Array =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

/** Returns a view that reads and writes numbers in place. */
export const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Returns the concatenation of bytes. */
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
