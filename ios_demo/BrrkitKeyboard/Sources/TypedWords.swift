import Brrkit

/// What a keyboard needs of the field that it writes to: in an extension, of its `textDocumentProxy`.
@MainActor
public protocol Editor: AnyObject {
    /// What stands before the cursor, as far as the app tells; empty if it doesn't.
    var before: String { get }
    /// What stands behind the cursor, as far as the app tells.
    var after: String { get }
    /// Whether something is selected.
    var hasSelection: Bool { get }
    /// Writes at the cursor.
    func insert(_ text: String)
    /// Deletes the selection, or the character before the cursor.
    func deleteBackward()
}

/// Typing in one field: edits of the field in, and the words that are finished out.
///
/// A keyboard calls it in the place of its document's proxy, so that it sees every character. In a field that
/// doesn't release words, no typed character is kept here.
///
/// **Text that is composed.** A keyboard that composes (marked text, a glide, a correction) shows the
/// composition by itself. When it is decided, it takes it back out of the field, and gives it to
/// ``type(_:_:)`` as a whole; a later correction goes through ``correct(_:_:)`` or ``choose(_:_:)``. A text
/// of several words, what is pasted, and what another keyboard wrote are never returned, so never released.
@MainActor
public final class TypedWords {
    /// Where it is typed.
    public let field: Field

    /// Whether no word stood before the one that was finished last: a text begins with it.
    public private(set) var beginsText = false

    private var word = TypedWord.none
    /// Length of the suggestion whose space was the last thing to be written; else 0.
    private var spaced = 0
    private let closing: Set<String>

    /// Begins to type in a field.
    ///
    /// - Parameter closing: characters that stand right behind a word in the language that is typed: the
    ///   space that follows a suggestion is taken back before them.
    public init(_ field: Field, closing: String = ".,;:!?)]}…") {
        self.field = field
        self.closing = Set(closing.map { String($0) })
    }

    /// What suggestions are for: the beginning of a word, or nothing.
    public var prefix: String { word.isWhole ? word.text : "" }

    /// Types a key's character, or a whole word that was composed. Returns the word that it finished, if
    /// any.
    ///
    /// Behind a suggestion stands a space already: another one adds nothing, and what closes a sentence
    /// takes it back.
    public func type(_ text: String, _ editor: some Editor) -> String? {
        let isBehindSuggestion =
            spaced > 0 && (text == " " || closing.contains(text))
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

    /// Does what the return key does. Returns the word that it finished, if any.
    public func enter(_ editor: some Editor) -> String? {
        spaced = 0
        let finished = finish(editor)
        editor.insert("\n")  // the app takes it for its return key's action
        return finished
    }

    /// Ends a sentence, as two quick spaces do on a phone: if a word and one space stand before the cursor,
    /// a period and a space take that space's place. Returns whether they did.
    public func endSentence(_ editor: some Editor) -> Bool {
        guard field.releases && endsInWordAndSpace(editor.before) else { return false }
        spaced = 0
        editor.deleteBackward()
        editor.insert(". ")
        return true
    }

    /// Puts `spelling` in the place of the typed word, which goes on behind it.
    public func correct(_ spelling: String, _ editor: some Editor) {
        guard word.isAt(editor.before) else { return }
        for _ in word.text { editor.deleteBackward() }
        word.text = spelling
        editor.insert(spelling)
    }

    /// Puts `suggestion` in the place of the typed word. Returns it if the word is finished so.
    public func choose(_ suggestion: String, _ editor: some Editor) -> String? {
        guard word.isAt(editor.before) else { return nil }
        let typed = word.text
        let finished = finish(editor)
        for _ in typed { editor.deleteBackward() }
        editor.insert(suggestion + " ")
        spaced = suggestion.count
        return finished == nil ? nil : suggestion
    }

    /// Deletes the selection, or the character before the cursor.
    public func delete(_ editor: some Editor) {
        spaced = 0
        word = editor.hasSelection ? .none : word.removingLast(before: editor.before)
        editor.deleteBackward()
    }

    /// Deletes the word before the cursor, and what separates it from the cursor.
    public func deleteWord(_ editor: some Editor) {
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

    /// Looks at the field again: the cursor or the text may have changed.
    public func look(_ editor: some Editor) {
        if word != .none && !word.isAt(editor.before) { word = .none }
    }

    private func finish(_ editor: some Editor) -> String? {
        let finished = word
        word = .none
        let before = editor.before
        let isComplete = finished.isComplete(before: before, after: editor.after)
        beginsText = isComplete && tokenize(String(before.dropLast(finished.text.count))).isEmpty
        return isComplete ? finished.text : nil
    }
}
