/** The evidence of words for tasks, compared with bits set by hand. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { HammingIndex } from "../../src/hammingIndex.js";
import { largest, sharesOf, tasksOf, verdict, type Task } from "../tasks.js";
import { verdicts } from "../words.js";

/** Words of 64 bits and 64 task bits, of which each lights these. */
const LIT = [[], [0, 1, 2, 3], [40, 41], [0, 40], [1, 2, 3, 63], [40, 41, 42, 63]];

const codes = Uint32Array.from(LIT.flatMap((bits) => {
  const task = [0, 0];
  for (const bit of bits) task[bit >>> 5]! |= 1 << (bit & 31);
  return [0xffffffff, 0xffffffff, ...task];
}));
const bundle = { index: new HammingIndex(codes, new Uint8Array(LIT.length).fill(1), 128, 64), wordBits: 64 };
const feeling: Task = { name: "feeling", classes: [{ name: "good", bits: [0, 1, 2, 3] }, { name: "bad", bits: [40, 41, 42, 63] }] };

test("a class's share is its part of the bits that known words light", () => {
  assert.deepEqual(sharesOf(bundle, feeling, [1, 2, 3, 0, -1], [5]), [
    { name: "good", typed: 5 / 8, released: 0 },
    { name: "bad", typed: 3 / 8, released: 1 },
  ]);
});

test("bits behind the first dark one are another class's", () => {
  assert.deepEqual(sharesOf(bundle, feeling, [4], [4, 3]).map(({ typed, released }) => [typed, released]), [[0, 0.5], [0, 0.5]]);
});

test("the verdict is the class with the largest share, or nothing", () => {
  const named = (typed: number[], released: number[]): string => {
    const shares = sharesOf(bundle, feeling, typed, released);
    return verdicts("feeling", verdict(shares, "typed"), verdict(shares, "released"));
  };
  assert.equal(named([1], [2]), "feeling: good as typed, bad as released.");
  assert.equal(named([0, -1], []), "feeling: no class as typed, no class as released.");
  assert.equal(named([3], [2, 2, 1, 3]), "feeling: good as typed, good as released."); // equal ones: the first
});

test("of many classes those with the largest shares are shown, in their order", () => {
  const shares = [0.1, 0.3, 0, 0.2].map((typed, i) => ({ name: `${i}`, typed, released: i === 2 ? 0.9 : 0.05 }));
  assert.deepEqual(largest(shares, 3).map(({ name }) => name), ["1", "2", "3"]);
  assert.deepEqual(largest(shares, 6), shares);
});

test("tasks that aren't described as the format says are left out", () => {
  const one = { ...feeling, kind: "classes", texts: 9 };
  assert.deepEqual(tasksOf({ manifest: { tasks: [one] }, taskBits: 64 }), [one]);
  assert.deepEqual(tasksOf({ manifest: { tasks: [one] }, taskBits: 0 }), []);
  const odd = [
    null, 1, {}, { name: "x" }, { name: "x", classes: 1 }, { name: "x", classes: [] }, { name: "x", classes: [null] }, { ...one, name: 1 },
    ...[64, -1, 0.5, "1", null].map((bit) => ({ name: "x", classes: [{ name: "a", bits: [bit] }] })),
    { name: "x", classes: [{ name: 1, bits: [0] }] }, { name: "x", classes: [{ name: "a", bits: "0" }] },
  ];
  for (const tasks of [undefined, null, "x", {}, odd]) assert.deepEqual(tasksOf({ manifest: { tasks }, taskBits: 64 }), []);
});
