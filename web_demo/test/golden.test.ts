/** Golden cases: frozen ones, and those of bundles. Their random bytes are all used, and no others. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Counts } from "../src/counts.js";
import { flipThreshold } from "../src/exact.js";
import { openFolder } from "../src/folder.js";
import { Outbox } from "../src/outbox.js";
import { Privatizer } from "../src/privatizer.js";
import { Reporter } from "../src/reporter.js";
import { Session } from "../src/session.js";
import { framedDays, marksOf, remembering, Script } from "./cases.js";
import { DAY_MS, TestStorage, withoutWebAssembly } from "./support.js";
import type { WordBundle } from "../src/wordBundle.js";
import { golden, type Case } from "./vectors.js";

test("there are cases of every kind", () => {
  for (const kind of ["thresholds", "texts", "cases", "memory", "streams", "counts", "calls", "marked", "sessions", "samples", "frames"]) {
    assert.ok(golden.some(([, kinds]) => kinds[kind]?.length), kind);
  }
});

for (const [folder, kinds] of golden) for (const compiled of [true, false]) {
  const opening = (): Promise<WordBundle> => (compiled ? openFolder(folder) : withoutWebAssembly(() => openFolder(folder)));
  let opened: Promise<WordBundle> | undefined;
  /** Tests the cases of a kind, if there are some. */
  const of = (kind: string, check: (each: Case, bundle: WordBundle) => unknown): void => {
    const cases: Case[] = kinds[kind] ?? [];
    if (cases.length) test(`${kind} of ${folder}`, async () => {
      const bundle = await (opened ??= opening());
      for (const each of cases) await check(each, bundle);
    });
  };

  of("thresholds", ({ epsilon, threshold }) => {
    assert.equal(flipThreshold(epsilon), threshold);
  });

  of("texts", ({ text, tokens, words, finished }, bundle) => {
    assert.deepEqual(bundle.tokenize(text), tokens);
    assert.equal(Array.from(bundle.finished(text)).length, finished);
    const ids = tokens.map((token: string) => bundle.tokenizer.lookUp(token));
    assert.deepEqual(ids.map((id: number) => (id < 0 ? null : bundle.vocabulary.word(id))), words);
  });

  of("cases", async ({ mechanism, parameters, epsilon, word, before, random, output }, bundle) => {
    const script = new Script(random);
    const options = { setting: { epsilon, mechanism, parameters }, random: script.source };
    assert.equal(await releasedAfter(bundle, before, options, word), output);
    script.assertUsed();
  });

  of("memory", async (each, bundle) => {
    const { mechanism, parameters, epsilon, second_epsilon, word, before, number, key, random, output } = each;
    const script = new Script(random);
    const memory = remembering(number, key);
    const setting = { epsilon, mechanism, parameters };
    const options = { setting, random: script.source, memory, secondEpsilon: second_epsilon };
    assert.equal(await releasedAfter(bundle, before, options, word), output);
    script.assertUsed();
  });

  of("streams", async ({ mechanism, parameters, epsilon, oov, words, random, outputs }, bundle) => {
    const script = new Script(random);
    const stream = new Privatizer(bundle, { setting: { epsilon, mechanism, parameters }, oov, random: script.source }).stream();
    assert.deepEqual(await Promise.all(words.map((word: string) => stream.word(word))), outputs);
    script.assertUsed();
  });

  of("counts", async ({ cap, second_cap, number, key, word, random, output }, bundle) => {
    const script = new Script(random);
    const memory = key && remembering(number, key);
    const counts = new Counts(bundle, { setting: { cap }, secondCap: second_cap, memory, random: script.source });
    assert.equal(await counts.word(word), output);
    script.assertUsed();
  });

  of("calls", async ({ mechanism, parameters, epsilon, oov, words, texts, random, outputs }, bundle) => {
    const script = new Script(random);
    const privatizer = new Privatizer(bundle, { setting: { epsilon, mechanism, parameters }, oov, random: script.source });
    assert.deepEqual(await (words ? privatizer.words(words) : privatizer.texts(texts)), outputs);
    script.assertUsed();
  });

  of("marked", async ({ mechanism, parameters, epsilon, oov, text, marks, rest, random, output }, bundle) => {
    const script = new Script(random);
    const privatizer = new Privatizer(bundle, { setting: { epsilon, mechanism, parameters }, oov, random: script.source });
    assert.equal(await privatizer.text(text, { marks: marksOf(text, marks), rest }), output);
    script.assertUsed();
  });

  of("sessions", ({ texts, marks, random, outputs, reply, restored }, bundle) => {
    const script = new Script(random);
    const session = new Session(bundle, { random: script.source });
    assert.deepEqual(texts.map((text: string, place: number) => session.hide(text, marksOf(text, marks[place]))), outputs);
    assert.equal(session.restore(reply), restored);
    script.assertUsed();
  });

  of("samples", async ({ cap, words_a_day, words, random, outputs }, bundle) => {
    const script = new Script(random);
    let now = 0;
    const outbox = new Outbox(new TestStorage(), { time: () => now });
    const counts = new Counts(bundle, { setting: { cap, wordsADay: words_a_day }, random: script.source });
    await new Reporter(counts, outbox, { random: script.source }).add(words);
    script.assertUsed();
    now += DAY_MS;
    assert.deepEqual((await outbox.oldest())!.sample.words, [...outputs].sort());
  });

  of("frames", async ({ random, days, ...each }, bundle) => {
    const script = new Script(random);
    assert.deepEqual(await framedDays(bundle, each, script.source), days);
    script.assertUsed();
  });

  /** Releases a word after another one. */
  async function releasedAfter(bundle: WordBundle, before: string | undefined, options: object, word: string): Promise<string | null> {
    const privatizer = new Privatizer(bundle, options);
    const stream = before === undefined ? privatizer : privatizer.stream(bundle.vocabulary.find(before));
    return stream.word(word);
  }
}
