/**
 * A text field. Only its privatized words leave the page, and only with consent. The worker releases them.
 */

import { startWorker } from "../dist/worker.js";

const LIMIT = Number(new URLSearchParams(location.search).get("limit") ?? 500);
const DAY = 24 * 3600; // seconds

const element = (id) => document.getElementById(id);
const [text, consent, send, released, hint] = ["text", "consent", "send", "released", "hint"].map(element);

let brr;
let stream;
let ends = [0]; // lengths of the released parts of the text, in order
let turn = Promise.resolve();

/** Shows why words don't leave, or the next step. */
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

/** Releases the words that are finished in the bundle's language, or all words. */
async function release(all = false) {
  const [{ value }, current] = [text, stream];
  while (ends.at(-1) > value.length) ends.pop(); // the rest was deleted, but released words stay released
  const start = ends.at(-1);
  const typed = value.slice(start);
  const finished = all ? typed : await brr.finished(typed);
  const words = await brr.tokenize(finished);
  if (current !== stream) return; // another text has begun
  if (finished) ends.push(start + finished.length);
  if (consent.getAttribute("aria-checked") === "false") return;
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

/** Releases in the order of typing. */
function releaseInTurn(all) {
  return (turn = turn.then(() => release(all)).catch(({ message }) => say(message, true)));
}

/** Begins another text: its first word has no previous released word. */
function begin() {
  void stream?.end();
  stream = brr.stream();
  text.value = "";
  released.replaceChildren();
  ends = [0];
}

consent.addEventListener("click", async () => {
  const isGiven = consent.getAttribute("aria-checked") === "false";
  await (isGiven ? brr.give() : brr.withdraw());
  begin();
  showConsent(isGiven);
  await showFacts();
});

send.addEventListener("click", async () => {
  await releaseInTurn(true);
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
  say(ok ? "Sent." : "The server didn't accept it.", true);
});

// An input method's composition isn't typed yet. It is committed at the end.
text.addEventListener("input", ({ isComposing }) => isComposing || releaseInTurn());
text.addEventListener("compositionend", () => releaseInTurn());

try {
  brr = await startWorker({
    bundle: "../bundle/",
    budget: { limit: LIMIT, period: DAY },
    memory: { period: 30 * DAY },
    reports: {
      url: new URL("/v1/reports", location.href).href,
      counts: { setting: { cap: 9, wordsADay: 20 } },
      policy: { firstBackoff: 1 },
    },
  });
  begin();
  showConsent(await brr.isGiven());
  for (const field of [text, consent]) field.disabled = false;
  await showFacts();
  document.body.dataset.ready = "true";
} catch (error) {
  say(`The word list can't be opened: ${error.message}`, true);
}
