/** Languages for tests: their writing rules, words, and typed text between and around these. */

/** A manifest's field `writing`, with doubles for integers. */
export type Written = { readonly [name: string]: unknown };

interface Language {
  readonly writing: Written;
  readonly words: readonly string[];
  /** What else is typed. */
  readonly pieces: readonly string[];
}

/** Returns a field `writing` that differs from one without rules. */
const written = (language: string, rules: Written): Written => ({
  language, replaced: {}, joiners: [], before: [], endings: [], shortest_stem: 1, spellings: {}, rewritten: [], longest_run: 0,
  unspaced: [], links: [], shortest_part: 4, ...rules,
});

const HAN = [[0x3400, 0x4dbf], [0x4e00, 0x9fff], [0x20000, 0x2ebef]];
const KANA = [[0x3005, 0x3007], [0x3041, 0x3096], [0x309d, 0x309f], [0x30a1, 0x30fa], [0x30fc, 0x30ff]];

export const LANGUAGES: Readonly<Record<string, Language>> = {
  fr: {
    writing: written("fr", {
      before: ["l'", "d'", "j'", "n'", "s'", "c'", "m'", "t'", "qu'", "jusqu'", "lorsqu'"], joiners: ["-"],
      endings: ["-t-il", "-moi", "-le", "-ci"], shortest_stem: 2, spellings: { j: "je", "qu": "que", "00h": "7h", cc: "coucou" },
      rewritten: [["œ", "oe"], ["æ", "ae"]], longest_run: 2,
    }),
    words: ["homme", "l'", "aujourd'hui", "donne", "œuvre", "coeur", "été", "que", "je", "dit", "d'accord", "où", "garçon", "7h", "coucou"],
    pieces: ["8h", "12h", "ccc", "éééé", "ooo", "l’", "D'", "QU'", "-t-il", "-moi", "-", "jusqu’", "'", "''", "e\u0301", "c\u0327", "œ", "Œ", "oe", "J", "ʼ"],
  },
  de: {
    writing: written("de", {
      replaced: { ẞ: "ß" }, links: ["", "s", "es", "n"], rewritten: [["ß", "ss"], ["ss", "ß"], ["ae", "ä"], ["ue", "ü"], ["oe", "ö"]],
      endings: ["'s", "'"], spellings: { "0": "eins", "0000": "2000", hs: "haus" }, longest_run: 2,
    }),
    words: ["arbeit", "zimmer", "straße", "strasse", "übung", "schöne", "haus", "bund", "bunde", "stag", "tag", "tages", "licht", "esel", "eins", "2000"],
    pieces: ["7", "1999", "hhs", "aa", "ttt", "s", "es", "n", "ẞ", "ß", "SS", "u\u0308", "A\u0308", "ae", "Ue", "’s", "-", "'"],
  },
  tr: {
    writing: written("tr", { replaced: { I: "ı", "İ": "i" }, endings: ["ler", "lar", "de", "da", "'de", "'da", "lerde"], shortest_stem: 2, longest_run: 1 }),
    words: ["ışık", "istanbul", "ev", "kitap", "evler", "ılık"],
    pieces: ["ee", "ll", "I", "İ", "I\u0307", "ı", "i", "ler", "LAR", "’da", "S\u0327", "g\u0306", "'de"],
  },
  el: {
    writing: written("el", { before: ["σ'", "μ'", "τ'"], rewritten: [["ς", "σ"], ["ά", "α"]], spellings: { σ: "σε" } }),
    words: ["οδος", "οδός", "σοφία", "σε", "αυτό", "φως", "άνθρωπος"],
    pieces: ["Σ", "σ", "ς", "Σ'", "σ’", "\u0301", "\u0308\u0301", "ΐ", "Ά", "\u1f71", "\u0345", "ᾳ", "ΑΣ", "'"],
  },
  fa: {
    writing: written("fa", {
      joiners: ["\u200c"], replaced: { ي: "ی", ك: "ک", "\u0640": "", "\u064b": "", "\u064e": "" },
      endings: ["\u200cها", "ها", "\u200cهای"], shortest_stem: 2, rewritten: [["\u200c", ""]],
    }),
    words: ["می\u200cخواهم", "کتاب", "کتابها", "خانه", "یک"],
    pieces: ["\u200c", "\u200c\u200c", "ها", "\u0640", "\u064e", "\u064b", "ي", "ك", "\u200d", "آ", "ا\u0653", "،"],
  },
  ar: {
    writing: written("ar", {
      replaced: { "\u0640": "", أ: "ا", إ: "ا", آ: "ا", ...Object.fromEntries(Array.from("\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652", (mark) => [mark, ""])) },
      before: ["ال", "و", "وال", "ب"], endings: ["ها", "ه", "ات"], shortest_stem: 2,
    }),
    words: ["كتاب", "الله", "بيت", "ولد", "سيارة", "اب"],
    pieces: ["ال", "و", "وال", "\u064e\u0651", "\u0651\u064e", "\u0640", "ا\u0654", "ا\u0655", "أ", "ها", "\u0670"],
  },
  ko: {
    writing: written("ko", { endings: ["은", "는", "이", "가", "을", "에서", "서"], shortest_stem: 1, links: [""], shortest_part: 2, longest_run: 3 }),
    words: ["학교", "영화", "사람", "평점", "영화관", "나"],
    pieces: ["은", "에서", "가", "\u1112\u1161\u11a8", "\u1100\u1161", "학\u11a8", "\u1161", "가\u11a8", "ㅋㅋ", "ㅋㅋㅋㅋㅋ", "나나나나"],
  },
  zh: {
    writing: written("zh", { longest_run: 2, unspaced: HAN, replaced: { "０": "0", 臺: "台" } }),
    words: ["研究", "研究生", "生命", "命", "的", "起源", "酒店", "不错", "台", "\u{20000}", "生", "a", "房间"],
    pieces: ["研", "究", "\u{20000}", "\u{2ebef}", "\uf900", "臺", "豈", "，", "A", "x1", "'", "𠀀"],
  },
  ja: {
    writing: written("ja", { unspaced: [...KANA, ...HAN.slice(0, 2)], joiners: ["・"] }),
    words: ["東京", "都", "京都", "東", "に", "住む", "が", "カー", "ガ", "々"],
    pieces: ["か\u3099", "は\u309a", "ヴ", "ー", "・", "ｶﾞ", "神", "\ufa19", "A", "\u3099"],
  },
  th: {
    writing: written("th", { unspaced: [[0xe00, 0xe7f]] }),
    words: ["ตา", "ตาก", "กลม", "ลม", "มาก", "ก", "ที่", "นี่"],
    pieces: ["\u0e48\u0e38", "\u0e38\u0e48", "ำ", "ๆ", "฿", "ล", "\u0e34\u0e48", "a"],
  },
  hi: {
    writing: written("hi", { joiners: ["\u200d", "\u200c"], rewritten: [["ँ", "ं"], ["\u093c", ""]], endings: ["ों", "ें"], shortest_stem: 2 }),
    words: ["हिन्दी", "किताब", "लड़का", "क्ष", "मैं"],
    pieces: ["\u0958", "क\u093c", "\u093c\u094d", "\u094d\u093c", "\u200d", "ों", "।", "ड\u093c", "\u0929", "न\u093c", "\u095c"],
  },
};

