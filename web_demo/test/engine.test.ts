/** The runtime's requirements for an engine, and its alternatives: `tests/web/engines` runs this on several. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { decoded, encoded, hex, unhex } from "../src/bytes.js";
import { BudgetError, BudgetFileError, RandomnessError } from "../src/errors.js";
import { KeyValueStorage, type KeyValueStore } from "../src/keyValueStorage.js";
import { PrivacyBudget } from "../src/privacyBudget.js";
import { systemRandom } from "../src/randomness.js";
import { TestClock } from "./support.js";

/** A store in this process, slower than its caller. */
class Strings implements KeyValueStore {
  readonly values = new Map<string, string>();

  async getItem(key: string): Promise<string | null> {
    await undefined;
    return this.values.get(key) ?? null;
  }

  async setItem(key: string, value: string): Promise<void> {
    await undefined;
    this.values.set(key, value);
  }
}

test("UTF-8 is read strictly, and written without halves", () => {
  for (const [text, digits] of [["", ""], ["a\0é", "6100c3a9"], ["€👍", "e282acf09f918d"], ["\ufeffx", "efbbbf78"], ["%41", "253431"]] as const) {
    assert.equal(hex(encoded(text)), digits);
    assert.equal(decoded(unhex(digits)), text);
  }
  for (const half of ["\ud83d", "\udc4d"]) assert.equal(hex(encoded(`a${half}b`)), "61efbfbd62");
  for (const wrong of ["ff", "c3", "c080", "e08080", "eda080", "f0808080", "f4908080", "80", "c328", "f8888080", "61c3"]) {
    assert.throws(() => decoded(unhex(wrong)), Error);
  }
});

/** As where no package brings `crypto.getRandomValues` to React Native. */
test("without the system's random bytes nothing is released", () => {
  const own = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  Reflect.deleteProperty(globalThis, "crypto");
  try {
    assert.throws(() => systemRandom(8), RandomnessError);
  } finally {
    if (own) Object.defineProperty(globalThis, "crypto", own);
  }
});

test("a store of strings keeps a budget, whoever opens it", async () => {
  const store = new Strings();
  const clock = new TestClock(true);
  const budgetOf = () => new PrivacyBudget(4, 3600, new KeyValueStorage("budget", store), { clock: clock.read });
  const spend = (): Promise<number> => budgetOf().spend(1, 1, "u").then(() => 1, (error) => (assert.ok(error instanceof BudgetError), 0));
  const spent = await Promise.all(Array.from({ length: 10 }, spend)); // at the same time
  assert.equal(spent.reduce<number>((sum, each) => sum + each, 0), 4);
  assert.equal(await budgetOf().remaining(), 0);
  assert.ok(/^([0-9a-f]{2})+$/.test(store.values.get("budget")!));
  assert.equal(await new PrivacyBudget(4, 3600, new KeyValueStorage("other", store), { clock: clock.read }).remaining(), 4);
  for (const damaged of ["", "7b", "7", "{}", store.values.get("budget")!.slice(2)]) {
    store.values.set("budget", damaged);
    await assert.rejects(budgetOf().remaining(), BudgetFileError, damaged);
  }
});

test("a store that fails releases nothing", async () => {
  const failing = async (): Promise<never> => Promise.reject(new Error("disk full"));
  const store: KeyValueStore = { getItem: async () => null, setItem: failing };
  const budget = new PrivacyBudget(4, 3600, new KeyValueStorage("budget", store), { clock: new TestClock(true).read });
  await assert.rejects(budget.spend(1, 1, "u"), BudgetFileError, "full");
});
