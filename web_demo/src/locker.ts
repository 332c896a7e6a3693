/** What locks files for this process: Node has no call for it, so a program does. */

import { spawn } from "node:child_process";
import * as fs from "node:fs";
import type { Socket } from "node:net";

/**
 * Reads `-x` or `-u`, a line each; locks or unlocks its descriptor 3, and answers with a line. Ends with its input.
 *
 * Perl does that itself (2 and 8 are `LOCK_EX` and `LOCK_UN`); without it the program `flock` does, once a line.
 */
const PROGRAM = `command -v perl >&2 && exec perl -ne '$| ||= open F, ">&=3"; flock F, /x/ ? 2 : 8 or exit; print'
while read how; do flock $how 3 || exit; echo; done`;

/** An open file, and a program that has it open, too. A lock is of both: it ends when neither has it open. */
export interface Locker {
  readonly file: number;
  /** Waits for the lock (`-x`), or gives it back (`-u`); returns whether that is done. */
  set(how: "-x" | "-u"): Promise<boolean>;
  /** Closes the file, here and there. */
  end(): void;
}

/**
 * Starts the program, which takes milliseconds; to ask it takes microseconds.
 *
 * It ends with this process at the latest, and lets this process end unless it is asked just then.
 *
 * @param file is the locker's from now on.
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
