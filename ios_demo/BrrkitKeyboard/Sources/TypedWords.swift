import Brrkit

/// The field that a keyboard writes to; in an extension, its `textDocumentProxy`.
@MainActor
public protocol Editor: AnyObject {
    /// The text before the cursor, as far as the app provides it; otherwise empty.
    var before: String { get }
    /// The text behind the cursor, as far as the app provides it.
    var after: String { get }
    /// Whether something is selected.
    var hasSelection: Bool { get }
    /// Writes at the cursor.
    func insert(_ text: String)
    /// Deletes the selection, or the character before the cursor.
    func deleteBackward()
}

/// Typing in one field: edits go in, and finished words come out.
///
/// A keyboard calls it instead of its document's proxy, so it sees every character. In a field that doesn't
/// release words, it keeps no typed character.
///
/// **Composed text.** A keyboard that composes (marked text, a glide, a correction) shows the composition
/// itself. When the composition is complete, the keyboard removes it from the field, and passes all of it to
/// ``type(_:_:)``. It passes later corrections to ``correct(_:_:)`` or ``choose(_:_:)``. Text of several
/// words, pasted text, and text of another keyboard are never returned, so they are never released.
///
/// **Scripts without spaces.** Typed text ends at the next separator, as elsewhere. An input method passes
/// the chosen segment to ``commit(_:_:)``, which returns it at once. Both may contain several words; the
/// bundle cuts them before the release.
@MainActor
public final class TypedWords {
    /// Where it is typed.
    public let field: Field

    /// Whether the last finished word began a text: no word was before it.
    public private(set) var beginsText = false

    /// Writing rules of the typed language.
    public let writing: Writing

    private var word: TypedWord
    /// Length of the suggestion if the last edit wrote its space; otherwise 0.
    private var spaced = 0
    private let closing: Set<String>

    /// Begins to type in a field.
    ///
    /// - Parameters:
    ///   - writing: ``WordBundle/writing`` of the bundle that releases the words.
    ///   - closing: characters that directly follow a word in the typed language. They replace the space
    ///     after a suggestion.
    public init(_ field: Field, writing: Writing = .english, closing: String = ".,;:!?)]}…،؛؟۔।") {
        (self.field, self.writing) = (field, writing)
        word = TypedWord(writing: writing)
        self.closing = Set(closing.map { String($0) })
    }

    /// The text to complete: the beginning of a word, or nothing.
    public var prefix: String { word.isWhole ? word.text : "" }

    /// Types a key's character, or a whole composed word. Returns the word that this finished, if any.
    ///
    /// After a suggestion there is already a space. Another space adds nothing, and punctuation that closes a
    /// sentence replaces it.
    public func type(_ text: String, _ editor: some Editor) -> String? {
        let isBehindSuggestion =
            spaced > 0 && (text == " " || closing.contains(text))
            && endsInWordAndSpace(editor.before, in: writing, length: spaced)
        spaced = 0
        if isBehindSuggestion {
            if text == " " { return nil }
            editor.deleteBackward()
        }
        var finished: String?
        if !writing.finished(text).isEmpty {
            finished = finish(editor)
        } else if field.releases {
            word = word.adding(text, before: editor.before)
        }
        editor.insert(text)
        return finished
    }

    /// Commits an input method's text. In a script without spaces, it is finished at once, with an unfinished
    /// word of another script before it, and is returned. In other scripts, it is typed.
    public func commit(_ text: String, _ editor: some Editor) -> String? {
        guard writing.isUnspaced(text) else { return type(text, editor) }
        spaced = 0
        let before = editor.before
        let typed = finish(editor, after: "")
        editor.insert(text)
        guard field.releases else { return nil }
        if typed == nil { beginsText = !writing.hasToken(before) }
        return (typed ?? "") + text
    }

    /// Performs the return key's action. Returns the word that this finished, if any.
    public func enter(_ editor: some Editor) -> String? {
        spaced = 0
        let finished = finish(editor)
        editor.insert("\n")  // the app handles it as its return key's action
        return finished
    }

    /// Ends a sentence, as two quick spaces do on a phone: if there are a word and one space before the
    /// cursor, a period and a space replace this space. Returns whether they did.
    public func endSentence(_ editor: some Editor) -> Bool {
        guard field.releases && endsInWordAndSpace(editor.before, in: writing) else { return false }
        spaced = 0
        editor.deleteBackward()
        editor.insert(". ")
        return true
    }

    /// Replaces the typed word with `spelling`. The word continues after it.
    public func correct(_ spelling: String, _ editor: some Editor) {
        guard word.isAt(editor.before) else { return }
        for _ in word.text { editor.deleteBackward() }
        word.text = spelling
        editor.insert(spelling)
    }

    /// Replaces the typed word with `suggestion`. Returns the suggestion if this finished the word.
    public func choose(_ suggestion: String, _ editor: some Editor) -> String? {
        guard word.isAt(editor.before) else { return nil }
        let typed = word.text
        let finished = finish(editor)
        let isSpaced = !writing.endsUnspaced(suggestion)
        for _ in typed { editor.deleteBackward() }
        editor.insert(isSpaced ? suggestion + " " : suggestion)
        spaced = isSpaced ? suggestion.count : 0
        return finished == nil ? nil : suggestion
    }

    /// Deletes the selection, or the character before the cursor.
    public func delete(_ editor: some Editor) {
        spaced = 0
        word = editor.hasSelection ? word.none : word.removingLast(before: editor.before)
        editor.deleteBackward()
    }

    /// Deletes the word before the cursor, and the separators between them. In a script without spaces, where
    /// only a bundle knows the words, it deletes one character.
    public func deleteWord(_ editor: some Editor) {
        word = word.none
        spaced = 0
        if editor.hasSelection { return editor.deleteBackward() }
        var before = editor.before
        while let last = before.last, !writing.endsInWord(String(last)) {
            before.removeLast()
            editor.deleteBackward()
        }
        if writing.endsUnspaced(before) { return editor.deleteBackward() }
        while let last = before.last, writing.endsInWord(String(last)),
            !writing.endsUnspaced(String(last))
        {
            before.removeLast()
            editor.deleteBackward()
        }
    }

    /// Reads the field again: the cursor or the text may have changed.
    public func look(_ editor: some Editor) {
        if !word.text.isEmpty && !word.isAt(editor.before) { word = word.none }
    }

    /// - Parameter after: the text behind the word, if it differs from the text behind the cursor.
    private func finish(_ editor: some Editor, after: String? = nil) -> String? {
        let finished = word
        word = word.none
        let before = editor.before
        let isComplete = finished.isComplete(before: before, after: after ?? editor.after)
        beginsText = isComplete && !writing.hasToken(finished.rest(of: before))
        return isComplete ? finished.text : nil
    }
}
