/**
 * Policies: lists of secret words, and words that are nobody's secret.
 *
 * A policy is public, and part of a bundle. `spec/bundle-format.md`, "Policy", specifies it.
 */

import { eightBytes } from "./bytes.js";
import { KEEP_ONE } from "./exact.js";
import { uniformBig, type RandomSource } from "./randomness.js";
import {
  arrayOf, integerOf, need, numberOf, objectOf, shortStringOf, stringOf, unique, type Json,
} from "./strictJson.js";
import { UNKNOWN } from "./token.js";

const MOST_LISTS = 16;
const MOST_MEMBERS = 65_536;
const MOST_FORMS = 16_384; // in all lists
const LONGEST_FORM = 64; // code points
const MOST_PASSING = 1_024;
const [LEAST, MOST] = [0.001, 0.999];

/** Words that no release tells apart: each is typed as the list's head, its first member. */
export interface SecretList {
  readonly name: string;
  /** Ids of words of the vocabulary, ascending. */
  readonly members: readonly number[];
  /** Strings outside the vocabulary that are typed as the head, too. */
  readonly forms: readonly string[];
}

/** Words that are nobody's secret: each skips a draw with a given probability. */
export class Passing {
  /** The number of integers below 2^63 that let a word pass, rounded down (more privacy). */
  readonly threshold: bigint;
  /** The threshold and the ids of the words, as bytes: `spec/state-files.md`. */
  readonly numbers: Uint8Array;
  readonly #words: ReadonlySet<number>;

  /**
   * @param words their ids, ascending.
   * @param probability probability that a word stays as typed; otherwise the mechanism draws.
   */
  constructor(
    readonly words: readonly number[],
    readonly probability: number,
  ) {
    this.threshold = BigInt(Math.floor(probability * 2 ** 63)); // Number(KEEP_ONE) is negative in Hermes 0.12
    this.numbers = eightBytes(this.threshold, ...words);
    this.#words = new Set(words);
  }

  /**
   * Returns all bits if a word passes, else none; draws one uniform integer, whatever was typed.
   *
   * Proof: `docs/explanation/proofs.md`, "Passing words".
   *
   * @param typed id of the word that a token is typed as, or UNKNOWN.
   */
  coin(typed: number, random: RandomSource): number {
    const isBelow = uniformBig(KEEP_ONE, random) < this.threshold;
    return -(Number(isBelow) & Number(this.#words.has(typed)));
  }
}

/** The sensitivity of a bundle's words: lists of secret words, and passing words. */
export class Policy {
  readonly #ofMembers = new Map<number, number>();
  readonly #ofForms = new Map<string, number>();

  /**
   * @param lists disjoint lists of secret words.
   * @param passing words that are nobody's secret, in no list; null if there are none.
   */
  constructor(
    readonly lists: readonly SecretList[] = [],
    readonly passing: Passing | null = null,
  ) {
    for (const { members, forms } of lists) {
      const head = members[0]!;
      for (const id of members) this.#ofMembers.set(id, head);
      for (const form of forms) this.#ofForms.set(form, head);
    }
  }

  /**
   * Returns the id of the word that a string is typed as, or UNKNOWN.
   *
   * A member or form of a list is typed as the list's head, any other word as itself. Proof that nothing released
   * depends on anything else: `docs/explanation/proofs.md`, "Lists".
   *
   * @param text the normalized string.
   * @param id id of the word with this spelling, or UNKNOWN.
   */
  typedAs(text: string, id: number): number {
    if (id === UNKNOWN) return this.#ofForms.get(text) ?? UNKNOWN;
    return this.#ofMembers.get(id) ?? id;
  }

  /** Returns the head of the list with a name; undefined if there is none. */
  headOf(name: string): number | undefined {
    return this.lists.find((list) => list.name === name)?.members[0];
  }
}

/** Parses a manifest's field `policy` for `size` words; it doesn't check whether a form is one of them. */
export function readPolicy(value: Json, size: number): Policy {
  const { lists: listed, passing, ...rest } = objectOf(value);
  needNone(rest);
  const lists = arrayOf(listed, 0, MOST_LISTS).map((each) => secretList(each, size));
  const words = passing === undefined ? null : readPassing(passing, size);
  const forms = lists.flatMap((list) => list.forms);
  need(forms.length <= MOST_FORMS);
  unique(forms);
  unique(lists.map(({ name }) => name));
  unique([...lists.map(({ members }) => members), words?.words ?? []].flat());
  return new Policy(lists, words);
}

function secretList(value: Json, size: number): SecretList {
  const { name, members, forms, ...rest } = objectOf(value);
  needNone(rest);
  const named = stringOf(name);
  need(/^[a-z0-9_-]{1,64}$/.test(named));
  return {
    name: named,
    members: ids(members, MOST_MEMBERS, size),
    forms: arrayOf(forms, 0, MOST_FORMS).map((form) => shortStringOf(form, 1, LONGEST_FORM)),
  };
}

function readPassing(value: Json, size: number): Passing {
  const { words, probability, ...rest } = objectOf(value);
  needNone(rest);
  return new Passing(ids(words, MOST_PASSING, size), numberOf(probability, LEAST, MOST));
}

function ids(value: Json | undefined, most: number, size: number): number[] {
  const all = arrayOf(value, 1, most).map((id) => integerOf(id, 0, size - 1));
  all.forEach((id, place) => need(place === 0 || all[place - 1]! < id));
  return all;
}

const needNone = (rest: object): void => need(Object.keys(rest).length === 0);
