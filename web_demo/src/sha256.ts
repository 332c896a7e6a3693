/** SHA-256 (FIPS 180-4) and HMAC (RFC 2104): the browser's own answer later, and in secure contexts only. */

import { concat } from "./bytes.js";

const BLOCK = 64; // bytes
const ROUNDS = 64;

/** The first 32 bits of the fractional parts of the roots of the first primes. */
const CONSTANTS = new Uint32Array(ROUNDS);
const START = new Uint32Array(8);
for (let candidate = 2, found = 0; found < ROUNDS; candidate++) {
  let divisor = 2;
  while (candidate % divisor) divisor++;
  if (divisor < candidate) continue;
  if (found < 8) START[found] = fraction(candidate, 2);
  CONSTANTS[found++] = fraction(candidate, 3);
}

/** Returns floor(2^32 root) mod 2^32 of an integer, with integers: platforms' roots can differ. */
function fraction(number: number, degree: 2 | 3): number {
  const target = BigInt(number) << BigInt(32 * degree);
  let root = 0n;
  for (let bit = 1n << 40n; bit; bit >>= 1n) {
    if ((root | bit) ** BigInt(degree) <= target) root |= bit;
  }
  return Number(BigInt.asUintN(32, root));
}

/** Returns the 32 bytes of SHA-256. */
export function sha256(message: Uint8Array): Uint8Array {
  const state = START.slice();
  const schedule = new Uint32Array(ROUNDS);
  const whole = message.length & -BLOCK;
  compress(state, message.subarray(0, whole), schedule);
  const left = message.length - whole;
  const last = new Uint8Array(left + 9 <= BLOCK ? BLOCK : 2 * BLOCK);
  last.set(message.subarray(whole));
  last[left] = 0x80;
  const view = new DataView(last.buffer);
  view.setUint32(last.length - 8, Math.floor(message.length / 2 ** 29));
  view.setUint32(last.length - 4, message.length * 8);
  compress(state, last, schedule);
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, at) => digest.setUint32(4 * at, word));
  return new Uint8Array(digest.buffer);
}

/** Returns HMAC-SHA256 under a key of at most 64 bytes. */
export function hmac(key: Uint8Array, message: Uint8Array): Uint8Array {
  const padded = (byte: number): Uint8Array => new Uint8Array(BLOCK).map((_, at) => (key[at] ?? 0) ^ byte);
  return sha256(concat(padded(0x5c), sha256(concat(padded(0x36), message))));
}

/** Goes through whole blocks. */
function compress(state: Uint32Array, blocks: Uint8Array, w: Uint32Array): void {
  for (let start = 0; start < blocks.length; start += BLOCK) {
    for (let i = 0; i < 16; i++) {
      const at = start + 4 * i;
      w[i] = (blocks[at]! << 24) | (blocks[at + 1]! << 16) | (blocks[at + 2]! << 8) | blocks[at + 3]!;
    }
    for (let i = 16; i < ROUNDS; i++) {
      const x = w[i - 15]!;
      const y = w[i - 2]!;
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      w[i] = (w[i - 16]! + s0 + w[i - 7]! + s1) | 0;
    }
    let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
    for (let i = 0; i < ROUNDS; i++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + CONSTANTS[i]! + w[i]!) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
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
