/** Removes stored states from a browser. */

/**
 * Removes all that is stored in a database of this origin: the budget, the memory, the consent, the outbox and the
 * vault's key. The record of spent epsilon is lost, too. End workers first.
 *
 * @param database name of the database in IndexedDB.
 */
export async function removeState(database = "brrkit"): Promise<void> {
  await answered(indexedDB.deleteDatabase(database));
}

/** Returns the result of a request. */
export const answered = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((done, failed) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  });
