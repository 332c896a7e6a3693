/** States in a browser's IndexedDB, in one record each. */

import { answered } from "./removeState.js";
import type { StateFile, Storage } from "./storage.js";

const RECORDS = "records";

/**
 * A record in IndexedDB, which all pages and workers of the origin share.
 *
 * The lock is one of the Web Locks API, and ends with the page that holds it. Content is flushed to disk (`durability:
 * "strict"`, if the browser supports it) before it counts as written. Needs a secure context. A browser may delete all
 * of a site's data if space is short: call `navigator.storage.persist()`.
 */
export class IndexedDbStorage implements Storage {
  readonly name: string;

  /**
   * @param record its name.
   * @param database name of the database in IndexedDB.
   */
  constructor(readonly record: string, readonly database = "brrkit") {
    this.name = `${database}/${record}`;
  }

  async locked<T>(work: (file: StateFile) => Promise<T>): Promise<T> {
    const locks = globalThis.navigator?.locks;
    if (!locks) throw new Error("there are no Web Locks here; use a page over https");
    return (await locks.request(`brrkit ${this.name}`, () =>
      work({
        read: async () => {
          const content = await inRecords(this.database, "readonly", (records) => records.get(this.record));
          if (content !== undefined && !(content instanceof Uint8Array)) throw new Error("holds something else");
          return content ?? null;
        },
        replace: async (content) => {
          await inRecords(this.database, "readwrite", (records) => records.put(content, this.record));
        },
      }),
    )) as T;
  }
}

/** Returns the result of one request to the records, after its transaction is complete. */
export async function inRecords<T>(
  database: string,
  mode: IDBTransactionMode,
  request: (records: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const opening = indexedDB.open(database, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(RECORDS);
  const opened = await answered(opening);
  try {
    return await new Promise<T>((done, failed) => {
      const transaction = opened.transaction(RECORDS, mode, { durability: "strict" });
      const asked = request(transaction.objectStore(RECORDS));
      transaction.oncomplete = () => done(asked.result);
      transaction.onabort = () => failed(transaction.error ?? asked.error);
    });
  } finally {
    opened.close();
  }
}
