/** Spends an eighth a number of times, or until the limit. Appends a byte to a file after each. */

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
