import Testing

@testable import BrrkitKeyboard

/// Suggestions in other languages than English.
struct SuggestionsTests {
    @Test func behindAnArticleTheyGoOn() throws {
        let french = try Work.bundle(in: "fr")
        #expect(suggestions(french, for: "l'ho") == ["l'homme"])
        #expect(suggestions(french, for: "L’ho") == ["L’homme"])
        #expect(suggestions(french, for: "D'ÉC") == ["D'ÉCOLE"])
        #expect(suggestions(french, for: "d'ac").contains("d'accord"))
        let nearest = suggestions(french, for: "l'homme")  // there is no longer word
        #expect(nearest.count == 2 && nearest.allSatisfy { $0.hasPrefix("l'") })
        #expect(suggestions(french, for: "x'ho").isEmpty)
    }

    @Test func decomposedLettersAreTheSame() throws {
        #expect(suggestions(try Work.bundle(in: "fr"), for: "e\u{301}c") == ["école"])
    }

    @Test func capitalsAreTheLanguages() throws {
        let turkish = try Work.bundle(in: "tr")
        #expect(suggestions(turkish, for: "ista") == ["istanbul"])
        #expect(suggestions(turkish, for: "İsta") == ["İstanbul"])
        #expect(suggestions(turkish, for: "IŞ") == ["IŞIK"])
    }

    @Test func inAScriptWithoutSpacesTheyAreForTheLastWord() throws {
        #expect(suggestions(try Work.bundle(in: "th"), for: "ร้านกาแ") == ["ร้านกาแฟ"])
    }
}
