/**
 * What a list counts in a text: emoji, words, phrases, or the whole text as one string.
 *
 * `docs/reference/bundle-format.md`, "Lists", is the specification.
 */

import { PICTOGRAPHS } from "./characters.js";
import type { ListOf } from "./manifest.js";
import type { Token } from "./token.js";
import type { Tokenizer } from "./tokenizer.js";
import type { Vocabulary } from "./vocabulary.js";

/** Words and emoji of a phrase, at most. */
const MOST_UNITS = 8;

const SELECTORS = "\\ufe0e\\ufe0f";
const TONES = "\\u{1f3fb}-\\u{1f3ff}";
const ELEMENT = `[${PICTOGRAPHS}][${SELECTORS}${TONES}\\u{e0020}-\\u{e007f}]*`;
const FLAG = "[\\u{1f1e6}-\\u{1f1ff}]{2}";
const KEY = `[#*0-9][${SELECTORS}]?\\u20e3`;
/** It is captured: a text is split into what is between emoji and, at odd places, emoji. */
const EMOJI = new RegExp(`(${FLAG}|${KEY}|${ELEMENT}(?:\\u200d${ELEMENT})*)`, "u");
const SELECTOR = new RegExp(`[${SELECTORS}]`, "g");
const TONE = new RegExp(`[${TONES}]`, "gu");

/**
 * Returns what finds the strings of a list in texts; every other word or emoji is an unknown one.
 *
 * @param words cuts what is between emoji.
 */
export function createListTokenizer(words: Tokenizer, vocabulary: Vocabulary, kind: ListOf): Tokenizer {
  /** Returns a token that stands for the string which is equal to it. */
  const tokenOf = (text: string): Token => ({ text, id: vocabulary.find(text) });

  /** Returns the token of an emoji, which stands for one without its skin tones, too. */
  function emojiOf(sequence: string): Token {
    const token = tokenOf(sequence.replace(SELECTOR, ""));
    return token.id < 0 ? { ...token, id: vocabulary.find(token.text.replace(TONE, "")) } : token;
  }

  /** Returns what the list counts in a text: the longest phrases first, without overlap. */
  function read(text: string): Token[] {
    if (kind === "strings") return [tokenOf(text)];
    const tokens: Token[] = [];
    // The words and emoji, as far as lists of this kind have such.
    const units = text.split(EMOJI).flatMap((part, at) => {
      if (kind === (at % 2 ? "words" : "emoji")) return [];
      return at % 2 ? emojiOf(part) : words.read(part);
    });
    const phraseOf = (at: number, size: number): Token =>
      tokenOf(units.slice(at, at + size).map((unit) => unit.text).join(" "));
    for (let at = 0, size; at < units.length; at += size) {
      let token;
      for (size = Math.min(MOST_UNITS, units.length - at); size > 1; size--) {
        token = phraseOf(at, size);
        if (token.id >= 0) break;
      }
      tokens.push(size > 1 ? token! : units[at]!);
    }
    return tokens;
  }

  return {
    normalize: words.normalize,
    finished: () => "", // a phrase may begin in any word, and emoji grow
    read,
    /** Returns the id of the one string that is all of `word`, or -1 if there is none. */
    lookUp(word) {
      const [token, another] = read(word);
      return token && !another ? token.id : -1;
    },
  };
}
