/** The frozen cases of `spec`, which all runtimes read. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eightBytes, hex } from "../src/bytes.js";
import {
  decay, flipThreshold, keepLoss, keepThreshold, Rational, thresholdEpsilon, weightsEpsilon, weightTable,
} from "../src/exact.js";
import { scaled } from "../src/period.js";
import { sha256 } from "../src/sha256.js";
import { inWork, namesOfBundles, SAMPLE } from "./cases.js";

const SPEC = fileURLToPath(new URL("../../../spec", import.meta.url));

/** A case, or several by their kinds, as JSON has them. */
export type Case = Record<string, any>;

/** Returns the folder of a conformance bundle. */
export const conformance = (name: string): string => join(SPEC, "conformance", name);

/** Returns the text of a file of `spec/vectors`, whose integers can exceed 2^53, and its content. */
export const textOf = (name: string): string => readFileSync(join(SPEC, "vectors", `${name}.json`), "utf8");
export const vectors = (name: string): Case => JSON.parse(textOf(name));

/** The names of the conformance bundles. */
const BUNDLES = ["spaced", "unspaced", "tasks", "policy", "list"];

/** The folders of bundles with golden cases, by kind: frozen ones, the sample's, and those of newly built bundles. */
export const golden: readonly (readonly [folder: string, kinds: Case])[] = [
  ...BUNDLES.flatMap((name) =>
    ["releases", "counts", "memory", "frames"].flatMap((file) => {
      const kinds = vectors(file)["bundles"][name];
      return kinds ? [[conformance(name), kinds] as const] : [];
    }),
  ),
  ...[...BUNDLES.map(conformance), SAMPLE, ...namesOfBundles.map((name) => inWork("bundles", name))]
    .filter((folder) => existsSync(join(folder, "parity.json")))
    .map((folder) => [folder, JSON.parse(readFileSync(join(folder, "parity.json"), "utf8"))] as const),
];

/** Completes a case with the numbers that follow from it. */
export function numbersOf(each: Case): Case {
  const { epsilon, bits, total, t, distance, radius, cap, symbols } = each;
  const threshold = flipThreshold(epsilon);
  const kept = cap === null ? null : keepThreshold(cap, symbols);
  const weights = weightTable(epsilon, bits, total, radius, cap ?? undefined);
  const rate = Rational.of(t);
  return {
    epsilon, bits, total, t, distance, radius, cap, symbols, threshold,
    keep_threshold: kept,
    counts_loss: kept === null ? null : keepLoss(kept, symbols),
    weights: hex(sha256(eightBytes(...weights))),
    effective_threshold: thresholdEpsilon(threshold),
    effective_weights: weightsEpsilon(weights),
    decay: decay(rate.times(BigInt(distance))),
    cost: scaled(epsilon, 9, true),
  };
}

