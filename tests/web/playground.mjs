/**
 * The playground with the sample bundle, in headless Chromium from a file: keyboard, numbers, what a screen
 * reader is told, a phone's width, and that nothing leaves.
 *
 *     python tests/web/playground.py FOLDER && node --test tests/web/playground.mjs
 *
 * The environment's BRR_PLAYGROUND is FOLDER, BRR_SAMPLE the sample bundle's.
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

const FOLDER = process.env.BRR_PLAYGROUND;
const WORDS = JSON.parse(readFileSync(`${process.env.BRR_SAMPLE}/manifest.json`, "utf8")).vocabulary_size.toLocaleString("en");
const NUMBERS = JSON.parse(readFileSync(`${FOLDER}/playground.json`, "utf8")); // Python's
const ADDRESS = pathToFileURL(`${FOLDER}/playground.html`).href;
const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];
const PATIENCE = 600_000; // ms: what is late on a busy machine isn't wrong
const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

const required = createRequire(new URL("../../web_demo/", import.meta.url));
const requests = [];
const complaints = [];
let browser;
let page;

before(async () => {
  const executablePath = process.env.BRR_CHROMIUM ?? execFileSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).trim();
  browser = await required("playwright-core").chromium.launch({ executablePath, args: FLAGS });
  page = await newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
  page.on("request", (request) => requests.push(request.url()));
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(ADDRESS);
});

after(() => browser?.close());

async function newPage(options) {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(PATIENCE);
  return page;
}

/** A probability, as the page shows it. */
const shown = (value) => value.toFixed(value < 0.0995 ? 3 : 2);

/** Waits until a setting is measured, and returns the attack success as shown. */
async function measured() {
  await page.locator("#results[aria-busy=false]").waitFor();
  assert.match(await page.locator("#success-note").textContent(), new RegExp(`^Computed exactly, over all ${WORDS} words`));
  return page.locator("#success").textContent();
}

test("words appear as they are typed, each by itself", async () => {
  await page.evaluate(() => {
    const list = document.getElementById("released");
    const status = document.getElementById("status");
    Object.assign(window, { waited: new Set(), said: [] });
    new MutationObserver(() => waited.add(list.querySelector(".waiting")?.textContent)).observe(list, { childList: true });
    new MutationObserver(() => said.push(status.textContent)).observe(status, { childList: true });
  });
  await page.locator("#typed").focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("the queen of ");
  const typed = page.locator("#released .typed");
  const released = page.locator("#released .word");
  assert.deepEqual(await typed.allTextContents(), ["the", "queen", "of"]);
  const first = await released.allTextContents();
  await page.keyboard.type("xyzzyx and engl");
  await page.locator("#released .waiting").waitFor({ state: "detached" }); // after a pause
  assert.deepEqual(await typed.allTextContents(), ["the", "queen", "of", "xyzzyx", "and", "engl"]);
  assert.equal(await page.locator("#released .unknown .typed").first().textContent(), "xyzzyx");
  assert.ok(await page.evaluate(() => waited.has("engl becomes …")));
  const words = await released.allTextContents();
  assert.deepEqual(words.slice(0, 3), first); // what is released stays
  const isSaid = (end) => said.some((text) => /^Released: /.test(text) && text.includes(end));
  await page.waitForFunction(isSaid, `${words[5]}.`); // and may have been followed by what is guessed
});

test("the attack success is Python's, at the start and after arrow keys", async () => {
  const [recommended, next, uniform] = NUMBERS;
  const start = recommended.attacks.frequencies;
  assert.equal(await measured(), shown(start.success.value));
  assert.match(await page.locator("#success-note").textContent(), new RegExp(shown(start.worst)));
  assert.equal(await page.locator("#attacker").textContent(), "frequencies");
  await page.locator("#epsilon").focus();
  await page.keyboard.press("ArrowRight");
  await page.locator("#epsilon-value", { hasText: String(next.epsilon) }).waitFor();
  assert.equal(await measured(), shown(next.attacks.frequencies.success.value));
  await page.locator("#status", { hasText: /Attack success 0\.\d\d\. About \d+ of 100/ }).waitFor();
  await page.keyboard.press("ArrowLeft");
  await page.locator("input[value=bigram]").focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.locator("#attacker", { hasText: "isolated" }).waitFor();
  assert.equal(await measured(), shown(uniform.attacks.isolated.success.value));
  await page.locator("#reset").focus();
  await page.keyboard.press("Enter");
  assert.equal(await measured(), shown(start.success.value));
});

test("each control has a name, and its place in the order", async () => {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  const controls = nodes
    .filter((node) => node.properties?.some(({ name, value }) => name === "focusable" && value.value))
    .filter((node) => node.role?.value !== "RootWebArea")
    .map((node) => `${node.role.value}: ${node.name?.value}`);
  const expected = [
    "textbox: Your sentence",
    "textbox: Secret words",
    "button: Draw again",
    "button: Copy link",
    "slider: Epsilon, ε",
    ...["exponential", "brr", "vickrey", "uniform", "unigram", "bigram"].map((name) => `radio: ${name}`),
    "slider: Radius",
    "slider: Cap",
    "checkbox: Let the 30 most frequent words pass 95% of the time",
    "button: Back to the recommended setting",
  ];
  assert.deepEqual(controls.sort(), expected.sort());
  await page.locator("#typed").focus();
  const order = [];
  for (let i = 0; i < 11; i++) {
    order.push(await page.evaluate(() => document.activeElement.id || document.activeElement.value));
    await page.keyboard.press("Tab");
  }
  assert.deepEqual(order, ["typed", "secret", "draw", "copy", "epsilon", "exponential", "bigram", "radius", "cap", "passing", "reset"]);
});

test("under each word is a guess of who reads all, and right ones are counted", async () => {
  await page.locator("#typed").fill("the queen of xyzzyx and all england ");
  const items = page.locator("#released li");
  await page.locator("#guessed", { hasText: / recovers \d of 7 words / }).waitFor();
  const shown = await items.evaluateAll((all) => all.map((item) => ({
    typed: item.querySelector(".typed").textContent,
    guess: item.querySelector(".guess").textContent,
    isRight: item.classList.contains("right"),
  })));
  for (const { typed, guess, isRight } of shown) {
    assert.match(guess, /^guess: \S+( ✓)?$/);
    assert.equal(isRight, guess === `guess: ${typed} ✓`);
  }
  const right = shown.filter(({ isRight }) => isRight).length;
  const summary = await page.locator("#guessed").textContent();
  assert.ok(summary.includes(` recovers ${right} of 7 words `), summary);
  await page.locator("#status", { hasText: summary }).waitFor();
  assert.ok(shown.every(({ typed, isRight }) => typed !== "xyzzyx" || !isRight)); // no guess is an unknown word
});

test("a secret word comes out alike whichever it is, and words that pass as typed", async () => {
  await page.locator("#typed").fill("the queen of the sea and the king of the land ");
  await page.locator("#secret").fill("Queen, king");
  await page.locator("#passing").focus();
  await page.keyboard.press("Space");
  await page.locator("#setting-note", { hasText: "words pass" }).waitFor();
  await page.locator("#guessed", { hasText: /, and [012] of 2 secret words\.$/ }).waitFor();
  const items = await page.locator("#released li").evaluateAll((all) => all.map((item) => [...item.children].map((part) => part.textContent)));
  assert.deepEqual(items.filter(([, , , kind]) => kind === "secret").map(([typed]) => typed), ["queen", "king"]);
  let passed = 0;
  // Of 48 words that pass with .95 at least, fewer than 24 do. False alarm: 1e-16.
  for (let draw = 0; draw < 8; draw++) {
    await page.locator("#draw").click();
    passed += await page.locator("#released .same .typed", { hasText: /^(the|of)$/ }).count();
  }
  assert.ok(passed >= 24, String(passed));
  assert.match(await page.locator("#loss-text").textContent(), /No bound holds for words that pass\.$/);
  await page.locator("#secret").fill("");
  await page.locator("#reset").click();
  await page.locator("#guessed", { hasText: /\(\S+%\)\.$/ }).waitFor();
});

test("a link holds text and setting in its fragment, and opens with them", async () => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.locator("#typed").fill("a & b = 50% of naïve ");
  await page.locator("input[value=unigram]").check({ force: true });
  await page.locator("#copy").click();
  await page.locator("#copy", { hasText: "Link copied" }).waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(link.split("#")[0], ADDRESS);
  const other = await newPage();
  const asked = [];
  other.on("request", (request) => asked.push(request.url()));
  await other.goto(link);
  await other.locator("#released .word").first().waitFor();
  assert.equal(await other.locator("#typed").inputValue(), "a & b = 50% of naïve ");
  assert.equal(await other.locator("#setting-note").textContent(), await page.locator("#setting-note").textContent());
  assert.match(await other.locator("#setting-note").textContent(), /base unigram/);
  assert.deepEqual(asked.filter((url) => /^file:/.test(url)), [ADDRESS]);
  await other.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  await other.locator("#copy").click();
  await other.locator("#copy", { hasText: "Link in the address bar" }).waitFor();
  assert.equal(other.url(), link);
  await other.close();
  await page.locator("#reset").click();
});

test("brr is drawn, and says so", async () => {
  await page.locator("input[value=exponential]").focus();
  await page.keyboard.press("ArrowRight");
  await page.locator("#attacker", { hasText: "isolated" }).waitFor();
  await page.locator("#results[aria-busy=false]").waitFor();
  assert.match(await page.locator("#success-note").textContent(), /^Estimated from 4,000 draws on this page: 0\.\d{2,3} to 0\.\d{2,3} /);
  assert.ok(await page.locator("#of-exponential").isHidden());
  await page.locator("#guessed", { hasText: "only for the mechanism exponential" }).waitFor();
  await page.keyboard.press("ArrowLeft");
});

test("WCAG AA, in light and dark, wide and at 360 pixels without a scroll to the side", async () => {
  await page.evaluate(readFileSync(required.resolve("axe-core/axe.min.js"), "utf8"));
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1280, 360]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 740 });
      assert.deepEqual(await violations(page), []);
      assert.ok(await fits(page));
    }
  }
});

/** What axe finds wrong in a page that has its script. */
async function violations(page) {
  const { violations } = await page.evaluate((values) => axe.run({ runOnly: { type: "tag", values } }), WCAG);
  return violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)]);
}

const fits = (page) => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);

test("a bundle's tasks are judged by what is typed and by what is released, and without any nothing is shown", async () => {
  await page.locator("#typed").fill("will it rain in boston on monday ");
  await page.locator(".task caption", { hasText: /^intents: GetWeather as typed, \w+ as released\.$/ }).waitFor();
  const plain = await newPage();
  await plain.goto(ADDRESS.replace("playground.html", "plain.html"));
  await plain.locator("#released .word").first().waitFor();
  assert.ok(await plain.locator("#tasks").isHidden());
  await plain.close();

  const other = await newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
  await other.goto(ADDRESS.replace("playground.html", "topic.html"));
  await other.locator("#released .word").first().waitFor();
  const read = () => other.locator(".task tbody tr").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
  assert.deepEqual((await read()).map(([name, typed]) => [name, typed]), [["art", "0%"], ["war", "0%"]]); // of the example
  await other.locator("#typed").fill("music war army the xyzzyx ");
  await other.locator(".task caption", { hasText: /^topic: war as typed, (art|war|no class) as released\.$/ }).waitFor();
  const rows = await read();
  assert.deepEqual(rows.map(([name]) => name), ["art", "war"]);
  const [art, war] = rows.map(([, typed]) => Number.parseInt(typed));
  assert.ok(art > 0 && war > art && Math.abs(art + war - 100) <= 1, `${art} ${war}`);
  await other.locator("#status", { hasText: /^Released: .* topic: war as typed, / }).waitFor();
  await other.evaluate(readFileSync(required.resolve("axe-core/axe.min.js"), "utf8"));
  for (const width of [1280, 360]) {
    await other.setViewportSize({ width, height: 740 });
    assert.deepEqual(await violations(other), []);
    assert.ok(await fits(other));
  }
  await other.close();
});

test("folded away in a sandbox, it does nothing until it is seen", async () => {
  const other = await newPage();
  await other.goto(ADDRESS.replace("playground.html", "folded.html"));
  const frame = other.frameLocator("iframe");
  assert.equal(await frame.locator("#success").textContent(), "…");
  await other.locator("summary").click();
  await frame.locator("#success", { hasText: shown(NUMBERS[0].attacks.frequencies.success.value) }).waitFor();
  assert.ok(await frame.locator("#copy").isHidden()); // a frame has no address of its own
  await other.close();
});

test("nothing was asked for or sent, stored or complained of", async () => {
  const kept = await page.evaluate(() => [document.cookie, Object.keys(localStorage), location.href]);
  assert.deepEqual(kept, ["", [], ADDRESS]);
  assert.deepEqual(requests.filter((url) => !url.startsWith("blob:") && !url.startsWith("data:")), [ADDRESS]);
  assert.deepEqual(complaints, []);
  const refused = await page.evaluate(() => fetch("https://example.org/").then(() => "sent", () => "refused"));
  assert.equal(refused, "refused");
  assert.match(complaints.join(), /Content Security Policy/);
});
