/**
 * The built page with the sample bundle, in headless Chromium from a file: keyboard, numbers, a screen
 * reader's view, a phone's width, and that nothing leaves.
 */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium, type Browser, type Page } from "playwright-core";

const CHROMIUM = process.env["BRR_CHROMIUM"] ?? "/usr/bin/chromium";
const FOLDER = process.env["BRR_PLAYGROUND"] ?? "";
const skip = !existsSync(CHROMIUM) && `there is no ${CHROMIUM}`;
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

interface Numbers {
  readonly epsilon: number;
  readonly base: string;
  readonly attacks: Record<string, { success: { value: number }; worst: number }>;
}

let browser: Browser;
let page: Page;
const requests: string[] = [];
const complaints: string[] = [];

before(async () => {
  if (skip) return;
  const args = "--no-sandbox --disable-gpu --no-first-run --disable-background-networking";
  const more = "--disable-component-update --disable-sync";
  browser = await chromium.launch({ executablePath: CHROMIUM, args: `${args} ${more}`.split(" ") });
  page = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
  page.on("request", (request) => requests.push(request.url()));
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(address());
});

after(() => browser?.close());

function address(): string {
  return pathToFileURL(`${FOLDER}/playground.html`).href;
}

async function computed(): Promise<string> {
  await page.locator("#success-note", { hasText: /Computed exactly.*attacker/ }).waitFor();
  return (await page.locator("#success").textContent())!;
}

/** What Python measured: of the base, at about this epsilon. */
function python(base: string, epsilon: number): Numbers {
  const all: Numbers[] = JSON.parse(readFileSync(`${FOLDER}/playground.json`, "utf8"));
  return all.find((each) => each.base === base && each.epsilon === epsilon)!;
}

test("words appear as they are typed, each by itself", { skip }, async () => {
  await page.locator("#typed").focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("the queen of ");
  const typed = page.locator("#released .typed");
  const released = page.locator("#released .word");
  await typed.nth(2).waitFor();
  assert.deepEqual(await typed.allTextContents(), ["the", "queen", "of"]);
  const first = await released.allTextContents();
  await page.keyboard.type("xyzzyx and engl");
  await page.locator("#released .waiting").waitFor();
  assert.deepEqual((await released.allTextContents()).slice(0, 3), first); // what is released stays
  assert.equal((await released.allTextContents()).at(-1), "…");
  assert.equal(await page.locator("#released .unknown .typed").textContent(), "xyzzyx");
  await page.locator("#released .waiting").waitFor({ state: "detached" }); // after a pause
  await page.locator("#status", { hasText: /^Released: (\S+, ){5}\S+$/ }).waitFor();
});

test("the attack success is Python's, at the start and after arrow keys", { skip }, async () => {
  const start = python("language", 1.329).attacks["frequencies"]!;
  assert.equal(await computed(), start.success.value.toFixed(2));
  assert.match((await page.locator("#success-note").textContent())!, new RegExp(start.worst.toFixed(2)));
  assert.equal(await page.locator("#attacker").textContent(), "frequencies");
  await page.locator("#epsilon").focus();
  await page.keyboard.press("ArrowRight");
  await page.locator("#epsilon-value", { hasText: "1.408" }).waitFor();
  await page.locator("#success.rough").waitFor();
  assert.equal(await computed(), python("language", 1.408).attacks["frequencies"]!.success.value.toFixed(2));
  await page.locator("#status", { hasText: /^Attack success 0\.\d\d\. About \d+ of 100/ }).waitFor();
  await page.keyboard.press("ArrowLeft");
  await page.locator("input[value=language]").focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.locator("#attacker", { hasText: "isolated" }).waitFor();
  assert.equal(await computed(), python("uniform", 1.329).attacks["isolated"]!.success.value.toFixed(2));
  await page.locator("#reset").focus();
  await page.keyboard.press("Enter");
  assert.equal(await computed(), start.success.value.toFixed(2));
});

test("each control has a name, and its place in the order", { skip }, async () => {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  const controls = nodes
    .filter((node) => node.properties?.some(({ name, value }) => name === "focusable" && value.value))
    .filter((node) => node.role?.value !== "RootWebArea")
    .map((node) => `${node.role!.value}: ${node.name?.value}`);
  assert.deepEqual(controls, [
    "textbox: Your sentence",
    "button: Draw again",
    "slider: Epsilon, ε",
    ...["exponential", "brr", "vickrey", "uniform", "words", "language"].map((name) => `radio: ${name}`),
    "slider: Radius",
    "slider: Cap",
    "button: Back to the start",
  ]);
  await page.locator("#typed").focus();
  const order: string[] = [];
  for (let i = 0; i < 8; i++) {
    order.push(await page.evaluate(() => document.activeElement!.id || (document.activeElement as HTMLInputElement).value));
    await page.keyboard.press("Tab");
  }
  assert.deepEqual(order, ["typed", "draw", "epsilon", "exponential", "language", "radius", "cap", "reset"]);
});

test("WCAG AA, in light and dark, wide and at 360 pixels without a scroll to the side", { skip }, async () => {
  await page.evaluate(readFileSync(AXE, "utf8"));
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [1280, 360]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 740 });
      const { violations } = await page.evaluate((values) => axe.run({ runOnly: { type: "tag", values } }), WCAG);
      assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)]), []);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
    }
  }
});

test("nothing was asked for or sent, stored or complained of", { skip }, async () => {
  const kept = await page.evaluate(() => [document.cookie, Object.keys(localStorage), location.href]);
  assert.deepEqual(kept, ["", [], address()]);
  assert.deepEqual(requests.filter((url) => !url.startsWith("blob:") && !url.startsWith("data:")), [address()]);
  assert.deepEqual(complaints, []);
  const refused = await page.evaluate(() => fetch("https://example.org/").then(() => "sent", () => "refused"));
  assert.equal(refused, "refused");
  assert.match(complaints.join(), /Content Security Policy/);
});
