/** Transport of batches to a receiver: `spec/reports.md`, "Over HTTP". */

import { checkArgument } from "./errors.js";

const TIMEOUT_MS = 30_000;
const URLS = /^(https:\/\/[^/?#@]|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$))[^?#@]*$/;

/** A receiver's answer. */
export interface Reply {
  /** Of HTTP. */
  readonly status: number;
  /** The wait that it requests, in seconds, if any. */
  readonly retryAfter?: number | undefined;
}

/** Sends a batch to a receiver. An app can implement it. */
export interface Transport {
  /**
   * Posts the JSON of a report, and returns the answer. Rejects without an answer; the report is then sent again later.
   */
  post(report: Uint8Array): Promise<Reply>;
}

/**
 * Posts with `fetch`, without cookies, a referrer or a query. Follows no redirection.
 *
 * A browser adds the page's origin and its own `User-Agent`; no page can prevent this.
 */
export class HttpsTransport implements Transport {
  readonly #url: string;

  /**
   * @param url the receiver's URL: `https`, or for trials `http` on this machine, such as `http://localhost:8443`;
   *   without a query, a name or a password.
   * @throws ParameterError it isn't such a URL.
   */
  constructor(url: string | URL) {
    this.#url = `${url}`;
    checkArgument(
      URLS.test(this.#url),
      "reports need an https URL, or http://localhost, without a query or a name",
    );
  }

  async post(report: Uint8Array): Promise<Reply> {
    const { status, headers, body } = await fetch(this.#url, {
      method: "POST",
      body: report as BodyInit,
      headers: { "Content-Type": "application/json", Accept: "application/json", "Accept-Language": "*" },
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      referrerPolicy: "no-referrer",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await body?.cancel();
    const asked = headers.get("Retry-After") ?? "";
    return { status, retryAfter: /^[0-9]{1,9}$/.test(asked) ? Number(asked) : undefined }; // or a date: no
  }
}
