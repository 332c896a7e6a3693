/**
 * What the tests of the frozen cases use of Node, for engines that have nothing of it: `engines.mjs` puts it in the
 * place of Node's modules. The files that they read are in `FILES`, by their paths in the repository.
 */

import { sha256 } from "../../../web_demo/src/sha256.ts";
import { WordBundle } from "../../../web_demo/src/wordBundle.ts";

const tests = [];

/** `node:test`: tests run one after the other, in the order in which they were given. */
export const test = (name, work) => tests.push({ name, work });

/** Runs the tests whose names `isTaken`; returns how many there were. Stops at the first that fails. */
export async function run(isTaken) {
  const taken = tests.filter(({ name }) => isTaken(name));
  for (const { name, work } of taken) {
    try {
      await work();
    } catch (error) {
      throw new Error(`${name}: ${error.message}\n${error.stack}`);
    }
  }
  return taken.length;
}

function fail(message) {
  throw new Error(message);
}

const shown = (value) => JSON.stringify(value, (_, each) => (typeof each === "bigint" ? `${each}n` : each === undefined ? "?" : each));

function same(one, other) {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  const [names, others] = [Object.keys(one), Object.keys(other)];
  return Array.isArray(one) === Array.isArray(other) && names.length === others.length &&
    names.every((name) => others.includes(name) && same(one[name], other[name]));
}

/** `node:assert/strict`. */
const assert = {
  ok: (value, message) => value || fail(message ?? "isn't true"),
  equal: (one, other, message) => Object.is(one, other) || fail(`${message ?? ""} ${shown(one)} isn't ${shown(other)}`),
  deepEqual: (one, other, message) => same(one, other) || fail(`${message ?? ""} ${shown(one)} isn't ${shown(other)}`),
  async rejects(action, expected, message) {
    try {
      await (typeof action === "function" ? action() : action);
    } catch (error) {
      if (!expected.prototype) return void assert.ok(expected(error));
      return void assert.ok(error instanceof expected, `${message}: ${error}`);
    }
    fail(`${message}: isn't refused`);
  },
  throws(action, expected) {
    try {
      action();
    } catch (error) {
      return void (expected && assert.ok(error instanceof expected, `${error}`));
    }
    fail("isn't refused");
  },
};
export default assert;

/** `node:url` and `node:path`: the repository's root is where paths begin. */
export const fileURLToPath = (url) => url.href.replace(/^file:\/+|^(\.\.\/)+/g, "");
export const join = (...names) => names.join("/");

/** `node:fs`. */
export const existsSync = (path) => path in FILES;
export const readdirSync = () => [];
export function readFileSync(path, form) {
  const digits = FILES[path] ?? fail(`there is no ${path}`);
  if (form) return digits;
  const content = new Uint8Array(digits.length / 2);
  for (let at = 0; at < content.length; at++) content[at] = parseInt(digits.slice(2 * at, 2 * at + 2), 16);
  return content;
}

/** `folder.ts`. */
export const openFolder = (path) => WordBundle.open({ path, read: async (name) => readFileSync(join(path, name)) });

/** `node:crypto`. */
export const createHash = () => ({ update: (content) => ({ digest: () => hex(sha256(bytes(content))) }) });

const hex = (content) => Array.from(content, (byte) => byte.toString(16).padStart(2, "0")).join("");
const latin1 = (text) => Uint8Array.from(text, (unit) => unit.charCodeAt(0));
const bytes = (content) => (typeof content === "string" ? latin1(unescape(encodeURIComponent(content))) : content);

/** A few of its methods. */
globalThis.Buffer ??= {
  alloc: (size) => buffer(new Uint8Array(size)),
  from: (content, form) => buffer(form === "latin1" ? latin1(content) : bytes(content).slice()),
  compare(one, other) {
    const place = one.findIndex((byte, at) => byte !== other[at]);
    return place < 0 ? one.length - other.length : one[place] - (other[place] ?? -1);
  },
};

const buffer = (content) => Object.assign(content, {
  writeInt32LE: (value, at) => new DataView(content.buffer).setInt32(at, value, true),
  toString: () => Array.from(content, (byte) => String.fromCharCode(byte)).join(""),
});
globalThis.URL ??= class {
  constructor(href) {
    this.href = href;
  }
};
