/** States in files: excluded from each other, flushed before they count, and never found through a link. */

import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir, uptime } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, test, type TestContext } from "node:test";
import { ParameterError } from "../src/errors.js";
import { deviceClock, FileStorage } from "../src/fileStorage.js";
import { Memory } from "../src/memory.js";
import { PrivacyBudget } from "../src/privacyBudget.js";
import { failing, HOUR, seeded } from "./support.js";

const SPENDER = fileURLToPath(new URL("./spender.js", import.meta.url));

let folder: string;
let path: string;

const budgetOf = (file = path, limit = 10) => new PrivacyBudget(limit, HOUR, new FileStorage(file));
const text = () => fs.readFileSync(path, "utf8");
const inFolder = (name: string) => join(folder, name);

beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "brrkit-")));
  path = inFolder("state");
});

afterEach(() => fs.rmSync(folder, { recursive: true }));

function spending(limit: number, times: number, file = path): ChildProcess {
  return spawn(process.execPath, [SPENDER, file, `${limit}`, `${times}`, inFolder("released")], { stdio: "inherit" });
}

const ended = (child: ChildProcess) => new Promise<number | null>((done) => child.on("exit", done));
const released = () => (fs.existsSync(inFolder("released")) ? fs.statSync(inFolder("released")).size : 0);

async function assertRefused(file: string, expected: RegExp) {
  for (const attempt of [() => budgetOf(file).remaining(), () => budgetOf(file).spend(1, 1, "u")]) {
    const { message } = await failing("budgetFile", attempt);
    assert.match(message, expected);
    assert.match(message, /nothing is released until/);
  }
}

test("the default clocks are the system's", async () => {
  const start = Date.now();
  const before = deviceClock();
  await budgetOf().spend(1, 1, "u");
  const fields = JSON.parse(text());
  assert.ok(fields.uptime >= before.uptime && fields.uptime <= uptime() * 1000);
  assert.ok(fields.latest >= start && fields.latest <= Date.now());
  assert.equal(fields.boot, before.boot);
  const boot = "/proc/sys/kernel/random/boot_id";
  if (fs.existsSync(boot)) assert.equal(before.boot, fs.readFileSync(boot, "utf8").trim());
});

test("only the owner reads a file", async () => {
  await new Memory(HOUR, new FileStorage(path)).key();
  for (const name of fs.readdirSync(folder)) assert.equal(fs.statSync(inFolder(name)).mode & 0o777, 0o600, name);
  assert.deepEqual(fs.readdirSync(folder).sort(), ["state", "state.lock"]);
});

test("bad paths are refused", () => {
  for (const bad of ["", ".", "..", "a/", "a/..", "a\0b"]) assert.throws(() => new FileStorage(bad), ParameterError);
});

test("links are refused", async () => {
  await budgetOf().spend(1, 1, "u");
  for (const name of ["link", "link.lock"]) {
    fs.rmSync(inFolder("link.lock"), { force: true });
    for (const target of ["state", "missing", name]) {
      fs.symlinkSync(target, inFolder(name));
      await assertRefused(inFolder("link"), /link: ELOOP: too many symbolic links/);
      fs.rmSync(inFolder(name));
    }
    fs.linkSync(path, inFolder(name));
    await assertRefused(inFolder("link"), new RegExp(`link: ${name}: has 2 hard links`));
    await assertRefused(path, /state: state: has 2 hard links/);
    fs.rmSync(inFolder(name));
  }
  assert.ok(!fs.existsSync(inFolder("missing")));
  assert.equal(await budgetOf().remaining(), 9);
});

test("what isn't a file is refused at once", async () => {
  for (const name of ["state", "state.lock"]) {
    fs.rmSync(inFolder(name), { force: true });
    execFileSync("mkfifo", [inFolder(name)]);
    await assertRefused(path, new RegExp(`state: ${name}: not a regular file`));
    fs.rmSync(inFolder(name));
    fs.mkdirSync(inFolder(name));
    await assertRefused(path, new RegExp(`state: (${name}: not a regular file|EISDIR)`));
    fs.rmdirSync(inFolder(name));
  }
  const victim = inFolder("victim");
  fs.writeFileSync(victim, "");
  fs.symlinkSync(victim, `${path}.new`);
  await budgetOf().spend(1, 1, "u");
  execFileSync("mkfifo", [`${path}.new`]);
  await budgetOf().spend(1, 1, "u");
  assert.equal(fs.statSync(victim).size, 0);
  assert.ok(!fs.existsSync(`${path}.new`));
});

test("a state that can't be written stops releases", async () => {
  fs.writeFileSync(inFolder("file"), "");
  fs.mkdirSync(inFolder("folder"));
  for (const name of ["missing/state", "file/state", "folder", `${"x".repeat(300)}`]) {
    await assertRefused(inFolder(name), /nothing is released until/);
  }
  fs.mkdirSync(`${path}.new`); // where the new state would be written
  const { message } = await failing("budgetFile", () => budgetOf().spend(1, 1, "u"));
  assert.match(message, /state: .*EISDIR/);
  assert.ok(!fs.existsSync(path));
});

test("a left-over temporary file is no state", async () => {
  await budgetOf().spend(1, 1, "u");
  fs.writeFileSync(`${path}.new`, "garbage");
  assert.equal(await budgetOf().remaining(), 9);
  await budgetOf().spend(1, 1, "u");
  assert.equal(await budgetOf().remaining(), 8);
});

/** No test can cut the power, so this one checks the system calls. */
test("the state is flushed before it takes its place", async (context) => {
  try {
    execFileSync("strace", ["-V"], { stdio: "ignore" });
  } catch {
    return context.skip("strace isn't there");
  }
  const log = inFolder("calls");
  const calls = ["-f", "-y", "-qq", "-o", log, "-e", "trace=fsync,rename,write"];
  execFileSync("strace", [...calls, process.execPath, SPENDER, path, "10", "1", inFolder("released")]);
  const seen = fs.readFileSync(log, "utf8").split("\n")
    .filter((line) => line.includes(folder))
    .map((line) => line.replace(/^[0-9]+ +/, "").replace(/\(.*?(state[.a-z]*|released|brrkit-[^/>]*)[">].*/, " $1"));
  assert.deepEqual(seen.filter((call) => call !== "write released"), [
    "write state.new", "fsync state.new", "rename state.new", `fsync ${folder.split("/").at(-1)}`,
  ]);
});

test("without a program that locks, nothing is released", async (context) => {
  const { PATH } = process.env;
  process.env["PATH"] = folder;
  context.after(() => (process.env["PATH"] = PATH));
  await assertRefused(path, /can't be locked: that needs the program perl or flock/);
  fs.writeFileSync(inFolder("flock"), "#!/bin/sh\nexit 1\n", { mode: 0o700 }); // as where the file's system has no locks
  await assertRefused(path, /can't be locked: that needs the program perl or flock/);
  assert.ok(!fs.existsSync(path));
});

const found = (program: string) =>
  process.env["PATH"]!.split(":").map((place) => join(place, program)).find((file) => fs.existsSync(file));

/** Each program that locks excludes whoever has the lock of the system, as Python's runtime has. */
test("the lock is the system's", async (context) => {
  const { PATH } = process.env;
  context.after(() => (process.env["PATH"] = PATH));
  for (const program of ["flock", "perl"]) {
    process.env["PATH"] = PATH;
    const file = found(program);
    if (!file) {
      context.diagnostic(`${program} isn't there`);
      continue;
    }
    const only = inFolder(program);
    fs.mkdirSync(only);
    fs.symlinkSync(file, join(only, program));
    process.env["PATH"] = only;
    let others = 0;
    const path = join(only, "state"); // its own: what locks a path is kept
    const storage = new FileStorage(path);
    const work = async () => {
      assert.equal(others++, 0, "two at once");
      await sleep(20);
      others--;
    };
    await Promise.all([storage.locked(work), new FileStorage(path).locked(work), storage.locked(work)]);
    await storage.locked(async () => {
      const taken = `use Fcntl ':flock'; open(F, '<', '${path}.lock'); exit(flock(F, LOCK_EX | LOCK_NB) ? 1 : 0)`;
      execFileSync("perl", ["-e", taken], { env: { PATH } }); // fails if the lock can be had
    });
  }
});

const PERL = found("perl");
const skip = !PERL && "perl isn't there";

/** Puts a perl first on the path that writes its process into a file; returns what reads these. */
function counted(context: TestContext): () => number[] {
  const { PATH } = process.env;
  const log = inFolder("started");
  fs.mkdirSync(inFolder("bin"));
  fs.writeFileSync(inFolder("bin/perl"), `#!/bin/sh\necho $$ >>'${log}'\nexec '${PERL}' "$@"\n`, { mode: 0o700 });
  process.env["PATH"] = `${inFolder("bin")}:${PATH}`;
  context.after(() => (process.env["PATH"] = PATH));
  return () => fs.readFileSync(log, "utf8").trim().split("\n").map(Number);
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test("what locks is started once, and again if it was killed", { skip }, async (context) => {
  const started = counted(context);
  const storage = new FileStorage(path);
  for (let time = 0; time < 3; time++) await storage.locked(async () => undefined);
  assert.equal(started().length, 1);
  process.kill(started()[0]!, "SIGKILL"); // between two locks
  await storage.locked(async () => undefined);
  assert.equal(started().length, 2);
  let other: Promise<void> | undefined;
  const events: string[] = [];
  await storage.locked(async () => {
    process.kill(started()[1]!, "SIGKILL"); // while there is a lock, which stays
    other = new FileStorage(path).locked(async () => void events.push("other"));
    await sleep(200); // for who would take it
    events.push("first");
  });
  await other;
  assert.deepEqual(events, ["first", "other"]);
});

test("of what locks, four are kept", { skip }, async (context) => {
  const started = counted(context);
  const names = ["a", "b", "c", "d", "a", "e", "f"];
  for (const name of names) await new FileStorage(inFolder(name)).locked(async () => undefined);
  const [a, b, c, d, e, f] = started();
  while (isAlive(b!) || isAlive(c!)) await sleep(1);
  for (const kept of [a, d, e, f]) assert.ok(isAlive(kept!));
  assert.equal(started().length, 6);
});

test("a lock that was removed or moved between two of its uses is none", async () => {
  const storage = new FileStorage(path);
  for (const change of [() => fs.rmSync(`${path}.lock`), () => fs.renameSync(`${path}.lock`, inFolder("moved"))]) {
    await storage.locked(async () => undefined);
    change();
    await storage.locked(async () => assert.ok(fs.existsSync(`${path}.lock`)));
  }
});

test("a lock that was removed while somebody waited for it is none", async () => {
  const storage = new FileStorage(path);
  const events: string[] = [];
  const waiting = () => {
    const locks = fs.existsSync("/proc/locks") ? fs.readFileSync("/proc/locks", "utf8") : "";
    return locks.split("\n").some((line) => line.includes("->") && line.includes(`:${fs.statSync(`${path}.lock`).ino} `));
  };
  let goOn = () => undefined as void;
  const ended = new Promise<void>((done) => (goOn = done));
  let [second, third]: [Promise<void> | undefined, Promise<void> | undefined] = [undefined, undefined];
  await storage.locked(async () => {
    second = storage.locked(async () => void events.push("second"));
    for (let times = 0; times < 500 && !waiting(); times++) await sleep(5); // long enough where nothing tells
    fs.rmSync(`${path}.lock`);
    await new Promise<void>((locked) => {
      third = storage.locked(async () => {
        locked(); // another one
        await ended;
        events.push("third");
      });
    });
  });
  await sleep(200); // for who would take the removed one
  goOn();
  await Promise.all([second, third]);
  assert.deepEqual(events, ["third", "second"]);
});

test("two paths to a directory are one budget", async () => {
  fs.symlinkSync(folder, inFolder("alias"));
  const paths = [path, inFolder("alias/state"), inFolder("alias/alias/state")];
  for (const code of await Promise.all(paths.map((file) => ended(spending(5, 40, file))))) assert.equal(code, 0);
  assert.equal(released(), 40); // 120 wanted, 5 / 0.125 allowed
  assert.deepEqual(fs.readdirSync(folder).filter((name) => name.endsWith(".lock")), ["state.lock"]);
});

test("killed at any instant, no less is spent than released", async () => {
  const below = seeded(1);
  let total = 0;
  for (let round = 0; round < 8; round++) {
    const child = spending(1e6, 1_000_000);
    const end = ended(child);
    while (released() === total) await sleep(1); // it has started
    await sleep(below(60));
    child.kill("SIGKILL");
    await end;
    total = released();
    const spent = (1e6 - (await new PrivacyBudget(1e6, 1e6, new FileStorage(path)).remaining())) / 0.125;
    // Each loses an unreleased word and a lease, which is at most the amount that it released.
    assert.ok(spent >= total && spent <= 2 * total + round + 1, `${spent} spent, ${total} released`);
  }
  assert.ok(total >= 8, `${total}`);
});
