/**
 * Pictures of a playground, wide and of a phone: node tests/web/pictures.mjs PAGE FOLDER. What is released is
 * drawn anew each time.
 */

import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [page, folder] = process.argv.slice(2);
const { chromium } = createRequire(new URL("../../web_demo/", import.meta.url))("playwright-core");
const executablePath = process.env.BRR_CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
for (const [name, width, height, deviceScaleFactor] of [
  ["playground", 1280, 1080, 1],
  ["playground-360", 360, 1280, 2],
]) {
  const shown = await browser.newPage({ viewport: { width, height }, deviceScaleFactor, reducedMotion: "reduce" });
  shown.setDefaultTimeout(600_000); // on a busy machine
  await shown.goto(pathToFileURL(resolve(page)).href);
  await shown.fill("#typed", "ok lol see u tmr at zyrkon, book a quiet table for my doctor and me");
  await shown.fill("#secret", "doctor");
  await shown.locator("#secret").blur(); // which ends the last word
  await shown.locator("#results[aria-busy=false]").waitFor();
  await shown.screenshot({ path: `${folder}/${name}.png` });
  await shown.close();
}
await browser.close();
