/** Integers of a fixed number of bits, packed one after the other, and read in place. */

/** Returns the number of bits of a number below `count`, for 2 <= count <= 2^24. */
export const widthOf = (count: number): number => 32 - Math.clz32(count - 1);

/**
 * Returns the number of bytes of `count` packed numbers of `width` bits.
 *
 * These are three bytes more than the bits need, so that four bytes can be read from the first byte of any number.
 */
export const packedSize = (count: number, width: number): number => Math.ceil((count * width) / 8) + 3;

/**
 * `count` numbers below 2^width: the bits of number i are those from i * width on. Bit j is bit j mod 8 of byte j div
 * 8, where bit 0 is the least significant, also in the numbers. A width is at most 24, so four bytes always hold one.
 */
export class PackedNumbers {
  constructor(
    readonly content: Uint8Array,
    readonly count: number,
    readonly width: number,
  ) {}

  /** Returns the number at a place, from 0. */
  at(place: number): number {
    const { content, width } = this;
    const bit = place * width;
    const byte = bit >>> 3;
    const loaded =
      content[byte]! | (content[byte + 1]! << 8) | (content[byte + 2]! << 16) | (content[byte + 3]! << 24);
    return (loaded >>> (bit & 7)) & ((1 << width) - 1);
  }
}
