/** What a page and its worker say to each other. */

import type { Kind } from "../errors.js";
import type { UploadPolicy } from "../uploader.js";
import type { PrivatizerOptions } from "../privatizer.js";
import type { CountsSetting, Frames, Setting } from "../setting.js";

/** What a worker does. Only data: it crosses to the worker. */
export interface WorkerOptions {
  /** The URL of the bundle's folder, from the page's. */
  readonly bundle: string;
  /** Of IndexedDB, where the budget, the memory, the consent and the outbox are. Default: `brrkit`. */
  readonly database?: string;
  /** How words are released; what isn't given is as the bundle recommends. */
  readonly privatizer?: Omit<PrivatizerOptions, "budget" | "memory" | "random">;
  /** The limit, as `PrivacyBudget` has it; text and words for counting have one. Default: none. */
  readonly budget?: { readonly limit: number; readonly period: number };
  /** The memory's period in seconds. Default: no memory. */
  readonly memory?: { readonly period: number };
  /**
   * What is reported, and to which URL, as `HttpsTransport` takes it: words for counting, texts in frames, or both. What
   * isn't given is as the bundle has it. The budget doesn't pay for frames: a day without them would tell that much was
   * typed. Default: nothing.
   */
  readonly reports?: {
    readonly url: string;
    readonly counts?: { readonly setting?: CountsSetting; readonly secondCap?: number };
    readonly texts?: { readonly setting?: Setting; readonly frames?: Frames };
    readonly policy?: Partial<UploadPolicy>;
  };
}

/** What a page can know of what its worker opened. */
export interface Opened {
  readonly size: number;
  readonly bits: number;
  readonly digest: string;
  readonly epsilon: number;
  readonly certifiedEpsilon: number;
}

/** A call: the answer has its number. */
export interface Call {
  readonly id: number;
  readonly method: string;
  readonly values: readonly unknown[];
}

/** An answer: a value or an error. */
export interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: Failure;
}

/** What crosses of an error: only brrkit's own has a kind. */
export interface Failure {
  readonly kind?: Kind;
  readonly message: string;
  readonly left?: number;
  readonly renewsIn?: number;
}
