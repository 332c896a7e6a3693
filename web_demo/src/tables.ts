/** The integers computed from a bundle's settings, for the proofs' checker. */

import { RandomizedResponse } from "./counts.js";
import { checkArgument } from "./errors.js";
import { Rational } from "./exact.js";
import { LEVELS } from "./masses.js";
import { resolve, resolveCounts } from "./resolve.js";
import type { WordBundle } from "./wordBundle.js";

/**
 * Returns the integers computed from the settings that a bundle recommends.
 *
 * `brr verify --proof --tables FILE` checks this text from any runtime. All runtimes return the same.
 *
 * @throws ParameterError the bundle recommends no setting.
 * @throws BundleError the recommended setting isn't one that this version can run.
 */
export function tablesOf(bundle: WordBundle): string {
  checkArgument(bundle?.vocabulary, "bundle must be a WordBundle");
  const { recommended, counts, policy, size } = bundle;
  checkArgument(recommended || counts, "the bundle recommends no setting; calibrate it first");
  const lines: string[] = [];
  if (recommended) {
    lines.push(...linesOfText(bundle));
    if (policy.passing) lines.push("passing", `threshold ${policy.passing.threshold}`);
  }
  if (counts) {
    const { cap } = resolveCounts(bundle);
    const { symbols, threshold } = new RandomizedResponse(cap, size + 1);
    lines.push("counts", `cap ${fraction(cap)}`, `symbols ${symbols}`, `keep ${threshold}`);
  }
  return lines.map((line) => `${line}\n`).join("");
}

function linesOfText(bundle: WordBundle): string[] {
  const { setting, mechanism } = resolve(bundle);
  const { base, integers, epsilon } = mechanism;
  if (!base) return ["flips", `epsilon ${fraction(epsilon)}`, `threshold ${integers.join(" ")}`];
  const { masses, wordBits, taskBits, size } = bundle;
  const { cap, task_weight = 1 } = setting.parameters ?? {};
  const lines = [
    "exponential",
    `epsilon ${fraction(epsilon)}`,
    `bits ${wordBits} ${taskBits} ${task_weight}`,
    `weights ${integers.join(" ")}`,
    `masses ${(base === "uniform" ? new Uint8Array(size).fill(1) : masses.words).join(" ")}`,
  ];
  if (cap !== undefined) lines.push(`cap ${fraction(cap)}`);
  for (let before = 0; before < size; before++) {
    const { ids, gains } = masses.measure(base, before);
    const pairs = ids.map((id, place) => `${id} ${LEVELS.indexOf(gains[place]!)}`);
    if (pairs.length) lines.push(`gains ${before} ${pairs.join(" ")}`);
  }
  return lines;
}

/** Returns the numerator and the denominator of a double. */
function fraction(value: number): string {
  const { numerator, denominator } = Rational.of(value);
  return `${numerator} ${denominator}`;
}
