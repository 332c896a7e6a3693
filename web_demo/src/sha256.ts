/** SHA-256 (FIPS 180-4) and HMAC (RFC 2104). The browser's own are asynchronous, and exist only in secure contexts. */

import { concat, viewOf } from "./bytes.js";

const BLOCK = 64; // bytes
const ROUNDS = 64;

/** The first 32 bits of the fractional parts of the first primes' roots. */
const CONSTANTS = new Uint32Array(ROUNDS);
const START = new Uint32Array(8);
for (let candidate = 2, found = 0; found < ROUNDS; candidate++) {
  let divisor = 2;
  while (candidate % divisor) divisor++;
  if (divisor < candidate) continue;
  // An array keeps 32 bits of 2^32 times a root. The roots of two platforms can differ, but too little to change any of
  // these.
  if (found < 8) START[found] = 2 ** 32 * Math.sqrt(candidate);
  CONSTANTS[found] = 2 ** 32 * Math.cbrt(candidate);
  found++;
}

/** Returns the 32 bytes of SHA-256. */
export function sha256(message: Uint8Array): Uint8Array {
  const state = START.slice();
  const schedule = new Uint32Array(ROUNDS);
  const whole = message.length - (message.length % BLOCK);
  compress(state, message.subarray(0, whole), schedule);
  const left = message.length - whole;
  const last = new Uint8Array(left + 9 <= BLOCK ? BLOCK : 2 * BLOCK);
  last.set(message.subarray(whole));
  last[left] = 0x80;
  viewOf(last).setBigUint64(last.length - 8, BigInt(8 * message.length));
  compress(state, last, schedule);
  const digest = new Uint8Array(32);
  state.forEach((word, place) => viewOf(digest).setUint32(4 * place, word));
  return digest;
}

/** Returns HMAC-SHA256 under a key of at most 64 bytes. */
export function hmac(key: Uint8Array, message: Uint8Array): Uint8Array {
  const padded = (byte: number): Uint8Array => new Uint8Array(BLOCK).map((_, at) => (key[at] ?? 0) ^ byte);
  return sha256(concat(padded(0x5c), sha256(concat(padded(0x36), message))));
}

const turned = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

/** Processes whole blocks. One-letter names are the standard's. */
function compress(state: Uint32Array, blocks: Uint8Array, w: Uint32Array): void {
  const view = viewOf(blocks);
  for (let start = 0; start < blocks.length; start += BLOCK) {
    for (let i = 0; i < 16; i++) w[i] = view.getUint32(start + 4 * i);
    for (let i = 16; i < ROUNDS; i++) {
      const x = w[i - 15]!;
      const y = w[i - 2]!;
      const s0 = turned(x, 7) ^ turned(x, 18) ^ (x >>> 3);
      const s1 = turned(y, 17) ^ turned(y, 19) ^ (y >>> 10);
      w[i] = (w[i - 16]! + s0 + w[i - 7]! + s1) | 0;
    }
    let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
    for (let i = 0; i < ROUNDS; i++) {
      const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + CONSTANTS[i]! + w[i]!) | 0;
      const s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((word, at) => (state[at]! += word));
  }
}
