/** The directory of a bundle, and the files in it. */

import * as fs from "node:fs";
import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { BundleError, ParameterError, WordBundle } from "./index.js";

const ATTEMPTS = 10;

/**
 * Opens the bundle in a directory.
 *
 * @param path of a directory made by `brr build`.
 * @param options as for `WordBundle.open`.
 * @throws BundleError a file is missing, damaged, or of an unknown format version.
 * @throws ParameterError an argument is of another kind.
 */
export async function openFolder(path: string, options: { verifyHashes?: boolean } = {}): Promise<WordBundle> {
  if (typeof path !== "string") throw new ParameterError("openFolder takes the path of a folder");
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const opened = await directory(path);
    const bundle = WordBundle.open({ path, read: (name, limit) => read(path, name, limit) }, options);
    await bundle.catch(() => undefined);
    // Another bundle may have taken its place meanwhile: all files must be of one, and so must an error be.
    const now = await stat(path).catch(() => undefined);
    if (now?.dev === opened.dev && now.ino === opened.ino) return bundle;
  }
  throw new BundleError(`${path}: replaced again and again while it was opened; try again later`);
}

/** Returns what the file system says of a directory. */
async function directory(path: string): Promise<fs.Stats> {
  let found: fs.Stats | undefined;
  try {
    found = await stat(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES") throw new BundleError(`${path}: can't be opened (${code}); give a bundle directory`);
  }
  if (!found?.isDirectory()) throw new BundleError(`${path}: not a bundle directory; make one with 'brr build'`);
  return found;
}

/** Returns a regular file's content, or its first `limit` + 1 bytes; nothing waits for whatever else it is. */
async function read(folder: string, name: string, limit: number): Promise<Uint8Array> {
  const path = join(folder, name);
  try {
    const file = await open(path, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
    try {
      const status = await file.stat();
      if (!status.isFile()) throw new Error("not a file");
      const content = new Uint8Array(Math.min(status.size, limit + 1));
      let at = 0;
      while (at < content.length) {
        const { bytesRead } = await file.read(content, at, content.length - at, at);
        if (!bytesRead) break;
        at += bytesRead;
      }
      return content.subarray(0, at);
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new BundleError(`${path}: can't be read (${code ?? message}); rebuild the bundle`);
  }
}
