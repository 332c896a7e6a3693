/** The worker's side of the page: measures settings, and guesses what was typed. */

import { WordBundle, type BundleFiles } from "../src/wordBundle.js";
import { channelsOf, type Channels } from "./channels.js";
import { measurer, type Measured, type Measurer, type Step } from "./measuring.js";
import { guesses, languageOf, reader, type Reader } from "./sentence.js";
import { described, type Choice } from "./setting.js";

/** To the worker: first the bundle's files, then settings, each with its number, and released texts. */
export type Question =
  | { readonly files: BundleFiles }
  | { readonly number: number; readonly choice: Choice }
  | { readonly choice: Choice; readonly released: readonly number[] };

/** From the worker: the guesses of an attacker who reads a released text, for its last words. */
export interface Guessed {
  readonly guesses: readonly number[];
}

/** From the worker: the results of the setting with that number. */
export type Progress = {
  readonly number: number;
} & (
  | { readonly measured: null; readonly prepared: number }
  | { readonly measured: Measured; readonly done: boolean }
);

const SLICE = 40; // ms between two looks at the page's requests

/** Answers in a worker. */
export function serve(): void {
  let opened: Promise<{ readonly measure: Measurer; readonly read: (choice: Choice) => Reader }>;
  let newest = 0;
  addEventListener("message", async ({ data }: MessageEvent<Question>) => {
    if ("files" in data) {
      opened = WordBundle.of(data.files).then((bundle) => {
        const channels = channelsOf(bundle);
        return { measure: measurer(bundle, channels), read: readers(bundle, channels) };
      });
      return;
    }
    const { measure, read } = await opened;
    if ("released" in data) {
      postMessage({ guesses: guesses(read(data.choice)(data.released)) } satisfies Guessed);
      return;
    }
    const { number, choice } = data;
    newest = number;
    let latest: Step | null = null;
    let sent = performance.now();
    for (const step of measure(choice)) {
      latest = step;
      if (performance.now() - sent < SLICE) continue;
      postMessage({ number, done: false, ...step });
      await new Promise((resolve) => setTimeout(resolve)); // a newer request arrives
      if (number !== newest) return;
      sent = performance.now();
    }
    postMessage({ number, done: true, ...latest });
  });
}

/** Returns a reader for texts that settings of `exponential` released. Keeps that of the last setting. */
function readers(bundle: WordBundle, channels: Channels): (choice: Choice) => Reader {
  const language = languageOf(bundle.masses, bundle.size);
  let kept: { readonly of: string; readonly read: Reader } | null = null;
  return (choice) => {
    const of = described(choice);
    if (kept?.of !== of) {
      const computing = channels(choice);
      let step = computing.next();
      while (!step.done) step = computing.next();
      const { channel, distances } = step.value;
      kept = { of, read: reader(language, channel, distances, choice.base === "bigram") };
    }
    return kept.read;
  };
}
