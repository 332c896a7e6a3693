import Foundation
import Testing

@testable import Brrkit

/// Surrogates, and replies that get the replaced texts back.
struct SessionTests {
    private static let secret = "hunter2secret"

    /// Of three members, two of one mass; a word that passes; and six others.
    private let bundle: WordBundle

    init() throws {
        var crafted = Crafted(count: 10)
        crafted.codes[7] = crafted.codes[1]
        crafted.bigrams = []
        crafted.masses = [9, 8, 7, 7, 1, 2, 3, 4, 5, 200]
        bundle = try crafted.opened(
            policy: """
                {"lists": [{"name": "names", "members": [1, 2, 3], "forms": ["zoltan"]}],
                 "passing": {"words": [0, 9], "probability": 0.5}}
                """)
    }

    private func session(_ numbers: [UInt64]) throws -> Session {
        try Session(bundle, random: Replay(bytes(numbers)))
    }

    private func hidden(
        _ session: inout Session, _ text: String, _ marked: (String, String?)...
    ) throws -> String {
        try session.hide(
            text, marks: marked.map { Mark(text.range(of: $0.0)!, list: $0.1) })
    }

    /// At both sides of each boundary of the masses of those that are left.
    @Test func aMemberIsDrawnByItsMass() throws {
        for (number, word) in [
            (0, "w0008"), (7, "w0008"), (8, "w0007"), (14, "w0007"), (15, "w0006"), (21, "w0006"),
        ] {
            var session = try session([UInt64(number), 7])
            #expect(try hidden(&session, "Anna!", ("Anna", "names")) == "\(word)!")
            let second = word == "w0008" ? "w0006" : "w0008"
            #expect(try hidden(&session, "Bob", ("Bob", "names")) == second)
        }
        // 22 and more are drawn again.
        var session = try session([22, 31, 0])
        #expect(try hidden(&session, "Anna", ("Anna", "names")) == "w0008")
    }

    /// Not by its mass, and none of a list or that passes.
    @Test func anotherWordIsDrawnByChanceAlone() throws {
        for number in 0..<5 {
            var session = try session([UInt64(number), 0])
            #expect(try hidden(&session, "Anna", ("Anna", nil)) == "w000\(5 - number)")
            #expect(try hidden(&session, "Bob", ("Bob", nil)) == (number == 0 ? "w0004" : "w0005"))
        }
    }

    @Test func equalTextsHaveOneSurrogateInASession() throws {
        var session = try session([0, 0, 0])
        let text = "Zoe\u{301}, you and ZOÉ’s mum: Zoe"
        let zoe = text.range(of: "ZOÉ")!
        let marks = [
            Mark(text.startIndex..<text.firstIndex(of: ",")!, list: "names"),
            Mark(zoe, list: "names"),
            Mark(text.range(of: "Zoe", options: .backwards)!, list: "names"),
        ]
        #expect(try session.hide(text, marks: marks) == "w0008, you and w0007 mum: w0006")
        #expect(try hidden(&session, "zoé", ("zoé", "names")) == "w0008")
        // As of another list it is another one.
        #expect(
            message { _ = try hidden(&session, "zoé", ("zoé", nil)) }?.contains("random") == true)
    }

    @Test func aReplyGetsBackWhatWasTyped() throws {
        var session = try session([0, 8, 0])
        let text = "Dear Zoe\u{301}, Maria Müller has X-7."
        let marks = [("Zoe\u{301}", "names"), ("Maria Müller", "names"), ("X-7", nil)].map {
            Mark(text.range(of: $0.0)!, list: $0.1)
        }
        let hidden = try session.hide(text, marks: marks)
        #expect(hidden == "Dear w0008, w0006 has w0005.")
        let cases = [
            (hidden, text), ("W0008’s w0005", "Zoe\u{301}’s X-7"), ("", ""), ("'", "'"),
            ("w0008-W0006", "Zoe\u{301}-Maria Müller"),
            ("‘w0006’, w0006`s", "‘Maria Müller’, Maria Müller`s"),
            ("w0008x xw0008 w0008\u{301} w00087 w0007", "w0008x xw0008 w0008\u{301} w00087 w0007"),
            ("\n  w0005\t👍🏽", "\n  X-7\t👍🏽"),
        ]
        for (reply, expected) in cases {
            let restored = session.restore(reply)
            #expect(restored.unicodeScalars.elementsEqual(expected.unicodeScalars), "\(restored)")
        }
        #expect(try Session(bundle).restore(hidden) == hidden)
    }

    @Test func aCopyGoesOnByItself() throws {
        var session = try session([0, 0, 8])
        _ = try hidden(&session, "Anna", ("Anna", "names"))
        var copy = session
        #expect(try hidden(&session, "Bob", ("Bob", "names")) == "w0007")
        #expect(try hidden(&copy, "Bob", ("Bob", "names")) == "w0006")
        #expect(copy.restore("w0008 w0007 w0006") == "Anna w0007 Bob")
    }

    @Test func aListMayHaveNoWordLeft() throws {
        var session = try session([0, 0, 0, 0, 0, 0])
        // A refused call keeps nothing.
        let four = "A B C D"
        let marks = four.split(separator: " ").map {
            Mark($0.startIndex..<$0.endIndex, list: "names")
        }
        #expect(kind { _ = try session.hide(four, marks: marks) } == .parameter)
        #expect(session.restore("w0008 w0007 w0006") == "w0008 w0007 w0006")
        for name in ["Anna", "Bob", "Zoé"] { _ = try hidden(&session, name, (name, "names")) }
        let said = message {
            _ = try hidden(&session, SessionTests.secret, (SessionTests.secret, "names"))
        }
        #expect(said?.hasPrefix("all words of the list 'names' are already in use") == true)
        #expect(said?.contains("hunter2") == false)
        #expect(try hidden(&session, "Anna", ("Anna", "names")) == "w0008")
    }

    @Test func wrongMarksAndBundlesAreRefused() throws {
        var session = try session([])
        for list in ["places", nil] {
            let text = SessionTests.secret
            let range =
                list == nil ? text.startIndex..<text.startIndex : text.startIndex..<text.endIndex
            let said = message { _ = try session.hide(text, marks: [Mark(range, list: list)]) }
            #expect(said?.hasPrefix("mark 1: ") == true && said?.contains("hunter2") == false)
        }
        #expect(kind { _ = try Session(Vectors.bundles["list"]!) } == .parameter)
    }

    @Test func nothingTypedIsShown() throws {
        var session = try session([0])
        _ = try hidden(&session, SessionTests.secret, (SessionTests.secret, "names"))
        var shown = "\(session) \(String(reflecting: session)) \([session])"
        dump(session, to: &shown)
        #expect(!shown.contains("hunter2") && !shown.contains("w0008"))
        #expect(session.restore("w0008") == SessionTests.secret)
    }
}
