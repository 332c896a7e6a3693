import Brrkit
import Foundation
import Testing

@testable import BrrkitKeyboard

/// Several languages under one consent.
@MainActor
struct BrrKeyboardsTests {
    private func keyboards(_ languages: [String], _ folder: URL) -> BrrKeyboards {
        let settings = ReleaseSettings(
            .chosen(.exponential, epsilon: 0.5),
            reports: ReportSettings(CountsSetting(cap: 9, wordsADay: 5)))
        let made = options(settings, sink: Collected(), memoryDays: 30)
        return BrrKeyboards(
            languages, folder: folder, { _ in made },
            open: { (language) throws(BrrError) in
                try WordBundle(contentsOf: Work.folder(of: language))
            })
    }

    @Test func eachLanguageHasItsOwnFiles() async throws {
        let folder = try Work.newFolder()
        let keyboards = keyboards(["fa", "fr"], folder)
        #expect(keyboards["fr"] === keyboards["fr"] && keyboards["fr"] !== keyboards["fa"])
        try keyboards.consent.give()
        _ = await released(keyboards["fr"], "l'homme")
        func names(_ place: String) throws -> Set<String> {
            let place = folder.appendingPathComponent(place)
            return Set(try FileManager.default.contentsOfDirectory(atPath: place.path))
        }
        #expect(try names("") == ["consent", "fa", "fr"])
        #expect(try names("fr").isSuperset(of: ["budget.json", "memory.json", "outbox"]))
        #expect(try names("fa") == [])
        #expect(try keyboards["fr"].outbox.status().batches == 1)
        #expect(try keyboards["fa"].outbox.status().batches == 0)
    }

    /// Also the waiting reports of a language that the app no longer has, or hasn't used yet.
    @Test func withdrawingEmptiesAllOutboxes() async throws {
        let folder = try Work.newFolder()
        let before = keyboards(["fa", "fr"], folder)
        try before.consent.give()
        for (language, word) in [("fr", "homme"), ("fa", "کتاب")] {
            _ = await released(before[language], word)
            #expect(try before[language].outbox.status().batches == 1)
        }
        let now = keyboards(["fr"], folder)
        #expect(now.consent.isGiven)
        try now["fr"].consent.withdraw()
        #expect(!now.consent.isGiven && !before["fa"].consent.isGiven)
        for language in ["fr", "fa"] {
            #expect(try before[language].outbox.status().batches == 0)
        }
        #expect(await released(now["fr"], "homme") == .off)
    }

    /// A list in addition to a language: an emoji is counted, and only its list receives it.
    @Test func aListIsCountedBesideALanguage() async throws {
        let settings = ReleaseSettings(
            .recommended, reports: ReportSettings(CountsSetting(cap: 88, wordsADay: 5)))
        let keyboards = BrrKeyboards(
            ["emoji"], folder: try Work.newFolder(), { _ in options(settings) },
            open: { (list) throws(BrrError) in
                try WordBundle(
                    contentsOf: Work.folder.appendingPathComponent("bundles/list-\(list)"))
            })
        try keyboards.consent.give()
        let release = await released(keyboards["emoji"], "ok \u{1F602}\u{1F44D}")
        #expect(release == Release(text: .noSink, report: .counted))
        #expect(try keyboards["emoji"].outbox.status().batches == 1)
    }
}
