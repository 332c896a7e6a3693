/** The sending of batches: only with consent, one after the other, and again if they didn't arrive. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { Consent } from "../src/consent.js";
import { BudgetError, BudgetFileError, ParameterError, type BrrError } from "../src/errors.js";
import { openFolder } from "../src/folder.js";
import { Outbox } from "../src/outbox.js";
import type { PrivacyBudget } from "../src/privacyBudget.js";
import { systemRandom } from "../src/randomness.js";
import { TextReporter } from "../src/textReporter.js";
import { HttpsTransport } from "../src/transport.js";
import { Uploader, waitAfter } from "../src/uploader.js";
import { DAY_MS, TestStorage } from "./support.js";
import { conformance } from "./vectors.js";

const POLICY = { interval: 100, firstBackoff: 4, lastBackoff: 20 };
const SOURCE = { bundle: "5b".repeat(32), setting: "counts" };

const ADDED = [
  "host", "connection", "accept-encoding", "cache-control", "pragma", "sec-fetch-mode", "user-agent",
];

interface Received {
  readonly request: IncomingMessage;
  readonly body: string;
}

let server: Server;
let url: string;
let received: Received[];
let answer: (response: ServerResponse, request: IncomingMessage, time: number) => void;
let outbox: Outbox;
let consent: Consent;
let given: TestStorage;
let now: number;

/** Each test's answers come from a server with a certificate of its own, which this process takes. */
before(async () => {
  process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
  process.removeAllListeners("warning"); // that says so
  const folder = mkdtempSync(join(tmpdir(), "brrkit-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", ...kind, "-subj", "/CN=receiver", "-keyout", key, "-out", cert], { stdio: "ignore" });
  server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => {
      received.push({ request, body });
      answer(response, request, received.length);
    });
  });
  rmSync(folder, { recursive: true });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1/reports`;
});

after(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(async () => {
  received = [];
  answer = (response) => response.writeHead(200).end("{}");
  now = Date.now();
  outbox = new Outbox(new TestStorage(), { time: () => now });
  given = new TestStorage();
  consent = new Consent(given, outbox);
  await consent.give();
  for (const word of ["one", "two", "three"]) await keep(word);
});

/** Keeps a word; its day is over then. */
async function keep(word: string) {
  await outbox.add(SOURCE, 9, 1, systemRandom, async () => [word]);
  now += DAY_MS;
}

const uploader = () => new Uploader(outbox, consent, new HttpsTransport(url), POLICY);
const wordsSent = () => received.map(({ body }) => JSON.parse(body).words[0]);
const status = (code: number, headers = {}) => (response: ServerResponse) => response.writeHead(code, headers).end();

test("what is due arrives, the oldest first, and says nothing of the device", async () => {
  assert.deepEqual(await uploader().run(), { state: "done", sent: 3, refused: 0 });
  assert.deepEqual(wordsSent(), ["one", "two", "three"]);
  assert.equal(new Set(received.map(({ body }) => JSON.parse(body).batch)).size, 3);
  for (const { request } of received) {
    assert.equal(`${request.method} ${request.url}`, "POST /v1/reports");
    // What a version of Node adds is the same on every device.
    const others = Object.keys(request.headers).filter((name) => !ADDED.includes(name)).sort();
    assert.deepEqual(others, ["accept", "accept-language", "content-length", "content-type"]);
    assert.equal(request.headers["accept-language"], "*");
  }
  assert.equal((await outbox.status()).batches, 0);
});

test("without consent nothing is sent, and nothing waits", async () => {
  await consent.withdraw();
  assert.deepEqual(await uploader().run(), { state: "off" });
  assert.equal(received.length, 0);
  assert.equal((await outbox.status()).batches, 0);
});

test("a withdrawal that a crash interrupted is finished, and nothing follows it", async () => {
  answer = (response) => {
    given.content = null; // the outbox isn't emptied yet
    response.writeHead(200).end();
  };
  assert.deepEqual(await uploader().run(), { state: "off" });
  assert.deepEqual(wordsSent(), ["one"]);
  assert.equal((await outbox.status()).batches, 2);
  assert.deepEqual(await uploader().run(), { state: "off" });
  assert.deepEqual(wordsSent(), ["one"]);
  assert.equal((await outbox.status()).batches, 0);
});

test("a batch that is being sent is the last one after consent was withdrawn", async () => {
  answer = async (response) => {
    await consent.withdraw();
    response.writeHead(200).end();
  };
  assert.deepEqual(await uploader().run(), { state: "off" });
  assert.deepEqual(wordsSent(), ["one"]);
});

test("200 to 204 delete a batch; 400, 409, 413 and 422 do so and are counted", async () => {
  for (const [code, sent] of [[200, 1], [201, 1], [204, 1], [400, 0], [409, 0], [413, 0], [422, 0]] as const) {
    await uploader().run();
    received = [];
    await keep("again");
    const { refused } = await outbox.status();
    answer = status(code);
    assert.deepEqual(await uploader().run(), { state: "done", sent, refused: 1 - sent }, `${code}`);
    assert.equal((await outbox.status()).refused, refused + 1 - sent);
    assert.equal((await outbox.status()).batches, 0);
    answer = status(200);
  }
});

/** The app sees refused reports and the reason; they aren't sent again. */
test("what is refused is kept for the app, and isn't sent again", async () => {
  answer = (response, _, time) => response.writeHead([409, 200, 413][time - 1]!).end();
  assert.deepEqual(await uploader().run(), { state: "done", sent: 1, refused: 2 });
  const refused = await outbox.refusedBatches();
  assert.deepEqual(refused.map(({ status }) => status), [409, 413]);
  assert.deepEqual(refused.map(({ report }) => report), [received[0]!.body, received[2]!.body]);
  answer = status(200);
  received = [];
  await keep("later");
  assert.deepEqual(await uploader().run(), { state: "done", sent: 1, refused: 0 });
  assert.deepEqual(wordsSent(), ["later"]);
  await keep("waits");
  await outbox.removeRefused();
  assert.deepEqual(await outbox.refusedBatches(), []);
  const { batches, refused: count } = await outbox.status();
  assert.deepEqual([batches, count], [1, 2], "they stay counted, and what waits stays");
  answer = status(422);
  await uploader().run();
  assert.equal((await outbox.refusedBatches()).length, 1);
  await consent.withdraw();
  assert.deepEqual(await outbox.refusedBatches(), []);
});

test("any other answer keeps the batch, with its id", async () => {
  const answers = [
    status(500), status(503, { "Retry-After": "7" }), status(404), status(429), status(205),
    status(301, { Location: "/elsewhere" }), status(307, { Location: "/elsewhere" }),
    (response: ServerResponse) => void response.destroy(),
    (response: ServerResponse) => void response.writeHead(200, { "Content-Length": "9" }).write("x", () => response.destroy()),
  ];
  const ids = new Set<string>();
  for (const one of answers.slice(0, -1)) {
    received = [];
    answer = one;
    const upload = await uploader().run();
    assert.equal(upload.state, "failed");
    assert.equal(received.length, 1, "no redirection is followed, and no other batch sent");
    ids.add(JSON.parse(received[0]!.body).batch);
    assert.equal((await outbox.status()).batches, 3);
  }
  assert.equal(ids.size, 1);
  answer = answers.at(-1)!; // its status came: it arrived, and the rest is of no matter
  await uploader().run();
  assert.equal((await outbox.status()).batches, 0);
});

test("no answer at all keeps the batch", async () => {
  const other = new Uploader(outbox, consent, new HttpsTransport("https://127.0.0.1:1/v1/reports"), POLICY);
  assert.deepEqual(await other.run(), { state: "failed", sent: 0 });
  assert.equal((await outbox.status()).batches, 3);
});

test("when it is tried again doubles, respects the receiver, and outlives a restart", async (context) => {
  const time = Date.now();
  context.mock.method(Date, "now", () => time); // however long a run takes
  const waitAfterRun = async () => {
    await uploader().run();
    return uploader().wait(); // as after a restart
  };
  answer = status(500);
  for (const most of [4, 8, 16, 20, 20]) {
    const wait = await waitAfterRun();
    assert.ok(wait >= most * 500 && wait <= most * 1000, `${wait} of ${most}`);
  }
  answer = status(503, { "Retry-After": "19" });
  assert.ok((await waitAfterRun()) >= 19_000);
  answer = status(503, { "Retry-After": "99999" }); // not for ever
  assert.ok((await waitAfterRun()) <= 20_000);
  answer = status(200);
  const wait = await waitAfterRun();
  assert.ok(wait >= 50_000 && wait <= 150_000, `${wait}`);
  answer = status(500);
  await keep("another");
  assert.ok((await waitAfterRun()) <= 4_000, "failures in a row begin anew");
});

test("a clock that is set back doesn't stop uploads", async () => {
  await outbox.setWait({ failures: 0, until: Date.now() + 1e12 });
  assert.ok((await uploader().wait()) <= 150_000);
});

/** Of 50 waits among 100,001, 10 or fewer differ. False alarm: 1e-70. */
test("waits are random", () => {
  const bytes = (byte: number) => (size: number) => new Uint8Array(size).fill(byte);
  assert.equal(waitAfter(POLICY, 0, 0, bytes(0)), 50_000);
  assert.equal(waitAfter(POLICY, 1, 0, bytes(0)), 2_000);
  const drawn = new Set(Array.from({ length: 50 }, () => waitAfter(POLICY, 0)));
  assert.ok(drawn.size > 10);
});

const bundle = await openFolder(conformance("policy"));
const textsOf = (budget?: PrivacyBudget) => new TextReporter(bundle, outbox, { setting: { epsilon: 1 }, frames: { words: 4, aDay: 3 }, budget });
const sending = (texts: TextReporter) => new Uploader(outbox, consent, new HttpsTransport(url), POLICY, texts);
const formats = () => received.map(({ body }) => JSON.parse(body).format);

/** After a batch, a frame's time would reveal whether words were counted. */
test("a run sends one frame, before all batches", async () => {
  const texts = textsOf();
  await texts.add("the of");
  now += DAY_MS;
  assert.deepEqual(await sending(texts).run(), { state: "done", sent: 4, refused: 0 });
  assert.deepEqual(formats(), ["brr-frames", "brr-reports", "brr-reports", "brr-reports"]);
  assert.equal((await outbox.status()).frames, 2 + 3, "a day has begun");
  await keep("four");
  answer = status(500);
  const failed = await sending(texts).run();
  assert.deepEqual([failed, formats().slice(4)], [{ state: "failed", sent: 0, retryAfter: undefined }, ["brr-frames"]]);
  assert.ok((await sending(texts).wait()) >= 50_000, "the next frame leaves when it would have left without a failure");
  answer = (response, _, time) => response.writeHead(time === 6 ? 422 : 200).end();
  assert.deepEqual(await sending(texts).run(), { state: "done", sent: 1, refused: 1 });
  assert.deepEqual(formats().slice(5), ["brr-frames", "brr-reports"]);
  assert.equal((await outbox.refusedBatches()).length, 1);
});

/** A person who types nothing sends as much. */
test("a day's frames leave although nobody types, with consent only", async () => {
  await consent.withdraw();
  const texts = textsOf();
  const uploader = sending(texts);
  for (let run = 0; run < 3; run++, now += DAY_MS) assert.deepEqual(await uploader.run(), { state: "off" });
  assert.equal((await outbox.status()).frames, 0);
  await consent.give();
  now = Math.ceil(now / DAY_MS) * DAY_MS + DAY_MS / 2; // at noon: time for all frames of the last day that is over
  for (let run = 0; run < 25; run++, now += DAY_MS / 6) await uploader.run();
  const days = received.map(({ body }) => JSON.parse(body).period.start);
  assert.equal(days.length, 4 * 3, "of the days that are over");
  assert.equal(new Set(days).size, 4);
  assert.equal(new Set(received.map(({ body }) => JSON.parse(body).batch)).size, 12);
});

test("a budget that refuses a day stops nothing else; a record that is damaged does", async () => {
  const spending = (error: BrrError) => ({ spend: () => Promise.reject(error) }) as unknown as PrivacyBudget;
  await textsOf().beginDay();
  now += DAY_MS;
  await assert.rejects(sending(textsOf(spending(new BudgetFileError("damaged")))).run(), BudgetFileError);
  const refusing = spending(new BudgetError("used up", 0, 60));
  assert.deepEqual(await sending(textsOf(refusing)).run(), { state: "done", sent: 4, refused: 0 });
  assert.equal((await outbox.status()).frames, 2);
});

test("with frames there are twice as many runs a day as these", () => {
  const policy = (...given: [] | [object]) => new Uploader(outbox, consent, new HttpsTransport(url), given[0], textsOf()).policy;
  assert.deepEqual(policy(), { interval: 24 * 3600 / 6, firstBackoff: 60, lastBackoff: 43_200 });
  assert.equal(policy({ interval: 50 }).interval, 50);
  assert.equal(new Uploader(outbox, consent, new HttpsTransport(url)).policy.interval, 21_600);
});

test("bad policies and addresses are refused", () => {
  for (const policy of [{ interval: 0 }, { firstBackoff: -1 }, { firstBackoff: 30 }, { interval: NaN }, { lastBackoff: Infinity }]) {
    const bad = { ...POLICY, ...policy };
    assert.throws(() => new Uploader(outbox, consent, new HttpsTransport(url), bad), ParameterError);
  }
  for (const bad of [
    "http://a.example/", "https://a.example/?device=1", "https://me@a.example/", "a.example", "https://",
    "http://localhost.a.example/", "http://localhost:8443@a.example/", "http://127.0.0.1.a.example/", "http://me@localhost/",
    "http://localhost/?device=1", "http://127.0.0.2/", "http://192.168.0.1/", "http://[::2]/", "http://localhost:a/",
    "http://localhost\\@a.example/", "ftp://localhost/", "http://localhost#",
  ]) {
    assert.throws(() => new HttpsTransport(bad), ParameterError, bad);
  }
  for (const good of [
    "http://localhost", "http://localhost:8443/v1/reports", "http://127.0.0.1:8443/v1/reports", "http://[::1]:8443/v1/reports",
    "https://a.example", "https://a.example:1/v1/reports",
  ]) {
    new HttpsTransport(good);
  }
});
