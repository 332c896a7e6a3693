/** Protection of stored keys. */

import { concat } from "./bytes.js";
import { checkArgument, type BrrError } from "./errors.js";
import { inRecords } from "./indexedDbStorage.js";
import { systemRandom } from "./randomness.js";

const NONCE_SIZE = 12; // bytes

/** The algorithm of all encryption, AES in GCM, and the uses of its keys. */
export const GCM = "AES-GCM";
export const USES: KeyUsage[] = ["encrypt", "decrypt"];

/** Bytes of a key. */
export const KEY_SIZE = 32;

/** Protects a key. Without a vault, the key itself is stored. */
export interface KeyVault {
  /** Returns 32 to 1,024 bytes to store in place of a new key of 32 bytes. */
  seal(key: Uint8Array): Promise<Uint8Array>;
  /** Returns the key from which `sealed` was made. Rejects if that fails. */
  open(sealed: Uint8Array): Promise<Uint8Array>;
}

/**
 * Seals keys with a `CryptoKey` in IndexedDB (AES-256-GCM). Scripts can use this key, but can't read it.
 *
 * A script injected into the page therefore can't export the key. Anyone who can read the browser's own files can: no
 * browser protects them on all systems. The key is created at the first `seal`.
 */
export class CryptoKeyVault implements KeyVault {
  /**
   * @param name name of the key's record.
   * @param database name of the database in IndexedDB.
   */
  constructor(private readonly name = "vault", private readonly database = "brrkit") {}

  async seal(key: Uint8Array): Promise<Uint8Array> {
    if (!(await this.#stored())) {
      const made = await crypto.subtle.generateKey({ name: GCM, length: 8 * KEY_SIZE }, false, USES);
      // This fails if another page has created it in the meantime.
      await inRecords(this.database, "readwrite", (records) => records.add(made, this.name)).catch(() => undefined);
    }
    return encrypt((await this.#stored())!, key); // rejects without a key
  }

  async open(sealed: Uint8Array): Promise<Uint8Array> {
    return decrypt((await this.#stored())!, sealed); // rejects without a key
  }

  async #stored(): Promise<CryptoKey | undefined> {
    return (await inRecords(this.database, "readonly", (records) => records.get(this.name))) as CryptoKey | undefined;
  }
}

/** Returns a nonce, and `content` encrypted with a tag that authenticates it. */
export async function encrypt(key: CryptoKey, content: Uint8Array): Promise<Uint8Array> {
  const nonce = systemRandom(NONCE_SIZE);
  const encrypted = await crypto.subtle.encrypt(algorithm(nonce), key, content as BufferSource);
  return concat(nonce, new Uint8Array(encrypted));
}

/** Returns the decrypted content. Rejects if `encrypt` didn't make it. */
export async function decrypt(key: CryptoKey, sealed: Uint8Array): Promise<Uint8Array> {
  const nonce = sealed.subarray(0, NONCE_SIZE);
  const encrypted = sealed.subarray(NONCE_SIZE) as BufferSource;
  return new Uint8Array(await crypto.subtle.decrypt(algorithm(nonce), key, encrypted));
}

const algorithm = (nonce: Uint8Array): AesGcmParams => ({ name: GCM, iv: nonce as BufferSource });

/**
 * Returns a wrapper that passes copies to a vault, and replaces its errors with those of `failure`: their messages may
 * reveal too much. Without a vault, it leaves keys unchanged.
 *
 * @throws ParameterError it is no vault.
 */
export function guarded(vault: KeyVault | undefined, failure: () => BrrError): KeyVault {
  checkArgument(!vault || vault.seal, "vault must be a KeyVault");
  const calling = (method: keyof KeyVault) => async (key: Uint8Array) => {
    if (!vault) return key;
    try {
      return await vault[method](key.slice());
    } catch {
      throw failure();
    }
  };
  return { seal: calling("seal"), open: calling("open") };
}
