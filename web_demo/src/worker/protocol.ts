/** Messages between a page and its worker. */

import type { Kind } from "../errors.js";
import type { UploadPolicy } from "../uploader.js";
import type { PrivatizerOptions } from "../privatizer.js";
import type { CountsSetting, Frames, Setting } from "../setting.js";

/** Options of a worker. Only data, because they are sent to the worker. */
export interface WorkerOptions {
  /** The URL of the bundle's folder, relative to the page. */
  readonly bundle: string;
  /** The database of IndexedDB for the budget, the memory, the consent and the outbox. Default: `brrkit`. */
  readonly database?: string;
  /** Options for releases. Default: the bundle's recommended setting. */
  readonly privatizer?: Omit<PrivatizerOptions, "budget" | "memory" | "random">;
  /** Limit and period of a `PrivacyBudget` for text and counts together. Default: none. */
  readonly budget?: { readonly limit: number; readonly period: number };
  /** The memory's period in seconds. Default: no memory. */
  readonly memory?: { readonly period: number };
  /**
   * The reports and their URL, as for `HttpsTransport`: words for counting, texts in frames, or both. Default settings:
   * the bundle's. The budget doesn't pay for frames, because a day without frames would reveal that much was typed.
   * Default: no reports.
   */
  readonly reports?: {
    readonly url: string;
    readonly counts?: { readonly setting?: CountsSetting; readonly secondCap?: number };
    readonly texts?: { readonly setting?: Setting; readonly frames?: Frames };
    readonly policy?: Partial<UploadPolicy>;
  };
}

/** Properties of the opened bundle and setting. */
export interface Opened {
  readonly size: number;
  readonly bits: number;
  readonly digest: string;
  readonly epsilon: number;
  readonly certifiedEpsilon: number;
}

/** A call. The answer has the same number. */
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

/** The part of an error that is sent to the page. Only brrkit's own errors have a kind. */
export interface Failure {
  readonly kind?: Kind;
  readonly message: string;
  readonly left?: number;
  readonly renewsIn?: number;
}
