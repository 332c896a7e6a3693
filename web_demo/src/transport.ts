/** How a batch gets to a receiver, as `spec/reports.md` says. */

import { checkArgument } from "./errors.js";

const TIMEOUT_MS = 30_000;
const URLS = /^(https:\/\/[^/?#@]|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$))[^?#@]*$/;

/** What a receiver answers. */
export interface Reply {
  /** Of HTTP. */
  readonly status: number;
  /** Seconds that it asks to wait for, if it does. */
  readonly retryAfter?: number | undefined;
}

/** Sends a batch to a receiver; an app can have its own. */
export interface Transport {
  /** Posts a report, JSON, and returns the answer. Rejects if there is none: it is sent again, later. */
  post(report: Uint8Array): Promise<Reply>;
}

/**
 * Posts by `fetch`, without cookie, referrer or query, and follows no redirection.
 *
 * A browser adds what no page can keep back: the page's origin and its own `User-Agent`.
 */
export class HttpsTransport implements Transport {
  readonly #url: string;

  /**
   * @param url of the receiver, `https` (for trials also `http` on this machine, such as `http://localhost:8443`),
   *   without a query or a name and password.
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
