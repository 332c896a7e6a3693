/** States in a store of strings, such as that of a React Native app. */

import { hex, unhex } from "./bytes.js";
import { checkArgument } from "./errors.js";
import { oneAtATime, type StateFile, type Storage } from "./storage.js";

/** A store of strings by their keys, such as `AsyncStorage`. */
export interface KeyValueStore {
  /** Returns the string of a key, or null if there is none. */
  getItem(key: string): Promise<string | null>;
  /** Replaces the string as a whole, or not at all. When it is done, the string survives the end of the app. */
  setItem(key: string, value: string): Promise<void>;
}

type Alone = ReturnType<typeof oneAtATime>;

/** Serial runners, by store and key. */
const locks = new WeakMap<KeyValueStore, Map<string, Alone>>();

/**
 * A record in a store that only **one process** uses, such as an app's.
 *
 * A power cut leaves the state that the store promises. Setting the clock forward and restarting the app renews a
 * budget.
 */
export class KeyValueStorage implements Storage {
  /**
   * @param name the record's key.
   * @param store the store. Use one object for all its records, because the lock depends on the object's identity.
   * @throws ParameterError an argument is of the wrong type.
   */
  constructor(readonly name: string, readonly store: KeyValueStore) {
    checkArgument(typeof name === "string" && name, "a state's name must be a string");
    checkArgument(store?.getItem, "store must be a KeyValueStore");
  }

  locked<T>(work: (file: StateFile) => Promise<T>): Promise<T> {
    const ofStore = locks.get(this.store) ?? new Map<string, Alone>();
    locks.set(this.store, ofStore);
    const alone = ofStore.get(this.name) ?? oneAtATime();
    ofStore.set(this.name, alone);
    return alone(() => work({ read: () => this.#read(), replace: (content) => this.store.setItem(this.name, hex(content)) }));
  }

  async #read(): Promise<Uint8Array | null> {
    const digits = await this.store.getItem(this.name);
    if (digits === null || digits === undefined) return null;
    if (!/^([0-9a-f]{2})*$/.test(digits)) throw new Error("holds something else");
    return unhex(digits);
  }
}
