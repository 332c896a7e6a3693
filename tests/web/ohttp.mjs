/**
 * A device that sends a day's words over Oblivious HTTP: `tests/web/ohttp.py` runs it.
 *
 *     node tests/web/ohttp.mjs WEB BUNDLE FOLDER RELAY KEYS RECEIVER CAP WORDS
 *
 * WEB: the folder with `dist` and `out`. Prints what became of the upload, what still waits, and what was posted.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [web, bundlePath, folder, relay, keys, receiver, cap, words] = process.argv.slice(2);
const from = (name) => import(pathToFileURL(join(web, name)));
const { Consent, Counts, Outbox, Reporter, Uploader } = await from("dist/index.js");
const { FileStorage, openFolder } = await from("dist/node.js");
const { OhttpTransport } = await from("out/ohttp/transport.js");

const DAY_MS = 24 * 3600 * 1000;
let days = 0;
const stored = (name) => new FileStorage(join(folder, name));
const outbox = new Outbox(stored("outbox"), { time: () => Date.now() + days * DAY_MS });
const consent = new Consent(stored("consent"), outbox);
const counts = new Counts(await openFolder(bundlePath), { setting: { cap: Number(cap), wordsADay: 20 } });
await consent.give();
await new Reporter(counts, outbox).add(Array(Number(words)).fill("the"));
days++;
const transport = new OhttpTransport(relay, readFileSync(keys), receiver);
const posted = [];
const kept = {
  post: (report) => {
    posted.push(new TextDecoder().decode(report));
    return transport.post(report);
  },
};
const upload = await new Uploader(outbox, consent, kept).run();
const { batches } = await outbox.status();
console.log(JSON.stringify({ upload, batches, posted }));
