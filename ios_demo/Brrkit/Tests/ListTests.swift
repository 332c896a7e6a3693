import Foundation
import Testing

@testable import Brrkit

/// Lists: bundles without codes, whose strings are counted.
struct ListTests {
    private func list(_ kind: ListKind, _ words: String...) throws -> Tokenizer {
        try Tokenizers.made([Tokenizers.Source(words: words, listOf: kind)])[0]
    }

    @Test func emojiStandForThemselvesAndWithoutTheirTones() throws {
        let emoji = try list(
            .emoji, "\u{1F44D}", "\u{1F469}\u{200D}\u{1F680}", "\u{1F1E9}\u{1F1EA}")
        let text = "ok \u{1F44D}\u{1F3FD}\u{1F469}\u{200D}\u{1F680} 1 \u{1F1E9}\u{1F1EA}\u{1F525}"
        #expect(emoji.read(text).map(\.wordID) == [0, 1, 2, nil])
    }

    @Test func phrasesAreMatchedLongestFirstWithoutOverlap() throws {
        let both = try list(.both, "thank you", "thank you so much", "you so", "\u{1F382}")
        let found = both.read("Thank you so, THANK you so much! you \u{1F382}")
        #expect(found.map(\.wordID) == [0, nil, 1, nil, 3])
        #expect(both.token("Thank  you!").wordID == 0)
        #expect(both.token("thank you you so").wordID == nil)
    }

    @Test func stringsAreComparedAsTheyAre() throws {
        let strings = try list(.strings, "settings/open", "e\u{301}")
        #expect(strings.token("settings/open").wordID == 0)
        #expect(strings.token("Settings/open").wordID == nil)
        #expect(strings.token("\u{E9}").wordID == nil)
        #expect(strings.read("").map(\.wordID) == [nil])
    }

    @Test func listsCanOnlyBeCounted() throws {
        for (name, bundle) in Work.all where bundle.listOf != nil {
            #expect(bundle.bits == 0 && name.contains("list"))
            let message = "a list has no codes, so its strings can only be counted"
            let isRefused = { (error: any Error) in (error as? BrrError)?.message == message }
            #expect(performing: { try Privatizer(bundle) }, throws: isRefused)
            #expect(
                performing: { try Privatizer(bundle, setting: Setting(epsilon: 1)) },
                throws: isRefused)
            #expect(performing: { try bundle.neighbors(of: "a") }, throws: isRefused)
            let string = bundle.vocabulary.word(1)!
            #expect(Array(bundle.normalize(string).utf8) == Array(string.utf8))
            let reporter = try Reporter(
                Counts(bundle, setting: CountsSetting(cap: 88, wordsADay: 9)))
            try reporter.add(bundle.tokenize(bundle.vocabulary.word(1)!))
            #expect(reporter.sample.words == [bundle.vocabulary.word(1)!])
        }
        #expect(Work.all.values.filter { $0.listOf != nil }.count >= 4)
    }
}
