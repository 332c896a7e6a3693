import Brrkit
import BrrkitKeyboard
import Foundation

/// Typing in one field: keys go in; edits of the field and finished words come out.
///
/// In a field that doesn't release words, it keeps no typed character.
@MainActor
final class Typing {
    private(set) var page: Page
    private(set) var shift = ShiftState.off
    private let words: TypedWords
    private var shiftTapped = -doubleTap
    private var spaceTyped = -doubleSpace
    private var shiftIsChosen = false
    /// Whether the last key put a period after an i, as in i.e. or at a sentence's end.
    private var isBehindI = false

    private static let doubleTap = 0.3  // seconds
    private static let doubleSpace = 0.6

    init(_ field: Field, _ writing: Writing = .english) {
        words = TypedWords(field, writing: writing)
        page = field.kind == .number ? .symbols : .letters
    }

    var field: Field { words.field }

    /// Writing rules of the typed language.
    var writing: Writing { words.writing }

    /// Whether the last finished word began a text: no word was before it.
    var beginsText: Bool { words.beginsText }

    /// The text to complete: the beginning of a word, or nothing.
    var prefix: String { words.prefix }

    /// Returns the object for further typing in a language whose bundle is now open. If the language is the
    /// expected one, the unfinished word stays.
    func goingOn(_ writing: Writing) -> Typing {
        writing.language == self.writing.language ? self : Typing(field, writing)
    }

    /// Performs a key's action at the time `now` (seconds). Returns the word that this finished, if any.
    func press(_ action: KeyAction, _ editor: some Editor, now: TimeInterval) -> String? {
        var finished: String?
        shiftIsChosen = action == .shift
        switch action {
        case .type(" ") where now - spaceTyped < Typing.doubleSpace && words.endSentence(editor):
            spaceTyped = -Typing.doubleSpace
        case .type(let text):
            let typed = shift.cased(text)
            spell(typed, editor)
            finished = words.type(typed, editor)
            if text == " " { spaceTyped = now }
        case .turn(let page): self.page = page
        case .backspace: words.delete(editor)
        case .deleteWord: words.deleteWord(editor)
        case .enter:
            spell("\n", editor)
            finished = words.enter(editor)
        case .shift:
            shift = shift.tapped(again: now - shiftTapped < Typing.doubleTap)
            shiftTapped = now
        case .nextKeyboard, .nextLanguage: break  // they end typing here
        }
        look(editor)
        return finished
    }

    /// Replaces the typed word with `suggestion`. Returns the suggestion if this finished the word.
    func choose(_ suggestion: String, _ editor: some Editor) -> String? {
        let finished = words.choose(suggestion, editor)
        look(editor)
        return finished
    }

    /// Reads the field again: the cursor or the text may have changed.
    func look(_ editor: some Editor) {
        words.look(editor)
        if !shiftIsChosen { shift = shift.next(capital: wantsCapital(editor.before)) }
    }

    /// Returns a `word` of the vocabulary in the spelling of its language.
    func written(_ word: String) -> String { isEnglish ? inEnglish(word) : word }

    private var isEnglish: Bool { writing.language == Writing.english.language }

    /// Capitalizes the English pronoun I if `next`, which is about to be typed, ends it.
    private func spell(_ next: String, _ editor: some Editor) {
        guard isEnglish else { return }
        let wasBehindI = isBehindI
        isBehindI = prefix == "i" && next == "."
        let before = editor.before
        if wasBehindI, next == " " || next == "\n", endsInPronoun(before) {
            for _ in "i." { editor.deleteBackward() }
            editor.insert("I.")
        } else if !prefix.isEmpty, before.hasSuffix(prefix),
            isPronoun(prefix, before: String(before.dropLast(prefix.count)), next: next)
        {
            words.correct(inEnglish(prefix), editor)
        }
    }

    private func wantsCapital(_ before: String) -> Bool {
        switch field.capitals {
        case .none: return false
        case .all: return true
        case .words: return !writing.joins(before, "a")
        case .sentences:
            let spaces = before.reversed().prefix { $0 == " " }.count
            guard let last = before.dropLast(spaces).last else { return true }
            return last.isNewline || (spaces > 0 && ".!?…".contains(last))
        }
    }
}
