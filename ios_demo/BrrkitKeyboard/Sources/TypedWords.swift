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
///
/// **Scripts without spaces.** What is typed ends at the next separator, as elsewhere. An input method gives
/// the segment that was chosen to ``commit(_:_:)``, which returns it at once. Both may be of several words:
/// what is released is cut by the bundle's.
@MainActor
public final class TypedWords {
    /// Where it is typed.
    public let field: Field

    /// Whether no word stood before the one that was finished last: a text begins with it.
    public private(set) var beginsText = false

    /// How what is typed is written.
    public let writing: Writing

    private var word: TypedWord
    /// Length of the suggestion whose space was the last thing to be written; else 0.
    private var spaced = 0
    private let closing: Set<String>

    /// Begins to type in a field.
    ///
    /// - Parameters:
    ///   - writing: how what is typed is written: ``WordBundle/writing`` of the bundle that releases it.
    ///   - closing: characters that stand right behind a word in the language that is typed: the
    ///     space that follows a suggestion is taken back before them.
    public init(_ field: Field, writing: Writing = .english, closing: String = ".,;:!?)]}…،؛؟۔।") {
        (self.field, self.writing) = (field, writing)
        word = TypedWord(writing: writing)
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

    /// Writes what an input method has decided. In a script without spaces that is finished at once, with
    /// the word of another script that stands before it: returns it. Elsewhere it is typed.
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
        guard field.releases && endsInWordAndSpace(editor.before, in: writing) else { return false }
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

    /// Deletes the word before the cursor, and what separates it from the cursor; in a script without
    /// spaces one character, since only a bundle knows its words.
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

    /// Looks at the field again: the cursor or the text may have changed.
    public func look(_ editor: some Editor) {
        if !word.text.isEmpty && !word.isAt(editor.before) { word = word.none }
    }

    /// - Parameter after: what stands behind the word, if that isn't what stands behind the cursor.
    private func finish(_ editor: some Editor, after: String? = nil) -> String? {
        let finished = word
        word = word.none
        let before = editor.before
        let isComplete = finished.isComplete(before: before, after: after ?? editor.after)
        beginsText = isComplete && !writing.hasToken(finished.rest(of: before))
        return isComplete ? finished.text : nil
    }
}
