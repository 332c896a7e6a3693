/** What Python makes of every code point, in a file of its own: it takes long, and runs only the tokenizer. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ENGLISH } from "../src/writing.js";
import { inWork, onWork, tokenizerOf } from "./cases.js";

test("every code point", onWork, () => {
  const bytes = readFileSync(inWork("exchange/python-characters.bin"));
  assert.equal(bytes.length, 4 * 0x110000);
  const tokenizer = tokenizerOf(ENGLISH, [], []);
  for (let code = 0; code < 0x110000; code++) {
    const character = String.fromCodePoint(code);
    const [normalized, ...others] = tokenizer.normalize(character);
    const isSeparator = tokenizer.tokenize(`${character}x`).join(" ") === "x";
    const actual = others.length ? -2 : !normalized ? -3 : isSeparator ? -1 : normalized.codePointAt(0)!;
    assert.equal(actual, bytes.readInt32LE(4 * code), `U+${code.toString(16)}`);
  }
});
