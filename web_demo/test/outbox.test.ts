/** Waiting reports: encrypted, within a day's limits; and consent. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { hex } from "../src/bytes.js";
import { Consent } from "../src/consent.js";
import { FileStorage } from "../src/fileStorage.js";
import { type Batch, Outbox, report } from "../src/outbox.js";
import { systemRandom } from "../src/randomness.js";
import { padded } from "../src/report.js";
import { plus } from "../src/daySample.js";
import { DAY_MS, failing, KEPT_AT, seeded, TestStorage } from "./support.js";

const SOURCE = { bundle: "5b".repeat(32), setting: "counts" };
const FIRST_DAY = 19_675;
const HEAD = 207; // bytes before the nonce

let now: number;
let state: TestStorage;
let outbox: Outbox;
let vaultFails: boolean;

const vault = {
  seal: async (key: Uint8Array) => turned(key),
  open: async (sealed: Uint8Array) => turned(sealed),
};
function turned(key: Uint8Array): Uint8Array {
  if (vaultFails) throw new Error("no");
  return key.map((byte) => byte ^ 0x55).reverse();
}

const outboxOf = (limits = { batches: 50, bytes: 1 << 20 }) => new Outbox(state, { vault, limits, time: () => now });
const keep = (words: string[], { box = outbox, source = SOURCE as object, most = 1000, random = systemRandom } = {}) =>
  box.add(source as typeof SOURCE, most, words.length, random, async () => words);
const wordsOf = (batch: Batch | null) => batch && [...batch.sample.words];

/** Returns all its content, as if the days were over. */
async function batches(): Promise<Batch[]> {
  const copy = new TestStorage();
  copy.content = state.content;
  const box = new Outbox(copy, { vault, time: () => now + 1000 * DAY_MS });
  const all: Batch[] = [];
  for (let batch; (batch = await box.oldest()); ) {
    all.push(batch);
    await box.remove(batch);
  }
  return all;
}

beforeEach(() => {
  now = 1_700_000_000_000;
  state = new TestStorage();
  vaultFails = false;
  outbox = outboxOf();
});

/** Of 2,000 places four words of 8 bytes or more, each with 2^-64. False alarm: 1e-15. */
test("words are stored at once, encrypted and sorted", async () => {
  await keep(["zebra crossing"]);
  await keep(["apple trees", "", "mango"]);
  assert.ok(state.text.length < 2_000);
  for (const word of ["zebra crossing", "apple trees", '"counts"', "5b5b5b5b5b"]) assert.ok(!state.text.includes(word));
  now += DAY_MS;
  const batch = (await outboxOf().oldest())!; // as after a restart
  assert.deepEqual(wordsOf(batch), ["", "apple trees", "mango", "zebra crossing"]); // not as they came
  assert.match(batch.id, /^[0-9a-f]{32}$/);
});

/** 190 pairs of 12 bytes. False alarm: 1e-26. */
test("no nonce comes twice", async () => {
  const nonces = new Set<string>();
  for (let time = 0; time < 20; time++) {
    await keep(["zebra"]);
    nonces.add(hex(state.content!.subarray(HEAD, HEAD + 12)));
  }
  assert.equal(nonces.size, 20);
});

test("a report says its day, and nothing of the device", async () => {
  await keep(["zebra", ""]);
  now += DAY_MS;
  await keep(["apple"]);
  const sent = JSON.parse(new TextDecoder().decode(report((await outbox.oldest())!)));
  assert.deepEqual(Object.keys(sent), ["format", "format_version", "bundle", "setting", "batch", "period", "words"]);
  assert.equal(sent.setting, "counts");
  assert.deepEqual(sent.period, { start: "2023-11-14T00:00:00Z", end: "2023-11-15T00:00:00Z" });
});

test("a day is due when it is over, and stays as it is then", async () => {
  await keep(["zebra"]);
  now += DAY_MS - (now % DAY_MS) - 1; // midnight is near
  await keep(["mango"]);
  assert.equal(await outbox.oldest(), null);
  now += 1;
  const batch = (await outbox.oldest())!;
  assert.deepEqual(wordsOf(batch), ["mango", "zebra"]);
  await keep(["apple"]);
  assert.deepEqual(report((await outbox.oldest())!), report(batch));
  await outbox.remove(batch);
  assert.equal(await outbox.oldest(), null, "it is today's");
  now += DAY_MS;
  const next = (await outbox.oldest())!;
  assert.deepEqual(wordsOf(next), ["apple"]);
  assert.notEqual(next.id, batch.id);
});

/** As in the other languages' tests. */
test("a batch has one of few sizes", () => {
  for (const [size, most] of [[2, 1024], [1023, 1024], [1024, 1024], [1025, 2048], [2049, 4096], [1e6, 1 << 20]] as const) {
    const json = "{" + "x".repeat(size - 1);
    assert.equal(new TextDecoder().decode(padded(new TextEncoder().encode(json))), json + " ".repeat(most - size));
  }
});

test("a day has its words at most, and says which ones are new", async () => {
  const fresh: number[] = [];
  for (let time = 0; time < 10; time++) {
    await outbox.add(SOURCE, 5, 3, systemRandom, async (count) => {
      fresh.push(count);
      return [0, 1, 2].map((word) => `word${time}-${word}`);
    });
  }
  assert.deepEqual(fresh, [3, 2, 0, 0, 0, 0, 0, 0, 0, 0]);
  now += DAY_MS;
  const { sample } = (await outbox.oldest())!;
  assert.equal(new Set(sample.words).size, 5);
  assert.equal(sample.seen, 30);
});

/**
 * Each of 12 words is among the 3 that stay with 1/4: of 4,000 days 1,000, with a deviation of 27.4.
 * 12 words, 7 deviations (5e-12 each, by the binomial distribution). False alarm: 1e-10.
 */
test("each word of a day stays with the same probability", async () => {
  const stayed = new Map<string, number>();
  for (let day = 0; day < 4000; day++) {
    let sample = { most: 3, seen: 0, words: [] as readonly string[] };
    for (const word of "abcdefghijkl") sample = plus(sample, word, systemRandom) as typeof sample;
    for (const word of sample.words) stayed.set(word, (stayed.get(word) ?? 0) + 1);
  }
  assert.equal(stayed.size, 12);
  for (const [word, times] of stayed) assert.ok(Math.abs(times - 1000) < 7 * 27.4, `${word}: ${times}`);
});

/** Otherwise more of a day's words than allowed would leave. */
test("no day is opened twice, whatever the clock says", async () => {
  const days = async () => (await batches()).map(({ day }) => day - FIRST_DAY);
  await keep(["first"]);
  now -= 3 * DAY_MS;
  await keep(["second"]);
  assert.deepEqual(await days(), [0]);
  assert.equal(await outbox.oldest(), null);
  now += 4 * DAY_MS;
  const sent = (await outbox.oldest())!;
  assert.deepEqual(wordsOf(sent), ["first", "second"]);
  await outbox.remove(sent);
  now -= DAY_MS;
  outbox = outboxOf(); // as after a restart
  await keep(["third"]);
  assert.deepEqual(await days(), [1]);
  assert.equal(await outbox.oldest(), null);
  now += DAY_MS;
  assert.equal(await outbox.oldest(), null);
  await keep(["fourth"]);
  assert.deepEqual(await days(), [1]);
  now += DAY_MS;
  assert.deepEqual(wordsOf(await outbox.oldest()), ["fourth", "third"]);
});

/** Both samples together would exceed the allowed number of words. */
test("another setting takes the day's place", async () => {
  await keep(["zebra"]);
  const source = { ...SOURCE, setting: { mechanism: "counts", cap: 9 } };
  now -= DAY_MS;
  await keep(["mango"], { source });
  assert.deepEqual((await batches()).map(({ day }) => day), [FIRST_DAY], "the same day");
  now += DAY_MS;
  await keep(["apple"], { source, most: 3 });
  assert.equal((await outbox.status()).batches, 1);
  assert.equal((await outbox.status()).dropped, 2);
  now += DAY_MS;
  await keep(["lemon"]);
  const batch = (await outbox.oldest())!;
  assert.deepEqual([batch.source, wordsOf(batch)], [source, ["apple"]]);
  assert.equal((await outbox.status()).batches, 2);
});

test("what isn't drawn changes nothing", async () => {
  await keep(["zebra"]);
  const before = state.text;
  for (const setting of ["counts", "recommended"]) {
    const draw = () => Promise.reject(new Error("no budget"));
    await failing("outbox", () => outbox.add({ ...SOURCE, setting }, 1000, 1, systemRandom, draw));
  }
  assert.equal(state.text, before);
});

test("what is too much goes, the oldest first, and is counted", async () => {
  const small = outboxOf({ batches: 3, bytes: 1 << 20 });
  for (let day = 0; day < 5; day++, now += DAY_MS) await keep([`word${day}`], { box: small });
  const status = await small.status();
  assert.deepEqual([status.batches, status.words, status.dropped], [3, 3, 2]);
  assert.deepEqual(wordsOf(await small.oldest()), ["word2"]);
  state = new TestStorage();
  const tiny = outboxOf({ batches: 9, bytes: 1000 });
  for (let day = 0; day < 12; day++, now += DAY_MS) await keep([`word${day}`], { box: tiny });
  const { batches, bytes, dropped } = await tiny.status();
  assert.ok(bytes > 500 && bytes <= 1000, `${bytes}`);
  assert.equal(batches + dropped, 12);
});

test("what was refused goes first where there is no room, and is encrypted", async () => {
  const refused = async (box: Outbox) =>
    (await box.refusedBatches()).map(({ status, report }) => [status, ...JSON.parse(report).words]);
  const small = outboxOf({ batches: 3, bytes: 1 << 20 });
  for (let day = 0; day < 3; day++, now += DAY_MS) {
    await keep([`word${day}`], { box: small });
    now += DAY_MS;
    await small.remove((await small.oldest())!, 409 + day);
  }
  assert.deepEqual(await refused(small), [[409, "word0"], [410, "word1"], [411, "word2"]]);
  for (const word of ["word", "brr-reports"]) assert.ok(!state.text.includes(word));
  const gone = (await small.refusedBatches())[0]!;
  await keep(["kept"], { box: small });
  assert.deepEqual(await refused(outboxOf()), [[410, "word1"], [411, "word2"]]); // as after a restart
  for (let day = 0; day < 4; day++, now += DAY_MS) await keep([`next${day}`], { box: small });
  assert.deepEqual(await refused(small), []);
  const { batches, dropped, refused: count } = await small.status();
  assert.deepEqual([batches, dropped, count], [3, 1, 3], "what waits goes only after them");
  const tiny = outboxOf({ batches: 9, bytes: 3 * gone.report.length });
  for (let day = 0; day < 9; day++) {
    await keep([`word${day}`], { box: tiny });
    now += DAY_MS;
    for (let batch; (batch = await tiny.oldest()); ) await tiny.remove(batch, 422);
  }
  const last = await refused(tiny);
  assert.ok(last.length >= 1 && last.length <= 3, `${last.length}`);
  assert.deepEqual(last.at(-1), [422, "word8"]);
});

/** Truncated, and with each byte changed: nothing comes out. */
test("damage is noticed, and drops it whole", async () => {
  await keep(["zebra", "apple"]);
  now += DAY_MS;
  const good = state.content!;
  const damaged = [...good.keys()].flatMap((at) => {
    const copy = good.slice();
    copy[at]! ^= 1 << at % 8;
    return at % 9 ? [copy] : [copy, good.slice(0, at)];
  });
  for (const content of [...damaged, Uint8Array.of(...good, 0)]) {
    if (!content.length) continue; // nothing is there: an emptied outbox
    state.content = content;
    assert.equal(await outboxOf().oldest(), null, `${content.length} bytes`);
    assert.deepEqual(await outboxOf().status(), { batches: 0, words: 0, bytes: 0, frames: 0, dropped: 0, damaged: 1, refused: 0 });
  }
  await keep(["mango"]);
  assert.equal((await outboxOf().status()).damaged, 1);
  state.content = good;
  assert.deepEqual(wordsOf(await outboxOf().oldest()), ["apple", "zebra"]);
});

test("a vault that fails loses nothing", async () => {
  await keep(["zebra"]);
  now += DAY_MS;
  const before = state.text;
  vaultFails = true;
  assert.match((await failing("outbox", () => keep(["apple"], { box: outboxOf() }))).message, /its vault fails/);
  await failing("outbox", () => outboxOf().oldest());
  assert.equal(state.text, before);
  vaultFails = false;
  assert.deepEqual(wordsOf(await outboxOf().oldest()), ["zebra"]);
});

test("without a vault the key is beside, and the form is the same", async () => {
  const plain = new Outbox(state, { time: () => now });
  await keep(["zebra"], { box: plain });
  now += DAY_MS;
  assert.deepEqual(wordsOf(await new Outbox(state, { time: () => now }).oldest()), ["zebra"]);
});

test("storage that fails keeps what was there", async () => {
  await keep(["zebra"]);
  const before = state.text;
  for (const fault of ["lock", "read", "write"] as const) {
    state.fault = fault;
    assert.match((await failing("outbox", () => keep(["apple"]))).message, /^test: no space is left/);
  }
  state.fault = null;
  assert.equal(state.text, before);
});

test("clearing leaves nothing, and a new key follows", async () => {
  await keep(["zebra"]);
  const first = hex(state.content!.subarray(0, HEAD));
  await outbox.clear();
  assert.equal(state.text, "");
  now += DAY_MS;
  assert.equal(await outbox.oldest(), null);
  await keep(["apple"]);
  assert.notEqual(hex(state.content!.subarray(0, HEAD)), first);
  now += DAY_MS;
  assert.deepEqual((await batches()).map(wordsOf), [["apple"]]);
});

test("an object sees the key that another one made", async () => {
  await keep(["zebra"]);
  const other = outboxOf();
  await other.clear();
  await keep(["apple"], { box: other });
  await keep(["mango"]);
  assert.deepEqual((await batches()).map(wordsOf), [["apple", "mango"]]);
});

test("objects share it", async () => {
  const writers = [0, 1, 2, 3].map(async (writer) => {
    for (let word = 0; word < 25; word++) await keep([`w${writer}-${word}`], { box: outboxOf() });
  });
  await Promise.all(writers);
  assert.equal(new Set((await batches()).flatMap(({ sample }) => sample.words)).size, 100);
});

test("nothing leaves before consent, and withdrawing empties what waits", async () => {
  const stored = new TestStorage();
  const consent = new Consent(stored, outbox);
  let runs = 0;
  const action = () => consent.whileGiven(async () => ++runs);
  assert.equal(await action(), null);
  await consent.give();
  await consent.give();
  assert.ok(await new Consent(stored).isGiven());
  assert.equal(await action(), 1);
  await keep(["zebra"]);
  await consent.withdraw();
  assert.ok(!(await consent.isGiven()));
  assert.equal(await action(), null);
  assert.equal(state.text, "");
  for (const text of ["privatized", "privatized words may leave this device\n ", "\0"]) {
    stored.text = text; // anything else isn't consent
    assert.equal(await action(), null);
  }
});

test("a withdrawal waits for what runs, and outlives a crash", async () => {
  const stored = new TestStorage();
  const consent = new Consent(stored, outbox);
  await consent.give();
  const adding = consent.whileGiven(async () => {
    await sleep(10);
    await keep(["late"]);
    return true;
  });
  await consent.withdraw();
  await adding;
  assert.equal(state.text, "");
  await consent.give();
  await keep(["zebra"]);
  state.fault = "write"; // consent ends first; then the outbox can't be emptied
  await failing("outbox", () => consent.withdraw());
  state.fault = null;
  assert.ok(!(await consent.isGiven()));
  await new Consent(stored, outboxOf()).settle(); // the next start
  assert.equal(state.text, "");
});

/** Whenever the process is killed, exactly the acknowledged words are there. */
test("a killed process loses nothing", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "brrkit-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "outbox");
  const below = seeded(20);
  let acknowledged = 0;
  for (let round = 0; round < 4; round++) {
    const keeper = fileURLToPath(new URL("./keeper.js", import.meta.url));
    const child = spawn(process.execPath, [keeper, path, `r${round}`], { stdio: ["ignore", "pipe", "inherit"] });
    let told = "";
    child.stdout.on("data", (data) => (told += data));
    const end = new Promise((done) => child.on("close", done));
    while (told.split("\n").length < 5) await sleep(2);
    await sleep(below(150));
    child.kill("SIGKILL");
    await end;
    assert.ok(existsSync(path) && readFileSync(path).length);
    acknowledged += told.split("\n").length - 1;
    const box = new Outbox(new FileStorage(path), { time: () => KEPT_AT + 2 * DAY_MS });
    assert.equal((await box.status()).damaged, 0);
    state.content = readFileSync(path);
    vaultFails = false;
    const copy = new TestStorage();
    copy.content = state.content;
    const all = (await new Outbox(copy, { time: () => KEPT_AT + 2 * DAY_MS }).oldest())!.sample.words;
    const last = all.filter((word) => word.startsWith(`r${round}-`)).length;
    for (let word = 0; word < last; word++) assert.ok(all.includes(`r${round}-${word}`));
    assert.ok(all.length === acknowledged || all.length === acknowledged + 1, `${all.length}, ${acknowledged}`);
    acknowledged = all.length; // one may be stored, and not told
  }
  assert.ok(acknowledged > 8, `${acknowledged}`);
});
