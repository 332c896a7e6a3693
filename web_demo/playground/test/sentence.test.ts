/** The attacker who reads a text, compared with Python's numbers (in BRR_PLAYGROUND) and with brute force. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { WordBundle } from "../../src/wordBundle.js";
import { seeded } from "../attack.js";
import { channelsOf, type Computed } from "../channels.js";
import { guesses, languageOf, posteriors, reader, type Language } from "../sentence.js";
import { described, type Choice } from "../setting.js";

interface Read {
  readonly released: number[];
  readonly likeliest: number[][];
  readonly shares: number[][];
  readonly setting: Partial<Choice>;
}

const { BRR_PLAYGROUND: numbers = "", BRR_SAMPLE: sample = "" } = process.env;
const bundle = await WordBundle.of({
  manifest: readFileSync(`${sample}/manifest.json`),
  index: readFileSync(`${sample}/index.safetensors`),
  randomizer: readFileSync(`${sample}/randomizer.tflite`),
});
const channels = channelsOf(bundle);
const language = languageOf(bundle.masses, bundle.size);

function computed(choice: Choice): Computed {
  const computing = channels(choice);
  for (;;) {
    const step = computing.next();
    if (step.done) return step.value;
  }
}

for (const { released, likeliest, shares, setting } of JSON.parse(readFileSync(`${numbers}/sentence.json`, "utf8")) as Read[]) {
  const choice = { mechanism: "exponential", radius: 8, base: "bigram", cap: null, task_weight: null, t: null, passing: false, ...setting } as Choice;
  test(`${released.length} words of ${described(choice)} are read as in Python`, () => {
    const { channel, distances } = computed(choice);
    const read = reader(language, channel, distances, choice.base === "bigram")(released);
    const named = guesses(read);
    assert.equal(named.length, released.length);
    likeliest.forEach((ids, t) => {
      assert.equal(named[t], ids[0]);
      ids.forEach((id, place) => assert.ok(Math.abs(read[t]![id]! - shares[t]![place]!) < 1e-9));
    });
  });
}

test("forward-backward is the sum over all texts", () => {
  const random = seeded();
  const words = Float64Array.of(3, 1, 2);
  const following = [{ ids: [1, 2], gains: [4, 1] }, { ids: [], gains: [] }, { ids: [0, 2], gains: [2, 5] }];
  const totals = Float64Array.from(following, ({ gains }) => gains.reduce((sum, gain) => sum + gain, 6));
  const small: Language = { words, sum: 6, totals, following };
  const next = (history: number, x: number): number =>
    (words[x]! + (following[history]!.gains[following[history]!.ids.indexOf(x)] ?? 0)) / totals[history]!;
  const likelihoods = Array.from({ length: 4 }, () => Float64Array.from({ length: 3 }, random));
  const expected = likelihoods.map(() => [0, 0, 0]);
  for (let number = 0; number < 3 ** 4; number++) {
    const text = [0, 1, 2, 3].map((t) => Math.floor(number / 3 ** t) % 3);
    const share = text.reduce((all, x, t) => all * likelihoods[t]![x]! * (t ? next(text[t - 1]!, x) : words[x]! / 6), 1);
    text.forEach((x, t) => (expected[t]![x]! += share));
  }
  posteriors(small, likelihoods).forEach((belief, t) => {
    const sum = expected[t]!.reduce((a, b) => a + b);
    belief.forEach((share, x) => assert.ok(Math.abs(share - expected[t]![x]! / sum) < 1e-12));
  });
});

test("words that pass are read by the definition", () => {
  const random = seeded();
  const size = 30;
  const words = Float64Array.from({ length: size }, (_, x) => 1 + (x % 7));
  const gainsOf = (h: number): number[] => Array.from({ length: size }, (_, y) => (h >= 0 && (h + y) % 5 === 0 ? 3 : 0));
  const following = Array.from({ length: size }, (_, h) => {
    const ids = [...gainsOf(h).keys()].filter((y) => gainsOf(h)[y]);
    return { ids, gains: ids.map(() => 3) };
  });
  const sum = words.reduce((all, each) => all + each, 0);
  const sums = Float64Array.from(following, ({ gains }) => gains.reduce((all, gain) => all + gain, sum));
  const apart = Array.from({ length: size }, () => new Array<number>(size).fill(0));
  for (let x = 0; x < size; x++) for (let y = 0; y < x; y++) apart[x]![y] = apart[y]![x] = 1 + Math.floor(8 * random());
  const weights = Float64Array.from({ length: 9 }, (_, d) => Math.exp(-0.4 * d));
  const shares = Float64Array.from({ length: size }, (_, x) => (x % 3 === 0 ? 0.9 : 0));
  const drawn = (x: number, h: number): number[] => {
    const row = gainsOf(h).map((gain, y) => (words[y]! + gain) * weights[apart[x]![y]!]!);
    const all = row.reduce((a, b) => a + b);
    return row.map((each, y) => ((1 - shares[x]!) * each) / all + (x === y ? shares[x]! : 0));
  };
  const small: Language = { words, sum, totals: sums, following };
  const totals = Float64Array.from(apart, (row) => row.reduce((all, d, y) => all + words[y]! * weights[d]!, 0));
  const channel = { weights, measure: words, totals, shares };
  const released = [3, 12, 7, 8, 9];
  const likelihoods = released.map((y, t) => Float64Array.from(words, (_, x) => drawn(x, released[t - 1] ?? -1)[y]!));
  const expected = posteriors(small, likelihoods);
  reader(small, channel, (y) => apart[y]!, true)(released).forEach((belief, t) => {
    belief.forEach((share, x) => assert.ok(Math.abs(share - expected[t]![x]!) < 1e-12));
  });
});

test("of a long text the last words are read, and of none nothing", () => {
  const { channel, distances } = computed({ mechanism: "exponential", epsilon: 1, radius: 8, base: "bigram", cap: null, task_weight: null, t: null, passing: false });
  const read = reader(language, channel, distances, true);
  assert.equal(read(Array(500).fill(7)).length, Math.floor(4_000_000 / bundle.size));
  assert.deepEqual(read([]), []);
});
