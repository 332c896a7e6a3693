/** Finds the strings that a list counts in a text: emoji, words, phrases, or the whole text as one string. */

import { PICTOGRAPHS } from "./characters.js";
import type { ListOf } from "./manifest.js";
import type { Masses } from "./masses.js";
import type { Token } from "./token.js";
import { Tokenizer } from "./tokenizer.js";
import type { Vocabulary } from "./vocabulary.js";
import type { Writing } from "./writing.js";

/** Largest number of words and emoji in a phrase. */
const MOST_UNITS = 8;

/** They select a colored or plain form of the preceding character. */
const SELECTORS = "\\ufe0e\\ufe0f";
const TONES = "\\u{1f3fb}-\\u{1f3ff}";
const TAGS = "\\u{e0020}-\\u{e007f}";
const ELEMENT = `[${PICTOGRAPHS}][${SELECTORS}${TONES}${TAGS}]*`;
/** Pairs of them are flags. */
const FLAG = "[\\u{1f1e6}-\\u{1f1ff}]{2}";
const KEY = `[#*0-9][${SELECTORS}]?\\u20e3`;
/** The pattern is captured, so a split text has the emoji at odd places. */
const EMOJI = new RegExp(`(${FLAG}|${KEY}|${ELEMENT}(?:\\u200d${ELEMENT})*)`, "u");
const SELECTOR = new RegExp(`[${SELECTORS}]`, "g");
const TONE = new RegExp(`[${TONES}]`, "gu");

/**
 * Finds the strings of a list in texts. All other words and emoji are unknown.
 *
 * `spec/bundle-format.md`, "Lists", is the specification.
 */
export class ListTokenizer extends Tokenizer {
  readonly #vocabulary: Vocabulary;
  readonly #kind: ListOf;

  /** @param kind kind of the strings. */
  constructor(writing: Writing, vocabulary: Vocabulary, masses: Masses, kind: ListOf) {
    super(writing, vocabulary, masses);
    this.#vocabulary = vocabulary;
    this.#kind = kind;
  }

  /** Returns nothing, because a phrase may begin in any word, and emoji may continue. */
  override finished(_text: string): string {
    return "";
  }

  /** Returns the tokens that the list counts in a text: the longest phrases first, without overlap. */
  override read(text: string): Token[] {
    return this.#kind === "strings" ? [this.#token(text)] : this.#matched(this.#units(text));
  }

  /** Returns the id of the string that equals `text`; -1 without one. */
  override lookUp(text: string): number {
    const tokens = this.read(text);
    return tokens.length === 1 ? tokens[0]!.id : -1;
  }

  /** Returns the words and emoji of a text, of the kinds that this list contains. */
  #units(text: string): Token[] {
    return text.split(EMOJI).flatMap((part, place) => {
      const isEmoji = place % 2 === 1;
      if (this.#kind === (isEmoji ? "words" : "emoji")) return [];
      return isEmoji ? [this.#emoji(part)] : super.read(part);
    });
  }

  /** Returns the token of an emoji. An emoji with skin tones may stand for the one without them. */
  #emoji(sequence: string): Token {
    const token = this.#token(sequence.replace(SELECTOR, ""));
    return token.id >= 0 ? token : { text: token.text, id: this.#vocabulary.find(token.text.replace(TONE, "")) };
  }

  #matched(units: readonly Token[]): Token[] {
    const tokens: Token[] = [];
    let at = 0;
    while (at < units.length) {
      const phrase = this.#longestPhrase(units.slice(at, at + MOST_UNITS));
      tokens.push(phrase ? phrase.token : units[at]!);
      at += phrase ? phrase.size : 1;
    }
    return tokens;
  }

  /** Returns the longest phrase at the beginning of `units`, and its number of units, at least two. */
  #longestPhrase(units: readonly Token[]): { readonly token: Token; readonly size: number } | undefined {
    for (let size = units.length; size > 1; size--) {
      const token = this.#token(joined(units.slice(0, size)));
      if (token.id >= 0) return { token, size };
    }
    return undefined;
  }

  /** Returns a token for the string that equals it. */
  #token(text: string): Token {
    return { text, id: this.#vocabulary.find(text) };
  }
}

const joined = (units: readonly Token[]): string => units.map(({ text }) => text).join(" ");
