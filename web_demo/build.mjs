// Compiles everything into out/, and builds what the package ships into dist/: bundled and minified modules, and types.
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { minify } from "terser";

/** Leaves imports of index.js unchanged, because it contains everything that the other bundles share. */
const beside = {
  name: "beside",
  setup: (plugins) =>
    plugins.onResolve({ filter: /\/index\.js$/ }, () => ({ path: "./index.js", external: true })),
};

/** The modules of all bundles. A class in two bundles would be two classes. */
const modules = new Set();

process.chdir(fileURLToPath(new URL(".", import.meta.url)));
for (const folder of ["out", "dist"]) rmSync(folder, { recursive: true, force: true });
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc"], { stdio: "inherit" });

await bundled({ index: "src/index.ts", worker: "src/worker/client.ts" }); // and errors.js, which both share
await bundled({ node: "src/node.ts", "worker-entry": "src/worker/entry.ts" });
for (const file of readdirSync("out/src", { recursive: true, encoding: "utf8" })) {
  if (!file.endsWith(".d.ts")) continue;
  mkdirSync(dirname(join("dist/types", file)), { recursive: true });
  cpSync(join("out/src", file), join("dist/types", file));
}
copyFileSync("../LICENSE", "LICENSE");

/** Writes a bundle for each entry point, minified by esbuild, then by terser. */
async function bundled(entryPoints) {
  const { outputFiles, metafile } = await build({
    entryPoints,
    outdir: "dist",
    chunkNames: "errors",
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    external: ["node:*"],
    plugins: [beside],
    target: "es2022",
    legalComments: "none",
    logLevel: "warning",
  });
  for (const { inputs } of Object.values(metafile.outputs)) {
    for (const [module, { bytesInOutput }] of Object.entries(inputs)) {
      if (bytesInOutput && modules.has(module)) throw new Error(`${module} is in two bundles: import it from index.js`);
      if (bytesInOutput) modules.add(module);
    }
  }
  mkdirSync("dist", { recursive: true });
  for (const { path, text } of outputFiles) {
    const { code } = await minify(text, { module: true, format: { ascii_only: true } });
    writeFileSync(path, code);
  }
}
