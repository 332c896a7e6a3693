import Foundation
import Testing

@testable import BrrkitKeyboard

/// Text that a keyboard composes itself, and text that it didn't write.
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
        _ = words.type("thing", editor)  // after text of another keyboard
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

    private func words(_ language: String) throws -> TypedWords {
        TypedWords(Field(), writing: try Work.bundle(in: language).writing)
    }

    /// Types the characters one by one, and returns the words that they finish.
    private func typed(_ text: String, _ words: TypedWords) -> [String] {
        text.unicodeScalars.compactMap { words.type(String($0), editor) }
    }

    @Test func apostrophesAndJoinersDontEndAWord() throws {
        #expect(typed("l'homme d’eau ", try words("fr")) == ["l'homme", "d’eau"])
        editor.before = ""
        let persian = try words("fa")
        #expect(
            typed("می\u{200C}خواهم، کتاب\u{200C} ", persian) == ["می\u{200C}خواهم", "کتاب\u{200C}"])
        #expect(typed("a\u{200C}b ", TypedWords(Field())) == ["a\u{200C}b"])
        editor.before = ""
        #expect(typed("don`t `go` ", TypedWords(Field())) == ["don`t", "`go`"])
        editor.before = "می\u{200C}"  // of another keyboard
        #expect(typed("خواهم ", persian) == [])
        editor.before = ""
        #expect(typed("IŞIK ", try words("tr")) == ["IŞIK"])
    }

    @Test func whatAnInputMethodCommitsIsFinishedAtOnce() throws {
        let chinese = try words("zh")
        #expect(chinese.commit("酒店", editor) == "酒店" && chinese.beginsText)
        #expect(chinese.commit("很", editor) == "很" && !chinese.beginsText)
        #expect(chinese.prefix.isEmpty)
        #expect(typed("wifi", chinese) == [])
        #expect(chinese.commit("不好", editor) == "wifi不好")
        #expect(editor.before == "酒店很wifi不好")
        #expect(chinese.commit("，", editor) == nil && chinese.commit("wifi", editor) == nil)
        #expect(chinese.enter(editor) == "wifi")
        #expect(chinese.commit("好 不好", editor) == nil, "a text of several words isn't one")
        let secret = TypedWords(Field(isSecure: true), writing: chinese.writing)
        #expect(secret.commit("很", editor) == nil && secret.type("很", editor) == nil)
        editor.before = "pasted"
        #expect(typed("x", chinese) == [])
        #expect(chinese.commit("很", editor) == "很", "without what it stands in")
    }

    @Test func whatIsTypedWithoutSpacesEndsAtTheNextSeparator() throws {
        let thai = try words("th")
        #expect(typed("คนดี ตากลม, ", thai) == ["คนดี", "ตากลม"])
        editor.before = "คน"
        #expect(typed("ดี ", thai) == [], "it may be a part of a word")
    }

    @Test func suggestionsAndDeletionsGoBySpacesOnlyWhereThereAreSome() throws {
        let chinese = try words("zh")
        #expect(typed("酒", chinese) == [])
        #expect(chinese.choose("酒店", editor) == "酒店" && editor.before == "酒店")
        chinese.deleteWord(editor)
        #expect(editor.before == "酒")
        editor.before = "hello 酒 "
        #expect(!chinese.endSentence(editor))
        chinese.deleteWord(editor)
        #expect(editor.before == "hello ")
        editor.before = "hello酒wifi"
        chinese.deleteWord(editor)
        #expect(editor.before == "hello酒")
        let persian = try words("fa")
        editor.before = ""
        #expect(typed("م", persian) == [])
        #expect(persian.choose("می\u{200C}خواهم", editor) == "می\u{200C}خواهم")
        _ = persian.type("،", editor)
        #expect(editor.before == "می\u{200C}خواهم،")
    }
}
