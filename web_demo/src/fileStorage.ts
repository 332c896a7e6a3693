/** States in files, for Node. */

import { spawn } from "node:child_process";
import {
  closeSync, constants, fstatSync, fsync, openSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync,
} from "node:fs";
import { uptime } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Clock } from "./clock.js";
import { ParameterError } from "./index.js";
import type { StateFile, Storage } from "./storage.js";

const SIZE_MAX = 1 << 22; // bytes; no state is longer
const OWNER_ONLY = 0o600;
const BY_PERL = "use Fcntl ':flock'; open(F, '>&=3') && flock(F, LOCK_EX) or exit 1";
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
    const folder = realpathSync(dirname(this.name));
    const path = join(folder, basename(this.name));
    const lock = await lockOf(`${path}.lock`);
    try {
      return await work({ read: async () => read(path), replace: (content) => replace(folder, path, content) });
    } finally {
      closeSync(lock);
    }
  }
}

/** Waits for the disk. All else here takes microseconds, less than to wait for it. */
const flushed = promisify(fsync);

/** Returns the file `path` with its lock: closing it ends that. */
async function lockOf(path: string): Promise<number> {
  for (;;) {
    const file = opened(path, O_RDWR | O_CREAT);
    try {
      const taken = (await run("flock", ["-x", "3"], file)) ?? (await run("perl", ["-e", BY_PERL], file));
      if (!taken) throw new Error("can't be locked: that needs the program flock or perl");
      if (fstatSync(file).nlink) return file; // else it was removed while this waited
    } catch (error) {
      closeSync(file);
      throw error;
    }
    closeSync(file);
  }
}

/** Returns whether a program succeeds, which has a file as its descriptor 3; null if it isn't there. */
const run = (program: string, options: string[], file: number) =>
  new Promise<boolean | null>((answer) => {
    spawn(program, options, { stdio: ["ignore", "ignore", "ignore", file] })
      .on("error", () => answer(null))
      .on("exit", (code) => answer(code === 0));
  });

function read(path: string): Uint8Array | null {
  try {
    const file = opened(path, O_RDONLY);
    try {
      return readFileSync(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

async function replace(folder: string, path: string, content: Uint8Array): Promise<void> {
  const fresh = `${path}.new`;
  rmSync(fresh, { force: true }); // left over: its writer was killed
  try {
    await written(opened(fresh, O_WRONLY | O_CREAT | O_EXCL), content);
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
  await written(openSync(folder, O_RDONLY));
}

/** Opens a file of one name. A link isn't followed: two names would have two locks. */
function opened(path: string, flags: number): number {
  const file = openSync(path, flags | O_NOFOLLOW | O_NONBLOCK, OWNER_ONLY);
  const status = fstatSync(file);
  const wrong = !status.isFile() ? "not a regular file" : status.nlink > 1 ? `has ${status.nlink} hard links` : "";
  if (!wrong && status.size <= SIZE_MAX) return file;
  closeSync(file);
  throw new Error(`${basename(path)}: ${wrong || "too large"}`);
}

/** Writes content, if there is any, and closes the file once the disk has it. */
async function written(file: number, content?: Uint8Array): Promise<void> {
  try {
    if (content) writeFileSync(file, content);
    await flushed(file);
  } finally {
    closeSync(file);
  }
}
