/** Prompts: marked words are hidden behind others, and put back where a reply has these. */

import { LOOKALIKES } from "./characters.js";
import { checkArgument, checkOptions, checkRest, ParameterError } from "./errors.js";
import { around, cutMarks, type Cut, type Mark } from "./marks.js";
import { LEVELS } from "./masses.js";
import { systemRandom, uniformBelow, type RandomSource } from "./randomness.js";
import { UNKNOWN } from "./token.js";
import { checkCodes, type WordBundle } from "./wordBundle.js";

/**
 * A conversation: a surrogate stands for each marked text, a name for a name, say.
 *
 * A surrogate doesn't depend on what it stands for, only on what stood for what before: equal texts have the same one
 * in a session, and different ones others. That, the lists, and all that **no mark covers** is shown. What stands for
 * what is held in this object alone, and is gone with it; nothing is stored. `spec/bundle-format.md`, "Sessions", is the
 * specification.
 *
 * Proof: `docs/explanation/proofs.md`, "Lists".
 */
export class Session {
  readonly #bundle: WordBundle;
  readonly #random: RandomSource;
  /** By what marks are typed as: the ids of the words that may stand for them. */
  readonly #words = new Map<number, readonly number[]>();
  /** By what a mark is typed as, and by its normal form: the id of its surrogate. */
  readonly #surrogates = new Map<string, number>();
  /** By a surrogate's pieces: what it stands for, as typed. */
  readonly #typed = new Map<string, string>();
  /** How many pieces a surrogate has, at most. */
  #longest = 0;

  /**
   * Begins a session.
   *
   * @param bundle its policy's lists have the surrogates.
   * @param options `random` is the source of random bytes. Leave it alone in production.
   * @throws ParameterError the bundle is a list, or an argument is of another kind.
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
   * Returns a text as it was typed, with a surrogate in the place of each mark.
   *
   * @throws ParameterError a mark is empty, outside the text, within a character, or of no list of the policy; or all
   *   words of its list are surrogates already.
   */
  hide(text: string, marks: readonly Mark[]): string {
    checkArgument(typeof text === "string", "hide takes a string");
    const cut = cutMarks(text, marks, this.#bundle.tokenizer);
    return around(text, cut).map((part, place) => part + this.#surrogate(text, cut[place])).join("");
  }

  /**
   * Returns a reply with what was typed in the place of each surrogate, whatever its case.
   *
   * A surrogate that stands in a longer word is none.
   */
  restore(reply: string): string {
    checkArgument(typeof reply === "string", "restore takes a string");
    const pieces = this.#pieces(reply);
    const forms = pieces.map((piece) => this.#form(piece));
    let restored = "";
    for (let place = 0; place < pieces.length;) {
      let size = Math.min(this.#longest, pieces.length - place);
      while (size > 0 && !this.#typed.has(keyOf(forms.slice(place, place + size)))) size--;
      restored += size > 0 ? this.#typed.get(keyOf(forms.slice(place, place + size)))! : pieces[place]!;
      place += Math.max(size, 1);
    }
    return restored;
  }

  /** Returns what stands for a mark; nothing where there is none. */
  #surrogate(text: string, mark: Cut | undefined): string {
    if (!mark) return "";
    const typed = text.slice(mark.start, mark.end);
    const key = `${mark.id} ${this.#bundle.tokenizer.normalize(typed)}`;
    const known = this.#surrogates.get(key);
    const id = known ?? this.#drawn(mark.id);
    const word = this.#bundle.vocabulary.word(id);
    if (known === undefined) {
      const pieces = this.#pieces(word);
      this.#surrogates.set(key, id);
      this.#typed.set(keyOf(pieces.map((piece) => this.#form(piece))), typed);
      this.#longest = Math.max(this.#longest, pieces.length);
    }
    return word;
  }

  /**
   * Returns one of the words that stand for nothing yet: a member of a list by its mass. Any other by chance alone: a
   * frequent word would be in a reply by itself, too.
   */
  #drawn(head: number): number {
    const taken = new Set(this.#surrogates.values());
    const ids = this.#words.get(head)!.filter((id) => !taken.has(id));
    const { masses } = this.#bundle;
    const weights = ids.map((id) => (head === UNKNOWN ? 1 : LEVELS[masses.words[id]!]!));
    if (ids.length === 0) {
      throw new ParameterError("all words of a mark's list stand for something in this session; begin another one");
    }
    let number = uniformBelow(weights.reduce((sum, weight) => sum + weight), this.#random);
    return ids[weights.findIndex((weight) => (number -= weight) < 0)]!;
  }

  /** Returns a text, cut wherever a word could begin or end; apostrophes and joiners by themselves. */
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

  /** Returns a piece as pieces are compared. */
  #form(piece: string): string {
    const normal = this.#bundle.tokenizer.normalize(piece);
    return normal.length === 1 && LOOKALIKES.includes(normal) ? "'" : normal;
  }
}

/** Returns what tells sequences of forms apart; those of words have no such character. */
const keyOf = (forms: readonly string[]): string => forms.join("\0");
