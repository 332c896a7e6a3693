import Brrkit
import Foundation
import Security
import Testing

@testable import BrrkitKeyboard

/// The draws, their settings, and their outcomes.
@Suite(.serialized)  // one of them uses what stands for the Keychain
struct ReleaserTests {
    private let chosen = ReleaseSettings(.chosen(.exponential, epsilon: 0.5), reports: nil)

    private func keyboard(_ folder: URL, _ options: BrrKeyboard.Options) throws -> BrrKeyboard {
        let keyboard = BrrKeyboard(folder: folder, options) { () throws(BrrError) in
            try WordBundle(contentsOf: Work.bundleFolder)
        }
        try keyboard.consent.give()
        return keyboard
    }

    @Test func theSinkGetsWhatIsShown() async throws {
        let sink = Collected()
        let keyboard = try keyboard(Work.newFolder(), options(chosen, sink: sink))
        var shown = [String]()
        for word in ["hello", "don't", "qzxqzx"] {
            guard case .sent(let words) = await released(keyboard, word).text else { continue }
            shown += words
        }
        #expect(shown.count == 3 && shown == sink.words)
        let source = try #require(sink.sources.first)
        #expect(sink.sources.count == 1 && source.bundle == Work.bundle.manifestDigest)
        #expect(
            source.setting
                == #"{"epsilon": 0.5, "mechanism": "exponential", "parameters": {}}"#)
    }

    @Test func withoutConsentNothingIsDrawnKeptOrSpent() async throws {
        let (sink, folder) = (Collected(), try Work.newFolder())
        let settings = ReleaseSettings(
            .chosen(.exponential, epsilon: 0.5),
            reports: ReportSettings(CountsSetting(cap: 9, wordsADay: 5)))
        let keyboard = try keyboard(folder, options(settings, sink: sink, memoryDays: 30))
        try keyboard.consent.withdraw()
        #expect(await released(keyboard, "the") == .off)
        #expect(sink.words.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        try keyboard.consent.give()
        guard case .sent = await released(keyboard, "the").text else {
            Issue.record("nothing was sent")
            return
        }
        #expect(try keyboard.outbox.status().batches == 1)
        try keyboard.consent.withdraw()
        #expect(try keyboard.outbox.status().batches == 0)
    }

    @Test func withoutASinkNoTextIsReleased() async throws {
        let folder = try Work.newFolder()
        let keyboard = try keyboard(folder, options(chosen))
        #expect(await released(keyboard, "the") == Release(text: .noSink, report: .noSetting))
        #expect(!FileManager.default.fileExists(atPath: keyboard.releaser.budgetFile.path))
    }

    /// Each word depends on those that were sent before in its text, and on no other text.
    @Test func aTextGoesThroughOneStream() async throws {
        let folder = try Work.newFolder()
        let memory = try Memory(
            period: 30 * 86_400, keyFile: folder.appendingPathComponent("memory.json"),
            vault: OneKey())
        let typed = (0..<30).map { Work.bundle.vocabulary.word($0)! }
        func privatizer() throws -> Privatizer {
            try chosen.privatizer(Work.bundle, memory: memory, random: Fixed())
        }
        func words(_ stream: inout Privatizer.Stream) throws -> [String] {
            try typed.map { try stream.word($0)! }
        }
        func alone() throws -> [String] {
            let privatizer = try privatizer()
            return try typed.map { try privatizer.word($0)! }
        }
        _ = try alone()  // from now on the key is the vault's
        let expecting = try privatizer()
        var (first, second) = (expecting.stream(), expecting.stream())
        let expected = try words(&first)
        var given = options(
            chosen, sink: Collected(), memoryDays: 30, vault: OneKey(), random: Fixed())
        given.clock = Instant.now
        let keyboard = try keyboard(folder, given)
        for text in try [expected, words(&second)] {
            for (word, other) in zip(typed, text) {
                #expect(await released(keyboard, word).text == .sent([other]))
            }
            keyboard.beginText()
        }
        #expect(try expected != alone())
        // A typed text of several words is sent as a whole, or not at all.
        given.random = Fixed()
        let again = try self.keyboard(folder, given)
        #expect(await released(again, typed.joined(separator: " ")).text == .sent(expected))
        var refusing = chosen
        refusing.oov = .error
        given.settings = { [refusing] _ in refusing }
        let strict = try self.keyboard(folder, given)
        #expect(await released(strict, "the qzxqzx").text == .leftOut)
    }

    @Test func settingsAndTheBudgetAreObserved() async throws {
        let (sink, folder) = (Collected(), try Work.newFolder())
        var settings = chosen
        settings.oov = .drop
        #expect(
            await released(try keyboard(folder, options(settings, sink: sink)), "qzxqzx").text
                == .leftOut)
        // With the unknown word, which is paid.
        settings.dailyBudget = try 2.5 * settings.privatizer(Work.bundle).certifiedEpsilon
        let keyboard = try keyboard(folder, options(settings, sink: sink))
        guard case .sent(let words) = await released(keyboard, "the").text else {
            Issue.record("nothing was sent")
            return
        }
        #expect(words == sink.words)
        #expect(await released(keyboard, "of").text == .budgetUsedUp)
        try Data("damaged".utf8).write(to: keyboard.releaser.budgetFile)
        #expect(await released(keyboard, "of").text == .unavailable)
        #expect(sink.words.count == 1)
    }

    @Test func textAndCountsHaveOneBudget() async throws {
        let loss = try Counts(Work.bundle, setting: CountsSetting(cap: 9)).loss
        var settings = chosen
        settings.reports = ReportSettings(CountsSetting(cap: 9, wordsADay: 5))
        settings.dailyBudget = try settings.privatizer(Work.bundle).certifiedEpsilon + loss + 0.001
        let keyboard = try keyboard(Work.newFolder(), options(settings, sink: Collected()))
        let first = await released(keyboard, "the")
        guard case .sent = first.text, first.report == .counted else {
            Issue.record("nothing was sent")
            return
        }
        #expect(
            await released(keyboard, "the") == Release(text: .budgetUsedUp, report: .budgetUsedUp))
    }

    /// With a memory, too: no refusal reveals a repeated word.
    @Test func aRepeatedWordCostsEachTime() async throws {
        let (device, folder) = (Device(), try Work.newFolder())
        var settings = chosen
        settings.dailyBudget = try 2 * settings.privatizer(Work.bundle).certifiedEpsilon + 1e-8
        let keyboard = try keyboard(
            folder, options(settings, sink: Collected(), memoryDays: 30, device))
        for word in ["the", "THE"] {
            guard case .sent = await released(keyboard, word).text else {
                Issue.record("nothing was sent")
                return
            }
        }
        for word in ["the", "of"] {
            #expect(await released(keyboard, word).text == .budgetUsedUp)
        }
        device.pass(days: 30)  // a new key; the budget's day is by the device's own clock
        #expect(await released(keyboard, "the").text == .budgetUsedUp)
        let file = folder.appendingPathComponent("memory.json")
        #expect(try String(contentsOf: file, encoding: .utf8).contains("\"number\": 2,"))
    }

    @Test func aStrengthAboveTheAppsLimitReleasesNothing() async throws {
        let bundle = try WordBundle(contentsOf: Work.folder.appendingPathComponent("calibrated"))
        let strengths = bundle.strengths(of: "exponential")
        let (strong, weak) = (try #require(strengths.first), try #require(strengths.last))
        var settings = ReleaseSettings(.chosen(.exponential, epsilon: weak.epsilon), reports: nil)
        settings.mostAttackSuccess = strong.measured.attackSuccess.high
        func allows(_ epsilon: Double, _ mechanism: Mechanism = .exponential) -> Bool {
            settings.allows(.chosen(mechanism, epsilon: epsilon), on: bundle)
        }
        #expect(allows(strong.epsilon) && allows(strong.epsilon / 2))
        #expect(!allows(strong.epsilon + 1e-9) && !allows(weak.epsilon))
        #expect(!allows(weak.epsilon + 1), "nothing was measured there")
        #expect(!allows(strong.epsilon, .exponential(radius: 0)), "nor with another radius")
        #expect(!allows(0.001, .vickrey(t: 0.3)))
        let own = try #require(bundle.recommended?.measured).attackSuccess.high
        settings.mostAttackSuccess = own
        #expect(settings.allows(.recommended, on: bundle))
        settings.mostAttackSuccess = own - 1e-9
        #expect(!settings.allows(.recommended, on: bundle))
        let sink = Collected()
        var given = options(settings, sink: sink)
        let keyboard = BrrKeyboard(folder: try Work.newFolder(), given) { () throws(BrrError) in
            bundle
        }
        try keyboard.consent.give()
        #expect(await released(keyboard, "the").text == .unavailable && sink.words.isEmpty)
        settings.mostAttackSuccess = nil
        given.settings = { [settings] _ in settings }
        let free = BrrKeyboard(folder: try Work.newFolder(), given) { () throws(BrrError) in bundle
        }
        try free.consent.give()
        _ = await released(free, "the")
        #expect(sink.words.count == 1)
    }

    /// Of 32 bytes, 10 or fewer differ. False alarm: 1e-25.
    @Test func theKeychainKeepsTheKeyOfThePeriod() async throws {
        let others: Keychain.Item = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "another service",
            kSecAttrSynchronizable: false,
        ]
        Keychain.with { $0.items = [others] }
        let device = Device()
        let folder = try Work.newFolder()
        let keyboard = try keyboard(
            folder,
            options(chosen, sink: Collected(), memoryDays: 30, vault: KeychainVault(), device))
        func key() throws -> (name: String, item: Keychain.Item) {
            let file = folder.appendingPathComponent("memory.json")
            let state = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
            let item = try #require(
                Keychain.with { $0.items.count == 2 && $0.items[0] == others ? $0.items[1] : nil })
            return (try #require((state as? [String: Any])?["key"] as? String), item)
        }
        _ = await released(keyboard, "the")
        let (name, item) = try key()
        #expect(item[kSecClass] as? String == kSecClassGenericPassword)
        let accessible = item[kSecAttrAccessible] as? String
        #expect(accessible == kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly)
        #expect(item[kSecAttrSynchronizable] as? Bool == false)
        let secret = try #require(item[kSecValueData] as? Data)
        #expect(secret.count == 32 && Set(secret).count > 10)
        #expect(name.count == 64 && name != secret.map { String(format: "%02x", $0) }.joined())

        // The same file in another process: the Keychain's key is the one that is used.
        let again = try self.keyboard(
            folder,
            options(chosen, sink: Collected(), memoryDays: 30, vault: KeychainVault(), device))
        guard case .sent = await released(again, "the").text else {
            Issue.record("nothing was sent")
            return
        }
        #expect(try key() == (name, item))
        Keychain.with { $0.isLocked = true }
        #expect(await released(again, "the").text == .unavailable)
        Keychain.with { $0.isLocked = false }
        let old = try Data(contentsOf: folder.appendingPathComponent("memory.json"))
        let month = 30 * 24 * 3_600_000
        device.pass(month)
        _ = await released(again, "the")
        let (nextName, next) = try key()  // one item: the old key is erased
        #expect(nextName != name && next[kSecValueData] != item[kSecValueData])
        device.pass(-month)  // an old file isn't taken for the new key's
        try old.write(to: folder.appendingPathComponent("memory.json"))
        #expect(await released(again, "the").text == .unavailable)
    }

    @Test func aDamagedKeyStopsReleases() async throws {
        let (sink, folder) = (Collected(), try Work.newFolder())
        try Data("damaged".utf8).write(to: folder.appendingPathComponent("memory.json"))
        let keyboard = try keyboard(folder, options(chosen, sink: sink, memoryDays: 30))
        #expect(await released(keyboard, "the").text == .unavailable)
        #expect(sink.words.isEmpty)
    }

    @Test func withoutABundleNothingIsReleased() async throws {
        let sink = Collected()
        let keyboard = BrrKeyboard(folder: try Work.newFolder(), options(chosen, sink: sink)) {
            () throws(BrrError) in
            try WordBundle(contentsOf: URL(fileURLWithPath: "/missing"))
        }
        try keyboard.consent.give()
        #expect(await released(keyboard, "the") == .unavailable)
        let suggested = await withCheckedContinuation { done in
            keyboard.suggest("th") { done.resume(returning: $0) }
        }
        #expect(suggested.isEmpty && sink.words.isEmpty)
    }

    @Test @MainActor func onlyTheLastSuggestionIsAnswered() async throws {
        let keyboard = try keyboard(Work.newFolder(), options(chosen))
        let words = await withCheckedContinuation { done in
            keyboard.suggest("q") { _ in Issue.record("something else is typed by now") }
            keyboard.suggest("") { _ in Issue.record("nothing was asked") }
            keyboard.suggest("th") { done.resume(returning: $0) }
        }
        #expect(words == suggestions(Work.bundle, for: "th"))
    }

    @Test func suggestionsAreInTheCaseOfWhatIsTyped() throws {
        let bundle = Work.bundle
        let nearest = try bundle.neighbors(of: "the", k: 1)[0].word
        let words = suggestions(bundle, for: "th")
        #expect(words.count == suggestionsShown && words.allSatisfy { $0.hasPrefix("th") })
        #expect(suggestions(bundle, for: "Th") == words.map { "T" + $0.dropFirst() })
        #expect(suggestions(bundle, for: "TH") == words.map { $0.uppercased() })
        #expect(suggestions(bundle, for: "the").contains(nearest))
        #expect(suggestions(bundle, for: "").isEmpty)
        #expect(suggestions(bundle, for: "qzxqzx").isEmpty)
    }

    @Test(arguments: [("fr", "l’HOMME", 2), ("zh", "wifi酒店很差", 3), ("fa", "می\u{200C}خواهم", 1)])
    func whatWasTypedIsCutByTheBundle(_ language: String, _ typed: String, _ count: Int)
        async throws
    {
        let sink = Collected()
        let settings = ReleaseSettings(
            .chosen(.exponential, epsilon: 0.5),
            reports: ReportSettings(CountsSetting(cap: 9, wordsADay: 5)))
        let keyboard = BrrKeyboard(folder: try Work.newFolder(), options(settings, sink: sink)) {
            () throws(BrrError) in try WordBundle(contentsOf: Work.folder(of: language))
        }
        try keyboard.consent.give()
        let release = await released(keyboard, typed)
        #expect(release == Release(text: .sent(sink.words), report: .counted))
        #expect(sink.words.count == count)
    }
}
