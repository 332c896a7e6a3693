/**
 * Looks at the npm package: it is packed twice, first by the command of docs/how-to/web.md in a clone that nobody
 * built, and used by the project in which that command installs it.
 *
 *     node tests/web/package.mjs [FOLDER]      FOLDER: where the tarball is kept
 *
 * The project is in strict mode, and consists of the documentation's TypeScript. One line of each entry runs.
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const WEB = join(ROOT, "web_demo");
const PAGE = readFileSync(join(ROOT, "docs/how-to/web.md"), "utf8");
process.env.npm_config_prefer_offline = "true";
const { buildSync } = createRequire(join(WEB, "package.json"))("esbuild");

/** Bytes by gzip -9, minified: what releases text in a page with a budget and a memory, and all that is shipped. */
const MOST_RUNTIME = 22.5 * 1024;
const MOST_SHIPPED = 30.25 * 1024;
const RUNTIME = `export { WordBundle, Privatizer, PrivacyBudget, Memory, IndexedDbStorage } from "brrkit";`;

const work = mkdtempSync(join(tmpdir(), "brrkit-package-"));
try {
  check();
} finally {
  rmSync(work, { recursive: true });
}

function check() {
  const project = join(work, "app");
  const tarball = installAsThePageSays(project, cloned());
  const other = packed("two", WEB, "--ignore-scripts"); // of what is built here
  assert.ok(readFileSync(tarball).equals(readFileSync(other)), "npm pack gives other bytes in a fresh clone");
  const files = run("tar", ["-tzf", tarball]).trim().split("\n").map((name) => name.replace("package/", "")).sort();
  const expected = ["LICENSE", "README.md", "package.json"];
  const odd = files.filter((name) => !expected.includes(name) && !/^dist\/([\w-]+\.js|types\/[\w/]+\.d\.ts)$/.test(name));
  assert.deepEqual(odd, []);
  for (const name of [...expected, "dist/errors.js", "dist/index.js", "dist/node.js", "dist/worker.js", "dist/worker-entry.js"]) {
    assert.ok(files.includes(name), `${name} isn't in the package`);
  }

  const installed = join(project, "node_modules", "brrkit");
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  assert.ok(!manifest.dependencies, "the package has dependencies");
  typeCheck(project, ["how-to/use-a-bundle.md", "how-to/web.md"]);
  checkImportMap(installed);
  sayWhatItWeighs(project, installed, tarball);
  releaseWords(project);
  const [kept] = process.argv.slice(2);
  if (kept) copyFileSync(tarball, join(kept, `brrkit-${manifest.version}.tgz`));
}

/** Runs the page's command in a new project beside the clone, and returns the tarball that it makes. */
function installAsThePageSays(project, clone) {
  const [, command] = /^```sh\n(.*npm install .*)$/m.exec(PAGE);
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), "{}");
  run("sh", ["-euc", command], project);
  return join(clone, readdirSync(clone).find((name) => name.endsWith(".tgz")));
}

/** Fails if the page's import map lacks an entry that the page imports in browsers, or names a file that isn't there. */
function checkImportMap(installed) {
  const { imports } = JSON.parse(/<script type="importmap">(.*?)<\/script>/s.exec(PAGE)[1]);
  const named = [...PAGE.matchAll(/ from "(brrkit[\w/-]*)"/g)].map(([, name]) => name).filter((name) => name !== "brrkit/node");
  assert.deepEqual(Object.keys(imports).sort(), [...new Set(named)].sort());
  for (const path of Object.values(imports)) {
    assert.ok(existsSync(join(installed, path.replace("/brrkit/", "dist/"))), `the page's import map names ${path}`);
  }
}

function packed(name, from, ...options) {
  const folder = join(work, name);
  mkdirSync(folder);
  run("npm", ["pack", "--silent", "--pack-destination", folder, ...options], from);
  return join(folder, readdirSync(folder)[0]);
}

/** Returns a copy of the package's folder without what installing and building make. */
function cloned() {
  const folder = join(work, "brrkit", "web_demo");
  const made = ["node_modules", "out", "dist", "LICENSE"].map((name) => join(WEB, name));
  cpSync(WEB, folder, { recursive: true, filter: (path) => !made.includes(path) });
  copyFileSync(join(ROOT, "LICENSE"), join(work, "brrkit", "LICENSE"));
  return folder;
}

/** Compiles the documentation's TypeScript as a consumer's, without Node's types where it has none of Node. */
function typeCheck(project, pages) {
  const sources = pages.map((page) => {
    const text = readFileSync(join(ROOT, "docs", page), "utf8");
    const blocks = [...text.matchAll(/^```typescript\n(.*?)^```$/gms)].map(([, block]) => block);
    assert.ok(blocks.length > 2, `${page} has ${blocks.length} blocks`);
    const file = `${page.replace(/\W/g, "-")}.ts`;
    writeFileSync(join(project, file), blocks.join(""));
    return file;
  });
  const options = { strict: true, noEmit: true, target: "ES2022", module: "ESNext", moduleResolution: "Bundler" };
  const compilerOptions = { ...options, lib: ["ES2022", "DOM"], types: [] };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: sources }));
  run(process.execPath, [join(WEB, "node_modules/typescript/bin/tsc"), "-p", project]);
}

function sayWhatItWeighs(project, installed, tarball) {
  const size = (bytes) => gzipSync(bytes, { level: 9 }).length;
  const dist = join(installed, "dist");
  const shipped = size(Buffer.concat(readdirSync(dist).filter((name) => name.endsWith(".js")).map((name) => readFileSync(join(dist, name)))));
  const options = { bundle: true, minify: true, format: "esm", write: false, platform: "browser" };
  const [{ contents }] = buildSync({ stdin: { contents: RUNTIME, resolveDir: project }, ...options }).outputFiles;
  const runtime = size(contents);
  console.log(`Bytes by gzip -9: ${runtime} what releases text with a budget and a memory, ${shipped} all that is shipped; ` +
    `the tarball has ${readFileSync(tarball).length}`);
  assert.ok(runtime <= MOST_RUNTIME, `more than ${MOST_RUNTIME} bytes release text`);
  assert.ok(shipped <= MOST_SHIPPED, `more than ${MOST_SHIPPED} bytes are shipped`);
}

function releaseWords(project) {
  symlinkSync(join(ROOT, "runtime/brrkit/sample"), join(project, "bundle"));
  writeFileSync(join(project, "main.mjs"), `
    import { Privatizer } from "brrkit";
    import { openFolder } from "brrkit/node";
    import { startWorker } from "brrkit/worker";
    if (typeof startWorker !== "function") throw new Error("no worker");
    console.log(await new Privatizer(await openFolder("bundle")).text("book me a flight"));`);
  assert.equal(run(process.execPath, ["main.mjs"], project).trim().split(" ").length, 4);
}

function run(command, options, cwd = ROOT) {
  try {
    return execFileSync(command, options, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    throw new Error(`${command} fails\n${error.stdout}${error.stderr}`);
  }
}
