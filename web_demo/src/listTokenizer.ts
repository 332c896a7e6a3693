/**
 * What a list counts in a text: emoji, words, phrases, or the whole text as one string.
 *
 * `docs/reference/bundle-format.md`, "Lists", is the specification.
 */

import { PICTOGRAPHS } from "./characters.js";
import type { ListOf } from "./manifest.js";
import type { Masses } from "./masses.js";
import type { Token } from "./token.js";
import { Tokenizer } from "./tokenizer.js";
import type { Vocabulary } from "./vocabulary.js";
import type { Writing } from "./writing.js";

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

/** Finds the strings of a list in texts; every other word or emoji is an unknown one. */
export class ListTokenizer extends Tokenizer {
  readonly #vocabulary: Vocabulary;
  readonly #kind: ListOf;

  constructor(writing: Writing, vocabulary: Vocabulary, masses: Masses, kind: ListOf) {
    super(writing, vocabulary, masses);
    this.#vocabulary = vocabulary;
    this.#kind = kind;
  }

  /** Returns what the list counts in a text: the longest phrases first, without overlap. */
  override read(text: string): Token[] {
    if (this.#kind === "strings") return [this.#token(text)];
    const tokens: Token[] = [];
    const units = this.#units(text);
    for (let at = 0, size; at < units.length; at += size) {
      let token = units[at]!;
      for (size = Math.min(MOST_UNITS, units.length - at); size > 1; size--) {
        const phrase = this.#token(units.slice(at, at + size).map((unit) => unit.text).join(" "));
        if (phrase.wordId < 0) continue;
        token = phrase;
        break;
      }
      tokens.push(token);
    }
    return tokens;
  }

  /** Returns the id of the one string that is all of `word`, or -1 if there is none. */
  override lookUp(word: string): number {
    const [token, another] = this.read(word);
    return token && !another ? token.wordId : -1;
  }

  /** Returns the words and emoji of a text, as far as lists of this kind have such. */
  #units(text: string): Token[] {
    return text.split(EMOJI).flatMap((part, at) => {
      if (this.#kind === (at % 2 ? "words" : "emoji")) return [];
      return at % 2 ? [this.#emoji(part)] : super.read(part);
    });
  }

  /** Returns the token of an emoji, which stands for one without its skin tones, too. */
  #emoji(sequence: string): Token {
    const token = this.#token(sequence.replace(SELECTOR, ""));
    return token.wordId < 0 ? { ...token, wordId: this.#vocabulary.find(token.text.replace(TONE, "")) } : token;
  }

  /** Returns a token that stands for the string which is equal to it. */
  #token(text: string): Token {
    return { text, wordId: this.#vocabulary.find(text) };
  }
}
