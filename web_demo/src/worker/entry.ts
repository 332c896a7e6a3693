/** The worker's side: opens the bundle, and releases words in the order of asking. */

import { WordBundle } from "../wordBundle.js";
import { Consent } from "../consent.js";
import { Counts } from "../counts.js";
import { BrrError, checkRest, type BudgetError } from "../errors.js";
import { IndexedDbStorage } from "../indexedDbStorage.js";
import { Memory } from "../memory.js";
import { Outbox } from "../outbox.js";
import { PrivacyBudget } from "../privacyBudget.js";
import { Privatizer, type Stream } from "../privatizer.js";
import { Reporter } from "../reporter.js";
import { systemRandom, uniformBelow } from "../randomness.js";
import { oneAtATime } from "../storage.js";
import { HttpsTransport } from "../transport.js";
import { Uploader } from "../uploader.js";
import { CryptoKeyVault } from "../vault.js";
import type { Answer, Call, Failure, Opened, WorkerOptions } from "./protocol.js";

type Methods = Record<string, (...values: never[]) => unknown>;

/** Opens what the options describe; returns what a page can call. */
async function opened(options: WorkerOptions): Promise<Methods> {
  const { database, budget: limits, memory: kept, reports } = options;
  const stored = (record: string) => new IndexedDbStorage(record, database);
  const vault = new CryptoKeyVault("vault", database);
  const bundle = await WordBundle.open(options.bundle);
  const budget = limits && new PrivacyBudget(limits.limit, limits.period, stored("budget"));
  const memory = kept && new Memory(kept.period, stored("memory"), { vault });
  const privatizer = new Privatizer(bundle, { ...options.privatizer, budget, memory });
  const outbox = new Outbox(stored("outbox"), { vault });
  const consent = new Consent(stored("consent"), outbox);
  const streams = new Map<number, Stream>();
  const { size, bits, digest } = bundle;
  const { epsilon, certifiedEpsilon } = privatizer;
  const methods: Methods = {
    tokenize: (text: string) => bundle.tokenize(text),
    open: (): Opened & { methods: string[] } => ({ size, bits, digest, epsilon, certifiedEpsilon, methods: Object.keys(methods) }),
    word: (word: string) => privatizer.word(word),
    words: (words: string[]) => privatizer.words(words),
    text: (text: string) => privatizer.text(text),
    texts: (texts: string[]) => privatizer.texts(texts),
    begin: (id: number) => void streams.set(id, privatizer.stream()),
    next: (id: number, word: string) => streams.get(id)!.word(word),
    end: (id: number) => void streams.delete(id),
    remaining: () => budget?.remaining() ?? null,
    isGiven: () => consent.isGiven(),
    give: () => consent.give(),
    withdraw: () => consent.withdraw(),
    status: () => outbox.status(),
    refusedBatches: () => outbox.refusedBatches(),
    removeRefused: () => outbox.removeRefused(),
    report: () => false,
  };
  await consent.settle();
  if (reports) {
    const { url, policy, setting, secondCap, ...rest } = reports;
    checkRest(rest, "reports");
    const reporter = new Reporter(new Counts(bundle, { setting, secondCap, memory }), outbox, { budget });
    const uploader = new Uploader(outbox, consent, new HttpsTransport(url), policy);
    methods.report = async (text: string) =>
      (await consent.whileGiven(() => reporter.add(bundle.tokenize(text)).then(() => true))) ?? false;
    void scheduled(uploader);
  }
  return methods;
}

/** Sends what is due, as long as the worker lives. */
async function scheduled(uploader: Uploader): Promise<void> {
  const pause = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));
  const least = Math.ceil(uploader.policy.firstBackoff * 1000);
  await pause(uniformBelow(least + 1, systemRandom)); // not at once when somebody opens the page
  for (;;) {
    try {
      if ((await uploader.wait()) <= 0) await uploader.run();
      await pause(Math.max(await uploader.wait(), least));
    } catch {
      await pause(least); // the outbox can't be used now
    }
  }
}

/** Returns what crosses of an error. One that isn't brrkit's own is a bug; its message might show a word. */
function crossing(error: unknown): Failure {
  if (!(error instanceof BrrError)) return { message: `the worker failed: ${(error as Error)?.name}` };
  const { kind, message, left, renewsIn } = error as BudgetError;
  return { kind, message, left, renewsIn };
}

const alone = oneAtATime();
let methods: Methods = {};

/** Answers a page's calls, one after the other. */
globalThis.onmessage = async ({ data: { id, method, values } }: MessageEvent<Call>) => {
  const answer: Answer = await alone(async () => {
    if (method === "open") methods = await opened(...(values as [WorkerOptions]));
    return methods[method]!(...(values as never[]));
  }).then((value) => ({ id, value }), (error: unknown) => ({ id, error: crossing(error) }));
  globalThis.postMessage(answer);
};
