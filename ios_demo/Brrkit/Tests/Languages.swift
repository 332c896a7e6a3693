import Foundation

@testable import Brrkit

/// Languages in tests: their rules, and words to which the rules apply.
struct Language {
    let writing: JSON
    let words: [String]
    /// Other relevant parts: clitics, endings, joiners, marks.
    let pieces: [String]

    /// The rules of English, except for some.
    private init(_ rules: [JSON.Text: JSON], _ words: String, _ pieces: [String] = []) {
        let none: [JSON.Text: JSON] = [
            "language": "xx", "replaced": [:], "joiners": [], "before": [], "endings": [],
            "shortest_stem": 1, "spellings": [:], "rewritten": [], "longest_run": 0,
            "unspaced": [], "links": [], "shortest_part": 4,
        ]
        writing = .object(none.merging(rules) { $1 })
        self.words = words.split(separator: " ").map(String.init)
        self.pieces = pieces
    }

    /// What the rules say.
    var rules: Writing { Writing(writing)! }

    static let french = Language(
        [
            "language": "fr", "joiners": ["-"],
            "before": ["l'", "d'", "j'", "qu'", "jusqu'", "c'", "n'", "s'"],
            "rewritten": [["œ", "oe"], ["æ", "ae"]],
        ], "homme eau école est qu qu'en aujourd'hui peut-être peut être coeur œuvre un l",
        ["l'", "L’", "qu'", "jusqu'", "d'", "-", "œ"])

    static let german = Language(
        [
            "language": "de", "links": ["", "s", "es", "n"], "shortest_part": 3,
            "rewritten": [["ß", "ss"], ["ae", "ä"]], "endings": ["'s"],
        ],
        "haus tür haustür arbeit arbeits amt samt zeit bahn hof bahnhof tag geburt strasse ärger",
        ["s", "es", "n", "ß", "'s"])

    static let turkish = Language(
        [
            "language": "tr", "replaced": ["I": "ı", "İ": "i"],
            "endings": ["'da", "'nın", "lar", "ler", "da", "de"], "shortest_stem": 2,
        ], "ışık istanbul ev kitap kitaplar işık i ı", ["'da", "lar", "de", "I", "İ", "i\u{307}"])

    static let greek = Language(
        ["language": "el", "rewritten": [["ά", "α"]]], "φως σοφία σας ο και οσ ός Σ",
        ["Σ", "σ", "ς", "Ά", "\u{301}", "ΣΑΣ"])

    static let persian = Language(
        [
            "language": "fa", "joiners": ["\u{200C}"],
            "replaced": ["ي": "ی", "ك": "ک", "\u{640}": "", "\u{64E}": ""],
            "endings": ["\u{200C}ها", "ها"],
            "rewritten": [["\u{200C}", ""]],
        ], "می\u{200C}خواهم میخواهم کتاب کتاب\u{200C}ها خانه", ["\u{200C}", "ها", "\u{640}", "ك"])

    static let arabic = Language(
        [
            "language": "ar", "before": ["ال", "و", "ب"],
            "replaced": ["\u{640}": "", "\u{64B}": "", "\u{651}": ""], "rewritten": [["أ", "ا"]],
        ], "كتاب أحمد احمد بيت والد ولد", ["ال", "و", "\u{651}", "\u{64B}", "\u{640}", "أ"])

    static let korean = Language(
        [
            "language": "ko", "endings": ["은", "는", "이", "가", "을", "에서", "서"],
            "spellings": ["난": "나", "나": "난"],
        ], "학교 한국 사람 나 서울", ["은", "에서", "난", "\u{1100}\u{1161}", "\u{11A8}"])

    static let chinese = Language(
        [
            "language": "zh", "replaced": ["國": "国"],
            "unspaced": [[0x3400, 0x4DBF], [0x4E00, 0x9FFF], [0x20000, 0x3FFFF]],
        ], "中 中国 国人 人 我 喜欢 喜 不 北京 京 大学 学生 大学生", ["國", "的", "iPhone", "\u{20000}", "，", "\u{FA10}"])

    static let japanese = Language(
        [
            "language": "ja",
            "unspaced": [
                [0x3005, 0x3007], [0x3041, 0x30FA], [0x30FC, 0x30FF], [0x4E00, 0x9FFF],
            ],
        ], "東京 京都 東 都 に が ガ 東京都 スーパー 人々", ["カ\u{3099}", "は", "・", "ー", "ABC"])

    static let thai = Language(
        ["language": "th", "unspaced": [[0xE01, 0xE3A], [0xE40, 0xE4E]]],
        "ไทย กา ตา กลม ตาก ลม น้ำ คน", ["\u{E38}\u{E48}", "\u{E48}\u{E38}", "๑"])

    static let hindi = Language(
        [
            "language": "hi", "joiners": ["\u{200C}", "\u{200D}"],
            "rewritten": [["\u{93C}", ""], ["ँ", "ं"]], "endings": ["ों", "ें"],
        ], "हिन्दी भाषा कलम क़लम बात मेज\u{200D}", ["\u{958}", "\u{93C}", "ों", "\u{200D}", "।"])

    /// English as people type it on phones.
    static let typed = Language(
        [
            "language": "en", "rewritten": [["0", "o"]], "endings": ["'s", "in"],
            "longest_run": 2,
            "spellings": [
                "tmr": "tomorrow", "loll": "laugh", "éé": "é", "yes": "yeah", "sooo": "missing",
                "goin": "missing", "00pm": "7pm", "0": "2",
            ],
        ], "tomorrow good so soo laugh ok yeah go 7pm 2 é",
        ["tmr", "ooo", "lolll", "12pm", "0", "éé", "in"])

    static let all = [
        french, german, turkish, greek, persian, arabic, korean, chinese, japanese, thai, hindi,
        typed,
    ]
}

extension JSON: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int) { self.init(value) }
}

/// Random texts that are relevant to a tokenizer, with words that it knows.
enum TextCase {
    /// Makes a case of the exchange, without its answer.
    static func random() throws -> JSON {
        let language = Int.random(in: 0..<8) == 0 ? nil : Language.all.randomElement()!
        var fields = [JSON.Text: JSON]()
        if let language { fields["writing"] = mixed(language.writing) }
        let writing = fields["writing"].map { Writing($0)! } ?? .english
        let text = randomText(language)
        var words = Set(["can", "will", "shall"].map { UTF8Text($0.utf8) })
        for word in language?.words ?? [] where Int.random(in: 0..<4) > 0 {
            words.insert(writing.normalize(word))
        }
        for part in (text + " " + randomText(language)).split(separator: " ") {
            for token in writing.normalize(part).split(whereSeparator: { $0 < 0x27 }) {
                words.formUnion(pieces(of: codePoints(UTF8Text(token))))
            }
        }
        words = words.filter { word in
            let text = String(decoding: word, as: UTF8.self)
            return !word.isEmpty && word.allSatisfy { $0 > 0x20 } && writing.normalize(text) == word
        }
        let some = Array(words.shuffled().prefix(.random(in: 1...words.count)))
        let alike = Bool.random()
        fields["text"] = JSON(text)
        fields["vocabulary"] = .array(some.map { JSON(String(decoding: $0, as: UTF8.self)) })
        fields["masses"] = .array(
            some.map { _ in JSON(alike ? Int.random(in: 7...9) : .random(in: 1...255)) })
        return .object(fields)
    }

    /// Makes a case of a list, without its answer.
    static func randomOfList() throws -> JSON {
        let parts =
            emojiParts + ["a", "b", "1", "#", "it's", "CAN'T", "n't", " ", " ", " ", ", ", "Σσ"]
        let units = (0..<8).map { _ in
            (0..<Int.random(in: 1...4)).map { _ in parts.randomElement()! }.joined()
        }
        let text = (0..<Int.random(in: 0...20)).map { _ in (units + parts).randomElement()! }
            .joined()
        let whole = try Tokenizers.made([Tokenizers.Source(words: [], listOf: .both)])[0]
        let found = whole.read(([text] + units).joined(separator: " ")).map {
            String(decoding: $0.text, as: UTF8.self)
        }
        var words = Set(["a", text.isEmpty ? "b" : text].map { UTF8Text($0.utf8) })
        for _ in found {
            let phrase = found.dropFirst(.random(in: 0..<found.count)).prefix(.random(in: 1...9))
            words.insert(UTF8Text(phrase.joined(separator: " ").utf8))
        }
        let some = Array(words.shuffled().prefix(.random(in: 1...words.count)))
        return [
            "text": JSON(text), "list_of": JSON(kinds.randomElement()!.rawValue),
            "vocabulary": .array(some.map { JSON(String(decoding: $0, as: UTF8.self)) }),
            "masses": .array(some.map { _ in JSON(Int.random(in: 1...255)) }),
        ]
    }

    private static let kinds: [ListKind] = [.words, .emoji, .both, .strings]

    private static let emojiParts = [
        "\u{1F600}", "\u{2764}", "\u{1F469}", "\u{1F680}", "\u{1F1E9}", "\u{1F1EA}", "\u{A9}",
        "\u{FE0F}", "\u{FE0E}", "\u{200D}", "\u{20E3}", "\u{1F3FB}", "\u{1F3FF}", "\u{E0067}",
        "\u{E007F}",
    ]

    /// Takes some rules of another language.
    private static func mixed(_ writing: JSON) -> JSON {
        guard case .object(var fields) = writing, Int.random(in: 0..<3) == 0 else { return writing }
        let other = Language.all.randomElement()!.writing
        for name in fields.keys where Int.random(in: 0..<3) == 0 { fields[name] = other[name] }
        if Bool.random() { fields["shortest_stem"] = JSON(Int.random(in: 1...4)) }
        if Bool.random() { fields["shortest_part"] = JSON(Int.random(in: 1...4)) }
        return .object(fields)
    }

    /// Returns some of the strings that stand in one.
    private static func pieces(of codePoints: [UInt32]) -> [UTF8Text] {
        (0..<3).map { _ in
            let ends =
                [0, codePoints.count] + (0..<2).map { _ in Int.random(in: 0...codePoints.count) }
            let (one, other) = (ends.randomElement()!, ends.randomElement()!)
            var piece = UTF8Text()
            for codePoint in codePoints[min(one, other)..<max(one, other)].prefix(300) {
                append(codePoint, to: &piece)
            }
            return piece
        }
    }

    /// Returns a text of a language, English if none is given.
    static func randomText(_ language: Language? = nil) -> String {
        let english = [
            "a", "B", "é", "É", "İ", "Σ", "ς", "ß", "ǅ", "\u{301}", "👍", "ʼ", "＇", "Д", "Ա", "!",
            "_", "'", "’", "n't", "'s", "it", "do", "-", "don't", "we're", "can't", "'ve", " ",
            "'d",
        ]
        return (0..<Int.random(in: 0..<10)).map { _ in
            switch Int.random(in: 0..<12) {
            case 0:
                // No mark behind it: systems differ on code points that Unicode 8 doesn't have.
                let scalar = Unicode.Scalar(UInt32.random(in: 0..<0x110000)) ?? "x"
                return "\(scalar)x"
            case 1...3: return english.randomElement()!
            case 4: return marks(.random(in: 1...4))
            case 5...7:
                guard let piece = language?.pieces.randomElement() else { return " " }
                return piece
            default:
                guard let word = language?.words.randomElement() else { return "it" }
                return typed(word)
            }
        }.joined()
    }

    private static func marks(_ count: Int) -> String {
        let marks = [
            "\u{300}", "\u{301}", "\u{308}", "\u{323}", "\u{327}", "\u{342}", "\u{345}", "\u{64B}",
            "\u{651}", "\u{670}", "\u{93C}", "\u{94D}", "\u{5B0}", "\u{E38}", "\u{E48}", "\u{3099}",
            "\u{1161}", "\u{11A8}", "\u{340}", "\u{344}",
        ]
        let count = Int.random(in: 0..<50) == 0 ? 40 * count : count
        return (0..<count).map { _ in marks.randomElement()! }.joined()
    }

    /// Returns a word as people might type it.
    private static func typed(_ word: String) -> String {
        switch Int.random(in: 0..<8) {
        case 0: return word.uppercased()
        case 1: return word.prefix(1).uppercased() + word.dropFirst()
        case 2: return word.decomposedStringWithCanonicalMapping
        case 3: return word + " "
        case 4: return "'" + word
        case 5 where Int.random(in: 0..<10) == 0:
            return String(repeating: word, count: .random(in: 60...600))
        default: return word
        }
    }
}
