import Foundation
import Testing

@testable import Brrkit

/// Task bits, the last of each code, and the weight that they have in the exponential mechanism's distance.
struct TaskBitsTests {
    private let crafted = Crafted(taskNumbers: 3)

    /// Codes of every length, with every number of task bits.
    @Test(arguments: 1...8)
    func taskBitsCountAsOftenAsTheirWeightSays(_ numbers: Int) throws {
        let file = try Work.temporaryFolder().appendingPathComponent("codes")
        let codes = (0..<1025).map { _ in (0..<numbers).map { _ in UInt64.random(in: 0...(.max)) } }
        try Data(codes.flatMap { bytes($0) }).write(to: file)
        let mapped = try Folder(file.deletingLastPathComponent().path).map("codes")
        let query = codes[7].map { ~$0 }
        let differing = codes.map { zip($0, query).map { ($0 ^ $1).nonzeroBitCount } }
        for tasks in 0..<numbers {
            for weight in [0, 1, 2, 16] {
                let index = HammingIndex(
                    codes: Codes(content: mapped, bits: 64 * numbers), taskBits: 64 * tasks,
                    taskWeight: weight)
                let own = numbers - tasks
                let expected = differing.map { bits in
                    bits[..<own].reduce(0, +) + weight * bits[own...].reduce(0, +)
                }
                var distances = [Int]()
                index.scan(query) { _, some, least in
                    distances += some.map { Int($0) }
                    #expect(least == some.min())
                    return true
                }
                #expect(distances == expected)
                #expect(index.mostDistance == distances[7])
            }
        }
    }

    @Test(arguments: [nil, 0, 1, 3, 16], Base.allCases)
    func wordsAreDrawnByTheWeightedDistance(_ given: Int?, _ base: Base) throws {
        let bundle = try crafted.opened()
        let weight = given ?? 1
        let weights = try weightTable(
            epsilon: 0.2, bits: 64 + 192 * weight, total: crafted.most(base), radius: 12)
        let random = (0..<40_000).map { UInt8(truncatingIfNeeded: 37 * $0 + $0 * $0 >> 7) }
        let source = Replay(random)
        var last: Int?
        var expected = [Int]()
        for id in 0..<100 {
            last = try crafted.drawn(
                weights, base, from: id, after: last, source, taskWeight: weight)
            expected.append(last!)
        }
        let mechanism = Mechanism.exponential(radius: 12, base: base, taskWeight: given)
        let privatizer = try Privatizer(
            bundle, setting: Setting(epsilon: 0.2, mechanism: mechanism), random: Replay(random))
        let released = try privatizer.words((0..<100).map { crafted.word($0) })
        #expect(released == expected.map { crafted.word($0) })
        #expect(privatizer.effectiveEpsilon == weightsEpsilon(weights))
    }

    /// The other mechanisms, and a word's neighbors, count each bit once.
    @Test func elsewhereATaskBitIsABit() throws {
        let bundle = try crafted.opened()
        let (first, distances) = (crafted.word(0), crafted.distances(from: 0))
        let neighbors = try bundle.neighbors(of: first, k: 299)
        #expect(neighbors.map(\.distance) == distances.dropFirst().sorted())
        let plain = try crafted.opened(taskBits: "64")
        for mechanism in [Mechanism.brr, .vickrey(), .exponential(radius: 8, taskWeight: 1)] {
            func released(_ bundle: WordBundle) throws -> [String] {
                let random = Replay(
                    (0..<99_000).map { UInt8(truncatingIfNeeded: 37 * $0 + $0 / 256) })
                return try Privatizer(
                    bundle, setting: Setting(epsilon: 0.5, mechanism: mechanism), random: random
                ).words((0..<60).map { crafted.word($0) })
            }
            #expect(try released(bundle) == released(plain))
        }
    }

    @Test func theRadiusIsOfTheOtherBits() throws {
        let bundle = try crafted.opened()
        func effective(_ radius: Int?) throws -> Double {
            try Privatizer(
                bundle,
                setting: Setting(
                    epsilon: 1,
                    mechanism: .exponential(radius: radius, base: .uniform, taskWeight: 0))
            ).effectiveEpsilon
        }
        #expect(try abs(effective(64) - 0.125) < 1e-9)
        for radius in [-1, 65] { #expect(kind { _ = try effective(radius) } == .parameter) }
        func numbers(_ radius: Int?) throws -> [UInt8] {
            try Exponential(bundle, 1, radius: radius, base: nil, cap: nil, taskWeight: 3).setting
                .numbers
        }
        #expect(try numbers(nil) == numbers(8))
        #expect(try numbers(nil) != numbers(9))
    }

    @Test func wrongWeightsAreRefused() throws {
        func refusal(_ weight: Int, _ bundle: WordBundle) -> String? {
            do {
                _ = try Privatizer(
                    bundle,
                    setting: Setting(epsilon: 1, mechanism: .exponential(taskWeight: weight)))
                return nil
            } catch {
                #expect(error.kind == .parameter)
                return error.message
            }
        }
        let bundle = try crafted.opened()
        for weight in [0, 16] { #expect(refusal(weight, bundle) == nil) }
        for weight in [.min, -1, 17, .max] {
            #expect(
                refusal(weight, bundle)
                    == "task_weight must be an integer from 0 to 16, not \(weight)")
        }
        for weight in [0, 1, 2] {
            #expect(
                refusal(weight, Work.bundle64)
                    == "parameter task_weight needs task bits, and the bundle has none; build it with tasks"
            )
        }
    }

    @Test func aRecommendedWeightIsUsed() throws {
        func setting(_ parameters: String) -> String {
            """
            {"mechanism": "exponential", "epsilon": 0.2, "parameters": {\(parameters)}, "goal": "",
             "certificate": {"certified_epsilon": 0.15, "index": "\(index)"}}
            """
        }
        let index = try crafted.opened().digest
        let weighted = #""radius": 12, "base": "unigram", "task_weight": 3"#
        let recommended = try #require(
            try crafted.opened(recommended: setting(weighted)).recommended)
        let mechanism = Mechanism.exponential(radius: 12, base: .unigram, taskWeight: 3)
        #expect(recommended.mechanism == mechanism)
        #expect(mechanism != .exponential(radius: 12, base: .unigram))
        #expect(mechanism.parameters["task_weight"] as? Int == 3)
        #expect(
            try Privatizer(crafted.opened(recommended: setting(weighted))).certifiedEpsilon == 0.15)
        // Nor is a certificate that of another weight.
        var other = recommended
        other.mechanism = .exponential(radius: 12, base: .unigram, taskWeight: 2)
        let bundle = try crafted.opened()
        #expect(kind { _ = try Privatizer(bundle, setting: other) } == .parameter)

        for bad in ["-1", "17", "1.0", "\"1\"", "null", "true", "[1]", "99999999999999999999"] {
            let field = #""task_weight": \#(bad)"#
            #expect(throws: BrrError.self) { try crafted.opened(recommended: setting(field)) }
        }
        #expect(throws: BrrError.self) {
            try crafted.opened(recommended: setting(#""radius": 65"#))
        }
        // Opened, but not used: as a parameter of another mechanism, or without task bits.
        let brr = setting(#""task_weight": 1"#).replacingOccurrences(of: "exponential", with: "brr")
        let others =
            [try crafted.opened(recommended: brr)]
            + [try Crafted().opened(recommended: setting(#""task_weight": 1"#))]
        for bundle in others { #expect(kind { _ = try Privatizer(bundle) } == .bundle) }
    }

    @Test func theManifestSaysHowManyThereAre() throws {
        for bits in [64, 128, 192] {
            let bundle = try crafted.opened(taskBits: "\(bits)")
            #expect((bundle.bits, bundle.taskBits, bundle.wordBits) == (256, bits, 256 - bits))
        }
        #expect(Work.bundle64.taskBits == 0 && Work.bundle64.wordBits == 64)
        let bad = [
            "0", "1", "63", "65", "-64", "256", "320", "64.0", "6.4e1", "\"64\"", "null", "true",
            "[64]",
            "18446744073709551680",
        ]
        for (crafted, values) in [(crafted, bad), (Crafted(), bad + ["64"])] {
            for value in values {
                do {
                    _ = try crafted.opened(taskBits: value)
                    Issue.record("opened: \(value)")
                } catch {
                    #expect((error as? BrrError)?.kind == .bundle)
                    #expect(
                        "\(error)".contains("field 'task_bits' is missing or wrong"), "\(value)")
                }
            }
        }
    }
}
