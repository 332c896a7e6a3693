/** A token: a part of a text for which a word is released. */

/** Stands in place of a token's id if the token is unknown. */
export const UNKNOWN = -1;

/** A part of a text, or a single word from an app. */
export interface Token {
  /** The text of the token; normalized, if it is part of a text. */
  readonly text: string;
  /** Id of the word that it is typed as, or UNKNOWN. */
  readonly id: number;
}
