/** Turns text into tokens, and tokens into words, by the writing rules of a bundle's language. */

import { classOf, NormalForm } from "./normalForm.js";
import { escaped, LOOKALIKES, SEPARATORS } from "./characters.js";
import { Cuts } from "./cuts.js";
import type { Masses } from "./masses.js";
import { Policy } from "./policy.js";
import { UNKNOWN, type Token } from "./token.js";
import type { Vocabulary } from "./vocabulary.js";
import type { Writing } from "./writing.js";

/** Largest number of code points of a token that is cut or may stand for a word with another spelling. */
const LONGEST = 256;

/** Largest number of words before another one, and of endings, that are removed from a word. */
const MOST_TIMES = 8;

/**
 * Cuts texts into tokens, and looks tokens up, by the writing rules of a language and the words of its vocabulary.
 *
 * `spec/bundle-format.md`, "Tokenizer", is the specification.
 */
export class Tokenizer {
  readonly #vocabulary: Vocabulary;
  readonly #cuts: Cuts;
  readonly #form: NormalForm;
  /** A run between separators. It may contain single joiners. */
  readonly #run: RegExp;
  /** A stretch of a run in scripts without spaces. It is captured, so `split` returns such stretches at odd places. */
  readonly #unspaced: RegExp;
  /** A character other than apostrophes and joiners, which every token contains. */
  readonly #letter: RegExp;
  readonly #joinersAtEnds: RegExp;
  /** More equal code points in a row than a word has, except digits, because another number is another word. */
  readonly #longRun: RegExp;
  readonly #separator: RegExp;
  readonly #joinsLetters: RegExp;

  /** @param policy decides which words are typed as another one. */
  constructor(
    readonly writing: Writing,
    vocabulary: Vocabulary,
    masses: Masses,
    readonly policy = new Policy(),
  ) {
    this.#vocabulary = vocabulary;
    this.#cuts = new Cuts(writing, vocabulary, masses);
    this.#form = new NormalForm(writing.replaced, writing.joiners);
    const joiners = classOf(writing.joiners);
    const unspaced = writing.unspaced.map(({ first, last }) => `${escaped(first)}-${escaped(last)}`).join("");
    this.#run = new RegExp(`[^${SEPARATORS}]+(?:[${joiners}][^${SEPARATORS}]+)*`, "gu");
    this.#unspaced = new RegExp(`([${unspaced}]+)`, "u");
    this.#letter = new RegExp(`[^'${joiners}]`, "u");
    this.#joinersAtEnds = new RegExp(`^[${joiners}]+|[${joiners}]+$`, "gu");
    this.#longRun = new RegExp(`([^0-9])\\1{${writing.longestRun || LONGEST},}`, "gu");
    this.#separator = new RegExp(`[${SEPARATORS}]`, "u");
    this.#joinsLetters = new RegExp(`[${LOOKALIKES}${joiners}]`, "u");
  }

  /** Returns a string in the form of words in a vocabulary: composed, in lower case, with plain apostrophes. */
  normalize(text: string): string {
    return this.#form.of(text);
  }

  /** Returns the beginning of a text whose tokens stay the same, whatever is typed next. */
  finished(text: string): string {
    let end = text.length;
    for (const point of Array.from(text).reverse()) {
      if (this.#separates(point)) break;
      end -= point.length;
    }
    return text.slice(0, end);
  }

  /** Tells whether a token may continue on both sides of a character. */
  isInner(point: string): boolean {
    return !this.#separates(point) && !this.#unspaced.test(point);
  }

  #separates(point: string): boolean {
    // With `$` after the class, V8 14.6 finds no emoji.
    const last = Array.from(this.normalize(point)).pop() ?? "";
    return this.#separator.test(last) && !this.#joinsLetters.test(last);
  }

  /** Returns the tokens of a text, cut from its normal form, and looked up. */
  read(text: string): Token[] {
    const tokens: Token[] = [];
    for (const run of this.normalize(text).match(this.#run) ?? []) this.#addRun(run, tokens);
    return tokens;
  }

  #addRun(run: string, tokens: Token[]): void {
    if (this.writing.unspaced.length === 0) {
      this.#addSpaced(run, tokens);
      return;
    }
    run.split(this.#unspaced).forEach((stretch, place) => {
      if (place % 2 === 1) this.#addLookedUp(this.#cuts.unspaced(stretch), tokens);
      else this.#addSpaced(this.#withoutJoiners(stretch), tokens);
    });
  }

  /** Returns a stretch without the joiners at its ends, which join nothing. */
  #withoutJoiners(stretch: string): string {
    return stretch.replace(this.#joinersAtEnds, "");
  }

  /** Adds the tokens of a stretch in a script with spaces. */
  #addSpaced(stretch: string, tokens: Token[]): void {
    let rest = stretch;
    for (let times = MOST_TIMES; this.#hasLetter(rest); times--) {
      const whole = this.#uncut(rest);
      if (whole.id >= 0 || isLong(rest)) {
        tokens.push(whole);
        return;
      }
      const bare = rest.replace(/^'+/, "");
      const first = times > 0 ? this.#before(bare) : undefined;
      if (first === undefined) {
        const parts = this.#cuts.compound(bare.replace(/'+$/, ""));
        if (parts) this.#addLookedUp(parts, tokens);
        else tokens.push(whole);
        return;
      }
      tokens.push(this.#uncut(first));
      rest = bare.slice(first.length);
    }
  }

  /** Adds the cut parts as words of the vocabulary or as unknown ones, by look-up. */
  #addLookedUp(cut: readonly Token[], tokens: Token[]): void {
    for (const token of cut) {
      const { text, id } = token;
      const isKnown = id >= 0 && this.normalize(text) === text;
      tokens.push(isKnown ? { text, id: this.policy.typedAs(text, id) } : this.#uncut(text));
    }
  }

  /** Returns the longest word before other words at the beginning of a text. */
  #before(bare: string): string | undefined {
    return this.writing.before.find((word) => bare.startsWith(word) && /[^']/.test(bare.slice(word.length)));
  }

  #hasLetter(text: string): boolean {
    return this.#letter.test(text);
  }

  /** Returns the id of the word that a token, or another string, is typed as, or UNKNOWN. */
  lookUp(token: string): number {
    return this.#uncut(token).id;
  }

  #uncut(text: string): Token {
    return { text, id: this.#find(this.normalize(text)) };
  }

  /**
   * Returns the id that a normalized token is typed as, or UNKNOWN: that of its first candidate that is a word, or a
   * form of a list.
   */
  #find(token: string): number {
    const id = this.#typedAs(token);
    if (id >= 0 || isLong(token)) return id;
    for (const other of this.#others(token)) {
      const otherId = this.#typedAs(other);
      if (otherId >= 0) return otherId;
    }
    return UNKNOWN;
  }

  #typedAs(text: string): number {
    return this.policy.typedAs(text, this.#vocabulary.find(text));
  }

  /** Yields the other candidates for a token, in order. */
  *#others(token: string): Generator<string> {
    const bare = token.replace(/^'+|'+$/g, "");
    if (bare !== token) yield bare;
    for (const [part, other] of this.writing.rewritten) {
      if (bare.includes(part)) yield bare.split(part).join(other);
    }
    const { spellings } = this.writing;
    for (const form of this.#forms(bare)) {
      if (form !== bare) yield form;
      let rest: string | undefined = form;
      for (let times = 0; rest !== undefined && times < MOST_TIMES; times++) {
        const word = spellings.get(rest);
        if (word) {
          yield word;
          return;
        }
        const shorter = this.#withoutEnding(rest);
        yield* shorter;
        [rest] = shorter;
      }
    }
    const word = spellings.get(bare.replace(/[0-9]/g, "0"));
    if (word) yield word;
  }

  /** Returns a token and, if no word has as many equal code points in a row, its shortened forms. */
  #forms(token: string): Set<string> {
    const lengths = [this.writing.longestRun, 1];
    return new Set([token, ...lengths.map((length) => token.replace(this.#longRun, "$1".repeat(length)))]);
  }

  /** Returns the rest without each matching ending, the longest ending first. */
  #withoutEnding(token: string): string[] {
    return this.writing.endings
      .filter((ending) => token.endsWith(ending))
      .map((ending) => token.slice(0, -ending.length))
      .filter((stem) => [...stem].length >= this.writing.shortestStem);
  }
}

const isLong = (token: string): boolean => token.length > LONGEST && [...token].length > LONGEST;
