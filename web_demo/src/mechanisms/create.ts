/** The mechanisms by name. */

import { checkArgument, ParameterError } from "../errors.js";
import type { WordBundle } from "../wordBundle.js";
import { Brr } from "./brr.js";
import { Exponential } from "./exponential.js";
import type { Mechanism, Parameters } from "./mechanism.js";
import { Vickrey } from "./vickrey.js";

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
