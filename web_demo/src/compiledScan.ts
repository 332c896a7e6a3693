/** Scans of all codes, compiled to WebAssembly. */

import { unbase64 } from "./bytes.js";
import type { Scan, Searched } from "./scan.js";

/** `scan.wat`, compiled. */
export const COMPILED =
  "AGFzbQEAAAABGgNgB39/f39/f38AYAN/f38Bf2AFf39/f38AAgYBAAACAAEDBAMAAQIHGAMGZGlmZmVyAAAFYmVsb3cAAQNzdW0AAgqjAQM+AQ" +
  "F+IAOtIAStQiCGhCEHA0AgBiAGLwEAIAUgACkDACAHhXunbGo7AQAgBkECaiEGIAAgAmoiACABSQ0ACwsjAANAIAAgAUkEQCAALwEAIAJPBEAg" +
  "AEECaiEADAILCwsgAAs+AQF/A0AgBCACLwEAQQN0aiIFIAUrAwAgAyAALQAAQQN0aisDAKA5AwAgAkECaiECIABBAWoiACABSQ0ACws=";

const PAGE = 65_536; // bytes

/**
 * Copies codes and masses to where compiled code reaches them.
 *
 * @throws Error there is no WebAssembly, or not on this page, or no memory for it.
 */
export function compiledScan({ codes, masses, numbers, farthest }: Searched): Scan {
  const words = masses.length;
  const [levelsAt, sumsAt] = [codes.byteLength, codes.byteLength + 8 * 256];
  const distancesAt = sumsAt + 8 * (farthest + 1);
  const massesAt = distancesAt + 2 * words;
  const memory = new WebAssembly.Memory({ initial: Math.ceil((massesAt + words) / PAGE) });
  const module = new WebAssembly.Module(unbase64(COMPILED) as BufferSource);
  const { differ, below, sum } = new WebAssembly.Instance(module, { "": { "": memory } }).exports as Exports;
  const { buffer } = memory;
  const own = new Uint32Array(buffer, 0, codes.length);
  const distances = new Uint16Array(buffer, distancesAt, words);
  const [known, found] = [new Float64Array(buffer, levelsAt, 256), new Float64Array(buffer, sumsAt, farthest + 1)];
  own.set(codes);
  new Uint8Array(buffer, massesAt).set(masses);
  return {
    codes: own,
    distances,
    add: (query, at, weight) =>
      differ(4 * at, levelsAt, 4 * numbers, query[at]!, query[at + 1]!, weight, distancesAt),
    below: (id, bound) => (below(distancesAt + 2 * id, massesAt, bound) - distancesAt) / 2,
    sums(levels) {
      known.set(levels);
      found.fill(0);
      sum(massesAt, massesAt + words, distancesAt, levelsAt, sumsAt);
      return found;
    },
  };
}

type Exports = Record<"differ" | "below" | "sum", (...numbers: number[]) => number>;
