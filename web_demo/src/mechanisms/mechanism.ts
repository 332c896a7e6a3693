/** What `Privatizer` needs of a mechanism: codes go in, the ids of words come out. */

import { checkArgument, ParameterError } from "../errors.js";
import type { RandomSource } from "../randomness.js";
import type { WordBundle } from "../wordBundle.js";
import { Brr } from "./brr.js";
import { Exponential } from "./exponential.js";
import { Vickrey } from "./vickrey.js";

export interface Mechanism {
  /** As requested, per bit of Hamming distance. */
  readonly epsilon: number;
  /** What the integers really give, rounded up; never more than `epsilon`. */
  readonly effectiveEpsilon: number;
  /** Its name, and the integers that decide its draws, as bytes: see `docs/reference/state-files.md`. */
  readonly setting: readonly [string, Uint8Array];
  /**
   * Returns the id of the released word for each of `codes`, which are of one text.
   *
   * @param before what was released before them in it, which the base `language` takes into account; -1 at its
   *   start.
   */
  release(codes: readonly Uint32Array[], before: number, random: RandomSource): number[];
}

/** Parameters of a mechanism by name, as an app or a bundle gives them. */
export type Parameters = Readonly<Record<string, unknown>>;

type Factory = new (bundle: WordBundle, epsilon: number, parameters: Parameters) => Mechanism;

const MECHANISMS = new Map<string, [factory: Factory, taken: readonly string[]]>([
  ["brr", [Brr, []]],
  ["vickrey", [Vickrey, ["t", "k"]]],
  ["exponential", [Exponential, ["radius", "base", "cap"]]],
]);

/**
 * Returns the mechanism with a name on a bundle.
 *
 * @throws ParameterError the name, epsilon, or a parameter isn't one that it takes.
 */
export function createMechanism(name: string, bundle: WordBundle, epsilon: number, parameters: Parameters): Mechanism {
  const found = MECHANISMS.get(name);
  checkArgument(found, `there is no such mechanism; choose one of: ${[...MECHANISMS.keys()].join(", ")}`);
  const [Factory, taken] = found;
  for (const [parameter, value] of Object.entries(parameters)) {
    if (value !== undefined && !taken.includes(parameter)) {
      const accepted = taken.length ? `it takes ${taken.join(", ")}` : "it takes none";
      throw new ParameterError(`mechanism '${name}' has no parameter '${parameter}'; ${accepted}`);
    }
  }
  return new Factory(bundle, epsilon, parameters);
}
