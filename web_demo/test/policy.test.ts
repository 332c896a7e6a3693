/** The words that tokens are typed as, passing words, and marks: the facts that no frozen case covers. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inspect } from "node:util";
import { eightBytes, hex } from "../src/bytes.js";
import { BundleError, type BrrError } from "../src/errors.js";
import { KEEP_ONE } from "../src/exact.js";
import { openFolder } from "../src/folder.js";
import { cutMarks, type Mark } from "../src/marks.js";
import type { MechanismSetting } from "../src/mechanisms/mechanism.js";
import { Passing, Policy } from "../src/policy.js";
import { PrivacyBudget } from "../src/privacyBudget.js";
import { Privatizer, type TextOptions } from "../src/privatizer.js";
import type { RandomSource } from "../src/randomness.js";
import { Session } from "../src/session.js";
import { WordBundle } from "../src/wordBundle.js";
import { ENGLISH, type Writing } from "../src/writing.js";
import { changedSample, remembering, SAMPLE, tokenizerOf, writingOf } from "./cases.js";
import { LANGUAGES } from "./languages.js";
import { failing, seeded } from "./support.js";
import { conformance } from "./vectors.js";

const WORDS = ["the", "anna", "ben", "carla", "flu", "cold"];
const NAMES = { name: "names", members: [1, 2, 3], forms: ["zoltan", "o'neil"] };
const POLICY = new Policy([NAMES, { name: "ill", members: [4, 5], forms: [] }]);
const SETTING = { epsilon: 1, mechanism: "brr" };

const english = tokenizerOf(ENGLISH, WORDS, WORDS.map(() => 1), undefined, POLICY);
const { vocabulary } = await openFolder(SAMPLE);
const idOf = (word: string): number => vocabulary.find(word);
const NAMED = ["john", "anna", "maria"];
const members = NAMED.map(idOf).sort((one, other) => one - other);
const passing = { words: [idOf("the")], probability: 0.75 };
const lists = [{ name: "names", members, forms: ["zoltan"] }];
const secret = await changedSample((manifest) => (manifest.policy = { lists, passing }));

/** Returns bytes of which nothing flips, with an integer that is given, and the numbers that were asked for. */
function integer(given: bigint): [RandomSource, number[]] {
  const asked: number[] = [];
  const source: RandomSource = (size) => {
    asked.push(size);
    return size === 8 ? eightBytes(given) : new Uint8Array(size).fill(127);
  };
  return [source, asked];
}

/** No coin below lets a word pass, and a stand-in is the first word. */
const [PLAIN] = integer((3n * KEEP_ONE) / 4n);

test("members and forms are typed as the head, all else as itself", () => {
  const typed = (text: string): (string | undefined)[] => english.read(text).map(({ id }) => WORDS[id]);
  assert.deepEqual(typed("Anna BEN carla ZOLTAN"), ["anna", "anna", "anna", "anna"]);
  assert.deepEqual(typed("Ben's Zoltan’s o'neil 'zoltan'"), ["anna", "anna", "anna", "anna"]); // of candidates, too
  assert.deepEqual(typed("flu cold the zoltán"), ["flu", "flu", "the", undefined]);
  assert.equal(english.lookUp("Carlaaa"), 1);
  assert.equal(tokenizerOf(ENGLISH, WORDS, WORDS.map(() => 1)).lookUp("Ben"), 2);
});

test("a policy doesn't cut: what is cut is typed as it says", () => {
  const of = (writing: Writing, words: readonly string[], forms: readonly string[], text: string) => {
    const policy = new Policy([{ name: "a", members: [0, 1], forms }]);
    return tokenizerOf(writing, words, words.map(() => 1), undefined, policy).read(text);
  };
  const german = writingOf(LANGUAGES["de"]!.writing);
  const [first, second] = of(german, ["tages", "licht"], [], "tageslicht");
  assert.deepEqual([first, second], [{ text: "tages", id: 0 }, { text: "licht", id: 0 }]);
  assert.deepEqual(of(german, ["tages", "haus"], ["licht"], "tageslicht"), [{ text: "tageslicht", id: -1 }]);
  assert.deepEqual(of(german, ["tages", "haus"], ["tageslicht"], "Tageslicht"), [{ text: "tageslicht", id: 0 }]);
  const unspaced = { ...ENGLISH, unspaced: [{ first: 0x4e00, last: 0x9fff }] };
  assert.deepEqual(of(unspaced, ["中", "文字"], ["漢"], "文字漢"), [{ text: "文字", id: 0 }, { text: "漢", id: 0 }]);
  assert.deepEqual(of(unspaced, ["中", "文字"], ["漢字"], "文字漢字").map(({ id }) => id), [0, 0]);
  assert.deepEqual(of(unspaced, ["中", "文字"], ["字漢"], "文字漢").map(({ id }) => id), [0, -1]);
});

test("every word has a coin, and it decides exactly", async () => {
  const threshold = new Passing([0], 0.75).threshold;
  assert.equal(threshold, (3n * KEEP_ONE) / 4n);
  assert.equal(new Passing([0], 0.95).threshold, 8762203435012036608n); // of the double
  for (const [coin, passes] of [[threshold - 1n, true], [threshold, false]] as const) {
    const [random, asked] = integer(coin);
    const flipping: RandomSource = (size) => (size === 8 ? random(size) : random(size).fill(128));
    const released = await new Privatizer(secret, { setting: SETTING, random: flipping }).words(["the", "John", "water"]);
    assert.equal(released[0] === "the", passes);
    assert.notEqual(released[2], "water");
    assert.deepEqual(asked, [8, 4 * secret.bits, 8, 4 * secret.bits, 8, 4 * secret.bits]);
  }
  const [random, asked] = integer(0n);
  await new Privatizer(secret, { setting: SETTING, random }).text("qzvorblax the");
  assert.deepEqual(asked, [8, 8, 4 * secret.bits, 8, 4 * secret.bits]); // the stand-in of the unknown word comes first
  asked.length = 0;
  await new Privatizer(secret, { setting: SETTING, oov: "drop", random }).text("qzvorblax the");
  assert.deepEqual(asked, [8, 4 * secret.bits]);
});

test("what passed is the word released before the next one", async () => {
  const bundle = await changedSample((manifest) => (manifest.policy = { lists, passing }));
  const { masses } = bundle;
  const measure = masses.measure.bind(masses);
  const before: number[] = [];
  masses.measure = (base, id) => (before.push(id), measure(base, id));
  const below = seeded(7);
  const random: RandomSource = (size) => Uint8Array.from({ length: size }, (_, place) => (place === 7 ? 0 : below(256))); // each coin lets pass
  const setting = { epsilon: 1, mechanism: "exponential", parameters: { cap: 1 } };
  const released = await new Privatizer(bundle, { setting, random }).words(["the", "water", "the"]);
  assert.deepEqual([released[0], released[2]], ["the", "the"]);
  assert.deepEqual(before, [-1, idOf("the"), idOf(released[1]!)]);
});

test("a stand-in never passes", async () => {
  const all = Array.from({ length: 1024 }, (_, id) => id).filter((id) => !members.includes(id));
  const bundle = await changedSample((manifest) => (manifest.policy = { lists, passing: { words: all, probability: 0.5 } }));
  const [random] = integer(0n); // the stand-in is the first word, and each coin lets words pass
  const flipping: RandomSource = (size) => (size === 8 ? random(size) : random(size).fill(128));
  const privatizer = new Privatizer(bundle, { setting: SETTING, random: flipping });
  const first = vocabulary.word(0);
  const [unknown, known] = await privatizer.words(["qzvorblax", first]);
  assert.notEqual(unknown, first);
  assert.equal(known, first);
});

test("nothing that is released tells members, forms and marks apart", async () => {
  const memory = remembering(3, "ab".repeat(32));
  for (const mechanism of ["brr", "vickrey", "exponential"]) for (const options of [{}, { memory }]) {
    const released = async (typed: string, given: TextOptions = {}): Promise<string> => {
      const below = seeded(5);
      const random: RandomSource = (size) => Uint8Array.from({ length: size }, () => below(256));
      return new Privatizer(secret, { setting: { epsilon: 1, mechanism }, random, ...options }).text(typed, given);
    };
    const once = await released(`call ${NAMED[0]} now`);
    for (const name of [...NAMED, "Zoltan", "Zoltan's"]) assert.equal(await released(`Call ${name}, now!`), once);
    assert.equal(await released("call Xqz Uvw now", { marks: [{ start: 5, end: 12, list: "names" }] }), once);
    assert.equal(await released("call water now", { marks: [{ start: 5, end: 10 }] }), await released("call qzvorblax now"));
  }
});

/** Keyed by its spelling, an unknown word's draws would be its pseudonym. */
test("a memory has one draw for a list, and one for all unknown words", async () => {
  const memory = remembering(3, "cd".repeat(32));
  for (const bundle of [secret, await openFolder(SAMPLE)]) {
    const options = { setting: { epsilon: 1e-9, mechanism: "brr" }, memory, secondEpsilon: 22, random: PLAIN };
    const privatizer = new Privatizer(bundle, options);
    const of = async (...words: string[]): Promise<number> => new Set(await privatizer.words(words)).size;
    assert.equal(await of("qzvorblax", "xqzvorbla", "water fall", ""), 1);
    assert.equal(await of(...NAMED), bundle === secret ? 1 : NAMED.length);
    assert.ok((await of("water", "history", "qzvorblax", "flight")) > 2);
  }
});

test("with a memory both draws have a coin, and no stand-in passes", async () => {
  const words = Array.from({ length: 1024 }, (_, id) => id).filter((id) => !members.includes(id));
  const bundle = await changedSample((manifest) => (manifest.policy = { lists, passing: { words, probability: 0.5 } }));
  const released = async (coin: bigint, again: bigint, typed: string): Promise<[string, number[], number[]]> => {
    const [[keyed, first], [random, second]] = [integer(coin), integer(again)];
    const flipping: RandomSource = (size) => (size === 8 ? keyed(size) : keyed(size).fill(128));
    const memory = { key: async () => ({ draw: () => flipping }) } as never;
    return [(await new Privatizer(bundle, { setting: SETTING, memory, random }).word(typed))!, first, second];
  };
  const [most, draw] = [vocabulary.word(0), 4 * bundle.bits];
  const [drawn, ...asked] = await released(KEEP_ONE / 2n, KEEP_ONE / 2n, most);
  assert.notEqual(drawn, most);
  assert.deepEqual(asked, [[8, draw], [8, draw]]);
  assert.deepEqual(await released(0n, 0n, most), [most, [8, draw], [8, draw]]);
  const [unknown, ...after] = await released(0n, KEEP_ONE / 2n, "qzvorblax"); // its stand-in is the most frequent word
  assert.equal(unknown, drawn);
  assert.deepEqual(after, [[8, 8, draw], [8, draw]]);
});

test("a memory's draws are others where other words pass", async () => {
  const first = async (probability: number, word: string): Promise<string> => {
    let message = "";
    const key = { draw: (_: string, { numbers }: MechanismSetting) => (message = hex(numbers), PLAIN) };
    const bundle = await changedSample((manifest) => (manifest.policy = { lists, passing: { words: [idOf(word)], probability } }));
    await new Privatizer(bundle, { setting: SETTING, memory: { key: async () => key } as never, random: PLAIN }).word("water");
    return message;
  };
  const own = await first(0.5, "the");
  assert.equal(own.slice(16), hex(eightBytes(KEEP_ONE / 2n, idOf("the"))));
  assert.equal(new Set([own, await first(0.25, "the"), await first(0.5, "a")]).size, 3);
});

const cut = (text: string, marks: Mark[], tokenizer = english) =>
  cutMarks(text, marks, tokenizer).map(({ start, end, id }) => [text.slice(start, end), id]);

test("marks are widened to whole tokens", () => {
  const text = "👍Anna-Maria's  don’t😀x9";
  const widened = (part: string): string => {
    const start = text.indexOf(part);
    return cut(text, [{ start, end: start + part.length }])[0]![0] as string;
  };
  for (const [part, whole] of [
    ["nn", "Anna"], ["Anna", "Anna"], ["a-M", "Anna-Maria's"], ["-", "-"], [" ", " "], ["ria", "Maria's"], ["’", "don’t"], ["😀", "😀"], ["9", "x9"],
    ["👍A", "👍Anna"], ["  d", "  don’t"],
  ]) assert.equal(widened(part!), whole);
  const [hyphens, han] = [{ ...ENGLISH, joiners: ["-"] }, { ...ENGLISH, unspaced: [{ first: 0x4e00, last: 0x9fff }] }];
  const [anna] = cut("x-Anna-Maria y", [{ start: 3, end: 5 }], tokenizerOf(hyphens, WORDS, []));
  assert.equal(anna![0], "x-Anna-Maria");
  assert.equal(cut("中文ab中", [{ start: 1, end: 3 }], tokenizerOf(han, WORDS, []))[0]![0], "文ab");
  assert.equal(cut("𐐀nna𐐁 b", [{ start: 3, end: 4 }])[0]![0], "𐐀nna𐐁"); // two units each
  assert.equal(cut("an\u00adna", [{ start: 0, end: 1 }])[0]![0], "an\u00adna"); // what leaves no character behind is inner
});

test("marks that overlap are one, those that touch aren't", () => {
  const text = "anna ben flu";
  const names = { list: "names" };
  assert.deepEqual(cut(text, [{ start: 9, end: 12, list: "ill" }, { start: 0, end: 4, ...names }]), [["anna", 1], ["flu", 4]]);
  assert.deepEqual(cut(text, [{ start: 3, end: 4 }, { start: 0, end: 2, ...names }]), [["anna", 1]]); // both are widened
  assert.deepEqual(cut(text, [{ start: 5, end: 8 }, { start: 0, end: 6, ...names }]), [["anna ben", 1]]);
  assert.deepEqual(cut(text, [{ start: 0, end: 12, ...names }, { start: 5, end: 8 }, { start: 9, end: 10 }]), [[text, 1]]);
  assert.deepEqual(cut(text, [{ start: 0, end: 8, list: "ill" }, { start: 0, end: 2, ...names }]), [["anna ben", 1]]); // the shorter first
  assert.deepEqual(cut(text, [{ start: 4, end: 5 }, { start: 0, end: 4, ...names }, { start: 5, end: 8 }]), [["anna", 1], [" ", -1], ["ben", -1]]);
  assert.deepEqual(cut(text, [{ start: 0, end: 4, list: null }, { start: 0, end: 4, ...names }]), [["anna", -1]]); // the first given
});

test("a mark is one word, and the rest is released or passes", async () => {
  const spent: number[] = [];
  const budget = { spend: async (_: number, words: number) => void spent.push(words) } as unknown as PrivacyBudget;
  const near = { setting: SETTING, budget, random: PLAIN };
  const privatizer = new Privatizer(secret, near);
  const text = "😀 Tell Zoltan Kovács: the water!";
  const marks = [{ start: 8, end: 12, list: "names" }, { start: 10, end: 21 }, { start: 28, end: 29 }];
  const head = vocabulary.word(members[0]!);
  const released = await privatizer.text(text, { marks });
  assert.equal(released.split(" ").length, 4);
  assert.equal(released.split(" ")[1], head);
  const unknown = (await privatizer.word("qzvorblax"))!;
  assert.equal(await privatizer.text(text, { marks, rest: "pass" }), `😀 Tell ${head}: the ${unknown}!`);
  assert.equal(await new Privatizer(secret, { ...near, oov: "drop" }).text(text, { marks, rest: "pass" }), `😀 Tell ${head}: the !`);
  assert.equal(await privatizer.text(text, { rest: "pass" }), text);
  assert.deepEqual(spent, [4, 1, 2, 2, 0]);
  const texts = await privatizer.texts([text, "the", ""], { marks: [marks, [], []], rest: "pass" });
  assert.deepEqual(texts, [`😀 Tell ${head}: the ${unknown}!`, "the", ""]);
});

test("marks that are wrong are refused, without the text", async () => {
  const typed = "qzvorblax😀";
  const privatizer = new Privatizer(secret, { setting: SETTING });
  const right = { start: 0, end: 1 };
  const inText = /^mark 2 must satisfy 0 <= start < end <= length of the text, and cut no character \(UTF-16\)$/;
  const cases: [unknown, RegExp][] = [
    ...[{ start: -1, end: 1 }, { start: 1, end: 1 }, { start: 2, end: 1 }, { start: 0, end: 12 }, { start: 0.5, end: 1 }, { start: "0", end: 1 }, { end: 1 }, { start: 0, end: 10 }, { start: 10, end: 11 }]
      .map((mark): [unknown, RegExp] => [mark, inText]),
    [{ ...right, list: "Names" }, /^mark 2: the bundle's policy has no such list; its lists: names$/],
    [{ ...right, list: "" }, /^mark 2: the bundle's policy has no such list/],
    [{ ...right, list: 1 }, /^mark 2: the bundle's policy has no such list/],
    [{ ...right, name: "names" }, /^mark 2 takes no 'name'$/],
    [null, /^mark 2 must be an object$/],
  ];
  for (const [mark, message] of cases) for (const rest of ["release", "pass"] as const) {
    const refused = await failing("parameter", () => privatizer.text(typed, { marks: [right, mark as Mark], rest }));
    assert.match(refused.message, message);
    assert.ok(!refused.message.includes("qzv"));
  }
  const others: [() => Promise<unknown>, RegExp][] = [
    [() => privatizer.text(typed, { rest: "keep" as never }), /^there is no such rest; choose one of: release, pass$/],
    [() => privatizer.text(typed, { marks: right as never }), /^marks takes a list of marks/],
    [() => privatizer.text(typed, { mark: [right] } as never), /^texts takes no 'mark'$/],
    [() => privatizer.text(typed, [right] as never), /^texts takes no '0'$/],
    [() => privatizer.text(typed, 0 as never), /^options must be an object$/],
    [() => privatizer.texts([typed], { marks: [] }), /^marks needs one list of marks for each text$/],
    [() => privatizer.texts([typed], { marks: [right] as never }), /^marks takes a list of marks/],
    [() => privatizer.texts(typed as never, { marks: [[]] }), /^texts takes a list of strings/],
  ];
  for (const [call, message] of others) assert.match((await failing("parameter", call)).message, message);
  const none = new Privatizer(await openFolder(SAMPLE), { setting: SETTING });
  const { message } = await failing("parameter", () => none.text(typed, { marks: [{ ...right, list: "names" }] }));
  assert.match(message, /^mark 1: the bundle's policy has no such list; its lists: none$/);
});

const marking = (text: string, part: string, list?: string): Mark => {
  const start = text.indexOf(part);
  return { start, end: start + part.length, list };
};

test("a session hides marks, and restores a reply", () => {
  const session = new Session(secret, { random: integer(0n)[0] }); // the first word that is left
  const first = "Book Zoltan’s flight with XQZ & ZOLTAN!";
  const [name, next] = members.map((id) => vocabulary.word(id)) as [string, string];
  const hidden = session.hide(first, [marking(first, "Zoltan’s", "names"), marking(first, "XQZ"), marking(first, "ZOLTAN", "names")]);
  const unknown = /with (.*) &/.exec(hidden)![1]!;
  assert.equal(hidden, `Book ${name} flight with ${unknown} & ${next}!`);
  assert.notEqual(unknown, "the"); // which passes
  const second = "zoltan, xqz, water";
  const names = [marking(second, "zoltan", "names"), marking(second, "xqz"), marking(second, "water")];
  const again = session.hide(second, names).split(", ");
  assert.deepEqual(again.slice(0, 2), [next, unknown]);
  assert.ok(vocabulary.find(again[2]!) > idOf(unknown));
  const reply = `${next.toUpperCase()}'s and "${next}-${name}": ${next}x x${next} ${name}.`;
  assert.equal(session.restore(reply), `ZOLTAN's and "ZOLTAN-Zoltan’s": ${next}x x${next} Zoltan’s.`);
  assert.equal(new Session(secret).restore(reply), reply);
  assert.equal(session.restore(""), "");
  assert.ok(!inspect(session, { depth: 9, showHidden: true }).toLowerCase().includes("zoltan’s"));
});

test("of surrogates that begin alike, the longest is restored", async () => {
  const pair = { name: "pair", members: [idOf("it"), idOf("it's")].sort((one, other) => one - other), forms: [] };
  const session = new Session(await changedSample((manifest) => (manifest.policy = { lists: [pair] })));
  const text = "xqz uvw";
  const [first, second] = session.hide(text, [marking(text, "xqz", "pair"), marking(text, "uvw", "pair")]).split(" ");
  assert.equal(session.restore(`${second}, ${first}`), "uvw, xqz");
  assert.equal(session.restore("it’ll it's"), first === "it" ? "xqz’ll uvw" : "uvw’ll xqz");
});

test("a surrogate says nothing of what it stands for, and of a list until it is used up", () => {
  const session = new Session(secret);
  const text = "qzvorblax xqz uvw four";
  const of = (part: string): string => session.hide(text, [marking(text, part, "names")]).split(" ")[text.split(" ").indexOf(part)]!;
  const used = ["qzvorblax", "xqz", "uvw"].map(of);
  assert.deepEqual(used.map(idOf).sort((one, other) => one - other), members);
  assert.equal(of("xqz"), used[1]);
  const isRefused = (message: RegExp) => (error: BrrError) =>
    error.kind === "parameter" && message.test(error.message) && !/qzv|xqz|four/.test(error.message);
  assert.throws(() => of("four"), isRefused(/^all words of a mark's list are already in use in this session; begin/));
  const both = new Session(secret); // what fails keeps nothing
  assert.throws(() => both.hide(text, text.split(" ").map((part) => marking(text, part, "names"))), isRefused(/^all words/));
  for (const part of ["five", "six", "seven"]) both.hide(part, [marking(part, part, "names")]);
  assert.throws(() => session.hide(text, [{ start: 0, end: 99 }]), isRefused(/^mark 1 must satisfy 0 <= start/));
  assert.throws(() => session.hide(1 as never, []), isRefused(/^hide takes a string$/));
  assert.throws(() => session.hide(text, undefined as never), isRefused(/^marks takes a list of marks/));
  assert.throws(() => session.restore(1 as never), isRefused(/^restore takes a string$/));
  assert.throws(() => new Session(secret, { seed: 1 } as never), isRefused(/^Session takes no 'seed'$/));
  assert.throws(() => new Session(undefined as never), isRefused(/^bundle must be a WordBundle$/));
});

test("what stands for unknown marks is of no list, and doesn't pass", async () => {
  const words = Array.from({ length: 1024 }, (_, id) => id).filter((id) => !members.includes(id));
  const bundle = await changedSample((manifest) => (manifest.policy = { lists, passing: { words, probability: 0.5 } }));
  const session = new Session(bundle, { random: integer(0n)[0] });
  const free = vocabulary.find(session.hide("xqz", [{ start: 0, end: 3 }]));
  assert.equal(free, Array.from({ length: bundle.size }, (_, id) => id).find((id) => !words.includes(id) && !members.includes(id)));
  const last = BigInt(bundle.size - words.length - members.length - 1); // each has one chance
  const other = new Session(bundle, { random: integer(last)[0] });
  assert.equal(vocabulary.find(other.hide("xqz", [{ start: 0, end: 3 }])), bundle.size - 1);
});

test("a manifest's policy is read, and a form that is a word is refused", async () => {
  assert.deepEqual(secret.policy.lists, lists);
  assert.deepEqual([secret.policy.passing!.words, secret.policy.passing!.probability], [passing.words, passing.probability]);
  assert.deepEqual((await openFolder(SAMPLE)).policy.lists, []);
  const opened = (policy: unknown) => changedSample((manifest) => (manifest.policy = policy));
  for (const [policy, message] of [
    [{ lists: [{ ...lists[0], forms: ["the"] }] }, /^changed\/manifest\.json: field 'policy' has a form that is a word; rebuild the bundle$/],
    [{ lists: [], passing: null }, /^changed\/manifest\.json: field 'policy' is missing or wrong; rebuild the bundle$/],
  ] as const) {
    await assert.rejects(opened(policy), (error: BrrError) => error instanceof BundleError && message.test(error.message));
  }
  await opened({ lists: [] });
  const list = (name: string) => readFileSync(join(conformance("list"), name));
  const manifest = Buffer.from(list("manifest.json").toString().replace("{", '{"policy": {"lists": []},'));
  const read = async (name: string): Promise<Uint8Array> => (name === "manifest.json" ? manifest : list(name));
  const refused = WordBundle.open({ path: "list", read }, { verifyHashes: false });
  await assert.rejects(refused, /list\/manifest\.json: field 'policy' is missing or wrong/);
});
