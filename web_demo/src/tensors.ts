/** The file `index.safetensors`: its header, and the codes, words and masses in it. */

import { concat, eightBytes, encoded, hex } from "./bytes.js";
import { HammingIndex } from "./hammingIndex.js";
import { damaged, type Manifest } from "./manifest.js";
import { Masses } from "./masses.js";
import { PackedNumbers, packedSize, widthOf } from "./packedNumbers.js";
import { BLOCK, Vocabulary } from "./vocabulary.js";

/** What an index has. */
export interface IndexContent {
  readonly index: HammingIndex;
  readonly vocabulary: Vocabulary;
  readonly masses: Masses;
}

/**
 * Returns the codes, words and masses of an index.
 *
 * @param content the whole content of the file.
 * @param path the file's name in messages.
 * @throws BundleError it isn't an index of this number of words and bits.
 */
export function readIndex(content: Uint8Array, path: string, manifest: Manifest): IndexContent {
  const { size, bits, taskBits, bigrams } = manifest;
  const tensors = readTensors(content, path, manifest);
  const bytes = (name: string): Uint8Array => tensors.get(name)!;
  const numbers = (name: string): Uint32Array => new Uint32Array(bytes(name).buffer);
  const packed = (name: string, count: number): PackedNumbers => new PackedNumbers(bytes(name), count, widthOf(size));
  const vocabulary = new Vocabulary(
    bytes("words"), numbers("offsets"), packed("ids", size), packed("positions", size),
  );
  const masses = new Masses(bytes("masses"), packed("before", bigrams), packed("after", bigrams), bytes("gains"));
  const damage = vocabulary.damage() ?? masses.damage();
  if (damage !== undefined) throw damaged(path, damage);
  return { index: new HammingIndex(numbers("codes"), masses.words, bits, taskBits), vocabulary, masses };
}

/**
 * Returns the tensors of an index in safetensors' format, by their names. They are copies, so that numbers are aligned,
 * and the content isn't kept.
 *
 * The manifest and the size of the file determine the header. It is compared, not parsed.
 */
function readTensors(content: Uint8Array, path: string, manifest: Manifest): ReadonlyMap<string, Uint8Array> {
  const headerEnd = endOfHeader(content);
  const tensors = layout(manifest, content.length - headerEnd);
  const header = headerOf(tensors);
  const isWhole = content.length === headerEnd + tensors[tensors.length - 1]!.end;
  if (!isWhole || hex(content.subarray(0, header.length)) !== hex(header)) {
    const names = tensors.map(({ name }) => name).join(", ");
    throw damaged(
      path,
      `not the tensors ${names} of ${manifest.size} words x ${manifest.bits} bits and ${manifest.bigrams} bigrams`,
    );
  }
  return new Map(
    tensors.map(({ name, start, end }) => [name, new Uint8Array(content.subarray(headerEnd + start, headerEnd + end))]),
  );
}

/** The place of a tensor, in bytes after the header. */
interface Tensor {
  readonly name: string;
  /** The type's name in safetensors. */
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly start: number;
  readonly end: number;
}

/** Returns the tensors of an index with a number of bytes after its header. The last tensor takes the rest. */
function layout({ size, bits, bigrams }: Manifest, available: number): Tensor[] {
  const blocks = Math.ceil(size / BLOCK);
  const packed = (count: number): number => packedSize(count, widthOf(size));
  const tensors: Tensor[] = [];
  let start = 0;
  const add = (name: string, dtype: string, width: number, ...shape: readonly number[]): void => {
    const end = start + shape.reduce((product, length) => product * length, width);
    tensors.push({ name, dtype, shape, start, end });
    start = end;
  };
  add("codes", "U64", 8, size, bits / 64);
  add("offsets", "U32", 4, blocks + 1);
  add("ids", "U8", 1, packed(size));
  add("positions", "U8", 1, packed(size));
  add("masses", "U8", 1, size);
  add("before", "U8", 1, packed(bigrams));
  add("after", "U8", 1, packed(bigrams));
  add("gains", "U8", 1, bigrams);
  add("words", "U8", 1, Math.max(available - start, 0));
  return tensors;
}

/** Returns the beginning of the index with these tensors: the length of the header, and the header. */
function headerOf(tensors: readonly Tensor[]): Uint8Array {
  const entries = tensors.map(
    ({ name, dtype, shape, start, end }) =>
      `"${name}":{"dtype":"${dtype}","shape":[${shape}],"data_offsets":[${start},${end}]}`,
  );
  const text = `{${entries.join()}}`;
  const aligned = text.padEnd(Math.ceil(text.length / 8) * 8);
  return concat(eightBytes(aligned.length), encoded(aligned));
}

/** Returns the end of the header, from the number at its beginning. */
function endOfHeader(content: Uint8Array): number {
  return 8 + content.subarray(0, 8).reduceRight((number, byte) => 256 * number + byte, 0);
}
