/** Measures settings. Passes on each better number as soon as there is one. */

import { Brr } from "../src/mechanisms/brr.js";
import type { Mechanism } from "../src/mechanisms/mechanism.js";
import type { Passing } from "../src/policy.js";
import { systemRandom, type RandomSource } from "../src/randomness.js";
import type { WordBundle } from "../src/wordBundle.js";
import * as attack from "./attack.js";
import type { Estimate, Success } from "./attack.js";
import { channelsOf, type Channels } from "./channels.js";
import { mechanismOf, passingOf, same, startOf, type Choice } from "./setting.js";

/** The measured results of a setting. */
export interface Measured {
  /** The attacker, chosen as by `brr calibrate`: `frequencies`, if the base has them. */
  readonly attacker: (typeof WORD_ATTACKERS)[number];
  /**
   * The source of the success: the bundle, for its recommended setting; a sample of output words; all output words;
   * draws; or draws that only bound it.
   */
  readonly how: "stated" | "sampled" | "computed" | "drawn" | "bounded";
  readonly success: Success;
  /** The success of the same attacker without any released word. */
  readonly blind: number;
  /** The other attacker's success; null if it isn't computed. */
  readonly other: number | null;
  /** Share of words that come out unchanged, if typed words follow Zipf's law. */
  readonly unchanged: Estimate;
}

const WORD_ATTACKERS = ["isolated", "frequencies"] as const;
const DRAWS = 4000;
const BATCH = 50;

/** The progress of a measurement. */
export type Step = { measured: null; prepared: number } | { measured: Measured };
export type Measurer = (choice: Choice) => Generator<Step>;

/** Returns a function that measures settings of a bundle. Its last step is the best. `random` is for draws. */
export function measurer(
  bundle: WordBundle,
  channels: Channels = channelsOf(bundle),
  random: RandomSource = systemRandom,
): Measurer {
  const words = bundle.size;
  const priors = { isolated: attack.isolated(words), frequencies: attack.frequencies(words) };

  function* computed(choice: Choice): Generator<Step> {
    const computing = channels(choice);
    let step = computing.next();
    for (; !step.done; step = computing.next()) yield stated(choice) ?? { measured: null, prepared: step.value };
    const { channel, distances } = step.value;
    const alike = choice.base === "uniform";
    const share = attack.unchanged(channel, priors.frequencies);
    const unchanged = { value: share, low: share, high: share };
    const [attacker, other] = alike
      ? (["isolated", "frequencies"] as const)
      : (["frequencies", "isolated"] as const);
    let measured: Measured | null = null;
    for (const success of attack.weightedSuccess(channel, distances, priors[attacker])) {
      if (success.from === 0) continue;
      const how = success.worst === null ? "sampled" : "computed";
      measured = { attacker, how, success, blind: priors[attacker][0]!, other: null, unchanged };
      yield { measured };
    }
    for (const { worst, value } of attack.weightedSuccess(channel, distances, priors[other])) {
      yield { measured: { ...measured!, other: worst === null ? null : value } };
    }
  }

  /** The bundle's results for its recommended setting, for an attacker of single words. */
  function stated(choice: Choice): Step | null {
    const measured = bundle.recommended?.measured;
    const attacker = WORD_ATTACKERS.find((name) => name === measured?.attacker);
    if (!measured || !attacker || measured.text !== null || !same(choice, startOf(bundle))) return null;
    const success = { ...measured.attackSuccess, from: words, worst: measured.worst?.value ?? null };
    const { unchanged } = measured;
    return { measured: { attacker, how: "stated", success, blind: priors[attacker][0]!, other: null, unchanged } };
  }

  function* drawn(choice: Choice): Generator<Step> {
    const mechanism = mechanismOf(bundle, choice);
    const passing = choice.passing ? passingOf(bundle) : null;
    const kept = (each: Mechanism, draw: () => number): number => stayed(each, passing, draw);
    const nearest = choice.mechanism === "brr" ? null : new Brr(bundle, choice.epsilon);
    const any = attack.drawer(priors.isolated, attack.seeded());
    const running = attack.drawer(priors.frequencies, attack.seeded());
    let named = 0;
    let guessed = 0;
    let unchanged = 0;
    for (let from = BATCH; from <= DRAWS; from += BATCH) {
      named += kept(mechanism, any);
      unchanged += kept(mechanism, running);
      // An attacker who sees the noised code guesses the nearest word. No other guess is right more often.
      if (nearest !== null) guessed += kept(nearest, any);
      const success = attack.proportion(named, from);
      const high = nearest === null ? success.high : attack.proportion(guessed, from).high;
      yield {
        measured: {
          attacker: "isolated",
          how: nearest === null ? "drawn" : "bounded",
          success: { ...success, high, from, worst: null },
          blind: priors.isolated[0]!,
          other: null,
          unchanged: attack.proportion(unchanged, from),
        },
      };
    }
  }

  /** The number of words in a batch that come out unchanged. */
  function stayed(mechanism: Mechanism, passing: Passing | null, draw: () => number): number {
    const typed = Array.from({ length: BATCH }, draw);
    const codes = typed.map((id) => bundle.index.code(id));
    const released = mechanism.release(codes, -1, random);
    return released.filter((id, place) => passing?.coin(typed[place]!, random) || id === typed[place]).length;
  }

  return (choice) => (choice.mechanism === "exponential" ? computed(choice) : drawn(choice));
}
