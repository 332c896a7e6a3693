/** Releases a text as it grows, word by word, like the runtime's `Privatizer`. */

import type { Mechanism } from "../src/mechanisms/mechanism.js";
import type { Passing } from "../src/policy.js";
import { systemRandom } from "../src/randomness.js";
import { UNKNOWN } from "../src/token.js";
import type { WordBundle } from "../src/wordBundle.js";

/** A typed word and its released word. */
export interface Word {
  /** Normalized. */
  readonly typed: string;
  /** Id of this word in the vocabulary, regardless of the policy; -1 for an unknown word. */
  readonly id: number;
  /** Whether it is typed as a word of a list, or marked. */
  readonly secret: boolean;
  /** Id of the released word. */
  readonly released: number;
}

/** Draws words, and lets some pass. */
export interface Drawing {
  readonly mechanism: Mechanism;
  readonly passing: Passing | null;
}

/**
 * Returns the words for the normalized `tokens`. Those in `marked` are typed as unknown words. Words of `earlier` stay
 * up to the first difference; the others are drawn.
 */
export function follow(
  { tokenizer, vocabulary, index, masses, policy }: WordBundle,
  { mechanism, passing }: Drawing,
  tokens: readonly string[],
  marked: ReadonlySet<string>,
  earlier: readonly Word[],
): Word[] {
  const differs = earlier.findIndex(({ typed }, place) => typed !== tokens[place]);
  const words = differs === -1 ? [...earlier] : earlier.slice(0, differs);
  for (const typed of tokens.slice(words.length)) {
    const found = tokenizer.lookUp(typed);
    const isListed = policy.lists.some(({ members }) => members[0] === found);
    const typedAs = marked.has(typed) ? UNKNOWN : found;
    // A random word replaces an unknown one.
    const code = index.code(typedAs === UNKNOWN ? masses.draw(systemRandom) : typedAs);
    const passes = passing?.coin(typedAs, systemRandom);
    const [drawn] = mechanism.release([code], words.at(-1)?.released ?? -1, systemRandom);
    words.push({
      typed,
      id: isListed ? vocabulary.find(typed) : found,
      secret: isListed || marked.has(typed),
      released: passes ? typedAs : drawn!,
    });
  }
  return words;
}
