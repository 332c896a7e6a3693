/** Shows under each released word what an attacker who reads all of them guesses, and how often they are right. */

import type { WordBundle } from "../src/wordBundle.js";
import type { Word } from "./released.js";
import type { Choice } from "./setting.js";
import { guessed } from "./words.js";

/** Asks for the guesses of the attacker on a text, of its last words if it is long. */
export type Guess = (choice: Choice, released: readonly number[]) => Promise<readonly number[]>;

/**
 * Returns what shows the guesses on words in `list`, and in `summary` how many are right; `told` gets the summary of
 * each text.
 */
export function guessing(
  { vocabulary }: WordBundle,
  list: HTMLElement,
  summary: HTMLElement,
  guess: Guess,
  told: (summary: string) => void,
): (choice: Choice, words: readonly Word[]) => void {
  let wanted: { readonly choice: Choice; readonly words: readonly Word[] };
  let isAsking = false;

  async function ask(): Promise<void> {
    isAsking = true;
    let asked;
    while (asked !== wanted) {
      asked = wanted;
      const { choice, words } = asked;
      const isComputed = choice.mechanism === "exponential";
      const guesses = isComputed && words.length ? await guess(choice, words.map(({ released }) => released)) : [];
      if (asked !== wanted) continue; // something was typed meanwhile
      const { right, secretRight } = show(words, guesses);
      const secret = words.slice(words.length - guesses.length).filter((word) => word.secret).length;
      summary.textContent = guessed(isComputed, right, guesses.length, words.length, secretRight, secret);
      told(summary.textContent);
    }
    isAsking = false;
  }

  /** Returns how many are right, and of how many that are secret. */
  function show(words: readonly Word[], guesses: readonly number[]): { right: number; secretRight: number } {
    let right = 0;
    let secretRight = 0;
    words.forEach(({ id, secret }, place) => {
      const guessedId = guesses[place - words.length + guesses.length];
      const item = list.children[place]!;
      const isRight = guessedId === id;
      if (isRight) right++;
      if (isRight && secret) secretRight++;
      item.classList.toggle("right", isRight);
      item.querySelector(".guess")!.textContent =
        guessedId === undefined ? "" : `guess: ${vocabulary.word(guessedId)}${isRight ? " ✓" : ""}`;
    });
    return { right, secretRight };
  }

  return (choice, words) => {
    wanted = { choice, words };
    if (!isAsking) void ask();
  };
}
