/** Shows under each released word the guess of an attacker who reads all of them, and the share of correct guesses. */

import type { WordBundle } from "../src/wordBundle.js";
import type { Word } from "./released.js";
import type { Choice } from "./setting.js";
import { guessed } from "./words.js";

/** Requests the attacker's guesses for a text; for a long text, for its last words. */
export type Guess = (choice: Choice, released: readonly number[]) => Promise<readonly number[]>;

/**
 * Returns a function that shows the guesses in `list`, and the number of correct ones in `summary`. `told` receives the
 * summary of each text.
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

  /** Returns the number of correct guesses, and the number of secret words. */
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
