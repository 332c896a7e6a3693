/** Messages to people: one line, without control characters. */

/** Controls, line separators, marks of text direction, and halves of surrogate pairs. */
const UNPRINTABLE = /[\0-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/gu;

const LONGEST = 400; // characters

/** Returns `message` as one line; one of more than 400 characters loses its middle. */
export function oneLine(message: string): string {
  const escaped = message.replace(
    UNPRINTABLE,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const characters = Array.from(escaped);
  if (characters.length <= LONGEST) return escaped;
  const half = LONGEST / 2; // messages begin with a path, and end with the remedy
  return `${characters.slice(0, half - 1).join("")}…${characters.slice(-half).join("")}`;
}
