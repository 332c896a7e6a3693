import type { BundleFiles } from "../src/wordBundle.js";

/** Decodes files in Base64, by their names in a bundle. */
export function filesOf(encoded: Readonly<Record<string, string>>): BundleFiles {
  const bytes = (name: string): Uint8Array =>
    Uint8Array.from(atob(encoded[name]!), (character) => character.charCodeAt(0));
  return {
    manifest: bytes("manifest.json"),
    index: bytes("index.safetensors"),
    randomizer: bytes("randomizer.tflite"),
  };
}
