/** The settings that a bundle recommends, as `brr calibrate --write` puts them in its manifest. */

import { CAP_MAX, CAP_MIN, EPSILON_MAX, EPSILON_MIN } from "./exact.js";
import { arrayOf, integerOf, numberOf, objectOf, plain, stringOf, type Json, type JsonObject } from "./strictJson.js";

/** Numbers in a list `t`: nobody needs more, and a bundle may recommend any. */
export const MOST_CANDIDATES = 64;

/** Words of a day that a device may report: more says all that somebody types. */
export const MOST_A_DAY = 1_000;

/** A number with its 95% confidence interval; where it is exact, all three are equal. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** What was measured of a recommended setting when it was chosen; shares, from 0 to 1. */
export interface Measured {
  /**
   * Who names words. Of one released word, without a text: `isolated`, who holds all words to be as likely,
   * or `frequencies`, who knows how often words are typed. Of a text: these, `sentence`, who reads all that
   * was released of it, or `informed`.
   */
  readonly attacker: string;
  /** Which typed words count: `all`, or `content` for those that aren't among the most frequent ones. */
  readonly over: string;
  /** The name of the file that was released and attacked; null for a computation over the vocabulary. */
  readonly text: string | null;
  /** Share of typed words that come out as themselves. */
  readonly unchanged: Estimate;
  /** How often the attacker names a typed word. */
  readonly attackSuccess: Estimate;
  /** How often they name the least protected 1% of the words; null where it wasn't computed. */
  readonly worst: Estimate | null;
}

/** A setting that a bundle recommends. */
export interface Setting {
  /** A mechanism's name. */
  readonly mechanism: string;
  /** Privacy parameter per bit of Hamming distance. */
  readonly epsilon: number;
  /** Of the mechanism. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** What it was chosen for. */
  readonly goal: string;
  /** What a word loses per bit on the bundle's vocabulary, at most `epsilon`; null if that wasn't computed. */
  readonly certifiedEpsilon: number | null;
  /** SHA-256 of the index that has this vocabulary; null without a certificate. */
  readonly certifiedIndex: string | null;
  /** What was measured of it, if the bundle says so. */
  readonly measured: Measured | null;
}

/** The setting that a bundle recommends for counts. */
export interface CountsSetting {
  /** Largest privacy loss between any two words. */
  readonly cap: number;
  /** Reports that a device sends of a day, at most. */
  readonly wordsADay: number;
  /** What it was chosen for. */
  readonly goal: string;
  /** Attackers of one report, and how often each names the typed word; exact. */
  readonly measured: Readonly<Record<string, number>>;
}

/** Returns the setting that a manifest's field `recommended` has, if it has one. */
export function readSetting(value: Json, bits: number): Setting | undefined {
  const json = objectOf(value);
  const mechanism = stringOf(json?.["mechanism"]);
  const epsilon = numberOf(json?.["epsilon"], EPSILON_MIN, EPSILON_MAX);
  const parameters = objectOf(json?.["parameters"]);
  const goal = stringOf(json?.["goal"]);
  if (!json || mechanism === undefined || epsilon === undefined || !parameters || goal === undefined) return undefined;
  if (!areParameters(parameters, bits)) return undefined;
  const certificate = objectOf(json["certificate"]);
  const certifiedEpsilon = numberOf(certificate?.["certified_epsilon"]) ?? null;
  const certifiedIndex = digestIn(certificate?.["index"]) ?? null;
  if ("certificate" in json && (certifiedEpsilon === null || certifiedIndex === null)) return undefined;
  const measured = readMeasured(objectOf(json["measured"])) ?? null;
  if ("measured" in json && !measured) return undefined;
  return {
    mechanism,
    epsilon,
    parameters: plain(parameters) as Record<string, unknown>,
    goal,
    certifiedEpsilon,
    certifiedIndex,
    measured,
  };
}

function areParameters(parameters: JsonObject, bits: number): boolean {
  const checks: Record<string, (value: Json) => boolean> = {
    t: (value) => {
      const numbers = arrayOf(value) ?? [value];
      return numbers.length >= 1 && numbers.length <= MOST_CANDIDATES && numbers.every(isNumber);
    },
    k: (value) => typeof value === "bigint",
    radius: (value) => integerOf(value, 0, bits) !== undefined,
    base: (value) => typeof value === "string",
    cap: isNumber,
  };
  return Object.entries(checks).every(([name, isRight]) => !(name in parameters) || isRight(parameters[name]!));
}

const isNumber = (value: Json): boolean => numberOf(value) !== undefined;

/** Returns the setting that a manifest's field `counts` has, if it has one. */
export function readCounts(value: Json): CountsSetting | undefined {
  const json = objectOf(value);
  const cap = numberOf(json?.["cap"], CAP_MIN, CAP_MAX);
  const wordsADay = integerOf(json?.["words_a_day"], 1, MOST_A_DAY);
  const goal = stringOf(json?.["goal"]);
  const measured = objectOf(json?.["measured"]);
  if (cap === undefined || wordsADay === undefined || goal === undefined || !measured) return undefined;
  if (!Object.values(measured).every((share) => shareOf(share) !== undefined)) return undefined;
  return { cap, wordsADay, goal, measured: plain(measured) as Record<string, number> };
}

function readMeasured(json: JsonObject | undefined): Measured | undefined {
  const attacker = stringOf(json?.["attacker"]);
  const over = stringOf(json?.["over"]);
  const text = json?.["text"] === null ? null : stringOf(json?.["text"]);
  const unchanged = readEstimate(json?.["unchanged"]);
  const attackSuccess = readEstimate(json?.["attack_success"]);
  const worst = json?.["worst"] === null ? null : readEstimate(json?.["worst"]);
  if (attacker === undefined || over === undefined || text === undefined) return undefined;
  if (!unchanged || !attackSuccess || worst === undefined) return undefined;
  return { attacker, over, text, unchanged, attackSuccess, worst };
}

/** Returns an estimate of a share, if a value is one. */
export function readEstimate(value: Json | undefined): Estimate | undefined {
  const json = objectOf(value);
  const [share, low, high] = [json?.["value"], json?.["low"], json?.["high"]].map(shareOf);
  return share === undefined || low === undefined || high === undefined ? undefined : { value: share, low, high };
}

/** Returns a value if it is a number from 0 to 1. */
export const shareOf = (value: Json | undefined): number | undefined => numberOf(value, 0, 1);

/** Returns a value if it is a SHA-256 in hexadecimal digits. */
export function digestIn(value: Json | undefined): string | undefined {
  const text = stringOf(value);
  return text !== undefined && /^[0-9a-f]{64}$/.test(text) ? text : undefined;
}
