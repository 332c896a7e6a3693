/**
 * Reports two days' words, and sends them: `tests/web/receiver.py` runs it against `examples.receiver`.
 *
 *     node tests/web/report.mjs DIST BUNDLE FOLDER URL EXAMPLE
 *
 * Answers get lost at first, so the same batches are sent again.
 */

import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [dist, bundlePath, folder, url, example] = process.argv.slice(2);
const from = (name) => import(pathToFileURL(join(dist, name)));
const { Consent, Counts, HttpsTransport, Memory, Outbox, PrivacyBudget, Reporter, Uploader } = await from("index.js");
const { FileStorage, openFolder } = await from("node.js");

const DAY = 24 * 3600;
const stored = (name) => new FileStorage(join(folder, name));
let days = 0;
const bundle = await openFolder(bundlePath);
const budget = new PrivacyBudget(500, DAY, stored("budget.json"));
const outbox = new Outbox(stored("outbox"), { time: () => Date.now() + days * DAY * 1000 });
const consent = new Consent(stored("consent"), outbox);
const reporter = new Reporter(new Counts(bundle, { setting: { cap: 9, wordsADay: 20 } }), outbox, { budget });

await consent.give();
for (const text of ["book me a flight to boston", "list the cheapest flights from qzvorblax to denver"]) {
  await consent.whileGiven(() => reporter.add(text.split(" ")).then(() => true));
  days++;
}
const transport = new HttpsTransport(url);
const lossy = {
  post: async (report) => {
    await transport.post(report);
    throw new Error("the answer got lost");
  },
};
const uploads = [
  await new Uploader(outbox, consent, lossy).run(),
  await new Uploader(outbox, consent, transport).run(),
  await new Uploader(outbox, consent, transport).run(),
];
const other = new Counts(bundle, { setting: { cap: 8, wordsADay: 20 } }); // which the receiver doesn't expect
await new Reporter(other, outbox, { budget }).add(["boston"]);
days++;
uploads.push(await new Uploader(outbox, consent, transport).run());
const { days: kept, ...setting } = JSON.parse(example);
const memory = new Memory(kept * DAY, stored("memory"));
await new Reporter(new Counts(bundle, { setting, memory }), outbox, { budget }).add(["boston"]);
days++;
uploads.push(await new Uploader(outbox, consent, transport).run());
const refused = (await outbox.refusedBatches()).map(({ status, report }) => [status, report]);
console.log(JSON.stringify({ uploads, refused, status: await outbox.status(), left: await budget.remaining() }));
