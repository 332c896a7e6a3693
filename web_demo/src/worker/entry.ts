/** The worker's side: opens the bundle, and releases words in the order of the calls. */

import {
  BrrError, Consent, Counts, CryptoKeyVault, HttpsTransport, IndexedDbStorage, Memory, Outbox, ParameterError,
  PrivacyBudget, Privatizer, Reporter, systemRandom, TextReporter, Uploader, WordBundle, type BudgetError, type Stream,
} from "../index.js";
import type { Answer, Call, Failure, Opened, WorkerOptions } from "./protocol.js";

type Methods = Record<string, (...values: never[]) => unknown>;

/** Opens the bundle and the states in the options. Returns the functions that a page can call. */
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
    open: (): Opened & { methods: string[] } => {
      return { size, bits, digest, epsilon, certifiedEpsilon, methods: Object.keys(methods) };
    },
    begin(id: number) {
      streams.set(id, privatizer.stream());
    },
    next: (id: number, word: string) => streams.get(id)!.word(word),
    end(id: number) {
      streams.delete(id);
    },
    remaining: () => budget?.remaining() ?? null,
    wordsLeft: () => budget?.wordsLeft(certifiedEpsilon, digest) ?? null,
    report: () => false,
    reportText: () => false,
  };
  const take = <Name extends string>(object: Record<Name, (...values: never[]) => unknown>, ...names: Name[]) => {
    for (const name of names) methods[name] = (...values) => object[name](...values);
  };
  take(bundle, "tokenize");
  take(bundle, "finished");
  take(privatizer, "word", "words", "text", "texts");
  take(consent, "isGiven", "give", "withdraw");
  take(outbox, "status", "refusedBatches", "removeRefused");
  await consent.settle();
  if (reports) {
    const { url, policy, counts, texts, ...rest } = reports;
    for (const property in rest) throw new ParameterError(`reports takes no '${property}'`);
    if (!counts && !texts) throw new ParameterError("reports needs counts, texts or both");
    const shown = async (show: () => Promise<void>) => (await consent.whileGiven(() => show().then(() => true))) ?? false;
    if (counts) {
      const reporter = new Reporter(new Counts(bundle, { ...counts, memory }), outbox, { budget });
      methods.report = (text: string) => shown(() => reporter.add(bundle.tokenize(text)));
    }
    const reporter = texts && new TextReporter(bundle, outbox, texts);
    if (reporter) methods.reportText = (text: string, marked) => shown(() => reporter.add(text, marked));
    void scheduled(new Uploader(outbox, consent, new HttpsTransport(url), policy, reporter));
  }
  return methods;
}

/** Sends reports when they are due, as long as the worker runs. */
async function scheduled(uploader: Uploader): Promise<void> {
  const pause = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));
  const least = Math.ceil(uploader.policy.firstBackoff * 1000);
  await pause(new Uint32Array(systemRandom(4).buffer)[0]! % least); // not immediately when a person opens the page
  for (;;) {
    try {
      if ((await uploader.wait()) <= 0) await uploader.run();
      await pause(Math.max(await uploader.wait(), least));
    } catch {
      await pause(least); // the outbox can't be used at present
    }
  }
}

/**
 * Returns the part of an error that is sent to the page. An error that isn't brrkit's own is a bug, and its message
 * might contain a word.
 */
function crossing(error: unknown): Failure {
  if (!(error instanceof BrrError)) return { message: `the worker failed: ${(error as Error)?.name}` };
  const { kind, message, left, renewsIn } = error as BudgetError;
  return { kind, message, left, renewsIn };
}

let methods: Methods = {};
let answered: Promise<void> = Promise.resolve();

/** Answers a page's calls, one after the other. */
globalThis.onmessage = ({ data }: MessageEvent<Call>) => {
  answered = answered.then(() => answer(data));
};

async function answer({ id, method, values }: Call): Promise<void> {
  globalThis.postMessage(await answerTo(id, method, values));
}

async function answerTo(id: number, method: string, values: readonly unknown[]): Promise<Answer> {
  try {
    if (method === "open") methods = await opened(...(values as [WorkerOptions]));
    return { id, value: await methods[method]!(...(values as never[])) };
  } catch (error) {
    return { id, error: crossing(error) };
  }
}
