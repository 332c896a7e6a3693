/** Removes what a browser keeps. */

/**
 * Removes all that is kept in a database of this origin: the budget, the memory, the consent, the outbox and the
 * vault's key. What was spent is forgotten with it. End workers before.
 *
 * @param database of IndexedDB.
 */
export function removeState(database = "brrkit"): Promise<void> {
  return new Promise((done, failed) => {
    const removing = indexedDB.deleteDatabase(database);
    removing.onsuccess = () => done();
    removing.onerror = () => failed(removing.error);
  });
}
