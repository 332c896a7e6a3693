/** Texts of several languages, cut and looked up as `spec/bundle-format.md` says. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { BASES, COMPOSED, INVISIBLE, MARKS, PICTOGRAPHS, SEPARATORS, STYLED } from "../src/characters.js";
import { openFolder } from "../src/folder.js";
import { LEVELS } from "../src/masses.js";
import { ENGLISH } from "../src/writing.js";
import { SAMPLE, tokenizerOf, vocabularyOf, writingOf } from "./cases.js";
import { LANGUAGES, type Written } from "./languages.js";
import { seeded } from "./support.js";

const PAGE = readFileSync(fileURLToPath(new URL("../../../spec/bundle-format.md", import.meta.url)), "utf8");

/** Returns the tokens of a text in a language, where its words (or others) are the vocabulary. */
function tokens(language: string, text: string, words = LANGUAGES[language]!.words, masses = words.map(() => 1)): string[] {
  return tokenizerOf(writingOf(LANGUAGES[language]!.writing), words, masses).tokenize(text);
}

const normalized = (text: string, writing?: Written): string => tokenizerOf(writingOf(writing), [], []).normalize(text);

test("the tables are the page's", () => {
  const letters = { marks: MARKS, bases: BASES, composed: COMPOSED, styled: STYLED };
  const tables = { separators: SEPARATORS, ...letters, invisible: INVISIBLE, pictographs: PICTOGRAPHS };
  for (const [name, table] of Object.entries(tables)) {
    const [, text] = new RegExp(`\`\`\`${name}\\n([^]*?)\`\`\``).exec(PAGE)!;
    assert.equal(table, text!.replace(/[0-9A-F]+/g, "\\u{$&}").replace(/\s/g, ""), name);
  }
});

test("candidates are the page's", () => {
  const rows = [...PAGE.matchAll(/^\| `([^`]+)` \| (`[^|]+`) \|$/gm)];
  assert.ok(rows.length >= 8);
  for (const [, token, cell] of rows) {
    const candidates = [...cell!.matchAll(/`([^`]+)`/g)].map(([, each]) => each!);
    for (const [first, word] of candidates.entries()) {
      const words = candidates.slice(first).reverse(); // the last has the lowest id
      const tokenizer = tokenizerOf(ENGLISH, words, words.map(() => 1));
      assert.equal(words[tokenizer.lookUp(tokenizer.normalize(token!))], word);
    }
    assert.equal(tokenizerOf(ENGLISH, ["other"], [1]).lookUp(normalized(token!)), -1);
  }
});

test("what looks the same is the same", () => {
  const same: [string, string][] = [
    ["Cafe\u0301", "café"], ["CAFÉ", "café"], ["don’t", "don't"], ["DONʼT", "don't"], ["ＯＮＥ＇Ｓ", "one's"], ["don`t", "don't"], ["п´ять", "п'ять"], ["oﬃce", "office"], ["ｶﾞ", "ガ"], ["𝗴𝓸", "go"], ["g\u00ado\u200b", "go"], ["İ", "i"], ["ẞ", "ß"], ["ΟΔΟΣ", "οδος"],
    ["ΟΔΟΣ's", "οδος's"], ["Σ ΣΣ ΑΣΑ", "σ σς ασα"], ["1Σ ΑΣ1 aσ", "1σ ας1 aσ"], ["σ\u0301", "σ\u0301"], ["aςb", "aςb"], ["\u1f71", "ά"], ["\u1112\u1161\u11ab\u1100\u1173\u11af", "한글"], ["\u212a", "k"],
    ["q\u0307\u0323", "q\u0323\u0307"], ["\u05e9\u05bc\u05c1", "\u05e9\u05bc\u05c1"], ["\u0958", "क\u093c"], ["\uf900", "豈"], ["\u0340", "\u0300"], ["Å", "å"], ["A\u030a", "å"], ["", ""], ["👍\u{1d7d8}", "👍0"],
  ];
  for (const [typed, word] of same) assert.equal(normalized(typed), word, typed);
  // A piece has 30 marks: what is behind stays.
  const many = (count: number): string => `e${"\u0301".repeat(count)}`;
  assert.equal(normalized(many(30)), `é${"\u0301".repeat(29)}`);
  assert.equal(normalized(`e${"\u0323".repeat(29)}\u0301`), normalized(`e\u0301${"\u0323".repeat(29)}`));
  assert.notEqual(normalized(`e${"\u0323".repeat(60)}\u0301`), normalized(`e\u0301${"\u0323".repeat(60)}`));
});

test("what is replaced is replaced before letters become small, and composed again", () => {
  const { writing } = LANGUAGES["tr"]!;
  assert.equal(normalized("IŞIK İSTANBUL I\u0307S\u0327", writing), "ışık istanbul iş");
  const changed = { ...writing, replaced: { x: "\u0301", "-": "", b: "XY" } };
  assert.equal(normalized("exab", changed), "éaxy");
  // Halves of a pair that had something between them aren't a character.
  assert.equal(tokenizerOf(writingOf(changed), ["𠀀"], [1]).tokenize("\ud840-\udc00a").join(), "a");
  assert.equal(tokenizerOf(writingOf(changed), ["𠀀"], [1]).lookUp(normalized("\ud840-\udc00", changed)), -1);
  assert.deepEqual(tokens("tr", "IŞIK’ta"), ["ışık'ta"]);
});

test("English is cut at what isn't of words", () => {
  const text = "Don’t -- stop, 'John's'  '' naïve_café\u200dé 3.5 \ud800x\n“ok”";
  assert.deepEqual(tokenizerOf(ENGLISH, ["o"], [1]).tokenize(text), ["don't", "stop", "'john's'", "naïve", "caféé", "3", "5", "x", "ok"]);
});

test("French words before others are words of their own", () => {
  assert.deepEqual(tokens("fr", "L’Homme qu'il n'l''a d'accord l'"), ["l'", "homme", "qu'", "il", "n'", "l'", "'a", "d'accord", "l'"]);
  assert.deepEqual(tokens("fr", "''l'homme' aujourd’hui donne-moi"), ["l'", "homme'", "aujourd'hui", "donne-moi"]);
  const tokenizer = tokenizerOf(writingOf(LANGUAGES["fr"]!.writing), ["donne", "coeur", "que", "je", "n'"], [1, 1, 1, 1, 1]);
  const words = ["donne-moi", "Cœur", "qu'", "j", "n'", "n", "œ", "donne-moi-moi"];
  assert.deepEqual(words.map((word) => tokenizer.lookUp(tokenizer.normalize(word))), [0, 1, 2, 3, 4, -1, -1, 0]);
});

test("a joiner joins where it stands alone between word characters", () => {
  assert.deepEqual(tokens("fa", "می\u200cخواهم \u200cکتاب\u200c كتاب\u200c\u200cها"), ["می\u200cخواهم", "کتاب", "کتاب", "ها"]);
  assert.deepEqual(tokens("fr", "-a-b--c-"), ["a-b", "c"]);
  assert.deepEqual(tokens("fr", "a-'-b '-'"), ["a-'-b"]);
  const tokenizer = tokenizerOf(writingOf(LANGUAGES["fa"]!.writing), ["کتاب", "میخواهم"], [1, 1]);
  assert.deepEqual(["کتاب\u200cها", "می\u200cخواهم"].map((token) => tokenizer.lookUp(token)), [0, 1]);
});

test("a compound has two words of the vocabulary", () => {
  const words = ["arbeit", "zimmer", "arbeits", "bund", "bunde", "tag", "stag", "stage", "estage"];
  assert.deepEqual(tokens("de", "'Arbeitszimmer' Arbeit Zimmerarbeit Arbeitzimmerarbeit", words), ["arbeits", "zimmer", "arbeit", "zimmer", "arbeit", "arbeitzimmerarbeit"]);
  assert.deepEqual(tokens("de", "'Arbeitszimmer'", words.filter((word) => word !== "arbeits")), ["arbeit", "zimmer"]);
  assert.deepEqual(tokens("de", "Arbeitszimmer", words, [9, 9, 2, 1, 1, 1, 1, 1, 1]), ["arbeit", "zimmer"]);
  // "tag" is too short; the longest first part among equal costs, then the first link.
  assert.deepEqual(tokens("de", "Bundestag Bundstage", words), ["bunde", "stag", "bund", "stage"]);
  assert.deepEqual(tokens("de", "bundestage", ["bund", "stage", "tage"]), ["bund", "tage"]);
  assert.deepEqual(tokens("de", "bundestage", ["bund", "estage", "tage"]), ["bund", "estage"]);
  assert.deepEqual(tokens("de", `${"arbeit".repeat(43)} x`, [..."arbeit"]), ["arbeit".repeat(43), "x"]); // more than 256 code points
});

test("a script without spaces is cut into its most probable words", () => {
  assert.deepEqual(tokens("zh", "研究生命的起源，ABC酒店很好x研究"), ["研究", "生命", "的", "起源", "abc", "酒店", "很好", "x", "研究"]);
  assert.deepEqual(tokens("zh", "研究生命", ["研究", "研究生", "命", "生命"], [1, 40, 40, 1]), ["研究生", "命"]);
  assert.deepEqual(tokens("zh", "很研究好很", ["研究"]), ["很", "研究", "好很"]);
  assert.deepEqual(tokens("zh", "研究 '研究'a", ["研究"]), ["研究", "研究", "'a"]);
  assert.deepEqual(tokens("ja", "カ\u3099ー・東京", ["ガー", "東京"]), ["ガー", "東京"]);
  assert.deepEqual(tokens("zh", "好".repeat(33), ["好".repeat(32), "x"]), ["好", "好".repeat(32)]);
  assert.deepEqual(tokens("zh", "好".repeat(33), ["好".repeat(33), "x"]), ["好".repeat(33)]); // unknown ones
  // A word isn't found across the end of 1,024 code points, of two or four bytes.
  const long = "\u{20000}".repeat(1023);
  assert.deepEqual(tokens("zh", `${long}研究研究`), ["\u{20000}", ...Array(1022).fill("\u{20000}"), "研究研究".slice(0, 1), "究", "研究"]);
  assert.deepEqual(tokens("zh", `${"好".repeat(1023)}研究`, ["研究", "的"]), ["好".repeat(1023) + "研", "究"]);
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

test("an irregular word is the last candidate", () => {
  const writing = { ...LANGUAGES["fr"]!.writing, irregular: { an: "bn", bn: "an", "c-le": "dn" } };
  const lookUp = (word: string, words: string[]): number => tokenizerOf(writingOf(writing), words, [1, 1]).lookUp(word);
  assert.deepEqual([lookUp("an", ["x", "an"]), lookUp("an", ["x", "bn"]), lookUp("an-moi", ["x", "bn"])], [1, 1, 1]);
  assert.deepEqual([lookUp("c-le-moi", ["x", "dn"]), lookUp("c-le-moi", ["x", "c"]), lookUp("an", ["x", "y"])], [1, -1, -1]);
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

test("a stretch has the tokens that it has alone", () => {
  const tokenizer = tokenizerOf({ ...ENGLISH, joiners: ["-"], unspaced: [{ first: 0x4e00, last: 0x9fff }] }, ["你"], [1]);
  assert.deepEqual(tokenizer.tokenize("hauss-你-b"), ["hauss", "你", "b"]);
});

test("200,000 words without a space are cut", () => {
  const tokenizer = tokenizerOf({ ...ENGLISH, unspaced: [{ first: 0x4e00, last: 0x9fff }] }, ["你", "我"], [1, 1]);
  assert.equal(tokenizer.tokenize("你我".repeat(100_000)).length, 200_000);
});
