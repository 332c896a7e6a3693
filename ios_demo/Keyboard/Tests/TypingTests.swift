import Brrkit
import BrrkitKeyboard
import Foundation
import Testing

@testable import DemoKeyboard

/// A field of text with a cursor at its end.
@MainActor
private final class TextEditor: Editor {
    var before = ""
    var after = ""
    var hasSelection = false
    func insert(_ text: String) {
        hasSelection = false
        before += text
    }
    func deleteBackward() {
        if hasSelection { hasSelection = false } else { before = String(before.dropLast()) }
    }
}

@MainActor
private struct Phone {
    let editor = TextEditor()
    var typing: Typing
    var now = 100.0
    var finished = [String]()

    init(_ field: Field = Field(capitals: .none), _ writing: Writing = .english) {
        typing = Typing(field, writing)
        typing.look(editor)
    }

    mutating func press(_ action: KeyAction, after seconds: Double = 1) {
        now += seconds
        if let word = typing.press(action, editor, now: now) { finished.append(word) }
    }

    /// Types a letter, and chooses a suggestion in its place.
    mutating func choose(_ suggestion: String) {
        type("l")
        if let word = typing.choose(suggestion, editor) { finished.append(word) }
    }

    mutating func type(_ text: String) {
        for character in text { press(.type(String(character))) }
    }
}

@MainActor
struct TypingTests {
    @Test func finishedWordsAreReleasedOnce() {
        var phone = Phone()
        phone.type("hello wörld, don't ")
        #expect(phone.finished == ["hello", "wörld", "don't"])
        #expect(phone.editor.before == "hello wörld, don't ")
        phone.press(.enter)
        #expect(phone.finished.count == 3)
        phone.type("bye")
        phone.press(.enter)
        #expect(phone.finished.last == "bye")
        #expect(phone.editor.before.hasSuffix("bye\n"))
    }

    @Test func onlyWholeWordsThatTheFieldShowsAreReleased() {
        var phone = Phone()
        phone.editor.before = "foo"  // pasted
        phone.type("bar ")
        #expect(phone.finished.isEmpty)
        phone.type("ab")
        phone.editor.before = ""  // the app cleared it
        phone.type("c ")
        #expect(phone.finished == ["c"])
        phone.type("de")
        phone.editor.after = "f"  // the cursor stands inside a word
        phone.type(" ")
        #expect(phone.finished == ["c"])
    }

    @Test func aTextBeginsInAnEmptyField() {
        var phone = Phone()
        var begins = [Bool]()
        for text in ["“hello ", "you ", ". "] {
            phone.type(text)
            begins.append(phone.typing.beginsText)
        }
        #expect(begins == [true, false, false])
        phone.editor.before = ""  // the app sent it
        phone.type("bye")
        #expect(!phone.typing.beginsText)
        phone.press(.enter)
        #expect(phone.typing.beginsText && phone.finished == ["hello", "you", "bye"])
        phone.editor.before = "(pasted) "
        phone.choose("let")
        #expect(!phone.typing.beginsText)
        phone.editor.before = "..."
        phone.choose("let")
        #expect(phone.typing.beginsText)
    }

    @Test func aCorrectionInsideAWordIsntReleased() {
        var phone = Phone()
        phone.type("cat ")
        phone.press(.backspace)
        phone.type("s ")
        #expect(phone.finished == ["cat"])
        #expect(phone.editor.before == "cats ")
        phone.editor.before = "the"
        phone.type("re")
        phone.editor.before = "re"  // the app cuts away what it was typed into
        phone.type(" ")
        #expect(phone.finished == ["cat"])
    }

    @Test func backspaceDeletesACharacterOrTheSelection() {
        var phone = Phone()
        phone.type("ab")
        phone.editor.before += "👍🏽"
        phone.press(.backspace)
        #expect(phone.editor.before == "ab")
        phone.editor.hasSelection = true
        phone.press(.backspace)
        #expect(phone.editor.before == "ab")
        phone.press(.backspace)
        phone.type("x ")
        #expect(phone.editor.before == "ax ")
    }

    @Test func aHeldBackspaceDeletesWords() {
        var phone = Phone()
        phone.type("one two, three")
        phone.press(.deleteWord)
        #expect(phone.editor.before == "one two, ")
        phone.press(.deleteWord)
        #expect(phone.editor.before == "one ")
        phone.press(.deleteWord)
        phone.press(.deleteWord)
        #expect(phone.editor.before == "")
        phone.type("x ")
        #expect(phone.finished == ["one", "two", "x"])
    }

    @Test func twoSpacesEndASentence() {
        var phone = Phone(Field())
        for key in ["h", "i"] { phone.press(.type(key)) }
        phone.press(.type(" "))
        phone.press(.type(" "), after: 0.3)
        #expect(phone.editor.before == "Hi. ")
        #expect(phone.finished == ["Hi"])
        phone.press(.type(" "), after: 0.1)
        #expect(phone.editor.before == "Hi.  ", "not again")
        phone.type("a b")
        phone.press(.type(" "))
        phone.press(.type(" "), after: 2)
        #expect(phone.editor.before == "Hi.  A b  ", "too slow")
    }

    @Test func twoSpacesBehindNoWordAreSpaces() {
        for text in ["", "yes, ", "yes!", "("] {
            var phone = Phone()
            phone.type(text)
            for _ in 0..<2 { phone.press(.type(" "), after: 0.1) }
            #expect(phone.editor.before == text + "  ")
        }
    }

    @Test func punctuationTakesTheSpaceOfASuggestionBack() {
        for mark in ".,;:!?)]}…" {
            var phone = Phone()
            phone.choose("london")
            phone.press(.turn(.symbols))
            phone.type("\(mark) is")
            #expect(phone.editor.before == "london\(mark) is")
            #expect(phone.finished == ["london"])
        }
    }

    @Test func otherKeysLeaveTheSpaceOfASuggestion() {
        for text in ["is", "(", "\"", "'tis", "-", "@", "😀", "5"] {
            var phone = Phone()
            phone.choose("london")
            phone.type(text + ".")
            #expect(phone.editor.before == "london \(text).")
        }
    }

    @Test func aTypedSpaceIsTheSuggestions() {
        var phone = Phone()
        phone.choose("london")
        phone.type(" is")
        #expect(phone.editor.before == "london is")
        phone = Phone()
        phone.choose("london")
        for _ in 0..<2 { phone.press(.type(" "), after: 0.1) }
        #expect(phone.editor.before == "london. ")
    }

    @Test func onlyTheSpaceThatWasJustWrittenIsTakenBack() {
        var phone = Phone()
        phone.type("it is .")
        #expect(phone.editor.before == "it is .", "a typed space stays")
        phone = Phone()
        phone.choose("london")
        phone.type("boston .")
        #expect(phone.editor.before == "london boston .", "nor is one behind the next word")
        phone = Phone()
        phone.choose("london")
        phone.editor.before = "rome "  // the cursor is elsewhere
        phone.typing.look(phone.editor)
        phone.type(".")
        #expect(phone.editor.before == "rome .")
        for key in [KeyAction.backspace, .deleteWord] {
            phone = Phone()
            phone.choose("london")
            phone.press(key)
            phone.editor.before = "london "
            phone.type(".")
            #expect(phone.editor.before == "london .")
        }
        phone = Phone()
        phone.choose("london")
        phone.press(.enter)
        phone.type(".")
        #expect(phone.editor.before == "london \n.")
    }

    @Test(arguments: [
        ("so i am", "so I am"),
        ("i am, i think", "I am, I think"),
        ("am i? i, too! i", "am I? I, too! i"),
        ("i'm sure i'll, i've. i'd ", "I'm sure I'll, I've. I'd "),
        ("(i think) \"i do", "(I think) \"I do"),
        ("so am i. yes", "so am I. yes"),
    ])
    func thePronounIIsACapital(_ typed: String, _ expected: String) {
        var phone = Phone()
        phone.type(typed)
        #expect(phone.editor.before == expected)
        let letters = typed.filter { $0.isLetter || $0 == "'" }
        let finished = letters.dropLast(phone.typing.prefix.count)
        #expect(phone.finished.joined().lowercased() == finished)
    }

    @Test(arguments: [
        "that is, i.e. this ", "wi-fi i/o i=1 x.i i-th #i @i _i i+ i18n ", "(i) one (ii) two ",
        "i. one ", "in is it ii hi ", "i's i'x 'i ", "x-i ", "i'mm ",
    ])
    func whatIsNotThePronounStays(_ typed: String) {
        var phone = Phone()
        phone.type(typed)
        #expect(phone.editor.before == typed)
    }

    @Test func onlyTypedWordsAreSpelled() {
        var phone = Phone()
        phone.editor.before = "i"  // pasted
        phone.type(" ")
        #expect(phone.editor.before == "i ")
        for text in ["so do i", "so do i."] {
            phone = Phone()
            phone.type(text)
            phone.press(.enter)
            #expect(phone.editor.before == text.replacing("i", with: "I") + "\n")
            #expect(phone.finished.count == 3)
        }
        phone = Phone(Field(isCorrected: false, capitals: .none))
        phone.type("i am i. x")
        for _ in 0..<2 { phone.press(.type(" "), after: 0.1) }
        #expect(phone.editor.before == "i am i. x  ", "where nothing is released, it stays")
    }

    @Test func backspaceDeletesWhatIsSeenAsOneCharacter() {
        for character in ["👨‍👩‍👧‍👦", "🇩🇪", "❤️", "1️⃣", "🧑🏽‍🚀", "e\u{301}", "각"] {
            var phone = Phone()
            phone.type("a\(character)")
            phone.press(.backspace)
            #expect(phone.editor.before == "a")
            phone.type("b ")
            #expect(phone.editor.before == "ab ")
        }
    }

    @Test func shiftIsForOneLetterAndTwoTapsLockIt() {
        var phone = Phone()
        phone.press(.shift)
        phone.typing.look(phone.editor)  // a late report of the cursor doesn't undo the tap
        #expect(phone.typing.shift == .once)
        phone.type("a")
        #expect(phone.typing.shift == .off)
        phone.press(.shift)
        phone.press(.shift, after: 0.1)
        #expect(phone.typing.shift == .locked)
        phone.type("bc")
        phone.press(.shift)
        phone.type("d")
        #expect(phone.editor.before == "ABCd")
        phone.press(.shift)
        phone.press(.shift)
        #expect(phone.typing.shift == .off, "two slow taps")
    }

    @Test(arguments: [
        (Field.Capitals.sentences, "Yes. No\nWell? X.y"), (.words, "Yes. No\nWell? X.Y"),
        (.all, "YES. NO\nWELL? X.Y"), (.none, "yes. no\nwell? x.y"),
    ])
    func capitals(_ capitals: Field.Capitals, _ expected: String) {
        var phone = Phone(Field(capitals: capitals))
        phone.type("yes. no")
        phone.press(.enter)
        phone.type("well? x.y")
        #expect(phone.editor.before == expected)
    }

    @Test func privateFieldsReleaseAndKeepNothing() {
        let fields = [
            Field(kind: .address), Field(kind: .number), Field(isSecure: true),
            Field(hasContentType: true), Field(isCorrected: false),
        ]
        for field in fields {
            var phone = Phone(field)
            phone.type("secret ")
            #expect(phone.finished.isEmpty && phone.typing.prefix.isEmpty)
            #expect(
                !Mirror(reflecting: phone.typing).children.contains {
                    "\($0.value)".contains("secre")
                })
        }
    }

    @Test func aChosenSuggestionIsWhatIsReleased() {
        var phone = Phone()
        phone.type("hel")
        #expect(phone.typing.prefix == "hel")
        #expect(phone.typing.choose("hello", phone.editor) == "hello")
        #expect(phone.editor.before == "hello ")
        #expect(phone.typing.choose("again", phone.editor) == nil)
        phone.editor.before = "wo"
        phone.type("r")
        #expect(phone.typing.prefix == "", "it began before this keyboard")
        #expect(phone.typing.choose("world", phone.editor) == nil)
    }

    @Test func pages() {
        #expect(Typing(Field(kind: .number)).page == .symbols)
        var phone = Phone()
        phone.press(.turn(.symbols))
        #expect(phone.typing.page == .symbols)
        let names = KeyNames(.off)
        for page in Page.allCases {
            for (language, next) in [("en", true), ("en", false), ("fr", true), ("fa", true)] {
                let rows = page.rows(
                    .of(language), needsNextKeyboard: next, needsNextLanguage: !next)
                #expect(rows.count == 4)
                #expect(Set(rows.joined().map(\.action)).count == rows.joined().count)
                let space = rows[3].first { $0.action == .type(" ") }!
                #expect(space.width >= 3, "\(language)")
                #expect(Page.width(of: [rows[3]]) == Page.width(of: rows))
                #expect(rows.joined().contains { $0.action == .nextKeyboard } == next)
                #expect(rows.joined().contains { $0.action == .nextLanguage } != next)
                for key in rows.joined() {
                    #expect(!names.spoken(key.action).isEmpty)
                    #expect(!KeyNames(.once).label(key.action).isEmpty)
                    if case .type(let text) = key.action,
                        text.first!.isSymbol || text.first!.isPunctuation
                    {
                        #expect(names.spoken(key.action) != text, "\(text) has a name")
                    }
                }
            }
        }
        #expect(KeyNames(.once).spoken(.type("a")) == "capital a")
        #expect(names.label(.enter) == "⏎" && names.spoken(.enter) == "Return")
        let labels = Field.Return.allCases.map { KeyNames(.off, $0).label(.enter) }
        #expect(Set(labels).count == labels.count)
        let search = KeyNames(.off, .search)
        #expect(search.label(.enter) == search.spoken(.enter))
    }

    /// Text typed before the bundle is open continues, unless it was in another language.
    @Test func aWordStaysWhenTheBundleOpens() throws {
        let rules = """
            "writing": {"language": "en", "replaced": {}, "joiners": [], "before": [], "links": [],
                "endings": ["'s"], "shortest_stem": 1, "spellings": {"u": "you"}, "rewritten": [],
                "longest_run": 2, "unspaced": [], "shortest_part": 4},
            """
        let english = try Bundles.changed(#""bits""#, to: rules + #""bits""#).writing
        let turkish = try WordBundle(
            contentsOf: Bundles.work.appendingPathComponent("bundles/writing-tr")
        ).writing
        #expect(english != .english)
        for (writing, finished) in [
            (Writing.english, ["hello"]), (english, ["hello"]), (turkish, []),
        ] {
            var phone = Phone()
            phone.type("hel")
            phone.typing = phone.typing.goingOn(writing)
            phone.type("lo ")
            #expect(phone.finished == finished)
            #expect(phone.typing.writing.language == writing.language)
            #expect(phone.typing.field == Field(capitals: .none))
        }
    }

    @Test func aCapitalIsOneLetter() {
        #expect(ShiftState.once.cased("ß") == "ẞ" && ShiftState.once.cased("é") == "É")
    }

    @Test func onlyEnglishHasAPronounThatIsACapital() throws {
        let folder = Bundles.work.appendingPathComponent("bundles/writing-tr")
        let turkish = try WordBundle(contentsOf: folder).writing
        var phone = Phone(Field(capitals: .none), turkish)
        phone.type("i ve i. ")
        #expect(phone.editor.before == "i ve i. " && phone.finished == ["i", "ve", "i"])
        #expect(phone.typing.written("i") == "i")
        #expect(Phone().typing.written("i") == "I")
    }
}
