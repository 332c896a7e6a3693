import Brrkit
import Foundation
import Security
import Testing

@testable import DemoKeyboard

private final class Collected: PrivatizedTextSink, @unchecked Sendable {
    var words = [String]()  // written on the releaser's queue, read when that is done
    func accept(_ words: [String]) { self.words += words }
}

struct ReleaserTests {
    private static let work = URL(
        fileURLWithPath: ProcessInfo.processInfo.environment["BRR_WORK"]!)
    private static let folder = work.appendingPathComponent("bundles/64")

    private func newFolder() throws -> URL {
        let folder = ReleaserTests.work.appendingPathComponent("temporary/\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private func releaser(
        _ folder: URL, _ sink: Collected = Collected(), vault: (any KeyVault)? = nil,
        clock: @escaping @Sendable () -> Instant = Instant.now
    ) -> Releaser {
        Releaser(folder: folder, vault: vault, sink: sink, clock: clock) { () throws(BrrError) in
            try WordBundle(contentsOf: ReleaserTests.folder)
        }
    }

    private func release(
        _ releaser: Releaser, _ word: String, _ settings: Settings? = nil
    ) async -> Release {
        await withCheckedContinuation { done in
            releaser.release(word, settings) { done.resume(returning: $0) }
        }
    }

    @Test func theSinkGetsWhatTheStripShows() async throws {
        let sink = Collected()
        let releaser = releaser(try newFolder(), sink)
        var releases = [Release]()
        for word in ["hello", "don't", "qzxqzx"] { releases.append(await release(releaser, word)) }
        let meaning = Meaning()
        let shown = meaning.strip(releases, isPrivate: false)
        #expect(sink.words.count == 3 && shown == sink.words.joined(separator: " "))
        #expect(meaning.strip(releases, isPrivate: true) == "Nothing: this field is private")
        #expect(meaning.strip([], isPrivate: false) == "Nothing yet")
    }

    /// Each word depends on those that were sent before in its text, and on no other text.
    @Test func aTextGoesThroughOneStream() async throws {
        let folder = try newFolder()
        let bundle = try WordBundle(contentsOf: ReleaserTests.folder)
        let settings = Settings(.chosen(.exponential, epsilon: 0.5))
        let memory = try Memory(
            period: Double(Settings.memoryDays) * 24 * 3_600,
            keyFile: folder.appendingPathComponent("memory.json"), vault: OneKey())
        let typed = (0..<30).map { bundle.vocabulary.word($0)! }
        func privatizer() throws -> Privatizer {
            try settings.privatizer(bundle, memory: memory, random: Fixed())
        }
        func released(_ stream: inout Privatizer.Stream) throws -> [String] {
            try typed.map { try stream.word($0)! }
        }
        func alone() throws -> [String] {
            let privatizer = try privatizer()
            return try typed.map { try privatizer.word($0)! }
        }
        _ = try alone()  // from now on the key is the vault's
        let expecting = try privatizer()
        var (first, second) = (expecting.stream(), expecting.stream())
        let words = try released(&first)
        let releaser = Releaser(folder: folder, vault: OneKey(), random: Fixed()) {
            () throws(BrrError) in
            try WordBundle(contentsOf: ReleaserTests.folder)
        }
        for expected in try [words, released(&second)] {
            for (word, other) in zip(typed, expected) {
                #expect(await release(releaser, word, settings) == .sent([other]))
            }
            releaser.beginText()
        }
        #expect(try words != alone())
        // A typed text of several words is sent as a whole, or not at all.
        let again = Releaser(folder: folder, vault: OneKey(), random: Fixed()) {
            () throws(BrrError) in
            try WordBundle(contentsOf: ReleaserTests.folder)
        }
        #expect(await release(again, typed.joined(separator: " "), settings) == .sent(words))
        var refusing = settings
        refusing.oov = .error
        #expect(await release(again, "the qzxqzx", refusing) == .leftOut)
    }

    @Test func settingsAndTheBudgetAreObserved() async throws {
        let sink = Collected()
        let releaser = releaser(try newFolder(), sink)
        let bundle = try WordBundle(contentsOf: ReleaserTests.folder)
        var settings = Settings(defaultFor: bundle)
        settings.oov = .drop
        #expect(await release(releaser, "qzxqzx", settings) == .leftOut)
        settings.oov = .error
        #expect(await release(releaser, "qzxqzx", settings) == .leftOut)
        // With the unknown word, which is paid once.
        settings.dailyBudget = try 2.5 * settings.privatizer(bundle).certifiedEpsilon
        guard case .sent(let words) = await release(releaser, "the", settings) else {
            Issue.record("nothing was sent")
            return
        }
        #expect(words == sink.words)
        #expect(await release(releaser, "of", settings) == .budgetUsedUp)
        try Data("damaged".utf8).write(to: releaser.budgetFile)
        #expect(await release(releaser, "of", settings) == .unavailable)
        #expect(sink.words.count == 1)
    }

    @Test func aRepeatedWordCostsOnceInThirtyDays() async throws {
        let device = Device()
        let folder = try newFolder()
        let releaser = releaser(folder, clock: { device.now })
        let bundle = try WordBundle(contentsOf: ReleaserTests.folder)
        var settings = Settings(defaultFor: bundle)
        let cost = try settings.privatizer(bundle).certifiedEpsilon
        settings.dailyBudget = cost + 1e-9
        let day = 24 * 3_600_000
        for days in [0, 0, 15, 14] {
            device.pass(days * day)
            for word in ["the", "THE"] {
                guard case .sent = await release(releaser, word, settings) else {
                    Issue.record("nothing was sent")
                    return
                }
            }
        }
        #expect(await release(releaser, "of", settings) == .budgetUsedUp)
        device.pass(day)  // a new key: the day's budget, by the device's own clock, is used up
        #expect(await release(releaser, "the", settings) == .budgetUsedUp)
        let file = folder.appendingPathComponent("memory.json")
        #expect(try String(contentsOf: file, encoding: .utf8).contains("\"number\": 2,"))
        #expect(Meaning().memory.contains("for 30 days"))
        #expect(Meaning().budget.contains("within 30 days counts once"))
    }

    /// Of 32 bytes, 10 or fewer differ. False alarm: 1e-25.
    @Test func theKeychainKeepsTheKeyOfThePeriod() async throws {
        let others: Keychain.Item = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "another service",
            kSecAttrSynchronizable: false,
        ]
        Keychain.with { $0.items = [others] }
        let device = Device()
        let folder = try newFolder()
        let releaser = releaser(folder, vault: KeychainVault(), clock: { device.now })
        func key() throws -> (name: String, item: Keychain.Item) {
            let file = folder.appendingPathComponent("memory.json")
            let state = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
            let item = try #require(
                Keychain.with { $0.items.count == 2 && $0.items[0] == others ? $0.items[1] : nil })
            return (try #require((state as? [String: Any])?["key"] as? String), item)
        }
        _ = await release(releaser, "the")
        let (name, item) = try key()
        #expect(item[kSecClass] as? String == kSecClassGenericPassword)
        let accessible = item[kSecAttrAccessible] as? String
        #expect(accessible == kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly)
        #expect(item[kSecAttrSynchronizable] as? Bool == false)
        let secret = try #require(item[kSecValueData] as? Data)
        #expect(secret.count == 32 && Set(secret).count > 10)
        #expect(name.count == 64 && name != secret.map { String(format: "%02x", $0) }.joined())

        // The same file in another process: the Keychain's key is the one that is used.
        let again = self.releaser(folder, vault: KeychainVault(), clock: { device.now })
        guard case .sent = await release(again, "the") else {
            Issue.record("nothing was sent")
            return
        }
        #expect(try key() == (name, item))
        Keychain.with { $0.isLocked = true }
        #expect(await release(again, "the") == .unavailable)
        Keychain.with { $0.isLocked = false }
        let old = try Data(contentsOf: folder.appendingPathComponent("memory.json"))
        let month = 30 * 24 * 3_600_000
        device.pass(month)
        _ = await release(again, "the")
        let (nextName, next) = try key()  // one item: the old key is erased
        #expect(nextName != name && next[kSecValueData] != item[kSecValueData])
        device.pass(-month)  // an old file isn't taken for the new key's
        try old.write(to: folder.appendingPathComponent("memory.json"))
        #expect(await release(again, "the") == .unavailable)
    }

    @Test func aDamagedKeyStopsReleases() async throws {
        let folder = try newFolder()
        let sink = Collected()
        try Data("damaged".utf8).write(to: folder.appendingPathComponent("memory.json"))
        #expect(await release(releaser(folder, sink), "the") == .unavailable)
        #expect(sink.words.isEmpty)
    }

    @Test func withoutABundleNothingIsReleased() async throws {
        let sink = Collected()
        let releaser = Releaser(folder: try newFolder(), vault: nil, sink: sink) {
            () throws(BrrError) in
            try WordBundle(contentsOf: URL(fileURLWithPath: "/missing"))
        }
        #expect(await release(releaser, "the") == .unavailable)
        let suggested = await withCheckedContinuation { done in
            releaser.suggest("th") { done.resume(returning: $0) }
        }
        #expect(suggested.isEmpty && sink.words.isEmpty)
    }

    @Test func suggestionsAreInTheCaseOfWhatIsTyped() throws {
        let bundle = try WordBundle(contentsOf: ReleaserTests.folder)
        let nearest = try bundle.neighbors(of: "the", k: 1)[0].word
        let words = suggestions(bundle, for: "th")
        #expect(words.count == suggestionsShown && words.allSatisfy { $0.hasPrefix("th") })
        #expect(suggestions(bundle, for: "Th") == words.map { "T" + $0.dropFirst() })
        #expect(suggestions(bundle, for: "TH") == words.map { $0.uppercased() })
        #expect(suggestions(bundle, for: "the").contains(nearest))
        #expect(suggestions(bundle, for: "am").contains("I"), "one of its nearest words")
        #expect(suggestions(bundle, for: "").isEmpty)
        #expect(suggestions(bundle, for: "qzxqzx").isEmpty)
    }
}

/// The same bytes each time.
private final class Fixed: RandomSource, @unchecked Sendable {  // one queue draws from it
    private var state: UInt64 = 1

    func bytes(_ count: Int) throws(BrrError) -> [UInt8] {
        (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
    }
}

/// Gives one key, whatever it is given.
private struct OneKey: KeyVault {
    func seal(_ key: [UInt8]) throws -> [UInt8] { [UInt8](repeating: 7, count: 32) }
    func open(_ sealed: [UInt8]) throws -> [UInt8] { sealed }
}

/// Clocks that are set by hand.
private final class Device: @unchecked Sendable {  // tests set it between releases
    var now = Instant(time: 1_700_000_000_000, uptime: 500_000, boot: "a")

    func pass(_ milliseconds: Int) {
        now.time += milliseconds
        now.uptime += milliseconds
    }
}
