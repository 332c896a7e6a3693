/// The boundaries of typed words in a language, for keyboards.
extension Writing {
    /// The role of a code point for the words next to it.
    private enum Kind {
        case separator, joiner, letter, unspaced
    }

    private func kind(_ scalar: Unicode.Scalar) -> Kind {
        let normalized = codePoints(normalize(String(scalar)))
        if let separator = normalized.first(where: isSeparator) {
            return joinsLetters(separator) ? .joiner : .separator
        }
        return normalized.contains(where: unspaced.has) ? .unspaced : .letter
    }

    /// Returns the role of the next word character, if at most a joiner is before it; otherwise nil.
    private func next(_ scalars: some Sequence<Unicode.Scalar>) -> (kind: Kind, isJoined: Bool)? {
        var isJoined = false
        for scalar in scalars.prefix(2) {
            switch kind(scalar) {
            case .separator: return nil
            case .joiner where isJoined: return nil
            case .joiner: isJoined = true
            case let kind: return (kind, isJoined)
            }
        }
        return nil
    }

    private func joinsLetters(_ separator: UInt32) -> Bool {
        joiners.contains(separator) || lookalikes.contains(separator)
    }

    /// Returns the finished part of a text in progress: the part that can already be released.
    ///
    /// It ends with the last character that separates words, even in a script without spaces. Its tokens stay
    /// the text's first tokens, whatever is typed next. An apostrophe ends no word, nor does a character that
    /// many people type instead, nor a joiner of this language, such as Persian's zero-width non-joiner.
    public func finished(_ text: String) -> String {
        guard let last = text.unicodeScalars.lastIndex(where: separates) else { return "" }
        return String(text.unicodeScalars[...last])
    }

    /// Tells whether a word continues across a place between two such code points.
    func isInner(_ scalar: Unicode.Scalar) -> Bool {
        !separates(scalar) && !unspaced.has(scalar.value)
    }

    private func separates(_ scalar: Unicode.Scalar) -> Bool {
        guard let last = codePoints(normalize(String(scalar))).last else { return false }
        return isSeparator(last) && !joinsLetters(last)
    }

    /// Tells whether `text` ends in a word, or in a joiner after one.
    package func endsInWord(_ text: String) -> Bool { next(text.unicodeScalars.reversed()) != nil }

    /// Tells whether `text` ends in a script without spaces.
    package func endsUnspaced(_ text: String) -> Bool {
        next(text.unicodeScalars.reversed())?.kind == .unspaced
    }

    /// Tells whether all of `text` is in scripts without spaces.
    package func isUnspaced(_ text: String) -> Bool {
        !text.isEmpty && text.unicodeScalars.allSatisfy { kind($0) == .unspaced }
    }

    /// Returns whether a word continues from `before` to `after`. It doesn't between a script without spaces
    /// and another script.
    public func joins(_ before: String, _ after: String) -> Bool {
        guard let last = next(before.unicodeScalars.reversed()),
            let first = next(after.unicodeScalars)
        else { return false }
        return last.kind == first.kind && !(last.isJoined && first.isJoined)
    }

    /// Tells whether there is a token in `text`.
    package func hasToken(_ text: String) -> Bool {
        codePoints(normalize(text)).contains { $0 != apostrophe && !isSeparator($0) }
    }
}
