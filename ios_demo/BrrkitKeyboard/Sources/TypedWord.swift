import Brrkit

/// The characters typed since the last separator, checked against the field at every step.
///
/// A field can change under the keyboard: the cursor moves, the app clears the text, something is
/// pasted. So nothing here is believed until the field shows the same characters at the cursor.
struct TypedWord: Hashable, Sendable {
    /// What was typed.
    var text = ""

    /// Whether `text` began at a word's beginning. A correction inside a word that stands in the
    /// field already, perhaps a sent one, isn't whole: it is never released.
    var isWhole = false

    static let none = TypedWord()

    /// The word after `character` is typed; `before` is what stands before the cursor.
    func adding(_ character: String, before: String) -> TypedWord {
        if isAt(before) { return TypedWord(text: text + character, isWhole: isWhole) }
        return TypedWord(text: character, isWhole: !endsInWord(before))
    }

    /// The word after a backspace.
    func removingLast(before: String) -> TypedWord {
        guard isAt(before) else { return .none }
        let shorter = String(text.dropLast())
        return shorter.isEmpty ? .none : TypedWord(text: shorter, isWhole: isWhole)
    }

    /// Whether the field shows this word right before the cursor.
    func isAt(_ before: String) -> Bool {
        !text.isEmpty
            && before.unicodeScalars.suffix(text.unicodeScalars.count)
                .elementsEqual(text.unicodeScalars)
    }

    /// Whether this is a complete word of the field: the only kind that is released.
    func isComplete(before: String, after: String) -> Bool {
        let rest = before.unicodeScalars.dropLast(text.unicodeScalars.count)
        return isWhole && isAt(before) && !startsInWord(after) && !endsInWord(String(rest))
    }
}

/// Whether a string separates words, by the rule of the bundle's tokenizer.
public func isSeparator(_ character: String) -> Bool { tokenize("a\(character)a").count != 1 }

/// Whether `text` ends in a word and one space; in a word of `length` characters, where that is given.
func endsInWordAndSpace(_ text: String, length: Int? = nil) -> Bool {
    guard text.last == " ", endsInWord(String(text.dropLast())) else { return false }
    guard let length else { return true }
    return text.count > length && !endsInWord(String(text.dropLast(length + 1)))
}

/// Whether `text` ends in a word.
public func endsInWord(_ text: String) -> Bool {
    text.unicodeScalars.last.map { !isSeparator(String($0)) } ?? false
}

private func startsInWord(_ text: String) -> Bool {
    text.unicodeScalars.first.map { !isSeparator(String($0)) } ?? false
}
