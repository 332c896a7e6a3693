/** Measurements of a mechanism when the bundle was built. */

import { EPSILON_MAX, EPSILON_MIN, isWithin } from "./exact.js";
import { readEstimate, shareOf, type Estimate, type Measured } from "./setting.js";
import { arrayOf, need, numberOf, objectOf, readable, stringOf, type Json, type JsonObject } from "./strictJson.js";

/** A strength that was measured when the bundle was built. */
export interface MeasuredStrength {
  /** The epsilon of a mechanism with its default parameters, per bit of Hamming distance. */
  readonly epsilon: number;
  /** The measured results. */
  readonly measured: Measured;
}

const DECIMALS = 10_000;
const DEVIATIONS = 1.959963984540054; // 95%

/**
 * Reads the fields `attack` and `utility` for a mechanism; strongest first. Results for E apply to E / `average`,
 * rounded down to four decimals.
 */
export function readStrengths(manifest: JsonObject, average: number, mechanism: string): MeasuredStrength[] {
  const strengths = readable(() => strengthsIn(manifest, average, mechanism), none);
  return strengths.sort((one, other) => one.epsilon - other.epsilon);
}

function strengthsIn(manifest: JsonObject, average: number, mechanism: string): MeasuredStrength[] {
  const attack = objectOf(manifest["attack"]);
  const utility = objectOf(manifest["utility"]);
  const attacker = stringOf(attack["attacker"]);
  const words = numberOf(utility["words"], 1);
  const shares = new Map(points(utility, mechanism).map(({ loss, fields }) => [loss, fields["unchanged"]]));
  const strengthOf = ({ loss, fields }: Point): MeasuredStrength => {
    const epsilon = Math.floor((loss / average) * DECIMALS) / DECIMALS;
    need(isWithin(epsilon, EPSILON_MIN, EPSILON_MAX));
    return {
      epsilon,
      measured: {
        attacker,
        over: "all",
        text: null,
        unchanged: counted(shareOf(shares.get(loss)), words),
        attackSuccess: readEstimate(fields["success"]),
        worst: exactOrNull(fields["worst"]),
        allWords: null,
        unknownRecognized: null,
      },
    };
  };
  return points(attack, mechanism).flatMap((point) => readable(() => [strengthOf(point)], none));
}

/** A block's entry for a mechanism at a loss E. */
interface Point {
  readonly loss: number;
  readonly fields: JsonObject;
}

/** Returns a block's entries for a mechanism, without unreadable ones. */
function points(block: JsonObject, mechanism: string): Point[] {
  return readable(() => {
    const found = arrayOf(objectOf(block["mechanisms"])[mechanism]);
    const losses = arrayOf(block["estimated_losses"]);
    return losses.flatMap((loss, place) =>
      readable((): Point[] => [{ loss: numberOf(loss), fields: objectOf(found[place]) }], none),
    );
  }, none);
}

const none = (): [] => [];

/** Returns an exact share; null without one. */
function exactOrNull(value: Json | undefined): Estimate | null {
  if (value === undefined || value === null) return null;
  const share = shareOf(value);
  return { value: share, low: share, high: share };
}

/** Returns a share of a number of words, with Wilson's interval. */
function counted(share: number, words: number): Estimate {
  const spread = (DEVIATIONS * DEVIATIONS) / words;
  const center = share + spread / 2;
  const half = DEVIATIONS * Math.sqrt((share * (1 - share)) / words + spread / words / 4);
  const bound = (value: number): number => Math.min(Math.max(value / (1 + spread), 0), 1);
  return { value: share, low: bound(center - half), high: bound(center + half) };
}
