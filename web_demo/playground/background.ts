/** The page's side of its worker. */

import type { BundleFiles } from "../src/wordBundle.js";
import type { Guess } from "./guessing.js";
import type { Guessed, Progress, Question } from "./serving.js";
import type { Choice } from "./setting.js";

/** The worker's services for the page. */
export interface Background {
  /** Requests measurements of a setting. Earlier requests aren't answered any more. */
  measure(choice: Choice): void;
  /** Requests guesses, after the earlier ones have arrived. */
  readonly guess: Guess;
}

/**
 * Starts the worker.
 *
 * @param script script of the worker.
 * @param measured receives the progress of the newest setting, and the number of settings so far.
 * @param failed called if there is no worker.
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
