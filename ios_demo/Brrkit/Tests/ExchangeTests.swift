import Foundation
import Testing

@testable import Brrkit

/// Fresh random cases, exchanged with the Python runtime through files: it wrote those that are
/// checked here, and checks those that are written here (`exchange.py`).
struct ExchangeTests {
    private static let releases = 10_000
    private static let texts = 5_000
    private static let numbers = 2_000

    @Test func pythonsReleases() throws {
        let cases = try Work.cases("exchange/python-releases.jsonl")
        #expect(cases.count >= ExchangeTests.releases)
        for each in cases {
            let random = Replay(bytes(ofHexadecimal: each["random"]!.string!))
            let released = try privatizer(each, random).words(each["words"]!.strings.map { $0! })
            try #require(released == each["released"]!.strings, "\(each.written)")
            try #require(random.left == 0, "\(each.written)")
        }
    }

    @Test func pythonsTexts() throws {
        let cases = try Work.cases("exchange/python-texts.jsonl")
        #expect(cases.count >= ExchangeTests.texts)
        for each in cases {
            let text = text(each["text"]!.string!)
            try #require(text["tokens"] == each["tokens"], "\(each.written)")
            try #require(text["words"] == each["words"], "\(each.written)")
        }
    }

    @Test func pythonsNumbers() throws {
        let cases = try Work.cases("exchange/python-numbers.jsonl")
        #expect(cases.count >= ExchangeTests.numbers)
        for each in cases {
            let numbers = try numbers(
                epsilon: each["epsilon"]!.double!, bits: each["bits"]!.integer!,
                size: each["size"]!.integer!, t: each["t"]!.double!,
                distance: each["distance"]!.integer!)
            for (name, value) in numbers {
                // Doubles are written in several ways.
                let same = value.isInteger || value.string != nil
                    ? each[name] == value : each[name]?.double == value.double
                try #require(same, "\(name.string): \(value.written) in \(each.written)")
            }
        }
    }

    @Test func everyCodePoint() throws {
        let content = try Data(contentsOf: Work.file("exchange/python-characters.bin"))
        #expect(content.count == 4 * 0x110000)
        try content.withUnsafeBytes { content in
            for value in UInt32(0)..<0x110000 {
                let expected = content.loadUnaligned(
                    fromByteOffset: 4 * Int(value), as: Int32.self)
                let normalized = Unicode.Scalar(value).map { normalize($0).value } ?? value
                let actual = isSeparator(value) ? -1 : Int32(normalized)
                try #require(actual == expected, "U+\(String(value, radix: 16))")
                guard let scalar = Unicode.Scalar(value) else { continue }
                // The same by what an app calls.
                let tokens = tokenize("a\(scalar)a")
                let expectedTokens =
                    expected < 0 ? ["a", "a"] : ["a\(Unicode.Scalar(UInt32(expected))!)a"]
                try #require(
                    tokens == expectedTokens.map { Array($0.utf8) },
                    "U+\(String(value, radix: 16))")
            }
        }
    }

    @Test func releasesForPython() throws {
        try write("releases", ExchangeTests.releases) {
            let name = Work.bundles.keys.randomElement()!
            let bundle = Work.bundles[name]!
            var fields = randomSetting()
            let words = (0..<Int.random(in: 0..<4)).map { _ in randomWord(bundle) }
            fields["bundle"] = JSON(name)
            fields["words"] = .array(words.map { JSON($0) })
            let random = Replay(recording: ())
            fields["released"] = .array(
                try privatizer(.object(fields), random).words(words).map { JSON($0) })
            fields["random"] = JSON(hexadecimal(random.drawn))
            return .object(fields)
        }
    }

    @Test func textsForPython() throws {
        try write("texts", ExchangeTests.texts) { text(randomText()) }
    }

    @Test func numbersForPython() throws {
        try write("numbers", ExchangeTests.numbers) {
            .object(
                try numbers(
                    epsilon: randomEpsilon(), bits: [64, 256, 512].randomElement()!,
                    size: .random(in: 2..<1 << 24), t: .random(in: 0..<25),
                    distance: .random(in: 0..<513)))
        }
    }

    /// Python's state goes on here, and Swift's there.
    @Test func theBudgetsState() throws {
        let state = Work.file("exchange/swift-budget.json")
        try? FileManager.default.removeItem(at: state)
        try FileManager.default.copyItem(at: Work.file("exchange/python-budget.json"), to: state)
        let budget = try PrivacyBudget(limit: 10, period: 86_400, stateFile: state)
        #expect(try budget.remaining() == 9.7)
        try budget.spend(0.1, words: 7, unit: Work.bundle64.unit)
        #expect(try budget.remaining() == 9)
    }

    private func write(_ name: String, _ count: Int, _ make: () throws -> JSON) throws {
        var lines = ""
        for _ in 0..<count { lines += try make().written + "\n" }
        try Data(lines.utf8).write(to: Work.file("exchange/swift-\(name).jsonl"))
    }

    private func privatizer(_ setting: JSON, _ random: Replay) throws -> Privatizer {
        try Privatizer(
            Work.bundles[setting["bundle"]!.string!]!, epsilon: setting["epsilon"]!.double!,
            mechanism: setting.asMechanism, oov: setting["oov"] == "drop" ? .drop : .random,
            random: random)
    }

    private func text(_ text: String) -> JSON {
        let tokens = tokenize(text)
        let vocabulary = Work.bundle64.vocabulary
        return [
            "text": JSON(text),
            "tokens": .array(tokens.map { JSON(String(decoding: $0, as: UTF8.self)) }),
            "words": .array(
                tokens.map { token in
                    vocabulary.lookUp(token).map { JSON(vocabulary.word($0)!) } ?? .null
                }),
        ]
    }

    /// Returns a case with the numbers that follow from it.
    private func numbers(
        epsilon: Double, bits: Int, size: Int, t: Double, distance: Int
    ) throws -> [JSON.Text: JSON] {
        let threshold = try flipThreshold(epsilon)
        let weights = try weightTable(epsilon, bits: bits, vocabularySize: size)
        let digest = bytes(weights.map { UInt64($0) }).withUnsafeBytes(sha256)
        return [
            "epsilon": JSON(epsilon), "bits": JSON(bits), "size": JSON(size), "t": JSON(t),
            "distance": JSON(distance), "threshold": JSON(threshold), "weights": JSON(digest),
            "decay": JSON(decay(Rational(t) * distance)), "cost": JSON(try costOf(epsilon)),
            "threshold_epsilon": JSON(thresholdEpsilon(threshold)),
            "weights_epsilon": JSON(weightsEpsilon(weights)),
        ]
    }

    private func randomEpsilon() -> Double {
        let epsilon = exp(Double.random(in: log(epsilonMin)...log(epsilonMax)))
        return min(max(epsilon, epsilonMin), epsilonMax)
    }

    private func randomSetting() -> [JSON.Text: JSON] {
        let mechanism = ["brr", "vickrey", "exponential"].randomElement()!
        let several = (0..<Int.random(in: 1..<6)).map { _ in
            JSON(Double(Int.random(in: 0..<3)) * Double.random(in: 0..<1))
        }
        let t = [
            JSON(0), JSON(0.5), JSON(1), JSON(Double.random(in: 0..<1)), .array(several),
        ].randomElement()!
        return [
            "mechanism": JSON(mechanism), "epsilon": JSON(randomEpsilon()),
            "oov": [JSON("random"), JSON("drop")].randomElement()!,
            "parameters": mechanism == "vickrey" ? ["t": t] : [:],
        ]
    }

    private func randomWord(_ bundle: WordBundle) -> String {
        let word = bundle.vocabulary.word(.random(in: 0..<bundle.count))!
        return [word, word, word, word.uppercased(), word + "'s", randomText()].randomElement()!
    }

    private func randomText() -> String {
        let pieces = [
            "a", "B", "é", "É", "İ", "Σ", "ς", "ß", "ǅ", "\u{301}", "👍", "ʼ", "＇", "Д", "Ա", "!",
            "_", "'", "’", "n't", "'s", "it", "do", "-", "don't", "we're", "can't", "'ve", " ",
        ]
        return (0..<Int.random(in: 0..<10)).map { _ in
            if Int.random(in: 0..<6) > 0 { return pieces.randomElement()! }
            return String(Unicode.Scalar(UInt32.random(in: 0..<0x110000)) ?? "x")
        }.joined()
    }
}
