/** What is shown to people: one line that a console shows and doesn't obey. */

const LONGEST = 400; // characters
const HALF = LONGEST / 2;

/** Controls, separators of lines, marks that turn a text's direction, and halves of surrogate pairs. */
const UNPRINTABLE = /[\0-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/gu;

/** Returns `message` as a line of at most 400 characters; the middle goes first. */
export function oneLine(message: string): string {
  const escaped = message.replace(UNPRINTABLE, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const line = Array.from(escaped);
  if (line.length <= LONGEST) return escaped;
  // A path comes first, what to do last.
  return `${line.slice(0, HALF - 1).join("")}…${line.slice(-HALF).join("")}`;
}
