/** Spends an eighth as often as it is told, or until the limit; after each, a byte is appended to a file. */

import { appendFileSync } from "node:fs";
import { FileStorage } from "../src/fileStorage.js";
import { PrivacyBudget } from "../src/privacyBudget.js";

const [path, limit, times, released] = process.argv.slice(2) as [string, string, string, string];
const budget = new PrivacyBudget(Number(limit), 1e6, new FileStorage(path));
for (let time = 0; time < Number(times); time++) {
  try {
    await budget.spend(0.125, 1, "u");
  } catch (error) {
    if ((error as { kind: string }).kind !== "budget") throw error;
    break; // the limit is reached
  }
  appendFileSync(released, "1");
}
