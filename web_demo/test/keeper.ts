/** Puts words into an outbox, prints each one, and waits to be killed. */

import { writeSync } from "node:fs";
import { FileStorage } from "../src/fileStorage.js";
import { Outbox } from "../src/outbox.js";
import { systemRandom } from "../src/randomness.js";
import { KEPT_AT } from "./support.js";

const [path, prefix] = process.argv.slice(2) as [string, string];
const outbox = new Outbox(new FileStorage(path), { time: () => KEPT_AT }); // in one day
for (let word = 0; word < 200; word++) {
  await outbox.add({ bundle: "b", setting: "counts" }, 1000, 1, systemRandom, async () => [`${prefix}-${word}`]);
  writeSync(1, `${prefix}-${word}\n`);
}
setInterval(() => undefined, 1000);
