/** A manifest's writing rules are as specified, or the bundle is refused. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { encoded } from "../src/bytes.js";
import { BundleError } from "../src/errors.js";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { WordBundle } from "../src/wordBundle.js";
import { ENGLISH } from "../src/writing.js";
import { SAMPLE, writingOf } from "./cases.js";
import { LANGUAGES, type Written } from "./languages.js";

const english = (): Written => ({
  language: "en", replaced: {}, joiners: [], before: [], endings: ["n't", "'s", "'re", "'ve", "'ll", "'d", "'m"],
  shortest_stem: 1, spellings: { "can't": "can", "won't": "will", "shan't": "shall" }, rewritten: [], longest_run: 2, unspaced: [],
  links: [], shortest_part: 4,
});

const many = (count: number, start = 0x4e00): string[] => Array.from({ length: count }, (_, at) => String.fromCodePoint(start + at));
const named = (count: number, value: string): Written => Object.fromEntries(many(count).map((name) => [name, value]));
const longest = "\u{20000}".repeat(64);

test("English is what the page says", () => {
  const { endings, ...read } = writingOf(english());
  const { endings: known, ...others } = ENGLISH;
  assert.deepEqual(read, others);
  assert.deepEqual([...endings].sort(), [...known].sort());
});

test("what is as specified is read", () => {
  const right: Written[] = [
    { language: "x".repeat(64) }, { replaced: named(256, "") }, { replaced: { "\u{20000}": "\u{20000}abc" } },
    { joiners: many(16, 0x2020) }, { joiners: ["\u{1f600}", "."] }, { before: many(64) }, { endings: [...many(255), longest] },
    { shortest_stem: 64 }, { spellings: named(4096, "\u4e00") }, { spellings: { [longest]: longest } }, { rewritten: many(64).map((each) => [each, ""]) },
    { longest_run: 0 }, { longest_run: 64 }, { rewritten: [["a", "b"], ["a", longest], ["b", "a"]] }, { unspaced: [[0, 0], [1, 0x10ffff]] },
    { unspaced: many(64).map((_, at) => [2 * at, 2 * at]) }, { links: ["", "ssss", ...many(6)] }, { shortest_part: 1 },
  ];
  for (const change of right) writingOf({ ...english(), ...change });
  for (const { writing } of Object.values(LANGUAGES)) writingOf(writing);
  assert.deepEqual(writingOf({ ...english(), before: ["a", "abc", "ab"] }).before, ["abc", "ab", "a"]);
});

test("a bundle's language is read from its manifest", async () => {
  const opened = (writing: unknown): Promise<WordBundle> =>
    WordBundle.open({
      path: "b",
      read: async (name) => {
        const content = new Uint8Array(readFileSync(join(SAMPLE, name)));
        if (name !== "manifest.json") return content;
        return encoded(JSON.stringify({ ...JSON.parse(Buffer.from(content).toString()), writing }));
      },
    }, { verifyHashes: false });
  assert.deepEqual((await opened(undefined)).tokenize("l’homme"), ["l'homme"]);
  const french = await opened({ ...LANGUAGES["fr"]!.writing, replaced: { é: "e" } });
  assert.deepEqual(french.tokenize("l’homme"), ["l'", "homme"]);
  assert.equal(french.vocabulary.find("bostoné"), -1);
  assert.ok(french.neighbors("Béston".replace("é", "o")).length === 10);
  await assert.rejects(opened({ ...english(), other: 1 }), (error: Error) => {
    assert.equal(error.message, "b/manifest.json: field 'writing' is missing or wrong; rebuild the bundle");
    return error instanceof BundleError;
  });
});
