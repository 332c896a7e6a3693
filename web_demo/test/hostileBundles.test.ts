/**
 * The bundles that the Python runtime's tests open: those that it refuses are refused here, for the same file and the
 * same field (`tests/phones/hostile.py`).
 */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { Counts } from "../src/counts.js";
import { BrrError, BundleError } from "../src/errors.js";
import { openFolder } from "../src/folder.js";
import { Privatizer } from "../src/privatizer.js";
import { WordBundle } from "../src/wordBundle.js";
import { casesOf, has, inWork, onWork } from "./cases.js";

/** Returns the error that a folder is refused with; null if it is opened. */
async function refusal(folder: string, verifyHashes: boolean): Promise<BrrError | null> {
  try {
    const { size } = await openFolder(folder, { verifyHashes });
    assert.ok(size >= 2);
    return null;
  } catch (error) {
    assert.ok(error instanceof BundleError, `${folder}: ${error}`);
    return error;
  }
}

const fileIn = (message: string): string => message.split(": ")[0]!;

/** Returns the names of fields and tensors in a message. */
const quotedIn = (message: string): string[] => message.match(/'[^']*'/g) ?? [];

test("what Python opens is opened, what it refuses is refused", onWork, async () => {
  const cases = casesOf("hostile/cases.jsonl");
  let [opened, refused, worded] = [0, 0, 0];
  for (const { bundle, verify_hashes, error } of cases) {
    const folder = inWork("hostile", bundle);
    const found = await refusal(folder, verify_hashes);
    if (error === null) {
      assert.equal(found, null, found?.message);
      opened++;
      continue;
    }
    assert.ok(found, `${folder}: ${error}`);
    const message = found.message.replace(folder, "BUNDLE");
    assert.ok(message.length <= 400 && !message.includes("\n"), message);
    assert.equal(fileIn(message), fileIn(error));
    assert.deepEqual(quotedIn(message), quotedIn(error), `${message}\n${error}`);
    if (message === error) worded++;
    refused++;
  }
  assert.ok(opened >= 10 && refused >= 400, `${opened} opened, ${refused} refused`);
  assert.ok(worded >= 0.9 * refused, `only ${worded} of ${refused} messages are Python's`);
});

/** New ones in the nightly tests; earlier findings are among the others. */
test("the verdict on mutants is Python's", has("mutants.jsonl"), async () => {
  const [base, ...mutants] = casesOf("mutants.jsonl");
  let opened = 0;
  for (const [number, mutant] of mutants.entries()) {
    const files = { ...base.base, ...mutant.files };
    assert.equal(await verdict(files, mutant.verify_hashes), mutant.verdict, `mutant ${number}`);
    if (mutant.verdict.startsWith("opened")) opened++;
  }
  assert.ok(10 * opened > mutants.length, `${mutants.length} mutants, ${opened} opened`);
});

async function verdict(files: Record<string, string | null>, verifyHashes: boolean): Promise<string> {
  let bundle: WordBundle;
  try {
    const read = async (name: string): Promise<Uint8Array | null> => {
      const content = files[name];
      return content ? new Uint8Array(Buffer.from(content, "base64")) : null;
    };
    bundle = await WordBundle.open({ path: "mutant", read }, { verifyHashes });
  } catch (error) {
    assert.ok(error instanceof BundleError, String((error as Error).stack));
    assert.ok(error.message.length <= 400);
    return "refused";
  }
  const { vocabulary } = bundle;
  const words = Array.from({ length: bundle.size }, (_, id) => vocabulary.word(id));
  for (const word of words) {
    const found = vocabulary.find(word);
    assert.ok(found < 0 || words[found] === word);
  }
  bundle.tokenize(words.join(" "));
  for (const mechanism of bundle.listOf ? [] : ["brr", "vickrey", "exponential"]) {
    const released = await new Privatizer(bundle, { setting: { epsilon: 1, mechanism } }).word(words[0]!);
    assert.ok(words.includes(released!));
  }
  const counted = await new Counts(bundle, { setting: { cap: 1 } }).words([words[0]!, "qqqq"]);
  assert.ok(counted.every((word) => word === "" || words.includes(word)));
  const sha256 = createHash("sha256").update(words.map((word) => `${word}\n`).join(""));
  return `opened: ${bundle.bits} bits, ${settingOf(bundle)}, ${sha256.digest("hex")}`;
}

/** Tells whether a bundle recommends a setting, and one that this version knows. */
function settingOf(bundle: WordBundle): string {
  try {
    return new Privatizer(bundle) && "recommended";
  } catch (error) {
    assert.ok(error instanceof BrrError);
    return error.kind === "bundle" ? "recommended, unknown" : "none recommended";
  }
}
