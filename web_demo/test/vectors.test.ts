/** The frozen cases of `spec/vectors` that don't belong to a bundle; the others are in golden.test.ts. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hex, unhex } from "../src/bytes.js";
import { BundleError, ParameterError } from "../src/errors.js";
import { Memory } from "../src/memory.js";
import { openFolder } from "../src/folder.js";
import { checkFlips, checkKeep, checkWeights } from "../src/premises.js";
import { PrivacyBudget } from "../src/privacyBudget.js";
import { tablesOf } from "../src/tables.js";
import { WordBundle } from "../src/wordBundle.js";
import { ENGLISH } from "../src/writing.js";
import { tokenizerOf, writingOf } from "./cases.js";
import { HOUR, TestClock, TestStorage } from "./support.js";
import { conformance, numbersOf, textOf, vectors, type Case } from "./vectors.js";

test("exact numbers", () => {
  const lines = textOf("exact").split("\n");
  for (const [place, each] of vectors("exact")["cases"].entries()) {
    const numbers = numbersOf(each);
    const rounded = Object.entries(numbers).map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value]);
    assert.deepEqual(Object.fromEntries(rounded), each);
    assert.ok(lines[place + 3]!.includes(`"keep_threshold": ${numbers["keep_threshold"]},`)); // beyond 2^53
  }
});

test("integers meet the proofs' premises, or are refused", () => {
  const { weights, flips, keep } = vectors("tables");
  const checks: [holds: boolean, check: () => void][] = [
    ...weights.map(({ holds, weights, epsilon, largest, total, cap }: Case) => [
      holds, () => checkWeights(weights.split(" ").map(BigInt), epsilon, largest, Number(total), cap ?? undefined),
    ]),
    ...flips.map(({ holds, threshold, epsilon }: Case) => [holds, () => checkFlips(threshold, epsilon)]),
    ...keep.map(({ holds, threshold, cap, symbols }: Case) => [holds, () => checkKeep(BigInt(threshold), cap, symbols)]),
  ];
  assert.ok(checks.length >= 40);
  for (const [holds, check] of checks) {
    if (holds) check();
    else assert.throws(check, ParameterError, String(check));
  }
});

test("printed tables", async () => {
  for (const { bundle, manifest, tables } of vectors("tables")["printed"]) {
    assert.equal(tablesOf(await opened(bundle, manifest)), tables);
  }
  await assert.rejects(async () => tablesOf(await openFolder(conformance("list"))), ParameterError);
});

test("texts", () => {
  for (const { writing, vocabulary, masses, list_of, texts } of vectors("tokenizer")["vocabularies"]) {
    const tokenizer = tokenizerOf(writingOf(writing), vocabulary, masses, list_of);
    for (const { text, tokens, words, finished } of texts) {
      const read = tokenizer.read(text);
      assert.deepEqual(read.map((token) => token.text), tokens);
      assert.deepEqual(read.map(({ id }) => (id < 0 ? null : vocabulary[id])), words);
      assert.equal(Array.from(tokenizer.finished(text)).length, finished);
    }
  }
});

test("every code point", () => {
  const tokenizer = tokenizerOf(ENGLISH, [], []);
  const outcome = (code: number): number => {
    const character = String.fromCodePoint(code);
    const [normalized, ...others] = tokenizer.normalize(character);
    if (others.length || !normalized) return normalized ? -2 : -3;
    return tokenizer.tokenize(`${character}x`).join(" ") === "x" ? -1 : normalized.codePointAt(0)!;
  };
  let next = 0;
  for (const { first, last, sha256 } of vectors("tokenizer")["characters"]) {
    assert.equal(first, next);
    const made = Buffer.alloc(4 * (last + 1 - first));
    for (next = first; next <= last; next++) made.writeInt32LE(outcome(next), 4 * (next - first));
    assert.equal(createHash("sha256").update(made).digest("hex"), sha256, `from U+${first.toString(16)}`);
  }
  assert.equal(next, 0x110000);
});

/** However they are read. */
test("a memory's first draws", async () => {
  for (const { file, unit, mechanism, numbers, word, known, bytes } of vectors("memory")["draws"]) {
    const { state, clock } = storing(file);
    const key = await new Memory(1e12, state, { clock: clock.read }).key();
    const draw = key.draw(unit, { mechanism, numbers: unhex(numbers) }, known ? word : null);
    assert.equal([1, 31, 33, 35].map((size) => hex(draw(size))).join(""), bytes);
    assert.equal(state.text, file);
  }
});

/** They are written again as they are. */
test("a budget's states", async () => {
  for (const file of vectors("budget")["states"]) {
    const { state, clock, unit } = storing(file);
    const budget = new PrivacyBudget(1e9, 1e12, state, { clock: clock.read });
    const spent = BigInt(/"spent": ([0-9]+)/.exec(file)![1]!);
    assert.equal(await budget.remaining(), Number(10n ** 18n - spent) / 1e9);
    await budget.spend(1, 0, unit);
    assert.equal(state.writes, 1);
    assert.equal(state.text, file);
  }
});

/** Returns what has a state, at its time, and the unit. */
function storing(file: string): { state: TestStorage; clock: TestClock; unit: string } {
  const { latest, uptime, boot, unit } = JSON.parse(file);
  const state = new TestStorage();
  state.text = file;
  return { state, clock: Object.assign(new TestClock(), { time: latest, uptime, boot }), unit };
}

test("a budget's leases", async () => {
  for (const { limit, releases } of vectors("budget")["leases"]) {
    const state = new TestStorage();
    const budget = new PrivacyBudget(limit, HOUR, state, { clock: new TestClock().read });
    for (const [epsilon, words, stored] of releases) {
      await allows(budget, epsilon, words, "u");
      assert.ok(state.text.includes(`"spent": ${stored},`)); // it can be beyond 2^53
    }
  }
});

test("a budget's histories", async () => {
  for (const { limits, period, steps } of vectors("budget")["histories"]) {
    const [state, clock, budgets] = [new TestStorage(), new TestClock(), new Map<string, PrivacyBudget>()];
    for (const [name, limit] of Object.entries<number>(limits)) {
      budgets.set(name, new PrivacyBudget(limit, period, state, { clock: clock.read }));
    }
    for (const step of steps) {
      [clock.time, clock.uptime, clock.boot] = step.now;
      const budget = budgets.get(step.by)!;
      const allowed = await allows(budget, step.epsilon, step.words, step.unit);
      const left = await budget.remaining();
      assert.deepEqual({ ...step, allowed, left, file: state.content && state.text }, step);
    }
  }
});

async function allows(budget: PrivacyBudget, epsilon: number, words: number, unit: string): Promise<boolean> {
  try {
    await budget.spend(epsilon, words, unit);
    return true;
  } catch (error) {
    assert.equal((error as { kind?: string }).kind, "budget");
    return false;
  }
}

test("manifests are refused", async () => {
  const { bundle, accepted, refused } = vectors("refused-manifests") as Case;
  await opened(bundle, accepted);
  assert.ok(refused.length >= 280);
  for (const { wrong, manifest } of refused) await assert.rejects(opened(bundle, manifest), BundleError, wrong);
});

/** Opens a conformance bundle with another manifest. */
function opened(bundle: string, manifest: string): Promise<WordBundle> {
  const read = async (name: string): Promise<Uint8Array> =>
    name === "manifest.json" ? Buffer.from(manifest) : readFileSync(join(conformance(bundle), name));
  return WordBundle.open({ path: "bundle", read });
}
