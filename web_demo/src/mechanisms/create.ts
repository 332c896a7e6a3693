/** The mechanisms by name. */

import { checkChoice, checkOptions, checkRest, ParameterError } from "../errors.js";
import { CERTIFIED, DEFAULT_MECHANISM, type Parameters, type Setting } from "../setting.js";
import type { WordBundle } from "../wordBundle.js";
import { Brr } from "./brr.js";
import { Exponential } from "./exponential.js";
import type { Mechanism } from "./mechanism.js";
import { Vickrey } from "./vickrey.js";

/** A mechanism, and the names of its parameters. */
interface Known {
  readonly Mechanism: new (bundle: WordBundle, epsilon: number, parameters: Parameters) => Mechanism;
  readonly taken: readonly string[];
}

const MECHANISMS: ReadonlyMap<string, Known> = new Map<string, Known>([
  ["brr", { Mechanism: Brr, taken: [] }],
  ["vickrey", { Mechanism: Vickrey, taken: ["t", "k"] }],
  ["exponential", { Mechanism: Exponential, taken: CERTIFIED }],
]);

/**
 * Returns the mechanism of a setting on a bundle. Ignores the certificate.
 *
 * @throws ParameterError the mechanism's name, epsilon or a parameter is invalid; or something is of the wrong type.
 */
export function createMechanism(bundle: WordBundle, setting: Setting): Mechanism {
  checkOptions(setting, "setting");
  const { epsilon, mechanism = DEFAULT_MECHANISM, parameters = {}, goal, certificate, measured, ...rest } = setting;
  checkRest(rest, "Setting");
  checkOptions(parameters, "parameters");
  const known = MECHANISMS.get(mechanism);
  checkChoice(known, [...MECHANISMS.keys()], "mechanism");
  for (const [parameter, value] of Object.entries(parameters)) {
    if (value !== undefined && !known.taken.includes(parameter)) {
      const accepts = known.taken.length ? `it takes ${known.taken.join(", ")}` : "it takes none";
      throw new ParameterError(`mechanism '${mechanism}' has no parameter '${parameter}'; ${accepts}`);
    }
  }
  return new known.Mechanism(bundle, epsilon, parameters);
}
