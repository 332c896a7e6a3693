/** Text in frames: only released words depend on typing. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { Consent } from "../src/consent.js";
import { BudgetError, type BrrError } from "../src/errors.js";
import { openFolder } from "../src/folder.js";
import { closeDay, withFrame, type Frame, type FrameBatch, type FrameDay } from "../src/frameDays.js";
import { Outbox, report } from "../src/outbox.js";
import { PrivacyBudget } from "../src/privacyBudget.js";
import { Privatizer } from "../src/privatizer.js";
import { systemRandom } from "../src/randomness.js";
import { TextReporter, type TextReporterOptions } from "../src/textReporter.js";
import { changedSample, SAMPLE } from "./cases.js";
import { DAY_MS, failing, TestStorage } from "./support.js";
import { conformance } from "./vectors.js";

const bundle = await openFolder(conformance("policy"));
const spaced = await openFolder(conformance("spaced"));
const SETTING = { epsilon: 0.5, parameters: { cap: 9 } };
const FRAMES = { words: 4, aDay: 5 };
const NONSENSE = "qzvorblax wumplingorth xykraddle brznfloop jhqwertle";

let now: number;
let state: TestStorage;
let outbox: Outbox;
let reporter: TextReporter;

const outboxOf = () => new Outbox(state, { time: () => now });
const reporterOf = (options: TextReporterOptions = {}) =>
  new TextReporter(bundle, outbox, { setting: SETTING, frames: FRAMES, ...options });

/** Returns the frames of the days that are over, and takes them out. */
async function sent(box = outbox): Promise<FrameBatch[]> {
  const all: FrameBatch[] = [];
  for (let frame; (frame = await box.frame()); await box.remove(frame)) all.push(frame);
  return all;
}

/** Ends the day, and returns its frames. */
function ended(): Promise<FrameBatch[]> {
  now += DAY_MS;
  return sent();
}

/**
 * Returns a substitute for an outbox, and the frames that it received: a day's first frames, and those of typed text,
 * in order.
 */
function collecting(): [Outbox, Frame[], Frame[]] {
  const [begun, shown]: [Frame[], Frame[]] = [[], []];
  const addFrames: Outbox["addFrames"] = async (_, __, frames, ___, begin) => {
    if (!begun.length) begun.push(...(await begin()));
    shown.push(...frames);
    return false;
  };
  return [{ addFrames } as Outbox, begun, shown];
}

beforeEach(() => {
  now = 1_700_000_000_000;
  state = new TestStorage();
  outbox = outboxOf();
  reporter = reporterOf();
});

/** Nothing else that leaves, is paid or is stored reveals how much was typed, or whether anything was. */
test("any two days look alike but for their words", async () => {
  const days: ((each: TextReporter) => Promise<unknown>)[] = [
    (each) => each.beginDay(),
    (each) => each.add(""),
    (each) => each.word("the"), // it isn't a frame yet
    (each) => each.add("the"),
    (each) => each.add(`${NONSENSE} `.repeat(40)),
    (each) => each.add("Ask Dana about the flu", { marks: [{ start: 4, end: 8 }] }),
    (each) => Promise.all(Array.from({ length: 61 }, () => each.word("the"))),
  ];
  for (const typed of days) {
    const paid: unknown[] = [];
    const budget = { spend: async (...cost: unknown[]) => void paid.push(cost) } as unknown as PrivacyBudget;
    const each = reporterOf({ budget });
    await typed(each);
    await each.beginDay();
    assert.deepEqual(paid, [[new Privatizer(bundle, { setting: SETTING }).certifiedEpsilon, 20, bundle.digest]]);
    assert.deepEqual(await outbox.status(), { batches: 0, words: 0, bytes: 0, frames: 5, dropped: 0, damaged: 0, refused: 0 });
    const frames = await ended();
    assert.deepEqual(frames.map(({ words }) => words.length), [4, 4, 4, 4, 4]);
    assert.ok(frames.flatMap(({ words }) => words).every((word) => bundle.vocabulary.find(word) >= 0));
    assert.equal(new Set(frames.map(({ id }) => id)).size, 5);
    assert.equal((await outbox.status()).frames, 0);
  }
});

/** At this strength one of nine words of `spaced` comes out as another one with 1e-14. False alarm: 1e-13. */
test("a text is cut, and its end filled", async () => {
  const words = Array.from({ length: 24 }, (_, id) => spaced.vocabulary.word(id)).filter((word) => /^[a-z]+$/.test(word));
  const [collected, , shown] = collecting();
  const loud = new TextReporter(spaced, collected, { setting: { epsilon: 22.18, parameters: { radius: 0, base: "uniform" } }, frames: FRAMES });
  void loud.word(words[0]!);
  void loud.word(words[1]!);
  void loud.end();
  void loud.word(words[2]!); // its text ends where the next one begins
  void loud.add(words.slice(3, 9).join(" "));
  await loud.end(); // nothing is in progress
  const typed = [words.slice(0, 2), words.slice(2, 3), words.slice(3, 7), words.slice(7, 9)];
  assert.deepEqual(shown.map(({ length }) => length), [4, 4, 4, 4]);
  assert.deepEqual(shown.map((frame, place) => frame.slice(0, typed[place]!.length)), typed);
});

test("a frame's report says its day, and its words in their order", async () => {
  await reporterOf({ setting: { mechanism: "vickrey", epsilon: 2, parameters: { t: [0, 1], k: 2 } } }).add(NONSENSE);
  const [frame] = await ended();
  const { id, words } = frame!;
  const json = new TextDecoder().decode(report(frame!));
  assert.equal(json.length, 1024);
  assert.equal(json.trimEnd(), JSON.stringify({
    format: "brr-frames",
    format_version: 1,
    bundle: bundle.manifestDigest,
    setting: { mechanism: "vickrey", epsilon: 2, parameters: { t: [0, 1] } },
    batch: id,
    period: { start: "2023-11-14T00:00:00Z", end: "2023-11-15T00:00:00Z" },
    words,
  }));
});

test("the bundle's setting and shape are taken, and named so", async () => {
  const calibrated = await changedSample((manifest) => (manifest.frames = { words: 2, a_day: 3 }));
  const each = new TextReporter(calibrated, outbox);
  assert.deepEqual(each.frames, { words: 2, aDay: 3 });
  await each.add("book me a flight");
  const frames = await ended();
  assert.deepEqual(frames.map(({ words }) => words.length), [2, 2, 2]);
  assert.deepEqual(frames[0]!.source, { bundle: calibrated.manifestDigest, setting: "recommended" });
  assert.equal((await openFolder(SAMPLE)).frames?.aDay, JSON.parse(readFileSync(join(SAMPLE, "manifest.json"), "utf8")).frames?.a_day);
});

/** The day continues after a restart, also in another page, and is paid once. */
test("a day is begun and paid once", async () => {
  const budget = new PrivacyBudget(11, 3600, new TestStorage()); // of 10 for a day
  const pages = [1, 2, 3].map(() => new TextReporter(bundle, outboxOf(), { setting: SETTING, frames: FRAMES, budget }));
  await Promise.all(pages.map((each) => each.add(NONSENSE)));
  const before = state.text;
  await reporterOf({ budget }).beginDay();
  assert.equal(state.text, before);
  assert.equal((await ended()).length, 5);
  const error = await failing("budget", () => reporterOf({ budget }).beginDay()); // it is another day
  assert.ok(error instanceof BudgetError);
});

test("a budget that refuses begins no day, and draws nothing", async () => {
  let drawn = 0;
  const random = (size: number) => systemRandom((drawn++, size));
  const budget = new PrivacyBudget(9.9, 3600, new TestStorage());
  const each = reporterOf({ budget, random });
  for (const typed of [() => each.beginDay(), () => each.word("the"), () => each.add("the of")]) await failing("budget", typed);
  await each.end();
  assert.equal(drawn, 0);
  assert.equal(state.content, null);
});

test("another setting or shape takes the day's place", async () => {
  await reporter.add(NONSENSE);
  const others: TextReporterOptions[] = [{ setting: { epsilon: 1 } }, { frames: { words: 2, aDay: 3 } }, { frames: { words: 3, aDay: 3 } }];
  for (const options of others) await reporterOf(options).beginDay();
  const { frames, dropped } = await outbox.status();
  assert.deepEqual([frames, dropped], [3, 5 + 5 + 3]);
  assert.deepEqual((await ended()).map(({ words }) => words.length), [3, 3, 3]);
});

/** Otherwise more of a day's frames than allowed would leave. */
test("no day is begun twice, whatever the clock says", async () => {
  await reporter.beginDay();
  now -= 3 * DAY_MS;
  await reporter.add(NONSENSE);
  assert.equal((await outbox.status()).frames, 5);
  now += 3 * DAY_MS;
  const first = await ended();
  now -= DAY_MS;
  await reporter.beginDay();
  assert.equal(await outbox.frame(), null);
  now += DAY_MS;
  assert.equal(await outbox.frame(), null, "it is of the day that is now");
  const second = await ended();
  assert.deepEqual([first.length, second.length, second[0]!.day - first[0]!.day], [5, 5, 1]);
});

test("frames of seven days wait, and then a whole day goes", async () => {
  const other = { bundle: "5b".repeat(32), setting: "counts" };
  const small = new Outbox(state, { limits: { batches: 1, bytes: 400 }, time: () => now });
  for (let day = 0; day < 9; day++, now += DAY_MS) {
    await small.add(other, 1, 1, systemRandom, async () => ["the"]);
    await new TextReporter(bundle, small, { setting: SETTING, frames: FRAMES }).beginDay();
    if (day === 1) await small.remove((await small.frame())!); // of the first day, which goes next
  }
  const { batches, frames, dropped } = await small.status();
  assert.deepEqual([batches, frames, dropped], [1, 8 * 5, 8 + 4]);
  assert.equal((await small.oldest())?.sample.words.length, 1);
  const days = (await sent(small)).map(({ day }) => day);
  assert.equal(Math.max(...days) - Math.min(...days), 6);
  assert.equal(days.length, 35);
  assert.equal((await small.status()).dropped, 8 + 4 + 5);
});

/** In the original order, those of typed text would be the first ones. */
test("a day that is over has its frames sorted", () => {
  const source = { bundle: "b", setting: "recommended" };
  const frames = [["of", "the"], ["the", "of"], ["of", "and"], ["a", "the"]];
  const all = { open: { source, shape: { words: 2, aDay: 4 }, day: 5, seen: 2, frames }, day: -1, waiting: [] as FrameBatch[] };
  closeDay(all, 6);
  assert.deepEqual(all.waiting.map(({ words }) => words.join(" ")), ["a the", "of and", "of the", "the of"]);
});

test("a frame that is refused is kept for the app", async () => {
  await reporter.beginDay();
  now += DAY_MS;
  const frame = (await outbox.frame())!;
  await outbox.remove(frame, 422);
  await outbox.remove(frame, 422); // it isn't there any more
  const refused = await outbox.refusedBatches();
  assert.deepEqual(refused.map(({ status, report }) => [status, JSON.parse(report).batch]), [[422, frame.id]]);
  const { frames, refused: count } = await outbox.status();
  assert.deepEqual([frames, count], [4, 1]);
});

/** Cut short, and with bytes changed, with frames of two days. Eight bytes are in 2,000 with 2^-53. False alarm: 1e-14. */
test("damage drops all frames, and nothing typed is stored", async () => {
  await reporter.beginDay();
  now += DAY_MS;
  await reporter.add(NONSENSE);
  await reporter.word("wumplingorth");
  const good = state.content!;
  for (const word of [...NONSENSE.split(" "), "brr-frames", "recommended"]) assert.ok(!state.text.includes(word));
  for (let at = 0; at < good.length; at += 1 + (at > 300 ? 7 : 0)) {
    const flipped = good.slice();
    flipped[at]! ^= 1 << at % 8;
    for (const content of at % 9 ? [flipped] : [flipped, good.slice(0, at || 1)]) {
      state.content = content;
      assert.equal(await outboxOf().frame(), null, `${at}`);
      const { frames, damaged } = await outboxOf().status();
      assert.deepEqual([frames, damaged], [0, 1], `${at}`);
    }
  }
  await reporterOf().beginDay(); // it is damaged still: a day begins
  assert.deepEqual(Object.values(await outbox.status()), [0, 0, 0, 5, 0, 1, 0]);
  state.content = good;
  assert.equal((await outboxOf().status()).frames, 10);
});

/** Words released before a withdrawal don't leave later. */
test("a piece in progress ends with its day, and with consent", async () => {
  const consent = new Consent(new TestStorage(), outbox);
  const pieces: number[] = [];
  const addFrames = outbox.addFrames.bind(outbox);
  outbox.addFrames = (...given) => (pieces.push(given[2].length), addFrames(...given));
  for (const interrupt of [() => consent.withdraw(), async () => void (now += DAY_MS)]) {
    await reporter.beginDay();
    for (let word = 0; word < 3; word++) await reporter.word("the");
    await interrupt();
    pieces.length = 0;
    for (let word = 0; word < 3; word++) await reporter.word("of");
    assert.deepEqual(pieces, [0, 0, 0], "three words aren't a frame");
    await reporter.end();
  }
});

test("storage that fails keeps what was there", async () => {
  await reporter.beginDay();
  const before = state.text;
  for (const fault of ["lock", "read", "write"] as const) {
    state.fault = fault;
    assert.match((await failing("outbox", () => reporter.add(NONSENSE))).message, /^test: no space is left/);
  }
  state.fault = null;
  assert.equal(state.text, before);
  await reporter.end();
  assert.equal(state.text, before, "no piece is left over");
});

test("bad shapes, settings and texts are refused, and change nothing", async () => {
  const bad: [unknown, RegExp][] = [
    [{ words: 0, aDay: 8 }, /^words of a frame must be an integer from 1 to 64$/],
    [{ words: 65, aDay: 8 }, /^words of a frame/],
    [{ words: 1.5, aDay: 8 }, /^words of a frame/],
    [{ words: "8", aDay: 8 }, /^words of a frame/],
    [{ aDay: 8 }, /^words of a frame/],
    [{ words: 8, aDay: 0 }, /^aDay must be an integer from 1 to 1000$/],
    [{ words: 1, aDay: 1001 }, /^aDay/],
    [{ words: 64, aDay: 129 }, /^a day's frames have at most 8192 words$/],
    [{ words: 8, a_day: 8 }, /^Frames takes no 'a_day'$/],
    [8, /^frames must be an object$/],
    [null, /^frames must be an object$/],
    [undefined, /^the bundle has no frames; .*brr calibrate --frames 8 --write/],
  ];
  for (const [frames, message] of bad) {
    assert.throws(() => reporterOf({ frames: frames as never }), (error: BrrError) => error.kind === "parameter" && message.test(error.message), `${message}`);
  }
  const list = await openFolder(conformance("list"));
  assert.throws(() => new TextReporter(list, outbox, { setting: SETTING, frames: FRAMES }), /: a list has no codes/);
  assert.throws(() => new TextReporter(bundle, outbox, { frames: FRAMES }), /: the bundle recommends no setting/);
  await failing("parameter", () => reporter.add(5 as never));
  await failing("parameter", () => reporter.word(null as never));
  await failing("parameter", () => reporter.add("Dana", { marks: [{ start: 4, end: 5 }] }));
  await failing("parameter", () => reporter.add("Dana", { marks: [{ start: 0, end: 4, list: "places" }] }));
  assert.match((await failing("parameter", () => reporter.add("Dana", { rest: "pass" } as never))).message, /^add takes no 'rest'$/);
  assert.equal(state.content, null);
});

/**
 * Each of 12 frames is among the 3 that stay with 1/4: of 4,000 days 1,000, with a deviation of 27.4.
 * 12 frames, 7 deviations (5e-12 each, by the binomial distribution). False alarm: 1e-10.
 */
test("each frame of a day stays with the same probability", () => {
  const stayed = new Map<string, number>();
  const source = { bundle: "b", setting: "recommended" };
  for (let times = 0; times < 4000; times++) {
    let day: FrameDay = { source, shape: { words: 1, aDay: 3 }, day: 0, seen: 0, frames: [["-"], ["-"], ["-"]] };
    for (const word of "abcdefghijkl") day = withFrame(day, [word], systemRandom);
    for (const [word] of day.frames) stayed.set(word!, (stayed.get(word!) ?? 0) + 1);
  }
  assert.equal(stayed.size, 12);
  for (const [word, times] of stayed) assert.ok(Math.abs(times - 1000) < 7 * 27.4, `${word}: ${times}`);
});

/** Of 5 frames each is drawn 100 times of 500; 70 more or less have 2e-14 (binomial). False alarm: 1e-13. */
test("any frame that waits is next, each with the same probability", async () => {
  await reporter.beginDay();
  now += DAY_MS;
  const drawn = new Map<string, number>();
  for (let time = 0; time < 500; time++) {
    const { id } = (await outbox.frame())!;
    drawn.set(id, (drawn.get(id) ?? 0) + 1);
  }
  assert.equal(drawn.size, 5);
  for (const [id, times] of drawn) assert.ok(Math.abs(times - 100) < 70, `${id}: ${times}`);
});

/**
 * Words that nobody typed are as those of unknown words that were: samples of 3,000 words, each with itself. Of s times
 * that one of 41 words is in two samples, those in the first are as many heads of s coins, at most as far from the
 * half (Hoeffding): 8 roots of s have 2e^-32. 82 of them. False alarm: 1e-11.
 */
test("fillers are as unknown words that were typed", async () => {
  const days: ((each: TextReporter) => Promise<unknown>)[] = [
    (each) => each.add("wumplingorth ".repeat(3000)), // all are typed
    (each) => each.beginDay(), // none is
    (each) => Promise.all(Array.from({ length: 375 }, () => each.add("qzvorblax"))), // one of eight is
  ];
  const counts: Map<string, number>[] = [];
  for (const day of days) {
    const [collected, begun, shown] = collecting();
    await day(new TextReporter(bundle, collected, { setting: { epsilon: 2 }, frames: { words: 8, aDay: 375 } }));
    const count = new Map<string, number>();
    for (const word of (shown.length ? shown : begun).flat()) count.set(word, (count.get(word) ?? 0) + 1);
    counts.push(count);
  }
  const [typed, ...fillers] = counts as [Map<string, number>, ...Map<string, number>[]];
  for (const filler of fillers) {
    for (let id = 0; id < bundle.size; id++) {
      const word = bundle.vocabulary.word(id);
      const [one, two] = [typed.get(word) ?? 0, filler.get(word) ?? 0];
      assert.ok(Math.abs(one - two) <= 8 * Math.sqrt(one + two), `${word}: ${one}, ${two}`);
    }
  }
});
