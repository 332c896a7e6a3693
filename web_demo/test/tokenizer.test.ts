/** The cutting and look-up of texts: the facts that no frozen case covers. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { BASES, COMPOSED, INVISIBLE, MARKS, PICTOGRAPHS, SEPARATORS, STYLED } from "../src/characters.js";
import { openFolder } from "../src/folder.js";
import { LEVELS } from "../src/masses.js";
import { ENGLISH } from "../src/writing.js";
import { SAMPLE, tokenizerOf, vocabularyOf, writingOf } from "./cases.js";
import { LANGUAGES } from "./languages.js";
import { seeded } from "./support.js";

const PAGE = readFileSync(fileURLToPath(new URL("../../../spec/bundle-format.md", import.meta.url)), "utf8");

/** Returns the tokens of a text in a language, where its words (or others) are the vocabulary. */
function tokens(language: string, text: string, words = LANGUAGES[language]!.words, masses = words.map(() => 1)): string[] {
  return tokenizerOf(writingOf(LANGUAGES[language]!.writing), words, masses).tokenize(text);
}

test("the tables are the page's", () => {
  const letters = { marks: MARKS, bases: BASES, composed: COMPOSED, styled: STYLED };
  const tables = { separators: SEPARATORS, ...letters, invisible: INVISIBLE, pictographs: PICTOGRAPHS };
  for (const [name, table] of Object.entries(tables)) {
    const [, text] = new RegExp(`\`\`\`${name}\\n([^]*?)\`\`\``).exec(PAGE)!;
    assert.equal(table, text!.replace(/[0-9A-F]+/g, "\\u{$&}").replace(/\s/g, ""), name);
  }
});

test("half of a surrogate pair is no character", () => {
  assert.deepEqual(tokenizerOf(ENGLISH, ["o"], [1]).tokenize("caf\ud800é"), ["caf", "é"]);
  // Nor are two that had something between them.
  const writing = { ...ENGLISH, replaced: new Map([["-", ""]]) };
  assert.deepEqual(tokenizerOf(writing, ["𠀀"], [1]).tokenize("\ud840-\udc00a"), ["a"]);
  assert.deepEqual(tokenizerOf(ENGLISH, ["🚀"], [1], "emoji").tokenize("\ud83d👩\u200d\ud83d🚀"), ["👩", "🚀"]);
});

/** What the page says of cuts, with substrings and an object. */
function cut(text: string, words: readonly string[], masses: readonly number[]): string[] {
  const lg = (x: bigint): number => {
    const k = x.toString(2).length - 1;
    return 256 * k + Number((256n * x) >> BigInt(k)) - 256;
  };
  const levels = masses.map((byte) => BigInt(LEVELS[byte]!));
  const total = lg(levels.reduce((sum, each) => sum + each, 0n));
  const costs = levels.map((each) => total - lg(each));
  const points = Array.from(text);
  const best: [number, number, boolean][] = [[0, 0, true]];
  for (let end = 1; end <= points.length; end++) {
    for (let start = 0; start < end; start++) {
      const id = words.indexOf(points.slice(start, end).join(""));
      if (id < 0 && start < end - 1) continue;
      const sum = best[start]![0] + (id < 0 ? Math.max(...costs) + 1847 : costs[id]!);
      if (!best[end] || sum < best[end]![0]) best[end] = [sum, start, id >= 0];
    }
  }
  const tokens: [string, boolean][] = [];
  for (let end = points.length; end > 0; end = best[end]![1]) {
    const [, start, isWord] = best[end]!;
    const token = points.slice(start, end).join("");
    const [next, isNextWord] = tokens[0] ?? ["", true];
    if (isWord || isNextWord) tokens.unshift([token, isWord]);
    else tokens[0] = [token + next, false];
  }
  return tokens.map(([token]) => token);
}

test("cuts are the least of all, ties included", () => {
  const random = seeded(48);
  const letters = ["一", "丁", "\u{20000}", "七"];
  for (let round = 0; round < 500; round++) {
    const text = (most: number): string => Array.from({ length: 1 + random(most) }, () => letters[random(4)]!).join("");
    const words = [...new Set(Array.from({ length: 2 + random(30) }, () => text(5)))];
    const most = [2, 30, 255][random(3)]!;
    const masses = words.map(() => 1 + random(most));
    const typed = text(20);
    assert.deepEqual(tokens("zh", typed, words, masses), cut(typed, words, masses));
  }
});

test("the words that a text begins with are found", () => {
  const random = seeded(49);
  const letters = ["a", "b", "é", "一", "\u{20000}"];
  for (let round = 0; round < 60; round++) {
    const text = (most: number): string => Array.from({ length: 1 + random(most) }, () => letters[random(1 + random(5))]!).join("");
    const words = [...new Set(Array.from({ length: 2 + random(200) }, () => text(random(2) ? 4 : 40)))];
    const vocabulary = vocabularyOf(words);
    assert.equal(vocabulary.damage(), undefined);
    words.forEach((word, id) => assert.deepEqual([vocabulary.word(id), vocabulary.find(word)], [word, id]));
    for (let typed = text(9), times = 0; times < 20; typed = text(40), times++) {
      assert.equal(vocabulary.find(typed), words.indexOf(typed));
      const found: [number, number][] = [];
      const bytes = Buffer.from(`é${typed}x`);
      vocabulary.beginnings(bytes, 2, bytes.length - 1, (length, id) => found.push([length, id]));
      const expected = words.map((word, id): [number, number] => [Buffer.byteLength(word), id]).filter(([, id]) => typed.startsWith(words[id]!));
      assert.deepEqual(found, expected.sort(([one], [other]) => other - one));
    }
  }
});

test("a text is read with its words, which nothing looks up again", () => {
  const finds = (language: string, text: string, words: string[]): [number[], number] => {
    const vocabulary = vocabularyOf(words);
    const find = vocabulary.find.bind(vocabulary);
    let count = 0;
    vocabulary.find = (word) => (count++, find(word));
    return [tokenizerOf(writingOf(LANGUAGES[language]?.writing), vocabulary, words.map(() => 1)).read(text).map(({ id }) => id), count];
  };
  assert.deepEqual(finds("en", "The cat, xyz", ["cat", "the"]), [[1, 0, -1], 3]);
  assert.deepEqual(finds("fr", "L'homme va", ["homme", "l'", "va"]), [[1, 0, 2], 4]); // l'homme isn't one
  assert.deepEqual(finds("zh", "研究生", ["研究", "生"]), [[0, 1], 0]);
  assert.deepEqual(finds("de", "Arbeitzimmer", ["arbeit", "zimmer"]), [[0, 1], 2]); // the whole, and the second part
});

test("a word as it stands is another one, normalized", () => {
  const cases = [["zh", "生", ["研究", "生"], [1]], ["de", "ArbeitsZimmer", ["arbeit", "zimmer"], [0, -1]]] as const;
  const replaced = { 生: "研究", 研: "生", 究: "", Z: "z", z: "y" }; // what one becomes is replaced the next time
  for (const [language, text, words, ids] of cases) {
    const tokenizer = tokenizerOf(writingOf({ ...LANGUAGES[language]!.writing, replaced }), words, [1, 1]);
    const tokens = tokenizer.tokenize(text);
    assert.deepEqual(tokenizer.read(text), tokens.map((text, at) => ({ text, id: ids[at] })));
    assert.deepEqual(tokens.map((token) => tokenizer.lookUp(token)), ids);
  }
});

test("a word is the first candidate that there is, and nothing else is one", () => {
  const spellings = {
    tmrrow: "tomorrow", "00pm": "7pm", "0000pm": "late", "0000": "2000", "00": "ten", b4: "before", b0: "bravo",
    bbb0: "echo", gax: "gaz",
  };
  const rules = { endings: ["n't", "'s", "x"], spellings, rewritten: [["aa", "b"]] };
  const cases: [longest: number, candidates: string, others: string][] = [
    [2, "soooo soo so", "sooo s"],
    [2, "dooon't dooo doon't doo don't do", "d"],
    [2, "tmrrrrow's tmrrrrow tmrrow's tmrrow tomorrow", "tmrow's tmrow"],
    [2, "cooolll cooll col", "cooool cool coll"],
    [2, "gaaax gbax gaaa gaax gaa gax gaz", "gbx ga late"], // pairs are of the token; a spelling is the last
    [2, "soo", "so s"],
    [0, "soooo", "sooo soo so s"],
    [1, "soo so", "s"],
    [3, "soooo sooo so", "soo s"],
    [2, "\u{20000}\u{20000}\u{20000} \u{20000}\u{20000} \u{20000}", ""],
    [2, "\u{20000}\u{20000}", "\u{20000}"],
    [2, "12pm 7pm", "late 0pm 00pm pm"],
    [2, "00pm 7pm", "pm"],
    [2, "1111pm late", "111pm 11pm 1pm 7pm"], // digits stay
    [2, "2024 2000", "0000 ten"],
    [2, "99's 99", "00's ten"], // nor what an ending leaves
    [2, "b4 before", "bravo"],
    [2, "b5 bravo", "before b"],
    [2, "bbb4 bb4 b4 before", "echo bravo"],
    [2, "bbb5 bb5 b5 echo", "bravo"], // no form has its digits replaced
    [2, "b444", "b44 b4 before bravo"],
    [2, "x٣pm", "7pm"], // no digit here
    [0, [9, 8, 7, 6, 5, 4, 3, 2, 1].map((times) => `x${"'s".repeat(times)}`).join(" "), "x"],
  ];
  for (const [longest_run, candidates, others] of cases) {
    const writing = writingOf({ ...LANGUAGES["th"]!.writing, ...rules, longest_run });
    const expected = candidates.split(" ");
    expected.concat("").forEach((word, first) => {
      const words = ["zzz", ...others.split(" ").filter(Boolean), ...expected.slice(first).reverse()];
      const id = tokenizerOf(writing, words, words.map(() => 1)).lookUp(expected[0]!);
      assert.equal(words[id] ?? "", word, `${longest_run} ${words}`);
    });
  }
  const lone = tokenizerOf(ENGLISH, ["\u{20000}"], [1]);
  assert.equal(lone.lookUp("\ud840\ud840\ud840\udc00"), -1);
});

/** The steps of a look-up, and the places of a text where words may begin, are few for each code point. */
test("hostile text takes linear work", async () => {
  const SIZE = 20_000;
  const letters = ["a", "'", "\u0301", "e\u0301", "\u1161", "\u{20000}", "研究", "ก", "ال", "l'", "\u200c"];
  for (const [language, { writing, words }] of Object.entries(LANGUAGES)) {
    for (const letter of letters) {
      const vocabulary = vocabularyOf(words);
      const tokenizer = tokenizerOf(writingOf(writing), vocabulary, words.map(() => 1));
      let work = 0;
      const [find, beginnings] = [vocabulary.find.bind(vocabulary), vocabulary.beginnings.bind(vocabulary)];
      vocabulary.find = (word) => (work++, find(word));
      vocabulary.beginnings = (text, start, end, use) => {
        work++;
        beginnings(text, start, end, (length, id) => (work++, use(length, id)));
      };
      const text = letter.repeat(SIZE / letter.length);
      const all = tokenizer.tokenize(text);
      for (const token of all) tokenizer.lookUp(token);
      assert.ok(work <= 4 * SIZE, `${language}, ${letter}: ${work}`);
      assert.ok(all.join("").length <= SIZE);
    }
  }
});

test("a bundle cuts text", async () => {
  const bundle = await openFolder(SAMPLE);
  assert.deepEqual(bundle.tokenize("Book me a flight, I can’t!"), ["book", "me", "a", "flight", "i", "can't"]);
  for (const wrong of [undefined, 1, ["a"]]) assert.throws(() => bundle.tokenize(wrong as unknown as string), { kind: "parameter" });
});

test("each word is finished once, letter by letter, when it is over", () => {
  const typed: [string, string, number[]][] = [
    ["en", "Don`t stop, it's 'rock' now", [0, 1, 2, 3, 4]],
    ["th", "ตากลมที่นี่ ตาก", [0, 4]],
    ["zh", "酒店的房间，不错。王小明酒店", [0, 3, 4]],
    ["ja", "東京に住む。カー", [0, 3]],
  ];
  for (const [language, text, expected] of typed) {
    const tokenizer = language === "en"
      ? tokenizerOf(ENGLISH, ["stop"], [1])
      : tokenizerOf(writingOf(LANGUAGES[language]!.writing), LANGUAGES[language]!.words, LANGUAGES[language]!.words.map(() => 1));
    const all = tokenizer.tokenize(text);
    const released: string[] = [];
    const counts = new Set([0]);
    let rest = "";
    for (const letter of text) {
      rest += letter;
      const finished = tokenizer.finished(rest);
      released.push(...tokenizer.tokenize(finished));
      rest = rest.slice(finished.length);
      counts.add(released.length);
      assert.deepEqual(released, all.slice(0, released.length));
    }
    assert.deepEqual([...counts], expected);
    assert.deepEqual([...released, ...tokenizer.tokenize(rest)], all);
  }
});

test("200,000 words without a space are cut", () => {
  const tokenizer = tokenizerOf({ ...ENGLISH, unspaced: [{ first: 0x4e00, last: 0x9fff }] }, ["你", "我"], [1, 1]);
  assert.equal(tokenizer.tokenize("你我".repeat(100_000)).length, 200_000);
});
