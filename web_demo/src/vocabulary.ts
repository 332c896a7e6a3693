/** The words of a bundle, front-coded, with look-up by binary search in place. */

import { decoded, encoded } from "./bytes.js";
import { checkInteger } from "./exact.js";
import type { PackedNumbers } from "./packedNumbers.js";
import { firstPlace } from "./search.js";

/** Number of words per block. All words but a block's first share bytes with the word before them. */
export const BLOCK = 16;

/** Any byte up to this is a number of shared bytes, because no word contains such control characters. */
const MOST_SHARED = 31;

/** The last word of a block that isn't greater than a text. */
interface LastWord {
  /** Number of the text's bytes with which the word begins. */
  readonly matched: number;
  /** Id of the word, if the text begins with all of it; otherwise -1. */
  readonly id: number;
}

/** Words with their ids (ranks), without a map or unpacking. */
export class Vocabulary {
  readonly #words: Uint8Array;
  readonly #offsets: Uint32Array;
  readonly #ids: PackedNumbers;
  readonly #positions: PackedNumbers;

  /**
   * @param words all words in the order of their bytes, each as the number of bytes that it shares with the
   *   word before it, and the rest of its UTF-8.
   * @param offsets block b is words[offsets[b]] to words[offsets[b + 1] - 1].
   * @param ids by position in the order of the words.
   * @param positions by id; the inverse of `ids`.
   */
  constructor(words: Uint8Array, offsets: Uint32Array, ids: PackedNumbers, positions: PackedNumbers) {
    this.#words = words;
    this.#offsets = offsets;
    this.#ids = ids;
    this.#positions = positions;
  }

  /** Number of words. */
  get size(): number {
    return this.#ids.count;
  }

  /**
   * Returns the word with an id, from 0, the most frequent.
   *
   * @throws ParameterError there is no such word.
   */
  word(id: number): string {
    checkInteger(id, 0, this.size - 1, "a word's id");
    const position = this.#positions.at(id);
    const word: number[] = [];
    let at = this.#offsets[Math.floor(position / BLOCK)]!;
    for (let left = position % BLOCK; left >= 0; left--) {
      word.length = this.#words[at]!; // number of bytes shared with the word before it
      at++;
      while (!this.#endsWord(at)) {
        word.push(this.#words[at]!);
        at++;
      }
    }
    return decoded(Uint8Array.from(word));
  }

  /** Returns the id of a normalized word, or -1 if it isn't in the vocabulary. */
  find(word: string): number {
    // Half of a surrogate pair has no UTF-8 form, so no vocabulary contains it.
    if (/[\ud800-\udfff]/u.test(word)) return -1;
    const target = encoded(word);
    const { matched, id } = this.#lastWordUpTo(target, 0, target.length);
    return matched === target.length ? id : -1;
  }

  /**
   * Calls `use` for every word with which `target`, in UTF-8, begins from `start` to `end`, with the word's length in
   * bytes and its id. The longest word comes first.
   *
   * These words are before the target in the order, and all words between the longest one and the target begin with the
   * longest one, too. The last word that isn't after the target is therefore the longest one, or bounds its length.
   */
  beginnings(target: Uint8Array, start: number, end: number, use: (length: number, id: number) => void): void {
    let limit = end;
    while (limit > start) {
      const { matched, id } = this.#lastWordUpTo(target, start, limit);
      if (id >= 0) use(matched, id);
      limit = start + (id >= 0 ? matched - 1 : matched);
    }
  }

  /** Returns the last word that isn't greater than `target` from `start` to `end`. */
  #lastWordUpTo(target: Uint8Array, start: number, end: number): LastWord {
    const block = this.#lastBlockUpTo(target, start, end);
    return block < 0 ? { matched: 0, id: -1 } : this.#lastWordIn(block, target, start, end);
  }

  /** Returns the last block whose first word isn't greater than `target`, or -1. */
  #lastBlockUpTo(target: Uint8Array, start: number, end: number): number {
    return firstPlace(this.#offsets.length - 1, (block) => this.#firstWordIsGreater(block, target, start, end)) - 1;
  }

  #firstWordIsGreater(block: number, target: Uint8Array, start: number, end: number): boolean {
    const at = this.#offsets[block]! + 1;
    const same = this.#matching(target, start, end, at);
    return this.#isGreater(at + same, target, start + same, end);
  }

  /** Returns the number of bytes of `target` from `start` to `end` that equal those of the word from `at` on. */
  #matching(target: Uint8Array, start: number, end: number, at: number): number {
    let count = 0;
    while (start + count < end && !this.#endsWord(at + count) && this.#words[at + count] === target[start + count]) {
      count++;
    }
    return count;
  }

  #lastWordIn(block: number, target: Uint8Array, start: number, end: number): LastWord {
    let matched = 0;
    let id = -1;
    let at = this.#offsets[block]!;
    let position = block * BLOCK;
    while (at < this.#offsets[block + 1]!) {
      const shared = this.#words[at]!;
      at++;
      if (shared <= matched) {
        // Otherwise it is less, for the same reason as the word before.
        const same = shared + this.#matching(target, start + shared, end, at);
        at += same - shared;
        if (this.#isGreater(at, target, start + same, end)) break;
        matched = same;
        id = this.#endsWord(at) ? this.#ids.at(position) : -1;
      }
      while (!this.#endsWord(at)) at++;
      position++;
    }
    return { matched, id };
  }

  /** Tells whether a word continues at `at`, and `target` ends or has a lower byte at `place`. */
  #isGreater(at: number, target: Uint8Array, place: number, end: number): boolean {
    return !this.#endsWord(at) && (place === end || this.#words[at]! > target[place]!);
  }

  /** Tells whether a word ends before a byte, which may be after all words. */
  #endsWord(at: number): boolean {
    return at >= this.#words.length || this.#words[at]! <= MOST_SHARED;
  }

  /**
   * Returns the error in the content, or nothing; then every word can be read.
   *
   * `brr verify` checks the order of the words. In another order, some words aren't found.
   */
  damage(): string | undefined {
    return this.#damageOfWords() ?? this.#damageOfIds();
  }

  #damageOfWords(): string | undefined {
    const words = this.#words;
    const offsets = this.#offsets;
    if (offsets[offsets.length - 1] !== words.length) return "tensor 'offsets' doesn't end where 'words' does";
    let count = 0;
    let isCut = true;
    let sharesRight = true;
    let sharesCharacters = true;
    const beginning = new Uint8Array(MOST_SHARED + 1); // number of bytes of the word before, and 0
    let length = 0; // of that word
    let at = 0;
    while (at < words.length) {
      const isFirst = count % BLOCK === 0;
      if (isFirst && offsets[count / BLOCK] !== at) isCut = false;
      const shared = words[at]!;
      at++;
      if (shared > (isFirst ? 0 : length)) sharesRight = false;
      if (continues(beginning[shared]!)) sharesCharacters = false; // the shared bytes end within a character
      length = shared;
      while (!this.#endsWord(at)) {
        beginning[length] = words[at]!;
        length++;
        at++;
      }
      beginning[length] = 0;
      if (length === shared) sharesRight = false;
      count++;
    }
    if (count !== this.size || words[0]! > MOST_SHARED) return `tensor 'words' doesn't hold ${this.size} words`;
    if (!isCut) return "tensor 'offsets' doesn't cut 'words' into blocks";
    if (!sharesRight) return "tensor 'words' has a word that shares more than there is, or adds nothing";
    return sharesCharacters && isUtf8(words) ? undefined : "tensor 'words' isn't UTF-8";
  }

  #damageOfIds(): string | undefined {
    let isInverse = true;
    for (let position = 0; position < this.size; position++) {
      const id = this.#ids.at(position);
      if (id >= this.size) return "tensor 'ids' names a missing word";
      if (this.#positions.at(id) !== position) isInverse = false;
    }
    return isInverse ? undefined : "tensor 'positions' isn't the inverse of 'ids'";
  }
}

/** Tells whether a byte of UTF-8 continues a character. */
const continues = (byte: number): boolean => (byte & 0xc0) === 0x80;

/** Tells whether the words' bytes are UTF-8; numbers of shared bytes are control characters. */
function isUtf8(words: Uint8Array): boolean {
  try {
    decoded(words);
    return true;
  } catch {
    return false;
  }
}
