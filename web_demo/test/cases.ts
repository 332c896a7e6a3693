/** The shared parts of the runtime's tests: bundles, cases, and given random bytes. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { encoded, hex, unhex } from "../src/bytes.js";
import { ListTokenizer } from "../src/listTokenizer.js";
import { digestOf, manifestDigest, type ListOf } from "../src/manifest.js";
import type { Mark } from "../src/marks.js";
import { Masses } from "../src/masses.js";
import { MemoryKey, type Memory } from "../src/memory.js";
import { Outbox } from "../src/outbox.js";
import { PackedNumbers, packedSize, widthOf } from "../src/packedNumbers.js";
import type { Policy } from "../src/policy.js";
import type { RandomSource } from "../src/randomness.js";
import { parse } from "../src/strictJson.js";
import { TextReporter } from "../src/textReporter.js";
import { Tokenizer } from "../src/tokenizer.js";
import { BLOCK, Vocabulary } from "../src/vocabulary.js";
import { WordBundle } from "../src/wordBundle.js";
import { ENGLISH, readWriting, type Writing } from "../src/writing.js";
import { DAY_MS, TestStorage } from "./support.js";

const work = process.env["BRR_WORK"];

/** Returns the place of a file from `tests/phones/prepare.sh`. */
export const inWork = (...names: string[]): string => join(work!, ...names);

/** For tests that need that. */
export const onWork = { skip: work ? false : "BRR_WORK names no folder of cases" };

/** For tests of nightly files: `tests/phones/prepare.sh`. */
export const has = (name: string) => ({ skip: work && existsSync(inWork(name)) ? false : `${name} is made each night` });

/** The names of the bundles that were built just now. */
export const namesOfBundles = work && existsSync(inWork("bundles")) ? readdirSync(inWork("bundles")) : [];

/** The bundle that comes with the Python runtime. */
export const SAMPLE = fileURLToPath(new URL("../../../runtime/brrkit/sample", import.meta.url));

/** Returns the sample with a manifest of other fields. */
export async function changedSample(change: (manifest: any) => void): Promise<WordBundle> {
  const manifest = JSON.parse(readFileSync(join(SAMPLE, "manifest.json"), "utf8"));
  change(manifest);
  manifest.sha256 = "0".repeat(64);
  const zeroed = new TextEncoder().encode(JSON.stringify(manifest));
  const digest = await digestOf(zeroed);
  const content = new TextEncoder().encode(JSON.stringify({ ...manifest, sha256: digest }));
  assert.equal(await manifestDigest(content, digest), digest);
  const read = async (name: string): Promise<Uint8Array> => (name === "manifest.json" ? content : readFileSync(join(SAMPLE, name)));
  return WordBundle.open({ path: "changed", read });
}

/** Returns the lines of a file, and the cases that they are. */
export const linesOf = (name: string): string[] => readFileSync(inWork(name), "utf8").split("\n").slice(0, -1);
export const casesOf = (name: string): any[] => linesOf(name).map((line) => JSON.parse(line));

/** Random bytes that are given. */
export class Script {
  readonly #bytes: Uint8Array;
  #at = 0;

  /** @param digits of the bytes, hexadecimal. */
  constructor(digits: string) {
    this.#bytes = unhex(digits);
  }

  readonly source: RandomSource = (size) => this.#bytes.subarray(this.#at, (this.#at += size));

  /** How many weren't taken. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  assertUsed(): void {
    assert.equal(this.left, 0);
  }
}

/** Returns marks as an app gives them; cases count code points. */
export function marksOf(text: string, marks: readonly (readonly [number, number, string?])[]): Mark[] {
  const points = Array.from(text);
  const place = (count: number): number => points.slice(0, count).join("").length;
  return marks.map(([start, end, list]) => ({ start: place(start), end: place(end), list }));
}

/**
 * Returns the frames of each day that a case's steps end, sorted by the ids of their words. An outbox's frames wait in
 * no order, and have ids of the system's: those of the source take their place.
 */
export async function framedDays(bundle: WordBundle, { steps, ...each }: any, random: RandomSource): Promise<object[][]> {
  let now = 0;
  const outbox = new Outbox(new TestStorage(), { time: () => now });
  const { mechanism, epsilon, parameters, frames: { words, a_day: aDay } } = each;
  const reporter = new TextReporter(bundle, outbox, { setting: { mechanism, epsilon, parameters }, frames: { words, aDay }, random });
  const days: object[][] = [];
  for (const { add, marks = [], word, end } of steps) {
    if (add !== undefined) await reporter.add(add, { marks: marksOf(add, marks) });
    else if (word !== undefined) await reporter.word(word);
    else await (end ? reporter.end() : days.push(await day()));
  }
  return days;

  async function day(): Promise<object[]> {
    await reporter.beginDay();
    await reporter.end();
    now += DAY_MS;
    const frames: number[][] = [];
    for (let frame; (frame = await outbox.frame()); await outbox.remove(frame)) {
      frames.push(frame.words.map((word) => bundle.vocabulary.find(word)));
    }
    const order = (one: number[], other: number[]): number => one.map((id, at) => id - other[at]!).find(Boolean) ?? 0;
    return frames.sort(order).map((ids) => ({ batch: hex(random(16)), words: ids.map((id) => bundle.vocabulary.word(id)) }));
  }
}

/** Returns a memory with a known key, without a file. */
export const remembering = (number: number, key: string): Memory =>
  ({ key: async () => new MemoryKey(number, unhex(key)) }) as unknown as Memory;

/** Returns what a manifest's field `writing` says, of which JSON with doubles is given; that of English without it. */
export const writingOf = (json?: unknown): Writing => {
  if (json === undefined) return ENGLISH;
  const read = readWriting(parse(encoded(JSON.stringify(json))));
  assert.ok(read);
  return read;
};

export type TestedTokenizer = Tokenizer & {
  /** Returns the tokens of a text. */
  tokenize(text: string): string[];
};

/** Returns the tokenizer of a bundle with some words, by id, and the bytes of their masses; or of a list. */
export function tokenizerOf(writing: Writing, words: readonly string[] | Vocabulary, masses: readonly number[], listOf?: ListOf, policy?: Policy): TestedTokenizer {
  const none = new PackedNumbers(new Uint8Array(3), 0, 1);
  const vocabulary = words instanceof Vocabulary ? words : vocabularyOf(words);
  const all = new Masses(Uint8Array.from(masses), none, none, new Uint8Array());
  const tokenizer = listOf
    ? new ListTokenizer(writing, vocabulary, all, listOf)
    : new Tokenizer(writing, vocabulary, all, policy);
  return Object.assign(tokenizer, { tokenize: (text: string) => tokenizer.read(text).map((token) => token.text) });
}

/** Returns some words, by id, as an index holds them. */
export function vocabularyOf(words: readonly string[]): Vocabulary {
  const ids = words.map((_, id) => id).sort((one, other) => Buffer.compare(Buffer.from(words[one]!), Buffer.from(words[other]!)));
  const [bytes, offsets]: [number[], number[]] = [[], []];
  let before = "";
  for (const [position, id] of ids.entries()) {
    const word = words[id]!;
    if (position % BLOCK === 0) [before] = ["", offsets.push(bytes.length)];
    let shared = 0; // characters that the two words begin with, of at most 31 bytes
    const points = Array.from(word);
    const alike = (count: number): string => points.slice(0, count).join("");
    while (shared < points.length - 1 && before.startsWith(alike(shared + 1)) && encoded(alike(shared + 1)).length < 32) shared++;
    bytes.push(encoded(alike(shared)).length, ...encoded(points.slice(shared).join("")));
    before = word;
  }
  offsets.push(bytes.length);
  const width = widthOf(Math.max(words.length, 2));
  const packed = (numbers: readonly number[]): PackedNumbers => {
    const content = new Uint8Array(packedSize(numbers.length, width));
    numbers.forEach((number, place) => {
      for (let bit = 0; bit < width; bit++) {
        const at = place * width + bit;
        content[at >> 3]! |= ((number >> bit) & 1) << (at & 7);
      }
    });
    return new PackedNumbers(content, numbers.length, width);
  };
  const positions = words.map((_, id) => ids.indexOf(id));
  return new Vocabulary(Uint8Array.from(bytes), Uint32Array.from(offsets), packed(ids), packed(positions));
}
