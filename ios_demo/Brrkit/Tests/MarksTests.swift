import Foundation
import Testing

@testable import Brrkit

/// Parts of a text that are one word each.
struct MarksTests {
    private static let policy = """
        {"lists": [{"name": "names", "members": [0, 7], "forms": []},
            {"name": "places", "members": [3], "forms": []}]}
        """

    private let bundle: WordBundle

    init() throws { bundle = try Crafted().opened(policy: MarksTests.policy) }

    /// Returns the parts of a text with these parts marked, the marks in brackets.
    private func cut(
        _ text: String, _ marked: String..., by tokenizer: Tokenizer? = nil
    ) throws -> String {
        let marks = marked.map { part in Mark(range(of: part, in: text), list: "names") }
        return try (tokenizer ?? bundle.tokenizer).parts(of: text, marks).map {
            $0.isMark ? "[\($0.text)]" : $0.text
        }.joined()
    }

    private func source() -> Replay {
        Replay((0..<4_000).map { UInt8(truncatingIfNeeded: 37 * $0 + $0 / 256) })
    }

    /// Returns where code points are in others.
    private func range(of part: String, in text: String) -> Range<String.Index> {
        let (all, some) = (text.unicodeScalars, Array(part.unicodeScalars))
        let start = all.indices.first { all[$0...].starts(with: some) }!
        return start..<all.index(start, offsetBy: some.count)
    }

    /// In Swift, strings are equal if they look alike.
    private func expect(
        _ text: String, _ expected: String, _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(
            text.unicodeScalars.elementsEqual(expected.unicodeScalars), "\(text)",
            sourceLocation: location)
    }

    /// Returns a tokenizer with another language's rules.
    private func tokenizer(_ writing: Writing) -> Tokenizer {
        let own = bundle.tokenizer
        return Tokenizer(
            writing: writing, vocabulary: own.vocabulary, costs: own.costs, policy: own.policy)
    }

    @Test func aMarkIsWidenedToWholeTokens() throws {
        try expect(cut("to Annabel now", "nab"), "to [Annabel] now")
        try expect(cut("Annabel", "A"), "[Annabel]")
        try expect(cut("O’Brien, o`brien", "Bri", "o`"), "[O’Brien], [o`brien]")
        try expect(cut("Anna-Lena", "Lena"), "Anna-[Lena]")
        try expect(cut("a 7th. b", "7"), "a [7th]. b")
        // What it has of what separates words, it keeps; there it ends or goes on.
        try expect(cut("hi Ann, Bob. Joe", " Ann, B"), "hi[ Ann, Bob]. Joe")
        try expect(cut("hi, you", ","), "hi[,] you")
        try expect(cut("hi, you", "i, "), "[hi, ]you")
        try expect(cut("x'", "'"), "[x']")
        try expect(cut("a\u{AD}b c", "b"), "[a\u{AD}b] c")
        let french = tokenizer(Language.french.rules)
        try expect(cut("un peut-être-", "peut", by: french), "un [peut-être-]")
        let chinese = tokenizer(Language.chinese.rules)
        try expect(cut("我喜欢北京abc大学", "北", "b", by: chinese), "我喜欢[北]京[abc]大学")
    }

    /// Code points are moved over, not characters.
    @Test func marksOfCharactersThatAreSeveralCodePoints() throws {
        try expect(cut("👨‍👩‍👧 Zoé sang", "Zoé"), "👨‍👩‍👧 [Zoé] sang")
        try expect(cut("🇩🇪🇫🇷Zoe\u{301}!", "Zoe\u{301}"), "🇩🇪🇫🇷[Zoe\u{301}]!")
        try expect(cut("👍🏽", "\u{1F3FD}"), "👍[\u{1F3FD}]")
        try expect(cut("x Ze\u{301}lie", "Ze"), "x [Ze\u{301}lie]")
        try expect(cut("x Ze\u{301}lie", "\u{301}"), "x [Ze\u{301}lie]")
        try expect(cut("e\u{301}\u{323}", "\u{323}"), "[e\u{301}\u{323}]")
        try expect(cut("हिन्दी भाषा", "न"), "[हिन्दी] भाषा")
        try expect(cut("a\r\nb", "\n"), "a\r[\n]b")
        // What stands in front of a mark isn't moved over to it, whatever it looks like together.
        try expect(cut("👩\u{200D}Anna", "Anna"), "👩[\u{200D}Anna]")
    }

    @Test func marksThatOverlapAreOne() throws {
        try expect(cut("Anna Lena Joe", "Anna Le", "na Joe"), "[Anna Lena Joe]")
        try expect(cut("Anna Lena", "Lena", "Anna Lena", "Anna"), "[Anna Lena]")
        try expect(cut("AnnaLena", "Lena", "Anna"), "[AnnaLena]")
        try expect(cut("Anna Lena", "Anna", " Lena"), "[Anna][ Lena]")
        let text = "Anna and Lena"
        func heads(_ marks: [Mark]) throws -> [Int?] {
            try bundle.tokenizer.parts(of: text, marks).filter(\.isMark)
                .flatMap(bundle.tokenizer.read).map(\.wordID)
        }
        func mark(_ part: String, _ list: String?) -> Mark {
            Mark(range(of: part, in: text), list: list)
        }
        // Of the list of the one that begins first, as it was given; of equal ones, of the first.
        #expect(try heads([mark("and Lena", "places"), mark("Anna and", "names")]) == [0])
        #expect(try heads([mark("Ann", "names"), mark("An", "places")]) == [3])
        #expect(try heads([mark("n", nil), mark("Anna", "places")]) == [3])
        #expect(try heads([mark("An", nil), mark("An", "places")]) == [nil])
        #expect(try heads([mark("Lena", "places"), mark("Anna", nil)]) == [nil, 3])
        #expect(try heads([]) == [])
    }

    @Test func aMarkThatIsNoPartOfItsTextIsRefused() throws {
        let text = "Zoé 👍"
        let emoji = text.utf16.index(before: text.endIndex)
        let byte = text.utf8.index(text.startIndex, offsetBy: 3)
        let longer = text + "!?" + text
        let wrong = [
            text.startIndex..<text.startIndex, text.endIndex..<text.endIndex,
            text.startIndex..<emoji, emoji..<text.endIndex, byte..<text.endIndex,
            longer.startIndex..<longer.endIndex, longer.endIndex..<longer.endIndex,
            text.endIndex..<longer.endIndex,
        ]
        let privatizer = try Privatizer(
            bundle, setting: Setting(epsilon: 1), random: Replay([]))
        let first = Mark(text.startIndex..<text.endIndex)
        for range in wrong {
            for rest in Rest.allCases {
                let said = message {
                    _ = try privatizer.text(text, marks: [first, Mark(range)], rest: rest)
                }
                #expect(said?.hasPrefix("mark 2: must be a nonempty part of its text") == true)
                #expect(said?.contains("Zo") == false && said?.contains("👍") == false)
            }
        }
        let other = Mark(text.startIndex..<text.endIndex, list: "Zoé")
        let said = message { _ = try privatizer.text(text, marks: [other]) }
        #expect(
            said == "mark 1: the bundle's policy has no such list; its lists: names, places")
        #expect(kind { _ = try privatizer.text(text, marks: [other]) } == .parameter)
        let none = try Privatizer(Crafted().opened(), setting: Setting(epsilon: 1))
        #expect(
            message { _ = try none.text(text, marks: [other]) }?.hasSuffix("lists: none") == true)
        #expect(try none.word("w0000") != nil)
        #expect(kind { _ = try none.texts([text, text], marks: [[first]]) } == .parameter)
    }

    /// The text around marks stays as typed, with all its code points.
    @Test func whatPassesIsLeftAsItWasTyped() throws {
        let text = "  Ze\u{301}lie—told ANNA's\r\nmum, Zoé \u{FEFF}👨‍👩‍👧!"
        let marks = [
            Mark(range(of: "Zoé", in: text)), Mark(range(of: "lie", in: text), list: "names"),
            Mark(range(of: "ANNA", in: text), list: "places"),
        ]
        for oov in [Oov.random, .drop] {
            let (random, again) = (source(), source())
            func made(_ random: Replay, _ budget: PrivacyBudget? = nil) throws -> Privatizer {
                try Privatizer(
                    bundle, setting: Setting(epsilon: 0.5), oov: oov, budget: budget, random: random
                )
            }
            let file = try Work.temporaryFolder().appendingPathComponent("budget")
            let budget = try PrivacyBudget(limit: 1.5, period: 60, stateFile: file)  // three words
            let released = try made(random, budget).text(text, marks: marks, rest: .pass)
            #expect(try budget.remaining() < 0.1)
            let words = try made(again).words(["w0299", "w0296", "unknown"])
            #expect(words.count == (oov == .drop ? 2 : 3) && random.left == again.left)
            let last = oov == .drop ? "" : words[2]
            expect(
                released, "  \(words[0])—told \(words[1])\r\nmum, \(last) \u{FEFF}👨‍👩‍👧!")
        }
        let nothing = try Privatizer(bundle, setting: Setting(epsilon: 1), random: Replay([]))
        try expect(nothing.text(text, rest: .pass), text)
        let refusing = try Privatizer(bundle, setting: Setting(epsilon: 1), oov: .error)
        #expect(kind { _ = try refusing.text(text, marks: marks, rest: .pass) } == .outOfVocabulary)
    }

    private func privatizer() throws -> Privatizer {
        try Privatizer(bundle, setting: Setting(epsilon: 1.5), random: source())
    }

    @Test func marksAreTokensAmongTheOthers() throws {
        let text = "w0001 x y w0002 z"
        let marks = [
            Mark(range(of: "x y", in: text), list: "names"), Mark(range(of: "z", in: text)),
        ]
        let expected = try privatizer().words(["w0001", "w0299", "w0002", "unknown"])
        let released = try privatizer().text(text, marks: marks)
        #expect(released == expected.joined(separator: " "))
        #expect(try privatizer().texts([text], marks: [marks]) == [released])
        let filled = try privatizer().text(text, marks: marks, rest: .pass)
        let both = try privatizer().texts([text, text], marks: [marks, []], rest: .pass)
        #expect(both == [filled, text])
    }

    @Test func callersThatAwaitGetTheSame() async throws {
        let text = "w0001 x"
        let marks = [Mark(range(of: "x", in: text), list: "names")]
        let synchronously = { (privatizer: Privatizer) in try privatizer.text(text, marks: marks) }
        let expected = try synchronously(privatizer())
        #expect(try await privatizer().text(text, marks: marks) == expected)
        #expect(try await privatizer().texts([text], marks: [marks]) == [expected])
        #expect(try await privatizer().text(text, rest: .pass) == text)
    }

    /// A word of marks: each code point is looked at a few times only.
    @Test func manyMarksAreCutInTime() throws {
        let text = String(repeating: "a", count: 20_000)
        let marks = text.indices.map { Mark($0..<text.index(after: $0)) }
        let start = cpuTime()
        #expect(try bundle.tokenizer.parts(of: text, marks).map(\.text) == [text])
        #expect(cpuTime() - start < 60)
    }
}
