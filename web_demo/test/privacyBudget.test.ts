/** The privacy budget: the spent amount is never below the released one, whatever happens. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { BudgetError } from "../src/errors.js";
import { ParameterError } from "../src/errors.js";
import { PrivacyBudget } from "../src/privacyBudget.js";
import { failing, HOUR, HOUR_MS, seeded, signed, TestClock, TestStorage, YEAR_MS } from "./support.js";

const U = "u";

let clock: TestClock;
let state: TestStorage;
let budget: PrivacyBudget;

const budgetOf = (limit: number, period = HOUR) => new PrivacyBudget(limit, period, state, { clock: clock.read });
const spend = () => budget.spend(1, 1, U);
const refused = async (action: () => Promise<unknown>) => (await failing("budget", action)).message;
const unusable = async (action: () => Promise<unknown>) => (await failing("budgetFile", action)).message;
const spent = () => BigInt(/"spent": ([0-9]+)/.exec(state.text)![1]!);

beforeEach(() => {
  clock = new TestClock();
  state = new TestStorage();
  budget = budgetOf(10);
});

test("a new budget is full, and writes nothing", async () => {
  assert.equal(await budget.remaining(), 10);
  assert.equal(state.content, null);
});

test("the limit can be reached and not passed", async () => {
  await budget.spend(1, 9, U);
  const before = state.text;
  for (const [epsilon, words] of [[1.0000001, 1], [0.1, 11], [0.5, 3], [20, 1], [1e9, 2 ** 31 - 1]] as const) {
    const message = await refused(() => budget.spend(epsilon, words, U));
    assert.ok(message.includes(", 1 of 10 is left; it renews in 3600 seconds"), message);
  }
  assert.equal(state.text, before);
  await spend();
  assert.equal(await budget.remaining(), 0);
  assert.ok((await refused(() => budget.spend(1e-9, 1, U))).includes("it costs 0.000000001, 0 of 10 is left"));
  await budget.spend(1, 0, U);
});

/** Also with a lease, another object's spending, and reports that share the budget. */
test("words left are what spend allows", async () => {
  const random = seeded(5);
  const one = <T>(values: readonly T[]): T => values[random(values.length)]!;
  for (let round = 0; round < 60; round++) {
    state.content = null;
    const used = budgetOf(0.1 + random(300) / 10);
    const other = budgetOf(used.limit + 3);
    for (let releases = random(30); releases > 0; releases--) {
      await (random(10) ? used : other).spend(one([0.3, 0.6255, 7.5]), 1, U).catch(() => undefined);
      if (!random(20)) clock.pass(HOUR_MS);
    }
    const epsilon = one([0.1, 0.3, 0.6255]);
    const left = await used.wordsLeft(epsilon, U);
    await refused(() => used.spend(epsilon, left + 1, U));
    assert.equal(await used.wordsLeft(epsilon, U), left);
    if (left && random(2)) await used.spend(epsilon, left, U);
    else for (let words = left; words > 0; words--) await used.spend(epsilon, 1, U);
    assert.equal(await used.wordsLeft(epsilon, U), 0);
  }
});

test("words left are of a unit, and at most what spend takes", async () => {
  assert.equal(await budget.wordsLeft(2.5, U), 4);
  assert.equal(await budgetOf(1e9).wordsLeft(1e-9, U), 2 ** 31 - 1);
  assert.equal(state.content, null);
  await spend();
  assert.equal(await budget.wordsLeft(2.5, U), 3);
  assert.equal(await budget.wordsLeft(2.5, "v"), 0);
  for (const epsilon of [0, -1, NaN, 1.1e9, "1" as never]) await failing("parameter", () => budget.wordsLeft(epsilon, U));
  await failing("parameter", () => budget.wordsLeft(1, "a b"));
  state.text = "damaged";
  await unusable(() => budget.wordsLeft(1, U));
});

test("decimals reach the limit exactly", async () => {
  for (const [limit, epsilon] of [[0.1, 0.1], [1, 0.1], [0.3, 0.1], [5.5, 0.55], [22.18, 22.18]] as const) {
    state.content = null;
    for (let word = 0; word < Math.round(limit / epsilon); word++) await budgetOf(limit).spend(epsilon, 1, U);
    assert.equal(await budgetOf(limit).remaining(), 0);
    await refused(() => budgetOf(limit).spend(1e-9, 1, U));
  }
});

test("wrong numbers are refused", async () => {
  const wrong = [0, -1, NaN, Infinity, "1" as never, null as never];
  for (const limit of [...wrong, 1.1e9]) assert.throws(() => budgetOf(limit), ParameterError);
  for (const period of [...wrong, 0.5, 1.1e12]) assert.throws(() => budgetOf(1, period), ParameterError);
  for (const [epsilon, words] of [[-1, 1], [1, -1], [NaN, 1], [Infinity, 0], [1.1e9, 0], [1, 0.5], [1, 2 ** 31]] as const) {
    await failing("parameter", () => budget.spend(epsilon, words, U));
  }
  for (const unit of ["", "a b", 'a"', "a\n", "é", "a".repeat(65), 5 as never]) {
    await failing("parameter", () => budget.spend(1, 1, unit));
  }
  assert.equal(state.content, null);
});

test("a cost is rounded up and a limit down", async () => {
  const budget = budgetOf(1.9999999999);
  assert.equal(await budget.remaining(), 1.999999999);
  await budget.spend(1.0000000001, 1, U);
  assert.equal(await budget.remaining(), 0.999999998);
});

test("a period belongs to a unit", async () => {
  await budget.spend(1, 1, "one");
  const before = state.text;
  clock.pass(HOUR_MS - 1000);
  for (const words of [0, 1]) {
    const message = await refused(() => budget.spend(1, words, "another"));
    assert.match(message, /a state of its own.*the period ends in 1 seconds$/);
  }
  assert.equal(state.text, before);
  clock.pass(1000);
  await budget.spend(2, 1, "another");
  await refused(() => budget.spend(1, 1, "one"));
  assert.equal(await budget.remaining(), 8);
});

test("a period starts with its first release and renews", async () => {
  await spend();
  clock.pass(10 * HOUR_MS);
  assert.equal(await budget.remaining(), 10); // looking starts nothing
  clock.pass(HOUR_MS / 2);
  await spend();
  clock.pass(HOUR_MS - 1);
  assert.equal(await budget.remaining(), 9);
  assert.ok((await refused(() => budget.spend(10, 1, U))).includes("it renews in 1 seconds"));
  clock.pass(1);
  assert.equal(await budget.remaining(), 10);
});

test("setting the clock renews and delays nothing", async () => {
  for (const step of [HOUR_MS, -HOUR_MS, YEAR_MS, -YEAR_MS, -clock.time]) {
    state.content = null;
    await budget.spend(1, 10, U);
    for (let time = 0; time < 20; time++) {
      clock.time += step;
      await refused(spend);
      clock.time -= 2 * step;
      assert.equal(await budget.remaining(), 0);
    }
    clock.pass(HOUR_MS);
    assert.equal(await budget.remaining(), 10);
  }
});

test("the time off counts", async () => {
  await budget.spend(1, 10, U);
  clock.pass(600_000);
  clock.restart(1_200_000, 60_000);
  assert.ok((await refused(spend)).includes("it renews in 1740 seconds"));
  clock.pass(1_739_999);
  assert.equal(await budget.remaining(), 0);
  clock.pass(1);
  assert.equal(await budget.remaining(), 10);
});

test("after a restart at least the new uptime has passed", async () => {
  await budget.spend(1, 10, U);
  clock.restart(0, HOUR_MS - 1);
  clock.time = 100_000; // 1970
  assert.equal(await budget.remaining(), 0);
  clock.restart(0, HOUR_MS);
  clock.time = 100_000;
  assert.equal(await budget.remaining(), 10);
});

test("after the first look the clock doesn't count", async () => {
  for (const look of [() => budget.remaining(), () => refused(spend)]) {
    state.content = null;
    await budget.spend(1, 10, U);
    clock.restart(60_000, 5_000);
    await look();
    clock.time += YEAR_MS;
    assert.equal(await budget.remaining(), 0);
    clock.pass(HOUR_MS - 65_001);
    await refused(spend);
    clock.pass(1);
    assert.equal(await budget.remaining(), 10);
  }
});

test("without an id of the start a smaller uptime tells", async () => {
  clock.boot = "";
  await budget.spend(1, 10, U); // up for 500 s
  Object.assign(clock, { time: clock.time + 100_000, uptime: 20_000 });
  assert.equal(await budget.remaining(), 0);
  Object.assign(clock, { time: clock.time + 100_000_000, uptime: 80_000 }); // taken for 60 s
  assert.ok((await refused(spend)).includes("it renews in 3440 seconds"));
  Object.assign(clock, { time: clock.time + HOUR_MS, uptime: 5_000 });
  assert.equal(await budget.remaining(), 10);
});

test("any clock counts", async () => {
  for (const time of [-1e300, -5, 0, 1, 1e300, Infinity]) {
    state.content = null;
    Object.assign(clock, { time, uptime: 500_000 });
    for (let period = 0; period < 2; period++) {
      await budget.spend(1, 10, U);
      await refused(spend);
      clock.uptime += HOUR_MS;
      assert.equal(await budget.remaining(), 10);
    }
  }
});

/** In any time shorter than a period: the bound of `docs/explanation/proofs.md`. */
test("what a window can hold", async () => {
  const below = seeded(5);
  let most = 0;
  for (const wrong of [false, true]) {
    for (let history = 0; history < 40; history++) {
      state = new TestStorage();
      const { released, restarts } = await lived(below, budgetOf(3), wrong);
      for (const start of released) {
        const inside = (time: number) => time >= start && time < start + HOUR_MS;
        const held = released.filter(inside).length;
        const restarted = restarts.filter((time) => time > start && inside(time)).length;
        assert.ok(held <= 3 * (2 + (wrong ? restarted : 0)), `${held}, ${restarted}`);
        if (!restarted) most = Math.max(most, held);
      }
    }
  }
  assert.ok(most > 3, "it isn't vacuous");
});

/** Returns the true times of releases and of restarts, in a history of 80 events. */
async function lived(below: (n: number) => number, budget: PrivacyBudget, wrong: boolean) {
  const [released, restarts]: [number[], number[]] = [[], []];
  let now = 0;
  for (let event = 0; event < 80; event++) {
    const length = [1, 60, 1000, 2000, 3600, 10_800][below(6)]! * 1000;
    const kind = below(8);
    if (kind === 0) {
      clock.pass(length);
      now += length;
    } else if (kind === 1) {
      const up = [1_000, 600_000, 5_000_000][below(3)]!;
      clock.restart(length, up);
      restarts.push((now += length + up));
    } else if (kind === 2) {
      if (wrong) clock.time += [1, -1][below(2)]! * Math.max(length, YEAR_MS);
    } else if (kind === 3) {
      await budget.remaining();
    } else {
      await budget.spend(1, 1, U).then(() => released.push(now), () => undefined);
    }
  }
  return { released, restarts };
}

/** The same for a browser's pages, which run in parallel, sleep together, and end. */
test("what a window can hold in a browser", async () => {
  const below = seeded(6);
  let most = 0;
  for (let history = 0; history < 60; history++) {
    state = new TestStorage();
    const limit = 90; // so that there are leases
    const page = (boot: number, time: number) => {
      const clock = Object.assign(new TestClock(true), { boot: `${boot}`, time, uptime: below(100_000) });
      return { clock, budget: new PrivacyBudget(limit, HOUR, state, { clock: clock.read }) };
    };
    let [now, boots] = [1_700_000_000_000, 0];
    const pages = Array.from({ length: 3 }, () => page(boots++, now));
    const released: number[] = [];
    for (let event = 0; event < 200; event++) {
      const length = [1, 60, 600, 1800, 3600][below(5)]! * 1000;
      const kind = below(12);
      if (kind < 2) {
        now += length;
        for (const { clock } of pages) {
          clock.time += length;
          if (kind) clock.uptime += length; // else the device slept, and this clock with it
        }
      } else if (kind === 2) {
        pages[below(3)] = page(boots++, now);
      } else {
        const words = 1 + below(8);
        const { budget } = pages[below(3)]!;
        await budget.spend(1, words, U).then(() => released.push(...Array<number>(words).fill(now)), () => undefined);
      }
    }
    for (const start of released) {
      const held = released.filter((time) => time >= start && time < start + HOUR_MS).length;
      assert.ok(held <= 2 * limit, `${held} in history ${history}`);
      most = Math.max(most, held);
    }
  }
  assert.ok(most > 90, "it isn't vacuous");
});

test("another page's uptime isn't taken for time that passed", async () => {
  const page = (boot: string, uptime: number) =>
    Object.assign(new TestClock(true), { boot, uptime, time: clock.time });
  const [old, young] = [page("a", 10 * HOUR_MS), page("b", 0)];
  const of = (clock: TestClock) => new PrivacyBudget(10, HOUR, state, { clock: clock.read });
  await of(old).spend(1, 10, U);
  for (let look = 0; look < 5; look++) {
    assert.equal(await of(young).remaining(), 0);
    assert.equal(await of(old).remaining(), 0);
  }
  young.time += HOUR_MS; // between pages, only the wall clock counts
  assert.equal(await of(young).remaining(), 10);
});

test("a page that slept has no lease of a period that others saw end", async () => {
  const page = (boot: string) => {
    const clock = Object.assign(new TestClock(true), { boot });
    return { clock, budget: new PrivacyBudget(10, HOUR, state, { clock: clock.read }) };
  };
  const [asleep, other] = [page("a"), page("b")];
  await asleep.budget.spend(1, 1, U);
  await asleep.budget.spend(1, 1, U); // and one more
  asleep.clock.time = other.clock.time += HOUR_MS; // its uptime stood still
  await other.budget.spend(1, 10, U);
  await refused(() => asleep.budget.spend(1, 1, U));
});

const good: [string, string][] = [
  ["format", '"brr-budget"'], ["format_version", "1"], ["unit", '"u"'], ["spent", "5000000000"],
  ["elapsed", "0"], ["latest", "1700000000000"], ["boot", '"a"'], ["uptime", "500000"],
];
const fieldsOf = (values: [string, string][]) => `{${values.map(([name, value]) => `"${name}": ${value}`).join(", ")}`;
const replaced = (name: string, value: string) =>
  good.map((field): [string, string] => (field[0] === name ? [name, value] : field));

async function assertDamaged(content: Uint8Array) {
  state.content = content;
  const message = await unusable(() => budget.remaining());
  assert.ok(message.includes("test: damaged, or another state; nothing is"), message);
}

test("a damaged state stops releases", async () => {
  const fields = fieldsOf(good);
  const text = signed(fields);
  const numbers = [
    "-1", "-0", "00", "01", "+1", "1.0", "1e3", "true", "null", '"0"', "[0]", "NaN", "", "1".repeat(20),
    "1".repeat(400), "9223372036854775808",
  ];
  const hostile = ["spent", "elapsed", "latest", "uptime"].flatMap((name) => numbers.map((value) => [name, value]));
  hostile.push(
    ["elapsed", "1000000000000000"], ["latest", "1000000000000000"], ["format", '"brr-bundle"'],
    ["format_version", "2"], ["unit", '""'], ["unit", '"a b"'], ["unit", `"${"a".repeat(65)}"`], ["boot", '"A"'],
    ["boot", `"${"a".repeat(37)}"`], ["boot", "null"],
  );
  const damaged = [
    "", "\0".repeat(100), "{", "{}", "[]", "null", "5", "[".repeat(4000), " ".repeat(5000) + text,
    text.slice(0, -1), text + "x", text + "\n", text + text, `${fields}}\n`, signed(fields.replace(", ", ",")),
    signed(`${fields}, "spent": 0`), signed(fieldsOf([...good].reverse())),
    signed(fieldsOf(good.filter(([name]) => name !== "spent"))), signed(fields.replace('"u"', '"\\u0075"')),
    signed(fields).toUpperCase(), ...hostile.map(([name, value]) => signed(fieldsOf(replaced(name!, value!)))),
  ];
  for (const content of damaged) {
    await assertDamaged(Buffer.from(content, "latin1"));
    await unusable(spend);
    assert.equal(state.text, content, "a damaged state was replaced");
  }
  state.text = text;
  assert.equal(await budget.remaining(), 5);
});

/** Every flipped bit, truncation, missing byte and swap, and some inserted bytes. */
test("no damage gives anything back", async () => {
  clock.boot = "ef2dfdac-f43f-4f69-9b69-13a9458de22e";
  await budget.spend(0.123456789, 61, "0123456789abcdef".repeat(4));
  clock.pass(12_345);
  await budget.spend(0.25, 1, "0123456789abcdef".repeat(4));
  const line = Buffer.from(state.content!);
  for (let at = 0; at < line.length; at++) {
    const [before, after] = [line.subarray(0, at), line.subarray(at + 1)];
    const put = (...bytes: number[]) => Buffer.concat([before, Uint8Array.from(bytes), after]);
    for (let bit = 0; bit < 8; bit++) await assertDamaged(put(line[at]! ^ (1 << bit)));
    await assertDamaged(before);
    await assertDamaged(put());
    for (const extra of Buffer.from('0 9"a,\n')) await assertDamaged(put(extra, line[at]!));
    if (after.length && after[0] !== line[at]) {
      await assertDamaged(Buffer.concat([before, Uint8Array.of(after[0]!, line[at]!), after.subarray(1)]));
    }
  }
  state.content = line;
  assert.equal(await budget.remaining(), 2.219135871);
});

test("storage that fails stops releases, and names itself", async () => {
  await spend();
  for (const fault of ["lock", "read", "write"] as const) {
    state.fault = fault;
    if (fault !== "write") assert.match(await unusable(() => budget.remaining()), /test: no space is left; nothing is/);
    const writes = state.writes;
    assert.match(await unusable(() => budget.spend(1, 5, U)), /test: no space is left; nothing is released until/);
    assert.equal(state.writes, writes);
  }
  state.fault = null;
  assert.equal(await budget.remaining(), 9);
  clock.restart(1, 1);
  state.fault = "write"; // the result of a first look must be stored
  await unusable(() => budget.remaining());
});

test("a lease needs no disk, and what is beyond it does", async () => {
  await spend();
  await spend(); // and one more
  assert.equal(spent(), 3_000_000_000n);
  assert.equal(await budget.remaining(), 8);
  assert.equal(await budgetOf(10).remaining(), 7); // another one's lease isn't its own
  state.text = "damaged";
  await unusable(() => budget.spend(1, 2, U));
  await spend();
  await unusable(spend);
  assert.equal(state.text, "damaged");
});

test("a page's lease needs no storage, either", async () => {
  clock = new TestClock(true);
  budget = budgetOf(10);
  await spend();
  await spend(); // and one more
  state.text = "damaged";
  await spend();
  await unusable(spend);
});

test("a lease ends with its period", async () => {
  await spend();
  await spend();
  clock.pass(HOUR_MS);
  assert.ok((await refused(() => budget.spend(1, 11, U))).includes(", 10 of 10 is left"));
  await budget.spend(1, 10, U);
  assert.equal(spent(), 10_000_000_000n);
  clock.pass(HOUR_MS);
  await spend();
  await spend();
  clock.pass(HOUR_MS);
  await budgetOf(10).spend(1, 10, U);
  assert.ok((await refused(spend)).includes(", 0 of 10 is left"));
});

test("a lease lasts as long as its period", async () => {
  await spend();
  await spend();
  clock.time += YEAR_MS;
  clock.pass(HOUR_MS - 1);
  await spend();
  assert.equal(spent(), 3_000_000_000n);
});

test("a lease ends with a restart", async () => {
  await spend();
  await spend();
  clock.restart(1, 1);
  await spend();
  assert.equal(spent(), 4_000_000_000n);
});

test("a lease is of one unit", async () => {
  await spend();
  await spend();
  for (const words of [0, 1]) {
    assert.ok((await refused(() => budget.spend(1, words, "another"))).includes("a state of its own"));
  }
  await spend();
  assert.equal(spent(), 3_000_000_000n);
});

test("leases leave the others most of what is left", async () => {
  const budgets = Array.from({ length: 5 }, () => budgetOf(1000));
  for (const budget of budgets) {
    await budget.spend(1, 100, U);
    const left = 999_000_000_000n - spent();
    await budget.spend(1, 1, U);
    assert.ok(1_000_000_000_000n - spent() >= (left / 8n) * 7n);
  }
  const last = budgetOf(1000);
  await last.spend(1, Math.trunc(await last.remaining()), U);
  assert.equal(spent(), 1_000_000_000_000n);
  for (const budget of budgets) await budget.spend(1, Math.trunc(await budget.remaining()), U);
  assert.equal(spent(), 1_000_000_000_000n);
});

test("a removed state is forgotten at the next look", async () => {
  await spend();
  await spend();
  state.content = null;
  assert.equal(await budget.remaining(), 10);
  await spend();
  assert.equal(spent(), 1_000_000_000n);
});

test("a lease of a removed state isn't the next one's", async () => {
  await spend();
  await spend();
  clock.pass(1000);
  state.content = null;
  await budgetOf(10).spend(1, 1, U);
  assert.equal(await budget.remaining(), 9);
});

test("calls at once share a lease", async () => {
  const budget = budgetOf(200);
  let released = 0;
  const one = async () => {
    for (;;) {
      await budget.spend(0.125, 1, U);
      released++;
    }
  };
  for (const { status } of await Promise.allSettled(Array.from({ length: 8 }, one))) assert.equal(status, "rejected");
  assert.equal(released, 1600);
  assert.ok(state.writes < 100, `${state.writes}`);
});

test("used up says what is left and until when", async () => {
  await spend();
  await spend();
  clock.pass(600_500);
  for (const [words, unit, left] of [[9, U, 8], [1, "another", 0]] as const) {
    const error = (await failing("budget", () => budget.spend(1, words, unit))) as BudgetError;
    assert.equal(error.left, left);
    assert.equal(error.renewsIn, 3000);
  }
});
