import Brrkit
import Foundation
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

    private func newFile() throws -> URL {
        let folder = ReleaserTests.work.appendingPathComponent("temporary/\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.appendingPathComponent("budget.json")
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
        let releaser = Releaser(budgetFile: try newFile(), sink: sink) { () throws(BrrError) in
            try WordBundle(contentsOf: ReleaserTests.folder)
        }
        var releases = [Release]()
        for word in ["hello", "don't", "qzxqzx"] { releases.append(await release(releaser, word)) }
        let shown = Words.strip(releases, isPrivate: false)
        #expect(sink.words.count == 3 && shown == sink.words.joined(separator: " "))
        #expect(Words.strip(releases, isPrivate: true) == Words.privateField)
        #expect(Words.strip([], isPrivate: false) == Words.nothingYet)
    }

    @Test func settingsAndTheBudgetAreObserved() async throws {
        let file = try newFile()
        let sink = Collected()
        let releaser = Releaser(budgetFile: file, sink: sink) { () throws(BrrError) in
            try WordBundle(contentsOf: ReleaserTests.folder)
        }
        let bundle = try WordBundle(contentsOf: ReleaserTests.folder)
        var settings = Settings(defaultFor: bundle)
        settings.oov = .drop
        #expect(await release(releaser, "qzxqzx", settings) == .leftOut)
        settings.oov = .error
        #expect(await release(releaser, "qzxqzx", settings) == .leftOut)
        settings.dailyBudget = 3.5 * settings.epsilon
        guard case .sent(let words) = await release(releaser, "the", settings) else {
            Issue.record("nothing was sent")
            return
        }
        #expect(words == sink.words)
        #expect(await release(releaser, "the", settings) == .budgetUsedUp)
        try Data("damaged".utf8).write(to: file)
        #expect(await release(releaser, "the", settings) == .unavailable)
        #expect(sink.words.count == 1)
    }

    @Test func withoutABundleNothingIsReleased() async throws {
        let sink = Collected()
        let releaser = Releaser(budgetFile: try newFile(), sink: sink) { () throws(BrrError) in
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
        let words = suggestions(bundle, for: "th")
        #expect(words.count == suggestionsShown && words.allSatisfy { $0.hasPrefix("th") })
        #expect(suggestions(bundle, for: "Th") == words.map { "T" + $0.dropFirst() })
        #expect(suggestions(bundle, for: "TH") == words.map { $0.uppercased() })
        #expect(suggestions(bundle, for: "the").contains(bundle.neighbors(of: "the", limit: 1)[0]))
        #expect(suggestions(bundle, for: "").isEmpty)
        #expect(suggestions(bundle, for: "qzxqzx").isEmpty)
    }

    @Test @MainActor func settingsAreKept() throws {
        let bundle = try WordBundle(contentsOf: ReleaserTests.folder)
        let defaults = try #require(UserDefaults(suiteName: UUID().uuidString))
        let store = SettingsStore(defaults)
        var settings = store.load(bundle)
        #expect(settings == Settings(defaultFor: bundle))
        #expect(settings.mechanism == .exponential)
        settings.mechanism = .brr
        settings.epsilon = 0.25
        settings.dailyBudget = Settings.dailyBudgets[0]
        settings.oov = .drop
        store.save(settings)
        #expect(SettingsStore(defaults).load(bundle) == settings)
        let strong = try Settings(defaultFor: bundle).unchanged(bundle)
        settings.epsilon = 22
        #expect(try settings.unchanged(bundle) > strong)
        #expect(Settings.epsilons(bits: 64).count == 16)
        for mechanism in Settings.mechanisms { #expect(!Words.meaning(mechanism).name.isEmpty) }
        #expect(Set(Oov.allCases.map { Words.meaning($0) }).count == Oov.allCases.count)
        #expect(Settings.dailyBudgets.contains(Settings(defaultFor: bundle).dailyBudget))
        settings.epsilon = 0.3
        #expect(Words.budget(settings, left: 29.7).hasPrefix("99 words left today."))
    }

    @Test func whatIsRecommendedKeepsItsRadiusAtEveryStrength() throws {
        let folder = try newFile().deletingLastPathComponent()
        for name in ["manifest.json", "index.safetensors", "randomizer.tflite"] {
            let content = try Data(
                contentsOf: ReleaserTests.folder.appendingPathComponent(name))
            try content.write(to: folder.appendingPathComponent(name))
        }
        let file = folder.appendingPathComponent("manifest.json")
        var manifest = try String(contentsOf: file, encoding: .utf8)
        let setting =
            #"{"mechanism": "exponential", "epsilon": 0.5, "parameters": {"radius": 64}, "goal": ""}"#
        manifest.replaceSubrange(manifest.range(of: "{")!, with: "{\"recommended\": \(setting),")
        try Data(manifest.utf8).write(to: file)
        let bundle = try WordBundle(contentsOf: folder, verifyHashes: false)
        var settings = Settings(defaultFor: bundle)
        #expect(settings.epsilon == 0.5)
        for epsilon in [0.5, 2] {
            settings.epsilon = epsilon
            // Within the radius are all words: every one is as likely.
            #expect(try settings.privatizer(bundle, budget: nil).effectiveEpsilon == 0)
        }
        settings.mechanism = .brr
        #expect(try settings.privatizer(bundle, budget: nil).effectiveEpsilon > 0.4)
    }
}
