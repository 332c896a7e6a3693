import Foundation
import Testing

@testable import Brrkit

/// Words for counts: the facts that the golden cases don't cover.
struct CountsTests {
    private static let secret = "zorblaxian"
    private static let setting =
        #"{"cap": 7.5, "words_a_day": 3, "goal": "a test", "measured": {"isolated": 0.2}}"#

    private let bundle = Work.bundle64

    private func crafted(_ counts: String?) throws -> WordBundle {
        try Crafted().opened(counts: counts)
    }

    /// The duration then doesn't reveal a kept word.
    @Test func aKeptWordTakesAsManyNumbersAsAnother() throws {
        let response = try RandomizedResponse(cap: 9, symbols: bundle.count + 1)
        let drawn = bundle.vocabulary.word(7)
        for number in [0, response.threshold - 1, response.threshold, UInt64.max >> 1] {
            let random = Replay(bytes([number, 7, 0]))
            let released = try Counts(bundle, setting: CountsSetting(cap: 9), random: random).word(
                "the")
            #expect(released == (number < response.threshold ? "the" : drawn))
            #expect(random.left == 8)
        }
    }

    /// One of its own would be a pseudonym. Ten equal symbols of 2,001. False alarm: 1e-29.
    @Test func unknownWordsShareOneFirstDraw() throws {
        let typed = (0..<10).map { CountsTests.secret + "\($0)" } + ["", "two words"]
        var firsts = Set<String>()
        for _ in 0..<10 {
            let memory = try Memory(
                period: 1e6, keyFile: Work.temporaryFolder().appendingPathComponent("memory"))
            let released = Set(
                try Counts(bundle, setting: CountsSetting(cap: 1e-9), memory: memory, secondCap: 88)
                    .words(typed))
            #expect(released.count == 1)
            firsts.formUnion(released)
        }
        #expect(firsts.count > 1)
    }

    @Test func aWordIsLookedUpAndAnUnknownOneHasASymbol() throws {
        let counts = try Counts(bundle, setting: CountsSetting(cap: 1), random: Zeros())
        let typed = ["THE", "the’s", CountsTests.secret, "a b", "", "of"]
        #expect(try counts.words(typed) == ["the", "the", "", "", "", "of"])
        #expect(try counts.word("The") == "the")
        #expect(try counts.word(CountsTests.secret) == Counts.unknown)
        #expect(try counts.words([]) == [])
    }

    /// A word that isn't kept comes out as any word, or as unknown, the last symbol.
    @Test func everySymbolComesOut() throws {
        let bundle = try crafted(nil)
        for symbol in UInt64(0)...300 {
            let random = Replay(bytes([UInt64.max, symbol]))
            let released = try Counts(bundle, setting: CountsSetting(cap: 1), random: random).word(
                "w0001")
            #expect(released == (bundle.vocabulary.word(Int(symbol)) ?? ""))
            #expect((released == "") == (symbol == 300))
        }
    }

    @Test func theRecommendedSettingIsUsed() throws {
        let bundle = try crafted(CountsTests.setting)
        #expect(
            bundle.counts
                == CountsSetting(
                    cap: 7.5, wordsADay: 3, goal: "a test", measured: ["isolated": 0.2])
        )
        let counts = try Counts(bundle)
        #expect(counts.setting == bundle.counts)
        #expect(counts.setting.cap == 7.5 && counts.secondCap == nil && counts.loss == 7.5)
        #expect(counts.stated(repeats: 1) == #""counts""#)
        let given = try Counts(bundle, setting: CountsSetting(cap: 7.5))
        #expect(given.stated(repeats: 1) == #"{"cap": 7.5, "mechanism": "counts"}"#)
    }

    @Test func aMemoryHasASecondCap() throws {
        let bundle = try crafted(CountsTests.setting)
        let memory = try Memory(
            period: 1e6, keyFile: Work.temporaryFolder().appendingPathComponent("memory"))
        let counts = try Counts(bundle, memory: memory)
        #expect(counts.setting.cap == 7.5 && counts.secondCap == 15 && counts.loss == 7.5)
        #expect(
            counts.stated(repeats: 96)
                == #"{"cap": 7.5, "mechanism": "counts", "repeats": 96, "second_cap": 15.0}"#)
        #expect(try Counts(bundle, setting: CountsSetting(cap: 80), memory: memory).secondCap == 88)
        #expect(try Counts(bundle, memory: memory, secondCap: 2).secondCap == 2)
    }

    /// Two draws of different settings are equal with less than 1/800. False alarm: 1e-9.
    @Test func aWordIsDrawnTheSameForAPeriod() throws {
        let memory = try Memory(
            period: 1e6, keyFile: Work.temporaryFolder().appendingPathComponent("memory"))
        let words = (0..<30).map { bundle.vocabulary.word($0)! } + [CountsTests.secret]
        func released(_ cap: Double) throws -> [String] {
            try Counts(bundle, setting: CountsSetting(cap: cap), memory: memory, secondCap: 88)
                .words(words)
        }
        let first = try released(0.5)
        #expect(Set(first).count > 20)
        for _ in 0..<3 { #expect(try released(0.5) == first) }
        #expect(zip(first, try released(0.51)).filter { $0 == $1 }.count < 6)
    }

    @Test func badParameters() throws {
        let memory = try Memory(
            period: 1e6, keyFile: Work.temporaryFolder().appendingPathComponent("memory"))
        for cap in [0, 0.9e-9, 88.1, -1, .infinity, .nan] {
            #expect(kind { _ = try Counts(bundle, setting: CountsSetting(cap: cap)) } == .parameter)
            #expect(
                kind {
                    _ = try Counts(
                        bundle, setting: CountsSetting(cap: 1), memory: memory, secondCap: cap)
                }
                    == .parameter)
        }
        for cap in [1e-9, 88] {
            #expect(kind { _ = try Counts(bundle, setting: CountsSetting(cap: cap)) } == nil)
        }
        #expect(
            kind { _ = try Counts(bundle, setting: CountsSetting(cap: 1), secondCap: 1) }
                == .parameter)
        #expect(kind { _ = try Counts(bundle) } == .parameter)  // nothing is recommended
    }

    @Test func aDamagedKeyReleasesNothing() throws {
        let file = try Work.temporaryFolder().appendingPathComponent("memory")
        try Data("nothing".utf8).write(to: file)
        let random = Replay([UInt8](repeating: 0, count: 16))
        let counts = try Counts(
            bundle, setting: CountsSetting(cap: 1), memory: Memory(period: 1e6, keyFile: file),
            random: random)
        #expect(kind { _ = try counts.word("the") } == .memoryFile)
        #expect(random.left == 16)
    }

    @Test func callersThatAwaitGetTheSame() async throws {
        let counts = try Counts(bundle, setting: CountsSetting(cap: 1), random: Zeros())
        let word = try await counts.word("The")
        let words = try await counts.words(["The", CountsTests.secret])
        #expect(word == "the" && words == ["the", ""])
    }

    @Test func aSettingForCountsIsReadAsPythonReadsIt() throws {
        func setting(_ fields: [JSON.Text: JSON?]) throws -> CountsSetting? {
            var setting = try JSON(parsing: Array(CountsTests.setting.utf8))
            guard case .object(var all) = setting else { return nil }
            for (name, value) in fields { all[name] = value }
            setting = .object(all)
            return try crafted(setting.written).counts
        }
        #expect(try setting(["cap": JSON(1), "measured": [:], "more": .null])?.measured == [:])
        #expect(try setting(["cap": .number("1e-9")])?.cap == 1e-9)
        #expect(try setting(["words_a_day": JSON(1_000), "cap": JSON(88.0)])?.wordsADay == 1_000)
        #expect(try setting(["measured": ["a": JSON(0), "b": JSON(1.0)]])?.measured.count == 2)
        let bad: [[JSON.Text: JSON?]] = [
            ["cap": nil], ["cap": .null], ["cap": "7.5"], ["cap": .number("88.5")],
            ["cap": .number("9e-10")], ["cap": .boolean(true)],
            ["words_a_day": nil], ["words_a_day": .number("3.0")], ["words_a_day": JSON(0)],
            ["words_a_day": JSON(1_001)],
            ["words_a_day": .number("1" + String(repeating: "0", count: 30))],
            ["goal": nil], ["goal": .null],
            ["measured": nil], ["measured": []], ["measured": ["isolated": .number("1.1")]],
            ["measured": ["isolated": .number("-0.1")]], ["measured": ["isolated": "0.2"]],
            ["measured": ["isolated": .null]], ["measured": ["a": JSON(0.5), "b": .boolean(true)]],
        ]
        for fields in bad {
            #expect(kind { _ = try setting(fields) } == .bundle, "\(fields)")
        }
        for whole in ["null", "[]", "7", #""counts""#] {
            #expect(kind { _ = try crafted(whole) } == .bundle)
        }
        #expect(try crafted(nil).counts == nil)
    }
}
