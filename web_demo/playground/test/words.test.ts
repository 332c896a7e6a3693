/** The page's sentences, and the sliders' positions. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Passing, Policy } from "../../src/policy.js";
import type { Setting } from "../../src/setting.js";
import * as settings from "../setting.js";
import * as say from "../words.js";

const recommended: Setting = {
  mechanism: "exponential",
  epsilon: 1.329,
  parameters: { radius: 16, base: "bigram", cap: 17.5 },
};
const policy = new Policy();
const start = settings.startOf({ wordBits: 64, masses: { lastBase: "bigram" }, recommended, policy });

test("a visitor starts at what the bundle recommends, exactly", () => {
  assert.equal(settings.described(start), "exponential, ε 1.329, radius 16, base bigram, cap 17.5");
  const place = settings.placeOfEpsilon(start.epsilon, start.epsilon);
  assert.equal(settings.epsilonAt(place, start.epsilon), 1.329);
  assert.equal(settings.capAt(settings.placeOfCap(start.cap), start.cap), 17.5);
});

test("without a recommendation there is a start, too", () => {
  const other = settings.startOf({ wordBits: 128, masses: { lastBase: "unigram" }, recommended: null, policy });
  assert.equal(settings.described(other), "exponential, ε 1, radius 16, base unigram");
});

test("a place of the slider is an epsilon, and back", () => {
  for (let place = settings.EPSILON_PLACES.least; place <= settings.EPSILON_PLACES.most; place++) {
    const epsilon = settings.epsilonAt(place, 1.329);
    assert.equal(settings.placeOfEpsilon(epsilon, 1.329), place);
    assert.ok(epsilon < 22.18 && epsilon > 1e-9);
  }
  assert.equal(settings.epsilonAt(12, 1.329), 2.658);
  assert.equal(settings.capAt(settings.CAP_PLACES.none, 17.5), null);
  assert.equal(settings.capAt(30, 17.5), 30);
});

test("a mechanism gets its own parameters only", () => {
  assert.deepEqual(settings.parametersOf({ ...start, cap: null }), { radius: 16, base: "bigram" });
  assert.deepEqual(settings.parametersOf({ ...start, mechanism: "brr" }), {});
  assert.deepEqual(settings.parametersOf({ ...start, mechanism: "vickrey", t: [0, 0.5] }), { t: [0, 0.5] });
  assert.equal(settings.parametersOf({ ...start, task_weight: 2 }).task_weight, 2);
  assert.ok(settings.same({ ...start, mechanism: "brr", radius: 3 }, { ...start, mechanism: "brr" }));
});

test("a task bit counts as often as the setting says", () => {
  const bundle = { wordBits: 64, taskBits: 128 };
  const weighed = (task_weight: number | null, mechanism: "exponential" | "brr"): number =>
    settings.bitsCounted(bundle, { ...start, mechanism, task_weight });
  assert.deepEqual([weighed(null, "exponential"), weighed(0, "exponential"), weighed(3, "exponential")], [192, 64, 448]);
  assert.equal(weighed(3, "brr"), 192);
});

test("probabilities are never shown as sure", () => {
  const shown = [0.0001, 0.0784, 0.0996, 0.19562, 0.996, 1].map(say.probability);
  assert.deepEqual(shown, ["below 0.001", "0.078", "0.10", "0.20", "above 0.99", "1.00"]);
  assert.deepEqual([0, 0.004, 0.147, 0.997, 1].map(say.ofHundred), ["0", "below 1", "15", "above 99", "100"]);
});

test("task bits are counted by themselves", () => {
  assert.equal(say.length({ wordBits: 64, taskBits: 0 }), "64 bits");
  assert.equal(say.length({ wordBits: 64, taskBits: 128 }), "64 + 128 bits");
});

test("the largest loss is the smaller bound", () => {
  assert.equal(say.largestLoss(1.329, 20, 53, false).number, "20");
  assert.equal(say.largestLoss(0.2, 20, 53, false).number, "10.6");
  assert.equal(say.largestLoss(1.329, null, 53, false).number, "70.4");
});

test("numbers say where they come from", () => {
  const success = { value: 0.1956, low: 0.1956, high: 0.1956, from: 10_000, worst: 0.6546 };
  const unchanged = { value: 0.15, low: 0.14, high: 0.16 };
  const measured = { attacker: "frequencies", how: "computed", success, blind: 0.1, other: 0.0823, unchanged } as const;
  assert.equal(
    say.successNote(measured),
    "Computed exactly, over all 10,000 words. For the least protected 1%, it is 0.65. " +
      "For the isolated attacker, who assumes that all words are equally likely, it is 0.082.",
  );
  assert.match(say.attackerKnows(measured), /know how often each word is typed. Without that word, their success is 0.10\.$/);
  const drawn = { ...measured, how: "drawn", other: null, success: { ...success, low: 0.18, high: 0.21, from: 4000 } } as const;
  assert.match(say.successNote(drawn), /^Estimated from 4,000 draws on this page: 0.18 to 0.21 \(95% interval\)\.$/);
  assert.match(say.unchangedNote(drawn), /14 to 16 \(95% interval\)/);
  assert.equal(say.successNumber({ ...drawn, how: "bounded" }), "0.18 to 0.21");
  assert.match(say.successNote({ ...drawn, how: "sampled", success: { ...success, from: 50 } }), /50 released words/);
});

test("guesses are counted of what was read", () => {
  assert.match(say.guessed(true, 1, 6, 6, 0, 0), /^An attacker who reads all released words, .* recovers 1 of 6 words \(17%\)\.$/);
  assert.match(say.guessed(true, 0, 400, 500, 0, 0), /reads the last 400 released words, .* recovers 0 of 400 words \(0%\)\.$/);
  assert.equal(say.guessed(true, 0, 0, 0, 0, 0), "");
  assert.match(say.guessed(false, 0, 0, 6, 0, 0), /only for the mechanism exponential\.$/);
  assert.match(say.guessed(true, 1, 6, 6, 1, 2), /17%\), and 1 of 2 secret words\.$/);
});

test("the bundle's words pass, or else its most frequent ones that are on no list", () => {
  const list = { name: "names", members: [1, 3], forms: [] };
  const found = settings.passingOf({ policy: new Policy([list]), size: 100 });
  assert.deepEqual([found.words.slice(0, 4), found.words.length], [[0, 2, 4, 5], 30]);
  assert.match(say.largestLoss(1, 5, 64, true).text, / No bound holds for words that pass\.$/);
  assert.equal(say.passing(found, false), "Let the 30 most frequent words pass 95% of the time");
  const own = { policy: new Policy([], new Passing([4, 7], 0.5)), size: 9 };
  assert.equal(settings.passingOf(own).threshold, 2n ** 62n);
  assert.deepEqual([...settings.sharesPassing(own, { ...start, passing: true })], [0, 0, 0, 0, 0.5, 0, 0, 0.5, 0]);
  assert.ok(settings.sharesPassing(own, start).every((share) => share === 0));
  assert.equal(settings.startOf({ wordBits: 64, masses: { lastBase: "bigram" }, recommended, ...own }).passing, true);
  assert.equal(settings.described({ ...start, passing: true }).split(", ").at(-1), "words pass");
});
