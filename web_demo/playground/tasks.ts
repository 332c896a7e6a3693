/** What the words of a text say of a bundle's tasks: a simple classifier that needs only the bundle. */

import type { WordBundle } from "../src/wordBundle.js";

/** A class of a task. */
export interface TaskClass {
  readonly name: string;
  /** Places in the task bits; a word lights the more of them, in this order, the more it speaks for the class. */
  readonly bits: readonly number[];
}

/** What a bundle keeps of its words' meaning. */
export interface Task {
  readonly name: string;
  readonly classes: readonly TaskClass[];
}

/** A class's part of the votes of typed and of released words: from 0 to 1, and 0 if there are none. */
export interface Share {
  readonly name: string;
  readonly typed: number;
  readonly released: number;
}

/** Where codes come from. */
export type Coded = Pick<WordBundle, "index" | "wordBits">;

/** Returns the tasks that a bundle's manifest describes as `brr build` does; of others nothing is known. */
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
 * Returns the shares of a task's classes in the words with these ids; below 0 is a word that isn't known. A word
 * votes with each bit that it lights, so one without evidence doesn't count.
 */
export function sharesOf(bundle: Coded, { classes }: Task, typed: readonly number[], released: readonly number[]): Share[] {
  const said = [typed, released].map((ids) => {
    const sums = classes.map(({ bits }) => ids.reduce((sum, id) => sum + (id < 0 ? 0 : lit(bundle, id, bits)), 0));
    const all = sums.reduce((sum, each) => sum + each, 0);
    return sums.map((sum) => (all ? sum / all : 0));
  });
  return classes.map(({ name }, place) => ({ name, typed: said[0]![place]!, released: said[1]![place]! }));
}

/** How many bits a word lights of a list; classes share bits, so those behind the first dark one are another's. */
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

/** Returns the class that has the largest share; of equal ones the first, and none if no word says anything. */
export function verdict(shares: readonly Share[], which: "typed" | "released"): Share | null {
  const first = shares.reduce((best, share) => (share[which] > best[which] ? share : best));
  return first[which] > 0 ? first : null;
}
