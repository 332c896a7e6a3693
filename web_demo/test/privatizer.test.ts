/** What an app calls, and what it is refused. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hex, unhex } from "../src/bytes.js";
import { Counts } from "../src/counts.js";
import { BundleError, ParameterError, type BrrError } from "../src/errors.js";
import { openFolder } from "../src/folder.js";
import { MemoryKey, type Draw, type Memory } from "../src/memory.js";
import type { PrivacyBudget } from "../src/privacyBudget.js";
import { Privatizer, type PrivatizerOptions } from "../src/privatizer.js";
import { systemRandom } from "../src/randomness.js";
import { digestOf, manifestDigest } from "../src/manifest.js";
import { WordBundle } from "../src/wordBundle.js";
import { remembering, SAMPLE } from "./cases.js";
import { seeded } from "./support.js";

const bundle = await openFolder(SAMPLE);
const NONSENSE = "qzvorblax";

/** Returns a budget that notes what is spent, and refuses it if told so. */
function noting(spent: [number, number, string][], refuses?: Error): PrivacyBudget {
  const spend = async (epsilon: number, words: number, unit: string): Promise<void> => {
    spent.push([epsilon, words, unit]);
    if (refuses) throw refuses;
  };
  return { spend } as PrivacyBudget;
}

test("one token in, one word out", async () => {
  const privatizer = new Privatizer(bundle);
  assert.equal((await privatizer.text("Book me a flight to Boston!")).split(" ").length, 6);
  assert.deepEqual((await privatizer.texts(["one two", "", "three"])).map((text) => text.split(" ").filter(Boolean).length), [2, 0, 1]);
  assert.deepEqual(await privatizer.words([]), []);
  for (const word of ["boston", NONSENSE, "", "hello world"]) assert.ok(bundle.vocabulary.find((await privatizer.word(word))!) >= 0);
});

/** The time of a text would tell how many different words it has. */
test("equal words share nothing", async () => {
  const opened = await openFolder(SAMPLE);
  const done = { scans: 0, lookUps: 0 };
  const { index, vocabulary } = opened;
  const [scan, find] = [index.distancesFrom.bind(index), vocabulary.find.bind(vocabulary)];
  index.distancesFrom = (query) => (done.scans++, scan(query));
  vocabulary.find = (word) => (done.lookUps++, find(word));
  for (const base of ["uniform", "words", "language"] as const) {
    for (const mechanism of ["brr", "vickrey", "exponential"]) {
      const options = { epsilon: 1, mechanism, ...(mechanism === "exponential" ? { base } : {}) };
      const different = Array.from({ length: 20 }, (_, id) => vocabulary.word(50 * id));
      for (const words of [Array(20).fill("london"), different]) {
        Object.assign(done, { scans: 0, lookUps: 0 });
        await new Privatizer(opened, options).words(words);
        assert.deepEqual(done, { scans: 20, lookUps: 20 });
      }
    }
  }
});

test("what becomes of unknown words", async () => {
  const drop = new Privatizer(bundle, { oov: "drop" });
  assert.equal(await drop.word(NONSENSE), null);
  assert.equal((await drop.words([NONSENSE, "the", NONSENSE])).length, 1);
  const error = new Privatizer(bundle, { oov: "error" });
  await assert.rejects(error.words(["the", NONSENSE]), (thrown: BrrError) => {
    assert.match(thrown.message, /^word 2 of 2 is out of vocabulary/);
    return thrown.kind === "outOfVocabulary" && !thrown.message.includes(NONSENSE);
  });
});

test("what isn't allowed is refused", () => {
  const wrong: unknown[] = [
    { epsilon: 0 }, { epsilon: NaN }, { epsilon: 22.19 }, { epsilon: "1" }, { mechanism: "brr" }, { radius: 8 },
    { epsilon: 1, mechanism: "other" }, { epsilon: 1, mechanism: "constructor" }, { epsilon: 1, radius: 65 },
    { epsilon: 1, radius: 1.5 }, { epsilon: 1, base: "none" }, { epsilon: 1, cap: 89 }, { epsilon: 1, cap: 0 },
    { epsilon: 1, t: 0.5 }, { epsilon: 1, mechanism: "brr", radius: 8 }, { epsilon: 1, mechanism: "vickrey", t: 2 },
    { epsilon: 1, mechanism: "vickrey", t: [] }, { epsilon: 1, mechanism: "vickrey", t: [-1] }, { epsilonn: 1 },
    { epsilon: 1, mechanism: "vickrey", t: Array(65).fill(0) }, { epsilon: 1, mechanism: "vickrey", k: 3 },
    { epsilon: 1, mechanism: "vickrey", t: "0.5" }, { oov: "keep" }, { secondEpsilon: 2 }, { epsilon: 1, unknown: 1 },
  ];
  for (const options of wrong) {
    assert.throws(() => new Privatizer(bundle, options as PrivatizerOptions), ParameterError, JSON.stringify(options));
  }
  new Privatizer(bundle, { epsilon: 1, mechanism: "vickrey", t: [0, 1, 2], k: 3 });
  assert.throws(() => new Counts(bundle, { cap: 89 }), ParameterError);
  assert.throws(() => new Counts(bundle, { secondCap: 8 }), ParameterError);
});

test("strings in place of lists, and the reverse, are refused", async () => {
  const privatizer = new Privatizer(bundle);
  for (const call of [
    () => privatizer.words("the" as never), () => privatizer.texts("the" as never), () => privatizer.word(["the"] as never),
    () => privatizer.text(["the"] as never), () => privatizer.stream().word(1 as never), () => new Counts(bundle).words("the" as never),
  ]) {
    await assert.rejects(call, ParameterError);
  }
});

test("the budget is asked before anything is drawn, for all texts at once", async () => {
  const spent: [number, number, string][] = [];
  let drawn = 0;
  const random = (size: number): Uint8Array => (drawn++, systemRandom(size));
  const refusal = new Error("none is left");
  const refused = new Privatizer(bundle, { budget: noting(spent, refusal), random });
  await assert.rejects(refused.texts(["the of", NONSENSE]), refusal);
  await assert.rejects(refused.stream().word("the"), refusal);
  assert.equal(drawn, 0);
  const { certifiedEpsilon } = refused;
  assert.deepEqual(spent, [[certifiedEpsilon, 3, bundle.digest], [certifiedEpsilon, 1, bundle.digest]]);
});

test("a memory's first draws are asked and paid for before anything is drawn", async () => {
  const spent: [number, number, string][] = [];
  const paid: number[] = [];
  const memory = {
    key: async () => new MemoryKey(7, new Uint8Array(32)),
    async pay(_: MemoryKey, draws: readonly Draw[], spend: (words: number) => Promise<void>) {
      const tags = new Set(draws.map((draw) => draw.tag));
      paid.push(tags.size);
      await spend(tags.size);
    },
  } as unknown as Memory;
  const privatizer = new Privatizer(bundle, { memory, budget: noting(spent) });
  await privatizer.words(["the", "The", "of", NONSENSE, NONSENSE]);
  assert.deepEqual(paid, [3]);
  assert.deepEqual(spent, [[privatizer.certifiedEpsilon, 3, bundle.digest]]);
});

test("a memory gives a word the same first draw, and other draws to others", async () => {
  const memory = remembering(1, "ab".repeat(32));
  const below = seeded(1); // the system's would change a word once in a million runs
  const random = (size: number) => Uint8Array.from({ length: size }, () => below(256));
  const near = { epsilon: 0.2, memory, secondEpsilon: 22, radius: 0, random };
  const again = new Privatizer(bundle, near);
  const once = await again.words(Array(20).fill("boston"));
  assert.ok(new Set(once).size === 1, "the second draws of so large an epsilon are the first's");
  const others = await again.words(["flight", "music", "father", "water", "history", NONSENSE, `${NONSENSE}x`]);
  assert.ok(new Set(others).size > 3);
  const key = new MemoryKey(1, unhex("ab".repeat(32)));
  const draws = [
    key.draw("u", ["brr", Uint8Array.of(1)], "w", true), key.draw("u", ["brr", Uint8Array.of(1)], "w", false),
    key.draw("u", ["brr", Uint8Array.of(2)], "w", true), key.draw("v", ["brr", Uint8Array.of(1)], "w", true),
  ].map((draw) => hex(draw.source()(32)));
  assert.equal(new Set(draws).size, 4);
});

test("a stream goes on in the order of the calls, each after what was released before", async () => {
  const asked: number[] = [];
  const { masses } = bundle;
  const watched = Object.create(bundle, {
    masses: { value: Object.create(masses, { measure: { value: (base: never, before: number) => (asked.push(before), masses.measure(base, before)) } }) },
    digest: { value: bundle.digest }, bits: { value: bundle.bits }, size: { value: bundle.size },
  });
  Object.defineProperty(watched.masses, "bigrams", { value: masses.bigrams });
  Object.defineProperty(watched.masses, "most", { value: masses.most.bind(masses) });
  const stream = new Privatizer(watched, { epsilon: 1, base: "language" }).stream();
  const released = await Promise.all(["book", "a", "flight"].map((word) => stream.word(word)));
  assert.deepEqual(asked, [-1, ...released.slice(0, 2).map((word) => bundle.vocabulary.find(word!))]);
});

/** Returns the sample with another recommended setting. */
async function recommending(change: Record<string, unknown>): Promise<WordBundle> {
  const manifest = JSON.parse(readFileSync(join(SAMPLE, "manifest.json"), "utf8"));
  Object.assign(manifest.recommended, change);
  manifest.sha256 = "0".repeat(64);
  const zeroed = new TextEncoder().encode(JSON.stringify(manifest));
  const content = new TextEncoder().encode(JSON.stringify({ ...manifest, sha256: digestOf(zeroed) }));
  assert.equal(manifestDigest(content, digestOf(zeroed)), digestOf(zeroed));
  const read = async (name: string): Promise<Uint8Array> => (name === "manifest.json" ? content : readFileSync(join(SAMPLE, name)));
  return WordBundle.open({ path: "changed", read });
}

test("a certificate counts for its setting and bundle only", async () => {
  const certificate = { certified_epsilon: 0.8, index: bundle.digest };
  const right = { mechanism: "exponential", epsilon: 1, parameters: { base: "words" }, certificate };
  const certified = new Privatizer(await recommending(right));
  assert.equal(certified.certifiedEpsilon, 0.8);
  assert.ok(certified.effectiveEpsilon > 0.9 && certified.effectiveEpsilon <= certified.epsilon);
  for (const change of [
    { mechanism: "brr", parameters: {} }, { parameters: {} }, { parameters: { base: "language" } },
    { certificate: { ...certificate, index: "0".repeat(64) } }, { certificate: { ...certificate, certified_epsilon: 0.49 } },
    { certificate: { ...certificate, certified_epsilon: 1.01 } }, { parameters: { other: 1 } }, { mechanism: "other" },
  ]) {
    const changed = await recommending({ ...right, ...change });
    assert.throws(() => new Privatizer(changed), (error: BrrError) => {
      assert.match(error.message, /^changed\/manifest\.json: field 'recommended': /, JSON.stringify(change));
      return error instanceof BundleError;
    });
  }
});

test("counts name their setting as reports have it", async () => {
  const memory = remembering(1, "ab".repeat(32));
  assert.equal(new Counts(bundle).setting(1), "counts");
  assert.deepEqual(new Counts(bundle, { cap: 9 }).setting(1), { mechanism: "counts", cap: 9 });
  assert.deepEqual(new Counts(bundle, { cap: 9, memory }).setting(30), { mechanism: "counts", cap: 9, second_cap: 18, repeats: 30 });
  assert.equal(new Counts(bundle, { cap: 60, memory }).secondCap, 88);
  const counts = new Counts(bundle, { cap: 80 });
  assert.ok(counts.loss <= 80 && counts.loss > 40);
  assert.deepEqual(await counts.words(["The", NONSENSE]), ["the", ""]);
});
