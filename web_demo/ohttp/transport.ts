/**
 * A transport over Oblivious HTTP (RFC 9458): the relay sees the sender, the gateway the content, and neither sees
 * both.
 *
 * An example to copy. It uses keys of the suite that every gateway should support (X25519, HKDF-SHA256, AES-128-GCM),
 * and runs in browsers and Node.
 */

import { BHttpDecoder, BHttpEncoder } from "bhttp-js";
import { AEAD_AES_128_GCM, CipherSuite, KDF_HKDF_SHA256, KEM_DHKEM_X25519_HKDF_SHA256 } from "hpke";
import type { Reply, Transport } from "../src/transport.js";

const TIMEOUT_MS = 30_000;
const LATER = 503; // not the receiver's answer, so the batch is sent again
const KEM = 0x0020;
const SUITE = 0x0001_0001; // HKDF-SHA256 and AES-128-GCM
const [KEY_SIZE, SECRET_SIZE, NONCE_SIZE] = [32, 16, 12]; // of X25519; of AES-128-GCM

const suite = new CipherSuite(KEM_DHKEM_X25519_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_AES_128_GCM);
const encoded = (text: string) => new TextEncoder().encode(text);

/** Posts reports through a relay and a gateway. */
export class OhttpTransport implements Transport {
  readonly #key: { readonly id: number; readonly bytes: Uint8Array };

  /**
   * @param relay URL of the relay.
   * @param keys key configuration from the gateway's `/ohttp-keys`. All devices must have the same keys: ship them with
   *   the app.
   * @param receiver URL to which the gateway forwards reports.
   * @throws TypeError there is no key for the suite.
   */
  constructor(readonly relay: string, keys: Uint8Array, readonly receiver: string) {
    this.#key = keyIn(keys);
  }

  async post(report: Uint8Array): Promise<Reply> {
    const headers = { "Content-Type": "application/json" };
    const request = new Request(this.receiver, { method: "POST", headers, body: report as BodyInit });
    const { sealed, opened } = await encapsulated(this.#key, await new BHttpEncoder().encodeRequest(request));
    const answer = await fetch(this.relay, {
      method: "POST",
      body: sealed as BodyInit,
      headers: { "Content-Type": "message/ohttp-req", "Accept-Language": "*" },
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      referrerPolicy: "no-referrer",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body = new Uint8Array(await answer.arrayBuffer());
    const isSealed = answer.status === 200 && answer.headers.get("Content-Type") === "message/ohttp-res";
    if (!isSealed) return { status: LATER, retryAfter: seconds(answer.headers) }; // from the relay or the gateway
    const response = new BHttpDecoder().decodeResponse((await opened(body)).buffer as ArrayBuffer);
    return { status: response.status, retryAfter: seconds(response.headers) };
  }
}

/** Returns the wait that an answer requests. */
function seconds(headers: Headers): number | undefined {
  const asked = headers.get("Retry-After") ?? "";
  return /^[0-9]{1,9}$/.test(asked) ? Number(asked) : undefined;
}

/** Returns the first key of the suite (RFC 9458, section 3). */
function keyIn(keys: Uint8Array): { id: number; bytes: Uint8Array } {
  const view = new DataView(keys.buffer, keys.byteOffset, keys.length);
  for (let at = 0; at + 2 < keys.length; at += 2 + view.getUint16(at)) {
    if (view.getUint16(at + 3) !== KEM) continue;
    const suites = at + 5 + KEY_SIZE;
    for (let next = suites + 2; next < suites + 2 + view.getUint16(suites); next += 4) {
      if (view.getUint32(next) === SUITE) return { id: keys[at + 2]!, bytes: keys.slice(at + 5, suites) };
    }
  }
  throw new TypeError("the gateway's keys have none for X25519, HKDF-SHA256 and AES-128-GCM; give such keys");
}

/** Returns an encapsulated request, and a function that opens its answer (section 4). */
async function encapsulated(key: { id: number; bytes: Uint8Array }, request: Uint8Array) {
  const header = new Uint8Array(7);
  const view = new DataView(header.buffer);
  view.setUint8(0, key.id);
  view.setUint16(1, KEM);
  view.setUint32(3, SUITE);
  const info = new Uint8Array([...encoded("message/bhttp request"), 0, ...header]);
  const publicKey = await suite.DeserializePublicKey(key.bytes);
  const { encapsulatedSecret, ctx } = await suite.SetupSender(publicKey, { info });
  const sealed = new Uint8Array([...header, ...encapsulatedSecret, ...(await ctx.Seal(request))]);
  const secret = await ctx.Export(encoded("message/bhttp response"), SECRET_SIZE);
  const opened = async (response: Uint8Array): Promise<Uint8Array> => {
    const salt = new Uint8Array([...encapsulatedSecret, ...response.subarray(0, SECRET_SIZE)]);
    const material = await crypto.subtle.importKey("raw", secret as BufferSource, "HKDF", false, ["deriveBits"]);
    const derived = (info: string, size: number) =>
      crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt, info: encoded(info) }, material, size * 8);
    const [bits, iv] = await Promise.all([derived("key", SECRET_SIZE), derived("nonce", NONCE_SIZE)]);
    const aead = await crypto.subtle.importKey("raw", bits, "AES-GCM", false, ["decrypt"]);
    const sealed = response.subarray(SECRET_SIZE) as BufferSource;
    return new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, aead, sealed));
  };
  return { sealed, opened };
}
