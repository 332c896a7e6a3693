import Foundation
import Testing

@testable import Brrkit

/// A day of frames: typing changes only words. The golden cases cover the draws.
struct TextReporterTests {
    private static let noon = Date(timeIntervalSince1970: 1_763_294_400)  // 2025-11-16
    private static let secret = "zorblaxian"
    private static let shape = Frames(words: 3, aDay: 4)
    private let bundle = try! Crafted().opened(
        recommended: #"{"mechanism": "exponential", "epsilon": 1, "parameters": {}, "goal": ""}"#,
        frames: #"{"a_day": 4, "words": 3}"#)

    /// The words of each of a day's batches.
    private func frames(_ reporter: TextReporter) throws -> [[String?]] {
        try reporter.batches(of: TextReporterTests.noon).map {
            try JSON(parsing: Array($0))["words"]!.strings
        }
    }

    private func budget(_ limit: Double) throws -> PrivacyBudget {
        let file = try Work.temporaryFolder().appendingPathComponent("budget")
        return try PrivacyBudget(limit: limit, period: 1e6, stateFile: file)
    }

    @Test func theShapeIsTheBundlesOrTheApps() throws {
        #expect(bundle.frames == TextReporterTests.shape && Frames() == Frames(words: 8, aDay: 8))
        #expect(try frames(TextReporter(bundle)).map(\.count) == [3, 3, 3, 3])
        let given = try TextReporter(bundle, frames: Frames(words: 2, aDay: 1))
        #expect(try frames(given).map(\.count) == [2])
        for shape in [Frames(words: 64, aDay: 128), Frames(words: 1, aDay: 1_000)] {
            #expect(kind { _ = try TextReporter(bundle, frames: shape) } == nil)
        }
        for (words, aDay) in [
            (0, 8), (65, 8), (8, 0), (1, 1_001), (64, 129), (-1, -1), (.max, .max), (.min, 8),
        ] {
            let shape = Frames(words: words, aDay: aDay)
            #expect(kind { _ = try TextReporter(bundle, frames: shape) } == .parameter)
        }
        let without = Work.bundle64
        let said = message {
            _ = try TextReporter(without, setting: Setting(epsilon: 1))
        }
        #expect(said?.hasPrefix("the bundle has no frames; give Frames(") == true)
        #expect(kind { _ = try TextReporter(without, frames: Frames()) } == .parameter)
        #expect(kind { _ = try TextReporter(Vectors.bundles["list"]!) } == .parameter)
    }

    @Test func aBatchIsAsDocumented() throws {
        let random = Replay([UInt8](repeating: 0, count: 4 * 3 * 24) + Array(0..<64))
        let batches = try TextReporter(bundle, random: random).batches(of: TextReporterTests.noon)
        let word = Crafted().word(0)
        #expect(batches.count == 4 && batches.allSatisfy { $0.count == 1_024 })
        #expect(
            String(decoding: batches[1], as: UTF8.self).trimmingCharacters(in: [" "])
                == #"{"batch": "101112131415161718191a1b1c1d1e1f", "bundle": "\#(bundle.manifestDigest)", "#
                + #""format": "brr-frames", "format_version": 1, "#
                + #""period": {"end": "2025-11-17T00:00:00Z", "start": "2025-11-16T00:00:00Z"}, "#
                + #""setting": "recommended", "words": ["\#(word)", "\#(word)", "\#(word)"]}"#)
        #expect(random.left == 0)
        let given = Setting(epsilon: 0.5, mechanism: .exponential(radius: 3))
        let stated = try #require(
            try TextReporter(bundle, setting: given).batches(of: TextReporterTests.noon).first)
        #expect(
            try JSON(parsing: Array(stated))["setting"] == [
                "epsilon": JSON(0.5), "mechanism": "exponential", "parameters": ["radius": JSON(3)],
            ])
    }

    /// For no typing, a word or a book: the same number of frames and words, and one payment.
    @Test func nothingButWordsDependsOnTyping() throws {
        let long = (0..<50).map { _ in "w0001" }.joined(separator: " ")
        let days: [(TextReporter) throws -> Void] = [
            { _ in }, { try $0.word("w0001") }, { try $0.add("") }, { try $0.add(long) },
            { reporter in for _ in 0..<30 { try reporter.add("w0001 \(TextReporterTests.secret)") }
            },
            { try $0.beginDay() }, { try $0.end() },
        ]
        for type in days {
            let budget = try budget(100)
            let reporter = try TextReporter(bundle, budget: budget)
            try type(reporter)
            #expect(try frames(reporter).map(\.count) == [3, 3, 3, 3])
            #expect(try abs(100 - budget.remaining() - reporter.loss) < 1e-6)
            #expect(reporter.day == nil && !reporter.isInText)
        }
    }

    @Test func whatIsRefusedIsntReleased() throws {
        let random = Replay([UInt8](repeating: 0, count: 10_000))
        let loss = try TextReporter(bundle).loss
        let reporter = try TextReporter(bundle, budget: budget(1.5 * loss), random: random)
        try reporter.word("w0001")
        try reporter.word("w0002")
        _ = try frames(reporter)
        let left = random.left
        for refused in [
            { try reporter.word("w0001") }, { try reporter.add("w0001") },
            { try reporter.beginDay() },
            { _ = try frames(reporter) },
        ] { #expect(isRefused(refused)) }
        try reporter.end()  // nothing is in progress
        #expect(random.left == left && reporter.day == nil)
    }

    /// Each text begins anew, whatever came before it.
    @Test func aPieceIsATextOfItsOwn() throws {
        let setting = Setting(epsilon: 1, mechanism: .exponential(base: .bigram))
        func released(_ type: (TextReporter) throws -> Void) throws -> [[String]] {
            let reporter = try TextReporter(
                bundle, setting: setting, random: Replay([UInt8](repeating: 0, count: 100_000)))
            try type(reporter)
            return try #require(reporter.day).frames
        }
        let whole = try released { try $0.add("w0001 w0002 w0003 w0004 w0005") }
        let apart = try released {
            for text in ["w0001 w0002 w0003", "w0004 w0005"] { try $0.add(text) }
        }
        let typed = try released { reporter in
            for word in ["w0001", "w0002", "w0003", "W0004", "w0005"] { try reporter.word(word) }
            try reporter.end()
        }
        #expect(whole == apart && whole == typed)
    }

    /// A filler follows what was released before it, as any other word of the text.
    @Test func aPieceIsFilledByItsOwnText() throws {
        let setting = Setting(epsilon: 0.1, mechanism: .exponential(base: .bigram))
        for _ in 0..<50 {
            let random = Replay(recording: ())
            let reporter = try TextReporter(bundle, setting: setting, random: random)
            try reporter.beginDay()
            let start = random.drawn.count
            try reporter.add("w0299")
            let typed = Replay(Array(random.drawn[start...]))
            var stream = try Privatizer(bundle, setting: setting, random: typed).stream()
            let words = try ["w0299", "", ""].map { try stream.word($0) }
            #expect(try words == #require(reporter.day).frames[0] && typed.left == 0)
        }
    }

    @Test func aMarkIsOneWord() throws {
        func seen(_ text: String, _ marked: [String]) throws -> Int {
            let reporter = try TextReporter(bundle)
            try reporter.add(text, marks: marked.map { Mark(text.range(of: $0)!) })
            return try #require(reporter.day).seen
        }
        #expect(try seen("a b c d e f", []) == 2)
        #expect(try seen("a b c d e f", ["b c", "d e f"]) == 1)
        let reporter = try TextReporter(bundle)
        let empty = Mark("a".startIndex..<"a".startIndex)
        #expect(kind { try reporter.add("a", marks: [empty]) } == .parameter)
        #expect(reporter.day == nil)
    }

    /// Over all numbers that can be drawn, each pair of five pieces is left equally often.
    @Test func theSampleIsUniform() throws {
        var found = [Set<String>: Int]()
        for third in UInt64(0)..<3 {
            for fourth in UInt64(0)..<4 {
                for fifth in UInt64(0)..<5 {
                    let random = Replay(bytes([third, fourth, fifth]))
                    var day = DayFrames(
                        [["f"], ["f"]], Frames(words: 1, aDay: 2), bundle: "", setting: "")
                    for piece in 0..<5 { try day.take(["\(piece)"], random) }
                    found[Set(day.frames.joined()), default: 0] += 1
                    #expect(day.seen == 5 && random.left == 0)
                }
            }
        }
        #expect(found.count == 10 && found.values.allSatisfy { $0 == 6 })
    }

    /// Whether it fills a day, or what a text leaves of its last frame: nothing tells a filler from a typed
    /// unknown word, alone or behind another word. With n draws of each, the shares of the 10 most frequent
    /// words differ by more than 0.036 with 2 exp(-n 0.036^2), six times. False alarm: 7e-11.
    @Test func aFillerIsAnUnknownWord() throws {
        let (n, frequent) = (20_000, Set((0..<10).map { Crafted().word($0) }))
        let setting = Setting(epsilon: 0.05, mechanism: .exponential(base: .uniform))
        let privatizer = try Privatizer(bundle, setting: setting)
        let alone = try (0..<n).map { _ in try privatizer.word(TextReporterTests.secret)! }
        var fillers = [String]()
        var (filled, typed, second) = ([String](), [String](), [String]())
        while typed.count < n {
            let reporter = try TextReporter(
                bundle, setting: setting, frames: Frames(words: 2, aDay: 20))
            try reporter.beginDay()
            fillers += try #require(reporter.day).frames.joined()
            for _ in 0..<20 { try reporter.add(TextReporterTests.secret) }
            typed += try #require(reporter.day).frames.map { $0[0] }
            filled += try #require(reporter.day).frames.map { $0[1] }
        }
        while second.count < n {
            second.append(try privatizer.words(["w0001", TextReporterTests.secret])[1])
        }
        func share(_ words: [String]) -> Double {
            Double(words[..<n].filter(frequent.contains).count) / Double(n)
        }
        for words in [fillers, filled, typed, second] {
            #expect(abs(share(words) - share(alone)) < 0.036)
        }
        #expect(share(filled) > 0, "it would have no teeth")
    }

    /// Of four typed texts two are left, each as often as any other. Each word comes out as itself but for one of
    /// a million; a text's share in 4,000 days is wrong by 0.06 with 2 exp(-2 * 4,000 * 0.06^2), four times.
    /// False alarm: 3e-12.
    @Test func eachTextIsLeftAsOften() throws {
        let setting = Setting(epsilon: 22, mechanism: .exponential(radius: 0, base: .uniform))
        let texts = (10..<14).map { "w00\($0)" }
        var left = [String: Int]()
        let days = 4_000
        for _ in 0..<days {
            let reporter = try TextReporter(
                bundle, setting: setting, frames: Frames(words: 1, aDay: 2))
            for text in texts { try reporter.add(text) }
            for frame in try #require(reporter.day).frames { left[frame[0], default: 0] += 1 }
        }
        for text in texts {
            #expect(abs(Double(left[text, default: 0]) / Double(days) - 0.5) < 0.06)
        }
    }

    @Test func aFailureLeavesTheDay() throws {
        let reporter = try TextReporter(
            bundle, random: Replay([UInt8](repeating: 0, count: 4 * 3 * 24 + 16 * 2)))
        try reporter.word("w0001")
        try reporter.word("w0001")
        let before = reporter.day
        #expect(reporter.isInText && before?.seen == 0)
        for failing in [
            { try reporter.word("w0001") }, { try reporter.add("w0001") }, { try reporter.end() },
            { _ = try frames(reporter) },
        ] {
            #expect(kind(failing) == .randomness)
            #expect(reporter.day == before && reporter.isInText)
        }
        // After the day and a frame of it, in one call.
        let some = Replay([UInt8](repeating: 0, count: 4 * 3 * 24 + 4 * 16))
        let another = try TextReporter(bundle, random: some)
        #expect(kind { try another.add("a w0001 w0002 w0003 w0004") } == .randomness)
        #expect(another.day == nil && !another.isInText && some.left < 16)
        let ids = Replay([UInt8](repeating: 0, count: 4 * 3 * 24 + 63))
        let other = try TextReporter(bundle, random: ids)
        #expect(kind { _ = try frames(other) } == .randomness)
        #expect(other.day == nil)
    }

    /// As if the app hadn't been ended, but for the piece in progress; it isn't paid again, and nothing of an
    /// unknown word is stored.
    @Test func aStoredDayIsContinued() throws {
        let budget = try budget(100)
        let begun = try TextReporter(bundle, budget: budget)
        for _ in 0..<3 { try begun.add("w0001 \(TextReporterTests.secret)") }
        try begun.word("w0002")
        let left = try budget.remaining()
        let stored = try JSONEncoder().encode(begun.day)
        #expect(stored.range(of: Data(TextReporterTests.secret.utf8)) == nil)
        let day = try JSONDecoder().decode(DayFrames.self, from: stored)
        let continued = try TextReporter(bundle, budget: budget, continuing: day)
        #expect(continued.day == begun.day && !continued.isInText)
        try continued.add("w0003")
        #expect(continued.day?.seen == 4)
        #expect(continued.day?.frames[..<3] == begun.day?.frames[..<3])
        #expect(try budget.remaining() == left)
    }

    @Test func aDayOfSomethingElseIsRefused() throws {
        let reporter = try TextReporter(bundle)
        try reporter.add("w0001 w0002 w0003 w0004")
        let day = try #require(reporter.day)
        func refused(_ day: DayFrames, _ setting: Setting? = nil, _ shape: Frames? = nil) -> Bool {
            kind { _ = try TextReporter(bundle, setting: setting, frames: shape, continuing: day) }
                == .parameter
        }
        #expect(!refused(day) && !refused(day, nil, TextReporterTests.shape))
        #expect(refused(day, Setting(epsilon: 1)))
        #expect(refused(day, nil, Frames(words: 4, aDay: 3)))
        #expect(refused(day, nil, Frames(words: 3, aDay: 3)))
        let other = try Crafted().opened(frames: #"{"a_day": 4, "words": 3}"#)
        #expect(
            other.manifestDigest != bundle.manifestDigest
                ? kind {
                    _ = try TextReporter(other, setting: Setting(epsilon: 1), continuing: day)
                } == .parameter : true)
        let json = try JSON(parsing: Array(JSONEncoder().encode(day)))
        func changed(_ name: JSON.Text, _ value: JSON) throws -> DayFrames {
            guard case .object(var fields) = json else { throw JSONError() }
            fields[name] = value
            return try JSONDecoder().decode(
                DayFrames.self, from: Data(JSON.object(fields).written.utf8))
        }
        #expect(try !refused(changed("seen", JSON(7))))
        for seen in [Int.max, -1, .min] { #expect(try refused(changed("seen", JSON(seen)))) }
        let frame: JSON = ["w0001", "w0002", "w0003"]
        #expect(try !refused(changed("frames", [frame, frame, frame, frame])))
        for frames: JSON in [
            [], [frame, frame, frame], [frame, frame, frame, frame, frame],
            [frame, frame, frame, ["w0001", "w0002"]],
            [frame, frame, frame, ["w0001", "w0002", "zorblaxian"]],
            [frame, frame, frame, ["w0001", "w0002", ""]],
            [frame, frame, frame, ["w0001", "w0002", "W0003"]],
        ] { #expect(try refused(changed("frames", frames))) }
    }

    @Test func framesAreReadAsPythonReadsThem() throws {
        func shape(_ json: String) throws -> Frames? { try Crafted().opened(frames: json).frames }
        #expect(try shape(#"{"words": 64, "a_day": 128}"#) == Frames(words: 64, aDay: 128))
        #expect(try shape(#"{"words": 1, "a_day": 1000}"#) == Frames(words: 1, aDay: 1_000))
        for json in [
            "null", "[]", "8", "{}", #"{"words": 8}"#, #"{"a_day": 8}"#,
            #"{"words": 8, "a_day": 8, "more": 1}"#, #"{"words": 8.0, "a_day": 8}"#,
            #"{"words": "8", "a_day": 8}"#, #"{"words": true, "a_day": 8}"#,
            #"{"words": 8, "a_day": null}"#, #"{"words": 0, "a_day": 8}"#,
            #"{"words": 65, "a_day": 8}"#, #"{"words": 1, "a_day": 1001}"#,
            #"{"words": 64, "a_day": 129}"#, #"{"words": -8, "a_day": -8}"#,
            #"{"words": 1e1, "a_day": 8}"#, #"{"words": 9223372036854775808, "a_day": 8}"#,
        ] { #expect(kind { _ = try shape(json) } == .bundle, "\(json)") }
    }

    @Test func aListHasNoFrames() throws {
        let list = try Work.temporaryFolder().appendingPathComponent("list")
        try FileManager.default.copyItem(at: Vectors.folder("list"), to: list)
        let file = list.appendingPathComponent("manifest.json")
        let manifest = try String(contentsOf: file, encoding: .utf8)
        for (added, refused) in [("other", nil), ("frames", BrrError.Kind.bundle)] {
            let field = #"{"\#(added)": {"words": 8, "a_day": 8}, "#
            try Data((field + manifest.drop { $0 != "{" }.dropFirst()).utf8).write(to: file)
            #expect(kind { _ = try WordBundle(contentsOf: list, verifyHashes: false) } == refused)
        }
    }

    @Test func nothingTypedIsShown() throws {
        let reporter = try TextReporter(bundle)
        try reporter.word(TextReporterTests.secret)
        var shown = "\(reporter) \(String(reflecting: reporter))"
        dump(reporter, to: &shown)
        #expect(!shown.contains(TextReporterTests.secret))
    }

    @Test func threadsShareADay() async throws {
        let reporter = try TextReporter(bundle)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<40 { group.addTask { try await reporter.add("w0001 w0002") } }
            try await group.waitForAll()
        }
        #expect(reporter.day?.seen == 40)
    }
}
