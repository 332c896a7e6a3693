import Foundation
import Testing

@testable import Brrkit

/// The keyed memory: its key and its period; no refusal reveals words, and nothing typed is kept.
struct KeyedMemoryTests {
    private static let hour = 3_600
    private static let secret = "zorblaxian"

    private let folder: URL
    private let file: URL
    private let device = Device()

    init() throws {
        folder = try Work.temporaryFolder()
        file = folder.appendingPathComponent("memory")
    }

    private func memory(_ vault: (any KeyVault)? = nil) throws -> Memory {
        try Memory(period: 3_600, keyFile: file, vault: vault, clock: { [device] in device.now })
    }

    private func privatizer(
        _ memory: Memory, epsilon: Double = 0.01, mechanism: Mechanism = .brr, oov: Oov = .random,
        budget: PrivacyBudget? = nil
    ) throws -> Privatizer {
        try Privatizer(
            Work.bundle64, setting: Setting(epsilon: epsilon, mechanism: mechanism), oov: oov,
            budget: budget,
            memory: memory, secondEpsilon: 22)
    }

    private func stored() throws -> String { try String(contentsOf: file, encoding: .utf8) }

    private func storedKey() throws -> String {
        try #require(JSON(parsing: Array(stored().utf8))["key"]?.string)
    }

    /// Two of these draws are equal with 1/1,700, two of different periods too.
    /// False alarm: 1e-9.
    @Test func aWordIsDrawnTheSameForAPeriod() throws {
        let known = (0..<30).map { Work.bundle64.vocabulary.word($0)! }
        let words = known + [KeyedMemoryTests.secret, "a b", ""]
        for mechanism in [Mechanism.brr, .exponential(radius: 0, base: .uniform)] {
            let privatizer = try privatizer(memory(), mechanism: mechanism)
            let first = try privatizer.words(words)
            #expect(Set(first).count > 20)
            for _ in 0..<3 { #expect(try privatizer.words(words) == first) }
            #expect(try privatizer.words(words.reversed()) == first.reversed())
            device.pass(KeyedMemoryTests.hour * 1_000)
            let second = try privatizer.words(words)
            #expect(zip(first, second).filter { $0 == $1 }.count < 6)
        }
    }

    @Test func theSecondEpsilonIsTwiceTheFirst() throws {
        let memory = try memory()
        let words = (0..<30).map { Work.bundle64.vocabulary.word($0)! }
        func released(_ second: Double?) throws -> [String] {
            try Privatizer(
                Work.bundle64, setting: Setting(epsilon: 0.3, mechanism: .brr), memory: memory,
                secondEpsilon: second,
                random: Replay((0..<30 * 256).map { UInt8(truncatingIfNeeded: $0 * $0 >> 7) })
            ).words(words)
        }
        #expect(try released(nil) == released(0.6))
        #expect(try released(nil) != released(0.3))
    }

    /// Of keys that are equal, or have 10 different bytes. False alarm: 1e-25.
    @Test func everyPeriodHasAKeyOfItsOwn() throws {
        let memory = try memory()
        var keys = Set<String>()
        for number in 1...5 {
            #expect(try memory.key().number == number)
            keys.insert(try storedKey())
            #expect(try Set(memory.key().secret).count > 10)  // of 32 random bytes
            device.pass(KeyedMemoryTests.hour * 1_000 - 1)
            #expect(try memory.key().number == number)
            #expect(keys.count == number)
            device.pass(1)
        }
        _ = try memory.key()
        #expect(try !keys.contains(storedKey()))
    }

    @Test func aSetClockChangesNothing() throws {
        let memory = try memory()
        _ = try memory.key()
        let first = try storedKey()
        device.now.time += 1_000_000 * KeyedMemoryTests.hour
        #expect(try memory.key().number == 1)
        #expect(try storedKey() == first)
        device.now = Instant(  // a restart, half an hour later
            time: 1_700_000_000_000 + 1_800_000, uptime: 2_000, boot: "b")
        #expect(try memory.key().number == 1)
        device.now.time += 1_000_000 * KeyedMemoryTests.hour  // after that look, it doesn't count
        #expect(try memory.key().number == 1)
        device.pass(1_799_000)
        #expect(try memory.key().number == 1)
        device.pass(1_000)
        #expect(try memory.key().number == 2)
    }

    /// Returns all ways in which `count` words can repeat, each as their numbers from 0.
    private func patterns(_ count: Int) -> [[Int]] {
        count == 0
            ? [[]]
            : patterns(count - 1).flatMap { first in (0...Set(first).count).map { first + [$0] } }
    }

    /// Returns all that is observable about the releases of `words` under a budget, except the released
    /// words.
    private func shown(_ words: [String], _ way: String, _ limit: Double) throws -> [String] {
        device.now = Instant(time: 1_700_000_000_000, uptime: 500_000, boot: "a")
        let spent = folder.appendingPathComponent("budget")
        func started() throws -> (PrivacyBudget, Privatizer, Reporter) {
            let budget = try PrivacyBudget(
                limit: limit, period: 3_600, stateFile: spent, clock: { [device] in device.now })
            let counts = try Counts(
                Work.bundle64, setting: CountsSetting(cap: 0.5, wordsADay: 9), memory: memory())
            return (
                budget, try privatizer(memory(), epsilon: 0.5, budget: budget),
                try Reporter(counts, budget: budget)
            )
        }
        var seen = [String]()
        var (budget, some, reporter) = try started()
        var stream = some.stream()
        for word in words + [words[0]] {
            if way == "again" { (budget, some, reporter) = try started() }
            do throws(BrrError) {
                switch way {
                case "words": seen.append("\(try some.words(words).count)")
                case "texts":
                    let texts = try some.texts([word, "", words.joined(separator: " ")])
                    seen.append("\(texts.count)")
                case "reports": try reporter.add([word])
                case "stream": seen.append("\(try stream.word(word) == nil)")
                default: seen.append("\(try some.word(word) == nil)")
                }
            } catch {
                seen.append("\(error.kind) \(error)")
            }
            let left = try budget.wordsLeft(0.5, unit: Work.bundle64.digest)
            let stored = (try? String(contentsOf: spent, encoding: .utf8)) ?? ""
            seen.append("\(try budget.remaining()) \(left) \(stored)")
            device.pass(1_000)
        }
        try? FileManager.default.removeItem(at: spent)
        try FileManager.default.removeItem(at: file)
        return seen
    }

    /// Up to five words in all patterns of repeats: the refusals, the rest, and the stored state.
    @Test func aRefusalDependsOnTheNumberOfReleasesAlone() throws {
        let secret = KeyedMemoryTests.secret
        let some = ["the", secret, "of", secret + "s", "and"]
        for way in ["again", "words", "texts", "stream", "reports"] {
            for count in 1...5 {
                for limit in [0.5 * Double(max(count - 1, 1)), 0.5 * Double(count) + 0.1] {
                    let seen = try Set(
                        patterns(count).map { try shown($0.map { some[$0] }, way, limit) })
                    #expect(seen.count == 1, "\(way), \(count) words, \(limit)")
                    #expect(seen.first!.contains { $0.contains("doesn't allow this release") })
                }
            }
        }
    }

    @Test func noDamageGivesAnotherKey() throws {
        let memory = try memory()
        _ = try memory.key()
        let line = try [UInt8](Data(contentsOf: file))
        var damaged = line.indices.map { i in
            var copy = line
            copy[i] ^= 1 << UInt8(i % 8)
            return copy
        }
        damaged += [[], Array(line.prefix(100)), line + line]
        for content in damaged {
            try Data(content).write(to: file)
            #expect(kind { _ = try privatizer(memory).word("the") } == .memoryFile)
            #expect(try [UInt8](Data(contentsOf: file)) == content)
        }
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createSymbolicLink(
            at: file, withDestinationURL: folder.appendingPathComponent("other"))
        #expect(kind { _ = try memory.key() } == .memoryFile)
    }

    @Test func nothingTypedAndNoKeyIsShownOrStored() throws {
        let memory = try memory()
        let privatizer = try privatizer(memory)
        _ = try privatizer.words([KeyedMemoryTests.secret, "the"])
        let key = try memory.key()
        var shown = "\(memory) \(key) \(String(reflecting: key)) \(privatizer) \([key])"
        dump(key, to: &shown)
        dump(privatizer, to: &shown)
        let bytes = "\(bytes(ofHexadecimal: try storedKey()).prefix(8))".dropFirst().dropLast()
        #expect(!shown.contains(bytes))
        #expect(try !shown.contains(storedKey()))
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let content = try Data(contentsOf: folder.appendingPathComponent(name))
            #expect(content.range(of: Data(KeyedMemoryTests.secret.utf8)) == nil)
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    private struct Vault: KeyVault {
        struct Fails: Error {}
        var sealed = 35
        var opened = 32

        func seal(_ key: [UInt8]) throws -> [UInt8] {
            if sealed < 0 { throw Fails() }
            let long = [7, 7, 7] + key.reversed() + [UInt8](repeating: 0, count: 2_000)
            return Array(long.prefix(sealed))
        }

        func open(_ sealed: [UInt8]) throws -> [UInt8] {
            if opened < 0 { throw Fails() }
            return Array(sealed.dropFirst(3).reversed().prefix(opened))
        }
    }

    @Test func aVaultKeepsTheKey() throws {
        let memory = try memory(Vault())
        let secret = try hexadecimal(memory.key().secret.reversed())
        #expect(try storedKey() == "070707" + secret)
        let word = try privatizer(memory).word("the")
        #expect(try privatizer(memory).word("the") == word)
        // Takes the stored content for a key of another length.
        #expect(kind { _ = try self.memory().key() } == .memoryFile)
    }

    @Test func aVaultThatFailsStopsReleases() throws {
        for vault in [Vault(sealed: -1), Vault(sealed: 31), Vault(sealed: 1_025)] {
            #expect(kind { _ = try privatizer(memory(vault)).word("the") } == .memoryFile)
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
        for vault in [Vault(opened: -1), Vault(opened: 31)] {
            _ = try? memory(vault).key()  // the first key needn't be opened
            #expect(kind { _ = try privatizer(memory(vault)).word("the") } == .memoryFile)
        }
    }

    @Test func threadsGetOneKey() async throws {
        let one = try privatizer(memory())
        let words = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<40 { group.addTask { try await one.word("the") } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(words.count == 1)
    }

    /// RFC 4231, test cases 1 and 2, and a message of more than a block.
    @Test func theHMACIsTheStandards() {
        let first = hmac([UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8))
        #expect(
            hexadecimal(first)
                == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        let second = hmac(Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        #expect(
            hexadecimal(second)
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(fromHexadecimal("0g") == nil)
        #expect(fromHexadecimal("abc") == nil)
        #expect(fromHexadecimal("00ff10") == [0, 255, 16])
    }

    @Test func badParameters() throws {
        for period in [0, 0.5, Double.nan, 1e13] {
            #expect(kind { _ = try Memory(period: period, keyFile: file) } == .parameter)
        }
        let page = URL(string: "https://a.b/c")!
        #expect(kind { _ = try Memory(period: 1, keyFile: page) } == .parameter)
        let memory = try memory()
        #expect(
            kind {
                _ = try Privatizer(Work.bundle64, setting: Setting(epsilon: 0.5), secondEpsilon: 1)
            } == .parameter
        )
        #expect(
            kind {
                _ = try Privatizer(
                    Work.bundle64, setting: Setting(epsilon: 0.5), memory: memory, secondEpsilon: 23
                )
            } == .parameter)
        #expect(
            try Privatizer(Work.bundle64, setting: Setting(epsilon: 20), memory: memory).word("the")
                != nil)
    }
}

/// Clocks that tests set.
private final class Device: @unchecked Sendable {  // tests set it between calls
    var now = Instant(time: 1_700_000_000_000, uptime: 500_000, boot: "a")

    func pass(_ milliseconds: Int) {
        now.time += milliseconds
        now.uptime += milliseconds
    }
}
