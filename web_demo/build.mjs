// Compiles everything into out/, and builds what the package ships into dist/: bundled and minified modules, and types.
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

process.chdir(fileURLToPath(new URL(".", import.meta.url)));
for (const folder of ["out", "dist"]) rmSync(folder, { recursive: true, force: true });
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc"], { stdio: "inherit" });
buildSync({
  entryPoints: {
    index: "src/index.ts",
    node: "src/node.ts",
    worker: "src/worker/client.ts",
    "worker-entry": "src/worker/entry.ts",
  },
  outdir: "dist",
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  platform: "neutral",
  external: ["node:*"],
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
});
for (const file of readdirSync("out/src", { recursive: true, encoding: "utf8" })) {
  if (!file.endsWith(".d.ts")) continue;
  mkdirSync(dirname(join("dist/types", file)), { recursive: true });
  cpSync(join("out/src", file), join("dist/types", file));
}
copyFileSync("../LICENSE", "LICENSE");
