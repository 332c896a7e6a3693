/** The mechanisms by name. */

import { checkChoice, checkOptions, checkRest, ParameterError } from "../errors.js";
import { CERTIFIED, DEFAULT_MECHANISM, type Parameters, type Setting } from "../setting.js";
import type { WordBundle } from "../wordBundle.js";
import { brr } from "./brr.js";
import { exponential } from "./exponential.js";
import type { Mechanism } from "./mechanism.js";
import { vickrey } from "./vickrey.js";

type Factory = (bundle: WordBundle, epsilon: number, parameters: Parameters) => Mechanism;

const MECHANISMS = new Map<string, [create: Factory, taken: readonly string[]]>([
  ["brr", [brr, []]],
  ["vickrey", [vickrey, ["t", "k"]]],
  ["exponential", [exponential, CERTIFIED]],
]);

/**
 * Returns the mechanism of a setting on a bundle, whatever its certificate says.
 *
 * @throws ParameterError the mechanism's name, epsilon, or a parameter isn't one that it takes; or something is of
 *   another kind.
 */
export function createMechanism(bundle: WordBundle, setting: Setting): Mechanism {
  checkOptions(setting, "setting");
  const { epsilon, mechanism = DEFAULT_MECHANISM, parameters = {}, goal, certificate, measured, ...rest } = setting;
  checkRest(rest, "Setting");
  checkOptions(parameters, "parameters");
  const found = MECHANISMS.get(mechanism);
  checkChoice(found, [...MECHANISMS.keys()], "mechanism");
  const [create, taken] = found;
  for (const [parameter, value] of Object.entries(parameters)) {
    if (value !== undefined && !taken.includes(parameter)) {
      const accepted = taken.length ? `it takes ${taken.join(", ")}` : "it takes none";
      throw new ParameterError(`mechanism '${mechanism}' has no parameter '${parameter}'; ${accepted}`);
    }
  }
  return create(bundle, epsilon, parameters);
}
