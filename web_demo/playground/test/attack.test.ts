/** The computations, against brute force on a small channel. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as attack from "../attack.js";

const WORDS = 300;
const BITS = 32;
const random = attack.seeded();
const codes = Uint32Array.from({ length: WORDS }, () => random() * 2 ** 32);
codes[7] = codes[3]!; // words may share a code
const weights = Float64Array.from({ length: BITS + 1 }, (_, d) => Math.exp(-0.45 * d));
const measure = Float64Array.from({ length: WORDS }, (_, x) => Math.ceil(400 / (x + 1)));
const shares = Float64Array.from({ length: WORDS }, (_, x) => (x < 20 && x % 2 ? 0.9 : 0)); // words that pass

function apart(x: number, y: number): number {
  let count = 0;
  for (let bits = codes[x]! ^ codes[y]!; bits !== 0; bits &= bits - 1) count++;
  return count;
}

const rows = Array.from(codes.keys(), (x) => Array.from(codes.keys(), (y) => apart(x, y)));
const distances: attack.Distances = (word) => rows[word]!;

function sums(word: number): Float64Array {
  const found = new Float64Array(BITS + 1);
  rows[word]!.forEach((d, y) => (found[d]! += measure[y]!));
  return found;
}

function last<T>(values: Iterable<T>): T {
  return [...values].at(-1)!;
}

function channel(): attack.Channel {
  const counting = attack.surroundings(sums, WORDS, BITS);
  for (;;) {
    const step = counting.next();
    if (step.done) return { weights, measure, totals: attack.totals(step.value, weights), shares };
  }
}

/** Pr[y | x] [x][y], from the definition. */
const probabilities = Array.from(codes.keys(), (x) => {
  const row = Array.from(codes.keys(), (y) => measure[y]! * weights[apart(x, y)]!);
  const sum = row.reduce((a, b) => a + b);
  return row.map((each, y) => ((1 - shares[x]!) * each) / sum + (x === y ? shares[x]! : 0));
});

for (const name of ["isolated", "frequencies"] as const) {
  const prior = attack[name](WORDS);

  test(`the success of ${name} is brute force's`, () => {
    const named = new Float64Array(WORDS);
    for (let y = 0; y < WORDS; y++) {
      const joints = probabilities.map((row, x) => prior[x]! * row[y]!);
      const best = Math.max(...joints);
      named[joints.findIndex((joint) => joint >= best * (1 - 1e-12))]! += best;
    }
    const expected = named.reduce((a, b) => a + b);
    const words = [...named].map((each, x) => each / prior[x]!).sort((a, b) => b - a);
    const found = last(attack.weightedSuccess(channel(), distances, prior));
    assert.ok(Math.abs(found.value - expected) < 1e-12, `${found.value} ${expected}`);
    assert.deepEqual([found.low, found.high, found.from], [found.value, found.value, WORDS]);
    assert.ok(Math.abs(found.worst! - (words[0]! + words[1]! + words[2]!) / 3) < 1e-12);
  });

  test(`the intervals of estimates of ${name} have the number as often as they say`, () => {
    const random = attack.seeded();
    let inside = 0;
    for (let run = 0; run < 100; run++) {
      const all = [...attack.weightedSuccess(channel(), distances, prior, random)];
      const exact = all.at(-1)!.value;
      const { low, high, from } = all.at(-2)!;
      assert.equal(from, WORDS);
      assert.ok(high - low < 0.1);
      if (low <= exact && exact <= high) inside++;
    }
    assert.ok(inside >= 88, `${inside} of 100`); // seeded: the same each time
  });
}

test("the share of unchanged words is the definition's", () => {
  const prior = attack.frequencies(WORDS);
  const expected = probabilities.reduce((sum, row, x) => sum + prior[x]! * row[x]!, 0);
  assert.ok(Math.abs(attack.unchanged(channel(), prior) - expected) < 1e-12);
});

test("priors sum to 1, and Zipf's second word is half as frequent as the first", () => {
  for (const prior of [attack.isolated(WORDS), attack.frequencies(WORDS)]) {
    assert.ok(Math.abs(prior.reduce((a, b) => a + b) - 1) < 1e-12);
  }
  const [first, second] = attack.frequencies(WORDS);
  assert.equal(second! / first!, 0.5);
});

test("Wilson's interval", () => {
  const { value, low, high } = attack.proportion(10, 100); // as in Brown, Cai, DasGupta (2001)
  assert.deepEqual([value, low.toFixed(4), high.toFixed(4)], [0.1, "0.0552", "0.1744"]);
  assert.ok(attack.proportion(0, 50).low < 1e-15);
  assert.ok(attack.proportion(0, 50).high > 0.05);
});

test("words are drawn as often as they should be", () => {
  const draw = attack.drawer(Float64Array.of(1, 0, 3), attack.seeded());
  const counts = [0, 0, 0];
  for (let i = 0; i < 40_000; i++) counts[draw()]!++;
  assert.equal(counts[1], 0);
  assert.ok(Math.abs(counts[0]! - 10_000) < 400, String(counts)); // seeded: the same each time
});
