/** Files that aren't those of the manifest, though `tests/phones/hostile.py` didn't run. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { BundleError } from "../src/errors.js";
import { WordBundle } from "../src/wordBundle.js";
import { SAMPLE } from "./cases.js";

const LAST = { "manifest.json": 10, "index.safetensors": 300_000, "randomizer.tflite": 1000 };

for (const [damaged, place] of Object.entries(LAST)) {
  test(`a bit of ${damaged} that fell over is noticed`, async () => {
    const read = async (name: string): Promise<Uint8Array> => {
      const content = new Uint8Array(readFileSync(join(SAMPLE, name)));
      if (name === damaged) content[place]! ^= 1;
      return content;
    };
    await assert.rejects(WordBundle.open({ path: "b", read }), BundleError);
    // A graph is code: no other one is taken, even where nothing is compared with the manifest.
    if (damaged === "randomizer.tflite") {
      await assert.rejects(WordBundle.open({ path: "b", read }, { verifyHashes: false }), /randomizer\.tflite: not the/);
    }
  });
}
