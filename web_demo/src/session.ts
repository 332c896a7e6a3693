/** Sessions: surrogates replace marked parts of prompts, and are undone in replies. */

import { LOOKALIKES } from "./characters.js";
import { checkArgument, checkOptions, checkRest, ParameterError } from "./errors.js";
import { around, cutMarks, type Mark } from "./marks.js";
import { LEVELS } from "./masses.js";
import { systemRandom, uniformBelow, type RandomSource } from "./randomness.js";
import { UNKNOWN } from "./token.js";
import { checkCodes, type WordBundle } from "./wordBundle.js";

/** Surrogates, each with the first text that it replaced, as typed. */
type Table = Map<string, { readonly word: string; readonly typed: string }>;

/**
 * A conversation in which a surrogate stands for each marked text, such as a name for a name.
 *
 * A surrogate doesn't depend on the text that it replaces, only on earlier surrogates. Within a session, equal texts
 * have equal surrogates, and different texts have different ones. Readers see which texts are equal, their lists, and
 * all text that **no mark covers**. Only this object holds the surrogates and their texts; nothing is stored.
 * `spec/bundle-format.md`, "Sessions", is the specification.
 *
 * Proof: `docs/explanation/proofs.md`, "Lists".
 */
export class Session {
  readonly #bundle: WordBundle;
  readonly #random: RandomSource;
  /** By the id that a mark is typed as: the ids of the words that may replace it. */
  readonly #words = new Map<number, readonly number[]>();
  /** By the id that a mark is typed as, and by its normal form. */
  #table: Table = new Map();

  /**
   * Begins a session.
   *
   * @param bundle its policy's lists provide the surrogates.
   * @param options `random` is the source of random bytes. Don't set it in production.
   * @throws ParameterError the bundle is a list, or an argument is of the wrong type.
   */
  constructor(bundle: WordBundle, options: { random?: RandomSource } = {}) {
    checkOptions(options);
    const { random = systemRandom, ...rest } = options;
    checkRest(rest, "Session");
    checkArgument(bundle?.vocabulary, "bundle must be a WordBundle");
    checkCodes(bundle);
    this.#bundle = bundle;
    this.#random = random;
    const { lists, passing } = bundle.policy;
    const taken = new Set(passing?.words);
    for (const { members } of lists) {
      this.#words.set(members[0]!, members);
      for (const id of members) taken.add(id);
    }
    this.#words.set(UNKNOWN, Array.from({ length: bundle.size }, (_, id) => id).filter((id) => !taken.has(id)));
  }

  /**
   * Returns a text as typed, with a surrogate in place of each mark.
   *
   * @throws ParameterError a mark is empty, outside the text or within a character, or names a list that the policy
   *   lacks; or all words of its list are already surrogates.
   */
  hide(text: string, marks: readonly Mark[]): string {
    checkArgument(typeof text === "string", "hide takes a string");
    const cut = cutMarks(text, marks, this.#bundle.tokenizer);
    const table = new Map(this.#table); // which stays if a list is exhausted
    const words = cut.map(({ start, end, id }) => this.#surrogate(id, text.slice(start, end), table));
    this.#table = table;
    return around(text, cut).map((part, place) => part + (words[place] ?? "")).join("");
  }

  /**
   * Returns a reply with each surrogate, in any case, replaced with the typed text.
   *
   * A surrogate within a longer word stays.
   */
  restore(reply: string): string {
    checkArgument(typeof reply === "string", "restore takes a string");
    const pieces = this.#pieces(reply);
    const forms = this.#forms(pieces);
    const stands = [...this.#table.values()].map(({ word, typed }) => ({ sought: this.#forms(this.#pieces(word)), typed }));
    stands.sort((one, other) => other.sought.length - one.sought.length);
    let restored = "";
    for (let place = 0; place < pieces.length;) {
      const found = stands.find(({ sought }) => sought.every((form, i) => form === forms[place + i]));
      restored += found?.typed ?? pieces[place]!;
      place += found?.sought.length ?? 1;
    }
    return restored;
  }

  /** Returns the surrogate of a mark that is typed as `id`. */
  #surrogate(id: number, typed: string, table: Table): string {
    const key = `${id} ${this.#bundle.tokenizer.normalize(typed)}`;
    const known = table.get(key);
    if (known) return known.word;
    const word = this.#drawn(id, table);
    table.set(key, { word, typed });
    return word;
  }

  /**
   * Draws a word that isn't a surrogate yet: for a list, a member in proportion to its mass. Without a list, all words
   * are equally likely: a reply would often contain a frequent word.
   */
  #drawn(head: number, table: Table): string {
    const { masses, vocabulary } = this.#bundle;
    const taken = new Set(Array.from(table.values(), ({ word }) => vocabulary.find(word)));
    const ids = this.#words.get(head)!.filter((id) => !taken.has(id));
    const weights = ids.map((id) => (head === UNKNOWN ? 1 : LEVELS[masses.words[id]!]!));
    if (ids.length === 0) {
      throw new ParameterError("all words of a mark's list are already in use in this session; begin another one");
    }
    let number = uniformBelow(weights.reduce((sum, weight) => sum + weight), this.#random);
    return vocabulary.word(ids[weights.findIndex((weight) => (number -= weight) < 0)]!);
  }

  /** Returns a text, cut wherever a word could begin or end; apostrophes and joiners are pieces. */
  #pieces(text: string): string[] {
    const { tokenizer } = this.#bundle;
    const pieces: string[] = [];
    let goesOn = false;
    for (const point of text) {
      const isAlone = ["'", ...tokenizer.writing.joiners].includes(this.#form(point));
      const isWithin = tokenizer.isInner(point) && !isAlone;
      if (goesOn && isWithin) pieces[pieces.length - 1] += point;
      else pieces.push(point);
      goesOn = isWithin;
    }
    return pieces;
  }

  #forms(pieces: readonly string[]): string[] {
    return pieces.map((piece) => this.#form(piece));
  }

  /** Returns the form of a piece for comparisons. */
  #form(piece: string): string {
    const normal = this.#bundle.tokenizer.normalize(piece);
    return normal.length === 1 && LOOKALIKES.includes(normal) ? "'" : normal;
  }
}
