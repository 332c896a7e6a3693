/** The file `manifest.json`, checked. */

import { decoded, encoded, hex } from "./bytes.js";
import { BundleError } from "./errors.js";
import { readPolicy, type Policy } from "./policy.js";
import { digestIn, readCounts, readFrames, readSetting, type CountsSetting, type Frames, type Setting } from "./setting.js";
import { sha256 } from "./sha256.js";
import { integerOf, need, objectOf, parse, readable, type Json, type JsonObject } from "./strictJson.js";
import { ENGLISH, readWriting, type Writing } from "./writing.js";

export const MANIFEST = "manifest.json";
export const INDEX = "index.safetensors";
export const RANDOMIZER = "randomizer.tflite";

/** Golden cases. They aren't shipped to devices, but the manifest names them. */
const PARITY = "parity.json";

const FORMAT = "brr-bundle";
const FORMAT_VERSION = 3n;
export const MANIFEST_LIMIT = 2 ** 20; // bytes; a longer manifest may be hostile
const VOCABULARY_LIMIT = 2 ** 24;
const BIGRAMS_LIMIT = 2 ** 24;
const FILE_LIMIT = 2 ** 31 - 1; // bytes; the largest size that a device can map

const LISTS = ["words", "emoji", "both", "strings"] as const;

/** The kinds of a list's strings: words and phrases, emoji, both of them, or any strings. */
export type ListOf = (typeof LISTS)[number];

/** Size in bytes and SHA-256 of a file, from the manifest. */
export interface FileEntry {
  readonly size: number;
  readonly sha256: string;
}

/** The content of a checked `manifest.json`. */
export interface Manifest {
  readonly bits: number;
  readonly taskBits: number;
  readonly size: number;
  readonly bigrams: number;
  readonly listOf: ListOf | null;
  /** A list has no randomizer. */
  readonly files: { readonly [INDEX]: FileEntry; readonly [RANDOMIZER]: FileEntry | null };
  readonly sha256: string;
  readonly writing: Writing;
  readonly policy: Policy | null;
  readonly recommended: Setting | null;
  readonly counts: CountsSetting | null;
  readonly frames: Frames | null;
  readonly fields: JsonObject;
}

/** Returns the error for a damaged file of a bundle. */
export const damaged = (path: string, damage: string): BundleError =>
  new BundleError(`${path}: ${damage}; rebuild the bundle`);

/** Returns the error for a file with another SHA-256. */
export const changed = (path: string): BundleError => damaged(path, "changed since it was built (SHA-256)");

/**
 * Returns SHA-256 in hexadecimal digits. Uses the platform's implementation, which is much faster, if a page has it.
 */
export async function digestOf(content: Uint8Array): Promise<string> {
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) return hex(sha256(content));
  return hex(new Uint8Array(await subtle.digest("SHA-256", content as BufferSource)));
}

/**
 * Returns the content of a manifest.
 *
 * @param content content of the file.
 * @param path the file's name in messages.
 * @param verifyHash compare the manifest with its own SHA-256.
 * @throws BundleError it is damaged, or of an unknown format version.
 */
export async function readManifest(content: Uint8Array, path: string, verifyHash: boolean): Promise<Manifest> {
  const fields = fieldsIn(content, path);
  const read = <T>(name: string, reader: (value: Json | undefined) => T): T =>
    readable(
      () => reader(fields[name]),
      () => {
        throw damaged(path, `field '${name}' is missing or wrong`);
      },
    );
  const optional = <T, Absent>(name: string, absent: Absent, reader: (value: Json) => T): T | Absent =>
    read(name, (value) => (value === undefined ? absent : reader(value)));
  const file = (name: string): FileEntry => read(`files.${name}`, () => fileEntry(fields, name));

  read("format", (value) => need(value === FORMAT));
  const version = read("format_version", (value) => {
    need(typeof value === "bigint");
    return value;
  });
  if (version !== FORMAT_VERSION) {
    throw new BundleError(
      `${path}: format version ${version} is unknown (this brrkit reads ${FORMAT_VERSION}); update brrkit or ` +
        "rebuild the bundle",
    );
  }
  const digest = read("sha256", digestIn);
  if (verifyHash && (await manifestDigest(content, digest)) !== digest) throw changed(path);
  const bits = read("bits", (value) => (value === 0n ? 0 : lengthOf(value, 512)));
  const isList = bits === 0;
  const size = read("vocabulary_size", (value) => integerOf(value, 2, VOCABULARY_LIMIT));
  const taskBits = optional("task_bits", 0, (value) => lengthOf(value, bits - 64));
  const bigrams = read("bigrams", (value) => integerOf(value, 0, isList ? 0 : BIGRAMS_LIMIT));
  const listOf = read("list_of", (value) => {
    const kind = LISTS.find((each) => each === value);
    need(isList ? kind : value === undefined);
    return kind ?? null;
  });
  const files = { [INDEX]: file(INDEX), [RANDOMIZER]: isList ? null : file(RANDOMIZER) };
  file(PARITY);
  const writing = optional("writing", ENGLISH, readWriting);
  const policy = optional("policy", null, (value) => {
    need(!isList);
    return readPolicy(value, size);
  });
  const recommended = optional("recommended", null, (value) => {
    need(!isList);
    return readSetting(value, bits - taskBits);
  });
  const counts = optional("counts", null, readCounts);
  const frames = optional("frames", null, (value) => {
    need(!isList);
    return readFrames(value);
  });
  return {
    bits, taskBits, size, bigrams, listOf, files, sha256: digest, writing, policy, recommended, counts, frames, fields,
  };
}

function fieldsIn(content: Uint8Array, path: string): JsonObject {
  try {
    need(content.length <= MANIFEST_LIMIT);
    return objectOf(parse(content));
  } catch {
    throw damaged(path, "not a manifest (JSON object, at most 1 MB)");
  }
}

/** Returns the manifest's entry for a file. */
function fileEntry(fields: JsonObject, name: string): FileEntry {
  const entry = objectOf(objectOf(fields["files"])[name]);
  return { size: integerOf(entry["size"], 0, FILE_LIMIT), sha256: digestIn(entry["sha256"]) };
}

/** Returns a value, which must be a number of bits: a multiple of 64, at least 64. */
function lengthOf(value: Json | undefined, most: number): number {
  const bits = integerOf(value, 64, most);
  need(bits % 64 === 0);
  return bits;
}

/** Returns the SHA-256 of a manifest's bytes with its own `digest` replaced by zeros, at any place. */
export function manifestDigest(content: Uint8Array, digest: string): Promise<string> {
  return digestOf(encoded(decoded(content).split(digest).join("0".repeat(64))));
}
