/** A bundle, which `brr build` or `brr list` makes and an app ships. Its format: `spec/bundle-format.md`. */

import { concat } from "./bytes.js";
import { checkArgument, checkOptions, BundleError, OutOfVocabularyError } from "./errors.js";
import { checkInteger } from "./exact.js";
import type { HammingIndex } from "./hammingIndex.js";
import { ListTokenizer } from "./listTokenizer.js";
import {
  changed, damaged, digestOf, INDEX, MANIFEST, MANIFEST_LIMIT, RANDOMIZER, readManifest, type FileEntry, type ListOf,
  type Manifest,
} from "./manifest.js";
import type { Masses } from "./masses.js";
import { readStrengths, type MeasuredStrength } from "./measuredStrength.js";
import { Policy } from "./policy.js";
import type { CountsSetting, Frames, Setting } from "./setting.js";
import { numberOf, objectOf, plain, readable, type JsonObject } from "./strictJson.js";
import { readIndex, type IndexContent } from "./tensors.js";
import { Tokenizer } from "./tokenizer.js";
import type { Vocabulary } from "./vocabulary.js";

/** A source of a bundle's files. */
export interface BundleSource {
  /** The name of the folder in messages. */
  readonly path?: string;
  /**
   * Returns a file's content, or null if there is none. For a file with more than `limit` bytes, the first `limit` + 1
   * are enough.
   */
  read(name: string, limit: number): Promise<Uint8Array | null>;
}

/** The content of a bundle's files. */
export interface BundleFiles {
  readonly manifest: Uint8Array;
  readonly index: Uint8Array;
  /** A list has none. */
  readonly randomizer?: Uint8Array;
}

/** A word near another word. */
export interface Neighbor {
  /** A word of the vocabulary. */
  readonly word: string;
  /** Hamming distance between the two codes, in bits. */
  readonly distance: number;
}

/**
 * The first 128 bits of the SHA-256 of `randomizer.tflite` for each number of bits: nobody can make another file with
 * these. A graph is code. In a runtime that runs it, another graph could flip other bits.
 */
const GRAPH_DIGESTS: Readonly<Record<number, string>> = {
  64: "ac478cf28e07066e7261123668b9143a",
  128: "015376fdef531692fb94bd83c5e45289",
  192: "7abb8acf6bf478a8e387d061827602ba",
  256: "396833980553f94dcb406e56ef8e7223",
  320: "e3d4c4057644e31f02e85c6328f30e92",
  384: "c5d0697506d094356c3fe283d657452e",
  448: "a4581f75e634498175018a7e86d60bf1",
  512: "f71694bc70b1af655850cc2e089a5625",
};

/**
 * An opened bundle. Immutable. It equals only itself; two bundles with equal `digest` have the same words, masses and
 * codes.
 *
 * A bundle without codes is a list: `Counts` can count its strings, but `Privatizer` can't release them.
 */
export class WordBundle {
  readonly #fields: JsonObject;

  /** The words. */
  readonly vocabulary: Vocabulary;
  /** The codes, ready for searching. */
  readonly index: HammingIndex;
  /** The mass of each word, and its bigrams. */
  readonly masses: Masses;
  /** The lists of secret words, and the passing words. */
  readonly policy: Policy;
  /** Cuts text by the bundle's writing rules. */
  readonly tokenizer: Tokenizer;
  /** The kind of a list's strings; null if it isn't a list. */
  readonly listOf: ListOf | null;
  /** The number of words. */
  readonly size: number;
  /** Length of a code in bits, with its task bits; 0 for a list. */
  readonly bits: number;
  /** The number of task bits: the last bits of a code, learned from the bundle's tasks. */
  readonly taskBits: number;
  /** Length of a code in bits without its task bits. */
  readonly wordBits: number;
  /** The recommended setting for text, if an app gives none; null if there is none. */
  readonly recommended: Setting | null;
  /** The recommended setting for counts, if an app gives none; null if there is none. */
  readonly counts: CountsSetting | null;
  /** The shape of a day's text, if an app gives none; null if there is none. */
  readonly frames: Frames | null;
  /** SHA-256 of the index (codes, words and masses). An epsilon refers to one index. */
  readonly digest: string;
  /** SHA-256 of the manifest, which names the bundle in reports. */
  readonly manifestDigest: string;

  private constructor(
    manifest: Manifest,
    { index, vocabulary, masses }: IndexContent,
    /** The name of the manifest in messages. */
    readonly manifestPath: string,
  ) {
    const { writing, listOf, bits, taskBits } = manifest;
    this.#fields = manifest.fields;
    this.vocabulary = vocabulary;
    this.index = index;
    this.masses = masses;
    this.policy = manifest.policy ?? new Policy();
    this.tokenizer = listOf
      ? new ListTokenizer(writing, vocabulary, masses, listOf)
      : new Tokenizer(writing, vocabulary, masses, this.policy);
    this.listOf = listOf;
    this.size = manifest.size;
    this.bits = bits;
    this.taskBits = taskBits;
    this.wordBits = bits - taskBits;
    this.recommended = manifest.recommended;
    this.counts = manifest.counts;
    this.frames = manifest.frames;
    this.digest = manifest.files[INDEX].sha256;
    this.manifestDigest = manifest.sha256;
  }

  /**
   * Opens a bundle.
   *
   * @param source the URL of its folder, which is fetched, or another source of its files.
   * @param options `verifyHashes` compares the files with their SHA-256 in the manifest. Skip this only for files with
   *   other protection, such as an extension's signed package.
   * @throws BundleError a file is missing, damaged, or of an unknown format version.
   */
  static async open(
    source: string | URL | BundleSource,
    options: { verifyHashes?: boolean } = {},
  ): Promise<WordBundle> {
    checkOptions(options);
    const { verifyHashes = true } = options;
    // Numbers are read in place, in the machine's byte order.
    if (!new Uint8Array(Uint16Array.of(1).buffer)[0]) {
      throw new BundleError("a bundle needs a little-endian machine");
    }
    const isUrl = typeof source === "string" || source instanceof URL;
    const files = isUrl ? fetched(String(source)) : source;
    checkArgument(files?.read, "source must be a URL or a BundleSource");
    const folder = files.path?.replace(/\/?$/, "/") ?? "";
    const manifest = await readManifest(
      await read(files, folder, MANIFEST, MANIFEST_LIMIT), folder + MANIFEST, verifyHashes,
    );
    const checked = async (name: string, { size, sha256 }: FileEntry): Promise<Uint8Array> => {
      const content = await read(files, folder, name, size);
      if (content.length !== size) throw damaged(folder + name, `not ${size} bytes, as the manifest says`);
      if (verifyHashes && (await digestOf(content)) !== sha256) throw changed(folder + name);
      return content;
    };
    const index = readIndex(await checked(INDEX, manifest.files[INDEX]), folder + INDEX, manifest);
    const randomizer = manifest.files[RANDOMIZER];
    if (randomizer) {
      const graph = await checked(RANDOMIZER, randomizer);
      if (!(await digestOf(graph)).startsWith(GRAPH_DIGESTS[manifest.bits]!)) {
        throw damaged(folder + RANDOMIZER, `not the randomizer of ${manifest.bits} bits`);
      }
    }
    if (manifest.policy?.lists.some(({ forms }) => forms.some((form) => index.vocabulary.find(form) >= 0))) {
      throw damaged(folder + MANIFEST, "field 'policy' has a form that is a word");
    }
    return new WordBundle(manifest, index, folder + MANIFEST);
  }

  /**
   * Opens a bundle from its files' content.
   *
   * @throws BundleError as for `open`.
   */
  static of({ manifest, index, randomizer }: BundleFiles): Promise<WordBundle> {
    const files = new Map<string, Uint8Array | undefined>([
      [MANIFEST, manifest],
      [INDEX, index],
      [RANDOMIZER, randomizer],
    ]);
    return WordBundle.open({ read: async (name) => files.get(name) ?? null });
  }

  /** The fields of `manifest.json`. */
  get manifest(): Readonly<Record<string, unknown>> {
    return plain(this.#fields) as Record<string, unknown>;
  }

  /** Average Hamming distance between words in bits, or null if the bundle lacks it. */
  get averageDistance(): number | null {
    return this.#hamming("average");
  }

  /** Largest Hamming distance between words in bits, or null if the bundle lacks it. */
  get maximumDistance(): number | null {
    return this.#hamming("maximum");
  }

  #hamming(name: string): number | null {
    return readable(
      () => numberOf(objectOf(objectOf(this.#fields["distances"])["hamming"])[name]),
      () => null,
    );
  }

  /**
   * Returns the measured results of a mechanism with its default parameters, strongest first; empty if there are none.
   * `recommended` has the results of the recommended setting.
   */
  strengths(mechanism: string): MeasuredStrength[] {
    const average = this.averageDistance ?? 0;
    return average > 0 ? readStrengths(this.#fields, average, mechanism) : [];
  }

  /** Returns the normalized tokens of `text`: `Privatizer.text` releases a word for each, and a list counts them. */
  tokenize(text: string): string[] {
    checkArgument(typeof text === "string", "tokenize takes a string");
    return this.tokenizer.read(text).map((token) => token.text);
  }

  /**
   * Returns the finished part of a text in progress: the part that can already be released.
   *
   * It ends with the last character that separates words. Its tokens stay the text's first tokens, whatever is typed
   * next. With a list, no part is finished before the whole text.
   *
   * @param text the text typed since the last finished part.
   */
  finished(text: string): string {
    checkArgument(typeof text === "string", "finished takes a string");
    return this.tokenizer.finished(text);
  }

  /**
   * Returns the `k` other words nearest to `word`, the nearest first.
   *
   * Use it to inspect a bundle; it privatizes nothing.
   *
   * @throws OutOfVocabularyError the word isn't in the vocabulary.
   * @throws ParameterError k isn't from 1 to `size` - 1, or the bundle is a list.
   */
  neighbors(word: string, k = 10): Neighbor[] {
    checkCodes(this);
    checkInteger(k, 1, this.size - 1, "k");
    const id = this.vocabulary.find(this.tokenizer.normalize(word));
    if (id < 0) throw new OutOfVocabularyError("the word is out of vocabulary: it has no neighbors");
    // A word with the same code and a lower rank may come first. Drop the word itself.
    const others = this.index.nearest(this.index.code(id), k + 1).filter((match) => match.id !== id);
    return others.slice(0, k).map((match) => ({ word: this.vocabulary.word(match.id), distance: match.distance }));
  }
}

/**
 * Refuses a list.
 *
 * @throws ParameterError it is one.
 */
export const checkCodes = (bundle: WordBundle): void =>
  checkArgument(!bundle.listOf, "a list has no codes, so its strings can only be counted");

/** Returns a file's content, which must exist. */
async function read(files: BundleSource, folder: string, name: string, limit: number): Promise<Uint8Array> {
  const content = await files.read(name, limit);
  if (!content) throw damaged(folder + name, "can't be read (there is none)");
  return content;
}

const LESS_THAN = 0x3c; // the beginning of an HTML page

/** Returns a source that fetches from a folder's URL. */
function fetched(folder: string): BundleSource {
  const path = folder.replace(/\/$/, "");
  return {
    path,
    async read(name, limit) {
      const url = `${path}/${name}`;
      let why: unknown;
      try {
        const response = await fetch(url);
        why = response.status;
        if (why === 200) {
          const content = await body(response, limit);
          if (content[0] !== LESS_THAN) return content; // as for each file of a bundle
          why = "the server answers with a page";
        }
      } catch (error) {
        why = error;
      }
      throw new BundleError(`${url}: can't be fetched (${why}); put it there`);
    },
  };
}

/**
 * Returns a response's content; for content longer than `limit`, its beginning, because a server may send without end.
 */
async function body(response: Response, limit: number): Promise<Uint8Array> {
  const reader = response.body!.getReader();
  let content: Uint8Array = new Uint8Array();
  while (content.length <= limit) {
    const { value } = await reader.read();
    if (!value) break;
    content = concat(content, value);
  }
  await reader.cancel();
  return content;
}
