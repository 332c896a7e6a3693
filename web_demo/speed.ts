/**
 * Prints the seconds of processor time that the first opening took, in a process that has just started. Then does
 * what `benchmarks/languages.py` times, when it asks for it: for each name on a line of standard input, all
 * words once; it answers with the seconds of this process's processor time, or those by the clock.
 *
 *     node out/speed.js BUNDLE WORDS EPSILON FOLDER      FOLDER: for budgets
 */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { FileStorage } from "./src/fileStorage.js";
import { openFolder } from "./src/folder.js";
import { PrivacyBudget } from "./src/privacyBudget.js";
import { Privatizer } from "./src/privatizer.js";

const [folder, words, epsilons, states] = process.argv.slice(2) as [string, string, string, string];
const [count, epsilon] = [Number(words), Number(epsilons)];

async function seconds(action: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await action();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

console.log(await seconds(() => openFolder(folder)));
const bundle = await openFolder(folder);
const { index, size, vocabulary } = bundle;
const random = (below: number): number => Math.floor(Math.random() * below);
const typed = Array.from({ length: count }, () => vocabulary.word(random(size)));
const queries = typed.map(() => Uint32Array.from({ length: bundle.bits / 32 }, () => random(2 ** 32)));
const mechanisms = ["brr", "vickrey", "exponential"] as const;
const privatizers = new Map<string, Privatizer>(
  mechanisms.map((mechanism) => [mechanism, new Privatizer(bundle, { setting: { epsilon, mechanism } })]),
);

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

/** Returns the seconds by the clock that a word of a text takes, which a share of all keeps to. */
async function typing(share: number): Promise<number> {
  const stream = withBudget("typing").stream();
  const times: number[] = [];
  for (const word of typed) {
    const start = performance.now();
    await stream.word(word);
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[Math.ceil(share * count) - 1]! / 1e3;
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
