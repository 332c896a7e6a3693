/** Arguments from plain JavaScript that TypeScript wouldn't allow: one clear error, and nothing is ignored. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Consent } from "../src/consent.js";
import { Counts } from "../src/counts.js";
import type { BrrError } from "../src/errors.js";
import { openFolder } from "../src/folder.js";
import { Memory } from "../src/memory.js";
import { Outbox } from "../src/outbox.js";
import { PrivacyBudget } from "../src/privacyBudget.js";
import { Privatizer } from "../src/privatizer.js";
import { Reporter } from "../src/reporter.js";
import { TextReporter } from "../src/textReporter.js";
import { HttpsTransport } from "../src/transport.js";
import { Uploader } from "../src/uploader.js";
import { startWorker } from "../src/worker/client.js";
import { WordBundle } from "../src/wordBundle.js";
import { SAMPLE } from "./cases.js";
import { TestStorage } from "./support.js";

type Made = (...values: unknown[]) => unknown;
const made = (Class: unknown): Made => (...values) => new (Class as new (...values: unknown[]) => unknown)(...values);

const bundle = await openFolder(SAMPLE);
const state = new TestStorage();
const outbox = new Outbox(state);
const consent = new Consent(state, outbox);
const counts = new Counts(bundle, { setting: { cap: 9 } });
const transport = new HttpsTransport("https://a.example/");

/** Each with its requirements, and then its options. */
const OPTIONS: Record<string, Made> = {
  "Privatizer": (options) => made(Privatizer)(bundle, options),
  "Counts": (options) => made(Counts)(bundle, options),
  "Reporter": (options) => made(Reporter)(counts, outbox, options),
  "TextReporter": (options) => made(TextReporter)(bundle, outbox, options),
  "PrivacyBudget": (options) => made(PrivacyBudget)(1, 60, state, options),
  "Memory": (options) => made(Memory)(60, state, options),
  "Outbox": (options) => made(Outbox)(state, options),
  "Uploader": (options) => made(Uploader)(outbox, consent, transport, options),
  "WordBundle.open": (options) => WordBundle.open("https://a.example/", options as object),
  "startWorker": (options) => startWorker(options as never, {} as Worker),
};

/** What is of another kind, each with what it must be. */
const KINDS: [Made, unknown[], RegExp][] = [
  [made(Privatizer), [undefined], /^bundle must be a WordBundle$/],
  [made(Privatizer), [SAMPLE, { setting: { epsilon: 1 } }], /^bundle must be a WordBundle$/],
  [made(Privatizer), [bundle, { budget: {} }], /^budget must be a PrivacyBudget$/],
  [made(Privatizer), [bundle, { budget: 300 }], /^budget must be a PrivacyBudget$/],
  [made(Privatizer), [bundle, { memory: {} }], /^memory must be a Memory$/],
  ...[null, 0.6, "exponential", []].flatMap((setting): typeof KINDS => [
    [made(Privatizer), [bundle, { setting }], Array.isArray(setting) ? /^epsilon must be a number/ : /^setting must be an object$/],
    [made(Counts), [bundle, { setting }], Array.isArray(setting) ? /^cap must be a number/ : /^setting must be an object$/],
  ]),
  [made(Privatizer), [bundle, { setting: { epsilon: 1, parameters: 8 } }], /^parameters must be an object$/],
  [made(Privatizer), [bundle, { epsilon: 1 }], /^Privatizer takes no 'epsilon'$/],
  [made(Privatizer), [bundle, { setting: { epsilon: 1, radius: 8 } }], /^Setting takes no 'radius'$/],
  [made(Counts), [bundle, { cap: 9 }], /^Counts takes no 'cap'$/],
  [made(Counts), [bundle, { setting: { cap: 9, words_a_day: 1 } }], /^CountsSetting takes no 'words_a_day'$/],
  [made(Reporter), [counts, outbox, { wordsADay: 1 }], /^Reporter takes no 'wordsADay'$/],
  [made(Counts), [null, { setting: { cap: 9 } }], /^bundle must be a WordBundle$/],
  [made(Counts), [bundle, { setting: { cap: 9 }, memory: {} }], /^memory must be a Memory$/],
  [made(Reporter), [bundle, outbox], /^counts must be a Counts$/],
  [made(Reporter), [counts, state], /^outbox must be an Outbox$/],
  [made(Reporter), [counts, outbox, { budget: 5 }], /^budget must be a PrivacyBudget$/],
  [made(TextReporter), [counts, outbox], /^bundle must be a WordBundle$/],
  [made(TextReporter), [bundle, state], /^outbox must be an Outbox$/],
  [made(TextReporter), [bundle, outbox, { budget: 5 }], /^budget must be a PrivacyBudget$/],
  [made(TextReporter), [bundle, outbox, { memory: {} }], /^TextReporter takes no 'memory'$/],
  [made(TextReporter), [bundle, outbox, { setting: 1 }], /^setting must be an object$/],
  [made(PrivacyBudget), [1, 60, "budget.json"], /^state must be a Storage$/],
  [made(PrivacyBudget), [1, 60], /^state must be a Storage$/],
  [made(Memory), [60, "memory.json"], /^state must be a Storage$/],
  [made(Memory), [60, state, { vault: "vault" }], /^vault must be a KeyVault$/],
  [made(Outbox), ["outbox"], /^state must be a Storage$/],
  [made(Outbox), [state, { vault: {} }], /^vault must be a KeyVault$/],
  [made(Outbox), [state, { limits: { batches: 5 } }], /^an outbox's limits must be above 0$/],
  [made(Consent), [null], /^state must be a Storage$/],
  [made(Consent), [state, {}], /^outbox must be an Outbox$/],
  [made(Uploader), [state, consent, transport], /^outbox must be an Outbox$/],
  [made(Uploader), [outbox, true, transport], /^consent must be a Consent$/],
  [made(Uploader), [outbox, consent, "https://a.example/"], /^transport must be a Transport$/],
  [made(Uploader), [outbox, consent, transport, {}, counts], /^texts must be a TextReporter$/],
  [(source) => WordBundle.open(source as string), [undefined], /^source must be a URL/],
  [(source) => WordBundle.open(source as string), [{}], /^source must be a URL/],
  [(path) => openFolder(path as string), [undefined], /^openFolder takes the path/],
];

async function refused(action: () => unknown, message: RegExp): Promise<void> {
  await assert.rejects(async () => action(), (error: BrrError) => {
    assert.equal(error.kind, "parameter", error.stack);
    assert.match(error.message, message);
    return true;
  });
}

for (const [owner, make] of Object.entries(OPTIONS)) {
  test(`${owner} refuses options that aren't`, async () => {
    for (const options of [0.5, null, "epsilon", true]) await refused(() => make(options), /^options must be an object$/);
  });
}

test("an object of another kind is refused, by its name", async () => {
  for (const [make, values, message] of KINDS) await refused(() => make(...values), message);
});

test("what an option may be is taken", () => {
  for (const owner of ["Privatizer", "PrivacyBudget", "Memory", "Outbox", "Uploader"]) OPTIONS[owner]!(undefined);
  made(Privatizer)(bundle, { setting: undefined, budget: undefined, memory: null, oov: undefined });
  new Outbox(state, { limits: { batches: 1, bytes: 1 } });
});
