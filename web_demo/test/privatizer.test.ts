/** An app's calls, and their errors. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { hex, unhex } from "../src/bytes.js";
import { Counts } from "../src/counts.js";
import { BundleError, ParameterError, type BrrError, type BudgetError } from "../src/errors.js";
import { openFolder } from "../src/folder.js";
import type { Base } from "../src/masses.js";
import { Memory, MemoryKey } from "../src/memory.js";
import { PrivacyBudget } from "../src/privacyBudget.js";
import { Privatizer, type PrivatizerOptions } from "../src/privatizer.js";
import { systemRandom } from "../src/randomness.js";
import type { Measured, Setting } from "../src/setting.js";
import type { WordBundle } from "../src/wordBundle.js";
import { changedSample, inWork, onWork, remembering, SAMPLE } from "./cases.js";
import { HOUR, seeded, TestClock, TestStorage } from "./support.js";

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

/** The duration for a text would reveal its number of different words. */
test("equal words share nothing", async () => {
  const opened = await openFolder(SAMPLE);
  const done = { scans: 0, lookUps: 0 };
  const { index, vocabulary } = opened;
  const distancesFrom = index.distancesFrom.bind(index);
  const find = vocabulary.find.bind(vocabulary);
  index.distancesFrom = (...given) => (done.scans++, distancesFrom(...given));
  vocabulary.find = (word) => (done.lookUps++, find(word));
  for (const base of ["uniform", "unigram", "bigram"] as const) {
    for (const mechanism of ["brr", "vickrey", "exponential"]) {
      const setting = { epsilon: 1, mechanism, parameters: mechanism === "exponential" ? { base } : {} };
      const different = Array.from({ length: 20 }, (_, id) => vocabulary.word(50 * id));
      for (const words of [Array(20).fill("london"), different]) {
        Object.assign(done, { scans: 0, lookUps: 0 });
        await new Privatizer(opened, { setting }).words(words);
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
  const settings: unknown[] = [
    {}, { epsilon: 0 }, { epsilon: NaN }, { epsilon: 22.19 }, { epsilon: "1" }, { mechanism: "brr" }, { epsilon: 1, radius: 8 },
    { epsilon: 1, mechanism: "other" }, { epsilon: 1, mechanism: "constructor" }, { epsilon: 1, mechanism: 1 },
    ...[{ radius: 65 }, { radius: 1.5 }, { base: "none" }, { cap: 89 }, { cap: 0 }, { t: 0.5 }, { other: 1 }, null, "radius"]
      .map((parameters) => ({ epsilon: 1, parameters })),
    { epsilon: 1, mechanism: "brr", parameters: { radius: 8 } },
    ...[{ t: 2 }, { t: [] }, { t: [-1] }, { t: Array(65).fill(0) }, { k: 3 }, { t: "0.5" }]
      .map((parameters) => ({ epsilon: 1, mechanism: "vickrey", parameters })),
  ];
  for (const options of [...settings.map((setting) => ({ setting })), { oov: "keep" }, { secondEpsilon: 2 }, { epsilon: 1 }]) {
    assert.throws(() => new Privatizer(bundle, options as PrivatizerOptions), ParameterError, JSON.stringify(options));
  }
  new Privatizer(bundle, { setting: { epsilon: 1, mechanism: "vickrey", parameters: { t: [0, 1, 2], k: 3 } } });
  for (const setting of [{ cap: 89 }, { cap: 9, wordsADay: 0 }, { cap: 9, wordsADay: 1001 }, { cap: 9, wordsADay: 1.5 }]) {
    assert.throws(() => new Counts(bundle, { setting }), ParameterError);
  }
  assert.throws(() => new Counts(bundle, { secondCap: 8 }), ParameterError);
});

/** It could be what was typed. */
test("what stands in epsilon's place isn't in the error", () => {
  const typed = { setting: { epsilon: NONSENSE as never } };
  assert.throws(() => new Privatizer(bundle, typed), ({ message }: Error) => /^epsilon must be a number .* not NaN$/.test(message));
});

test("a base is one of three, and one that the bundle has", onWork, async () => {
  const withoutBigrams = await openFolder(inWork("bundles", "256"));
  const privatizer = (of: WordBundle, base: Base) => new Privatizer(of, { setting: { epsilon: 1, parameters: { base } } });
  for (const base of ["uniform", "unigram"] as const) privatizer(withoutBigrams, base);
  assert.throws(() => privatizer(withoutBigrams, "bigram"), {
    message: "base 'bigram' needs bigrams, and the bundle has none; choose 'unigram', or build the bundle with --text",
  });
  assert.throws(() => privatizer(bundle, "words" as Base), { message: "there is no such base; choose one of: uniform, unigram, bigram" });
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

/** Returns all ways in which `count` words can repeat, each as their numbers from 0. */
const patterns = (count: number): number[][] =>
  count === 0 ? [[]] : patterns(count - 1).flatMap((first) =>
    Array.from({ length: new Set(first).size + 1 }, (_, next) => [...first, next]));

/**
 * Returns all that is observable about the releases of `words` under a budget and a memory, except the released words.
 */
async function shown(words: readonly string[], way: string, limit: number): Promise<string> {
  const seen: unknown[] = [];
  const clock = new TestClock();
  const [spent, kept] = [new TestStorage(), new TestStorage()];
  const started = () => {
    const budget = new PrivacyBudget(limit, HOUR, spent, { clock: clock.read });
    const memory = new Memory(HOUR, kept, { clock: clock.read });
    const privatizer = new Privatizer(bundle, { setting: { epsilon: 0.5, mechanism: "brr" }, memory, budget });
    return { budget, privatizer, stream: privatizer.stream() };
  };
  let { budget, privatizer, stream } = started();
  for (const word of [...words, words[0]!]) {
    if (way === "again") ({ budget, privatizer, stream } = started());
    const release = {
      words: async () => (await privatizer.words(words)).length,
      text: async () => (await privatizer.text(words.join(" "))).split(" ").length,
      texts: async () => (await privatizer.texts([word, "", words.join(" ")])).length,
      stream: async () => typeof (await stream.word(word)),
    }[way] ?? (async () => typeof (await privatizer.word(word)));
    seen.push(await release().catch(({ message, left, renewsIn }: BudgetError) => [message, left, renewsIn]));
    seen.push(await budget.remaining(), await budget.wordsLeft(0.5, bundle.digest), spent.text, kept.text.length);
    clock.pass(1000);
  }
  return JSON.stringify(seen);
}

/** Up to five words in all patterns of repeats: the refusals, the rest, and the stored state. */
test("with a memory, a refusal depends on the number of releases alone", async () => {
  const some = ["boston", NONSENSE, "monday", `${NONSENSE}s`, "rain"];
  for (const way of ["word", "again", "words", "text", "texts", "stream"]) {
    for (let count = 1; count <= 5; count++) {
      for (const limit of [0.5, 0.5 * Math.max(count - 1, 1), 0.5 * count, 0.5 * count + 0.25]) {
        const seen = new Set<string>();
        for (const pattern of patterns(count)) seen.add(await shown(pattern.map((id) => some[id]!), way, limit));
        assert.equal(seen.size, 1, `${way}, ${count} words, a limit of ${limit}`);
        assert.match([...seen][0]!, /doesn't allow this release/);
      }
    }
  }
});

test("a memory gives a word the same first draw, and other draws to others", async () => {
  const memory = remembering(1, "ab".repeat(32));
  const below = seeded(1); // the system's would change a word once in a million runs
  const random = (size: number) => Uint8Array.from({ length: size }, () => below(256));
  const near = { setting: { epsilon: 0.2, parameters: { radius: 0 } }, memory, secondEpsilon: 22, random };
  const again = new Privatizer(bundle, near);
  const once = await again.words(Array(20).fill("boston"));
  assert.ok(new Set(once).size === 1, "the second draws of so large an epsilon are the first's");
  const others = await again.words(["flight", "music", "father", "water", "history", NONSENSE, `${NONSENSE}x`]);
  assert.ok(new Set(others).size > 3);
  const key = new MemoryKey(1, unhex("ab".repeat(32)));
  const brrOf = (number: number) => ({ mechanism: "brr", numbers: Uint8Array.of(number) });
  const draws = [
    key.draw("u", brrOf(1), "w"), key.draw("u", brrOf(1), null),
    key.draw("u", brrOf(2), "w"), key.draw("v", brrOf(1), "w"),
  ].map((draw) => hex(draw(32)));
  assert.equal(new Set(draws).size, 4);
});

test("a stream goes on in the order of the calls, each after what was released before", async () => {
  const asked: number[] = [];
  const { masses } = bundle;
  const watched = Object.create(bundle, {
    masses: { value: Object.create(masses, { measure: { value: (base: never, before: number) => (asked.push(before), masses.measure(base, before)) } }) },
    digest: { value: bundle.digest }, size: { value: bundle.size },
    taskBits: { value: bundle.taskBits }, wordBits: { value: bundle.wordBits },
  });
  Object.defineProperty(watched.masses, "bigrams", { value: masses.bigrams });
  Object.defineProperty(watched.masses, "most", { value: masses.most.bind(masses) });
  const stream = new Privatizer(watched, { setting: { epsilon: 1, parameters: { base: "bigram" } } }).stream();
  const released = await Promise.all(["book", "a", "flight"].map((word) => stream.word(word)));
  assert.deepEqual(asked, [-1, ...released.slice(0, 2).map((word) => bundle.vocabulary.find(word!))]);
});

/** Returns the sample with another recommended setting. */
const recommending = (change: Record<string, unknown>): Promise<WordBundle> =>
  changedSample(({ recommended }) => Object.assign(recommended, change));

test("a certificate counts for its setting and bundle only", async () => {
  const certificate = { certified_epsilon: 0.8, index: bundle.digest };
  const right = { mechanism: "exponential", epsilon: 1, parameters: { base: "unigram" }, certificate };
  const certified = new Privatizer(await recommending(right));
  assert.equal(certified.certifiedEpsilon, 0.8);
  assert.ok(certified.effectiveEpsilon > 0.9 && certified.effectiveEpsilon <= certified.epsilon);
  for (const change of [
    { mechanism: "brr", parameters: {} }, { parameters: {} }, { parameters: { base: "bigram" } },
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

test("all words and unknown ones are read beside what was measured", async () => {
  const share = { value: 0.5, low: 0.4, high: 0.6 };
  const own = { attacker: "sentence", over: "content", text: "typed.txt", unchanged: share, attack_success: share, worst: null };
  const every = { unchanged: share, attack_success: share, worst: null };
  const measured = async (beside: object): Promise<Measured> =>
    (await recommending({ measured: { ...own, ...beside } })).recommended!.measured!;
  for (const beside of [{}, { all_words: null, unknown_recognized: null }]) {
    const read = await measured(beside);
    assert.deepEqual([read.allWords, read.unknownRecognized], [null, null]);
  }
  const both = await measured({ all_words: every, unknown_recognized: share });
  assert.deepEqual(both.allWords, { unchanged: share, attackSuccess: share, worst: null });
  assert.deepEqual(both.unknownRecognized, share);
  const high = { ...share, high: 1.1 };
  for (const beside of [
    ...[0.5, true, "all", [], {}, share, { ...every, worst: undefined }, { ...every, unchanged: high }].map((words) => ({ all_words: words })),
    ...[0.5, {}, high].map((unknown) => ({ unknown_recognized: unknown })),
  ]) {
    await assert.rejects(measured(beside), /field 'recommended' is missing or wrong/, JSON.stringify(beside));
  }
});

test("a setting can be tried, and goes from one privatizer to another", async () => {
  const setting = { epsilon: 0.6, parameters: { radius: 8 } };
  const tried = new Privatizer(bundle, { setting });
  assert.equal(tried.setting, setting);
  assert.equal(tried.certifiedEpsilon, tried.effectiveEpsilon);
  const certificate = { certified_epsilon: 0.8, index: bundle.digest };
  const certified = await recommending({ mechanism: "exponential", epsilon: 1, parameters: { radius: 8, base: "unigram" }, certificate });
  const recommended = certified.recommended!;
  assert.equal(new Privatizer(certified).setting, recommended);
  assert.equal(new Privatizer(bundle, { setting: recommended }).certifiedEpsilon, 0.8);
  // The same parameters in another order.
  const same = { ...recommended, parameters: { base: "unigram", radius: 8, cap: undefined } as const };
  assert.equal(new Privatizer(bundle, { setting: JSON.parse(JSON.stringify(same)) }).certifiedEpsilon, 0.8);
  const { index } = recommended.certificate!;
  for (const [change, message] of [
    [{ epsilon: 1.1 }, /belongs to another setting; leave it out$/],
    [{ parameters: { radius: 9, base: "unigram" } }, /belongs to another setting; leave it out$/],
    [{ mechanism: "brr", parameters: {} }, /^a certificate is for mechanism 'exponential'/],
    [{ certificate: { ...recommended.certificate, index: [...index].reverse().join("") } }, /belongs to another index.safetensors$/],
  ] as const) {
    assert.throws(() => new Privatizer(certified, { setting: { ...recommended, ...change } as Setting }), (error: BrrError) => {
      assert.match(error.message, message);
      return error instanceof ParameterError;
    });
  }
  const copied = new Privatizer(certified, { setting: { ...recommended, epsilon: 1.1, certificate: undefined } });
  assert.equal(copied.certifiedEpsilon, copied.effectiveEpsilon);
  const none = Object.create(bundle, { recommended: { value: null }, counts: { value: null } });
  assert.throws(() => new Privatizer(none), /^BrrError: the bundle recommends no setting; give one/);
  assert.throws(() => new Counts(none), /^BrrError: the bundle recommends no setting for counts; give one/);
  const { cap, wordsADay } = new Counts(none, { setting: { cap: 9 } }).setting;
  assert.deepEqual([cap, wordsADay], [9, 1]);
  assert.equal(new Counts(bundle).setting.wordsADay, bundle.counts!.wordsADay);
});

test("counts name their setting as reports have it", async () => {
  const memory = remembering(1, "ab".repeat(32));
  assert.equal(new Counts(bundle).stated(1), "counts");
  assert.deepEqual(new Counts(bundle, { setting: { cap: 9 } }).stated(1), { mechanism: "counts", cap: 9 });
  assert.deepEqual(new Counts(bundle, { setting: { cap: 9 }, memory }).stated(30), { mechanism: "counts", cap: 9, second_cap: 18, repeats: 30 });
  assert.equal(new Counts(bundle, { setting: { cap: 60 }, memory }).secondCap, 88);
  const counts = new Counts(bundle, { setting: { cap: 80 } });
  assert.ok(counts.loss <= 80 && counts.loss > 40);
  assert.deepEqual(await counts.words(["The", NONSENSE]), ["the", ""]);
});
