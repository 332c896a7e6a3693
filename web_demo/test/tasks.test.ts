/** Task bits: their effect and that of their weight on the mechanism, and their allowed values in a bundle. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { encoded, hex } from "../src/bytes.js";
import { BundleError } from "../src/errors.js";
import { openFolder } from "../src/folder.js";
import { manifestDigest } from "../src/manifest.js";
import { Exponential } from "../src/mechanisms/exponential.js";
import type { Mechanism } from "../src/mechanisms/mechanism.js";
import { Privatizer } from "../src/privatizer.js";
import type { Parameters } from "../src/setting.js";
import { WordBundle } from "../src/wordBundle.js";
import { inWork, onWork } from "./cases.js";
import { seeded } from "./support.js";

const WEIGHTS = [0, 1, 2, 5, 16];
const STATED = { mechanism: "exponential", epsilon: 0.5, goal: "a goal" };

const content = (name: string): Uint8Array => readFileSync(inWork("bundles", "tasks", name));

/** Opens the bundle that has task bits with other fields in its manifest. */
async function opened(fields: object = {}): Promise<WordBundle> {
  const manifest = { ...JSON.parse(new TextDecoder().decode(content("manifest.json"))), ...fields };
  const text = JSON.stringify(manifest);
  return WordBundle.of({
    manifest: encoded(text.replace(manifest.sha256, await manifestDigest(encoded(text), manifest.sha256))),
    index: content("index.safetensors"),
    randomizer: content("randomizer.tflite"),
  });
}

const made = (bundle: WordBundle, parameters: Parameters, epsilon = 0.5): Mechanism =>
  new Exponential(bundle, epsilon, { base: "uniform", ...parameters });

test("a bundle has so many task bits", onWork, async () => {
  const bundle = await opened();
  assert.deepEqual([bundle.bits, bundle.taskBits, bundle.wordBits], [128, 64, 64]);
  const { bits, taskBits, wordBits } = await openFolder(inWork("bundles", "256"));
  assert.deepEqual([bits, taskBits, wordBits], [256, 0, 256]);
});

test("impossible task bits are refused", onWork, async () => {
  for (const task_bits of [0, 1, 63, 65, 128, 192, -64, 64.5, "64", null, true, [64]]) {
    await assert.rejects(opened({ task_bits }), (error: Error) => {
      assert.ok(error instanceof BundleError);
      assert.match(error.message, /^manifest\.json: field 'task_bits' is missing or wrong; rebuild the bundle$/);
      return true;
    });
  }
});

test("by default a task bit counts once, and each weight is another setting", onWork, async () => {
  const bundle = await opened();
  assert.deepEqual(made(bundle, {}).setting, made(bundle, { task_weight: 1, radius: 8 }).setting);
  const settings = WEIGHTS.map((task_weight) => hex(made(bundle, { task_weight }).setting.numbers));
  assert.equal(new Set(settings).size, WEIGHTS.length);
});

test("draws go by the weighted distance", onWork, async () => {
  const bundle = await opened();
  const below = seeded(0);
  const random = (size: number): Uint8Array => Uint8Array.from({ length: size }, () => below(256));
  const taskOf = (id: number): string => String(bundle.index.code(id).subarray(2));
  const released = (task_weight: number, epsilon: number): boolean =>
    made(bundle, { task_weight }, epsilon)
      .release(Array(200).fill(bundle.index.code(0)), -1, random)
      .every((id) => taskOf(id) === taskOf(0));
  assert.ok(released(16, 2)); // nothing that differs in so heavy a bit
  assert.ok(!released(0, 0.2));
});

test("weights and radii out of range are refused", onWork, async () => {
  const bundle = await opened();
  for (const task_weight of [-1, 17, 0.5, NaN, "2", true, null]) {
    assert.throws(() => made(bundle, { task_weight } as Parameters), {
      kind: "parameter", message: "task_weight must be an integer from 0 to 16",
    });
  }
  made(bundle, { radius: 64 });
  assert.throws(() => made(bundle, { radius: 65 }), /radius must be an integer from 0 to 64$/);
  const without = await openFolder(inWork("bundles", "64"));
  assert.throws(
    () => new Privatizer(without, { setting: { epsilon: 1, parameters: { task_weight: 1 } } }),
    { kind: "parameter", message: /^parameter task_weight needs task bits, and the bundle has none; build it with tasks$/ },
  );
});

test("a recommended weight is used, and an impossible one refused", onWork, async () => {
  const recommending = (parameters: object): Promise<WordBundle> => opened({ recommended: { ...STATED, parameters } });
  const bundle = await recommending({ task_weight: 3, base: "uniform" });
  assert.deepEqual(bundle.recommended!.parameters, { task_weight: 3, base: "uniform" });
  const privatizer = new Privatizer(bundle);
  assert.equal(privatizer.effectiveEpsilon, made(bundle, { task_weight: 3 }).effectiveEpsilon);
  for (const task_weight of [-1, 17, 0.5, "1", null]) {
    await assert.rejects(recommending({ task_weight }), /field 'recommended' is missing or wrong/);
  }
  await assert.rejects(recommending({ radius: 65 }), /field 'recommended' is missing or wrong/);
});
