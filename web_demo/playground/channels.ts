/** The channels of settings on a bundle. They share counts. */

import { weightTable } from "../src/exact.js";
import type { WordBundle } from "../src/wordBundle.js";
import * as attack from "./attack.js";
import type { Channel, Distances } from "./attack.js";
import { bitsCounted, sharesPassing, taskWeight, type Choice } from "./setting.js";

/** Of one setting. */
export interface Computed {
  /** The channel of a text's first word. */
  readonly channel: Channel;
  readonly distances: Distances;
}

/** Yields the counted share of the words, and returns the channel of a setting of `exponential`. */
export type Channels = (choice: Choice) => Generator<number, Computed>;

/** Returns an object that computes the channels of settings on a bundle. */
export function channelsOf(bundle: WordBundle): Channels {
  const { index, masses, size, wordBits, taskBits } = bundle;
  const around = new Map<string, Float64Array>(); // by the task weight, and by whether the base is uniform
  return function* (choice) {
    const { epsilon, radius, base, cap } = choice;
    const weight = taskWeight(choice);
    const bits = bitsCounted({ wordBits, taskBits }, choice);
    const distances: Distances = (word) => index.distancesFrom(index.code(word), weight);
    const first = masses.measure(base, -1);
    const key = `${base === "uniform"} ${weight}`;
    const sums = (word: number): Float64Array => index.sums(index.code(word), first, weight).sums;
    const counting = attack.surroundings(sums, size, bits);
    while (!around.has(key)) {
      const step = counting.next();
      if (step.done) around.set(key, step.value);
      else yield step.value / size;
    }
    const weights = Float64Array.from(weightTable(epsilon, bits, masses.most(base), radius, cap ?? undefined), Number);
    const measure = Float64Array.from(masses.words, (byte) => first.levels[byte]!);
    const totals = attack.totals(around.get(key)!, weights);
    return { channel: { weights, measure, totals, shares: sharesPassing(bundle, choice) }, distances };
  };
}
