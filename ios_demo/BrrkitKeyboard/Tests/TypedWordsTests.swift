import Foundation
import Testing

@testable import BrrkitKeyboard

/// Text that a keyboard composes by itself, and text that it didn't write.
@MainActor
struct TypedWordsTests {
    private let editor = TextEditor()
    private let words = TypedWords(Field())

    @Test func aComposedWordIsFinishedAsATypedOne() {
        #expect(words.type("hello", editor) == nil)
        #expect(words.prefix == "hello" && editor.before == "hello")
        words.correct("hallo", editor)
        #expect(editor.before == "hallo")
        #expect(words.type(" ", editor) == "hallo" && words.beginsText)
        _ = words.type("don't", editor)
        #expect(words.type(".", editor) == "don't" && !words.beginsText)
    }

    @Test func aCompositionGoesOnWithLetters() {
        _ = words.type("flight", editor)
        _ = words.type("s", editor)
        #expect(words.enter(editor) == "flights" && editor.before == "flights\n")
    }

    @Test func whatWasNotTypedIsNeverReturned() {
        editor.before = "pasted"
        #expect(words.type(" ", editor) == nil)
        editor.before += "some"
        _ = words.type("thing", editor)  // behind what another keyboard wrote
        #expect(words.prefix.isEmpty && words.type(" ", editor) == nil)
        #expect(words.type("two words", editor) == nil)
        #expect(words.type(" ", editor) == nil, "a text of several words isn't a word")
        _ = words.type("gone", editor)
        editor.before = "other"
        #expect(words.type(" ", editor) == nil)
    }

    @Test(arguments: [
        Field(kind: .address), Field(kind: .number), Field(isSecure: true),
        Field(hasContentType: true), Field(isCorrected: false),
    ])
    func aPrivateFieldReturnsNothing(_ field: Field) {
        let words = TypedWords(field)
        _ = words.type("secret", editor)
        #expect(words.prefix.isEmpty && words.type(" ", editor) == nil)
        #expect(words.choose("secrets", editor) == nil)
        #expect(editor.before == "secret ")
    }
}
