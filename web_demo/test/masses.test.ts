/** The small language model of a bundle: its sums, the words after a word, and errors in some models. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { eightBytes, hex } from "../src/bytes.js";
import { LEVELS, Masses } from "../src/masses.js";
import { PackedNumbers } from "../src/packedNumbers.js";
import { Script } from "./cases.js";

type Bigram = readonly [before: number, after: number, gain: number];

const WORDS = [40, 16, 9, 3, 77, 1, 20, 5, 255];
const BIGRAMS: readonly Bigram[] = [[0, 1, 50], [0, 5, 90], [3, 3, 70], [7, 0, 1], [7, 6, 33], [7, 8, 255], [8, 0, 2]];

function massesOf(words: readonly number[], bigrams: readonly Bigram[] = []): Masses {
  const packed = (place: 0 | 1) =>
    new PackedNumbers(Uint8Array.from([...bigrams.map((each) => each[place]), 0, 0, 0]), bigrams.length, 8);
  const gains = Uint8Array.from(bigrams.map(([, , gain]) => gain));
  return new Masses(Uint8Array.from(words), packed(0), packed(1), gains);
}

const sum = (bytes: readonly number[]): number => bytes.reduce((all, byte) => all + LEVELS[byte]!, 0);

test("what follows a word is found", () => {
  for (const bigrams of [BIGRAMS, BIGRAMS.slice(0, 2)]) {
    const masses = massesOf(WORDS, bigrams);
    for (let before = -1; before < WORDS.length; before++) {
      const those = bigrams.filter(([first]) => first === before);
      const { ids, gains } = masses.measure("bigram", before);
      assert.deepEqual(ids, those.map(([, after]) => after));
      assert.deepEqual(gains, those.map(([, , gain]) => LEVELS[gain]));
      assert.deepEqual(masses.measure("unigram", before).ids, []);
    }
  }
});

test("the base where none is given is the last that there is", () => {
  assert.equal(massesOf(WORDS, BIGRAMS).lastBase, "bigram");
  assert.equal(massesOf(WORDS).lastBase, "unigram");
});

test("no base measure's sum is more than is said", () => {
  const masses = massesOf(WORDS, BIGRAMS);
  assert.equal(masses.most("uniform"), WORDS.length);
  assert.equal(masses.most("unigram"), sum(WORDS));
  assert.equal(masses.most("bigram"), sum(WORDS) + sum([1, 33, 255])); // after word 7
  assert.equal(massesOf([1, 1, 1], [[0, 1, 5], [2, 0, 9], [2, 2, 9]]).most("bigram"), 3 + 18);
  assert.equal(massesOf(WORDS).most("bigram"), sum(WORDS));
});

test("a word is drawn by its mass, at both ends of its numbers", () => {
  for (const masses of [massesOf(WORDS, BIGRAMS), massesOf([255, 255, 1, 255])]) {
    const drawn = (number: number): number => {
      const script = new Script(hex(eightBytes(BigInt(number))));
      const id = masses.draw(script.source);
      script.assertUsed();
      return id;
    };
    let number = 0;
    masses.words.forEach((byte, id) => {
      assert.equal(drawn(number), id);
      number += LEVELS[byte]!;
      assert.equal(drawn(number - 1), id);
    });
  }
});

test("masses say what is wrong with them", () => {
  const order = "tensors 'before' and 'after' aren't in order, or have a pair twice";
  const large = "tensors 'masses' and 'gains' sum to more than 2^47";
  const most = new Array<number>(8738).fill(255); // 2^47 - 2^31; the byte 232 is 2^31
  const cases: [words: number[], bigrams: Bigram[], damage: string | undefined][] = [
    [WORDS, [], undefined],
    [WORDS, [...BIGRAMS], undefined],
    [[0, 1, 1], [], "tensor 'masses' has a 0"],
    [[1, 1, 1], [[0, 1, 1], [2, 2, 0]], "tensor 'gains' has a 0"],
    [[1, 1, 1], [[3, 1, 1]], "tensor 'before' names a missing word"],
    [[1, 1, 1], [[0, 1, 1], [0, 3, 1]], "tensor 'after' names a missing word"],
    [[1, 1, 1], [[0, 0, 1], [0, 1, 1]], undefined],
    [[1, 1, 1], [[0, 1, 1], [0, 1, 1]], order],
    [[1, 1, 1], [[0, 2, 1], [0, 1, 1]], order],
    [[1, 1, 1], [[1, 0, 1], [0, 1, 1]], order],
    [[...most, 255], [], large],
    [most, [[0, 1, 232], [1, 0, 232]], undefined], // those after two words don't add up
    [most, [[0, 1, 233]], large],
  ];
  for (const [words, bigrams, damage] of cases) assert.equal(massesOf(words, bigrams).damage(), damage);
});
