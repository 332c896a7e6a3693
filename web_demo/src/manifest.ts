/** The file `manifest.json`, checked. */

import { decoded, encoded, hex } from "./bytes.js";
import { BundleError } from "./errors.js";
import { digestIn, readCounts, readSetting, type CountsSetting, type Setting } from "./setting.js";
import { sha256 } from "./sha256.js";
import { integerOf, need, objectOf, parse, readable, type Json, type JsonObject } from "./strictJson.js";
import { ENGLISH, readWriting, type Writing } from "./writing.js";

export const MANIFEST = "manifest.json";
export const INDEX = "index.safetensors";
export const RANDOMIZER = "randomizer.tflite";

/** Golden cases: not shipped to devices; the manifest names them all the same. */
const PARITY = "parity.json";

const FORMAT = "brr-bundle";
const FORMAT_VERSION = 3;
export const MANIFEST_LIMIT = 2 ** 20; // bytes; a hostile manifest isn't worth parsing
const VOCABULARY_LIMIT = 2 ** 24;
const BIGRAMS_LIMIT = 2 ** 24;
const FILE_LIMIT = 2 ** 31 - 1; // bytes; more, and a device can't map it

const LISTS = ["words", "emoji", "both", "strings"] as const;

/** What the strings of a list are: words and phrases, emoji, both of them, or any strings. */
export type ListOf = (typeof LISTS)[number];

/** Size in bytes and SHA-256 of a file, as the manifest has them. */
export interface FileEntry {
  readonly size: number;
  readonly sha256: string;
}

/** What a bundle shows of its manifest. */
export interface Shown {
  readonly listOf: ListOf | null;
  readonly size: number;
  readonly bits: number;
  readonly taskBits: number;
  readonly wordBits: number;
  readonly recommended: Setting | null;
  readonly counts: CountsSetting | null;
  readonly digest: string;
  readonly manifestDigest: string;
}

/** What a manifest says. */
export interface Manifest {
  readonly shown: Shown;
  readonly bigrams: number;
  /** A list has no randomizer. */
  readonly files: { readonly [INDEX]: FileEntry; readonly [RANDOMIZER]: FileEntry | null };
  readonly writing: Writing;
  readonly json: JsonObject;
}

/** Returns the error for a file of a bundle that has some damage. */
export const damaged = (path: string, damage: string): BundleError =>
  new BundleError(`${path}: ${damage}; rebuild the bundle`);

/** Returns the error for a file that its SHA-256 doesn't fit. */
export const changed = (path: string): BundleError => damaged(path, "changed since it was built (SHA-256)");

/** Returns SHA-256 in hexadecimal digits: the platform's, which is far faster, where a page has it. */
export const digestOf = async (content: Uint8Array): Promise<string> => {
  const { subtle } = crypto;
  return hex(subtle ? new Uint8Array(await subtle.digest("SHA-256", content as BufferSource)) : sha256(content));
};

/**
 * Returns what a manifest says.
 *
 * @param content of the file.
 * @param path how messages call the file.
 * @param verifyHash compare the manifest with its own SHA-256.
 * @throws BundleError it is damaged, or of an unknown format version.
 */
export async function readManifest(content: Uint8Array, path: string, verifyHash: boolean): Promise<Manifest> {
  let json: JsonObject;
  try {
    need(content.length <= MANIFEST_LIMIT);
    json = objectOf(parse(content));
  } catch {
    throw damaged(path, "not a manifest (JSON object, at most 1 MB)");
  }
  const field = <T>(name: string, read: (value: Json | undefined) => T): T =>
    readable(() => read(json[name]), () => {
      throw damaged(path, `field '${name}' is missing or wrong`);
    });
  const optional = <T, Absent>(name: string, absent: Absent, read: (value: Json) => T): T | Absent =>
    field(name, (value) => (value === undefined ? absent : read(value)));
  field("format", (value) => need(value === FORMAT));
  const version = json["format_version"];
  field("format_version", () => need(typeof version === "bigint"));
  if (version !== BigInt(FORMAT_VERSION)) {
    throw new BundleError(
      `${path}: format version ${version} is unknown (this brrkit reads ${FORMAT_VERSION}); update brrkit or ` +
        "rebuild the bundle",
    );
  }
  const sha256 = field("sha256", digestIn);
  if (verifyHash && (await manifestDigest(content, sha256)) !== sha256) throw changed(path);
  const bits = field("bits", (value) => (value === 0n ? 0 : lengthOf(value, 512)));
  const size = field("vocabulary_size", (value) => integerOf(value, 2, VOCABULARY_LIMIT));
  const taskBits = optional("task_bits", 0, (value) => lengthOf(value, bits - 64));
  const bigrams = field("bigrams", (value) => integerOf(value, 0, bits && BIGRAMS_LIMIT));
  const listOf = field("list_of", (value) => {
    const found = LISTS.find((each) => each === value);
    need(bits ? value === undefined : found);
    return found ?? null;
  });
  const file = (name: string): FileEntry =>
    field(`files.${name}`, () => {
      const entry = objectOf(objectOf(json["files"])[name]);
      return { size: integerOf(entry["size"], 0, FILE_LIMIT), sha256: digestIn(entry["sha256"]) };
    });
  const files = { [INDEX]: file(INDEX), [RANDOMIZER]: bits ? file(RANDOMIZER) : null };
  file(PARITY);
  const writing = optional("writing", ENGLISH, readWriting);
  const recommended = optional("recommended", null, (value) => {
    need(bits);
    return readSetting(value, bits - taskBits);
  });
  const counts = optional("counts", null, readCounts);
  const wordBits = bits - taskBits;
  const { sha256: digest } = files[INDEX];
  const shown = { listOf, size, bits, taskBits, wordBits, recommended, counts, digest, manifestDigest: sha256 };
  return { shown, bigrams, files, writing, json };
}

/** Returns a value that has to be a number of bits from 64 on that fills words of a code. */
function lengthOf(value: Json | undefined, most: number): number {
  const bits = integerOf(value, 64, most);
  need(bits % 64 === 0);
  return bits;
}

/** Returns the SHA-256 of a manifest's bytes with its own `digest` replaced by zeros, wherever it is. */
export function manifestDigest(content: Uint8Array, digest: string): Promise<string> {
  return digestOf(encoded(decoded(content).replaceAll(digest, "0".repeat(64))));
}
