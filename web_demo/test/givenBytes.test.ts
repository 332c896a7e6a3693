/** Bytes from an app: a Node Buffer is one, and can be anywhere in shared memory. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { decay, Rational } from "../src/exact.js";
import { openFolder } from "../src/folder.js";
import { Privatizer } from "../src/privatizer.js";
import { WordBundle } from "../src/wordBundle.js";
import { SAMPLE } from "./cases.js";

const bundle = await openFolder(SAMPLE);

/** Returns bytes that are alike in each run, and differ from call to call. */
function numbers(made: (bytes: Uint8Array) => Uint8Array): (size: number) => Uint8Array {
  let state = 7;
  return (size) => made(Uint8Array.from({ length: size }, () => (state = (state * 48271) % 2147483647) & 255));
}

for (const mechanism of ["brr", "vickrey", "exponential"]) {
  test(`${mechanism} takes the bytes that a source gives, wherever they are`, async () => {
    const words = Array.from({ length: 20 }, (_, id) => bundle.vocabulary.word(50 * id));
    const released = (random: (size: number) => Uint8Array): Promise<string[]> =>
      new Privatizer(bundle, { setting: { epsilon: 0.5, mechanism }, random }).words(words);
    const plain = await released(numbers((bytes) => bytes));
    assert.ok(new Set(plain).size > 5);
    assert.deepEqual(await released(numbers((bytes) => Buffer.from(bytes))), plain); // in a pool
    const odd = (bytes: Uint8Array): Uint8Array => new Uint8Array([0, ...bytes]).subarray(1);
    assert.deepEqual(await released(numbers(odd)), plain);
  });
}

test("a bundle's bytes stay as they were given, and may be anywhere", async () => {
  const file = (name: string): Buffer => readFileSync(join(SAMPLE, name));
  const files = { manifest: file("manifest.json"), index: file("index.safetensors"), randomizer: file("randomizer.tflite") };
  for (let time = 0; time < 2; time++) assert.equal((await WordBundle.of(files)).digest, bundle.digest);
  assert.ok(files.manifest.equals(file("manifest.json")));
  const odd = Buffer.concat([Buffer.of(0), files.index]).subarray(1);
  const opened = await WordBundle.of({ ...files, index: odd });
  assert.equal(opened.vocabulary.word(9), bundle.vocabulary.word(9));
});

test("minus zero is zero", () => {
  assert.deepEqual(Rational.of(-0), Rational.of(0));
  assert.equal(decay(Rational.of(-0)), 1n << 32n);
});

test("what is too long isn't fetched to its end", async () => {
  const most = 200; // MB
  let sent = 0;
  const server = createServer((_, response) => {
    const chunk = Buffer.alloc(1 << 20, " ");
    const more = (): void => {
      while (sent < most && !response.destroyed) {
        sent++;
        if (!response.write(chunk)) return void response.once("drain", more);
      }
      response.end();
    };
    more();
  });
  await new Promise<void>((listening) => server.listen(0, listening));
  try {
    const url = `http://localhost:${(server.address() as AddressInfo).port}`;
    await assert.rejects(WordBundle.open(url), /not a manifest/);
    assert.ok(sent < most / 2, `${sent} MB`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
