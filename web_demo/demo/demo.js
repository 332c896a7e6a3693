/** A composer of which only privatized words leave, and only with consent. The worker releases them. */

import { startWorker } from "../dist/worker.js";

const LIMIT = Number(new URLSearchParams(location.search).get("limit") ?? 500);
const DAY = 24 * 3600; // seconds

const element = (id) => document.getElementById(id);
const [text, consent, send, released, hint] = ["text", "consent", "send", "released", "hint"].map(element);

let brr;
let stream;
let taken = 0; // characters of the text whose words were released

/** Shows why words don't leave, or how it goes on. */
function say(message, isImportant = false) {
  hint.textContent = message;
  hint.classList.toggle("important", isImportant);
}

function showConsent(isGiven) {
  consent.setAttribute("aria-checked", String(isGiven));
  send.disabled = !isGiven;
  say(isGiven ? "Type a word and a space." : "Nothing leaves until you allow it.");
}

async function showFacts() {
  const [left, { batches, words }] = await Promise.all([brr.remaining(), brr.status()]);
  element("meter").value = left / LIMIT;
  element("left").textContent = `${left.toFixed(1)} of ${LIMIT} left`;
  element("waiting").textContent = batches ? `${words}` : "none";
}

/** Releases the words that are complete, as a space or a mark follows them; or all. */
async function release(all = false) {
  const complete = all ? text.value.length : (/^[^]*[^\p{L}\p{N}'’-]/u.exec(text.value)?.[0].length ?? 0);
  if (complete < taken) taken = complete; // the rest was deleted: what was released stays released
  const words = text.value.slice(taken, complete).match(/[\p{L}\p{N}'’-]+/gu) ?? [];
  taken = complete;
  if (consent.getAttribute("aria-checked") === "false") return;
  const current = stream;
  await Promise.all(words.map(async (word) => {
    try {
      const [drawn] = await Promise.all([current.word(word), brr.report(word)]);
      if (drawn && current === stream) released.append(Object.assign(document.createElement("span"), { textContent: drawn }));
    } catch (error) {
      say(error.kind === "budget" ? "Today's privacy budget is used up: no more words leave." : error.message, true);
    }
  }));
  if (words.length) await showFacts();
}

/** Begins another text: its first word follows none. */
function begin() {
  void stream?.end();
  stream = brr.stream();
  text.value = "";
  released.replaceChildren();
  taken = 0;
}

consent.addEventListener("click", async () => {
  const isGiven = consent.getAttribute("aria-checked") === "false";
  await (isGiven ? brr.give() : brr.withdraw());
  begin();
  showConsent(isGiven);
  await showFacts();
});

send.addEventListener("click", async () => {
  await release(true);
  const words = Array.from(released.children, (chip) => chip.textContent);
  if (!words.length) return;
  begin();
  const { ok } = await fetch("/messages", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ words }),
    cache: "no-store",
    credentials: "omit",
    redirect: "error",
    referrerPolicy: "no-referrer",
  });
  say(ok ? "Sent." : "The server didn't take it.", true);
});

text.addEventListener("input", () => release());

try {
  brr = await startWorker({
    bundle: "../bundle/",
    budget: { limit: LIMIT, period: DAY },
    memory: { period: 30 * DAY },
    reports: {
      url: new URL("/v1/reports", location.href).href,
      setting: { cap: 9, wordsADay: 20 },
      policy: { firstBackoff: 1 },
    },
  });
  begin();
  showConsent(await brr.isGiven());
  for (const field of [text, consent]) field.disabled = false;
  await showFacts();
  document.body.dataset.ready = "true";
} catch (error) {
  say(`The words can't be opened: ${error.message}`, true);
}
