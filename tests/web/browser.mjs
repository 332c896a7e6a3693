/**
 * Types into the demo in a real browser, and reads every byte that leaves.
 *
 *     node tests/web/browser.mjs DIST BUNDLE
 *
 * A server of its own, over https, has the page, `DIST` and `BUNDLE`, records all requests, and receives
 * what is sent. The typed words are in no vocabulary, so none of them can leave by chance.
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const WEB = fileURLToPath(new URL("../../web_demo/", import.meta.url));
const TYPES = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".json": "application/json" };
const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
];
const BLANK = '<link rel="icon" href="data:,">';
const PATIENCE_MS = 600_000;
const DAY_MS = 24 * 3600 * 1000;
const NONSENSE = ["qzvorblax", "wumplingorth", "xykraddle", "brznfloop", "jhqwertle", "zzyvapmunt"];

const [dist, bundle] = process.argv.slice(2);

/** Returns where Chromium is; null if it isn't. */
function chromium() {
  if (process.env.BRR_CHROMIUM) return process.env.BRR_CHROMIUM;
  try {
    return execFileSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).trim();
  } catch {
    return null;
  }
}

/** Starts a server: it records what it gets, and the worker's clock is as many days ahead as it says. */
async function served(folder) {
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", ...kind, "-subj", "/CN=127.0.0.1", "-keyout", key, "-out", cert], { stdio: "ignore" });
  const places = [["/demo/", join(WEB, "demo/")], ["/dist/", `${dist}/`], ["/bundle/", `${bundle}/`]];
  const state = { requests: [], daysAhead: 0, posts: (path) => state.requests.filter(({ url }) => url === path) };
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const { method, url, headers } = request;
      state.requests.push({ method, url, headers, body: Buffer.concat(parts).toString("latin1") });
      if (method === "POST") return response.writeHead(200).end("{}");
      const path = new URL(url, "https://127.0.0.1").pathname;
      if (path === "/trusted") {
        const policy = "require-trusted-types-for 'script'; trusted-types brrkit";
        return response.writeHead(200, { "Content-Type": "text/html", "Content-Security-Policy": policy }).end(BLANK);
      }
      if (path === "/blank" || path.startsWith("/broken/")) return response.writeHead(200, { "Content-Type": "text/html" }).end(BLANK);
      const place = places.find(([prefix]) => path.startsWith(prefix));
      try {
        let content = readFileSync(join(place[1], path.slice(place[0].length) || "index.html"));
        if (path === "/dist/worker-entry.js" && state.daysAhead) {
          const ahead = `const now = Date.now; Date.now = () => now() + ${state.daysAhead * DAY_MS};`;
          content = Buffer.concat([Buffer.from(ahead), content]);
        }
        const type = TYPES[extname(path)] ?? (path.endsWith("/") ? "text/html" : "application/octet-stream");
        response.writeHead(200, { "Content-Type": type, "Cache-Control": "no-store" }).end(content);
      } catch {
        response.writeHead(404).end();
      }
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  state.origin = `https://127.0.0.1:${server.address().port}`;
  state.close = () => (server.closeAllConnections(), server.close());
  return state;
}

/** Waits until `isTrue`: what is late on a busy machine isn't wrong. */
async function until(what, isTrue) {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; ) {
    if (await isTrue()) return;
    await new Promise((done) => setTimeout(done, 25));
  }
  assert.fail(`never: ${what}`);
}

/** Returns the typed words that are in something sent or stored, however a client might write them. */
function typedIn(text) {
  const plain = text.toLowerCase();
  const forms = (word) => [
    word,
    Buffer.from(word).toString("hex"),
    Buffer.from(word).toString("base64").slice(0, -4).toLowerCase(),
    [...word].join("\0"),
  ];
  return NONSENSE.filter((word) => forms(word).some((form) => plain.includes(form)));
}

async function main() {
  const executablePath = chromium();
  if (!executablePath) return console.log("SKIPPED: the browser's tests: there is no Chromium (BRR_CHROMIUM names one)");
  const { chromium: browser } = createRequire(join(WEB, "package.json"))("playwright-core");
  const folder = mkdtempSync(join(tmpdir(), "brrkit-browser-"));
  const server = await served(folder);
  const context = await browser.launchPersistentContext(join(folder, "profile"), {
    executablePath, args: FLAGS, headless: true, ignoreHTTPSErrors: true, viewport: { width: 390, height: 800 },
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = context.pages()[0];
  const shown = [];
  const asked = [];
  context.on("request", (request) => asked.push(request.url()));
  context.on("console", (message) => shown.push(message.text()));
  context.on("weberror", (error) => shown.push(String(error.error())));
  const session = await context.newCDPSession(page);
  const scripts = [];
  session.on("Debugger.scriptParsed", ({ url }) => scripts.push(url)); // of this thread
  await session.send("Debugger.enable");
  page.on("worker", (worker) => worker.on("console", (message) => shown.push(message.text())));
  try {
    const opened = async (query = "") => {
      await page.goto(`${server.origin}/demo/${query}`);
      await page.waitForSelector("body[data-ready]");
    };
    const chips = () => page.locator("#released span").count();
    const waiting = async () => Number((await page.textContent("#waiting")).replace("none", "0"));
    const left = async () => parseFloat(await page.textContent("#left"));
    const type = (...words) => page.locator("#text").pressSequentially(`${words.join(" ")} `, { delay: 15 });
    const typed = async (...words) => {
      const before = await chips();
      await type(...words);
      await until("the words come out", async () => (await chips()) === before + words.length);
    };

    await opened();
    if (process.env.BRR_SCREENSHOT) await page.screenshot({ path: `${process.env.BRR_SCREENSHOT}-off.png` });
    await page.evaluate(watchFrames);
    const idle = await page.evaluate(() => new Promise((done) => setTimeout(() => done(window.gap()), 500)));

    // Without consent nothing is drawn, kept or sent.
    await type(...NONSENSE);
    assert.equal(await chips(), 0);
    assert.deepEqual([await waiting(), await left()], [0, 500]);
    assert.deepEqual(server.requests.filter(({ method }) => method !== "GET"), []);

    await page.click("#consent");
    await until("consent is given", async () => (await page.getAttribute("#consent", "aria-checked")) === "true");
    await page.evaluate(() => window.gap());
    const scripted = async () => {
      const { metrics } = await session.send("Performance.getMetrics");
      return 1000 * metrics.find(({ name }) => name === "ScriptDuration").value;
    };
    await session.send("Performance.enable");
    const ran = await scripted();
    await typed(...NONSENSE);
    const perKey = ((await scripted()) - ran) / NONSENSE.join(" ").length;
    const typing = await page.evaluate(() => window.gap());
    await until("they are counted", async () => (await waiting()) === NONSENSE.length);
    if (process.env.BRR_SCREENSHOT) await page.screenshot({ path: `${process.env.BRR_SCREENSHOT}-on.png` });

    // The page's own thread doesn't have the code that reads and searches the words.
    const own = scripts.filter((url) => url.startsWith(server.origin)).map((url) => new URL(url).pathname);
    assert.ok(own.includes("/dist/worker.js"), `${own}`);
    for (const path of own.filter((path) => path.startsWith("/dist/"))) {
      assert.ok(!readFileSync(join(dist, path.slice("/dist/".length)), "utf8").includes("index.safetensors"), path);
    }
    assert.ok(server.requests.some(({ url }) => url.endsWith("/bundle/index.safetensors")));

    const paid = await left();
    await page.click("#send");
    await until("the text arrives", () => server.posts("/messages").length === 1);
    assert.equal(JSON.parse(server.posts("/messages")[0].body).words.length, NONSENSE.length);

    // A reload: the budget and the day's sample go on; what was paid ahead is lost, a ninth at most.
    await opened();
    assert.ok((await left()) <= paid && (await left()) >= paid - 500 / 9, `${await left()} of ${paid}`);
    assert.equal(await waiting(), NONSENSE.length);
    await typed(...NONSENSE.slice(0, 2));
    await until("the sample goes on", async () => (await waiting()) === NONSENSE.length + 2);

    // Used up is used up, also after a reload; other pages' leases are theirs.
    const spent = 500 - (await left());
    for (let reload = 0; reload < 2; reload++) {
      await opened(`?limit=${Math.floor(spent) - 1}`);
      await type(NONSENSE[3]);
      await until("it is refused", async () => /used up/.test(await page.textContent("#hint")));
      assert.equal(await chips(), 0);
    }
    assert.equal(await waiting(), NONSENSE.length + 2);

    const stored = await page.evaluate(readRecords);
    assert.deepEqual(Object.keys(stored).sort(), ["budget", "consent", "memory", "outbox", "vault"]);
    assert.match(stored.budget, /^\{"format": "brr-budget"/);
    assert.ok(stored.outbox.startsWith('{"format": "brr-outbox"'));
    assert.equal(stored.vault, "a key that can't be read");
    assert.deepEqual(typedIn(Object.values(stored).join(" ")), []);

    // The next day.
    server.daysAhead = 1;
    await opened();
    await until("the day's batch arrives", () => server.posts("/v1/reports").length === 1);
    const batch = JSON.parse(server.posts("/v1/reports")[0].body);
    assert.deepEqual(Object.keys(batch), ["format", "format_version", "bundle", "setting", "batch", "period", "words"]);
    assert.equal(batch.words.length, NONSENSE.length + 2);
    await until("nothing waits", async () => (await opened(), (await waiting()) === 0));

    // What an input method composes isn't typed until it is committed.
    const begun = await chips();
    const composing = `${NONSENSE[1]} ${NONSENSE[2]} `;
    await page.focus("#text");
    await session.send("Input.imeSetComposition", { text: composing, selectionStart: composing.length, selectionEnd: composing.length });
    await session.send("Input.insertText", { text: `${NONSENSE[1]} ` });
    await until("what was committed comes out", async () => (await chips()) === begun + 1);
    await typed(NONSENSE[0]);
    await page.click("#consent");
    await until("nothing waits after consent", async () => (await waiting()) === 0);
    server.daysAhead = 2;
    await opened();
    await type(...NONSENSE);
    assert.equal(await chips(), 0);

    const failures = await page.evaluate(storageFails, `${server.origin}/dist/index.js`);
    assert.deepEqual(failures, {
      foreign: "budgetFile brrkit-test/foreign: holds something else; nothing is released until that is repaired",
      newer: "budgetFile",
      memory: "memoryFile",
      durability: "strict",
    });
    const errors = await page.evaluate(workerFails, `${server.origin}/dist/worker.js`);
    const over = "the worker ended, or can't be loaded";
    assert.deepEqual(errors, ["bundle", "parameter", "budget 0.001 60", over, over]);

    // What a worker says is left is what it then releases.
    assert.deepEqual(await page.evaluate(countsWordsLeft, `${server.origin}/dist/worker.js`), [null, 5, 4, 4, "budget", 0]);

    // Text in frames: as many on the next day, on which nobody types.
    const worker = `${server.origin}/dist/worker.js`;
    const reports = { url: `${server.origin}/v1/reports`, texts: { setting: { epsilon: 0.5 }, frames: { words: 4, aDay: 3 } } };
    const said = await page.evaluate(reportsText, [worker, reports, NONSENSE.join(" ")]);
    assert.deepEqual(said, ["parameter reports needs counts, texts or both", false, true, true, false, 3]);
    const frames = () => server.posts("/v1/reports").map(({ body }) => JSON.parse(body)).filter(({ format }) => format === "brr-frames");
    assert.deepEqual(frames(), []);
    server.daysAhead = 3;
    await page.evaluate(startsReporting, [worker, { ...reports, policy: { interval: 1, firstBackoff: 1 } }]);
    await until("the day's frames arrive", () => frames().length === 3);
    assert.deepEqual(frames().map(({ words }) => words.length), [4, 4, 4]);
    assert.equal(new Set(frames().map(({ batch }) => batch)).size, 3);
    await until("the next day's wait", () => page.evaluate(async () => (await window.reporting.status()).frames === 3));
    await page.evaluate(() => window.reporting.terminate());

    // Removing a damaged record; trusted types.
    const removed = await page.evaluate(removesState, `${server.origin}/dist/worker.js`);
    assert.deepEqual(removed, ["budgetFile", false, true, "[]"]);
    await page.goto(`${server.origin}/trusted`);
    assert.deepEqual(await page.evaluate(trustedWorker, server.origin), ["TypeError", 1]);
    assert.match(shown.splice(0).join(), /^This document requires 'TrustedScriptURL' assignment/); // of the browser
    await page.goto(`${server.origin}/blank`);

    // Another origin's storage, which has no space.
    const full = server.origin.replace("127.0.0.1", "localhost");
    await session.send("Storage.overrideQuotaForOrigin", { origin: full, quotaSize: 1 });
    await page.goto(`${full}/blank`);
    assert.deepEqual(await page.evaluate(spendsWithoutSpace, `${full}/dist/index.js`), ["budgetFile", 0]);
    await page.goto(`${server.origin}/blank`);

    // Two pages at once, of which one is closed at any instant.
    const other = await context.newPage();
    await other.goto(`${server.origin}/blank`);
    const module = `${server.origin}/dist/index.js`;
    const ended = other.evaluate(spendAndTell, [module, "b"]).catch(() => null);
    const spending = page.evaluate(spendAndTell, [module, "a"]);
    await until("both have begun", () => server.posts("/released/a").length && server.posts("/released/b").length);
    await other.close();
    await ended;
    assert.ok(await spending, "the limit is reached");
    const released = server.requests.filter(({ url }) => url.startsWith("/released/")).length;
    assert.ok(released <= 160 && released > 80, `${released}`);

    // Of all that left, a typed word is in nothing.
    for (const { method, url, headers, body } of server.requests) {
      assert.deepEqual(typedIn(`${decodeURIComponent(url)} ${JSON.stringify(headers)} ${body}`), []);
      assert.ok(!headers.cookie && !headers.authorization, url);
      if (url === "/v1/reports") assert.ok(!headers.referer && headers["accept-language"] === "*", JSON.stringify(headers));
      assert.ok(method === "GET" || ["/messages", "/v1/reports"].includes(url) || url.startsWith("/released/"), url);
    }
    for (const url of asked) assert.ok(url.startsWith(server.origin) || url.startsWith(full), url);
    assert.deepEqual(shown, [], "nothing is logged");
    const posts = server.requests.filter(({ method }) => method === "POST").length;
    console.log(
      `${server.requests.length} requests, ${posts} of them posts, have no typed word. The longest gap between frames: ` +
        `${idle.toFixed(0)} ms idle, ${typing.toFixed(0)} ms typing, with ${perKey.toFixed(2)} ms of scripts to a key (${context.browser()?.version() ?? "Chromium"}).`,
    );
  } finally {
    await context.close();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** In the page: `gap()` is the longest time between two frames since it was asked for. */
function watchFrames() {
  let [last, longest] = [performance.now(), 0];
  const frame = (now) => {
    longest = Math.max(longest, now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  window.gap = () => {
    const gap = longest;
    longest = 0;
    return gap;
  };
}

/** In the page: what IndexedDB holds, as text. */
async function readRecords() {
  const opened = await new Promise((done) => (indexedDB.open("brrkit").onsuccess = ({ target }) => done(target.result)));
  const records = opened.transaction("records").objectStore("records");
  const read = (request) => new Promise((done) => (request.onsuccess = () => done(request.result)));
  const [names, values] = [await read(records.getAllKeys()), await read(records.getAll())];
  opened.close();
  const text = (value) =>
    value instanceof Uint8Array ? String.fromCharCode(...value)
    : value instanceof CryptoKey && !value.extractable ? "a key that can't be read" : "?";
  return Object.fromEntries(names.map((name, at) => [name, text(values[at])]));
}

/** In the page: what a budget and a memory say where storage isn't as it should be. */
async function storageFails(module) {
  const { IndexedDbStorage, Memory, PrivacyBudget } = await import(module);
  const open = (name, version, change) => new Promise((done) => {
    const opening = indexedDB.open(name, version);
    opening.onupgradeneeded = () => opening.result.createObjectStore("records");
    opening.onsuccess = () => done(opening.result);
  });
  const kind = (action) => action.then(() => "nothing", (error) => error);
  const database = await open("brrkit-test", 1);
  database.transaction("records", "readwrite").objectStore("records").put("foreign", "foreign");
  const transaction = IDBDatabase.prototype.transaction;
  let durability;
  IDBDatabase.prototype.transaction = function (records, mode, options) {
    if (mode === "readwrite") ({ durability } = options);
    return transaction.call(this, records, mode, options);
  };
  await new PrivacyBudget(1, 60, new IndexedDbStorage("fine", "brrkit-test")).spend(0.1, 1, "u");
  IDBDatabase.prototype.transaction = transaction;
  const foreign = await kind(new PrivacyBudget(1, 60, new IndexedDbStorage("foreign", "brrkit-test")).spend(0.1, 1, "u"));
  const memory = await kind(new Memory(60, new IndexedDbStorage("foreign", "brrkit-test")).key());
  (await open("brrkit-newer", 2)).close();
  const newer = await kind(new PrivacyBudget(1, 60, new IndexedDbStorage("budget", "brrkit-newer")).remaining());
  return { foreign: `${foreign.kind} ${foreign.message}`, newer: newer.kind, memory: memory.kind, durability };
}

/** In the page: the errors that cross from a worker. */
async function workerFails(module) {
  const { startWorker } = await import(module);
  const errorOf = (action) => action.then(() => null, (error) => error);
  const bundle = await errorOf(startWorker({ bundle: "/broken/" }));
  const parameter = await errorOf(startWorker({ bundle: "/bundle/", privatizer: { setting: { epsilon: 99 } } }));
  const worker = await startWorker({ bundle: "/bundle/", database: "brrkit-fails", budget: { limit: 0.001, period: 60 } });
  const budget = await errorOf(worker.word("the"));
  const pending = errorOf(worker.word("the"));
  worker.terminate();
  const later = await errorOf(worker.word("the"));
  const messages = [(await pending).message, later.message];
  return [bundle.kind, parameter.kind, `${budget.kind} ${budget.left} ${budget.renewsIn}`, ...messages];
}

/** In the page: how many words a worker has left, without a budget and with one of five words. */
async function countsWordsLeft(module) {
  const { startWorker } = await import(module);
  const options = { bundle: "/bundle/", database: "brrkit-left" };
  const free = await startWorker(options);
  const limit = 5.5 * free.certifiedEpsilon;
  const left = [await free.wordsLeft()];
  free.terminate();
  const worker = await startWorker({ ...options, budget: { limit, period: 3600 } });
  left.push(await worker.wordsLeft());
  await worker.word("the");
  left.push(await worker.wordsLeft());
  left.push((await worker.words(["the", "the", "the", "the"])).length);
  left.push((await worker.word("the").catch((error) => error)).kind);
  left.push(await worker.wordsLeft());
  worker.terminate();
  return left;
}

/** In the page: a damaged budget stops a worker, until all records are removed. */
async function removesState(module) {
  const { removeState, startWorker } = await import(module);
  const options = { bundle: "/bundle/", database: "brrkit-removed", budget: { limit: 100, period: 60 } };
  const damaged = await startWorker(options);
  await damaged.give();
  const opened = await new Promise((done) => (indexedDB.open("brrkit-removed").onsuccess = ({ target }) => done(target.result)));
  const put = opened.transaction("records", "readwrite").objectStore("records").put(new Uint8Array([1]), "budget");
  await new Promise((done) => (put.onsuccess = done));
  opened.close();
  const { kind } = await damaged.word("the").catch((error) => error);
  damaged.terminate();
  await removeState("brrkit-removed");
  const worker = await startWorker(options);
  const isGiven = await worker.isGiven();
  const word = await worker.word("the");
  const refused = JSON.stringify(await worker.refusedBatches());
  await worker.removeRefused();
  worker.terminate();
  return [kind, isGiven, typeof word === "string", refused];
}

/** In the page: what becomes of a text without consent, with it, and marked, where only texts are reported. */
async function reportsText([module, reports, text]) {
  const { startWorker } = await import(module);
  const options = { bundle: "/bundle/", database: "brrkit-frames" };
  const error = await startWorker({ ...options, reports: { url: reports.url } }).catch((error) => error);
  const worker = await startWorker({ ...options, reports });
  const shown = [await worker.reportText(text)];
  await worker.give();
  shown.push(await worker.reportText(text), await worker.reportText(text, { marks: [{ start: 0, end: 4 }] }));
  shown.push(await worker.report(text), (await worker.status()).frames);
  worker.terminate();
  return [`${error.kind} ${error.message}`, ...shown];
}

/** In the page: goes on with that. */
async function startsReporting([module, reports]) {
  const { startWorker } = await import(module);
  window.reporting = await startWorker({ bundle: "/bundle/", database: "brrkit-frames", reports });
}

/** In a page with trusted types: a worker that the page makes with its policy. */
async function trustedWorker(origin) {
  const { startWorker } = await import(`${origin}/dist/worker.js`);
  const options = { bundle: "/bundle/", database: "brrkit-trusted" };
  const error = await startWorker(options).catch((error) => error);
  const policy = trustedTypes.createPolicy("brrkit", { createScriptURL: () => `${origin}/dist/worker-entry.js` });
  const worker = await startWorker(options, new Worker(policy.createScriptURL(""), { type: "module" }));
  const released = (await worker.words(["the"])).length;
  worker.terminate();
  return [error.name, released];
}

/** In the page: what a budget says where there is no space. */
async function spendsWithoutSpace(module) {
  const { IndexedDbStorage, PrivacyBudget } = await import(module);
  const budget = new PrivacyBudget(1, 60, new IndexedDbStorage("full", "brrkit-full"));
  let released = 0;
  const error = await budget.spend(0.1, 1, "u").then(() => released++, (error) => error);
  return [error.kind, released];
}

/** In the page: spends an eighth of 20 until the limit, and tells the server each time. */
async function spendAndTell([module, name]) {
  const { IndexedDbStorage, PrivacyBudget } = await import(module);
  const budget = new PrivacyBudget(20, 3600, new IndexedDbStorage("both", "brrkit-both"));
  for (;;) {
    try {
      await budget.spend(0.125, 1, "u");
    } catch (error) {
      return error.kind === "budget";
    }
    await fetch(`/released/${name}`, { method: "POST" });
  }
}

await main();
