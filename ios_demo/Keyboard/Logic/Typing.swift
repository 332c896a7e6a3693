import Brrkit
import Foundation

/// What the keyboard needs of the field that it writes to.
@MainActor
protocol Editor: AnyObject {
    /// What stands before the cursor, as far as the app tells; empty if it doesn't.
    var before: String { get }
    /// What stands behind the cursor, as far as the app tells.
    var after: String { get }
    var hasSelection: Bool { get }
    func insert(_ text: String)
    /// Deletes the selection, or the character before the cursor.
    func deleteBackward()
}

/// Typing in one field: keys in, edits of the field out, and the words that are finished.
///
/// In a field that doesn't release words, no typed character is kept here.
@MainActor
final class Typing {
    let field: Field
    private(set) var page: Page
    private(set) var shift = ShiftState.off
    /// Whether no word stood before the one that was finished last: a text begins with it.
    private(set) var beginsText = false
    private var word = TypedWord.none
    private var shiftTapped = -doubleTap
    private var spaceTyped = -doubleSpace
    private var shiftIsChosen = false
    /// Length of the suggestion whose space was the last thing to be written; else 0.
    private var spaced = 0
    /// Whether the last key put a period behind an i: of i.e., or of a sentence's end.
    private var isBehindI = false

    /// What stands right behind a word: the space that follows a suggestion is taken back before it.
    private static let closing = Set(".,;:!?)]}…".map { String($0) })
    private static let doubleTap = 0.3  // seconds
    private static let doubleSpace = 0.6

    init(_ field: Field) {
        self.field = field
        page = field.page
    }

    /// What suggestions are for: the beginning of a word, or nothing.
    var prefix: String { word.isWhole ? word.text : "" }

    /// Does what a key says at the time `now` (seconds). Returns the word that it finished, if any.
    func press(_ action: KeyAction, _ editor: some Editor, now: TimeInterval) -> String? {
        var finished: String?
        shiftIsChosen = action == .shift
        switch action {
        case .type(" ") where now - spaceTyped < Typing.doubleSpace && endsSentence(editor):
            spaced = 0
            editor.deleteBackward()
            editor.insert(". ")
            spaceTyped = -Typing.doubleSpace
        case .type(let text):
            finished = type(shift == .off ? text : text.uppercased(), editor)
            if text == " " { spaceTyped = now }
        case .turn(let page): self.page = page
        case .backspace: delete(editor)
        case .deleteWord: deleteWord(editor)
        case .enter:
            spell("\n", editor)
            spaced = 0
            finished = finish(editor)
            editor.insert("\n")  // the app takes it for its return key's action
        case .shift:
            shift = shift.tapped(again: now - shiftTapped < Typing.doubleTap)
            shiftTapped = now
        case .nextKeyboard: break  // the system's
        }
        look(editor)
        return finished
    }

    /// Puts `suggestion` in the place of the typed word. Returns it if the word is finished so.
    func choose(_ suggestion: String, _ editor: some Editor) -> String? {
        guard word.isAt(editor.before) else { return nil }
        let typed = word.text
        let finished = finish(editor)
        for _ in typed { editor.deleteBackward() }
        editor.insert(suggestion + " ")
        spaced = suggestion.count
        look(editor)
        return finished == nil ? nil : suggestion
    }

    /// Looks at the field again: the cursor or the text may have changed.
    func look(_ editor: some Editor) {
        if word != .none && !word.isAt(editor.before) { word = .none }
        if !shiftIsChosen { shift = shift.next(capital: wantsCapital(editor.before)) }
    }

    /// Behind a suggestion stands a space already: another one adds nothing, and what closes a sentence
    /// takes it back.
    private func type(_ text: String, _ editor: some Editor) -> String? {
        spell(text, editor)
        let isBehindSuggestion =
            spaced > 0 && (text == " " || Typing.closing.contains(text))
            && endsInWordAndSpace(editor.before, length: spaced)
        spaced = 0
        if isBehindSuggestion {
            if text == " " { return nil }
            editor.deleteBackward()
        }
        var finished: String?
        if isSeparator(text) {
            finished = finish(editor)
        } else if field.releases {
            word = word.adding(text, before: editor.before)
        }
        editor.insert(text)
        return finished
    }

    /// Gives the pronoun I its capital if `next`, which is about to be typed, ends it.
    private func spell(_ next: String, _ editor: some Editor) {
        let wasBehindI = isBehindI
        isBehindI = prefix == "i" && next == "."
        let before = editor.before
        if wasBehindI, next == " " || next == "\n", endsInPronoun(before) {
            for _ in "i." { editor.deleteBackward() }
            editor.insert("I.")
        } else if word.isWhole, word.isAt(before),
            isPronoun(word.text, before: String(before.dropLast(word.text.count)), next: next)
        {
            for _ in word.text { editor.deleteBackward() }
            word.text = inEnglish(word.text)
            editor.insert(word.text)
        }
    }

    private func finish(_ editor: some Editor) -> String? {
        let finished = word
        word = .none
        let before = editor.before
        let isComplete = finished.isComplete(before: before, after: editor.after)
        beginsText = isComplete && tokenize(String(before.dropLast(finished.text.count))).isEmpty
        return isComplete ? finished.text : nil
    }

    private func delete(_ editor: some Editor) {
        spaced = 0
        word = editor.hasSelection ? .none : word.removingLast(before: editor.before)
        editor.deleteBackward()
    }

    /// Deletes the word before the cursor, and what separates it from the cursor.
    private func deleteWord(_ editor: some Editor) {
        word = .none
        spaced = 0
        if editor.hasSelection { return editor.deleteBackward() }
        var before = editor.before
        while let last = before.last, !endsInWord(String(last)) {
            before.removeLast()
            editor.deleteBackward()
        }
        while let last = before.last, endsInWord(String(last)) {
            before.removeLast()
            editor.deleteBackward()
        }
    }

    /// Whether a second space ends a sentence: a word and one space stand before the cursor, in a field
    /// where what is typed is corrected.
    private func endsSentence(_ editor: some Editor) -> Bool {
        field.releases && endsInWordAndSpace(editor.before)
    }

    private func wantsCapital(_ before: String) -> Bool {
        switch field.capitals {
        case .none: return false
        case .all: return true
        case .words: return !endsInWord(before)
        case .sentences:
            let spaces = before.reversed().prefix { $0 == " " }.count
            guard let last = before.dropLast(spaces).last else { return true }
            return last.isNewline || (spaces > 0 && ".!?…".contains(last))
        }
    }
}
