import Foundation
import Testing

@testable import Brrkit

/// Texts in other languages than English, cut by their rules and by words.
struct TokenizerTests {
    private func tokenizer(_ language: Language, _ words: String...) throws -> Tokenizer {
        try Tokenizers.made(language.rules, words)
    }

    /// Strings are equal in Swift when they look alike; what a vocabulary holds is bytes.
    private func expect(
        _ tokens: [String], _ expected: [String], _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(
            tokens.map { UTF8Text($0.utf8) } == expected.map { UTF8Text($0.utf8) }, "\(tokens)",
            sourceLocation: location)
    }

    @Test func eachWordIsFinishedOnceWhenItIsOver() throws {
        let cases: [(Tokenizer, String, [Int])] = [
            (try Tokenizers.made(.english, ["x"]), "Don`t stop, it's 'rock' now", [0, 1, 2, 3, 4]),
            (try tokenizer(.thai, "ตา", "กลม", "น้ำ"), "ตากลมน้ำ ตา", [0, 3]),
            (try tokenizer(.chinese, "酒店", "很"), "酒店很好，很。酒店", [0, 3, 4]),
            (try tokenizer(.japanese, "東京", "に"), "東京に住む。東京", [0, 3]),
        ]
        for (tokenizer, text, expected) in cases {
            var (rest, released, met) = ("", [String](), [0])
            for letter in text.unicodeScalars {
                rest.unicodeScalars.append(letter)
                let finished = tokenizer.finished(rest)
                released += tokenizer.cut(finished)
                rest.unicodeScalars.removeFirst(finished.unicodeScalars.count)
                if released.count > met.last! { met.append(released.count) }
                expect(released, Array(tokenizer.cut(text).prefix(released.count)))
            }
            #expect(met == expected, "\(text)")
            expect(released + tokenizer.cut(rest), tokenizer.cut(text))
        }
    }

    @Test func wordsOfWhatIsTyped() throws {
        let cases: [(typed: String, word: String?)] = [
            ("tmr", "tomorrow"), ("TMR'S", "tomorrow"), ("tmrrr", "tomorrow"), ("tm", nil),
            // Runs of more than two code points are cut to two, and then to one.
            ("soooo", "soo"), ("gooooood", "good"), ("goodddd", "good"), ("lolllll", "laugh"),
            ("ooookkkk", "ok"), ("ookk", nil), ("éééé", "é"), ("ooookin", "ok"), ("yesss", "yeah"),
            // Behind the word of a spelling nothing is tried.
            ("sooo", nil), ("okin", "ok"), ("goin", nil), ("goooin", nil),
            // Digits are alike, in the token as it is.
            ("12pm", "7pm"), ("9", "2"), ("12", nil), ("٩", nil), ("12pmmm", nil), ("9's", nil),
            ("000", nil), ("222", nil), ("000pm", nil), ("777pmmm", nil),
        ]
        let tokenizer = try Tokenizers.made(Language.typed.rules, Language.typed.words)
        for each in cases { #expect(tokenizer.words(each.typed) == [each.word], "\(each.typed)") }
        // No rule of runs.
        let german = try Tokenizers.made(Language.german.rules, Language.german.words)
        #expect(german.words("haus hauuus") == ["haus", nil])
    }

    /// A cut token is looked up like the same string from an app.
    @Test func whatIsReadIsLookedUpAsAGivenWordIs() throws {
        let cases = try (0..<2_000).map { _ in try TextCase.random() }
        let sources = cases.map { each in
            Tokenizers.Source(
                writing: each["writing"].map { Writing($0)! } ?? .english,
                words: each["vocabulary"]!.strings.map { $0! })
        }
        var known = 0
        for (each, tokenizer) in zip(cases, try Tokenizers.made(sources)) {
            for token in tokenizer.read(each["text"]!.string!) {
                let given = tokenizer.token(String(decoding: token.text, as: UTF8.self))
                #expect(token.wordID == given.wordID, "\(each.written)")
                if token.wordID != nil { known += 1 }
            }
        }
        #expect(known > 100)  // mostly one to three thousand
    }

    /// So a part of a normalized text needs to be normalized again for its marks and sigmas only.
    @Test func normalizedTextHasNothingToLower() {
        for value in 0..<UInt32(0x11_0000) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let normalized = codePoints(Writing.english.normalize(String(scalar)))
            if normalized.contains(where: { lower($0) != $0 }) { Issue.record("\(value)") }
            // What a letter in lower case composes with others to is in lower case.
            if lower(value) != value {
                let first = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars
                    .first!
                #expect(lower(first.value) != first.value, "\(value)")
            }
        }
    }

    /// The last word that isn't greater, in blocks whose words share bytes.
    @Test func everyBeginningIsFound() throws {
        for _ in 0..<200 {
            let letters = ["a", "b", "é", "中"]
            let words = Set(
                (0..<Int.random(in: 1...120)).map { _ in
                    (0..<Int.random(in: 1...5)).map { _ in letters.randomElement()! }.joined()
                }
            ).shuffled()
            let vocabulary = try Tokenizers.made(.english, words).vocabulary
            for _ in 0..<20 {
                let text = (0..<Int.random(in: 0...7)).map { _ in letters.randomElement()! }
                    .joined()
                var found = [String]()
                vocabulary.eachBeginning(of: UTF8Text(text.utf8)[...]) { length, id in
                    found.append(String(decoding: UTF8Text(text.utf8)[..<length], as: UTF8.self))
                    #expect(words[id] == found.last)
                }
                #expect(
                    found == words.filter(text.hasPrefix).sorted { $0.utf8.count > $1.utf8.count })
                #expect(vocabulary.find(text) == words.firstIndex(of: text))
            }
        }
    }

    /// Text that is made to take long: a hundred thousand code points of every script, without a space or
    /// with one behind each of the longest stretches that are cut.
    @Test(arguments: 0..<Language.all.count)
    func hostileTextsAreCutInTime(_ number: Int) throws {
        let language = Language.all[number]
        let tokenizer = try Tokenizers.made(language.rules, language.words)
        let glued = language.words.joined()
        let separated = language.words.joined(separator: "'")
        for unit in language.words.prefix(2) + language.pieces + [glued, separated, "e\u{301}"] {
            let count = 100_000 / unit.unicodeScalars.count + 1
            let repeated = String(repeating: unit, count: count).unicodeScalars
            for length in [100_000, 256] {
                let stretch = String(repeated.prefix(length))
                let text = String(repeating: stretch + " ", count: 100_000 / length)
                let start = cpuTime()
                _ = tokenizer.read(text)
                #expect(cpuTime() - start < 5, "\(unit), \(length)")
            }
        }
    }
}

/// This thread's seconds of CPU time, which are the same on a busy machine.
func cpuTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
