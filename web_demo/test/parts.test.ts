/** The runtime's parts separately: numbers, bytes, search, and the errors for an app's mistakes. */

import assert from "node:assert/strict";
import { createHash, createHmac, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import wabt from "wabt";
import { concat, eightBytes, hex, unhex } from "../src/bytes.js";
import { BundleError, ParameterError, type BrrError } from "../src/errors.js";
import { BLOCK, COMPILED } from "../src/compiledScan.js";
import { Rational, weightTable } from "../src/exact.js";
import { openFolder } from "../src/folder.js";
import { HammingIndex } from "../src/hammingIndex.js";
import { LEVELS, type Measure } from "../src/masses.js";
import { Brr } from "../src/mechanisms/brr.js";
import { Exponential } from "../src/mechanisms/exponential.js";
import { Vickrey } from "../src/mechanisms/vickrey.js";
import { oneLine } from "../src/messages.js";
import { draw, systemRandom, uniformBelow, uniformBig } from "../src/randomness.js";
import { hmac, sha256 } from "../src/sha256.js";
import { parse } from "../src/strictJson.js";
import { WordBundle } from "../src/wordBundle.js";
import { SAMPLE, Script } from "./cases.js";
import { withoutWebAssembly } from "./support.js";

const bundle = await openFolder(SAMPLE);

test("a page that isn't served over https has no digests of its own, and opens bundles", async () => {
  Object.defineProperty(crypto, "subtle", { value: undefined, configurable: true });
  try {
    assert.equal((await openFolder(SAMPLE)).digest, bundle.digest);
  } finally {
    Reflect.deleteProperty(crypto, "subtle");
  }
  assert.ok(crypto.subtle);
});

test("digests are those of Node", () => {
  for (const size of [0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 1000, 100_000]) {
    const [key, message] = [randomBytes(size % 65), randomBytes(size)];
    assert.equal(hex(sha256(message)), createHash("sha256").update(message).digest("hex"), `${size}`);
    assert.equal(hex(hmac(key, message)), createHmac("sha256", key).update(message).digest("hex"), `${size}`);
  }
});

test("uniform integers are drawn again, not reduced", () => {
  const numbers = new Script("ff00000000000000" + "0500000000000000" + "0404040404040404");
  assert.equal(uniformBelow(5, numbers.source), 4); // 7, 5, and then 4, of three bits
  numbers.assertUsed();
  assert.equal(uniformBelow(1, new Script("ffffffffffffffff").source), 0);
  const largest = new Script("ffffffffffffffff".replace(/ff$/, "7f"));
  assert.equal(uniformBig(1n << 63n, largest.source), (1n << 63n) - 1n);
});

/** Two draws of 16 bytes are equal with 2^-128. False alarm: 1e-38. */
test("the system's source is asked for every byte", () => {
  assert.equal(systemRandom(0).length, 0);
  const many = systemRandom(200_000); // more than a call gives
  for (let at = 0; at < many.length; at += 20_000) assert.ok(many.subarray(at, at + 64).some((byte) => byte !== 0));
  assert.notDeepEqual(systemRandom(16), systemRandom(16));
});

test("a source that gives too little or too much is refused", () => {
  for (const size of [7, 9]) {
    assert.throws(() => draw(8, () => new Uint8Array(size)), (error: BrrError) => error.kind === "randomness");
  }
});

test("scans are compiled from their source, where a page lets them be", async () => {
  const { parseWat } = await wabt();
  const source = readFileSync(fileURLToPath(new URL("../../src/scan.wat", import.meta.url)), "utf8");
  assert.equal(COMPILED, Buffer.from(parseWat("scan.wat", source).toBinary({}).buffer).toString("base64"));
  const codes = new Uint32Array(4);
  const made = (): ArrayBufferLike => new HammingIndex(codes, Uint8Array.of(1, 2), 64).code(0).buffer;
  assert.notEqual(made(), codes.buffer); // compiled code reaches a copy only
  assert.equal(await withoutWebAssembly(made), codes.buffer);
});

for (const compiled of [true, false]) test(`searches are exact, compiled: ${compiled}`, async () => {
  const sizes = [
    [64, 300, 0], [64, BLOCK, 0], [64, 2 * BLOCK + 1, 0], [128, BLOCK + 1, 64], [256, 301, 128], [512, 302, 448],
  ] as const;
  for (const [bits, count, taskBits] of sizes) {
    const numbers = bits / 32;
    const codes = new Uint32Array(Uint8Array.from(randomBytes((count * bits) / 8)).buffer);
    codes.copyWithin(7 * numbers, 3 * numbers, 4 * numbers); // a tie
    const masses = Uint8Array.from(randomBytes(count));
    const made = (): HammingIndex => new HammingIndex(codes, masses, bits, taskBits);
    const index = compiled ? made() : await withoutWebAssembly(made);
    const query = codes.slice(3 * numbers, 4 * numbers).map((number) => number ^ 0x80000001);
    const differing = Array.from({ length: count }, (_, id) =>
      Array.from(query, (number, i) => {
        const bits = (number ^ codes[id * numbers + i]!) >>> 0;
        return bits.toString(2).replaceAll("0", "").length;
      }),
    );
    const weighed = (weight: number): number[] =>
      differing.map((each) => each.reduce((sum, count, i) => sum + (i < (bits - taskBits) / 32 ? count : weight * count), 0));
    const apart = weighed(1);
    assert.deepEqual(Array.from(index.distancesFrom(query)), apart);
    const likely = { levels: LEVELS, ids: [3, 100, count - 1], gains: [5, 6, 7] };
    const alike = { levels: LEVELS.map(Math.sign), ids: [], gains: [] };
    for (const weight of taskBits ? [0, 1, 2, 16] : [1]) {
      const distances = weighed(weight);
      assert.deepEqual(Array.from(index.distancesFrom(query, weight)), distances);
      for (const measure of [likely, alike]) {
        const sums = Array<number>(bits + 15 * taskBits + 1).fill(0);
        distances.forEach((distance, id) => (sums[distance]! += massOf(measure, masses, id)));
        assert.deepEqual(Array.from(index.sums(query, measure, weight).sums), sums);
      }
    }
    const sorted = apart.map((distance, id) => ({ id, distance })).sort((a, b) => a.distance - b.distance || a.id - b.id);
    for (const k of [1, 2, 10, count]) assert.deepEqual(index.nearest(query, k), sorted.slice(0, k));
  }
});

for (const compiled of [true, false]) test(`words of all blocks are drawn, compiled: ${compiled}`, async () => {
  const size = 2 * BLOCK + 2;
  const words = new Uint8Array(size).map((_, id) => 1 + (id % 20));
  const measure: Measure = { levels: LEVELS, ids: [BLOCK - 1, BLOCK, BLOCK + 3, size - 1], gains: [5, 6, 7, 8] };
  const mass = words.reduce((sum, _, id) => sum + massOf(measure, words, id), 0);
  const masses = { words, lastBase: "unigram", most: () => mass, measure: () => measure };
  for (const numbers of [2, 4]) {
    // Every third code is 0, and the others differ from it in `numbers` bits.
    const codes = new Uint32Array(size * numbers).map((_, at) => (Math.floor(at / numbers) % 3 === 0 ? 0 : 1));
    const made = (): HammingIndex => new HammingIndex(codes, words, 32 * numbers);
    const index = compiled ? made() : await withoutWebAssembly(made);
    const bundle = { index, masses, taskBits: 0, wordBits: 32 * numbers } as unknown as WordBundle;
    const mechanism = new Exponential(bundle, 1, {});
    const ids = Array.from(words.keys());
    const near = ids.filter((id) => id % 3 === 0);
    const nearest = near.reduce((sum, id) => sum + massOf(measure, words, id), 0);
    const drawn = (first: bigint, number: number): number =>
      mechanism.release([new Uint32Array(numbers)], -1, new Script(hex(eightBytes(first, number))).source)[0]!;
    for (const [those, first] of [
      [near, 0n], [ids.filter((id) => id % 3), BigInt(nearest) * mechanism.integers[0]!],
    ] as const) {
      let sum = 0;
      for (const id of those) {
        const next = sum + massOf(measure, words, id);
        if (id % BLOCK < 4 || id % BLOCK > BLOCK - 4) {
          assert.equal(drawn(first, sum), id);
          assert.equal(drawn(first, next - 1), id);
        }
        sum = next;
      }
    }
  }
});

test("a double is a fraction", () => {
  for (const value of [0, 5e-324, 0.1, 1, 2 ** 52 + 1, 2 ** 53, 2 ** 60, Number.MAX_VALUE]) {
    const { numerator, denominator } = Rational.of(value);
    const exponent = BigInt(denominator.toString(2).length - 1);
    assert.equal(denominator, 1n << exponent);
    assert.equal(Number(numerator) / 2 ** Number(exponent / 2n) / 2 ** Number(exponent - exponent / 2n), value); // 2^1074 is no double
  }
});

/** Returns the measure of a word. */
const massOf = ({ levels, ids, gains }: Measure, masses: Uint8Array, id: number): number =>
  levels[masses[id]!]! + (gains[ids.indexOf(id)] ?? 0);

test("a draw at a boundary belongs to what is behind it", () => {
  const code = bundle.index.code(7);
  const distances = bundle.index.distancesFrom(code).slice();
  const sums = new Map<number, number>();
  distances.forEach((distance, id) => sums.set(distance, (sums.get(distance) ?? 0) + LEVELS[bundle.masses.words[id]!]!));
  const [first, second] = [...sums.keys()].sort((a, b) => a - b) as [number, number];
  const [near] = weightTable(1, bundle.bits, bundle.masses.most("unigram"), 0);
  assert.equal(first, 0);
  const share = BigInt(sums.get(0)!) * near!;
  const mechanism = new Exponential(bundle, 1, { base: "unigram", radius: 0 });
  for (const [number, distance] of [[share - 1n, first], [share, second]] as const) {
    const [id] = mechanism.release([code], -1, new Script(hex(eightBytes(number, 0))).source);
    assert.equal(distances[id!], distance);
  }
});

test("each word has noise of its own, all of it before the choices", () => {
  const asked: number[] = [];
  const random = (size: number): Uint8Array => (asked.push(size), new Uint8Array(size).fill(size === 8 ? 0 : 0x7f));
  const codes = [bundle.index.code(1), bundle.index.code(2), bundle.index.code(3)];
  new Brr(bundle, 1).release(codes, -1, random);
  assert.deepEqual(asked.splice(0), [1, 1, 1].map(() => 4 * bundle.bits));
  new Vickrey(bundle, 1, {}).release(codes, -1, random);
  assert.deepEqual(asked.slice(0, 4), [4 * bundle.bits, 4 * bundle.bits, 4 * bundle.bits, 8]);
});

test("levels are those of the format", () => {
  assert.deepEqual([1, 15, 16, 17, 255].map((byte) => LEVELS[byte]), [1, 15, 16, 18, 15 * 2 ** 30]);
});

test("neighbors leave the word out", () => {
  const near = bundle.neighbors("Boston", 3);
  assert.equal(near.length, 3);
  assert.ok(near.every(({ word }) => word !== "boston"));
  assert.ok(near[0]!.distance <= near[2]!.distance);
  for (const k of [0, bundle.size, 1.5]) assert.throws(() => bundle.neighbors("boston", k), ParameterError);
  assert.throws(() => bundle.neighbors("qzvorblax"), (error: BrrError) => {
    assert.ok(!error.message.includes("qzvorblax"));
    return error.kind === "outOfVocabulary";
  });
});

test("words have ids", () => {
  const { vocabulary } = bundle;
  for (let id = 0; id < bundle.size; id++) assert.equal(vocabulary.find(vocabulary.word(id)), id);
  for (const id of [-1, bundle.size, 0.5]) assert.throws(() => vocabulary.word(id), ParameterError);
  for (const word of ["", "\ud800", "zzzzzzzz", "\uffff", "a".repeat(1000)]) assert.equal(vocabulary.find(word), -1);
});

test("a bundle says what it recommends", () => {
  const manifest = JSON.parse(readFileSync(join(SAMPLE, "manifest.json"), "utf8"));
  assert.deepEqual(bundle.manifest, manifest);
  assert.deepEqual(bundle.recommended!.parameters, manifest.recommended.parameters);
  assert.equal(bundle.recommended!.measured!.attackSuccess.high, manifest.recommended.measured.attack_success.high);
  assert.equal(bundle.counts!.wordsADay, manifest.counts.words_a_day);
  assert.equal(bundle.maximumDistance, manifest.distances.hamming.maximum);
  assert.equal(bundle.digest, manifest.files["index.safetensors"].sha256);
  assert.equal(bundle.manifestDigest, manifest.sha256);
  const strengths = bundle.strengths("exponential");
  assert.ok(strengths.length > 3 && bundle.strengths("other").length === 0);
  assert.ok(strengths[0]!.epsilon < strengths[1]!.epsilon);
  assert.ok(strengths[0]!.measured.attackSuccess.value < strengths.at(-1)!.measured.attackSuccess.value);
});

test("JSON is the format's subset", () => {
  const read = (text: string): unknown => parse(new TextEncoder().encode(text));
  assert.deepEqual(read(' [1, -2.5e0, "\\u00e9\\ud83d\\udc4d", null, true] '), [1n, -2.5, "é👍", null, true]);
  assert.equal(Object.getPrototypeOf(read("{}")), null);
  const refused = [
    "", "[1,]", '{"a": 1, "a": 2}', '{"a": 1, "\\u0061": 2}', "-0", "01", "1e999", "NaN", "1 2", '"\\ud800"', '"\t"',
    "1".repeat(41), "[".repeat(33) + "]".repeat(33), "\ufeff1", "'a'", '{"a" 1}', "[1 2]", "tru", '{,}', '"\\x"',
  ];
  for (const text of refused) assert.throws(() => read(text), Error, text);
  assert.equal(read("-0.0"), -0);
  read("[".repeat(32) + "]".repeat(32));
  assert.throws(() => parse(unhex("22ff22")));
});

test("a message is one line that shows", () => {
  assert.equal(oneLine("a\u001b[2Jb\n\u202e\ud800"), "a\\u001b[2Jb\\u000a\\u202e\\ud800");
  const long = Array.from(oneLine(`start ${"👍".repeat(1000)} end`));
  assert.ok(long.length === 400 && long.slice(0, 6).join("") === "start " && long.slice(-4).join("") === " end");
});

test("a bundle is opened from bytes, also where they aren't aligned", async () => {
  const content = (name: string): Uint8Array => concat(unhex("00"), readFileSync(join(SAMPLE, name))).subarray(1);
  const opened = await WordBundle.of({
    manifest: content("manifest.json"), index: content("index.safetensors"), randomizer: content("randomizer.tflite"),
  });
  assert.deepEqual(opened.neighbors("boston"), bundle.neighbors("boston"));
  const none = new Uint8Array();
  await assert.rejects(WordBundle.of({ manifest: none, index: none, randomizer: none }), BundleError);
});

test("a bundle is fetched; what isn't there is one error", async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url!);
    const name = request.url!.replace(/^\/b\//, "");
    if (request.url!.startsWith("/app/")) { // a server of one page: every path is it
      if (request.url!.startsWith("/app/b/manifest.json")) return void response.end(readFileSync(join(SAMPLE, "manifest.json")));
      return void response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end("<!doctype html><p>app</p>");
    }
    if (name === request.url) return void response.writeHead(404).end("<p>not here</p>");
    if (name === "randomizer.tflite" && asked.length > 3) return void response.writeHead(206).end();
    response.end(readFileSync(join(SAMPLE, name)));
  }).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const failing = (source: string | URL, pattern: RegExp): Promise<void> =>
    assert.rejects(WordBundle.open(source), (error: BrrError) => {
      assert.match(error.message, pattern);
      return error.kind === "bundle";
    });
  try {
    assert.equal((await WordBundle.open(new URL(`${origin}/b/`))).digest, bundle.digest);
    assert.deepEqual(asked, ["/b/manifest.json", "/b/index.safetensors", "/b/randomizer.tflite"]);
    await failing(`${origin}/b`, /randomizer\.tflite: can't be fetched \(206\)/);
    await failing(`${origin}/c`, /^http:.*\/c\/manifest\.json: can't be fetched \(404\)/);
    const page = /: can't be fetched \(the server answers with a page\); put it there$/;
    await failing(`${origin}/app/bundle`, new RegExp(`/app/bundle/manifest\\.json${page.source}`));
    await failing(`${origin}/app/b`, new RegExp(`/app/b/index\\.safetensors${page.source}`));
  } finally {
    server.close();
    server.closeAllConnections();
  }
  await failing(`${origin}/b`, /manifest\.json: can't be fetched \(/);
});
