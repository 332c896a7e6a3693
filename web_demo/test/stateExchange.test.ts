/** Python's states are read and continued, and the reverse: `tests/phones/exchange.py` looks at these. */

import assert from "node:assert/strict";
import { copyFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FileStorage } from "../src/fileStorage.js";
import { Memory } from "../src/memory.js";
import { PrivacyBudget } from "../src/privacyBudget.js";

const work = process.env["BRR_WORK"];
const DAY = 24 * 3600;
const options = { skip: work ? false : "BRR_WORK names no folder of cases" };
const inExchange = (name: string) => join(work!, "exchange", name);

test("a budget that Python began goes on", options, async () => {
  const own = inExchange("web-budget.json");
  copyFileSync(inExchange("python-budget.json"), own);
  const { unit } = JSON.parse(readFileSync(own, "utf8"));
  const budget = new PrivacyBudget(10, DAY, new FileStorage(own));
  assert.equal(await budget.remaining(), 9.7);
  await budget.spend(0.35, 2, unit);
  assert.equal(await budget.remaining(), 9);
});

test("Python's memory is read, and this one's has the same form", options, async () => {
  const pythons = inExchange("python-memory.json");
  const before = readFileSync(pythons, "utf8");
  assert.equal((await new Memory(DAY, new FileStorage(pythons)).key()).number, 1);
  assert.equal(readFileSync(pythons, "utf8"), before);
  const own = inExchange("web-memory.json");
  rmSync(own, { force: true });
  assert.equal((await new Memory(DAY, new FileStorage(own)).key()).number, 1);
});
