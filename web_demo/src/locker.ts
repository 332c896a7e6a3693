/** Locks files for this process with a program, because Node has no call for it. */

import { spawn } from "node:child_process";
import * as fs from "node:fs";
import type { Socket } from "node:net";

/**
 * Reads lines `-x` or `-u`, locks or unlocks its descriptor 3, and answers with a line. Ends with its input.
 *
 * Perl does that itself (2 and 8 are `LOCK_EX` and `LOCK_UN`). Without Perl, the program `flock` runs for each line.
 */
const PROGRAM = `command -v perl >&2 && exec perl -ne '$| ||= open F, ">&=3"; flock F, /x/ ? 2 : 8 or exit; print'
while read how; do flock $how 3 || exit; echo; done`;

/** An open file, and a program that also has it open. They share a lock, which ends when neither has the file open. */
export interface Locker {
  readonly file: number;
  /** Waits for the lock (`-x`), or releases it (`-u`). Returns whether that succeeded. */
  set(how: "-x" | "-u"): Promise<boolean>;
  /** Closes the file in both processes. */
  end(): void;
}

/**
 * Starts the program. The start takes milliseconds, each request microseconds.
 *
 * It ends with this process at the latest. It keeps this process alive only during a request.
 *
 * @param file belongs to the locker from now on.
 */
export function lockerOf(file: number): Locker {
  try {
    const program = spawn(PROGRAM, { shell: true, stdio: ["pipe", "pipe", "ignore", file] });
    const stdin = program.stdin as Socket;
    const stdout = program.stdout as Socket;
    const answers = stdout[Symbol.asyncIterator]();
    for (const part of [program, stdin, stdout]) {
      part.on("error", () => undefined); // then no answer comes
      part.unref();
    }
    return {
      file,
      async set(how) {
        stdout.ref();
        stdin.write(`${how}\n`);
        const answer = await answers.next().catch(() => undefined);
        stdout.unref();
        return answer?.done === false;
      },
      end() {
        stdin.destroy();
        fs.closeSync(file);
      },
    };
  } catch (error) {
    fs.closeSync(file);
    throw error;
  }
}
