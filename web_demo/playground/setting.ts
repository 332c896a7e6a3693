/** The setting that a visitor chooses, and the positions of the sliders for it. */

import { BASES, type Base } from "../src/masses.js";
import { createMechanism } from "../src/mechanisms/create.js";
import type { Mechanism } from "../src/mechanisms/mechanism.js";
import type { Parameters, Setting } from "../src/setting.js";
import { Passing, type Policy } from "../src/policy.js";
import type { WordBundle } from "../src/wordBundle.js";

export const MECHANISMS = ["exponential", "brr", "vickrey"] as const;

export type MechanismName = (typeof MECHANISMS)[number];

/** A setting. Parameters that a mechanism lacks are kept until `exponential` is chosen again. */
export interface Choice {
  readonly mechanism: MechanismName;
  /** Epsilon per bit of Hamming distance. */
  readonly epsilon: number;
  /** In bits. */
  readonly radius: number;
  readonly base: Base;
  /** Largest privacy loss between two words; null for none. */
  readonly cap: number | null;
  /** The weight of a differing task bit, as the bundle recommends it; null for the default. */
  readonly task_weight: number | null;
  /** The parameter of `vickrey`, as the bundle recommends it; null for the default. */
  readonly t: NonNullable<Parameters["t"]> | null;
  /** Whether words pass: the bundle's passing words, or otherwise its most frequent words. */
  readonly passing: boolean;
}

/** The first setting: the one that the bundle recommends, or otherwise one to start trying. */
export function startOf({ wordBits, masses, recommended, policy }: Offered): Choice {
  const { radius, base, cap, task_weight, t } = recommended?.parameters ?? {};
  return {
    mechanism: MECHANISMS.find((name) => name === recommended?.mechanism) ?? "exponential",
    epsilon: recommended?.epsilon ?? 1,
    radius: typeof radius === "number" ? radius : wordBits / 8,
    base: BASES.find((name) => name === base) ?? masses.lastBase,
    cap: typeof cap === "number" ? cap : null,
    task_weight: task_weight ?? null,
    t: t ?? null,
    passing: policy.passing !== null,
  };
}

/** The parts of a bundle that determine the first setting. */
export interface Offered {
  readonly wordBits: number;
  readonly masses: { readonly lastBase: Base };
  readonly recommended: Setting | null;
  readonly policy: Policy;
}

/** The mechanism that runs. */
export function mechanismOf(bundle: WordBundle, choice: Choice): Mechanism {
  const { epsilon, mechanism } = choice;
  return createMechanism(bundle, { epsilon, mechanism, parameters: parametersOf(choice) });
}

/** The mechanism's parameters in addition to epsilon. */
export function parametersOf(choice: Choice): Parameters {
  const { mechanism, radius, base, cap, task_weight, t } = choice;
  if (mechanism === "exponential") {
    return { radius, base, ...(cap === null ? {} : { cap }), ...(task_weight === null ? {} : { task_weight }) };
  }
  return mechanism === "vickrey" && t !== null ? { t } : {};
}

/** The number of words that pass, if the bundle has no passing words, and their probability. */
const OTHERWISE = { words: 30, probability: 0.95 };

/** The words that pass, if the visitor chooses that. */
export function passingOf({ policy, size }: Pick<WordBundle, "policy" | "size">): Passing {
  if (policy.passing) return policy.passing;
  const listed = new Set(policy.lists.flatMap(({ members }) => members));
  const words = Array.from({ length: size }, (_, id) => id).filter((id) => !listed.has(id));
  return new Passing(words.slice(0, OTHERWISE.words), OTHERWISE.probability);
}

/** The probability that each word [n] passes. */
export function sharesPassing(bundle: Pick<WordBundle, "policy" | "size">, { passing }: Choice): Float64Array {
  const shares = new Float64Array(bundle.size);
  if (!passing) return shares;
  const { words, probability } = passingOf(bundle);
  for (const id of words) shares[id] = probability;
  return shares;
}

/** The weight of a differing task bit. */
export function taskWeight({ mechanism, task_weight }: Choice): number {
  return (mechanism === "exponential" ? task_weight : null) ?? 1;
}

/** The number of bits of a code, by their weights: the upper bound on distances. */
export function bitsCounted({ wordBits, taskBits }: Pick<WordBundle, "wordBits" | "taskBits">, choice: Choice): number {
  return wordBits + taskWeight(choice) * taskBits;
}

/** A setting in words: `exponential, ε 0.6495, radius 16, base bigram, cap 17`. */
export function described(choice: Choice): string {
  const parameters = Object.entries(parametersOf(choice)).map(([name, value]) => `, ${name} ${value}`);
  return `${choice.mechanism}, ε ${choice.epsilon}${parameters.join("")}${choice.passing ? ", words pass" : ""}`;
}

/** Whether two choices behave alike. */
export function same(one: Choice, other: Choice): boolean {
  return described(one) === described(other);
}

/** A slider's position 0 is exactly the first epsilon. Twelve positions double it. */
export const EPSILON_PLACES = { least: -48, most: 36 };
const DOUBLED = 12;

export function epsilonAt(place: number, start: number): number {
  return place === 0 ? start : Number((start * 2 ** (place / DOUBLED)).toPrecision(4));
}

export function placeOfEpsilon(epsilon: number, start: number): number {
  return Math.round(DOUBLED * Math.log2(epsilon / start));
}

/** The last position of the cap's slider means no cap. */
export const CAP_PLACES = { least: 1, none: 61 };

export function capAt(place: number, start: number | null): number | null {
  if (place === CAP_PLACES.none) return null;
  return start !== null && place === placeOfCap(start) ? start : place;
}

export function placeOfCap(cap: number | null): number {
  return cap === null ? CAP_PLACES.none : Math.min(Math.max(Math.round(cap), CAP_PLACES.least), CAP_PLACES.none - 1);
}
