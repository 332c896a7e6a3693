/** A simple classifier of a text's words for a bundle's tasks. It needs only the bundle. */

import type { WordBundle } from "../src/wordBundle.js";

/** A class of a task. */
export interface TaskClass {
  readonly name: string;
  /** Places in the task bits. A word with more evidence for the class lights more of them, in this order. */
  readonly bits: readonly number[];
}

/** A task of a bundle. */
export interface Task {
  readonly name: string;
  readonly classes: readonly TaskClass[];
}

/** A class's share of the votes of typed words, and of released words; 0 without votes. */
export interface Share {
  readonly name: string;
  readonly typed: number;
  readonly released: number;
}

/** Where codes come from. */
export type Coded = Pick<WordBundle, "index" | "wordBits">;

/** Returns the tasks that a bundle's manifest describes in the form of `brr build`. Others are ignored. */
export function tasksOf({ manifest, taskBits }: Pick<WordBundle, "manifest" | "taskBits">): Task[] {
  const isBit = (bit: unknown): boolean => Number.isInteger(bit) && (bit as number) >= 0 && (bit as number) < taskBits;
  const isClass = (each: Partial<TaskClass> | null): boolean =>
    typeof each?.name === "string" && Array.isArray(each.bits) && each.bits.every(isBit);
  const isTask = (each: Partial<Task> | null): each is Task =>
    typeof each?.name === "string" && Array.isArray(each.classes) && each.classes.length > 0 &&
    each.classes.every(isClass);
  const { tasks } = manifest;
  return Array.isArray(tasks) ? tasks.filter(isTask) : [];
}

/**
 * Returns the shares of a task's classes in the words with these ids. Ids below 0 are unknown words. A word votes with
 * each bit that it lights, so a word without evidence doesn't count.
 */
export function sharesOf(bundle: Coded, { classes }: Task, typed: readonly number[], released: readonly number[]): Share[] {
  const said = [typed, released].map((ids) => {
    const sums = classes.map(({ bits }) => ids.reduce((sum, id) => sum + (id < 0 ? 0 : lit(bundle, id, bits)), 0));
    const all = sums.reduce((sum, each) => sum + each, 0);
    return sums.map((sum) => (all ? sum / all : 0));
  });
  return classes.map(({ name }, place) => ({ name, typed: said[0]![place]!, released: said[1]![place]! }));
}

/**
 * The number of bits in a list that a word lights before the first dark one. Classes share bits, so later bits belong
 * to another class.
 */
function lit({ index, wordBits }: Coded, id: number, bits: readonly number[]): number {
  const code = index.code(id);
  const dark = bits.findIndex((bit) => !((code[(wordBits + bit) >>> 5]! >>> (bit & 31)) & 1));
  return dark < 0 ? bits.length : dark;
}

/** Returns the `most` classes with the largest shares, typed or released, in their order. */
export function largest(shares: readonly Share[], most: number): Share[] {
  const size = ({ typed, released }: Share): number => Math.max(typed, released);
  const kept = new Set([...shares].sort((one, other) => size(other) - size(one)).slice(0, most));
  return shares.filter((share) => kept.has(share));
}

/** Returns the class with the largest share; of equal ones, the first; without evidence, none. */
export function verdict(shares: readonly Share[], which: "typed" | "released"): Share | null {
  const first = shares.reduce((best, share) => (share[which] > best[which] ? share : best));
  return first[which] > 0 ? first : null;
}
