/** The keyed memory: its key, its period, and that it keeps nothing typed. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { inspect } from "node:util";
import { hex } from "../src/bytes.js";
import { ParameterError } from "../src/errors.js";
import { Memory } from "../src/memory.js";
import type { RandomSource } from "../src/randomness.js";
import type { KeyVault } from "../src/vault.js";
import { failing, HOUR, HOUR_MS, TestClock, TestStorage } from "./support.js";

const SECRET = "zorblaxian";
const SETTING = { mechanism: "brr", numbers: new Uint8Array(8) };

let clock: TestClock;
let state: TestStorage;
let memory: Memory;

const memoryOf = (vault?: KeyVault) => new Memory(HOUR, state, { vault, clock: clock.read });
const secret = () => /"key": "([0-9a-f]+)"/.exec(state.text)![1]!;
const bytes = (draw: RandomSource, size = 32) => hex(draw(size));

beforeEach(() => {
  clock = new TestClock();
  state = new TestStorage();
  memory = memoryOf();
});

/** Two keys are equal with 2^-256. False alarm: 1e-70. */
test("every period has a key of its own", async () => {
  const secrets = new Set<string>();
  for (let number = 1; number <= 5; number++) {
    assert.equal((await memory.key()).number, number);
    secrets.add(secret());
    clock.pass(HOUR_MS - 1);
    assert.equal((await memory.key()).number, number);
    assert.equal(secrets.add(secret()).size, number);
    clock.pass(1);
  }
  await memory.key();
  assert.ok(!secrets.has(secret()));
});

test("a set clock changes nothing", async () => {
  await memory.key();
  const first = secret();
  clock.time += 1_000_000 * HOUR_MS;
  assert.equal((await memory.key()).number, 1);
  assert.equal(secret(), first);
  Object.assign(clock, { uptime: 2_000, boot: "b" }); // a restart, with the clock set forward
  assert.equal((await memory.key()).number, 2);
});

test("after the first look the clock doesn't count", async () => {
  await memory.key();
  clock.restart(60_000, 5_000);
  await memory.key();
  clock.time += 1_000_000 * HOUR_MS;
  assert.equal((await memory.key()).number, 1);
});

test("no damage gives another key", async () => {
  await memory.key();
  const line = Buffer.from(state.content!);
  const flipped = [...line.keys()].map((at) => {
    const copy = Buffer.from(line);
    copy[at]! ^= 1 << at % 8;
    return copy;
  });
  for (const content of [...flipped, Buffer.alloc(0), line.subarray(0, 100), Buffer.concat([line, line])]) {
    state.content = content;
    const { message } = await failing("memoryFile", () => memory.key());
    assert.match(message, /^test: damaged, or another state; nothing is released until it is restored/);
    assert.deepEqual(Buffer.from(state.content), content);
  }
});

test("nothing typed and no key is shown or stored", async () => {
  const key = await memory.key();
  const draw = key.draw("u", SETTING, SECRET);
  const shown = [memory, key, draw].map((value) => `${value} ${inspect(value, { depth: 9 })} ${JSON.stringify(value)}`);
  for (const text of shown) {
    assert.ok(!text.includes(secret()));
    assert.ok(!text.includes(SECRET) && !text.includes(hex(Buffer.from(SECRET))));
  }
  assert.ok(!state.text.includes(SECRET));
});

test("a vault keeps the key", async () => {
  const keys: string[] = [];
  memory = memoryOf({
    seal: async (key) => {
      keys.push(hex(key));
      const sealed = Uint8Array.of(7, 7, 7, ...key.slice().reverse());
      key.fill(0); // it is the vault's own copy
      return sealed;
    },
    open: async (sealed) => sealed.slice(3).reverse(),
  });
  const draw = async () => bytes((await memory.key()).draw("u", SETTING, "the"));
  const first = await draw();
  assert.equal(await draw(), first);
  clock.pass(HOUR_MS);
  assert.notEqual(await draw(), first);
  assert.equal(new Set(keys).size, 2);
  for (const key of keys) assert.ok(!state.text.includes(key));
  memory = memoryOf(); // takes the stored content for a key of another length
  await failing("memoryFile", () => memory.key());
});

test("a vault that fails stops releases", async () => {
  const broken = (sealed: number, opened: number): KeyVault => ({
    seal: async () => {
      if (sealed < 0) throw new Error(SECRET);
      return new Uint8Array(sealed);
    },
    open: async () => {
      if (opened < 0) throw new Error(SECRET);
      return new Uint8Array(opened);
    },
  });
  for (const vault of [broken(-1, 32), broken(31, 32), broken(1025, 32)]) {
    const { message } = await failing("memoryFile", () => memoryOf(vault).key());
    assert.ok(!message.includes(SECRET));
    assert.equal(state.content, null);
  }
  for (const vault of [broken(32, -1), broken(32, 31)]) {
    await memoryOf(vault).key().catch(() => undefined); // the first key needn't be opened
    const { message } = await failing("memoryFile", () => memoryOf(vault).key());
    assert.ok(!message.includes(SECRET));
  }
});

test("storage that fails stops releases", async () => {
  for (const fault of ["lock", "read", "write"] as const) {
    state.fault = fault;
    const { message } = await failing("memoryFile", () => memory.key());
    assert.match(message, /^test: no space is left; nothing is released until/);
  }
  assert.equal(state.content, null);
});

test("calls at once get one key", async () => {
  const found = await Promise.all(Array.from({ length: 20 }, () => memory.key()));
  assert.equal(new Set(found.map((key) => bytes(key.draw("u", SETTING, "the")))).size, 1);
});

test("bad periods are refused", () => {
  for (const period of [0, 0.5, NaN, 1e13, "1" as never]) assert.throws(() => new Memory(period, state), ParameterError);
});
