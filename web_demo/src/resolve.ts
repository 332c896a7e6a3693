/** Finds the setting in force on a bundle: the given one or, without one, the recommended one. */

import { BundleError, checkArgument, checkOptions, checkRest, ParameterError } from "./errors.js";
import { checkCap, checkInteger } from "./exact.js";
import { createMechanism } from "./mechanisms/create.js";
import type { Mechanism } from "./mechanisms/mechanism.js";
import {
  described, MOST_A_DAY, MOST_FRAMED, MOST_IN_FRAME, type Certificate, type CountsSetting, type Frames, type Setting,
} from "./setting.js";
import { checkCodes, type WordBundle } from "./wordBundle.js";

/** A setting for text in force, and its mechanism. */
export interface InForce {
  readonly setting: Setting;
  readonly mechanism: Mechanism;
}

/**
 * Returns the setting for text in force, and its mechanism.
 *
 * @throws ParameterError a value of the given setting is unknown, out of range or of the wrong type, or its certificate
 *   belongs to another setting or bundle; or none is given, and the bundle recommends none; or the bundle is a list.
 * @throws BundleError the recommended setting isn't one that this version can run.
 */
export function resolve(bundle: WordBundle, given?: Setting): InForce {
  checkCodes(bundle);
  if (given !== undefined) return checked(bundle, given);
  const { recommended } = bundle;
  checkArgument(
    recommended,
    "the bundle recommends no setting; give one, or write one into the bundle with 'brr calibrate --write'",
  );
  try {
    return checked(bundle, recommended);
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error;
    throw new BundleError(
      `${bundle.manifestPath}: field 'recommended': ${error.message}; write it again with 'brr calibrate --write'`,
    );
  }
}

/**
 * Returns the setting for counts in force.
 *
 * @throws ParameterError a value is unknown, out of range or of the wrong type; or none is given, and the bundle
 *   recommends none.
 */
export function resolveCounts(bundle: WordBundle, given?: CountsSetting): CountsSetting & { readonly wordsADay: number } {
  const setting = given === undefined ? bundle.counts : given;
  checkArgument(
    given !== undefined || setting,
    "the bundle recommends no setting for counts; give one, or write one into the bundle with " +
      "'brr calibrate --for counts --write'",
  );
  checkOptions(setting, "setting");
  const { cap, wordsADay = 1, goal, measured, ...rest } = setting!;
  checkRest(rest, "CountsSetting");
  checkCap(cap);
  checkInteger(wordsADay, 1, MOST_A_DAY, "wordsADay");
  return { ...setting!, wordsADay };
}

/**
 * Returns the shape of a day's text in force.
 *
 * @throws ParameterError a value is out of range or of the wrong type; or none is given, and the bundle has none.
 */
export function resolveFrames(bundle: WordBundle, given?: Frames): Frames {
  const frames = given === undefined ? bundle.frames : given;
  checkArgument(
    given !== undefined || frames,
    "the bundle has no frames; give their words and how many a day has, or write them into the bundle with " +
      "'brr calibrate --frames 8 --write'",
  );
  checkOptions(frames, "frames");
  const { words, aDay, ...rest } = frames!;
  checkRest(rest, "Frames");
  checkInteger(words, 1, MOST_IN_FRAME, "words of a frame");
  checkInteger(aDay, 1, MOST_A_DAY, "aDay");
  checkArgument(words * aDay <= MOST_FRAMED, `a day's frames have at most ${MOST_FRAMED} words`);
  return { words, aDay };
}

function checked(bundle: WordBundle, setting: Setting): InForce {
  const mechanism = createMechanism(bundle, setting);
  if (setting.certificate) checkCertificate(setting.certificate, setting, bundle, mechanism);
  return { setting, mechanism };
}

/** Refuses a certificate that belongs to another setting or bundle. */
function checkCertificate(
  { certifiedEpsilon, index, of }: Certificate,
  setting: Setting,
  bundle: WordBundle,
  mechanism: Mechanism,
): void {
  const { epsilon } = setting;
  checkArgument(mechanism.base, `a certificate is for mechanism 'exponential', not '${setting.mechanism}'`);
  checkArgument(mechanism.base !== "bigram", "base 'bigram' has no certificate");
  checkArgument(index === bundle.digest, "its certificate belongs to another index.safetensors");
  checkArgument(of === described(setting), "its certificate belongs to another setting; leave it out");
  checkArgument(
    certifiedEpsilon >= epsilon / 2 && certifiedEpsilon <= epsilon,
    "its certified_epsilon isn't from epsilon / 2 to epsilon",
  );
}
