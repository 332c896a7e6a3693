/** Words for counts: the facts that the golden cases don't cover. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { eightBytes, hex } from "../src/bytes.js";
import { Counts } from "../src/counts.js";
import { keepThreshold } from "../src/exact.js";
import { openFolder } from "../src/folder.js";
import { systemRandom } from "../src/randomness.js";
import { remembering, SAMPLE, Script } from "./cases.js";

const bundle = await openFolder(SAMPLE);

/** The duration then doesn't reveal a kept word. */
test("a kept word takes as many numbers as another", async () => {
  const threshold = keepThreshold(9, bundle.size + 1);
  for (const number of [0n, threshold - 1n, threshold, (1n << 63n) - 1n]) {
    const script = new Script(hex(eightBytes(number, 7n, 0n)));
    const released = await new Counts(bundle, { setting: { cap: 9 }, random: script.source }).word("The");
    assert.equal(released, number < threshold ? "the" : bundle.vocabulary.word(7));
    assert.equal(script.left, 8);
  }
});

/** One of its own would be a pseudonym. Ten equal symbols of 20,001. False alarm: 1e-38. */
test("unknown words share one first draw", async () => {
  const typed = [...Array.from({ length: 10 }, (_, i) => `qzvorblax${i}`), "", "two words", "\ud800"];
  const firsts = new Set<string>();
  for (let time = 0; time < 10; time++) {
    const memory = remembering(1, hex(systemRandom(32)));
    const released = new Set(await new Counts(bundle, { setting: { cap: 1e-9 }, memory, secondCap: 88 }).words(typed));
    assert.equal(released.size, 1);
    firsts.add([...released][0]!);
  }
  assert.ok(firsts.size > 1);
});
