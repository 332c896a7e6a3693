/** The errors that brrkit throws on purpose. A message never contains typed text. */

import { oneLine } from "./messages.js";

/** The kind of error, which an app can react to. */
export type Kind =
  | "bundle"
  | "parameter"
  | "outOfVocabulary"
  | "budget"
  | "budgetFile"
  | "memoryFile"
  | "randomness"
  | "outbox";

/** Base of every error that brrkit throws on purpose. */
export abstract class BrrError extends Error {
  /**
   * The kind, which an app can react to. It doesn't change if a minifier renames classes, or if a worker passes the
   * error to a page.
   */
  abstract readonly kind: Kind;

  /** @param message the error and its remedy; it becomes one line of at most 400 characters. */
  constructor(message: string) {
    super(oneLine(message));
  }

  override get name(): string {
    return "BrrError";
  }
}

/** A bundle is missing, damaged, or in a format that this version can't read. */
export class BundleError extends BrrError {
  readonly kind = "bundle";
}

/** A parameter is outside the range that the guarantee or the bundle allows. */
export class ParameterError extends BrrError {
  readonly kind = "parameter";
}

/**
 * Checks an argument; in plain JavaScript, it can be anything.
 *
 * @param isRight a condition that is truthy for a valid argument.
 * @throws ParameterError it isn't.
 */
export function checkArgument(isRight: unknown, message: string): asserts isRight {
  if (!isRight) throw new ParameterError(message);
}

/** Refuses a choice unless `found` is truthy. */
export function checkChoice(found: unknown, choices: readonly string[], name: string): asserts found {
  checkArgument(found, `there is no such ${name}; choose one of: ${choices.join(", ")}`);
}

/** Refuses options, or an argument with this `name`, that aren't an object. */
export const checkOptions = (options: unknown, name = "options"): void =>
  checkArgument(Object(options) === options, `${name} must be an object`);

/** Refuses the remaining fields of an object, which `name` doesn't have. */
export function checkRest(rest: object, name: string): void {
  for (const property in rest) throw new ParameterError(`${name} takes no '${property}'`);
}

/** A word isn't in the vocabulary and the policy is `error`. The word isn't named. */
export class OutOfVocabularyError extends BrrError {
  readonly kind = "outOfVocabulary";
}

/** The privacy budget doesn't allow a release before its period has ended. Nothing was released. */
export class BudgetError extends BrrError {
  readonly kind = "budget";

  /**
   * @param left remaining epsilon of this period; 0 if the period counts another bundle.
   * @param renewsIn seconds until the period ends, rounded up.
   */
  constructor(
    message: string,
    readonly left: number,
    readonly renewsIn: number,
  ) {
    super(message);
  }
}

/** A budget's state can't be read, trusted or stored. Nothing was released. */
export class BudgetFileError extends BrrError {
  readonly kind = "budgetFile";
}

/** A memory's key can't be read, trusted or stored. Nothing was released. */
export class MemoryFileError extends BrrError {
  readonly kind = "memoryFile";
}

/** The system gave no random bytes, or a source gave too few. Nothing was released. */
export class RandomnessError extends BrrError {
  readonly kind = "randomness";
}

/** An outbox can't be read, trusted or stored. */
export class OutboxError extends BrrError {
  readonly kind = "outbox";
}
