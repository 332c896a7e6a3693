/** Settings that a bundle recommends, and that `Privatizer` and `Counts` take. */

import { CAP_MAX, CAP_MIN, EPSILON_MAX, EPSILON_MIN, isWithin } from "./exact.js";
import type { Base } from "./masses.js";
import { integerOf, need, numberOf, objectOf, plain, stringOf, type Json, type JsonObject } from "./strictJson.js";

/** The mechanism of a setting without a name. */
export const DEFAULT_MECHANISM = "exponential";

/** Largest number of entries in a list `t`; nobody needs more. */
export const MOST_CANDIDATES = 64;

/** Largest weight of a differing task bit. */
export const MOST_TASK_WEIGHT = 16;

/** Largest number of words or frames that a device may report for a day. More would reveal all that a person types. */
export const MOST_A_DAY = 1_000;

/** Largest number of words in a frame, and in a day's frames, which are drawn at once. */
export const [MOST_IN_FRAME, MOST_FRAMED] = [64, 8_192];

/** A number with its 95% confidence interval. If it is exact, all three numbers are equal. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Measured results of a setting over a set of words; shares, from 0 to 1. */
export interface Shares {
  /** Share of typed words that are released unchanged. */
  readonly unchanged: Estimate;
  /** Probability that the attacker recovers a typed word. */
  readonly attackSuccess: Estimate;
  /** Attack success on the least protected 1% of the words; null if it wasn't computed. */
  readonly worst: Estimate | null;
}

/** Results of a setting, measured when it was chosen, over the words that `over` states; shares, from 0 to 1. */
export interface Measured {
  /**
   * Name of the attacker. One released word suffices for `isolated`, who assumes that all words are equally likely, and
   * `frequencies`, who knows the words' frequencies. With a text: also `sentence`, who reads all released words, or
   * `informed`.
   */
  readonly attacker: string;
  /**
   * Which typed words of the vocabulary count: `all`, or `content` for the content words, without the most frequent
   * words.
   */
  readonly over: string;
  /** The name of the file that was released and attacked; null for a computation over the vocabulary. */
  readonly text: string | null;
  /** This and the next two: as in `Shares`. */
  readonly unchanged: Estimate;
  readonly attackSuccess: Estimate;
  readonly worst: Estimate | null;
  /** The same over all words of the vocabulary; null if `over` is `all`. */
  readonly allWords: Shares | null;
  /** Probability that the attacker recognizes an unknown word of a text as unknown; null without such words. */
  readonly unknownRecognized: Estimate | null;
}

/** The privacy loss of a setting of `exponential` on one vocabulary. */
export interface Certificate {
  /** The loss per bit of Hamming distance; at most the setting's epsilon. */
  readonly certifiedEpsilon: number;
  /** SHA-256 of the index with this vocabulary. */
  readonly index: string;
  /** The setting, in words; the certificate holds for no other. */
  readonly of: string;
}

/** Parameters of a mechanism. Missing ones have their defaults. */
export interface Parameters {
  /**
   * For `exponential`, in bits without task bits: words within it are nearly as probable outputs as the word itself.
   */
  readonly radius?: number | undefined;
  /** For `exponential`: the base measure, which makes some words more probable; by default the last in the bundle. */
  readonly base?: Base | undefined;
  /** For `exponential`: the upper bound on the privacy loss between any two words; by default none. */
  readonly cap?: number | undefined;
  /** For `exponential`: the weight of a differing task bit, from 0 to 16; by default 1. */
  readonly task_weight?: number | undefined;
  /** For `vickrey`: a number from 0 to 1, by default 0.5; or k numbers >= 0. */
  readonly t?: number | readonly number[] | undefined;
  /** For `vickrey`: the number of candidates; optional, because t implies it. */
  readonly k?: number | undefined;
}

/** A setting for text. Its values are checked where it is used. Only data. */
export interface Setting {
  /** Privacy parameter per bit of Hamming distance, from 1e-9 to 22.18. */
  readonly epsilon: number;
  /** `exponential`, which is the default, `brr` or `vickrey`. */
  readonly mechanism?: string | undefined;
  readonly parameters?: Parameters | undefined;
  /** The goal for which it was chosen; none without a measured goal. */
  readonly goal?: string | undefined;
  /** Its privacy loss on the bundle's vocabulary, if computed. */
  readonly certificate?: Certificate | undefined;
  /** Its measured results, if there are any. */
  readonly measured?: Measured | undefined;
}

/** A setting for counts. Its values are checked where it is used. Only data. */
export interface CountsSetting {
  /** Largest privacy loss between any two words, from 1e-9 to 88. */
  readonly cap: number;
  /** The largest number of reports that a device sends for a day, from 1 to 1,000, by default 1. */
  readonly wordsADay?: number | undefined;
  /** The goal for which it was chosen; none without a measured goal. */
  readonly goal?: string | undefined;
  /** Attack success on one report, by attacker; exact for `isolated` and `frequencies`. */
  readonly measured?: Readonly<Record<string, number>> | undefined;
}

/** The shape of a day's text, whatever is typed. Only data. */
export interface Frames {
  /** Number of words in a frame, from 1 to 64. */
  readonly words: number;
  /** Number of frames for a day, from 1 to 1,000, with at most 8,192 words together. */
  readonly aDay: number;
}

/** The parameters of `exponential`. Only its settings are certified. */
export const CERTIFIED = ["radius", "base", "cap", "task_weight"];

/**
 * Returns a setting in words, in the form of a certificate. It is equal for settings that behave alike.
 *
 * `JSON.stringify` includes only the listed parameters, in the list's order.
 */
export const described = ({ mechanism = DEFAULT_MECHANISM, epsilon, parameters = {} }: Setting): string =>
  JSON.stringify([mechanism, epsilon, parameters], CERTIFIED);

/** Returns the setting in a manifest's field `recommended`. Codes have `wordBits` bits without task bits. */
export function readSetting(value: Json, wordBits: number): Setting {
  const fields = objectOf(value);
  const setting = {
    epsilon: numberOf(fields["epsilon"], EPSILON_MIN, EPSILON_MAX),
    mechanism: stringOf(fields["mechanism"]),
    parameters: readParameters(fields["parameters"], wordBits),
    goal: stringOf(fields["goal"]),
  };
  return {
    ...setting,
    certificate: "certificate" in fields ? readCertificate(fields["certificate"], setting) : undefined,
    measured: "measured" in fields ? readMeasured(fields["measured"]) : undefined,
  };
}

/** Returns parameters of the right types; the mechanism checks them itself. */
function readParameters(value: Json | undefined, wordBits: number): Parameters {
  const fields = objectOf(value);
  const { t, k, radius, base, cap, task_weight } = fields;
  if (t !== undefined) {
    const numbers = Array.isArray(t) ? t : [t];
    need(isWithin(numbers.length, 1, MOST_CANDIDATES));
    for (const number of numbers) numberOf(number);
  }
  if (k !== undefined) integerOf(k);
  if (radius !== undefined) integerOf(radius, 0, wordBits);
  if (base !== undefined) stringOf(base);
  if (cap !== undefined) numberOf(cap);
  if (task_weight !== undefined) integerOf(task_weight, 0, MOST_TASK_WEIGHT);
  return plain(fields) as Parameters;
}

function readCertificate(value: Json | undefined, setting: Setting): Certificate {
  const fields = objectOf(value);
  return {
    certifiedEpsilon: numberOf(fields["certified_epsilon"]),
    index: digestIn(fields["index"]),
    of: described(setting),
  };
}

function readMeasured(value: Json | undefined): Measured {
  const fields = objectOf(value);
  const text = fields["text"];
  const allWords = fields["all_words"] ?? null;
  const unknownRecognized = fields["unknown_recognized"] ?? null;
  return {
    attacker: stringOf(fields["attacker"]),
    over: stringOf(fields["over"]),
    text: text === null ? null : stringOf(text),
    ...readShares(fields),
    allWords: allWords === null ? null : readShares(objectOf(allWords)),
    unknownRecognized: unknownRecognized === null ? null : readEstimate(unknownRecognized),
  };
}

const readShares = (fields: JsonObject): Shares => ({
  unchanged: readEstimate(fields["unchanged"]),
  attackSuccess: readEstimate(fields["attack_success"]),
  worst: fields["worst"] === null ? null : readEstimate(fields["worst"]),
});

/** Returns the setting in a manifest's field `counts`. */
export function readCounts(value: Json): CountsSetting {
  const fields = objectOf(value);
  const measured = objectOf(fields["measured"]);
  Object.values(measured).forEach(shareOf);
  return {
    cap: numberOf(fields["cap"], CAP_MIN, CAP_MAX),
    wordsADay: integerOf(fields["words_a_day"], 1, MOST_A_DAY),
    goal: stringOf(fields["goal"]),
    measured: plain(measured) as Record<string, number>,
  };
}

/** Returns the frames in a manifest's field `frames`. */
export function readFrames(value: Json): Frames {
  const fields = objectOf(value);
  const words = integerOf(fields["words"], 1, MOST_IN_FRAME);
  const aDay = integerOf(fields["a_day"], 1, MOST_A_DAY);
  need(words * aDay <= MOST_FRAMED && Object.keys(fields).length === 2);
  return { words, aDay };
}

/** Returns an estimate of a share. */
export function readEstimate(value: Json | undefined): Estimate {
  const fields = objectOf(value);
  return { value: shareOf(fields["value"]), low: shareOf(fields["low"]), high: shareOf(fields["high"]) };
}

/** Returns a value, which must be a number from 0 to 1. */
export const shareOf = (value: Json | undefined): number => numberOf(value, 0, 1);

/** Returns a value, which must be a SHA-256 in hexadecimal digits. */
export function digestIn(value: Json | undefined): string {
  need(typeof value === "string" && /^[0-9a-f]{64}$/.test(value));
  return value;
}
