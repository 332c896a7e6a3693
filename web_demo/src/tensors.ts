/** The file `index.safetensors`: its header, and the codes, words and masses in it. */

import { concat, eights, encoded, hex } from "./bytes.js";
import { createIndex, type HammingIndex } from "./hammingIndex.js";
import { damaged, type Manifest } from "./manifest.js";
import { createMasses, type Masses } from "./masses.js";
import { PackedNumbers, packedSize, widthOf } from "./packedNumbers.js";
import { BLOCK, createVocabulary, type Vocabulary } from "./vocabulary.js";

/** A tensor: name, type as safetensors calls it, shape, and size in bytes. */
type Tensor = readonly [name: string, type: string, shape: readonly number[], size: number];

function layout({ shown: { size, bits }, bigrams }: Manifest, words: number): Tensor[] {
  const bytes = (name: string, count: number): Tensor => [name, "U8", [count], count];
  const blocks = Math.ceil(size / BLOCK) + 1;
  const packed = packedSize(size, widthOf(size));
  const paired = packedSize(bigrams, widthOf(size));
  return [
    ["codes", "U64", [size, bits / 64], (size * bits) / 8],
    ["offsets", "U32", [blocks], 4 * blocks],
    bytes("ids", packed),
    bytes("positions", packed),
    bytes("masses", size),
    bytes("before", paired),
    bytes("after", paired),
    bytes("gains", bigrams),
    bytes("words", words),
  ];
}

/** Returns what an index begins with, the length of the header and the header; and the bytes of all tensors. */
function header(tensors: readonly Tensor[]): [Uint8Array, number] {
  let end = 0;
  const entries = tensors.map(([name, type, shape, size]) => {
    const start = end;
    end += size;
    return `"${name}":{"dtype":"${type}","shape":[${shape}],"data_offsets":[${start},${end}]}`;
  });
  const text = `{${entries.join()}}`;
  const text8 = text.padEnd(Math.ceil(text.length / 8) * 8); // the codes are aligned
  return [concat(eights(text8.length), encoded(text8)), end];
}

/** What an index has. */
export interface IndexContent {
  readonly index: HammingIndex;
  readonly vocabulary: Vocabulary;
  readonly masses: Masses;
}

/**
 * Returns the codes, words and masses of an index.
 *
 * The header follows from the manifest and the size of the file: it is compared, not parsed.
 *
 * @param content of the file, in whole.
 * @param path how messages call the file.
 * @throws BundleError it isn't an index of so many words and bits.
 */
export function readIndex(content: Uint8Array, path: string, manifest: Manifest): IndexContent {
  const { shown: { size, bits, taskBits }, bigrams } = manifest;
  // The header's length in decimals differs by the number of bytes of the words, and vice versa: so its own
  // length says where it ends.
  let start = 8 + content.subarray(0, 8).reduceRight((number, byte) => 256 * number + byte, 0);
  const [, others] = header(layout(manifest, 0));
  const tensors = layout(manifest, Math.max(content.length - start - others, 0));
  const [expected, taken] = header(tensors);
  if (content.length !== start + taken || hex(content.subarray(0, expected.length)) !== hex(expected)) {
    const names = tensors.map(([name]) => name).join(", ");
    throw damaged(path, `not the tensors ${names} of ${size} words x ${bits} bits and ${bigrams} bigrams`);
  }
  // Copies: numbers are aligned in them, and the content isn't kept.
  const [codes, offsets, ids, positions, words, before, after, gains, text] = tensors.map(([, , , length]) => {
    return new Uint8Array(content.subarray(start, (start += length)));
  }) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array];
  const numbers = (part: Uint8Array): Uint32Array => new Uint32Array(part.buffer);
  const packed = (part: Uint8Array, count: number): PackedNumbers => new PackedNumbers(part, count, widthOf(size));
  const vocabulary = createVocabulary(text, numbers(offsets), packed(ids, size), packed(positions, size));
  const masses = createMasses(words, packed(before, bigrams), packed(after, bigrams), gains);
  const damage = vocabulary.damage ?? masses.damage;
  if (damage) throw damaged(path, damage);
  return { index: createIndex(numbers(codes), words, bits, taskBits), vocabulary, masses };
}
