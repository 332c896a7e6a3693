/** A token: what a word is released for. */

/** In the place of the id of a token that stands for no word. */
export const UNKNOWN = -1;

/** A part of a text, or a single word that an app gives. */
export interface Token {
  /** Normalized, if it comes of a text. */
  readonly text: string;
  /** Of the one word that it is typed as, or UNKNOWN. */
  readonly id: number;
}
