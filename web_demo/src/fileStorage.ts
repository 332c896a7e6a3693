/** States in files, for Node. */

import * as fs from "node:fs";
import { uptime } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Clock } from "./clock.js";
import { ParameterError } from "./index.js";
import { lockerOf, type Locker } from "./locker.js";
import type { StateFile, Storage } from "./storage.js";

const SIZE_MAX = 1 << 22; // bytes; no state is longer
const OWNER_ONLY = 0o600;
const IDLE_MOST = 4; // the number of an app's states: budget, memory, consent and outbox
const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = fs.constants;

/** By the paths of files that aren't locked. The last was used most recently. */
const idle = new Map<string, Locker>();

/** Read once, because no process outlives a run of the device. */
let boot: string | undefined;

/** Reads this device's clocks. The uptime comes in steps of 10 ms. */
export const deviceClock: Clock = () => {
  boot ??= bootId();
  return { time: Date.now(), uptime: Math.floor(uptime() * 1000), boot };
};

function bootId(): string {
  try {
    const id = fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(); // Linux
    return /^[0-9a-f-]{0,36}$/.test(id) ? id : "";
  } catch {
    return "";
  }
}

/**
 * A file that processes share, found beside its lock, `<path>.lock`.
 *
 * The lock is the system's (`flock`), so it ends with the process that holds it, and also excludes the Python and Swift
 * runtimes. Node can't take it. The program `perl` or `flock` takes it instead, on the file that this process has open.
 * This program is kept for the next use; at most four are kept. Without either program, as on Windows, nothing is read
 * or released.
 */
export class FileStorage implements Storage {
  readonly name: string;
  readonly clock: Clock = deviceClock;

  /**
   * @param path path of the file, in an existing directory.
   * @throws ParameterError it can't name a file.
   */
  constructor(path: string) {
    this.name = resolve(path);
    if (/(^|[/\\])\.{0,2}$|\0/.test(path)) throw new ParameterError("a state's path must be the path of a file");
  }

  async locked<T>(work: (file: StateFile) => Promise<T>): Promise<T> {
    const folder = fs.realpathSync(dirname(this.name));
    const path = join(folder, basename(this.name));
    const lock = `${path}.lock`;
    const locker = await takeLock(lock);
    try {
      return await work({ read: async () => read(path), replace: (content) => replace(folder, path, content) });
    } finally {
      await giveLock(lock, locker);
    }
  }
}

/** Waits for the disk. Everything else here takes only microseconds, and is therefore synchronous. */
const flushed = promisify(fs.fsync);

/** Waits for the lock of the file `path`, and returns its locker. */
async function takeLock(path: string): Promise<Locker> {
  // Repeats if a kept locker has been killed, or if the lock was removed.
  for (;;) {
    const kept = idle.get(path);
    idle.delete(path);
    const locker = kept ?? lockerOf(opened(path, O_RDWR | O_CREAT));
    const isTaken = await locker.set("-x");
    if (isTaken && isAt(path, locker.file)) return locker;
    locker.end();
    if (!isTaken && !kept) throw new Error("can't be locked: that needs the program perl or flock");
  }
}

/** Releases the lock, and keeps its locker. */
async function giveLock(path: string, locker: Locker): Promise<void> {
  const isUnlocked = await locker.set("-u");
  if (!isUnlocked || idle.has(path)) {
    locker.end();
    return;
  }
  idle.set(path, locker);
  if (idle.size > IDLE_MOST) endOldest();
}

function endOldest(): void {
  const [oldest] = idle;
  if (!oldest) return;
  const [path, locker] = oldest;
  idle.delete(path);
  locker.end();
}

/** Returns whether an open file is the one at `path`. */
function isAt(path: string, file: number): boolean {
  try {
    const found = fs.lstatSync(path);
    const own = fs.fstatSync(file);
    return found.dev === own.dev && found.ino === own.ino;
  } catch {
    return false;
  }
}

function read(path: string): Uint8Array | null {
  try {
    const file = opened(path, O_RDONLY);
    try {
      return fs.readFileSync(file);
    } finally {
      fs.closeSync(file);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

async function replace(folder: string, path: string, content: Uint8Array): Promise<void> {
  const fresh = `${path}.new`;
  fs.rmSync(fresh, { force: true }); // a remnant of a killed writer
  try {
    await written(opened(fresh, O_WRONLY | O_CREAT | O_EXCL), content);
    fs.renameSync(fresh, path);
  } catch (error) {
    fs.rmSync(fresh, { force: true });
    throw error;
  }
  await written(fs.openSync(folder, O_RDONLY));
}

/** Opens a file of one name. It doesn't follow links, because two names would have two locks. */
function opened(path: string, flags: number): number {
  const file = fs.openSync(path, flags | O_NOFOLLOW | O_NONBLOCK, OWNER_ONLY);
  const fault = faultOf(fs.fstatSync(file));
  if (fault === undefined) return file;
  fs.closeSync(file);
  throw new Error(`${basename(path)}: ${fault}`);
}

/** Returns the reason why a file can't hold a state; nothing if it can. */
function faultOf(status: fs.Stats): string | undefined {
  if (!status.isFile()) return "not a regular file";
  if (status.nlink > 1) return `has ${status.nlink} hard links`;
  return status.size > SIZE_MAX ? "too large" : undefined;
}

/** Writes content, if there is any, and closes the file once the content is on disk. */
async function written(file: number, content?: Uint8Array): Promise<void> {
  try {
    if (content) fs.writeFileSync(file, content);
    await flushed(file);
  } finally {
    fs.closeSync(file);
  }
}
