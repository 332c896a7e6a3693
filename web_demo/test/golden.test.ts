/** The golden cases of bundles: `parity.json`. Their random bytes are all used, and no others. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Counts } from "../src/counts.js";
import { flipThreshold } from "../src/exact.js";
import { openFolder } from "../src/folder.js";
import { Outbox } from "../src/outbox.js";
import { Privatizer } from "../src/privatizer.js";
import { Reporter } from "../src/reporter.js";
import { inWork, namesOfBundles, remembering, SAMPLE, Script } from "./cases.js";
import { DAY_MS, TestStorage, withoutWebAssembly } from "./support.js";

const folders = [SAMPLE, ...namesOfBundles.map((name) => inWork("bundles", name))];
for (const [folder, compiled] of folders.flatMap((folder) => [[folder, true], [folder, false]] as const)) {
  const bundle = await (compiled ? openFolder(folder) : withoutWebAssembly(() => openFolder(folder)));
  const cases = JSON.parse(readFileSync(join(folder, "parity.json"), "utf8"));
  const { tokenizer, vocabulary } = bundle;
  /** There are cases, unless a list can't have them, which has no codes. */
  const ofCodes = (some: readonly unknown[]): void => assert.equal(some.length > 0, !bundle.listOf);

  test(`thresholds of ${folder}`, () => {
    ofCodes(cases.thresholds);
    for (const { epsilon, threshold } of cases.thresholds) assert.equal(flipThreshold(epsilon), threshold);
  });

  test(`tokens of ${folder}`, () => {
    assert.ok(cases.texts.length > 10);
    for (const { text, tokens, words, finished } of cases.texts) {
      assert.deepEqual(bundle.tokenize(text), tokens);
      assert.equal(Array.from(bundle.finished(text)).length, finished);
      const ids = tokens.map((token: string) => tokenizer.lookUp(token));
      assert.deepEqual(ids.map((id: number) => (id < 0 ? null : vocabulary.word(id))), words);
    }
  });

  test(`words of ${folder}`, async () => {
    ofCodes(cases.cases);
    for (const { mechanism, parameters, epsilon, word, before, random, output } of cases.cases) {
      const script = new Script(random);
      const options = { setting: { epsilon, mechanism, parameters }, random: script.source };
      assert.equal(await releasedAfter(before, options, word), output);
      script.assertUsed();
    }
  });

  test(`words with a memory of ${folder}`, async () => {
    ofCodes(cases.memory);
    for (const each of cases.memory) {
      const { mechanism, parameters, epsilon, second_epsilon, word, before, number, key, random, output } = each;
      const script = new Script(random);
      const memory = remembering(number, key);
      const setting = { epsilon, mechanism, parameters };
      const options = { setting, random: script.source, memory, secondEpsilon: second_epsilon };
      assert.equal(await releasedAfter(before, options, word), output);
      script.assertUsed();
    }
  });

  test(`streams of ${folder}`, async () => {
    ofCodes(cases.streams);
    for (const { mechanism, parameters, epsilon, oov, words, random, outputs } of cases.streams) {
      const script = new Script(random);
      const stream = new Privatizer(bundle, { setting: { epsilon, mechanism, parameters }, oov, random: script.source }).stream();
      assert.deepEqual(await Promise.all(words.map((word: string) => stream.word(word))), outputs);
      script.assertUsed();
    }
  });

  test(`counts of ${folder}`, async () => {
    assert.ok(cases.counts.length > 0);
    for (const { cap, second_cap, number, key, word, random, output } of cases.counts) {
      const script = new Script(random);
      const memory = key && remembering(number, key);
      const counts = new Counts(bundle, { setting: { cap }, secondCap: second_cap, memory, random: script.source });
      assert.equal(await counts.word(word), output);
      script.assertUsed();
    }
  });

  test(`calls with several words of ${folder}`, async () => {
    ofCodes(cases.calls);
    for (const { mechanism, parameters, epsilon, oov, words, texts, random, outputs } of cases.calls) {
      const script = new Script(random);
      const privatizer = new Privatizer(bundle, { setting: { epsilon, mechanism, parameters }, oov, random: script.source });
      assert.deepEqual(await (words ? privatizer.words(words) : privatizer.texts(texts)), outputs);
      script.assertUsed();
    }
  });

  test(`a day's samples of ${folder}`, async () => {
    assert.ok(cases.samples.length > 0);
    for (const { cap, words_a_day, words, random, outputs } of cases.samples) {
      const script = new Script(random);
      let now = 0;
      const outbox = new Outbox(new TestStorage(), { time: () => now });
      const counts = new Counts(bundle, { setting: { cap, wordsADay: words_a_day }, random: script.source });
      await new Reporter(counts, outbox, { random: script.source }).add(words);
      script.assertUsed();
      now += DAY_MS;
      assert.deepEqual((await outbox.oldest())!.sample.words, [...outputs].sort());
    }
  });

  /** Releases a word after another one. */
  async function releasedAfter(before: string | undefined, options: object, word: string): Promise<string | null> {
    const privatizer = new Privatizer(bundle, options);
    const stream = before === undefined ? privatizer : privatizer.stream(vocabulary.find(before));
    return stream.word(word);
  }
}
