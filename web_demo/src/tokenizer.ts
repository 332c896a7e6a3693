/**
 * Text to tokens, and tokens to words, without the platform's Unicode tables.
 *
 * Every runtime must cut a text into the same tokens, but the tables of two devices differ by years. So the
 * separators are a fixed list, and lower-casing touches only blocks whose simple mappings are frozen.
 * `docs/reference/bundle-format.md`, "Tokenizer", is the specification.
 */

/** The first and last code points of ranges that separate tokens, in hexadecimal. */
const SEPARATORS =
  "0000-0026 0028-002F 003A-0040 005B-0060 007B-00A9 00AB-00B4 00B6-00B9 00BB-00BF 00D7 00F7 02C2-02C5 " +
  "02D2-02DF 0375 037E 0384-0385 0387 055A-055F 0589-058F 05BE 05C0 05C3 05C6 05F3-05F4 0600-060F " +
  "061B-061F 066A-066D 06D4 0964-0965 0E3F 0E4F 0E5A-0E5B 1680 2000-2018 201A-2BFF 2E00-2E7F 2FF0-3004 " +
  "3008-3020 3030 3036-3037 303D-303F 30A0 30FB D800-F8FF FD3E-FD3F FE00-FE1F FE30-FE6F FEFF FF01-FF06 " +
  "FF08-FF0F FF1A-FF20 FF3B-FF40 FF5B-FF65 FFE0-FFFF 1D000-1DAFF 1F000-1FBFF E0000-10FFFF";

const RUN = new RegExp(`[^${SEPARATORS.replace(/[0-9A-F]+/g, "\\u{$&}").replaceAll(" ", "")}]+`, "gu");

/** Letters of the Latin, Greek, Cyrillic and Armenian scripts, and what is written as an apostrophe. */
const NORMALIZED = /[\u0041-\u058f\u1e00-\u1fff\u2019\uff07\uff21-\uff3a]/g;
const APOSTROPHES = "\u02bc\u2019\uff07";

/**
 * Returns a string in the form in which a vocabulary holds it: lower case, plain apostrophes.
 *
 * Works code point by code point, without locale or context, so the length never changes.
 */
export function normalize(text: string): string {
  // Simple mappings only, one code point to one: a letter has no context by itself, and U+0130 becomes "i".
  return text.replace(NORMALIZED, (letter) => (APOSTROPHES.includes(letter) ? "'" : letter.toLowerCase()[0]!));
}

/**
 * Returns the tokens of a text, normalized: maximal runs of word characters that have another character than
 * the apostrophe.
 */
export function tokenize(text: string): string[] {
  return (normalize(text).match(RUN) ?? []).filter((run) => /[^']/.test(run));
}

/** Tokens whose word isn't what is left without the clitic. */
const IRREGULAR = new Map([
  ["can't", "can"],
  ["won't", "will"],
  ["shan't", "shall"],
]);

/** Suffixes that a token may have beside its word; no string ends in two of them. */
const CLITIC = /(?:n't|'s|'re|'ve|'ll|'d|'m)$/;

/**
 * Returns the id of the one word that `token` stands for, or -1 if that is unknown.
 *
 * The first of these that there is: the token itself; the token without the apostrophes at its ends; what is
 * left of that when a clitic is taken off its end, again and again.
 *
 * @param token normalized. If it isn't a token, it is looked up all the same.
 * @param find returns the id of a normalized string, or -1.
 */
export function lookUp(token: string, find: (word: string) => number): number {
  let id = find(token);
  if (id >= 0 || !token.includes("'")) return id;
  let start = 0;
  let end = token.length;
  while (token[start] === "'") start++;
  while (end > start && token[end - 1] === "'") end--;
  for (let rest = token.slice(start, end); id < 0 && rest; rest = withoutClitic(rest)) id = find(rest);
  return id;
}

/** Returns what is left of a token, or nothing if it doesn't end in a clitic. */
function withoutClitic(token: string): string {
  const rest = IRREGULAR.get(token) ?? token.replace(CLITIC, "");
  return rest === token ? "" : rest;
}
