/** A text and a setting in the fragment of a link, which no browser sends to a server. */

import { BASES } from "../src/masses.js";
import type { WordBundle } from "../src/wordBundle.js";
import { MECHANISMS, mechanismOf, startOf, type Choice } from "./setting.js";

/** What a link holds. */
export interface Linked {
  readonly text: string;
  /** Secret words of the text. */
  readonly secret: string;
  readonly choice: Choice;
}

const NONE = "none"; // for a cap

/** Returns the fragment, with its `#`. */
export function fragmentOf({ text, secret, choice }: Linked): string {
  const { mechanism, epsilon, radius, base, cap, passing } = choice;
  const numbers = { epsilon: `${epsilon}`, radius: `${radius}`, cap: `${cap ?? NONE}` };
  const fields = { text, secret, mechanism, base, ...numbers, passing: String(passing) };
  return `#${new URLSearchParams(fields)}`;
}

/** Returns the text and the setting in a fragment, if the bundle supports the setting. */
export function linkedIn(fragment: string, bundle: WordBundle): Linked | null {
  const fields = new URLSearchParams(fragment.slice(1));
  const number = (name: string): number => Number(fields.get(name) || NaN);
  const mechanism = MECHANISMS.find((name) => name === fields.get("mechanism"));
  const base = BASES.find((name) => name === fields.get("base"));
  const text = fields.get("text");
  const secret = fields.get("secret");
  const passing = fields.get("passing") === "true";
  if (text === null || secret === null || !mechanism || !base) return null;
  const cap = fields.get("cap") === NONE ? null : number("cap");
  const { task_weight, t } = startOf(bundle);
  const choice = { mechanism, epsilon: number("epsilon"), radius: number("radius"), base, cap, task_weight, t, passing };
  try {
    for (const name of MECHANISMS) mechanismOf(bundle, { ...choice, mechanism: name }); // each of its values is valid
  } catch {
    return null;
  }
  return { text, secret, choice };
}
