/** Measures settings, in a worker: a better number is sent whenever there is one. */

import { WordBundle } from "../src/wordBundle.js";
import { Privatizer } from "../src/privatizer.js";
import * as attack from "./attack.js";
import type { Estimate, Success } from "./attack.js";
import type { Files } from "./files.js";
import { parametersOf, type Base, type Choice } from "./setting.js";

/** What is measured of a setting. */
export interface Measured {
  /** Whose success it is: as `brr calibrate` chooses, who knows frequencies where the base has them. */
  readonly attacker: "isolated" | "frequencies";
  /**
   * Where the success comes from: all output words; a sample of them; draws; or it is only enclosed,
   * by draws.
   */
  readonly how: "computed" | "sampled" | "drawn" | "bounded";
  readonly success: Success;
  /** The other attacker's success; null where it isn't computed. */
  readonly other: number | null;
  /** Share of words that come out as typed, typed as often as Zipf's law says. */
  readonly unchanged: Estimate;
}

/** To the worker: first the bundle's files, then settings, each with its number. */
export type Question = { readonly files: Files } | { readonly number: number; readonly choice: Choice };

/** From the worker, about the setting of that number. */
export type Progress = {
  readonly number: number;
} & (
  | { readonly measured: null; readonly prepared: number }
  | { readonly measured: Measured; readonly done: boolean }
);

const DRAWS = 4000;
const BATCH = 50;
const SLICE = 40; // ms between two looks at what the page asks

/** Answers in a worker. */
export function serve(): void {
  let measure: Promise<Measurer>;
  let newest = 0;
  addEventListener("message", async ({ data }: MessageEvent<Question>) => {
    if ("files" in data) {
      measure = WordBundle.of(data.files).then(measurer);
      return;
    }
    const { number, choice } = data;
    newest = number;
    let latest: Step | null = null;
    let sent = performance.now();
    for await (const step of (await measure)(choice)) {
      latest = step;
      if (performance.now() - sent < SLICE) continue;
      postMessage({ number, done: false, ...step });
      await new Promise((resolve) => setTimeout(resolve)); // a newer question comes in
      if (number !== newest) return;
      sent = performance.now();
    }
    postMessage({ number, done: true, ...latest });
  });
}

type Step = { measured: null; prepared: number } | { measured: Measured };
type Measurer = (choice: Choice) => AsyncGenerator<Step>;

/** Returns what measures settings of a bundle; the last step is the best. */
export function measurer(bundle: WordBundle): Measurer {
  const around = new Map<boolean, Float64Array>(); // by whether all words are alike
  const words = bundle.size;
  const isolated = attack.isolated(words);
  const frequencies = attack.frequencies(words);

  async function* computed(choice: Choice): AsyncGenerator<Step> {
  }

  return (choice) => (choice.mechanism === "exponential" ? computed(choice) : drawn(choice));
}
