/** What protects a key where it is stored. */

import { concat } from "./bytes.js";
import type { BrrError } from "./errors.js";
import { inRecords } from "./indexedDbStorage.js";
import { systemRandom } from "./randomness.js";

/** Bytes of a key. */
export const KEY_SIZE = 32;

/** Protects a key. Without one it is stored as it is. */
export interface KeyVault {
  /** Returns what is stored in place of a new key of 32 bytes: 32 to 1,024 bytes. */
  seal(key: Uint8Array): Promise<Uint8Array>;
  /** Returns the key that `sealed` was made of. Rejects if it can't be had. */
  open(sealed: Uint8Array): Promise<Uint8Array>;
}

/**
 * Seals keys with a `CryptoKey` that scripts can use and can't read, AES-256 in GCM, kept in IndexedDB.
 *
 * So a script that gets into the page can't take the key along. Who reads the browser's own files can: no
 * browser protects them on all systems. The key is made at the first `seal`.
 */
export class CryptoKeyVault implements KeyVault {
  /**
   * @param name of the key's record.
   * @param database of IndexedDB.
   */
  constructor(private readonly name = "vault", private readonly database = "brrkit") {}

  async seal(key: Uint8Array): Promise<Uint8Array> {
    const wrapping = (await this.#stored()) ?? (await this.#made());
    const nonce = systemRandom(NONCE_SIZE);
    return concat(nonce, await encrypt(wrapping, nonce, key));
  }

  async open(sealed: Uint8Array): Promise<Uint8Array> {
    const wrapping = await this.#stored();
    if (!wrapping) throw new Error("the key is missing");
    return decrypt(wrapping, sealed.subarray(0, NONCE_SIZE), sealed.subarray(NONCE_SIZE));
  }

  async #stored(): Promise<CryptoKey | undefined> {
    return (await inRecords(this.database, "readonly", (records) => records.get(this.name))) as CryptoKey | undefined;
  }

  async #made(): Promise<CryptoKey> {
    const key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
    try {
      await inRecords(this.database, "readwrite", (records) => records.add(key, this.name));
      return key;
    } catch (error) {
      const other = await this.#stored(); // another page has made it
      if (other) return other;
      throw error;
    }
  }
}

/** Bytes of a nonce. */
export const NONCE_SIZE = 12;

const NOTHING = new Uint8Array();

const algorithm = (nonce: Uint8Array, head: Uint8Array) =>
  ({ name: "AES-GCM", iv: nonce, additionalData: head }) as AesGcmParams;

/** Returns `content` encrypted, with a tag that authenticates it and `head`. */
export const encrypt = async (key: CryptoKey, nonce: Uint8Array, content: Uint8Array, head: Uint8Array = NOTHING) =>
  new Uint8Array(await crypto.subtle.encrypt(algorithm(nonce, head), key, content as BufferSource));

/** Returns what was encrypted. Rejects if it isn't what `encrypt` made. */
export const decrypt = async (key: CryptoKey, nonce: Uint8Array, sealed: Uint8Array, head: Uint8Array = NOTHING) =>
  new Uint8Array(await crypto.subtle.decrypt(algorithm(nonce, head), key, sealed as BufferSource));

/** Returns what a vault gives; whatever it throws, and may say, becomes `failure`. */
export async function guarded(
  action: () => Promise<Uint8Array>,
  failure: () => BrrError,
): Promise<Uint8Array> {
  try {
    return await action();
  } catch {
    throw failure();
  }
}
