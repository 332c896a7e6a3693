/** States in files, for Node. */

import { spawn } from "node:child_process";
import { constants, readFileSync } from "node:fs";
import { type FileHandle, open, realpath, rename, rm } from "node:fs/promises";
import { uptime } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { ParameterError } from "./errors.js";
import type { Clock } from "./period.js";
import type { StateFile, Storage } from "./storage.js";

const SIZE_MAX = 1 << 22; // bytes; no state is longer
const OWNER_ONLY = 0o600;
const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;

let boot: string | undefined;

/** Reads this device's clocks. The uptime comes in steps of 10 ms. */
export const deviceClock: Clock = () => ({
  time: Date.now(),
  uptime: Math.floor(uptime() * 1000),
  boot: (boot ??= bootId()),
});

function bootId(): string {
  try {
    const id = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(); // Linux
    return /^[0-9a-f-]{0,36}$/.test(id) ? id : "";
  } catch {
    return "";
  }
}

/**
 * A file that processes share, found beside its lock, `<path>.lock`.
 *
 * The lock is the system's (`flock`), so it ends with the process that has it, and excludes Python's and
 * Swift's runtimes, too. Node can't take it: the program `flock` does, or `perl`, on the file that this
 * process has open. Where there is neither, as on Windows, nothing is read or released.
 */
export class FileStorage implements Storage {
  readonly name: string;
  readonly clock: Clock = deviceClock;

  /**
   * @param path of the file, in an existing directory.
   * @throws ParameterError it can't name a file.
   */
  constructor(path: string) {
    this.name = resolve(path);
    if (/(^|[/\\])\.{0,2}$|\0/.test(path)) throw new ParameterError("a state's path must be the path of a file");
  }

  async locked<T>(work: (file: StateFile) => Promise<T>): Promise<T> {
    const folder = await done(realpath(dirname(this.name)), "its directory can't be opened");
    const path = join(folder, basename(this.name));
    const lock = await lockOf(`${path}.lock`);
    try {
      return await work({ read: () => read(path), replace: (content) => replace(folder, path, content) });
    } finally {
      await lock.close();
    }
  }
}

/** Returns the file `path` with its lock: closing it ends that. */
async function lockOf(path: string): Promise<FileHandle> {
  for (;;) {
    const file = await done(open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, OWNER_ONLY), "its lock can't be opened");
    try {
      await check(file, "its lock is");
      const taken =
        (await run("flock", ["-x", "3"], file.fd)) ??
        (await run("perl", ["-MFcntl=:flock", "-e", "open(F, '>&=3') && flock(F, LOCK_EX) or exit 1"], file.fd));
      if (!taken) throw new Error("can't be locked: that needs the program flock or perl");
      if ((await file.stat()).nlink) return file; // else it was removed while this waited
    } catch (error) {
      await file.close();
      throw error;
    }
    await file.close();
  }
}

/** Returns whether a program succeeds, which has a file as its descriptor 3; null if it isn't there. */
const run = (program: string, options: string[], file: number) =>
  new Promise<boolean | null>((answer) => {
    spawn(program, options, { stdio: ["ignore", "ignore", "ignore", file] })
      .on("error", () => answer(null))
      .on("close", (code) => answer(code === 0));
  });

async function read(path: string): Promise<Uint8Array | null> {
  let file: FileHandle;
  try {
    file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? null : failed(error, "can't be read");
  }
  try {
    await check(file, "is");
    return await done(file.readFile(), "can't be read");
  } finally {
    await file.close();
  }
}

async function replace(folder: string, path: string, content: Uint8Array): Promise<void> {
  const fresh = `${path}.new`;
  try {
    await rm(fresh, { force: true }); // left over: its writer was killed
    await using(open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, OWNER_ONLY), async (file) => {
      await file.writeFile(content);
      await file.sync();
    });
    await rename(fresh, path);
    await using(open(folder), (file) => file.sync());
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => undefined);
    failed(error, "can't be written");
  }
}

async function using(opening: Promise<FileHandle>, work: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await opening;
  try {
    await work(file);
  } finally {
    await file.close();
  }
}

/** A link isn't followed, and a file has one name: two would have two locks. */
async function check(file: FileHandle, what: string): Promise<void> {
  const status = await file.stat();
  if (!status.isFile()) throw new Error(`${what} not a regular file`);
  if (status.nlink > 1) throw new Error(`${what} a file with ${status.nlink} hard links`);
  if (status.size > SIZE_MAX) throw new Error(`${what} too large`);
}

const done = <T>(action: Promise<T>, what: string): Promise<T> => action.catch((error: unknown) => failed(error, what));

function failed(error: unknown, what: string): never {
  const { code } = error as NodeJS.ErrnoException;
  throw new Error(code === "ELOOP" ? `${what}: a symbolic link` : code ? `${what} (${code})` : (error as Error).message);
}
