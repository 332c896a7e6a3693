/** The page: the typed text, the released text, and the setting. */

import { BASES } from "../src/masses.js";
import type { Mechanism } from "../src/mechanisms/mechanism.js";
import { WordBundle } from "../src/wordBundle.js";
import { background } from "./background.js";
import { filesOf } from "./files.js";
import { guessing, type Guess } from "./guessing.js";
import { fragmentOf, linkedIn, type Linked } from "./link.js";
import type { Measured } from "./measuring.js";
import { follow, type Drawing, type Word } from "./released.js";
import type { Progress } from "./serving.js";
import * as settings from "./setting.js";
import type { Choice } from "./setting.js";
import { judging } from "./taskTables.js";
import * as say from "./words.js";

/** The content that the toolchain adds to the page. Files are in Base64. */
interface Data {
  readonly name: string;
  readonly note: string;
  readonly home: string;
  readonly files: Readonly<Record<string, string>>;
}

const EXAMPLE = "will it rain in boston on monday";
const PAUSE = 800; // ms after which an unfinished word is released
const SAID = 4000; // ms for which a button shows its effect
const QUIET = 1200; // ms from the last change to the screen reader's announcement

const MECHANISM_NOTES = {
  exponential: "Draws the released word directly: nearer words are more likely.",
  brr: "Flips bits of the word’s code at random, and releases the word nearest to the result.",
  vickrey: "Flips bits as brr does, and releases one of the two nearest words.",
};

const BASE_NOTES = {
  uniform: "No word is a more likely output than another.",
  unigram: "Frequent words are more likely outputs.",
  bigram: "Words that often follow the previous released word are more likely outputs.",
};

function element<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

/** Fills the page, and follows typing and choices. `script` is this script, for the worker. */
export async function show(script: string): Promise<void> {
  const data: Data = JSON.parse(element("data").textContent!);
  try {
    const files = filesOf(data.files);
    const bundle = await WordBundle.of(files);
    describe(bundle, data);
    const announce = announcer();
    const worker = background(
      script,
      files,
      (progress, asked) => showProgress(progress, asked, bundle.size, announce),
      () => {
        element("success-note").textContent = "This browser does not let the page compute in the background.";
      },
    );
    const link = linkedIn(location.hash, bundle);
    const release = releasing(bundle, link ?? { text: EXAMPLE, secret: "" }, worker.guess, announce);
    let current: Choice;
    const passing = settings.passingOf(bundle);
    choosing(bundle, link?.choice, (choice, mechanism, certified) => {
      current = choice;
      release(choice, { mechanism, passing: choice.passing ? passing : null });
      element("results").ariaBusy = "true";
      roughen(true); // the numbers on the page are those of the previous setting
      worker.measure(choice);
      showLoss(bundle, choice, mechanism, certified);
    });
    const valueOf = (id: string): string => element<HTMLInputElement>(id).value;
    copying(() => fragmentOf({ text: valueOf("typed"), secret: valueOf("secret"), choice: current }), announce);
  } catch (error) {
    const failed = element("failed");
    failed.hidden = false;
    failed.textContent = `The playground can’t run here: ${error instanceof Error ? error.message : "unknown error"}`;
  }
}

function describe(bundle: WordBundle, { name, note, home }: Data): void {
  element("bundle").textContent = `${name}: ${bundle.size.toLocaleString("en")} words, ${say.length(bundle)}`;
  const item = element("note");
  item.hidden = note === "";
  item.textContent = note;
  const link = element<HTMLAnchorElement>("home");
  link.hidden = home === "";
  if (home !== "") link.href = home;
}

/** Announces changes to a screen reader after a pause: the last text of each kind. */
type Announce = (kind: "released" | "guessed" | "measured" | "copied", text: () => string) => void;

function announcer(): Announce {
  const status = element("status");
  const texts = new Map<string, () => string>();
  let timer = 0;
  return (kind, text) => {
    texts.set(kind, text);
    window.clearTimeout(timer);
    timer = window.setTimeout(() => {
      const news = [...texts.values()].map((each) => each()).join(" ").trim();
      texts.clear();
      if (news !== "") status.textContent = news;
    }, QUIET);
  };
}

/** Follows the text, and returns a function that releases all of it again with another mechanism. */
function releasing(
  bundle: WordBundle,
  { text, secret }: Pick<Linked, "text" | "secret">,
  guess: Guess,
  announce: Announce,
): (choice: Choice, drawing: Drawing) => void {
  const typed = element<HTMLTextAreaElement>("typed");
  const marked = element<HTMLInputElement>("secret");
  const list = element("released");
  const judge = judging(bundle, element("tasks"));
  let told = 0;
  const attack = guessing(bundle, list, element("guessed"), guess, (summary) => {
    if (told > 0) announce("guessed", () => summary); // nobody requested the first one
    told++;
  });
  let verdicts = "";
  let setting: { readonly choice: Choice; readonly drawing: Drawing } | null = null;
  let shown: readonly Word[] = [];
  let spoken = 0; // number of announced words in `shown`
  let timer = 0;

  function update(earlier: readonly Word[], ended: boolean): void {
    if (setting === null) return;
    window.clearTimeout(timer);
    const all = bundle.tokenize(typed.value);
    const finished = ended ? all : bundle.tokenize(bundle.finished(typed.value));
    const waits = finished.length < all.length;
    const words = follow(bundle, setting.drawing, finished, new Set(bundle.tokenize(marked.value)), earlier);
    const changed = words.findIndex((word, place) => word !== shown[place]);
    const first = changed === -1 ? words.length : changed;
    shown = words;
    spoken = Math.min(spoken, first);
    render(bundle, list, words, first, waits ? all.at(-1)! : null);
    verdicts = judge(words);
    attack(setting.choice, words);
    if (waits) timer = window.setTimeout(end, PAUSE);
  }

  function end(): void {
    update(shown, true);
    announce("released", unspoken);
  }

  function unspoken(): string {
    const words = shown.slice(spoken).map(({ released }) => bundle.vocabulary.word(released));
    spoken = shown.length;
    return words.length === 0 ? "" : `Released: ${words.join(", ")}. ${verdicts}`.trim();
  }

  function grow(): void {
    update(shown, false);
    announce("released", unspoken);
  }

  // An input method's composition isn't typed yet. It is committed at the end.
  typed.addEventListener("input", (event) => {
    if (!(event as InputEvent).isComposing) grow();
  });
  typed.addEventListener("compositionend", grow);
  typed.addEventListener("blur", end);
  function drawAll(): void {
    update([], true);
    announce("released", unspoken);
  }

  element("draw").addEventListener("click", drawAll);
  marked.addEventListener("change", drawAll);
  typed.value = text;
  marked.value = secret;
  return (choice, drawing) => {
    setting = { choice, drawing };
    update([], true);
    spoken = shown.length; // the announcement shows the setting's effect
  };
}

/** Shows the words of a text, those from `first` on as new ones, and an unfinished token. */
function render(
  { vocabulary }: WordBundle,
  list: HTMLElement,
  words: readonly Word[],
  first: number,
  waiting: string | null,
): void {
  const rows = words.slice(first).map(({ typed, id, secret, released }) => {
    const word = vocabulary.word(released);
    if (secret) return row(typed, word, "secret", "new secret");
    if (id === released) return row(typed, word, "unchanged", "new same");
    return id < 0 ? row(typed, word, "unknown word", "new unknown") : row(typed, word, "", "new");
  });
  if (waiting !== null) rows.push(row(waiting, "…", "", "waiting"));
  if (words.length === 0 && waiting === null) {
    rows.push(Object.assign(document.createElement("li"), { className: "empty", textContent: "Nothing yet." }));
  }
  list.replaceChildren(...[...list.children].slice(0, first), ...rows);
}

function row(typed: string, released: string, kind: string, className: string): HTMLLIElement {
  const item = Object.assign(document.createElement("li"), { className });
  for (const [name, text] of [
    ["typed", typed],
    ["sr", " becomes "],
    ["word", released],
    ["kind", kind],
    ["guess", ""],
  ] as const) {
    item.append(Object.assign(document.createElement("span"), { className: name, textContent: text }));
  }
  return item;
}

/** Shows the progress of a setting's measurement. `asked` is the number of settings requested so far. */
function showProgress(progress: Progress, asked: number, words: number, announce: Announce): void {
  if (progress.measured === null) {
    const done = `${Math.floor(100 * progress.prepared)}%`;
    element("success-note").textContent = `Counting the distances of ${words.toLocaleString("en")} words: ${done}.`;
    return;
  }
  const { measured, done } = progress;
  showMeasured(measured, done);
  element("results").ariaBusy = String(!done);
  if (done && asked > 1) announce("measured", () => spokenResult(measured)); // nobody requested the first one
}

function showMeasured(measured: Measured, done: boolean): void {
  const success = say.successNumber(measured);
  const unchanged = say.ofHundred(measured.unchanged.value);
  element("success").textContent = success;
  element("unchanged-value").textContent = unchanged;
  const bounded = measured.how === "bounded";
  element("success").classList.toggle("range", bounded);
  roughen(!done && measured.how !== "computed");
  fill("success-ticks", bounded ? measured.success.low : measured.success.value, bounded ? measured.success.high : 0);
  fill("unchanged-ticks", measured.unchanged.value, 0);
  element("attacker").textContent = measured.attacker;
  element("attacker-knows").textContent = say.attackerKnows(measured);
  element("success-note").textContent = say.successNote(measured);
  element("unchanged-note").textContent = say.unchangedNote(measured);
  element("reads").textContent = `Attack success ${success}; ${unchanged} of 100 unchanged`;
}

/** Shows whether numbers may still change. */
function roughen(rough: boolean): void {
  for (const id of ["success", "unchanged"]) element(id).classList.toggle("rough", rough);
}

/** Fills a hundred ticks up to a share, and lower ticks up to another one. */
function fill(id: string, share: number, reach: number): void {
  element(id).style.setProperty("--share", String(Math.round(100 * share)));
  element(id).style.setProperty("--reach", String(Math.round(100 * reach)));
}

function spokenResult(measured: Measured): string {
  const unchanged = say.ofHundred(measured.unchanged.value);
  return `Attack success ${say.successNumber(measured)}. About ${unchanged} of 100 words come out unchanged.`;
}

function showLoss(
  bundle: WordBundle,
  choice: Choice,
  { effectiveEpsilon }: Mechanism,
  certified: number | null,
): void {
  const cap = choice.mechanism === "exponential" ? choice.cap : null;
  const loss = say.largestLoss(certified ?? effectiveEpsilon, cap, largestDistance(bundle, choice), choice.passing);
  element("loss-value").textContent = loss.number;
  element("loss-power").textContent = loss.number;
  element("loss-text").textContent = loss.text;
  element("loss-note").textContent = say.epsilons(choice.epsilon, effectiveEpsilon, certified);
}

/** The upper bound on the distance between two words: the bundle's, if all pairs were compared. */
function largestDistance(bundle: WordBundle, choice: Choice): number {
  const { hamming } = (bundle.manifest["distances"] ?? {}) as { hamming?: { exact?: unknown } };
  const counted = hamming?.exact === true ? (bundle.maximumDistance ?? Infinity) : Infinity; // each bit once
  return Math.min(settings.bitsCounted(bundle, choice), Math.max(settings.taskWeight(choice), 1) * counted);
}

/** Sets up the setting's controls. `chosen` receives each choice, including the first one. */
function choosing(
  bundle: WordBundle,
  linked: Choice | undefined,
  chosen: (choice: Choice, mechanism: Mechanism, certified: number | null) => void,
): void {
  const { wordBits, masses, recommended } = bundle;
  const start = settings.startOf(bundle);
  const epsilon = slider("epsilon", settings.EPSILON_PLACES.least, settings.EPSILON_PLACES.most);
  const radius = slider("radius", 0, Math.max(wordBits / 2, start.radius));
  const cap = slider("cap", settings.CAP_PLACES.least, settings.CAP_PLACES.none);
  const mechanism = choices("mechanisms", settings.MECHANISMS);
  const base = choices("bases", BASES);
  const passing = element<HTMLInputElement>("passing");
  element("passing-name").textContent = say.passing(settings.passingOf(bundle), bundle.policy.passing !== null);
  const reset = element("reset");
  const whose = recommended ? "Recommended by the bundle" : "A starting point";
  reset.textContent = recommended ? "Back to the recommended setting" : "Back to the start";
  base.disable("bigram", masses.bigrams === 0);

  function apply(choice: Choice): void {
    epsilon.show(settings.placeOfEpsilon(choice.epsilon, start.epsilon), say.digits(choice.epsilon, 4));
    radius.show(choice.radius, `${choice.radius} bits`);
    cap.show(settings.placeOfCap(choice.cap), choice.cap === null ? "none" : say.digits(choice.cap, 4));
    mechanism.show(choice.mechanism);
    base.show(choice.base);
    passing.checked = choice.passing;
    element("mechanism-note").textContent = MECHANISM_NOTES[choice.mechanism];
    element("base-note").textContent = BASE_NOTES[choice.base];
    element("of-exponential").hidden = choice.mechanism !== "exponential";
    const changed = !settings.same(choice, start);
    element("setting-note").textContent = `${changed ? "Your setting" : whose}: ${settings.described(choice)}.`;
    reset.setAttribute("aria-disabled", String(!changed));
    const certified = changed ? null : (recommended?.certificate?.certifiedEpsilon ?? null);
    chosen(choice, settings.mechanismOf(bundle, choice), certified);
  }

  const read = (): Choice => ({
    mechanism: mechanism.value(),
    epsilon: settings.epsilonAt(epsilon.place(), start.epsilon),
    radius: radius.place(),
    base: base.value(),
    cap: settings.capAt(cap.place(), start.cap),
    task_weight: start.task_weight,
    t: start.t,
    passing: passing.checked,
  });
  let frame = 0;
  element("settings").addEventListener("input", () => {
    window.cancelAnimationFrame(frame); // a slider moves faster than words can be read
    frame = window.requestAnimationFrame(() => apply(read()));
  });
  reset.addEventListener("click", () => apply(start));
  apply(linked ?? start);
}

/** Copies a link to this page. Its fragment contains the text and the setting. */
function copying(fragment: () => string, announce: Announce): void {
  const button = element("copy");
  const label = button.textContent;
  let timer = 0;
  const address = location.href.split("#")[0]!;
  const hasAddress = /^(https?|file):/.test(address); // a frame in a report has none
  for (const each of [button, element("copy-note")]) each.hidden = !hasAddress;
  button.addEventListener("click", async () => {
    const link = address + fragment();
    // There is no clipboard if the page isn't served over HTTPS.
    const isCopied = (await navigator.clipboard?.writeText(link).then(() => true, () => false)) ?? false;
    if (!isCopied) history.replaceState(null, "", link);
    const news = isCopied ? "The link is copied." : "The link is in the address bar.";
    button.textContent = isCopied ? "Link copied" : "Link in the address bar";
    window.clearTimeout(timer);
    timer = window.setTimeout(() => {
      button.textContent = label;
    }, SAID);
    announce("copied", () => news);
  });
  window.addEventListener("hashchange", () => location.reload()); // another link, in the same tab
}

interface Slider {
  place(): number;
  show(place: number, value: string): void;
}

function slider(id: string, least: number, most: number): Slider {
  const input = element<HTMLInputElement>(id);
  Object.assign(input, { min: String(least), max: String(most) });
  return {
    place: () => input.valueAsNumber,
    show(place, value) {
      input.value = String(place);
      input.setAttribute("aria-valuetext", value);
      element(`${id}-value`).textContent = value;
    },
  };
}

interface Choices<Name extends string> {
  value(): Name;
  show(name: Name): void;
  disable(name: Name, disabled: boolean): void;
}

function choices<Name extends string>(id: string, names: readonly Name[]): Choices<Name> {
  const inputs = names.map((value) =>
    Object.assign(document.createElement("input"), { type: "radio", name: id, value }),
  );
  element(id)
    .querySelector(".choices")!
    .append(
      ...inputs.map((input) => {
        const label = document.createElement("label");
        label.append(input, input.value);
        return label;
      }),
    );
  const of = (name: Name): HTMLInputElement => inputs[names.indexOf(name)]!;
  return {
    value: () => names.find((name) => of(name).checked)!,
    show(name) {
      of(name).checked = true;
    },
    disable(name, disabled) {
      of(name).disabled = disabled;
    },
  };
}
