import Foundation
import Testing

@testable import Brrkit

/// A day's sample: exact, stored and continued, paid for, and never larger.
struct ReporterTests {
    private static let noon = Date(timeIntervalSince1970: 1_763_294_400)  // 2025-11-16
    private let bundle = Work.bundle64

    /// The first words of the vocabulary.
    private func words(_ range: Range<Int>) -> [String] {
        range.map { bundle.vocabulary.word($0)! }
    }

    /// Whatever is typed comes out.
    private func counts(_ cap: Double = 1, _ wordsADay: Int = 3) throws -> Counts {
        let setting = CountsSetting(cap: cap, wordsADay: wordsADay)
        return try Counts(bundle, setting: setting, random: Zeros())
    }

    @Test func theFirstStayAndALaterOneTakesAPlace() throws {
        // Of the fourth word, fifth, and so on: takes a place, none, none at the edge, is drawn again.
        let random = Replay(bytes([1, 4, 3, 7, 0]) + Array(0..<16))
        let reporter = try Reporter(counts(), random: random)
        try reporter.add(words(0..<2))
        #expect(reporter.sample.words == words(0..<2))
        try reporter.add(words(2..<4))
        #expect(reporter.sample.words == [0, 3, 2].map { words(0..<9)[$0] })
        try reporter.add(words(4..<5))
        try reporter.add(words(5..<6))
        #expect(reporter.sample.words == [0, 3, 2].map { words(0..<9)[$0] })
        try reporter.add(words(6..<7))
        #expect(reporter.sample.words == [6, 3, 2].map { words(0..<9)[$0] })
        #expect(reporter.sample.seen == 7)
        #expect(random.left == 16)
    }

    /// Over all numbers that can be drawn, each pair of five words is left equally often.
    @Test func theSampleIsUniform() throws {
        var found = [Set<String>: Int]()
        for third in UInt64(0)..<3 {
            for fourth in UInt64(0)..<4 {
                for fifth in UInt64(0)..<5 {
                    let random = Replay(bytes([third, fourth, fifth]))
                    let reporter = try Reporter(counts(1, 2), random: random)
                    try reporter.add(words(0..<5))
                    found[Set(reporter.sample.words), default: 0] += 1
                }
            }
        }
        #expect(found.count == 10 && found.values.allSatisfy { $0 == 6 })
    }

    @Test func aBatchIsAsDocumented() throws {
        let bundle = try Crafted().opened(
            counts: #"{"cap": 7.5, "words_a_day": 5, "goal": "", "measured": {}}"#)
        let counts = try Counts(bundle, random: Zeros())
        let reporter = try Reporter(counts, random: Replay(bytes([5]) + Array(0..<16)))
        #expect(try reporter.batch(of: ReporterTests.noon) == nil)
        try reporter.add(["w0003", "w0001", "no such word", "W0299", "w0001", "w0002"])
        let batch = try #require(try reporter.batch(of: ReporterTests.noon))
        #expect(
            String(decoding: batch, as: UTF8.self).trimmingCharacters(in: [" "])
                == #"{"batch": "000102030405060708090a0b0c0d0e0f", "bundle": "\#(bundle.manifestDigest)", "#
                + #""format": "brr-reports", "format_version": 1, "#
                + #""period": {"end": "2025-11-17T00:00:00Z", "start": "2025-11-16T00:00:00Z"}, "#
                + #""setting": "counts", "words": ["", "w0001", "w0001", "w0003", "w0299"]}"#)
        #expect(reporter.sample.words.isEmpty && reporter.sample.seen == 0)
        #expect(try reporter.batch(of: ReporterTests.noon) == nil)
    }

    /// As in the other languages' tests.
    @Test(arguments: [
        (2, 1024), (1023, 1024), (1024, 1024), (1025, 2048), (2049, 4096), (1_000_000, 1 << 20),
    ])
    func aBatchHasOneOfFewSizes(_ size: Int, _ most: Int) throws {
        let json = Data("{".utf8) + Data(repeating: UInt8(ascii: "x"), count: size - 1)
        #expect(padded(json) == json + Data(String(repeating: " ", count: most - size).utf8))
    }

    /// Whole days in UTC, for the first and the last second.
    @Test func thePeriodIsADay() throws {
        func period(_ seconds: Double) throws -> JSON? {
            let reporter = try Reporter(counts(1, 1))
            try reporter.add(["the"])
            let batch = try reporter.batch(of: Date(timeIntervalSince1970: seconds))
            return try JSON(parsing: Array(#require(batch)))["period"]
        }
        let day: JSON = ["start": "2025-11-16T00:00:00Z", "end": "2025-11-17T00:00:00Z"]
        let start = 1_763_251_200.0
        #expect(try period(start) == day)
        #expect(try period(start + 86_399.9) == day)
        #expect(try period(start + 86_400) != day)
        #expect(try period(start - 0.1) != day)
    }

    /// Equal words and words that look alike stand by their bytes, not by when they came.
    @Test func aBatchKeepsNoOrder() throws {
        func batch(_ typed: [String]) throws -> Data? {
            let reporter = try Reporter(counts(1, 40), random: Zeros())
            try reporter.add(typed)
            return try reporter.batch(of: ReporterTests.noon)
        }
        let typed = words(0..<30) + words(0..<3)
        #expect(try batch(typed) == batch(typed.reversed()))
    }

    @Test func aMemorysBatchSaysHowOftenAWordCanRepeat() throws {
        for (days, repeats) in [(30.0, 310), (0.5, 20), (1.5, 30)] {
            let memory = try Memory(
                period: days * 86_400,
                keyFile: Work.temporaryFolder().appendingPathComponent("memory"))
            let counts = try Counts(
                bundle, setting: CountsSetting(cap: 4, wordsADay: 10), memory: memory, secondCap: 6)
            let reporter = try Reporter(counts)
            try reporter.add(["the"])
            let batch = try #require(try reporter.batch(of: ReporterTests.noon))
            let setting = try JSON(parsing: Array(batch))["setting"]
            #expect(
                setting == [
                    "mechanism": "counts", "cap": .number("4.0"), "second_cap": .number("6.0"),
                    "repeats": JSON(repeats),
                ])
        }
    }

    @Test func aBudgetPaysForWhatLeavesAndNoMore() throws {
        let random = Replay([UInt8](repeating: 0, count: 16 * 10))
        let counts = try Counts(
            bundle, setting: CountsSetting(cap: 0.7, wordsADay: 3), random: random)
        let budget = try PrivacyBudget(
            limit: 3 * 0.7 + 1e-8, period: 1e6,
            stateFile: Work.temporaryFolder().appendingPathComponent("budget"))
        let reporter = try Reporter(counts, budget: budget)
        try reporter.add(words(0..<1))
        #expect(try abs(budget.remaining() - 2 * 0.7) < 1e-7)
        try reporter.add(words(1..<9))
        #expect(try budget.remaining() < 1e-7)
        try reporter.add(words(0..<1))
        #expect(reporter.sample.seen == 10 && random.left == 0)
        _ = try reporter.batch(of: ReporterTests.noon)
        #expect(isRefused { try reporter.add(["the"]) })
        #expect(reporter.sample.seen == 0)
    }

    /// Words that the budget doesn't allow aren't drawn.
    @Test func whatIsRefusedIsntReleased() throws {
        let random = Replay([UInt8](repeating: 0, count: 80))
        let budget = try PrivacyBudget(
            limit: 2, period: 1e6,
            stateFile: Work.temporaryFolder().appendingPathComponent("budget"))
        let reporter = try Reporter(
            Counts(bundle, setting: CountsSetting(cap: 0.7, wordsADay: 9), random: random),
            budget: budget)
        try reporter.add(words(0..<1))
        let before = reporter.sample
        #expect(isRefused { try reporter.add(words(0..<2)) })
        #expect(reporter.sample == before && random.left == 64)
    }

    @Test func aFailureLeavesTheSample() throws {
        let counts = try Counts(
            bundle, setting: CountsSetting(cap: 1, wordsADay: 2),
            random: Replay([UInt8](repeating: 0, count: 64)))
        let reporter = try Reporter(counts, random: Replay([]))
        try reporter.add(words(0..<1))
        let before = reporter.sample
        #expect(kind { try reporter.add(words(1..<3)) } == .randomness)  // for a place
        #expect(reporter.sample == before)
        #expect(kind { try reporter.add(words(1..<3)) } == .randomness)  // for the words
        #expect(reporter.sample == before)
        #expect(kind { _ = try reporter.batch(of: ReporterTests.noon) } == .randomness)
        #expect(reporter.sample == before)
    }

    /// As if the app hadn't ended; and nothing of an unknown word is stored.
    @Test func aStoredSampleIsContinued() throws {
        let secret = "zorblaxian"
        let (first, second) = (words(0..<4) + [secret], words(4..<9))
        func random() -> Replay { Replay(bytes([2, 0, 4, 1, 2, 3, 0]) + Array(0..<16)) }
        let whole = try Reporter(counts(), random: random())
        try whole.add(first)
        try whole.add(second)

        let source = random()
        let begun = try Reporter(counts(), random: source)
        try begun.add(first)
        let stored = try JSONEncoder().encode(begun.sample)
        #expect(stored.range(of: Data(secret.utf8)) == nil)
        let read = try JSONDecoder().decode(DaySample.self, from: stored)
        let continued = try Reporter(counts(), continuing: read, random: source)
        try continued.add(second)
        #expect(
            try continued.batch(of: ReporterTests.noon) == whole.batch(of: ReporterTests.noon))
    }

    @Test func aSampleOfSomethingElseIsRefused() throws {
        let reporter = try Reporter(counts())
        try reporter.add(words(0..<5))
        let sample = reporter.sample
        func refused(_ sample: DaySample, _ counts: Counts) -> Bool {
            kind { _ = try Reporter(counts, continuing: sample) } == .parameter
        }
        #expect(try !refused(sample, counts()))
        #expect(try refused(sample, counts(1.5)))
        #expect(try refused(sample, counts(1, 4)))
        #expect(try refused(sample, counts(1, 2)))
        #expect(
            try refused(
                sample, Counts(Work.bundles["256"]!, setting: CountsSetting(cap: 1, wordsADay: 3))))
        let stored = try JSONEncoder().encode(sample)
        let json = try JSON(parsing: Array(stored))
        func changed(_ name: JSON.Text, _ value: JSON) throws -> DaySample {
            guard case .object(var fields) = json else { throw JSONError() }
            fields[name] = value
            return try JSONDecoder().decode(
                DaySample.self, from: Data(JSON.object(fields).written.utf8))
        }
        #expect(try !refused(changed("seen", JSON(6)), counts()))
        for seen in [Int.max, 2, 0, -1, .min] {
            #expect(try refused(changed("seen", JSON(seen)), counts()))
        }
        for last in ["The", "zorblaxian", "the "] {
            let words: JSON = ["", "the", JSON(last)]
            #expect(try refused(changed("words", words), counts()))
        }
        #expect(try !refused(changed("words", ["", "the", "the"]), counts()))
        #expect(try refused(changed("words", ["", "the"]), counts()))
    }

    @Test func badParameters() throws {
        for number in [0, -1, 1_001, .max] {
            #expect(kind { _ = try counts(1, number) } == .parameter)
        }
        for number in [1, 1_000] {
            #expect(kind { _ = try Reporter(counts(1, number)) } == nil)
        }
    }

    @Test func threadsShareADay() async throws {
        let reporter = try Reporter(counts(1, 7))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<40 { group.addTask { try await reporter.add(["the", "of"]) } }
            try await group.waitForAll()
        }
        #expect(reporter.sample.seen == 80 && reporter.sample.words.count == 7)
    }
}
