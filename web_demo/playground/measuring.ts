/** Measures settings: a better number comes whenever there is one. */

import { Brr } from "../src/mechanisms/brr.js";
import type { Mechanism } from "../src/mechanisms/mechanism.js";
import type { Passing } from "../src/policy.js";
import { systemRandom, type RandomSource } from "../src/randomness.js";
import type { WordBundle } from "../src/wordBundle.js";
import * as attack from "./attack.js";
import type { Estimate, Success } from "./attack.js";
import { channelsOf, type Channels } from "./channels.js";
import { mechanismOf, passingOf, same, startOf, type Choice } from "./setting.js";

/** What is measured of a setting. */
export interface Measured {
  /** Whose success it is: as `brr calibrate` chooses, who knows frequencies where the base has them. */
  readonly attacker: (typeof WORD_ATTACKERS)[number];
  /**
   * Where the success comes from: the bundle, which says it of its recommended setting; a sample of output
   * words; all of them; draws; or draws that only enclose it.
   */
  readonly how: "stated" | "sampled" | "computed" | "drawn" | "bounded";
  readonly success: Success;
  /** The success of the same attacker if they see no released word. */
  readonly blind: number;
  /** The other attacker's success; null where it isn't computed. */
  readonly other: number | null;
  /** Share of words that come out as typed, typed as often as Zipf's law says. */
  readonly unchanged: Estimate;
}

const WORD_ATTACKERS = ["isolated", "frequencies"] as const;
const DRAWS = 4000;
const BATCH = 50;

/** How far a measurement is. */
export type Step = { measured: null; prepared: number } | { measured: Measured };
export type Measurer = (choice: Choice) => Generator<Step>;

/** Returns what measures settings of a bundle; its last step is the best. `random` is for draws. */
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

  /** What the bundle says of its recommended setting, of a word attacker. */
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
      // Who sees the noisy code names the word nearest to it: nobody is right more often.
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

  /** How many of a batch of words come out as typed. */
  function stayed(mechanism: Mechanism, passing: Passing | null, draw: () => number): number {
    const typed = Array.from({ length: BATCH }, draw);
    const codes = typed.map((id) => bundle.index.code(id));
    const released = mechanism.release(codes, -1, random);
    return released.filter((id, place) => passing?.coin(typed[place]!, random) || id === typed[place]).length;
  }

  return (choice) => (choice.mechanism === "exponential" ? computed(choice) : drawn(choice));
}
