/** What a type would refuse: plain JavaScript may give anything. */

import { ParameterError } from "./errors.js";

/**
 * Returns the options of a constructor or function.
 *
 * @param owner of the options, for the message.
 * @param names that they may have, with spaces between.
 * @throws ParameterError they aren't an object, or have another name.
 */
export function optionsOf<T extends object>(options: T, owner: string, names: string): T {
  const known = names.split(" ");
  if (typeof options !== "object" || !options || !Object.keys(options).every((name) => known.includes(name))) {
    throw new ParameterError(`${owner} takes its options as an object with no other names than ${known.join(", ")}`);
  }
  return options;
}

/**
 * Refuses an object of another kind.
 *
 * @param value what was given.
 * @param name it was given as.
 * @param kind of object that it has to be.
 * @param method that those have.
 * @throws ParameterError it hasn't.
 */
export function checkKind(value: unknown, name: string, kind: string, method: string): void {
  if (!(value as Record<string, unknown> | null | undefined)?.[method]) throw new ParameterError(`${name} must be a ${kind}`);
}
