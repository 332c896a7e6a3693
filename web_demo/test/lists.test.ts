/** Lists: the counts that no frozen case covers, and that lists allow nothing else. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Consent } from "../src/consent.js";
import { Counts } from "../src/counts.js";
import type { BrrError } from "../src/errors.js";
import { openFolder } from "../src/folder.js";
import { Outbox } from "../src/outbox.js";
import { PrivacyBudget } from "../src/privacyBudget.js";
import { Privatizer } from "../src/privatizer.js";
import { Reporter } from "../src/reporter.js";
import { WordBundle } from "../src/wordBundle.js";
import { ENGLISH } from "../src/writing.js";
import { inWork, onWork, SAMPLE, tokenizerOf, vocabularyOf } from "./cases.js";
import { DAY_MS, TestStorage } from "./support.js";

test("a string that is given alone is its only token, or unknown", () => {
  const tokenizer = tokenizerOf(ENGLISH, ["good morning", "good", "👍", "morning"], [1, 1, 1, 1], "both");
  const given = ["Good  morning!", "good", "👍🏿", "👍👍", "morning good", "", "?!", "evening"];
  assert.deepEqual(given.map((each) => tokenizer.lookUp(each)), [0, 1, 2, -1, -1, -1, -1, -1]);
});

/** A unit is in eight phrases, each of which is looked for. */
test("hostile text takes linear work", () => {
  const SIZE = 10_000;
  for (const letter of ["a ", "👍", "👍\u200d", "🇩", "1", "1⃣", "\u200d", "a", "🏽", "\ufe0f", "👍a "]) {
    const vocabulary = vocabularyOf(["a a", "👍 a", "a"]);
    let work = 0;
    const find = vocabulary.find.bind(vocabulary);
    vocabulary.find = (word) => ((work += 1 + word.length), find(word));
    const text = letter.repeat(SIZE / letter.length);
    const tokens = tokenizerOf(ENGLISH, vocabulary, [1, 1, 1], "both").read(text);
    assert.ok(tokens.length <= SIZE && work <= 80 * SIZE, `${letter}: ${work}`);
  }
});

const refusal = { kind: "parameter", message: "a list has no codes, so its strings can only be counted" } as const;

/** Another symbol comes out with 2,000 / e^40, of 15 words. False alarm: 1e-12. */
test("a list is counted, beside the language's bundle, and nothing else is done with it", onWork, async () => {
  const [list, bundle] = [await openFolder(inWork("bundles", "list-phrases")), await openFolder(SAMPLE)];
  assert.deepEqual([list.listOf, list.bits, list.recommended, list.averageDistance], ["both", 0, null, null]);
  assert.equal(bundle.listOf, null);
  for (const setting of [undefined, { epsilon: 1 }, { epsilon: 1, mechanism: "brr" }]) {
    assert.throws(() => new Privatizer(list, { setting }), refusal);
  }
  assert.throws(() => list.neighbors("lol"), refusal);
  assert.throws(() => list.neighbors("lol", 0), refusal);

  // Each has an outbox and a budget; both share one consent.
  let now = 1_700_000_000_000;
  const [agreed, clock] = [new TestStorage(), { time: () => now }];
  const [words, strings] = [bundle, list].map((counted) => {
    const outbox = new Outbox(new TestStorage(), clock);
    const budget = new PrivacyBudget(1000, 3600, new TestStorage());
    const counts = new Counts(counted, { setting: { cap: 40, wordsADay: 100 } }); // nothing is replaced
    return { outbox, reporter: new Reporter(counts, outbox, { budget }), consent: new Consent(agreed, outbox), counted, budget };
  }) as [Counted, Counted];
  const committed = "Good morning 😂😂, thank you for the flight 👍";
  const add = ({ consent, reporter, counted }: Counted): Promise<true | null> =>
    consent.whileGiven(() => reporter.add(counted.tokenize(committed)).then(() => true as const));
  assert.equal(await add(strings), null);
  await words.consent.give();
  for (const each of [words, strings]) assert.equal(await add(each), true);
  now += DAY_MS;
  const found = await strings.outbox.oldest();
  assert.equal(found!.source.bundle, list.manifestDigest);
  assert.deepEqual(found!.sample.words, ["", "", "", "", "good morning", "thank you", "😂 😂"]);
  assert.ok((await words.outbox.oldest())!.sample.words.includes("flight"));
  const { loss } = new Counts(list, { setting: { cap: 40 } });
  assert.ok(Math.abs(1000 - (await strings.budget.remaining()) - 7 * loss) < 1e-6);
  await words.consent.withdraw();
  await strings.consent.settle(); // the uploader's first step
  assert.equal((await strings.outbox.status()).batches, 0);
});

interface Counted {
  readonly outbox: Outbox;
  readonly reporter: Reporter;
  readonly consent: Consent;
  readonly counted: WordBundle;
  readonly budget: PrivacyBudget;
}

test("a list is opened without a randomizer, which a bundle needs", onWork, async () => {
  const content = (folder: string, name: string): Uint8Array => readFileSync(`${folder}/${name}`);
  const of = (folder: string) => WordBundle.of({ manifest: content(folder, "manifest.json"), index: content(folder, "index.safetensors") });
  assert.equal((await of(inWork("bundles", "list-strings"))).listOf, "strings");
  await assert.rejects(of(SAMPLE), (error: BrrError) => error.kind === "bundle" && error.message.startsWith("randomizer.tflite: can't be read"));
});
