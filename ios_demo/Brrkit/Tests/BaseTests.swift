import Foundation
import Testing

@testable import Brrkit

/// Masses and bigrams, their base measures, and previously released words.
struct BaseTests {
    private let crafted = Crafted()

    @Test func bytesStandForIntegers() {
        #expect(levels.count == 256 && levels == (0...255).map { Crafted.level($0) })
        let known: [Int64] = [1, 15, 16, 18, 32, 15 << 30]
        #expect([1, 15, 16, 17, 24, 255].map { levels[$0] } == known)
    }

    @Test func theBoundsAreTheLargestSums() throws {
        let masses = try crafted.opened().masses
        for base in Base.allCases { #expect(masses.most(base) == crafted.most(base)) }
        var none = crafted
        none.bigrams = []
        #expect(try none.opened().masses.most(.bigram) == crafted.most(.unigram))
    }

    @Test(arguments: Base.allCases)
    func measuresAreSummedAndDrawnFrom(_ base: Base) throws {
        let bundle = try crafted.opened()
        for before in [nil, 0, 1, 2, 7, 150, 298, 299] {
            let expected = crafted.measure(base, after: before)
            let measure = bundle.masses.measure(base, after: before)
            for query in [crafted.codes[0], 0, .max] {
                let distances = crafted.codes.map { ($0 ^ query).nonzeroBitCount }
                let sums = bundle.index.sums(of: measure, from: [query])
                #expect(sums.ofAll.count == 65)
                for distance in 0...64 {
                    let there = distances.indices.filter { distances[$0] == distance }
                    var number: Int64 = 0
                    for id in there {
                        let ends = [number, number + expected[id] - 1]
                        for end in ends {
                            let found = bundle.index.id(
                                at: distance, end, of: measure, from: [query], sums)
                            #expect(found == id)
                        }
                        number += expected[id]
                    }
                    #expect(sums.ofAll[distance] == number)
                }
            }
        }
    }

    /// At the distances 0, 1, 16, 17, 40 and 64; by the documented formula, with 120 digits of Python's
    /// `decimal`.
    @Test func weightsAreTheDocumentedIntegers() throws {
        let known: [(Double, Int64, Int, Double?, [Int64])] = [
            (
                1.0, 12_174_415, 16, nil,
                [757_602_894_008, 711_702_055_057, 278_706_529_284, 169_044_055_073, 1_712_433, 12]
            ),
            (
                1.0, 12_174_415, 16, 17.0,
                [
                    757_602_894_008, 711_702_055_057, 278_706_529_284, 169_044_055_073, 154_148_226,
                    154_148_226,
                ]
            ),
            (
                0.785, 140_737_488_355_328, 8, 8.5,
                [65535, 62398, 1917, 1295, 935, 935]
            ),
            (
                22.18, 300, 0, 88.0,
                [30_744_573_456_182_586, 469_291_478_000, 1, 1, 1, 1]
            ),
            (
                1e-09, 49968, 64, 1e-09,
                [
                    184_585_575_505_418, 184_585_575_493_882, 184_585_575_413_126,
                    184_585_575_413_126, 184_585_575_413_126, 184_585_575_413_126,
                ]
            ),
            (
                0.3, 49968, 8, nil,
                [
                    184_585_575_505_418, 181_156_840_803_149, 47_852_012_705_501,
                    41_186_609_023_618, 1_307_495_113_714, 35_725_633_592,
                ]
            ),
        ]
        for (epsilon, total, radius, cap, expected) in known {
            let weights = try weightTable(
                epsilon: epsilon, bits: 64, total: total, radius: radius, cap: cap)
            #expect([0, 1, 16, 17, 40, 64].map { weights[$0] } == expected)
        }
    }

    @Test(arguments: [1e-9, 0.5, 9, 17, 88])
    func aCapBoundsEveryPair(_ cap: Double) throws {
        let free = try weightTable(epsilon: 1, bits: 64, total: 1 << 47, radius: 8)
        let weights = try weightTable(epsilon: 1, bits: 64, total: 1 << 47, radius: 8, cap: cap)
        #expect(weights[0] == free[0] && zip(weights, free).allSatisfy { $0 >= $1 })
        #expect(log(Double(weights[0]) / Double(weights[64])) <= cap / 2 + 1e-12)
        #expect(zip(weights, free).allSatisfy { $0 == max($1, weights[64]) })
        let privatizer = try Privatizer(
            crafted.opened(), setting: Setting(epsilon: 1, mechanism: .exponential(cap: cap)))
        #expect(privatizer.effectiveEpsilon <= min(1, cap + 1e-12))
    }

    private func mechanism(_ base: Base) -> Mechanism {
        .exponential(radius: 12, base: base, cap: 9)
    }

    private func weights(_ base: Base, epsilon: Double = 1.5) throws -> [Int64] {
        try weightTable(
            epsilon: epsilon, bits: 64, total: crafted.most(base), radius: 12, cap: 9)
    }

    private func random(_ seed: Int) -> [UInt8] {
        (0..<8_000).map { UInt8(truncatingIfNeeded: (37 + 2 * seed) * $0 + $0 * $0 >> 7) }
    }

    /// The outputs for a text's words, in order.
    private func drawn(
        _ base: Base, _ typed: [Int], after before: Int? = nil, _ source: any RandomSource,
        epsilon: Double = 1.5
    ) throws -> [Int] {
        var last = before
        return try typed.map { id in
            let drawn = try crafted.drawn(
                weights(base, epsilon: epsilon), base, from: id, after: last, source)
            last = drawn
            return drawn
        }
    }

    @Test(arguments: Base.allCases)
    func aTextsWordsFollowWhatWasReleased(_ base: Base) throws {
        let bundle = try crafted.opened()
        let typed = [0, 1, 7, 150, 299, 0, 12, 33, 299, 7, 7, 1]
        let words = typed.map { crafted.word($0) }
        func privatizer(_ oov: Oov = .random) throws -> Privatizer {
            try Privatizer(
                bundle, setting: Setting(epsilon: 1.5, mechanism: mechanism(base)), oov: oov,
                random: Replay(random(0)))
        }
        let expected = try drawn(base, typed, Replay(random(0))).map { crafted.word($0) }
        #expect(try privatizer().words(words) == expected)
        let text = words.joined(separator: ", ")
        #expect(try privatizer().text(text) == expected.joined(separator: " "))
        var stream = try privatizer().stream()
        #expect(try words.map { try stream.word($0) } == expected)
        // A word outside the vocabulary releases nothing, and the output before it counts.
        let unknown = words.flatMap { [$0, "unknown"] }
        #expect(try privatizer(.drop).words(["unknown"] + unknown) == expected)
        stream = try privatizer(.drop).stream()
        #expect(try unknown.map { try stream.word($0) } == expected.flatMap { [$0, nil] })
        // Each text, and each single word, starts anew.
        let source = Replay(random(0))
        let texts = try [drawn(base, typed, source), drawn(base, typed, source)]
        let both = try privatizer().texts([text, "", text])
        let spelled = texts.map { $0.map { crafted.word($0) }.joined(separator: " ") }
        #expect(both == [spelled[0], "", spelled[1]])
        let single = Replay(random(0))
        let alone = try typed.map { try drawn(base, [$0], single)[0] }
        let one = try privatizer()
        #expect(try words.map { try one.word($0) } == alone.map { crafted.word($0) })
        #expect((expected == alone.map { crafted.word($0) }) == (base != .bigram))
    }

    /// At both ends of each word's numbers, whatever the mechanism.
    @Test(arguments: [
        Mechanism.brr, .vickrey(), .exponential(base: .uniform), .exponential(base: .unigram),
        .exponential(base: .bigram),
    ])
    func unknownWordsAreDrawnFromTheMasses(_ mechanism: Mechanism) throws {
        let bundle = try crafted.opened()
        func released(_ word: String, _ random: [UInt8]) throws -> String? {
            let setting = Setting(epsilon: 3, mechanism: mechanism)
            return try Privatizer(bundle, setting: setting, random: Replay(random)).word(word)
        }
        let draws = MassDraw(bundle.masses)
        var number: UInt64 = 0
        for (id, mass) in crafted.measure(.unigram, after: nil).enumerated() {
            let ends = [number, number + UInt64(mass) - 1]
            for end in ends { #expect(try draws.id(Replay(bytes([end]))) == id) }
            if id % 37 == 0 {
                let known = try released(crafted.word(id), random(id))
                #expect(try released("unknown", bytes([ends[1]]) + random(id)) == known)
            }
            number += UInt64(mass)
        }
        // The first number beyond is drawn again.
        #expect(try draws.id(Replay(bytes([number, 0]))) == 0)
    }

    @Test func aStreamIsAValueOfReleasedWordsOnly() async throws {
        let bundle = try crafted.opened()
        let privatizer = try Privatizer(
            bundle, setting: Setting(epsilon: 1.5, mechanism: mechanism(.bigram)), oov: .error,
            random: Replay(random(3)))
        var stream = privatizer.stream()
        let first = try #require(try { try stream.word("w0000") }())
        let id = try #require(bundle.vocabulary.find(first))
        let state = Mirror(reflecting: stream).children.compactMap { $0.value as? Int }
        #expect(state == [id])
        // A refused call changes nothing.
        #expect(kind { _ = try stream.word("unknown") } == .outOfVocabulary)
        #expect(Mirror(reflecting: stream).children.compactMap { $0.value as? Int } == [id])
        _ = try await stream.word("w0001")
    }

    @Test(arguments: [Base.unigram, .bigram])
    func aMemorysFirstDrawsAreATextsFirstWords(_ base: Base) throws {
        let bundle = try crafted.opened()
        let typed: [Int?] = [0, 299, nil, 7, 0, nil, 299, 150]
        let words = typed.map { $0.map(crafted.word) ?? "unknown" }
        let file = try Work.temporaryFolder().appendingPathComponent("memory")
        let memory = try Memory(period: 60, keyFile: file)
        let privatizer = try Privatizer(
            bundle, setting: Setting(epsilon: 1.5, mechanism: mechanism(base)), memory: memory,
            secondEpsilon: 2,
            random: Replay(random(1)))
        let numbers = weightsDigest(try weights(base)) + [1]
        let setting = MechanismSetting(mechanism: "exponential", numbers: numbers)
        let key = try memory.key()
        let first = try zip(typed, words).map { id, word in
            let source = key.draw(bundle.digest, setting, id == nil ? nil : word)
            return try drawn(base, [id ?? crafted.standIn(source)], source)[0]
        }
        let second = try drawn(base, first, Replay(random(1)), epsilon: 2).map { crafted.word($0) }
        #expect(try privatizer.words(words) == second)
        var stream = try Privatizer(
            bundle, setting: Setting(epsilon: 1.5, mechanism: mechanism(base)), memory: memory,
            secondEpsilon: 2,
            random: Replay(random(1))
        ).stream()
        let streamed = try words.map { try stream.word($0) }
        #expect(streamed == second)
    }

    private func weightsDigest(_ weights: [Int64]) -> [UInt8] {
        bytes(ofHexadecimal: bytes(weights.map { UInt64($0) }).withUnsafeBytes(sha256))
    }

    /// Weights alone don't tell `uniform` from another base.
    @Test func aMemoryKnowsTheBase() throws {
        var alike = crafted
        alike.masses = alike.masses.map { _ in 1 }
        let bundle = try alike.opened()
        func numbers(_ base: Base) throws -> [UInt8] {
            let sampler = try Exponential(
                bundle, 1, radius: 8, base: base, cap: nil, taskWeight: nil)
            return sampler.setting.numbers
        }
        let (uniform, unigram) = (try numbers(.uniform), try numbers(.unigram))
        #expect(uniform.count == 33 && uniform.prefix(32) == unigram.prefix(32))
        #expect(uniform[32] == 0 && unigram[32] == 1)
        #expect(try numbers(.bigram).last == 1)
    }

    @Test func theDefaultIsTheLastBaseThatThereIs() throws {
        let bundle = try crafted.opened()
        var none = crafted
        none.bigrams = []
        let poor = try none.opened()
        let typed = (0..<40).map { crafted.word($0) }
        func released(_ bundle: WordBundle, _ mechanism: Mechanism) throws -> [String] {
            try Privatizer(
                bundle, setting: Setting(epsilon: 1, mechanism: mechanism),
                random: Replay(random(0))
            )
            .words(typed)
        }
        let (bigram, unigram) = (
            try released(bundle, .exponential(base: .bigram)),
            try released(bundle, .exponential(base: .unigram))
        )
        #expect(bigram != unigram)
        #expect(try released(bundle, .exponential) == bigram)
        #expect(try released(poor, .exponential) == released(poor, .exponential(base: .unigram)))
        #expect(try released(poor, .exponential) != released(poor, .exponential(base: .uniform)))
        #expect(kind { _ = try released(poor, .exponential(base: .bigram)) } == .parameter)
        for cap in [0, 9.9e-10, 88.1, -1, .nan, .infinity] {
            #expect(kind { _ = try released(bundle, .exponential(cap: cap)) } == .parameter)
        }
    }

    @Test func aRecommendedBaseAndCapAreUsed() throws {
        func setting(_ parameters: String) -> String {
            """
            {"mechanism": "exponential", "epsilon": 1, "parameters": {\(parameters)}, "goal": ""}
            """
        }
        let bundle = try crafted.opened(
            recommended: setting(#""radius": 12, "base": "unigram", "cap": 9"#))
        #expect(bundle.recommended?.mechanism.parameters["base"] as? String == "unigram")
        let typed = (0..<40).map { crafted.word($0) }
        let given = try Privatizer(
            bundle,
            setting: Setting(
                epsilon: 1, mechanism: .exponential(radius: 12, base: .unigram, cap: 9)),
            random: Replay(random(0)))
        #expect(
            try Privatizer(bundle, random: Replay(random(0))).words(typed) == given.words(typed))
        for bad in [#""base": 1"#, #""base": null"#, #""cap": "9""#, #""cap": null"#] {
            #expect(throws: BrrError.self) { try crafted.opened(recommended: setting(bad)) }
        }
        for bad in [#""base": "prior""#, #""cap": 0"#, #""cap": 89"#, #""caps": 9"#] {
            let opened = try crafted.opened(recommended: setting(bad))
            #expect(kind { _ = try Privatizer(opened) } == .bundle)
        }
        var none = crafted
        none.bigrams = []
        let poor = try none.opened(recommended: setting(#""base": "bigram""#))
        #expect(kind { _ = try Privatizer(poor) } == .bundle)
    }

    @Test func damagedTensorsAreRefused() throws {
        func damage(_ change: (inout Crafted) -> Void) -> String? {
            var damaged = crafted
            change(&damaged)
            return message { _ = try damaged.opened() }
        }
        #expect(damage { _ in } == nil)
        #expect(damage { $0.bigrams = [] } == nil)
        #expect(damage { $0.bigrams = [(0, 0, 1)] } == nil)
        let order = "tensors 'before' and 'after' aren't in order, or have a pair twice"
        let damages: [(String, (inout Crafted) -> Void)] = [
            ("tensor 'masses' has a 0", { $0.masses[299] = 0 }),
            ("tensor 'gains' has a 0", { $0.bigrams[$0.bigrams.count - 1].gain = 0 }),
            ("tensor 'before' names a missing word", { $0.bigrams.append((300, 0, 1)) }),
            ("tensor 'after' names a missing word", { $0.bigrams.append((299, 300, 1)) }),
            (order, { $0.bigrams.append($0.bigrams.last!) }),
            (order, { $0.bigrams.swapAt(0, 1) }),
            (order, { $0.bigrams.append((150, 299, 1)) }),
        ]
        for (expected, change) in damages {
            #expect(damage(change)?.contains(expected) == true, "\(expected)")
        }
        // 8,738 * 15 * 2^30 + 2^31 is 2^47, the largest sum.
        var large = Crafted(count: 8_739)
        large.masses = Array(repeating: 255, count: 8_738) + [232]
        large.bigrams = []
        #expect(try large.opened().masses.most(.unigram) == 1 << 47)
        large.bigrams = [(5, 5, 1)]
        let sum = "tensors 'masses' and 'gains' sum to more than 2^47"
        #expect(message { _ = try large.opened() }?.contains(sum) == true)
        for bigrams in ["-1", "16777217", "1.0", "\"1\"", "null", "true"] {
            #expect(
                throws: BrrError.self, performing: { try crafted.opened(bigrams: bigrams) })
        }
        for bigrams in ["0", "\(crafted.bigrams.count - 1)", "\(crafted.bigrams.count + 1)"] {
            #expect(throws: BrrError.self) { try crafted.opened(bigrams: bigrams) }
        }
    }
}

func message(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch {
        return "\(error)"
    }
}
