import Brrkit
import BrrkitKeyboard
import Foundation
import Testing

@testable import DemoKeyboard

/// The demo with bundles of several languages in its package.
@MainActor
struct LanguagesTests {
    private let defaults = UserDefaults(suiteName: UUID().uuidString)!

    /// Makes a package with bundles of these languages.
    private func packaged(_ languages: String...) throws -> PackagedBundles {
        let folder = try Bundles.newFolder()
        for language in languages {
            let name = language == "en" ? "bundles/64" : "bundles/writing-\(language)"
            try FileManager.default.copyItem(
                at: Bundles.work.appendingPathComponent(name),
                to: folder.appendingPathComponent(language))
        }
        return PackagedBundles(in: folder)
    }

    private func keyboards(_ bundles: PackagedBundles, in folder: URL) -> DemoKeyboards {
        DemoKeyboards(bundles, folder: folder, defaults, mostAttackSuccess: nil)
    }

    private func opened(_ keyboard: BrrKeyboard) async throws -> WordBundle {
        let opened: Result<WordBundle, BrrError> = await withCheckedContinuation { done in
            keyboard.bundle.opened { done.resume(returning: $0) }
        }
        return try opened.get()
    }

    @Test func theFirstLanguageIsOneThatThePersonSpeaks() throws {
        let bundles = try packaged("fr", "en", "fa")
        #expect(bundles.languages == ["en", "fa", "fr"])
        #expect(bundles.first(["de-DE", "fr-CA", "en-US"]) == "fr")
        #expect(bundles.first(["de-DE"]) == "en")
        #expect(["en", "fa", "fr"].map(bundles.next) == ["fa", "fr", "en"])
        let none = PackagedBundles(in: try Bundles.newFolder())
        #expect(none.languages.isEmpty && none.first(["fr"]) == "en")
        #expect(throws: BrrError.self) { try none.open("en") }
    }

    @Test func oneLanguageHasNoKeyToAnother() throws {
        let one = keyboards(try packaged("en"), in: try Bundles.newFolder())
        #expect(!one.areSeveral && one.language == "en")
        one.goOn()
        #expect(one.language == "en")
        #expect(keyboards(try packaged("en", "fr"), in: try Bundles.newFolder()).areSeveral)
    }

    @Test func eachLanguageHasItsBundleAndItsSettings() async throws {
        let (bundles, folder) = (try packaged("fa", "fr"), try Bundles.newFolder())
        let demo = keyboards(bundles, in: folder)
        #expect(demo.language == "fa")
        let persian = demo.keyboard
        #expect(try await opened(persian).writing.language == "fa")
        var settings = demo.settings.load(try bundles.open("fa"))
        settings.dailyBudget = 30
        demo.settings.save(settings)
        demo.goOn()
        #expect(demo.keyboard !== persian && demo.language == "fr")
        let french = try await opened(demo.keyboard)
        #expect(french.writing.language == "fr")
        #expect(demo.settings.load(french).dailyBudget == 1_000)
        #expect(keyboards(bundles, in: folder).language == "fr", "the choice is kept")
        demo.goOn()
        #expect(demo.keyboard === persian)
        #expect(demo.settings.load(try bundles.open("fa")).dailyBudget == 30)
    }

    /// A limit is a language's; consent is everything's.
    @Test func eachLanguageHasItsBudgetUnderOneConsent() async throws {
        let demo = keyboards(try packaged("fa", "fr"), in: try Bundles.newFolder())
        let (persian, word) = (demo.keyboard, "کتاب")
        demo.goOn()
        let french = demo.keyboard
        #expect(await release("l'homme", french).text == .off)
        try french.consent.give()
        #expect(persian.consent.isGiven)
        guard case .sent(let words) = await release("l'homme", french).text else {
            Issue.record("nothing was sent")
            return
        }
        #expect(words.count == 2)
        #expect(!FileManager.default.fileExists(atPath: persian.releaser.budgetFile.path))
        guard case .sent = await release(word, persian).text else {
            Issue.record("nothing was sent")
            return
        }
        #expect(persian.releaser.budgetFile != french.releaser.budgetFile)
        for keyboard in [persian, french] {
            #expect(FileManager.default.fileExists(atPath: keyboard.releaser.budgetFile.path))
        }
        try persian.consent.withdraw()
        #expect(await release("l'homme", french).text == .off)
    }

    private func release(_ typed: String, _ keyboard: BrrKeyboard) async -> Release {
        await withCheckedContinuation { done in
            keyboard.release(typed) { done.resume(returning: $0) }
        }
    }

    @Test func layoutsAreTheLanguages() {
        #expect(LetterLayout.of("fr-CA").rows[0] == "azertyuiop")
        #expect(LetterLayout.of("de").rows[1].hasSuffix("öä"))
        #expect(LetterLayout.of("tr") == .english)
        let persian = Page.letters.rows(.of("fa"), needsNextKeyboard: false)
        #expect(!persian.joined().contains { $0.action == .shift })
        #expect(persian[0].first?.action == .type("ض"), "from the left, as on paper")
        let names = KeyNames(.off, .newLine, .system, language: "fr")
        #expect(names.label(.nextLanguage) == "FR")
        #expect(names.spoken(.nextLanguage) == "Next language, now French")
        #expect(names.spoken(.type("\u{200C}")) == "half space")
        #expect(Meaning().languages("fr").contains("this is français."))
    }

    /// What joins in Persian is on its keyboard, and doesn't end a word.
    @Test func aPersianWordIsTypedWithItsJoiner() throws {
        let persian = try packaged("fa").open("fa").writing
        let typing = Typing(Field(), persian)
        let editor = PlainEditor()
        let keys = Page.letters.rows(.of("fa"), needsNextKeyboard: false).joined().map(\.action)
        var finished = [String]()
        for character in "می\u{200C}خواهم " {
            for scalar in character.unicodeScalars {
                let key = KeyAction.type(String(scalar))
                #expect(keys.contains(key))
                if let word = typing.press(key, editor, now: 1) { finished.append(word) }
            }
        }
        #expect(finished == ["می\u{200C}خواهم"])
    }
}

/// A field of text with a cursor at its end.
@MainActor
private final class PlainEditor: Editor {
    var before = ""
    let after = ""
    let hasSelection = false
    func insert(_ text: String) { before += text }
    func deleteBackward() { before = String(before.dropLast()) }
}
