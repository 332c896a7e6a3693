/** The directory of a bundle, and the files in it. */

import * as fs from "node:fs";
import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { BundleError, ParameterError, WordBundle } from "./index.js";

const ATTEMPTS = 10;

/**
 * Opens the bundle in a directory.
 *
 * @param path path of a directory made by `brr build`.
 * @param options as for `WordBundle.open`.
 * @throws BundleError a file is missing, damaged, or of an unknown format version.
 * @throws ParameterError an argument is of the wrong type.
 */
export async function openFolder(path: string, options: { verifyHashes?: boolean } = {}): Promise<WordBundle> {
  if (typeof path !== "string") throw new ParameterError("openFolder takes the path of a folder");
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const opened = await directory(path);
    const bundle = WordBundle.open({ path, read: (name, limit) => read(path, name, limit) }, options);
    await bundle.catch(() => undefined);
    // Another bundle may have replaced it in the meantime. All files, and any error, must belong to one bundle.
    const now = await stat(path).catch(() => undefined);
    if (now?.dev === opened.dev && now.ino === opened.ino) return bundle;
  }
  throw new BundleError(`${path}: replaced again and again while it was opened; try again later`);
}

/** Returns the file system's status of a directory. */
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

/** Returns the content of a regular file, or its first `limit` + 1 bytes. Doesn't wait for other kinds of files. */
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
