/** The words of a bundle, front-coded, looked up by binary search where they are. */

import { decoded, encoded } from "./bytes.js";
import { checkInteger } from "./exact.js";
import type { PackedNumbers } from "./packedNumbers.js";

/** Words to a block: all but a block's first share bytes with the word before them. */
export const BLOCK = 16;

/** Any byte up to this is a number of shared bytes: no word has such control characters. */
const MOST_SHARED = 31;

/** Words with their ids (ranks), without a map: nothing is unpacked. */
export interface Vocabulary {
  /** How many words there are. */
  readonly size: number;
  /**
   * Returns the word with an id, from 0, the most frequent.
   *
   * @throws ParameterError there is no such word.
   */
  word(id: number): string;
  /** Returns the id of a normalized word, or -1 if it isn't in the vocabulary. */
  find(word: string): number;
  /**
   * Shows `use` every word that `text`, UTF-8, begins with from `start` to `end`: its length in bytes, and its id.
   * The longest comes first.
   */
  beginnings(text: Uint8Array, start: number, end: number, use: (length: number, id: number) => void): void;
  /**
   * What is wrong with the content, or nothing: then every word can be read.
   *
   * That the words are in order is left to `brr verify`: else some aren't found.
   */
  readonly damage: string | undefined;
}

/**
 * Returns a vocabulary.
 *
 * @param words all words in the order of their bytes, each as the number of bytes that it shares with the
 *   word before it, and the rest of its UTF-8.
 * @param offsets block b is words[offsets[b]] to words[offsets[b + 1] - 1].
 * @param ids by position in the order of the words.
 * @param positions by id; the inverse of `ids`.
 */
export function createVocabulary(
  words: Uint8Array,
  offsets: Uint32Array,
  ids: PackedNumbers,
  positions: PackedNumbers,
): Vocabulary {
  const size = ids.count;

  /**
   * Returns the length in bytes of the longest word that `text` from `start` to `end` begins with, and its id; or a
   * length that no such word exceeds, and -1.
   */
  function longest(text: Uint8Array, start: number, end: number): readonly [length: number, id: number] {
    let low = 0;
    let high = offsets.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isGreater(middle, text, start, end)) high = middle;
      else low = middle + 1;
    }
    return low ? longestIn(low - 1, text, start, end) : [0, -1];
  }

  /** Tells whether the first word of a block is greater than a text. */
  function isGreater(block: number, text: Uint8Array, start: number, end: number): boolean {
    const first = offsets[block]! + 1;
    const same = matching(text, start, end, first);
    const next = words[first + same]!;
    return next > MOST_SHARED && (start + same === end || next > text[start + same]!);
  }

  /** Returns how many bytes of a text are those of the word from `at` on. */
  function matching(text: Uint8Array, start: number, end: number, at: number): number {
    let count = 0;
    while (start + count < end) {
      const byte = words[at + count]!;
      if (!(byte > MOST_SHARED && byte === text[start + count])) break; // nor is there any
      count++;
    }
    return count;
  }

  /** Likewise in a block whose first word isn't greater than the text. */
  function longestIn(block: number, text: Uint8Array, start: number, end: number): readonly [length: number, id: number] {
    const last = offsets[block + 1]!;
    let at = offsets[block]!;
    let matched = 0; // bytes of the text that the word before begins with
    let found: readonly [number, number] | undefined;
    for (let position = block * BLOCK; at < last; position++) {
      const shared = words[at++]!;
      if (shared <= matched) {
        // Otherwise it differs where the word before does.
        const same = shared + matching(text, start + shared, end, at);
        at += same - shared;
        if (!(words[at]! > MOST_SHARED)) found = [same, ids.at(position)];
        else if (start + same === end || words[at]! > text[start + same]!) break; // it is greater
        matched = same;
      }
      while (words[at]! > MOST_SHARED) at++;
    }
    return found ?? [matched, -1];
  }

  function damageOfWords(): string | undefined {
    if (offsets.at(-1) !== words.length) return "tensor 'offsets' doesn't end where 'words' does";
    let [count, cut, shares, whole] = [0, true, true, true];
    const before = new Uint8Array(MOST_SHARED + 1); // the start of the word before, and 0
    let length = 0; // of that word
    for (let at = 0; at < words.length; count++) {
      const isFirst = count % BLOCK === 0;
      if (isFirst && offsets[count / BLOCK] !== at) cut = false;
      const shared = words[at++]!;
      if (shared > (isFirst ? 0 : length)) shares = false;
      if ((before[shared]! & 0xc0) === 0x80) whole = false; // what it shares ends within a character
      for (length = shared; words[at]! > MOST_SHARED; ) before[length++] = words[at++]!;
      before[length] = 0;
      if (length === shared) shares = false;
    }
    if (count !== size || words[0]! > MOST_SHARED) return `tensor 'words' doesn't hold ${size} words`;
    if (!cut) return "tensor 'offsets' doesn't cut 'words' into blocks";
    if (!shares) return "tensor 'words' has a word that shares more than there is, or adds nothing";
    return whole && isUtf8(words) ? undefined : "tensor 'words' isn't UTF-8";
  }

  function damageOfIds(): string | undefined {
    let inverse = true;
    for (let position = 0; position < size; position++) {
      const id = ids.at(position);
      if (id >= size) return "tensor 'ids' names a missing word";
      if (positions.at(id) !== position) inverse = false;
    }
    return inverse ? undefined : "tensor 'positions' isn't the inverse of 'ids'";
  }

  return {
    size,
    word(id) {
      checkInteger(id, 0, size - 1, "a word's id");
      const position = positions.at(id);
      const word: number[] = [];
      let at = offsets[Math.floor(position / BLOCK)]!;
      for (let left = position % BLOCK; left >= 0; left--) {
        word.length = words[at++]!;
        while (words[at]! > MOST_SHARED) word.push(words[at++]!);
      }
      return decoded(Uint8Array.from(word));
    },
    find(word) {
      // Half of a surrogate pair has no UTF-8: such a string is in no vocabulary.
      if (/[\ud800-\udfff]/u.test(word)) return -1;
      const target = encoded(word);
      const [length, id] = longest(target, 0, target.length);
      return length === target.length ? id : -1;
    },
    beginnings(text, start, end, use) {
      // None is greater than the text, and all are beginnings of the greatest word that isn't.
      while (end > start) {
        const [length, id] = longest(text, start, end);
        if (id >= 0) use(length, id);
        end = start + (id < 0 ? length : length - 1);
      }
    },
    get damage() {
      return damageOfWords() ?? damageOfIds();
    },
  };
}

/** Tells whether every rest is UTF-8. */
function isUtf8(words: Uint8Array): boolean {
  try {
    return decoded(words) !== "";
  } catch {
    return false;
  }
}
