/** Scans of all codes, compiled to WebAssembly. */

import { unbase64 } from "./bytes.js";
import type { Scan, Searched } from "./scan.js";

/** `scan.wat`, compiled. */
export const COMPILED =
  "AGFzbQEAAAABIQRgBn9/f39/fwBgB39/f39/f38AYAN/f38Bf2ADf39/AAIQAQRzY2FuBm1lbW9yeQIAAQMFBAABAgMHJQQFc3RhcnQAAAZkaWZmZXIA" +
  "AQpmaXJzdEJlbG93AAIDc3VtAAMK9gEETQEBfiAErSAFrUIghoQhBgNAIAIgACkDACAGhXunOwEAIAAgA2ohACACIAApAwAgBoV7pzsBAiACQQRqIQIg" +
  "ACADaiEAIAAgAUkNAAsLQAEBfiAErSAFrUIghoQhBwNAIAIgAi8BACAGIAApAwAgB4V7p2xqOwEAIAJBAmohAiAAIANqIQAgACABSQ0ACwskAAJAA0Ag" +
  "ACABTw0BIAAvAQAgAkkNASAAQQJqIQAMAAsLIAALQAEBfwNAQYAQIAIvAQBBA3RqIQMgAyADKwMAIAAtAABBA3QrAwCgOQMAIAJBAmohAiAAQQFqIQAg" +
  "ACABSQ0ACws=";

const PAGE = 65_536; // bytes
const SUMS_AT = 8 * 256; // behind the levels

/** The exports of `scan.wat`. Numbers are addresses, unless their names say otherwise. */
interface Exports {
  start(code: number, end: number, distance: number, width: number, low: number, high: number): void;
  differ(
    code: number, end: number, distance: number, width: number, low: number, high: number, weight: number,
  ): void;
  firstBelow(distance: number, end: number, limit: number): number;
  sum(mass: number, end: number, distance: number): void;
}

/**
 * Copies codes and masses into the memory of compiled code.
 *
 * @throws Error there is no WebAssembly, the page forbids it, or there isn't enough memory.
 */
export function compiledScan(searched: Searched): Scan {
  const { masses, numbers, farthest } = searched;
  const words = masses.length;
  const codesAt = SUMS_AT + 8 * (farthest + 1);
  const distancesAt = codesAt + searched.codes.byteLength;
  const distancesEnd = distancesAt + 2 * words;
  const massesAt = distancesEnd + 2; // with room for another distance
  const memory = new WebAssembly.Memory({ initial: Math.ceil((massesAt + words) / PAGE) });
  const module = new WebAssembly.Module(unbase64(COMPILED) as BufferSource);
  const compiled = new WebAssembly.Instance(module, { scan: { memory } }).exports as unknown as Exports;
  const { buffer } = memory;
  const codes = new Uint32Array(buffer, codesAt, searched.codes.length);
  codes.set(searched.codes);
  new Uint8Array(buffer, massesAt, words).set(masses);
  const known = new Float64Array(buffer, 0, 256);
  const sums = new Float64Array(buffer, SUMS_AT, farthest + 1);
  return {
    codes,
    distances: new Uint16Array(buffer, distancesAt, words),
    start(query) {
      compiled.start(codesAt, distancesAt, distancesAt, 4 * numbers, query[0]!, query[1]!);
    },
    add(query, at, weight) {
      compiled.differ(codesAt + 4 * at, distancesAt, distancesAt, 4 * numbers, query[at]!, query[at + 1]!, weight);
    },
    firstBelow: (limit, start) => (compiled.firstBelow(distancesAt + 2 * start, distancesEnd, limit) - distancesAt) / 2,
    sums(levels) {
      known.set(levels);
      sums.fill(0);
      compiled.sum(massesAt, massesAt + words, distancesAt);
      return sums;
    },
  };
}
