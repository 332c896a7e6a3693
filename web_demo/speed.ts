/**
 * Prints the seconds of processor time for the first opening in a new process. Then runs the work that
 * `benchmarks/languages.py` times: for each name on a line of standard input, all words once. Answers with the seconds
 * of this process's processor time, or of wall-clock time. `benchmarks/cost.py` counts the instructions of some of
 * these.
 *
 *     node out/speed.js BUNDLE WORDS EPSILON FOLDER      WORDS: a file with a word in each line; FOLDER: for budgets
 */

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { FileStorage } from "./src/fileStorage.js";
import { openFolder } from "./src/folder.js";
import { PrivacyBudget } from "./src/privacyBudget.js";
import { Privatizer } from "./src/privatizer.js";

const [folder, file, epsilons, states] = process.argv.slice(2) as [string, string, string, string];
const epsilon = Number(epsilons);
const typed = readFileSync(file, "utf8").trimEnd().split("\n");

async function seconds(action: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await action();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

console.log(await seconds(() => openFolder(folder)));
const bundle = await openFolder(folder);
const { index, vocabulary } = bundle;
const random = (below: number): number => Math.floor(Math.random() * below);
const queries = typed.map(() => Uint32Array.from({ length: bundle.bits / 32 }, () => random(2 ** 32)));
const mechanisms = ["brr", "vickrey", "exponential"] as const;
const privatizers = new Map<string, Privatizer>(
  mechanisms.map((mechanism) => [mechanism, new Privatizer(bundle, { setting: { epsilon, mechanism } })]),
);

let asRecommended: Privatizer | undefined;

function withBudget(name: string): Privatizer {
  const state = join(states, name);
  rmSync(state, { force: true });
  return new Privatizer(bundle, { setting: { epsilon }, budget: new PrivacyBudget(1e9, 1e9, new FileStorage(state)) });
}

async function all(privatizer: Privatizer): Promise<void> {
  for (const word of typed) await privatizer.word(word);
}

async function elapsed(privatizer: Privatizer): Promise<number> {
  const start = performance.now();
  await all(privatizer);
  return (performance.now() - start) / 1e3;
}

/** Returns a quantile of the wall-clock seconds per word of a text. */
async function typing(share: number): Promise<number> {
  const stream = withBudget("typing").stream();
  const times: number[] = [];
  for (const word of typed) {
    const start = performance.now();
    await stream.word(word);
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[Math.ceil(share * typed.length) - 1]! / 1e3;
}

const paid = withBudget("budget");

async function taken(name: string): Promise<number> {
  switch (name) {
    case "exponential, by the clock":
      return elapsed(privatizers.get("exponential")!);
    case "with a budget, by the clock":
      return elapsed(paid);
    case "with a new budget, by the clock":
      return elapsed(withBudget("new"));
    case "typing, budget on: p50":
      return typing(0.5);
    case "typing, budget on: p99":
      return typing(0.99);
    case "a text, as recommended":
      return seconds(() => (asRecommended ??= new Privatizer(bundle)).words(typed));
    case "open":
      return seconds(() => openFolder(folder));
    case "find":
      return seconds(() => typed.forEach((word) => vocabulary.find(word)));
    case "search":
      return seconds(() => queries.forEach((query) => index.nearest(query, 1)));
    default:
      return seconds(() => all(privatizers.get(name)!));
  }
}

for await (const name of createInterface({ input: process.stdin })) console.log(await taken(name));
