import Foundation
import Testing

@testable import Brrkit

private let unknown = "hunter2secret"
private let texts = ["The of, and", "", "to \(unknown) in \(unknown)", "?!", "the the"]

struct PrivatizerTests {
    private let bundle = Work.bundle64

    @Test(arguments: [
        Mechanism.brr, .vickrey(), .vickrey(t: [0.1, 0.2, 0.3]), .exponential,
        .exponential(radius: 0),
    ])
    func releasesWordsOfTheVocabulary(_ mechanism: Mechanism) throws {
        let privatizer = try Privatizer(
            bundle, setting: Setting(epsilon: 0.5, mechanism: mechanism))
        let released = try privatizer.text("The quick brown fox — and \(unknown)!").split(
            separator: " ")
        #expect(released.count == 6)
        #expect(released.allSatisfy { bundle.vocabulary.find($0) != nil })
        #expect((0.49...0.5).contains(privatizer.effectiveEpsilon))
        #expect(privatizer.epsilon == 0.5)
    }

    /// 40 pairs, each equal with 1/1,700. False alarm: 1e-70.
    @Test(arguments: [Mechanism.brr, .vickrey(), .exponential(base: .uniform)])
    func theSystemsRandomnessIsFresh(_ mechanism: Mechanism) throws {
        let privatizer = try Privatizer(
            bundle, setting: Setting(epsilon: 0.01, mechanism: mechanism))
        let words = Array(repeating: "the", count: 40)
        #expect(try privatizer.words(words) != privatizer.words(words))
    }

    /// Of 250 bytes, 100 or fewer differ. False alarm: 1e-25.
    @Test func theSourceIsTheSystems() throws {
        let (first, second) = (try SystemRandom().bytes(1_000), try SystemRandom().bytes(1_000))
        #expect(first != second)
        // A constant, or a part that isn't filled, would have fewer different bytes.
        for part in stride(from: 0, to: 1_000, by: 250) {
            #expect(Set(first[part..<part + 250]).count > 100)
        }
        let mirror = Mirror(reflecting: try Privatizer(bundle, setting: Setting(epsilon: 1)))
        #expect(mirror.children.contains { $0.value is SystemRandom })
    }

    @Test func unknownWordsFollowThePolicy() throws {
        #expect(
            try Privatizer(bundle, setting: Setting(epsilon: 1)).words(["the", unknown]).count == 2)
        let drop = try Privatizer(bundle, setting: Setting(epsilon: 1), oov: .drop)
        #expect(try drop.words([unknown, "the", unknown]).count == 1)
        #expect(try drop.word(unknown) == nil)
        #expect(try drop.text(unknown) == "")
        let refusing = try Privatizer(bundle, setting: Setting(epsilon: 1), oov: .error)
        #expect(kind { _ = try refusing.words(["the", unknown]) } == .outOfVocabulary)
        do {
            _ = try refusing.words(["the", unknown])
        } catch {
            #expect(error.kind == .outOfVocabulary)
            #expect(error.message.hasPrefix("word 2 of 2 is out of vocabulary"))
            #expect(!error.message.contains("hunter2"))
        }
    }

    @Test func everyTokenCostsBeforeItIsLookedUp() throws {
        let budget = try newBudget(limit: 3)
        for oov in Oov.allCases {
            let privatizer = try Privatizer(
                bundle, setting: Setting(epsilon: 0.5), oov: oov, budget: budget)
            _ = try? privatizer.text("\(unknown) \(unknown)")
        }
        #expect(try budget.remaining() == 0)
    }

    @Test func nothingIsDrawnBeyondTheBudget() throws {
        let budget = try newBudget(limit: 1)
        let random = Replay([])
        let privatizer = try Privatizer(
            bundle, setting: Setting(epsilon: 0.5), budget: budget, random: random)
        #expect(isRefused { _ = try privatizer.words(["the", "of", "and"]) })
        #expect(try budget.remaining() == 1)
        #expect(kind { _ = try privatizer.words(["the", "of"]) } == .randomness)
        #expect(try budget.remaining() == 0, "spent before it is drawn")
    }

    @Test func theBudgetCountsTheEffectiveEpsilon() throws {
        let budget = try newBudget(limit: 25)
        let privatizer = try Privatizer(
            bundle, setting: Setting(epsilon: 20, mechanism: .brr), budget: budget)
        #expect(privatizer.epsilon == 20)
        #expect(privatizer.effectiveEpsilon < 19.99)  // a threshold of 9 rather than 8.85
        #expect(privatizer.certifiedEpsilon == privatizer.effectiveEpsilon)
        _ = try privatizer.word("the")
        let left = try budget.remaining()
        #expect(abs(left - (25 - privatizer.effectiveEpsilon)) < 2e-9)
    }

    @Test(arguments: [Mechanism.brr, .vickrey(), .exponential])
    func textsAreEachTextWithTheSameRandomBytes(_ mechanism: Mechanism) async throws {
        let key = try Work.temporaryFolder().appendingPathComponent("memory")
        for oov in [Oov.random, .drop] {
            for memory in [nil, try Memory(period: 60, keyFile: key)] {
                func privatizer() throws -> Privatizer {
                    let random = (0..<40_000).map { (place: Int) -> UInt8 in
                        UInt8((37 * place + place / 256) % 256)
                    }
                    return try Privatizer(
                        bundle, setting: Setting(epsilon: 0.5, mechanism: mechanism), oov: oov,
                        budget: newBudget(limit: 99), memory: memory, random: Replay(random))
                }
                let (many, one) = (try privatizer(), try privatizer())
                let synchronously = { (privatizer: Privatizer) in try privatizer.texts(texts) }
                #expect(try synchronously(many) == texts.map { try one.text($0) })
                #expect(try await privatizer().texts(texts) == synchronously(privatizer()))
                #expect(try synchronously(many).count == texts.count)
            }
        }
    }

    @Test func allTextsArePaidForOrNoneIsReleased() throws {
        let budget = try newBudget(limit: 4.5)  // 9 words
        let refused = try Privatizer(
            bundle, setting: Setting(epsilon: 0.5), budget: budget, random: Replay([]))
        let said = kind { _ = try refused.texts(texts + ["of"]) }
        guard case .budget(let left, _)? = said else { throw BrrError(.budgetFile, "it was paid") }
        #expect(left == 4.5)
        #expect(try budget.remaining() == 4.5)
        let paid = try Privatizer(bundle, setting: Setting(epsilon: 0.5), budget: budget)
        #expect(try paid.texts(texts).map { bundle.tokenize($0).count } == [3, 0, 4, 0, 2])
        #expect(try budget.remaining() == 0)
        let other = try newBudget(limit: 10)
        let erring = try Privatizer(
            bundle, setting: Setting(epsilon: 0.5), oov: .error, budget: other, random: Replay([]))
        #expect(kind { _ = try erring.texts(texts) } == .outOfVocabulary)
        #expect(try other.remaining() == 5.5)  // whatever was unknown
    }

    @Test func mechanismsHaveNames() throws {
        for mechanism in [Mechanism.brr, .vickrey(), .exponential] {
            #expect(try Mechanism.named(mechanism.name) == mechanism)
        }
        #expect(kind { _ = try Mechanism.named("BRR") } == .parameter)
    }

    @Test func theManifestsFieldsAreThere() throws {
        let bundle = try recommending(
            """
            {"mechanism": "vickrey", "epsilon": 0.5, "parameters": {"t": [1, 0.5], "k": 2},
             "goal": "x"}
            """)
        #expect(bundle.manifest["format"] as? String == "brr-bundle")
        #expect(bundle.manifest["bits"] as? Int == 64)
        let mechanism = try #require(bundle.recommended).mechanism
        #expect(mechanism == .vickrey(t: [1, 0.5]) && mechanism.name == "vickrey")
        #expect(mechanism.parameters["t"] as? [any Sendable] as? [Double] == [1, 0.5])
        let distances = try #require(bundle.manifest["distances"] as? [String: any Sendable])
        let hamming = try #require(distances["hamming"] as? [String: any Sendable])
        #expect(hamming["average"] as? Double == bundle.averageDistance)
        #expect((20...40).contains(try #require(bundle.averageDistance)))
        #expect((40...64).contains(try #require(bundle.maximumDistance)))
    }

    @Test func theBudgetCountsTheCertifiedEpsilon() throws {
        let setting = """
            {"mechanism": "exponential", "epsilon": 0.5, "goal": "",
             "parameters": {"base": "unigram"},
             "certificate": {"certified_epsilon": 0.375, "index": "\(bundle.digest)"}}
            """
        let memory = try Memory(
            period: 60, keyFile: Work.temporaryFolder().appendingPathComponent("memory"))
        for memory in [nil, memory] {
            let budget = try newBudget(limit: 1)
            let privatizer = try Privatizer(
                recommending(setting), budget: budget, memory: memory)
            _ = try privatizer.words(["the", "of"])
            #expect(try budget.remaining() == 0.25)
        }
    }

    @Test func aSourceThatGivesTooLittleIsRefused() throws {
        struct Short: RandomSource {
            func bytes(_ count: Int) throws(BrrError) -> [UInt8] {
                [UInt8](repeating: 0, count: count - 1)
            }
        }
        for mechanism in [Mechanism.brr, .exponential] {
            let privatizer = try Privatizer(
                bundle, setting: Setting(epsilon: 1, mechanism: mechanism), random: Short())
            #expect(kind { _ = try privatizer.word("the") } == .randomness)
        }
    }

    @Test func wrongParametersAreRefused() throws {
        for epsilon in [0, -1, 1e-10, 22.19, .nan, .infinity] {
            for mechanism in [Mechanism.brr, .vickrey(), .exponential] {
                #expect(
                    kind {
                        _ = try Privatizer(
                            bundle, setting: Setting(epsilon: epsilon, mechanism: mechanism))
                    }
                        == .parameter)
            }
        }
        for t in [-0.1, 1.1, .nan, .infinity] {
            #expect(
                kind {
                    _ = try Privatizer(
                        bundle, setting: Setting(epsilon: 1, mechanism: .vickrey(t: t)))
                }
                    == .parameter)
        }
        let several = [[], [0.5, -1], [.infinity], [.nan], Array(repeating: 0.1, count: 65)]
        for t in several {
            #expect(
                kind {
                    _ = try Privatizer(
                        bundle, setting: Setting(epsilon: 1, mechanism: .vickrey(t: t)))
                }
                    == .parameter)
        }
        _ = try Privatizer(
            bundle,
            setting: Setting(epsilon: 1, mechanism: .vickrey(t: Array(repeating: 0.1, count: 64))))
        for radius in [-1, 65] {
            #expect(
                kind {
                    _ = try Privatizer(
                        bundle,
                        setting: Setting(epsilon: 1, mechanism: .exponential(radius: radius)))
                } == .parameter)
        }
        #expect(kind { _ = try Privatizer(bundle) } == .parameter)
    }

    @Test func theDefaultIsTheExponentialMechanismWithAnEighthOfTheBits() throws {
        for each in Work.bundles.values {
            func released(_ mechanism: Mechanism?) throws -> [String] {
                let random = Replay(
                    (0..<40_000).map { UInt8(truncatingIfNeeded: 37 * $0 + $0 / 256) })
                let words = (0..<200).map { each.vocabulary.word($0)! }
                guard let mechanism else {
                    return try Privatizer(each, setting: Setting(epsilon: 0.5), random: random)
                        .words(words)
                }
                return try Privatizer(
                    each, setting: Setting(epsilon: 0.5, mechanism: mechanism), random: random
                )
                .words(words)
            }
            let radius = each.wordBits / 8
            #expect(try released(nil) == released(.exponential(radius: radius)))
            #expect(try released(.exponential) == released(.exponential(radius: radius)))
            #expect(try released(nil) != released(.exponential(radius: 2 * radius)))
        }
    }

    @Test(arguments: [0, 1, 8, 63])
    func weightsFallGentlyWithinTheRadius(_ radius: Int) throws {
        func table(_ epsilon: Double, _ radius: Int) throws -> [Int64] {
            try weightTable(epsilon: epsilon, bits: 64, total: 2_000, radius: radius)
        }
        let gentle = try table(0.5 / 8, 0)
        #expect(try table(0.5, 64) == gentle)
        let weights = try table(0.5, radius)
        #expect(weights.prefix(radius + 1) == gentle.prefix(radius + 1))
        for distance in radius..<64 {
            let step = Double(weights[distance]) / Double(weights[distance + 1])
            #expect(abs(step - exp(0.25)) < 1e-6)
        }
    }

    /// At both sides of every boundary that Vickrey's number is compared with.
    @Test func vickreysBoundary() throws {
        let privatizer: (Int64) throws -> String? = { number in
            let code = self.bundle.index.codes[0]
            // No bit flips: the largest numbers. Then the uniform integer.
            let flips = [UInt8](repeating: 0, count: 3) + [0x7F]
            let numbers = Array(repeating: flips, count: code.count * 64).flatMap { $0 }
            let random = Replay(numbers + bytes([UInt64(number)]))
            let vickrey = try Privatizer(
                self.bundle, setting: Setting(epsilon: 1, mechanism: .vickrey(t: [0, 0])),
                random: random)
            return try vickrey.word(self.bundle.vocabulary.word(0)!)
        }
        let nearest = bundle.index.nearest(bundle.index.codes[0], 2).map {
            bundle.vocabulary.word($0.id)!
        }
        // Both weights are D(0) = 2^32.
        #expect(try privatizer(1 << 32 - 1) == nearest[0])
        #expect(try privatizer(1 << 32) == nearest[1])
    }

    /// At both sides of the first boundary that the exponential mechanism's number is compared with.
    @Test func theExponentialsBoundary() throws {
        let code = bundle.index.codes[0]
        let uniform = bundle.masses.measure(.uniform, after: nil)
        let twins = bundle.index.sums(of: uniform, from: code).ofAll[0]
        // The mass of distance 0: its words, each with W[0].
        let boundary = twins * (Int64.max / Int64(bundle.count))
        let released: (Int64) throws -> [UInt64] = { number in
            let random = Replay(bytes([UInt64(number), 0]))
            let privatizer = try Privatizer(
                self.bundle,
                setting: Setting(epsilon: 0.1, mechanism: .exponential(base: .uniform)),
                random: random)
            let word = try privatizer.word(self.bundle.vocabulary.word(0)!)!
            return self.bundle.index.codes[self.bundle.vocabulary.find(word)!]
        }
        #expect(try released(boundary - 1) == code)
        #expect(try released(boundary) != code)
    }

    @Test func vickreysWeights() throws {
        func weights(_ t: Double, _ distances: [Int]) throws -> [Int64] {
            try Vickrey(BRR(bundle, 1, SwiftRandomizer()), t: t).weights(distances)
        }
        let one = Int64(1) << 32
        // 0.7 * 2^32 is 3006477107.2, and 0.3 * 2^32 is 1288490188.8: to the nearest.
        for (t, second) in [(0.7, Int64(3_006_477_107)), (0.3, Int64(1_288_490_189))] {
            #expect(try weights(t, [3, 5]) == [5 * (one - second), 3 * second])
        }
        // Halves to the even one.
        #expect(try weights(0x1p-33, [1, 1]) == [one, 0])
        #expect(try weights(0x3p-33, [1, 1]) == [one - 2, 2])
        // Both distances 0: t decides alone.
        #expect(try weights(1, [0, 0]) == [0, one])
        #expect(try weights(1, [0, 4]) == [0, one])
        #expect(try weights(0, [0, 4]) == [4 * one, 0])
    }

    @Test func theRecommendedSettingIsUsed() throws {
        let setting =
            #"{"mechanism": "vickrey", "epsilon": 1, "parameters": {"t": 0.25}, "goal": ""}"#
        let privatizer = try Privatizer(recommending(setting))
        #expect(privatizer.epsilon == 1)
        let everything =
            #"{"mechanism": "exponential", "epsilon": 1, "parameters": {"radius": 64}, "goal": ""}"#
        let effective = try Privatizer(recommending(everything)).effectiveEpsilon
        #expect(abs(effective - 0.125) < 1e-9)
        let unknown = [
            ("vickrey", "new"), (#""t": 0.25"#, #""t": 2"#), (#""t""#, #""s""#),
            (#""t": 0.25"#, #""t": 0.25, "k": 3"#), ("vickrey", "brr"),
        ]
        for (good, bad) in unknown {
            let bundle = try recommending(setting.replacingOccurrences(of: good, with: bad))
            do {
                _ = try Privatizer(bundle)
                Issue.record("taken: \(bad)")
            } catch {
                #expect(error.kind == .bundle)
                #expect(error.message.contains("manifest.json: field 'recommended': "))
                #expect(error.message.hasSuffix("write it again with 'brr calibrate --write'"))
            }
        }
    }

    @Test func whatWasMeasuredIsRead() throws {
        func measured(_ fields: String) throws -> Measured? {
            try recommending(
                """
                {"mechanism": "brr", "epsilon": 1, "parameters": {}, "goal": "",
                 "measured": {\(fields)}}
                """
            ).recommended?.measured
        }
        func estimate(_ value: Double, _ low: Double, _ high: Double) -> Estimate {
            Estimate(value: value, low: low, high: high)
        }
        let who = #""attacker": "sentence", "over": "content", "text": "typed.txt", "#
        let shares =
            who + """
                "unchanged": {"value": 0.2, "low": 0.1, "high": 0.3},
                "attack_success": {"value": 1, "low": 0, "high": 1}
                """
        let read = try #require(try measured(shares + #", "worst": null"#))
        #expect([read.attacker, read.over, read.text] == ["sentence", "content", "typed.txt"])
        #expect(read.unchanged == estimate(0.2, 0.1, 0.3))
        #expect(read.attackSuccess == estimate(1, 0, 1))
        #expect(read.worst == nil)
        let worst = #", "worst": {"value": 0.5, "low": 0.4, "high": 0.6}"#
        #expect(try measured(shares + worst)?.worst == estimate(0.5, 0.4, 0.6))
        for wrong in ["", #", "worst": 0.5"#, worst.replacingOccurrences(of: "0.6", with: "1.1")] {
            #expect(throws: BrrError.self) { try measured(shares + wrong) }
        }
        let untitled = shares.replacingOccurrences(of: #""typed.txt""#, with: "null")
        #expect(try measured(untitled + worst)?.text == nil)
        #expect(read.allWords == nil && read.unknownRecognized == nil)
        let half = #"{"value": 0.5, "low": 0.4, "high": 0.6}"#
        let every = #"{"unchanged": \#(half), "attack_success": \#(half), "worst": null}"#
        func beside(_ words: String, _ unknown: String) throws -> Measured? {
            try measured(
                shares + worst + #", "all_words": \#(words), "unknown_recognized": \#(unknown)"#)
        }
        let none = try #require(try beside("null", "null"))
        #expect(none.allWords == nil && none.unknownRecognized == nil)
        let both = try #require(try beside(every, half))
        let expected = estimate(0.5, 0.4, 0.6)
        #expect(
            both.allWords == Shares(unchanged: expected, attackSuccess: expected, worst: nil))
        #expect(both.unknownRecognized == expected)
        let high = half.replacingOccurrences(of: "0.6", with: "1.1")
        for wrong in [
            "0.5", "[]", "{}", half, every.replacingOccurrences(of: "worst", with: "best"),
            every.replacingOccurrences(of: half, with: high),
        ] {
            #expect(throws: BrrError.self) { try beside(wrong, half) }
        }
        for wrong in ["0.5", "{}", high] {
            #expect(throws: BrrError.self) { try beside(every, wrong) }
        }
        for (good, bad) in [
            (#""sentence""#, "null"), (#""content""#, "1"), (#""typed.txt""#, "0"),
            ("text", "file"), ("over", "of"), ("attacker", "prior"),
        ] {
            let damaged = shares.replacingOccurrences(of: good, with: bad)
            #expect(throws: BrrError.self) { try measured(damaged + worst) }
        }
        let nothing = who + #""unchanged": null, "attack_success": null, "worst": null"#
        #expect(throws: BrrError.self) { try measured(nothing) }
    }

    @Test func aCertificateChangesNoWeights() throws {
        func setting(
            _ certified: String, index: String? = nil, mechanism: String = "exponential",
            parameters: String = #""base": "unigram""#
        ) throws -> WordBundle {
            try recommending(
                """
                {"mechanism": "\(mechanism)", "epsilon": 0.5, "goal": "",
                 "parameters": {\(parameters)},
                 "certificate": {"certified_epsilon": \(certified),
                                 "index": "\(index ?? bundle.digest)"}}
                """)
        }
        // Some numbers are drawn again.
        let random = (0..<4_096).map { UInt8(truncatingIfNeeded: $0 * $0 >> 5) }
        let words = (0..<40).map { bundle.vocabulary.word($0)! }
        let given = try Privatizer(
            bundle, setting: Setting(epsilon: 0.5, mechanism: .exponential(base: .unigram)),
            random: Replay(random))
        let expected = try given.words(words)
        for certified in [0.25, 0.31830988618379067, 0.5] {  // epsilon / 2 to epsilon
            let bundle = try setting("\(certified)")
            #expect(bundle.recommended?.certifiedEpsilon == certified)
            let privatizer = try Privatizer(bundle, random: Replay(random))
            #expect(privatizer.epsilon == 0.5)
            #expect(privatizer.effectiveEpsilon == given.effectiveEpsilon)
            #expect(privatizer.certifiedEpsilon == certified)
            #expect(try privatizer.words(words) == expected)
        }
        // A given epsilon has no certificate.
        let own = try Privatizer(
            setting("0.3"), setting: Setting(epsilon: 0.5, mechanism: .exponential(base: .unigram)))
        #expect(own.certifiedEpsilon == given.effectiveEpsilon)

        let range = "its certified_epsilon isn't from epsilon / 2 to epsilon"
        let refused = try [
            (
                setting("0.3", index: String(repeating: "0", count: 64)),
                "its certificate belongs to another index.safetensors"
            ),
            (setting("0.24999999999999997"), range), (setting("0.5000000000000001"), range),
            (setting("-1e300"), range), (setting("1000000000000000000000000000000"), range),
            (
                setting("0.3", mechanism: "brr", parameters: ""),
                "a certificate is for mechanism 'exponential', not 'brr'"
            ),
            (
                setting("0.3", mechanism: "vickrey", parameters: ""),
                "a certificate is for mechanism 'exponential', not 'vickrey'"
            ),
        ]
        let refusal = "base 'bigram' has no certificate"
        let ofHistories = try [#""base": "bigram""#, ""].map {
            (try setting("0.3", parameters: $0), refusal)
        }
        for (bundle, what) in refused + ofHistories {
            do {
                _ = try Privatizer(bundle)
                Issue.record("taken: \(what)")
            } catch {
                #expect(error.kind == .bundle)
                #expect(error.message.contains("field 'recommended': \(what); write it again"))
            }
        }
    }

    @Test func aSettingGoesFromOnePrivatizerToAnother() throws {
        let tried = Setting(epsilon: 0.6, mechanism: .exponential(radius: 8))
        #expect(try Privatizer(bundle, setting: tried).setting == tried)
        let certified = try recommending(
            """
            {"mechanism": "exponential", "epsilon": 0.5, "goal": "",
             "parameters": {"cap": 9, "base": "unigram"},
             "certificate": {"certified_epsilon": 0.375, "index": "\(bundle.digest)"}}
            """)
        let recommended = try #require(certified.recommended)
        #expect(try Privatizer(certified).setting == recommended)
        #expect(try Privatizer(bundle, setting: recommended).certifiedEpsilon == 0.375)
        var same = recommended  // its parameters are the same, in another order
        same.mechanism = .exponential(base: .unigram, cap: 9)
        #expect(try Privatizer(bundle, setting: same).certifiedEpsilon == 0.375)
        var (weaker, uncapped, other) = (recommended, recommended, recommended)
        weaker.epsilon = 0.6
        uncapped.mechanism = .exponential(base: .unigram)
        other.mechanism = .brr
        let another = "its certificate belongs to another setting; leave it out"
        for (bundle, setting, message) in [
            (bundle, weaker, another), (bundle, uncapped, another),
            (bundle, other, "a certificate is for mechanism 'exponential', not 'brr'"),
            (
                Work.bundles["256"]!, recommended,
                "its certificate belongs to another index.safetensors"
            ),
        ] {
            do {
                _ = try Privatizer(bundle, setting: setting)
                Issue.record("taken: \(message)")
            } catch {
                #expect(error.kind == .parameter && error.message == message)
            }
        }
        weaker.certificate = nil
        let copy = try Privatizer(bundle, setting: weaker)
        #expect(copy.certifiedEpsilon == copy.effectiveEpsilon)
    }

    @Test(arguments: [Mechanism.brr, .vickrey(t: [0, 0.5]), .exponential])
    func threadsGetWhatTheyWouldAlone(_ mechanism: Mechanism) async throws {
        let shared = try Privatizer(bundle, setting: Setting(epsilon: 22.18, mechanism: mechanism))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for start in 0..<8 {
                group.addTask {
                    for id in stride(from: start, to: 400, by: 8) {
                        let released = try await shared.word(bundle.vocabulary.word(id)!)
                        let released2 = bundle.vocabulary.find(released!)!
                        let codes = bundle.index.codes
                        if mechanism == .brr { #expect(codes[id] == codes[released2]) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await shared.text("the of").split(separator: " ").count == 2)
        #expect(try await shared.words(["the"]).count == 1)
        #expect(try await WordBundle.open(Work.file("bundles/64")).count == bundle.count)
    }

    @Test func theRandomizerCanBeReplaced() throws {
        struct All: Randomizer {
            func flip(_ code: inout [UInt64], random: [UInt8], threshold: Int32) throws(BrrError) {
                for i in code.indices { code[i] = ~code[i] }
            }
        }
        let privatizer = try Privatizer(
            bundle, setting: Setting(epsilon: 22, mechanism: .brr), randomizer: All())
        let code = bundle.index.codes[5].map { ~$0 }
        let expected = bundle.vocabulary.word(bundle.index.nearest(code, 1)[0].id)
        #expect(try privatizer.word(bundle.vocabulary.word(5)!) == expected)
    }

    private func recommending(_ setting: String) throws -> WordBundle {
        let folder = try Work.copyOfBundle()
        let file = folder.appendingPathComponent("manifest.json")
        var manifest = try String(contentsOf: file, encoding: .utf8)
        manifest.replaceSubrange(
            manifest.range(of: "{")!, with: "{\"recommended\": \(setting),")
        try manifest.write(to: file, atomically: false, encoding: .utf8)
        return try WordBundle(contentsOf: folder, verifyHashes: false)
    }

    private func newBudget(limit: Double) throws -> PrivacyBudget {
        let file = try Work.temporaryFolder().appendingPathComponent("state")
        return try PrivacyBudget(limit: limit, period: 3_600, stateFile: file)
    }
}

/// Returns whether the budget refuses what `body` does.
func isRefused(_ body: () throws -> Void) -> Bool {
    if case .budget = kind(body) { true } else { false }
}

/// Returns the kind of the error that `body` throws.
func kind(_ body: () throws -> Void) -> BrrError.Kind? {
    do {
        try body()
        return nil
    } catch {
        return (error as? BrrError)?.kind
    }
}
