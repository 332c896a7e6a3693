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
export const readSetting = (value: Json, bits: number): Setting | undefined =>
  readable(() => {
    const json = needed(objectOf(value));
    const parameters = needed(objectOf(json["parameters"]));
    const isWithout = (name: string): boolean => !(name in parameters);
    const t = arrayOf(parameters["t"]) ?? [parameters["t"]];
    needed(
      (isWithout("t") || (t.length >= 1 && t.length <= MOST_CANDIDATES && t.every(isNumber))) &&
        (isWithout("k") || typeof parameters["k"] === "bigint") &&
        (isWithout("radius") || integerOf(parameters["radius"], 0, bits) !== undefined) &&
        (isWithout("base") || typeof parameters["base"] === "string") &&
        (isWithout("cap") || isNumber(parameters["cap"])) || undefined,
    );
    const certificate = "certificate" in json && needed(objectOf(json["certificate"]));
    return {
      mechanism: needed(stringOf(json["mechanism"])),
      epsilon: needed(numberOf(json["epsilon"], EPSILON_MIN, EPSILON_MAX)),
      parameters: plain(parameters) as Record<string, unknown>,
      goal: needed(stringOf(json["goal"])),
      certifiedEpsilon: certificate ? needed(numberOf(certificate["certified_epsilon"])) : null,
      certifiedIndex: certificate ? needed(digestIn(certificate["index"])) : null,
      measured: "measured" in json ? readMeasured(needed(objectOf(json["measured"]))) : null,
    };
  });

const isNumber = (value: Json | undefined): boolean => numberOf(value) !== undefined;

function readMeasured(json: JsonObject): Measured {
  const [text, worst] = [json["text"], json["worst"]];
  return {
    attacker: needed(stringOf(json["attacker"])),
    over: needed(stringOf(json["over"])),
    text: text === null ? null : needed(stringOf(text)),
    unchanged: needed(readEstimate(json["unchanged"])),
    attackSuccess: needed(readEstimate(json["attack_success"])),
    worst: worst === null ? null : needed(readEstimate(worst)),
  };
}

/** Returns the setting that a manifest's field `counts` has, if it has one. */
export const readCounts = (value: Json): CountsSetting | undefined =>
  readable(() => {
    const json = needed(objectOf(value));
    const measured = needed(objectOf(json["measured"]));
    Object.values(measured).forEach((share) => needed(shareOf(share)));
    return {
      cap: needed(numberOf(json["cap"], CAP_MIN, CAP_MAX)),
      wordsADay: needed(integerOf(json["words_a_day"], 1, MOST_A_DAY)),
      goal: needed(stringOf(json["goal"])),
      measured: plain(measured) as Record<string, number>,
    };
  });

/** Returns an estimate of a share, if a value is one. */
export const readEstimate = (value: Json | undefined): Estimate | undefined =>
  readable(() => {
    const json = needed(objectOf(value));
    const share = (name: string): number => needed(shareOf(json[name]));
    return { value: share("value"), low: share("low"), high: share("high") };
  });

/** Returns a value if it is a number from 0 to 1. */
export const shareOf = (value: Json | undefined): number | undefined => numberOf(value, 0, 1);

/** Returns a value if it is a SHA-256 in hexadecimal digits. */
export const digestIn = (value: Json | undefined): string | undefined =>
  typeof value === "string" && /^[0-9a-f]{64}$/.test(value) ? value : undefined;

/** Thrown where a field is missing or wrong. */
const WRONG = new Error();

function needed<T>(value: T | undefined): T {
  if (value === undefined) throw WRONG;
  return value;
}

/** Returns what `read` returns, or nothing where it needed something that wasn't there. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error === WRONG) return undefined;
    throw error;
  }
}
