/** Imports: no circle among the modules, including those of types. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

type Graph = ReadonlyMap<string, readonly string[]>;

/** Returns the modules of a circle; nothing without one. */
function circle(links: Graph): string[] {
  const done = new Set<string>();
  const from = (module: string, path: readonly string[]): string[] => {
    if (path.includes(module)) return path.slice(path.indexOf(module));
    if (done.has(module)) return [];
    for (const next of links.get(module) ?? []) {
      const found = from(next, [...path, module]);
      if (found.length) return found;
    }
    done.add(module);
    return [];
  };
  return [...links.keys()].map((module) => from(module, [])).find(({ length }) => length) ?? [];
}

test("a circle is found", () => {
  assert.deepEqual(circle(new Map([["a", ["b"]], ["b", ["c"]], ["c", []]])), []);
  assert.deepEqual(circle(new Map([["a", ["b"]], ["b", ["c"]], ["c", ["b"]]])), ["b", "c"]);
});

test("no circle among modules", () => {
  const modules = ["src", "playground"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => join(folder, file)),
  );
  const imported = (module: string): string[] =>
    [...readFileSync(module, "utf8").matchAll(/\bfrom "(\.[^"]+)\.js"/g)].map(([, path]) => join(module, "..", `${path}.ts`));
  const links = new Map(modules.map((module) => [module, imported(module)]));
  assert.ok([...links.values()].flat().every((module) => links.has(module)));
  assert.deepEqual(circle(links), []);
});
