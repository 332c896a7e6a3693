/** Runs on each engine: answers all cases, and says how many tests that were. */

import { run } from "./shims.js";
import "../../../web_demo/test/golden.test.ts";
import "../../../web_demo/test/vectors.test.ts";
import "../../../web_demo/test/engine.test.ts";

const say = (line) => (globalThis.console ? console.log(line) : print(line));
const isSealing = Boolean(globalThis.crypto?.subtle); // an outbox needs it
run((name) => !LEFT_OUT.includes(name) && (isSealing || !/^(samples|frames) of/.test(name))).then(
  (tests) => say(`PASSED ${tests} ${isSealing}`),
  (error) => say(`FAILED ${error.message}`),
);
