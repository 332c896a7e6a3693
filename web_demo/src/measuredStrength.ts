/** What was measured of a mechanism when the bundle was built. */

import { EPSILON_MAX, EPSILON_MIN, isWithin } from "./exact.js";
import { readEstimate, shareOf, type Estimate, type Measured } from "./setting.js";
import { arrayOf, need, numberOf, objectOf, readable, stringOf, type JsonObject } from "./strictJson.js";

/** A strength that was measured when the bundle was built. */
export interface MeasuredStrength {
  /** Of a mechanism with its default parameters, per bit of Hamming distance. */
  readonly epsilon: number;
  /** What was measured of it. */
  readonly measured: Measured;
}

/**
 * Reads the fields `attack` and `utility` for a mechanism; strongest first. What was measured at E holds at the
 * epsilon next below E / `average`, which has four decimals.
 */
export function readStrengths(manifest: JsonObject, average: number, mechanism: string): MeasuredStrength[] {
  const read = (): MeasuredStrength[] => {
    const [attack, utility] = [objectOf(manifest["attack"]), objectOf(manifest["utility"])];
    const attacker = stringOf(attack["attacker"]);
    const words = numberOf(utility["words"], 1);
    const shares = new Map(points(utility, mechanism));
    const strengthOf = (loss: number, point: JsonObject): MeasuredStrength => {
      const epsilon = Math.floor((loss / average) * 10_000) / 10_000;
      need(isWithin(epsilon, EPSILON_MIN, EPSILON_MAX));
      const least = point["worst"] ?? null;
      const worst = least === null ? null : shareOf(least);
      return {
        epsilon,
        measured: {
          attacker,
          over: "all",
          text: null,
          unchanged: counted(shareOf(shares.get(loss)?.["unchanged"]), words),
          attackSuccess: readEstimate(point["success"]),
          worst: worst === null ? null : { value: worst, low: worst, high: worst },
          allWords: null,
          unknownRecognized: null,
        },
      };
    };
    return points(attack, mechanism).flatMap(([loss, point]) => readable(() => strengthOf(loss, point), none));
  };
  return readable(read, none).sort((one, other) => one.epsilon - other.epsilon);
}

/** Returns what a block says of a mechanism, by the losses E that it says it of. */
const points = (block: JsonObject, mechanism: string): [number, JsonObject][] =>
  readable(() => {
    const found = arrayOf(objectOf(block["mechanisms"])[mechanism]);
    return arrayOf(block["estimated_losses"]).flatMap((loss, place) =>
      readable((): [number, JsonObject][] => [[numberOf(loss), objectOf(found[place])]], none),
    );
  }, none);

const none = (): [] => [];

/** Returns a share that was counted among so many words, with Wilson's 95% interval. */
function counted(share: number, words: number): Estimate {
  const deviations = 1.959963984540054;
  const spread = (deviations * deviations) / words;
  const center = share + spread / 2;
  const half = deviations * Math.sqrt((share * (1 - share)) / words + spread / words / 4);
  const bound = (value: number): number => Math.min(Math.max(value / (1 + spread), 0), 1);
  return { value: share, low: bound(center - half), high: bound(center + half) };
}
