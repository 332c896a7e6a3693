import Foundation
import Testing

@testable import Brrkit

/// New random cases, exchanged with the Python runtime through files in the nightly tests: it wrote the cases
/// that are checked here, and checks those that are written here (`exchange.py`). In each run,
/// ``VectorsTests`` find the same faults.
@Suite(.enabled(if: Work.has("exchange"), "there are cases each night"))
struct ExchangeTests {
    @Test func pythonsReleases() throws {
        let cases = try pythons("releases")
        for each in cases {
            let random = Replay(bytes(ofHexadecimal: each["random"]!.string!))
            let released = try release(privatizer(each, random), each)
            try #require(released == each["released"]!, "\(each.written)")
            try #require(random.left == 0, "\(each.written)")
        }
    }

    @Test func pythonsTexts() throws {
        let cases = try pythons("texts")
        for (each, tokenizer) in zip(cases, try Tokenizers.made(cases.map(source))) {
            try #require(answered(each, tokenizer) == each, "\(each.written)")
        }
    }

    @Test func pythonsCounts() throws {
        let cases = try pythons("counts")
        for each in cases {
            let random = Replay(bytes(ofHexadecimal: each["random"]!.string!))
            let released = try counts(each, random).word(each["word"]!.string!)
            try #require(released == each["output"]!.string, "\(each.written)")
            try #require(random.left == 0, "\(each.written)")
        }
    }

    @Test func pythonsFrames() throws {
        for each in try pythons("frames") {
            let random = Replay(bytes(ofHexadecimal: each["random"]!.string!))
            let days = try framedDays(each, Work.all[each["bundle"]!.string!]!, random)
            try #require(days == each["days"]!, "\(each.written)")
            try #require(random.left == 0, "\(each.written)")
        }
    }

    @Test func pythonsNumbers() throws {
        for each in try pythons("numbers") {
            let wrong = try wrongNumber(each)
            try #require(wrong == nil, "\(each.written)")
        }
    }

    @Test func releasesForPython() throws {
        try write("releases") {
            let (name, bundle) = Work.all.filter { $0.value.listOf == nil }.randomElement()!
            var fields = randomSetting(bundle)
            let words = (0..<Int.random(in: 0..<4)).map { _ in randomWord(bundle) }
            let text = JSON(TextCase.randomText() + words.joined(separator: " "))
            fields["bundle"] = JSON(name)
            fields["typed"] = [.array(words.map { JSON($0) }), text].randomElement()!
            if let text = fields["typed"]!.string, Bool.random() {
                fields["marks"] = randomMarks(text, bundle)
                if Bool.random() { fields["rest"] = "pass" }
            }
            let random = Replay(recording: ())
            let privatizer = try privatizer(.object(fields), random)
            fields["released"] = try release(privatizer, .object(fields))
            fields["random"] = JSON(hexadecimal(random.drawn))
            return .object(fields)
        }
    }

    @Test func countsForPython() throws {
        try write("counts") {
            let name = Work.all.keys.randomElement()!
            let bundle = Work.all[name]!
            let word = randomWord(bundle)
            var fields: [JSON.Text: JSON] = [
                "bundle": JSON(name), "word": JSON(word),
                "cap": JSON([randomCap(), .random(in: 5..<15)].randomElement()!),
            ]
            let random = Replay(recording: ())
            fields["output"] = JSON(try counts(.object(fields), random).word(word))
            fields["random"] = JSON(hexadecimal(random.drawn))
            return .object(fields)
        }
    }

    @Test func framesForPython() throws {
        try write("frames") {
            let (name, bundle) = Work.all.filter { $0.value.listOf == nil }.randomElement()!
            var fields = randomSetting(bundle)
            fields["oov"] = nil
            fields["bundle"] = JSON(name)
            fields["frames"] = [
                "words": JSON(Int.random(in: 1...4)), "a_day": JSON(Int.random(in: 1...3)),
            ]
            let days = (0..<Int.random(in: 1...2)).map { _ in
                (0..<Int.random(in: 0...5)).map { _ in randomStep(bundle) } + [
                    ["batches": .boolean(true)]
                ]
            }
            fields["steps"] = .array(days.flatMap { $0 })
            let random = Replay(recording: ())
            fields["days"] = try framedDays(.object(fields), bundle, random)
            fields["random"] = JSON(hexadecimal(random.drawn))
            return .object(fields)
        }
    }

    private func randomStep(_ bundle: WordBundle) -> JSON {
        let word = randomWord(bundle)
        let text = TextCase.randomText() + " " + word
        return [
            ["word": JSON(word)], ["word": JSON(word)], ["end": .boolean(true)],
            ["add": JSON(text), "marks": randomMarks(text, bundle)],
        ].randomElement()!
    }

    /// The other phone's results for the same random bytes are compared with this.
    @Test func releasesForTheOtherPhone() throws {
        var lines = ""
        for each in try Work.cases("exchange/both.jsonl") {
            let random = Replay(bytes(ofHexadecimal: each["random"]!.string!))
            let released = try release(privatizer(each, random), each)
            lines += JSON.array([released, JSON(random.left)]).written + "\n"
        }
        try Data(lines.utf8).write(to: Work.file("exchange/swift-both.jsonl"))
    }

    @Test func textsForPython() throws {
        let made = try pythons("texts").indices.map { number in
            try number % 4 == 0 ? TextCase.randomOfList() : TextCase.random()
        }
        var answers = zip(made, try Tokenizers.made(made.map(source))).map(answered).makeIterator()
        try write("texts") { answers.next()! }
    }

    @Test func numbersForPython() throws {
        try write("numbers") {
            let epsilon = self.randomEpsilon()
            return .object(
                try numbers(
                    epsilon: epsilon, bits: [64, 256, 512].randomElement()!,
                    total: [.random(in: 2..<1 << 24), .random(in: 2...1 << 47)].randomElement()!,
                    t: .random(in: 0..<25), distance: .random(in: 0..<513),
                    radius: .random(in: 0...64), cap: Bool.random() ? nil : self.randomCap(),
                    symbols: [.random(in: 3..<100), .random(in: 3..<1 << 24)].randomElement()!))
        }
    }

    private func pythons(_ name: String) throws -> [JSON] {
        let cases = try Work.cases("exchange/python-\(name).jsonl")
        try #require(!cases.isEmpty)
        return cases
    }

    /// Writes the same number of cases as Python.
    private func write(_ name: String, _ make: () throws -> JSON) throws {
        var lines = ""
        for _ in try pythons(name) { lines += try make().written + "\n" }
        try Data(lines.utf8).write(to: Work.file("exchange/swift-\(name).jsonl"))
    }

    private func privatizer(_ setting: JSON, _ random: Replay) throws -> Privatizer {
        try Privatizer(
            Work.all[setting["bundle"]!.string!]!,
            setting: Setting(epsilon: setting["epsilon"]!.double!, mechanism: setting.asMechanism),
            oov: setting["oov"] == "drop" ? .drop : .random,
            memory: Work.memory(setting), secondEpsilon: setting["second_epsilon"]?.double,
            random: random)
    }

    private func counts(_ setting: JSON, _ random: Replay) throws -> Counts {
        try Counts(
            Work.all[setting["bundle"]!.string!]!,
            setting: CountsSetting(cap: setting["cap"]!.double!),
            memory: Work.memory(setting), secondCap: setting["second_cap"]?.double, random: random)
    }

    /// Returns the output for a case's text, which may have marks, or for its list of words.
    private func release(_ privatizer: Privatizer, _ each: JSON) throws -> JSON {
        if let text = each["typed"]!.string {
            let marks = marks(each, in: text)
            return JSON(try privatizer.text(text, marks: marks, rest: rest(each)))
        }
        return .array(try privatizer.words(each["typed"]!.strings.map { $0! }).map { JSON($0) })
    }

    /// Returns some marks of a text, by code points.
    private func randomMarks(_ text: String, _ bundle: WordBundle) -> JSON {
        let size = text.unicodeScalars.count
        let lists = bundle.policy.lists.map { JSON($0.name) }
        return .array(
            (0..<(size == 0 ? 0 : Int.random(in: 0...3))).map { _ in
                let start = Int.random(in: 0..<size)
                let ends = [JSON(start), JSON(Int.random(in: start + 1...size))]
                return .array(
                    ends + (Bool.random() ? lists.randomElement().map { [$0] } ?? [] : []))
            })
    }

    /// Returns the parts of a case's tokenizer.
    private func source(_ each: JSON) -> Tokenizers.Source {
        Tokenizers.Source(
            writing: each["writing"].map { Writing($0)! } ?? .english,
            words: each["vocabulary"]!.strings.map { $0! },
            masses: each["masses"]!.array!.map { UInt8($0.integer!) },
            listOf: each["list_of"]?.string.flatMap(ListKind.init))
    }

    /// Returns a case with the tokens of its text, and the results of their look-up.
    private func answered(_ each: JSON, _ tokenizer: Tokenizer) -> JSON {
        guard case .object(var fields) = each else { return .null }
        let tokens = tokenizer.read(each["text"]!.string!)
        fields["tokens"] = .array(tokens.map { JSON(String(decoding: $0.text, as: UTF8.self)) })
        fields["ids"] = .array(tokens.map { $0.wordID.map { JSON($0) } ?? .null })
        fields["finished"] = JSON(tokenizer.finished(each["text"]!.string!).unicodeScalars.count)
        return .object(fields)
    }

    private func randomEpsilon() -> Double {
        let epsilon = exp(Double.random(in: log(epsilonMin)...log(epsilonMax)))
        return min(max(epsilon, epsilonMin), epsilonMax)
    }

    private func randomCap() -> Double {
        let cap = exp(Double.random(in: log(capMin)...log(capMax)))
        return min(max(cap, capMin), capMax)
    }

    private func randomSetting(_ bundle: WordBundle) -> [JSON.Text: JSON] {
        let mechanism = ["brr", "vickrey", "exponential"].randomElement()!
        let several = (0..<Int.random(in: 1..<6)).map { _ in
            JSON(Double(Int.random(in: 0..<3)) * Double.random(in: 0..<1))
        }
        let t = [
            JSON(0), JSON(0.5), JSON(1), JSON(Double.random(in: 0..<1)), .array(several),
        ].randomElement()!
        var exponential = [JSON.Text: JSON]()
        if Bool.random() { exponential["radius"] = JSON(Int.random(in: 0...64)) }
        let bases = bundle.masses.hasBigrams ? Base.allCases : [.uniform, .unigram]
        if Bool.random() { exponential["base"] = JSON(bases.randomElement()!.rawValue) }
        if Bool.random() { exponential["cap"] = JSON(randomCap()) }
        if bundle.taskBits > 0 && Bool.random() {
            exponential["task_weight"] = JSON(Int.random(in: 0...[2, 16].randomElement()!))
        }
        return [
            "mechanism": JSON(mechanism), "epsilon": JSON(randomEpsilon()),
            "oov": [JSON("random"), JSON("drop")].randomElement()!,
            "parameters": [
                "brr": [:], "vickrey": ["t": t],
                "exponential": .object(exponential),
            ][mechanism]!,
        ]
    }

    private func randomWord(_ bundle: WordBundle) -> String {
        let word = bundle.vocabulary.word(.random(in: 0..<bundle.count))!
        return [word, word, word, word.uppercased(), word + "'s", TextCase.randomText()]
            .randomElement()!
    }
}
