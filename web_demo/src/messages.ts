/** What is shown to people: one line that a console shows and doesn't obey. */

/** Controls, separators of lines, marks that turn a text's direction, and halves of surrogate pairs. */
const UNPRINTABLE = /[\0-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/gu;

/** More than 400 characters. A path comes first, what to do last. */
const LONG = /^([^]{199})[^]{2,}([^]{200})$/u;

/** Returns `message` as a line of at most 400 characters; the middle goes first. */
export const oneLine = (message: string): string =>
  message
    .replace(UNPRINTABLE, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .replace(LONG, "$1…$2");
