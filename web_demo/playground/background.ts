/** The page's side of its worker. */

import type { BundleFiles } from "../src/wordBundle.js";
import type { Guess } from "./guessing.js";
import type { Guessed, Progress, Question } from "./serving.js";
import type { Choice } from "./setting.js";

/** What the worker does for the page. */
export interface Background {
  /** Asks about a setting; what was asked before isn't answered any more. */
  measure(choice: Choice): void;
  /** Asks for guesses, once those before are there. */
  readonly guess: Guess;
}

/**
 * Starts the worker.
 *
 * @param script that it runs.
 * @param measured is told how far the newest setting is, and of how many there were.
 * @param failed is told that there is no worker.
 */
export function background(
  script: string,
  files: BundleFiles,
  measured: (progress: Progress, settings: number) => void,
  failed: () => void,
): Background {
  const worker = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
  const ask = (question: Question): void => worker.postMessage(question);
  let number = 0;
  let guessed: (guesses: readonly number[]) => void;
  worker.addEventListener("message", ({ data }: MessageEvent<Progress | Guessed>) => {
    if ("guesses" in data) guessed(data.guesses);
    else if (data.number === number) measured(data, number);
  });
  worker.addEventListener("error", failed);
  ask({ files });
  return {
    measure: (choice) => ask({ number: ++number, choice }),
    guess: (choice, released) =>
      new Promise((answer) => {
        guessed = answer;
        ask({ choice, released });
      }),
  };
}
