/**
 * New random cases, exchanged with the Python runtime through files in the nightly tests: it wrote the cases that are
 * checked here, and checks those that are written here (`tests/phones/exchange.py`). In each run, vectors.test.ts finds
 * the same faults.
 */

import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { hex } from "../src/bytes.js";
import { Counts } from "../src/counts.js";
import { CAP_MAX, CAP_MIN, EPSILON_MAX, EPSILON_MIN } from "../src/exact.js";
import { openFolder } from "../src/folder.js";
import { BASES } from "../src/masses.js";
import { Privatizer } from "../src/privatizer.js";
import { systemRandom, type RandomSource } from "../src/randomness.js";
import { MOST_TASK_WEIGHT } from "../src/setting.js";
import type { WordBundle } from "../src/wordBundle.js";
import {
  casesOf, framedDays, has, inWork, linesOf, marksOf, namesOfBundles, remembering, Script, tokenizerOf, writingOf,
} from "./cases.js";
import { LANGUAGES } from "./languages.js";
import { numbersOf, type Case } from "./vectors.js";

const A_SETTING = 4; // releases

const opened = new Map<string, WordBundle>();
for (const name of namesOfBundles) opened.set(name, await openFolder(inWork("bundles", name)));
const coded = [...opened.keys()].filter((name) => !opened.get(name)!.listOf);

const eachNight = has("exchange");

test("Python's releases", eachNight, async () => {
  for (const each of pythons("releases").map((line) => JSON.parse(line))) {
    const script = new Script(each.random);
    assert.deepEqual(await release(each, script.source), each.released);
    script.assertUsed();
  }
});

test("Python's counts", eachNight, async () => {
  for (const each of pythons("counts").map((line) => JSON.parse(line))) {
    const script = new Script(each.random);
    assert.equal(await count(each, script.source), each.output);
    script.assertUsed();
  }
});

test("Python's frames", eachNight, async () => {
  for (const each of pythons("frames").map((line) => JSON.parse(line))) {
    const script = new Script(each.random);
    assert.deepEqual(await framedDays(opened.get(each.bundle)!, each, script.source), each.days);
    script.assertUsed();
  }
});

test("Python's texts", eachNight, () => {
  for (const each of pythons("texts").map((line) => JSON.parse(line))) assert.deepEqual(textCase(each), each);
});

test("Python's numbers", eachNight, () => {
  for (const line of pythons("numbers")) {
    const each = JSON.parse(line);
    const numbers = numbersOf(each);
    assert.deepEqual(JSON.parse(written(numbers)), each);
    assert.ok(line.includes(`"keep_threshold": ${numbers["keep_threshold"]},`)); // beyond 2^53
  }
});

test("releases for Python", eachNight, () => {
  let setting: Case = {};
  return write("releases", async (number) => {
    if (number % A_SETTING === 0) {
      const bundle = choice(coded);
      setting = { bundle, ...randomSetting(opened.get(bundle)!) };
    }
    const bundle = opened.get(setting["bundle"])!;
    const words = times(randomInt(4), () => randomWord(bundle));
    const typed = choice<string | string[]>([words, words, randomText() + words.join(" ")]);
    const each = { ...setting, typed, ...(typeof typed === "string" ? randomMarks(typed, bundle) : {}) };
    const [source, drawn] = recording();
    const released = await release(each, source);
    return { ...each, random: drawn(), released };
  });
});

test("releases for another language", eachNight, async () => {
  let lines = "";
  for (const each of casesOf("exchange/both.jsonl")) {
    const script = new Script(each.random);
    lines += `${written([await release(each, script.source), script.left])}\n`;
  }
  writeFileSync(inWork("exchange/web-both.jsonl"), lines);
});

test("counts for Python", eachNight, () =>
  write("counts", async () => {
    const bundle = choice([...opened.keys()]);
    const cap = choice([randomBetween(CAP_MIN, CAP_MAX), 5 + 10 * Math.random()]);
    const each = { bundle, cap, word: randomWord(opened.get(bundle)!) };
    const [source, drawn] = recording();
    const output = await count(each, source);
    return { ...each, random: drawn(), output };
  }));

test("frames for Python", eachNight, () =>
  write("frames", async () => {
    const name = choice(coded);
    const bundle = opened.get(name)!;
    const { mechanism, epsilon, parameters } = randomSetting(bundle);
    const each = { bundle: name, mechanism, epsilon, parameters, frames: { words: randomInt(1, 6), a_day: randomInt(1, 5) } };
    const steps = [...times(randomInt(12), () => randomStep(bundle)), { batches: true }, ...choice([[], [{ batches: true }]])];
    const [source, drawn] = recording();
    const days = await framedDays(bundle, { ...each, steps }, source);
    return { ...each, steps, random: drawn(), days };
  }));

test("texts for Python", eachNight, () =>
  write("texts", async () => {
    const language = choice([undefined, ...Object.values(LANGUAGES)]);
    const writing = language?.writing;
    const listOf = choice([undefined, undefined, "words", "emoji", "both", "strings"] as const);
    const own = language ? times(1 + randomInt(6), () => typedIn(language)).join(choice(["", " "])) : randomText();
    const text = listOf ? times(1 + randomInt(3), () => choice([own, randomEmoji()])).join(choice(["", " "])) : own;
    const known = language?.words ?? ["can", "will", "shall"];
    const parts = tokenizerOf(writingOf(writing), [], []).tokenize(`${text} ${randomText()}`).flatMap((token) => {
      const bare = token.replace(/^'+|'+$/g, "");
      const ends = [bare.split("'")[0]!, bare.slice(0, Math.max(bare.lastIndexOf("'"), 0)), bare.slice(0, -3)];
      return [token, bare, ...ends, ...Array.from(bare).slice(0, 4)];
    });
    const strings = listOf === "strings" ? [text, text.slice(1), `${text}a`] : listOf ? phrasesOf(text, writing) : [];
    const words = [...new Set([...known, ...parts, ...strings])].filter((word) => word && !/[\0-\x1f]|[\ud800-\udfff]/u.test(word));
    const some = words.filter((word) => randomInt(known.includes(word) ? 4 : 2)).sort(() => randomInt(3) - 1);
    const vocabulary = some.length ? some : words;
    return textCase({ text, writing, list_of: listOf, vocabulary, masses: vocabulary.map(() => 1 + randomInt(choice([2, 40, 255]))) });
  }));

test("numbers for Python", eachNight, () =>
  write("numbers", async () =>
    numbersOf({
      epsilon: randomBetween(EPSILON_MIN, EPSILON_MAX),
      bits: choice([64, 256, 512]),
      total: randomInt(2, choice([2 ** 24, 2 ** 47])),
      t: choice([Math.random(), 25 * Math.random()]),
      distance: randomInt(513),
      radius: randomInt(65),
      cap: choice([null, randomBetween(CAP_MIN, CAP_MAX)]),
      symbols: randomInt(3, choice([100, 2 ** 24])),
    }),
  ));

/** The last setting's privatizer: cases of one setting follow one another. */
let [described, random, privatizer]: [string, RandomSource, Privatizer | null] = ["", systemRandom, null];

/** Returns the output for a text, or for a list of words. */
function release({ typed, marks, rest, random: _, released: __, ...setting }: Case, source: RandomSource): Promise<string | string[]> {
  random = source;
  if (!privatizer || described !== JSON.stringify(setting)) {
    described = JSON.stringify(setting);
    const { bundle, epsilon, mechanism, oov, parameters, number, key, second_epsilon: secondEpsilon } = setting as Case;
    const memory = key && remembering(number, key);
    const options = { setting: { epsilon, mechanism, parameters }, oov, memory, secondEpsilon };
    privatizer = new Privatizer(opened.get(bundle)!, { ...options, random: (size) => random(size) });
  }
  if (typeof typed !== "string") return privatizer.words(typed);
  return privatizer.text(typed, { marks: marks && marksOf(typed, marks), rest });
}

function count(each: Case, random: RandomSource): Promise<string> {
  const { bundle, cap, word, number, key, second_cap: secondCap } = each;
  const memory = key && remembering(number, key);
  return new Counts(opened.get(bundle)!, { setting: { cap }, memory, secondCap, random }).word(word);
}

/** Completes a case with its tokens, and with the results of their look-up. */
function textCase({ text, writing, list_of, vocabulary, masses }: Case): Case {
  const tokenizer = tokenizerOf(writingOf(writing), vocabulary, masses, list_of);
  const read = tokenizer.read(text);
  const tokens = tokenizer.tokenize(text);
  const ids = read.map(({ id }) => id);
  // A list cuts a token again: one that no text has alone (behind eight articles) may become several.
  if (!list_of) assert.deepEqual(tokens.map((token) => tokenizer.lookUp(token)), ids);
  const given = { text, ...(writing && { writing }), ...(list_of && { list_of }), vocabulary, masses };
  const finished = Array.from(tokenizer.finished(text)).length;
  return { ...given, tokens, ids: ids.map((id) => (id < 0 ? null : id)), finished };
}

/** Returns a value as JSON in one line, with big integers, and as Python and Kotlin write it. */
function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`;
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) {
    return JSON.stringify(value).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  }
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}: ${written(field)}`).join(", ")}}`;
}

function pythons(name: string): string[] {
  const lines = linesOf(`exchange/python-${name}.jsonl`);
  assert.ok(lines.length);
  return lines;
}

/** Writes the same number of cases as Python. */
async function write(name: string, make: (number: number) => Promise<Case>): Promise<void> {
  let lines = "";
  for (const i of pythons(name).keys()) lines += `${written(await make(i))}\n`;
  writeFileSync(inWork(`exchange/web-${name}.jsonl`), lines);
}

/** Returns the system's source of random bytes, and a function that returns the bytes so far. */
function recording(): [RandomSource, () => string] {
  let drawn = "";
  const source: RandomSource = (size) => {
    const bytes = systemRandom(size);
    drawn += hex(bytes);
    return bytes;
  };
  return [source, () => drawn];
}

const choice = <T>(values: readonly T[]): T => values[randomInt(values.length)]!;
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

/** Returns a number for the exponent. */
const randomBetween = (low: number, high: number): number =>
  Math.min(Math.max(Math.exp(Math.log(low) + Math.random() * Math.log(high / low)), low), high);

function randomSetting(bundle: WordBundle): Case {
  const mechanism = choice(["brr", "vickrey", "exponential"]);
  const several = times(1 + randomInt(5), () => randomInt(3) * Math.random());
  const given = {
    radius: choice([0, randomInt(17), randomInt(65)]),
    base: choice(BASES.filter((base) => base !== "bigram" || bundle.masses.bigrams > 0)),
    cap: randomBetween(CAP_MIN, CAP_MAX),
    ...(bundle.taskBits ? { task_weight: choice([0, 1, 2, randomInt(MOST_TASK_WEIGHT + 1)]) } : {}),
  };
  const parameters: Case = {
    brr: {},
    vickrey: { t: choice<unknown>([0, 0.5, 1, Math.random(), several]) },
    exponential: Object.fromEntries(Object.entries(given).filter(() => randomInt(10) < 7)),
  };
  const memory = { number: randomInt(1, 10 ** 9), key: hex(systemRandom(32)), second_epsilon: randomBetween(EPSILON_MIN, EPSILON_MAX) };
  return {
    mechanism,
    epsilon: randomBetween(EPSILON_MIN, EPSILON_MAX),
    oov: choice(["random", "drop"]),
    parameters: parameters[mechanism],
    ...(randomInt(5) ? {} : memory),
  };
}

function randomWord(bundle: WordBundle): string {
  const word = bundle.vocabulary.word(randomInt(bundle.size));
  const text = bundle.listOf ? randomEmoji() : randomText();
  const forms = bundle.policy.lists.flatMap((list) => list.forms);
  if (forms.length && randomInt(4) === 0) return choice(forms);
  return randomInt(10) < 6 ? word : choice([word.toUpperCase(), `${word}'s`, `'${word}n't`, text]);
}

/** Returns marks of a text, in code points, and the treatment of the rest. */
function randomMarks(text: string, { policy }: WordBundle): Case {
  const { length } = Array.from(text);
  if (length === 0 || randomInt(2)) return {};
  const marks = times(randomInt(4), () => {
    const start = randomInt(length);
    const name = choice([undefined, ...policy.lists.map((list) => list.name)]);
    return [start, start + 1 + randomInt(Math.min(length - start, 6)), ...(name ? [name] : [])];
  });
  return { marks, ...(randomInt(2) ? { rest: "pass" } : {}) };
}

/** Returns something that is typed. */
function randomStep(bundle: WordBundle): Case {
  const text = times(randomInt(4), () => randomWord(bundle)).concat(choice(["", randomText()])).join(" ");
  const { marks } = randomMarks(text, bundle);
  return choice<Case>([{ add: text, ...(marks ? { marks } : {}) }, { word: randomWord(bundle) }, { word: randomWord(bundle) }, { end: true }]);
}

function randomText(): string {
  const pieces = "a B é É İ Σ ß ǅ \u0301 👍 ʼ ＇ Д Ա ! _ ' ’ it do - n't 's 're 've 'll 'd 'm can't won't shan't".split(" ");
  return times(1 + randomInt(9), () => choice([" ", randomCharacter(), ...times(4, () => choice(pieces))])).join("");
}

/** Returns emoji, whole and in parts, with possible neighbors. */
function randomEmoji(): string {
  const pieces = [..."\u200d\ufe0e\ufe0f\u20e3🏻🏽🏿\u{e0067}\u{e007f}#*1🇦🇩🇿👍👩🚀❤©🧿 a", "❤️", "👩‍🚀", "🇩🇪", "1️⃣", "👍🏽"];
  return times(1 + randomInt(12), () => choice([...times(9, () => choice(pieces)), randomCharacter()])).join("");
}

/** Returns units of a text, and some that follow each other, as phrases. */
function phrasesOf(text: string, writing: unknown): string[] {
  const units = tokenizerOf(writingOf(writing), [], [], "both").tokenize(text);
  return units.concat(times(randomInt(8), () => units.slice(randomInt(units.length + 1)).slice(0, 1 + randomInt(9)).join(" ")));
}

/** Returns words of a language, typed text around them, and runs of unknown text. */
function typedIn({ words, pieces }: (typeof LANGUAGES)[string]): string {
  const some = times(1 + randomInt(5), () => choice([choice(words), choice(words), choice(pieces), choice([...choice(words)])]));
  return some.concat(choice([[], [], [randomCharacter()], [randomText()]])).map((each) => choice([each, each, each.toUpperCase(), each.normalize("NFD")])).join("");
}

/** Returns a character; none whose normal form hangs on how new Unicode is: marks, and letters of rare scripts. */
function randomCharacter(): string {
  const code = randomInt(0x110000);
  const character = code >= 0xd800 && code <= 0xdfff ? "x" : String.fromCodePoint(code);
  return /\p{M}|(?=[\u{10000}-\u{1ffff}])\p{L}/u.test(character) ? randomCharacter() : character;
}
