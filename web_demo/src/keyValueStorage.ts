/** States in a store of strings, such as React Native's apps have. */

import { hex, unhex } from "./bytes.js";
import { checkArgument } from "./errors.js";
import { oneAtATime, type StateFile, type Storage } from "./storage.js";

/** Keeps strings by their keys; `AsyncStorage` is one. */
export interface KeyValueStore {
  /** Returns the string of a key, or null if there is none. */
  getItem(key: string): Promise<string | null>;
  /** Replaces it, whole or not at all; when it is done, it outlives the app. */
  setItem(key: string, value: string): Promise<void>;
}

type Alone = ReturnType<typeof oneAtATime>;

/** What runs one after the other, by store and key. */
const locks = new WeakMap<KeyValueStore, Map<string, Alone>>();

/**
 * A record in a store that **one process** uses, as an app does.
 *
 * A power cut leaves what the store promises. Setting the clock forward and starting the app again renews a budget.
 */
export class KeyValueStorage implements Storage {
  /**
   * @param name the record's key.
   * @param store one object for all records of a store: its identity is part of the lock's.
   * @throws ParameterError an argument is of another kind.
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
