import Brrkit

/// The characters typed since the last separator, checked against the field at every step.
///
/// A field can change under the keyboard: the cursor moves, the app clears the text, something is pasted.
/// This word is therefore trusted only if the field shows the same characters at the cursor.
struct TypedWord: Hashable, Sendable {
    /// Writing rules of the typed language.
    let writing: Writing

    /// What was typed.
    var text = ""

    /// Whether `text` began at a word's beginning. A correction inside a word that is already in the field,
    /// and may have been sent, isn't whole. It is never released.
    var isWhole = false

    /// Nothing that was typed.
    var none: TypedWord { TypedWord(writing: writing) }

    /// The word after `character` is typed; `before` is the text before the cursor.
    func adding(_ character: String, before: String) -> TypedWord {
        if isAt(before) { return with(text + character, isWhole: isWhole) }
        return with(character, isWhole: !writing.joins(before, character))
    }

    /// The word after a backspace.
    func removingLast(before: String) -> TypedWord {
        guard isAt(before) else { return none }
        let shorter = String(text.dropLast())
        return shorter.isEmpty ? none : with(shorter, isWhole: isWhole)
    }

    private func with(_ text: String, isWhole: Bool) -> TypedWord {
        TypedWord(writing: writing, text: text, isWhole: isWhole)
    }

    /// Whether the field shows this word right before the cursor.
    func isAt(_ before: String) -> Bool {
        !text.isEmpty
            && before.unicodeScalars.suffix(text.unicodeScalars.count)
                .elementsEqual(text.unicodeScalars)
    }

    /// Whether this is a complete word of the field: the only kind that is released.
    func isComplete(before: String, after: String) -> Bool {
        isWhole && isAt(before) && !writing.joins(text, after)
            && !writing.joins(rest(of: before), text)
    }

    /// The text before this word, which is before the cursor.
    func rest(of before: String) -> String {
        String(before.unicodeScalars.dropLast(text.unicodeScalars.count))
    }
}

/// Whether `text` ends in a word and one space; if `length` is given, in a word of this many characters.
func endsInWordAndSpace(_ text: String, in writing: Writing, length: Int? = nil) -> Bool {
    let word = text.dropLast()
    guard text.last == " ", writing.endsInWord(String(word)),
        !writing.endsUnspaced(String(word))
    else { return false }
    guard let length else { return true }
    return word.count >= length && !writing.endsInWord(String(word.dropLast(length)))
}
