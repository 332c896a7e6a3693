/**
 * Runs a script in QuickJS, which npm has as WebAssembly.
 *
 *     node quickjs.mjs VARIANT SCRIPT       VARIANT: quickjs, or its fork quickjs-ng
 */

import { readFileSync } from "node:fs";
import { newQuickJSWASMModuleFromVariant } from "quickjs-emscripten-core";

const [variant, script] = process.argv.slice(2);
const { default: module } = await import(`@jitl/${variant}-wasmfile-release-sync`);
const context = (await newQuickJSWASMModuleFromVariant(module)).newContext();
const print = context.newFunction("print", (line) => console.log(context.getString(line)));
context.setProp(context.global, "print", print);
context.unwrapResult(context.evalCode(readFileSync(script, "utf8"), script));
while (context.runtime.hasPendingJob()) context.unwrapResult(context.runtime.executePendingJobs());
