/** Links hold a text and a setting, and give back nothing else. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { WordBundle } from "../../src/wordBundle.js";
import { fragmentOf, linkedIn } from "../link.js";
import { startOf, type Choice } from "../setting.js";

const { BRR_SAMPLE: sample = "" } = process.env;
const bundle = await WordBundle.of({
  manifest: readFileSync(`${sample}/manifest.json`),
  index: readFileSync(`${sample}/index.safetensors`),
  randomizer: readFileSync(`${sample}/randomizer.tflite`),
});
const start = startOf(bundle);

test("what a link holds comes back", () => {
  for (const text of ["will it rain?", "", "a&b=c#d %41+ ñ 研究\n👍"]) {
    for (const other of [{}, { cap: null }, { cap: 7.5, base: "unigram" }, { mechanism: "brr", epsilon: 0.123 }, { passing: true }] as Partial<Choice>[]) {
      const linked = { text, secret: `${text} b`, choice: { ...start, ...other } };
      assert.deepEqual(linkedIn(fragmentOf(linked), bundle), linked);
    }
  }
});

test("a link that isn't one of this page's gives nothing", () => {
  const fragment = fragmentOf({ text: "a", secret: "", choice: start });
  const changed = (name: string, value: string): string => {
    const fields = new URLSearchParams(fragment.slice(1));
    fields.set(name, value);
    return `#${fields}`;
  };
  const wrong = [
    ["mechanism", "other"], ["base", "other"], ["epsilon", "0"], ["epsilon", "x"], ["epsilon", ""], ["epsilon", "23"],
    ["radius", "-1"], ["radius", "1.5"], ["radius", "9999"], ["cap", "0"], ["cap", "89"], ["cap", ""],
  ] as const;
  for (const [name, value] of wrong) assert.equal(linkedIn(changed(name, value), bundle), null, `${name} ${value}`);
  for (const odd of ["", "#", "#typed", "#text=a", fragment.replace("text=", "no="), fragment.replace("secret=", "no=")]) assert.equal(linkedIn(odd, bundle), null);
});
