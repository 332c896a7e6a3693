/** Scans of all codes, compiled to WebAssembly. */

import { unbase64 } from "./bytes.js";
import type { Scan, Searched } from "./scan.js";

/** `scan.wat`, compiled. */
export const COMPILED =
  "AGFzbQEAAAABIwRgBn9/f39/fwBgB39/f39/f38AYAN/f38Bf2AFf39/f38AAwYFAAECAwMFAwEAAQc2BgZtZW1vcnkCAAVzdGFydAAABmRpZmZlcgAB" +
  "CmZpcnN0QmVsb3cAAgNzdW0AAwVzdW02NAAECt4DBU0BAX4gBK0gBa1CIIaEIQYDQCACIAApAwAgBoV7pzsBACAAIANqIQAgAiAAKQMAIAaFe6c7AQIg" +
  "AkEEaiECIAAgA2ohACAAIAFJDQALC0ABAX4gBK0gBa1CIIaEIQcDQCACIAIvAQAgBiAAKQMAIAeFe6dsajsBACACQQJqIQIgACADaiEAIAAgAUkNAAsL" +
  "JAACQANAIAAgAU8NASAALwEAIAJJDQEgAEECaiEADAALCyAAC2ABAX8DQCACLwEAQQN0IQUgBSAFKwOAECAALQAAQQN0KwMAoDkDgBAgAi8BAkEDdCEF" +
  "IAUgBSsDgBAgAC0AAUEDdCsDAKA5A4AQIAJBBGohAiAAQQJqIQAgACABSQ0ACwvGAQIBfwF+IAOtIAStQiCGhCEGA0AgAikDACAGhXunQQN0IQUgBSAF" +
  "KwOAECAALQAAQQN0KwMAoDkDgBAgAikDCCAGhXunQQN0IQUgBSAFKwOAECAALQABQQN0KwMAoDkDgBAgAikDECAGhXunQQN0IQUgBSAFKwOAECAALQAC" +
  "QQN0KwMAoDkDgBAgAikDGCAGhXunQQN0IQUgBSAFKwOAECAALQADQQN0KwMAoDkDgBAgAkEgaiECIABBBGohACAAIAFJDQALCw==";

/** Number of words in a block of sums; a multiple of 4. In a smaller one, a word is found in less time. */
export const BLOCK = 4096;

const PAGE = 65_536; // bytes
const SUMS_AT = 8 * 256; // behind the levels

/** The exports of `scan.wat`. Numbers are addresses, unless their names say otherwise. */
interface Exports {
  readonly memory: WebAssembly.Memory; // of one page
  start(code: number, end: number, distance: number, width: number, low: number, high: number): void;
  differ(
    code: number, end: number, distance: number, width: number, low: number, high: number, weight: number,
  ): void;
  firstBelow(distance: number, end: number, limit: number): number;
  sum(mass: number, end: number, distance: number, low: number, high: number): void;
  sum64(mass: number, end: number, code: number, low: number, high: number): void;
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
  const module = new WebAssembly.Module(unbase64(COMPILED) as BufferSource);
  const compiled = new WebAssembly.Instance(module).exports as unknown as Exports;
  compiled.memory.grow(Math.ceil((massesAt + words) / PAGE));
  const { buffer } = compiled.memory;
  const codes = new Uint32Array(buffer, codesAt, searched.codes.length);
  codes.set(searched.codes);
  new Uint8Array(buffer, massesAt, words).set(masses);
  const known = new Float64Array(buffer, 0, 256);
  const sums = new Float64Array(buffer, SUMS_AT, farthest + 1);
  const upTo: Float64Array[] = [];
  const width = 4 * numbers;
  const code = (id: number): number => codesAt + width * id;
  const distance = (id: number): number => distancesAt + 2 * id;
  const start = (query: Uint32Array, from: number, to: number): void =>
    compiled.start(code(from), code(to), distance(from), width, query[0]!, query[1]!);
  const isShort = numbers === 2;
  const [sum, at] = isShort ? [compiled.sum64, code] : [compiled.sum, distance];
  return {
    codes,
    distances: new Uint16Array(buffer, distancesAt, words),
    block: BLOCK,
    start: (query) => start(query, 0, words),
    again: isShort ? start : undefined,
    add(query, at, weight) {
      compiled.differ(codesAt + 4 * at, distancesAt, distancesAt, width, query[at]!, query[at + 1]!, weight);
    },
    firstBelow: (limit, start) => (compiled.firstBelow(distance(start), distancesEnd, limit) - distancesAt) / 2,
    sums(levels, query) {
      known.set(levels);
      sums.fill(0);
      for (let from = 0; from < words; from += BLOCK) {
        const mass = massesAt + from;
        sum(mass, Math.min(mass + BLOCK, massesAt + words), at(from), query[0]!, query[1]!);
        (upTo[from / BLOCK] ??= sums.slice()).set(sums);
      }
      return upTo;
    },
  };
}
