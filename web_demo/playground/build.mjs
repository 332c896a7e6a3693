// Writes the playground's page without a bundle, which the toolchain adds: node playground/build.mjs FILE
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const source = (name) => fileURLToPath(new URL(name, import.meta.url));

function bundled(name) {
  const built = buildSync({
    entryPoints: [source(name)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    charset: "ascii",
    legalComments: "none",
  });
  return built.outputFiles[0].text.trim();
}

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const style = bundled("page.css");
const script = bundled("main.ts");
// The page's rights in a browser: to run this script, also in a worker, and to compile the code that scans codes; but
// not to load or send anything.
const policy = [
  "default-src 'none'",
  "connect-src 'none'",
  `script-src ${hash(script)} 'wasm-unsafe-eval'`,
  `style-src ${hash(style)}`,
  "worker-src blob:",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
const page = readFileSync(source("page.html"), "utf8").replace(
  /\{\{(policy|style|script)\}\}/g,
  (_, name) => ({ policy, style, script })[name],
);
writeFileSync(process.argv[2], page);
