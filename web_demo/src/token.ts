/** A token: what a word is released for. */

/** A part of a text, or a single word that an app gives. */
export interface Token {
  /** Normalized, if it comes of a text. */
  readonly text: string;
  /** Of the one word that it stands for; -1 if that is unknown. */
  readonly id: number;
}
