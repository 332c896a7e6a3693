import Foundation
import Testing

@testable import Brrkit

/// Lists, passing words and marks: the facts that the frozen cases don't cover.
struct PolicyTests {
    /// `w0299`, `w0292` and `w0149` are members of names, `w0289` passes.
    private static let policy = """
        {"lists": [
            {"name": "names", "members": [0, 7, 150], "forms": ["zoltan", "anna-lena"]},
            {"name": "places", "members": [3], "forms": ["d'or"]}],
         "passing": {"words": [10, 11], "probability": 0.95}}
        """
    private static let secrets = ["w0299", "W0292", "w0149's", "zoltan", "ZOLTAN's"]
    private static let mechanisms: [Mechanism] = [
        .brr, .vickrey(), .vickrey(t: [0.1, 0.2]), .exponential(base: .unigram),
        .exponential(base: .bigram),
    ]
    private static let threshold: UInt64 = 8_762_203_435_012_036_608  // floor(0.95 * 2^63)

    private let crafted = Crafted()

    private func opened(_ policy: String? = PolicyTests.policy) throws -> WordBundle {
        try crafted.opened(policy: policy)
    }

    private func noise(_ seed: Int) -> [UInt8] {
        (0..<8_000).map { UInt8(truncatingIfNeeded: (37 + 2 * seed) * $0 + $0 * $0 >> 7) }
    }

    private func privatizer(
        _ bundle: WordBundle, _ mechanism: Mechanism, oov: Oov = .random, memory: Memory? = nil,
        _ random: Replay
    ) throws -> Privatizer {
        try Privatizer(
            bundle, setting: Setting(epsilon: 0.1, mechanism: mechanism), oov: oov, memory: memory,
            random: random)
    }

    /// One whose key is known.
    private func memory() throws -> Memory {
        let key = (UInt8(0)..<32).map { $0 }
        return try Work.memory(["key": JSON(hexadecimal(key)), "number": 7])!
    }

    @Test func aPolicyIsRead() throws {
        let policy = try opened().policy
        #expect(policy.lists.map(\.name) == ["names", "places"])
        #expect(policy.lists[0].members == [0, 7, 150] && policy.lists[0].head == 0)
        #expect(policy.lists[1].forms == ["d'or"])
        #expect(policy.passing?.words == [10, 11] && policy.passing?.probability == 0.95)
        #expect(policy.passing?.threshold == PolicyTests.threshold)
        #expect(try opened(nil).policy == Policy.none)
    }

    /// Members, forms and marks are the head of their list to whatever releases words.
    @Test(arguments: mechanisms)
    func nothingTellsTwoMembersApart(_ mechanism: Mechanism) throws {
        let bundle = try opened()
        for memory in [nil, try memory()] {
            func released(_ text: String, _ marks: [Mark] = []) throws -> (String, Int) {
                let random = Replay(noise(1))
                let privatizer = try privatizer(bundle, mechanism, memory: memory, random)
                return (try privatizer.text("w0100 \(text) w0289", marks: marks), random.left)
            }
            let head = try released("w0299")
            for word in PolicyTests.secrets { #expect(try released(word) == head, "\(word)") }
            let place = "w0100 any one, here w0289".range(of: "any one, here")!
            #expect(try released("any one, here", [Mark(place, list: "names")]) == head)
            #expect(try released("w0296") == released("d'or"))
        }
        let ids = PolicyTests.secrets.map { bundle.tokenizer.token($0).wordID }
        #expect(ids == [0, 0, 0, 0, 0])
        #expect(bundle.read("w0292, Zoltan").map(\.wordID) == [0, 0])
        #expect(bundle.tokenize("w0292, Zoltan") == ["w0292", "zoltan"])
        #expect(try bundle.neighbors(of: "w0292", k: 1)[0].word == "w0299", "not of the head")
    }

    /// Words that a text without spaces, or a compound, is cut into.
    @Test func membersThatATextIsCutIntoAreTheHead() throws {
        func ids(_ language: Language, _ words: [String], _ text: String) throws -> [Int?] {
            var tokenizer = try Tokenizers.made(language.rules, words)
            let policy = #"{"lists": [{"name": "a", "members": [1, 2], "forms": []}]}"#
            tokenizer.policy = try #require(
                Policy(JSON(parsing: Array(policy.utf8)), size: words.count))
            return tokenizer.read(text).map(\.wordID)
        }
        #expect(try ids(.chinese, ["我", "北京", "大学"], "我大学北京") == [0, 1, 1])
        #expect(try ids(.german, ["haus", "tür", "zeit"], "Hauszeit zeitstür") == [0, 1, 1, 1])
    }

    @Test func countsHaveOneSymbolForAList() throws {
        let bundle = try opened()
        for memory in [nil, try memory()] {
            func counted(_ word: String) throws -> String {
                try Counts(
                    bundle, setting: CountsSetting(cap: 9), memory: memory, random: Replay(noise(2))
                ).word(word)
            }
            let head = try counted("w0299")
            for word in PolicyTests.secrets { #expect(try counted(word) == head) }
        }
    }

    /// At both sides of the threshold, of words that pass and others; as many bytes in any case.
    @Test(arguments: mechanisms)
    func aCoinIsDrawnForEveryWord(_ mechanism: Mechanism) throws {
        let bundle = try opened()
        let plain = try opened(nil)
        let last = PolicyTests.threshold - 1
        for word in ["w0289", "w0288", "w0200", "w0292", "unknown"] {
            func released(_ coin: UInt64) throws -> (String?, Int) {
                let stand = word == "unknown" ? bytes([1]) : []
                let random = Replay(stand + bytes([coin]) + noise(3))
                return (try privatizer(bundle, mechanism, random).word(word), random.left)
            }
            let typed = word == "w0292" ? "w0299" : word
            let stand = word == "unknown" ? bytes([1]) : []
            let random = Replay(stand + noise(3))
            let drawn = (try privatizer(plain, mechanism, random).word(typed), random.left)
            let isPassing = ["w0289", "w0288"].contains(word)
            for coin in [0, last, last | 1 << 63] {
                #expect(try released(coin) == (isPassing ? word : drawn.0, drawn.1))
            }
            for coin in [last + 1, UInt64.max >> 1] { #expect(try released(coin) == drawn) }
        }
        // A replacement isn't the typed word. The first number selects the replacement.
        let sum = crafted.measure(.unigram, after: nil)[..<10].reduce(0, +)
        let random = Replay(bytes([UInt64(sum), 0]) + noise(3))
        let known = Replay(bytes([last + 1]) + noise(3))
        let unknown = try privatizer(bundle, mechanism, random).word("unknown")
        #expect(try unknown == privatizer(bundle, mechanism, known).word("w0289"))
    }

    /// Stand-ins of all words, then word by word the coin and the draw, behind what came out before it.
    @Test(arguments: [Oov.random, .drop])
    func aTextsCoins(_ oov: Oov) throws {
        let bundle = try opened()
        let typed: [Int?] = [10, nil, 200, 7, 11, nil, 10, 0]
        let words = typed.map { $0.map(crafted.word) ?? "unknown" }
        let weights = try weightTable(
            epsilon: 0.1, bits: 64, total: crafted.most(.bigram), radius: 8)
        for seed in 0..<8 {
            let source = Replay(noise(seed))
            let kept = oov == .drop ? typed.filter { $0 != nil } : typed
            let places = try kept.map { try $0 ?? crafted.standIn(source) }
            var (last, expected) = (Int?.none, [Int]())
            for (id, place) in zip(kept, places) {
                let coin = try source.uniform(below: UInt64(1) << 63)
                let from = [7, 150].contains(id) ? 0 : place
                let drawn = try crafted.drawn(weights, .bigram, from: from, after: last, source)
                let passes = coin < PolicyTests.threshold && (id == 10 || id == 11)
                expected.append(passes ? place : drawn)
                last = expected.last
            }
            let replay = Replay(noise(seed))
            let released = try privatizer(bundle, .exponential, oov: oov, replay).words(words)
            #expect(released == expected.map(crafted.word))
            #expect(replay.left == source.left)
        }
    }

    /// The first coin is the key's, the second one is fresh, and lets what the first draw gave pass.
    @Test func aMemoryHasTwoCoins() throws {
        let (bundle, memory) = (try opened(), try memory())
        let key = try memory.key()
        let sampler = try Exponential(
            bundle, 0.1, radius: nil, base: nil, cap: nil, taskWeight: nil)
        let passing = bytes([PolicyTests.threshold, 10, 11])
        let setting = MechanismSetting(
            mechanism: "exponential", numbers: sampler.setting.numbers + passing)
        let weights = try [0.1, 0.2].map {
            try weightTable(epsilon: $0, bits: 64, total: crafted.most(.bigram), radius: 8)
        }
        var passed = 0
        for id in [10, 11, 7, 0, 200] + Array(20..<60) {
            let typed = id == 7 ? 0 : id
            let source = key.draw(bundle.digest, setting, crafted.word(typed))
            let fresh = Replay(noise(id))
            func step(_ id: Int, _ weights: [Int64], _ source: any RandomSource) throws -> Int {
                let coin = try source.uniform(below: UInt64(1) << 63)
                let drawn = try crafted.drawn(weights, .bigram, from: id, after: nil, source)
                return coin < PolicyTests.threshold && (id == 10 || id == 11) ? id : drawn
            }
            let first = try step(typed, weights[0], source)
            let second = try step(first, weights[1], fresh)
            if first == 10 || first == 11 { passed += 1 }
            let replay = Replay(noise(id))
            let released = try privatizer(bundle, .exponential, memory: memory, replay).word(
                crafted.word(id))
            #expect(released == crafted.word(second))
            #expect(replay.left == fresh.left)
        }
        #expect(passed > 0)
    }

    @Test(arguments: [PolicyTests.policy, nil])
    func allUnknownWordsShareAMemorysDraw(_ policy: String?) throws {
        let bundle = try opened(policy)
        let memory = try memory()
        let typed = (0..<20).map { "unknown\($0)" } + ["two words", ""]
        for mechanism in PolicyTests.mechanisms {
            let released = try typed.map {
                try privatizer(bundle, mechanism, memory: memory, Replay(noise(4))).word($0)
            }
            #expect(Set(released).count == 1)
        }
    }

    @Test(arguments: [
        "[]", "null", "{}", #"{"lists": null}"#, #"{"lists": [], "more": 1}"#,
        #"{"lists": [], "passing": null}"#,
        #"{"passing": {"words": [1], "probability": 0.5}}"#,
    ])
    func aPolicyThatIsntOneIsRefused(_ policy: String) { expectRefused(policy) }

    private func expectRefused(_ policy: String, _ location: SourceLocation = #_sourceLocation) {
        let said = message { _ = try opened(policy) }
        #expect(
            said?.contains("manifest.json: field 'policy' ") == true, "\(policy)",
            sourceLocation: location)
    }

    @Test func whatFitsIsReadAndOtherwiseRefused() throws {
        func list(
            _ name: String = #""a""#, members: String = "[1, 2]", forms: String = "[]"
        ) -> String { #"{"name": \#(name), "members": \#(members), "forms": \#(forms)}"# }
        func lists(_ lists: String...) -> String {
            #"{"lists": [\#(lists.joined(separator: ", "))]}"#
        }
        func passing(_ words: String, _ probability: String = "0.5") -> String {
            #"{"lists": [\#(list())], "passing": {"words": \#(words), "probability": \#(probability)}}"#
        }
        func numbers(_ count: Int, _ prefix: String = "") -> String {
            "["
                + (0..<count).map { prefix.isEmpty ? "\($0)" : "\"\(prefix)\($0)\"" }
                .joined(separator: ", ") + "]"
        }
        let long = String(repeating: "a", count: 64)
        let marks = String(repeating: "\u{301}", count: 64)
        let sixteen = (0..<16).map { list("\"\($0)\"", members: "[\($0)]") }
        let most = numbers(16_384, "f")
        let fitting = [
            #"{"lists": []}"#, lists(list(#""a-_9""#)), lists(list("\"\(long)\"")),
            lists(
                list(
                    members: "[299]", forms: #"["\#(long)", "\#(marks)", "é", "e\u0301", "W0001"]"#)
            ),
            #"{"lists": [\#(sixteen.joined(separator: ", "))]}"#, lists(list(forms: most)),
            passing("[0, 3]", "0.001"), passing("[299]", "0.999"), passing("[0]", "5e-1"),
        ]
        for policy in fitting { #expect(message { _ = try opened(policy) } == nil, "\(policy)") }
        let hostile = [
            lists(list(), list()), lists(list(), list(#""b""#)),
            lists(list(), list(#""b""#, members: "[2, 3]")),
            lists(list(#""""#)), lists(list(#""A""#)), lists(list(#""é""#)), lists(list("1")),
            lists(list("\"\(long)a\"")),
            lists(list(members: "[]")), lists(list(members: "[2, 1]")),
            lists(list(members: "[1, 1]")), lists(list(members: "[-1]")),
            lists(list(members: "[300]")), lists(list(members: "[1.0]")),
            lists(list(members: #"["1"]"#)), lists(list(members: "1")),
            lists(list(forms: #"["x", "x"]"#)), lists(list(forms: #"[""]"#)),
            lists(list(forms: #"["\#(long)a"]"#)), lists(list(forms: "[1]")),
            lists(list(forms: "null")), lists(list(forms: #"["w0000"]"#)),
            lists(list(forms: #"["x"]"#), list(#""b""#, members: "[9]", forms: #"["x"]"#)),
            lists(list(forms: most), list(#""b""#, members: "[9]", forms: #"["x"]"#)),
            lists(list(forms: numbers(16_385, "f"))),
            lists(list().replacingOccurrences(of: "}", with: #", "head": 1}"#)),
            lists(#"{"name": "a", "members": [1]}"#), lists("7"),
            #"{"lists": [\#((sixteen + [list()]).joined(separator: ", "))]}"#,
            passing("[]"), passing("[3, 0]"), passing("[0, 0]"), passing("[2]"), passing("[300]"),
            passing("[0]", "1"), passing("[0]", "1.0"), passing("[0]", "0.9995"),
            passing("[0]", "0.0009"), passing("[0]", #""0.5""#), passing("[0]", "null"),
            passing("[0]").replacingOccurrences(of: "0.5", with: #"0.5, "more": 1"#),
        ]
        for policy in hostile { expectRefused(policy) }
    }
}
