/** The bundle's files that a device needs. */
export interface Files {
  readonly manifest: Uint8Array;
  readonly index: Uint8Array;
  readonly randomizer: Uint8Array;
}

/** Decodes files in Base64, by their names in a bundle. */
export function filesOf(encoded: Readonly<Record<string, string>>): Files {
  const bytes = (name: string): Uint8Array =>
    Uint8Array.from(atob(encoded[name]!), (character) => character.charCodeAt(0));
  return {
    manifest: bytes("manifest.json"),
    index: bytes("index.safetensors"),
    randomizer: bytes("randomizer.tflite"),
  };
}
