/** Removes what a browser keeps. */

/**
 * Removes all that is kept in a database of this origin: the budget, the memory, the consent, the outbox and the
 * vault's key. What was spent is forgotten with it. End workers before.
 *
 * @param database of IndexedDB.
 */
export async function removeState(database = "brrkit"): Promise<void> {
  await answered(indexedDB.deleteDatabase(database));
}

/** Returns what a request gives. */
export const answered = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((done, failed) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  });
