/** Scans of all codes, compiled to WebAssembly. */

import { unbase64 } from "./bytes.js";
import type { Scan, Searched } from "./scan.js";

/** `scan.wat`, compiled. */
export const COMPILED =
  "AGFzbQEAAAABEgJgB39/f39/f38AYAN/f38BfwIGAQAAAgABAwQDAAEABw0DAWQAAAFiAAEBcwACCpoBAz4BAX4gBK0gBa1CIIaEIQcDQCACIAIvAQAg" +
  "BiAAKQMAIAeFe6dsajsBACACQQJqIQIgACADaiIAIAFJDQALCx4AA0AgAEECaiIAIAFJBEAgAC8BACACTw0BCwsgAAs6AANAQYAQIAIvAQBBA3RqIgMg" +
  "AysDACAALQAAQQN0KwMAoDkDACACQQJqIQIgAEEBaiIAIAFJDQALCw==";

const PAGE = 65_536; // bytes
const SUMS_AT = 8 * 256; // behind the levels

/**
 * Copies codes and masses to where compiled code reaches them.
 *
 * @throws Error there is no WebAssembly, or not on this page, or no memory for it.
 */
export function compiledScan({ codes, masses, numbers, farthest }: Searched): Scan {
  const words = masses.length;
  const codesAt = SUMS_AT + 8 * (farthest + 1);
  const distancesAt = codesAt + codes.byteLength;
  const massesAt = distancesAt + 2 * words;
  const memory = new WebAssembly.Memory({ initial: Math.ceil((massesAt + words) / PAGE) });
  const module = new WebAssembly.Module(unbase64(COMPILED) as BufferSource);
  const { d: differ, b: below, s: sum } = new WebAssembly.Instance(module, { "": { "": memory } }).exports as Exports;
  const { buffer } = memory;
  const own = new Uint32Array(buffer, codesAt, codes.length);
  const [known, found] = [new Float64Array(buffer, 0, 256), new Float64Array(buffer, SUMS_AT, farthest + 1)];
  own.set(codes);
  new Uint8Array(buffer, massesAt).set(masses);
  return {
    codes: own,
    distances: new Uint16Array(buffer, distancesAt, words),
    add: (query, at, weight) =>
      differ(codesAt + 4 * at, distancesAt, distancesAt, 4 * numbers, query[at]!, query[at + 1]!, weight),
    below: (id, bound) => (below(distancesAt + 2 * id, massesAt, bound) - distancesAt) / 2,
    sums(levels) {
      known.set(levels);
      found.fill(0);
      sum(massesAt, massesAt + words, distancesAt);
      return found;
    },
  };
}

type Exports = Record<"d" | "b" | "s", (...numbers: number[]) => number>;
