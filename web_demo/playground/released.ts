/** What is released for a text as it grows, word by word, as the runtime's `Privatizer` does. */

import type { Mechanism } from "../src/mechanisms/mechanism.js";
import { systemRandom } from "../src/randomness.js";
import type { WordBundle } from "../src/wordBundle.js";

/** A typed word and what was released for it. */
export interface Word {
  /** Normalized. */
  readonly typed: string;
  /** Id of the vocabulary's word that it is looked up as; -1 if there is none. */
  readonly id: number;
  /** Id of what was released. */
  readonly released: number;
}

/**
 * Returns the words of `tokens`, normalized. Those of `earlier` stay up to the first that differs; the
 * others are drawn.
 */
export function follow(
  { tokenizer, index, masses }: WordBundle,
  mechanism: Mechanism,
  tokens: readonly string[],
  earlier: readonly Word[],
): Word[] {
  const differs = earlier.findIndex(({ typed }, place) => typed !== tokens[place]);
  const words = differs === -1 ? [...earlier] : earlier.slice(0, differs);
  for (const typed of tokens.slice(words.length)) {
    const id = tokenizer.lookUp(typed);
    // Any word takes the place of an unknown one.
    const code = index.code(id < 0 ? masses.draw(systemRandom) : id);
    const [released] = mechanism.release([code], words.at(-1)?.released ?? -1, systemRandom);
    words.push({ typed, id, released: released! });
  }
  return words;
}
