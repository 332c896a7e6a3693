/** The page's sentences about numbers. */

import type { Passing } from "../src/policy.js";
import type { Measured } from "./measuring.js";
import type { Share } from "./tasks.js";

const KNOWS = {
  isolated: { verb: "assume", what: "that all words are equally likely" },
  frequencies: { verb: "know", what: "how often each word is typed" },
};

/** A probability, as 0.20 or 0.078. */
export function probability(value: number): string {
  if (value < 0.0005) return "below 0.001";
  if (value >= 0.995 && value < 1) return "above 0.99";
  return value.toFixed(value < 0.0995 ? 3 : 2);
}

/** A percentage, as people count. */
export function ofHundred(share: number): string {
  if (share > 0 && share < 0.005) return "below 1";
  if (share < 1 && share >= 0.995) return "above 99";
  return String(Math.round(100 * share));
}

/** A number with a number of significant digits, without zeros at its end. */
export function digits(value: number, count: number): string {
  return String(Number(value.toPrecision(count)));
}

/** Attack success, as rounded on the page. */
export function successNumber({ how, success }: Measured): string {
  if (how !== "bounded") return probability(success.value);
  return `${probability(success.low)} to ${probability(success.high)}`;
}

/** What the attacker knows. */
export function attackerKnows({ attacker, blind }: Measured): string {
  const { verb, what } = KNOWS[attacker];
  return `They see one released word, and ${verb} ${what}. Without that word, their success is ${probability(blind)}.`;
}

/** The source of the attack success. */
export function successNote({ how, attacker, success, other }: Measured): string {
  const from = success.from.toLocaleString("en");
  const range = `${probability(success.low)} to ${probability(success.high)}`;
  if (how === "stated") return "Measured when the bundle was calibrated. This page’s own number follows.";
  if (how === "sampled") {
    return `Estimated from ${from} released words: ${range} (95% interval). The exact number follows.`;
  }
  if (how === "drawn") return `Estimated from ${from} draws on this page: ${range} (95% interval).`;
  if (how === "bounded") {
    return (
      `From ${from} draws on this page. An attacker who guesses the released word reaches the lower end; ` +
      "none exceeds the upper end (95% confidence)."
    );
  }
  const worst = success.worst === null ? "" : ` For the least protected 1%, it is ${probability(success.worst)}.`;
  const name = attacker === "isolated" ? "frequencies" : "isolated";
  const { verb, what } = KNOWS[name];
  const beside = other === null ? "" : ` For the ${name} attacker, who ${verb}s ${what}, it is ${probability(other)}.`;
  return `Computed exactly, over all ${from} words.${worst}${beside}`;
}

/** The source of the share of unchanged words. */
export function unchangedNote({ how, success, unchanged }: Measured): string {
  const typed = "for words typed as often as Zipf’s law says";
  if (how === "stated") return `Measured when the bundle was calibrated, ${typed}.`;
  if (how === "computed" || how === "sampled") return `Computed exactly, ${typed}.`;
  const from = success.from.toLocaleString("en");
  const range = `${ofHundred(unchanged.low)} to ${ofHundred(unchanged.high)}`;
  return `Estimated from ${from} draws on this page: ${range} (95% interval), ${typed}.`;
}

/** The length of codes: `64 + 64 bits`, the last of which are task bits. */
export function length({ wordBits, taskBits }: { readonly wordBits: number; readonly taskBits: number }): string {
  return taskBits ? `${wordBits} + ${taskBits} bits` : `${wordBits} bits`;
}

/** The verdicts of typed and released words on a task; null for no class. */
export function verdicts(task: string, typed: Share | null, released: Share | null): string {
  return `${task}: ${typed?.name ?? "no class"} as typed, ${released?.name ?? "no class"} as released.`;
}

/** The largest loss between two words of one release, and its limit. */
export function largestLoss(
  epsilon: number,
  cap: number | null,
  maximum: number,
  passing: boolean,
): { number: string; text: string } {
  const limited = cap !== null && cap < epsilon * maximum;
  const number = digits(limited ? cap : epsilon * maximum, 3);
  const text = limited ? "The cap limits it." : `That is ε times ${digits(maximum, 4)} bits, the largest distance.`;
  return { number, text: passing ? `${text} No bound holds for words that pass.` : text };
}

/** The words that pass, and their probability. */
export function passing({ words, probability }: Pick<Passing, "words" | "probability">, isOfBundle: boolean): string {
  const which = isOfBundle ? "words of the bundle’s policy" : "most frequent words";
  return `Let the ${words.length} ${which} pass ${ofHundred(probability)}% of the time`;
}

/** The bound on the loss per bit of distance. */
export function epsilons(epsilon: number, effective: number, certified: number | null): string {
  const first = `ε is ${digits(epsilon, 4)} per bit. After rounding to integers, the effective ε is ${digits(effective, 6)}`;
  return certified === null ? `${first}.` : `${first}; on this vocabulary, the certified ε is ${digits(certified, 4)}.`;
}

/**
 * The number of correct guesses of an attacker on the last `read` words of a text, and of the secret ones among them.
 */
export function guessed(
  isComputed: boolean,
  right: number,
  read: number,
  words: number,
  secretRight: number,
  secret: number,
): string {
  if (!isComputed) return "The attacker’s guesses are computed only for the mechanism exponential.";
  if (words === 0) return "";
  const which = read === words ? "all released words" : `the last ${read} released words`;
  const share = `${right} of ${counted(read, "word")} (${ofHundred(right / read)}%)`;
  const ofSecret = secret ? `, and ${secretRight} of ${counted(secret, "secret word")}` : "";
  return `An attacker who reads ${which}, and knows the language and the setting, recovers ${share}${ofSecret}.`;
}

const counted = (count: number, name: string): string => `${count} ${name}${count === 1 ? "" : "s"}`;
