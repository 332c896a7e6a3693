/** The page's results for the sample's settings, compared with Python's: BRR_PLAYGROUND contains these. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { WordBundle } from "../../src/wordBundle.js";
import { seeded, type Estimate } from "../attack.js";
import { channelsOf } from "../channels.js";
import { measurer, type Measured } from "../measuring.js";
import { described, mechanismOf, startOf, type Choice } from "../setting.js";

interface Numbers extends Partial<Choice> {
  readonly effective_epsilon: number;
  readonly unchanged: Estimate;
  readonly attacks: Record<Measured["attacker"], { success: Estimate; worst: number | null }>;
}

const { BRR_PLAYGROUND: numbers = "", BRR_SAMPLE: sample = "" } = process.env;
const bundle = await WordBundle.of({
  manifest: readFileSync(`${sample}/manifest.json`),
  index: readFileSync(`${sample}/index.safetensors`),
  randomizer: readFileSync(`${sample}/randomizer.tflite`),
});
const number = seeded();
const measure = measurer(bundle, channelsOf(bundle), (size) => Uint8Array.from({ length: size }, () => 256 * number()));

function near(found: number, expected: number): void {
  assert.ok(Math.abs(found - expected) < 1e-9, `${found} ${expected}`);
}

/** Intervals of 95%, three times as wide: that they miss isn't luck. */
function overlap(found: Estimate, expected: Estimate): void {
  assert.ok(found.low <= found.value && found.value <= found.high);
  const shown = JSON.stringify([found, expected]);
  const wider = found.high - found.low + expected.high - expected.low;
  assert.ok(found.low <= expected.high + wider && expected.low <= found.high + wider, shown);
  assert.ok(found.high - found.low < 0.2, shown);
}

for (const { effective_epsilon, unchanged, attacks, ...setting } of JSON.parse(
  readFileSync(`${numbers}/playground.json`, "utf8"),
) as Numbers[]) {
  const choice = { mechanism: "exponential", epsilon: 1, radius: 8, base: "unigram", cap: null, task_weight: null, t: null, ...setting } as Choice;

  test(`${described(choice)}, as in Python`, () => {
    assert.equal(mechanismOf(bundle, choice).effectiveEpsilon, effective_epsilon);
    const steps = [...measure(choice)];
    const { measured } = steps.at(-1)!;
    assert.ok(measured !== null);
    const expected = attacks[measured.attacker];
    overlap(measured.unchanged, unchanged);
    if (choice.mechanism !== "exponential") {
      assert.equal(measured.attacker, "isolated");
      overlap(measured.success, expected.success);
      return;
    }
    assert.equal(measured.attacker, choice.base === "uniform" ? "isolated" : "frequencies");
    near(measured.success.value, expected.success.value);
    near(measured.success.worst!, expected.worst!);
    const other = measured.attacker === "isolated" ? "frequencies" : "isolated";
    near(measured.other!, attacks[other].success.value);
    const sampled = steps.flatMap((step) => (step.measured?.how === "sampled" ? [step.measured.success] : []));
    assert.ok(sampled.at(-1)!.from >= 1000);
    overlap(sampled.at(-1)!, expected.success);
  });
}

test("what was measured of single words is stated at once, and nothing else is", () => {
  const share = { value: 0.2, low: 0.2, high: 0.2 };
  const words = { attacker: "frequencies", over: "all", text: null, unchanged: share, attackSuccess: share, worst: share };
  const { size, wordBits, taskBits, masses, policy } = bundle;
  for (const [measured, epsilon, how] of [
    [words, 1, "stated"], [words, 2, undefined], [{ ...words, text: "typed.txt" }, 1, undefined], [null, 1, undefined],
  ] as const) {
    const recommended = { mechanism: "exponential", epsilon: 1, parameters: {}, measured };
    const stating = { size, wordBits, taskBits, masses, policy, recommended } as unknown as WordBundle;
    const [first] = measurer(stating, channelsOf(bundle))({ ...startOf(stating), epsilon });
    assert.equal(first!.measured?.how, how);
  }
});
