/**
 * Answers the frozen cases of `spec`, with the bundles' golden ones, on other engines than this one, by the tests that
 * Node runs: `golden.test.ts`, `vectors.test.ts` and `engine.test.ts`.
 *
 *     node tests/web/engines/engines.mjs [ENGINE...]      ENGINE: a name's beginning; default: all
 *
 * One script has the library, the tests and all files. It is as the package is shipped (ES2022), or lowered to ES2018,
 * which a parser checks; for Hermes, React Native's compiler lowers it further. `npm ci` in this folder brings the engines.
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const ROOT = join(HERE, "../../..");
const MODULES = join(HERE, "node_modules");
const require = createRequire(join(HERE, "package.json"));
const { build } = createRequire(join(ROOT, "web_demo/package.json"))("esbuild");
const SHIMMED = /^node:|\/folder\.js$/; // what reads files
const PATIENCE_MS = 3_600_000;
const SLOW = ["every code point", "exact numbers", "manifests are refused"]; // in an interpreter

/** By name: a program with its options; the level of the script; the tests that take too long there. */
const ENGINES = {
  ...Object.fromEntries(["12", "18", "20", "22", "24", "26"].map((version) => [
    `Node ${version}`, { program: `node-${version}/bin/node`, level: version === "12" ? "ES2018" : "ES2022" },
  ])),
  "Bun": { program: "@oven/bun-linux-x64/bin/bun", options: ["run"], level: "ES2022" },
  "Deno": { program: "@deno/linux-x64-glibc/deno", options: ["run"], level: "ES2022" },
  "Hermes": { program: "hermes-engine-cli/linux64-bin/hermes", options: ["-O", "-w"], level: "React Native", leftOut: SLOW },
  ...Object.fromEntries(Object.entries({ "QuickJS": "quickjs", "QuickJS-NG": "quickjs-ng" }).map(([name, variant]) => [
    name, { program: process.execPath, options: [join(HERE, "quickjs.mjs"), variant], level: "ES2022", version: () => vendored(name, variant) },
  ])),
};

const work = mkdtempSync(join(tmpdir(), "brrkit-engines-"));
try {
  await main(process.argv.slice(2));
} finally {
  rmSync(work, { recursive: true });
}

async function main(wanted) {
  const [shipped, lowered] = [await bundled("es2022"), await bundled("es2018")];
  checkLevel(lowered, 2018);
  assert.throws(() => checkLevel(shipped, 2018), SyntaxError); // or the check would find nothing
  const scripts = { "ES2022": shipped, "ES2018": lowered, "React Native": reactNatives(lowered) };
  const names = Object.keys(ENGINES).filter((name) => !wanted.length || wanted.some((each) => name.startsWith(each)));
  assert.ok(names.length, `there is no such engine; choose among: ${Object.keys(ENGINES).join(", ")}`);
  for (const name of names) {
    const { level, leftOut = [], program, options = [], version } = ENGINES[name];
    const script = `const FILES = ${JSON.stringify(files())}, LEFT_OUT = ${JSON.stringify(leftOut)};\n${scripts[level]}`;
    const path = join(work, "cases.cjs");
    writeFileSync(path, script);
    const said = runProgram(resolve(MODULES, program), [...options, path], version);
    const passed = /^PASSED (\d+) (true|false)$/m.exec(said.output);
    assert.ok(passed, `${name}: ${said.output.slice(-3000)}`);
    const left = [...leftOut, passed[2] === "true" ? "" : "outboxes, which need Web Cryptography"].filter(Boolean).join("; ");
    console.log(`${said.version} (${level}): ${passed[1]} tests of the frozen cases pass${left && `, without ${left}`}`);
  }
}

/** Returns one script with all but the files that the tests read. */
async function bundled(target) {
  const { outputFiles: [{ text }] } = await build({
    entryPoints: [join(HERE, "main.js")],
    bundle: true,
    write: false,
    format: "iife",
    platform: "neutral",
    ignoreAnnotations: true, // the package has no side effects; tests have
    target,
    supported: { bigint: true }, // a number's suffix; no engine without it has what it is for
    plugins: [{ name: "shims", setup: ({ onResolve }) => onResolve({ filter: SHIMMED }, () => ({ path: join(HERE, "shims.js") })) }],
    define: { "import.meta.url": '"file:///web_demo/out/test/cases.js"', "process.env": "{}" },
    logLevel: "error",
  });
  return text;
}

/** Returns the text of the files of cases, and the others in hexadecimal digits. */
function files() {
  const found = {};
  for (const folder of ["spec/vectors", "spec/conformance"]) {
    for (const name of readdirSync(join(ROOT, folder), { recursive: true })) {
      const path = join(ROOT, folder, name);
      if (statSync(path).isDirectory()) continue;
      const isText = /(parity|vectors\/.*)\.json$/.test(path);
      found[relative(ROOT, path)] = readFileSync(path, isText ? "utf8" : "hex");
    }
  }
  return found;
}

/** Refuses a script with newer syntax than a year's; but `1n` may be in it. */
function checkLevel(script, ecmaVersion) {
  const { parse } = require("acorn");
  const numbers = [];
  parse(script, { ecmaVersion: "latest", onToken: ({ value, start, end }) => typeof value === "bigint" && numbers.push([start, end]) });
  let plain = script;
  for (const [, end] of numbers.reverse()) plain = `${plain.slice(0, end - 1)} ${plain.slice(end)}`;
  parse(plain, { ecmaVersion });
}

/** Returns a script as an app of React Native compiles it for Hermes. */
function reactNatives(script) {
  const presets = [[require.resolve("@react-native/babel-preset"), { enableBabelRuntime: false, unstable_transformProfile: "default" }]];
  const options = { presets, babelrc: false, configFile: false, sourceType: "script", filename: join(HERE, "cases.js"), compact: true };
  return require("@babel/core").transformSync(script, options).code;
}

/** Returns the name and the version of a QuickJS, which only its description tells. */
function vendored(name, variant) {
  const described = readFileSync(join(MODULES, `@jitl/${variant}-wasmfile-release-sync/README.md`), "utf8");
  return `${name} ${/^Version \[v?([\d.-]+)/m.exec(described)[1]}`;
}

/** Returns the name and the version of an engine, as its program tells them. */
function toldBy(program) {
  const told = spawnSync(program, ["--version"], { encoding: "utf8" }).stdout;
  const [first] = /Hermes release version: .*/.exec(told) ?? /v?\d+\.\d+\.\d+/.exec(told);
  const folder = relative(MODULES, program);
  const name = folder.startsWith("node-") ? "Node " : folder.startsWith("@oven") ? "Bun " : folder.startsWith("@deno") ? "Deno " : "";
  return `${name}${first.replace("Hermes release version:", "Hermes").replace(/^v/, "").trim()}`;
}

/** Runs a program; returns what it prints, and its version. */
function runProgram(program, options, version = () => toldBy(program)) {
  if (program.startsWith(MODULES)) chmodSync(program, 0o755);
  const { stdout, stderr, error } = spawnSync(program, options, { encoding: "utf8", timeout: PATIENCE_MS, maxBuffer: 1 << 28, cwd: work });
  return { version: version(), output: `${stdout}${stderr}${error ?? ""}` };
}
