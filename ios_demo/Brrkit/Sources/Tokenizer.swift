/// A text in UTF-8. It isn't a String, because Swift compares and cuts those by Unicode tables that differ
/// between systems.
typealias UTF8Text = [UInt8]

/// A token of a text, or a string that an app passes as one.
package struct Token: Sendable {
    /// The text, as cut or passed; empty for a mark.
    let text: UTF8Text

    /// Id of the word that it is typed as; nil if it is unknown.
    let wordID: Int?
}

/// Largest number of words before another one, and of endings, that are removed from a word.
private let mostTimes = 8

/// Largest number of code points. Longer strings are tokens, and are looked up, without changes.
private let mostCodePoints = 256

/// Cuts texts into tokens, and looks tokens up, by the writing rules of a language and the words of its
/// vocabulary. `spec/bundle-format.md`, "Tokenizer", is the specification.
struct Tokenizer: Sendable {
    let writing: Writing
    let vocabulary: Vocabulary
    let costs: Costs

    /// The kind of a list's strings; nil for a bundle with codes.
    var listOf: ListKind? = nil

    /// The policy, which decides which words are typed as another one.
    var policy = Policy.none

    /// Returns a text in the form of words in a vocabulary.
    func normalize(_ text: some StringProtocol) -> UTF8Text { writing.normalize(text) }

    /// Returns the normalized tokens of a text, with their words.
    func read(_ text: String) -> [Token] {
        guard let listOf else { return tokens(of: text) }
        return read(text, of: listOf)
    }

    /// Returns the finished part of a text in progress. For a list, there is none, because a phrase may begin
    /// in any word, and emoji may continue.
    func finished(_ text: String) -> String { listOf == nil ? writing.finished(text) : "" }

    /// Returns the same, ignoring lists.
    func tokens(of text: String) -> [Token] {
        let normalized = normalize(text)[...]
        var tokens = [Token]()
        for run in writing.runs(of: normalized) {
            if writing.unspaced.isEmpty {
                cut(normalized[run], &tokens)
            } else {
                for (stretch, isUnspaced) in writing.stretches(of: normalized[run]) {
                    if isUnspaced {
                        cutUnspaced(stretch, &tokens)
                    } else {
                        cut(writing.withoutJoiners(stretch), &tokens)
                    }
                }
            }
        }
        return tokens
    }

    /// Adds the tokens of a stretch in a script with spaces.
    private func cut(_ stretch: ArraySlice<UInt8>, _ tokens: inout [Token]) {
        let isCut = !writing.before.isEmpty || !writing.links.isEmpty
        var rest = stretch
        var left = mostTimes
        while writing.hasWord(rest) {
            let whole = token(of: rest)
            if isCut && whole.wordID == nil && !isLong(rest) {
                let inside = rest.drop { $0 == apostrophe }
                if left > 0, let first = firstWord(of: inside) {
                    left -= 1
                    tokens.append(token(of: first))
                    rest = inside[first.endIndex...]
                    continue
                }
                if let (first, second) = parts(of: withoutApostrophes(inside)) {
                    tokens.append(first)
                    tokens.append(second)
                    return
                }
            }
            tokens.append(whole)
            return
        }
    }

    /// Returns the longest word before other words at the beginning of `text`.
    private func firstWord(of text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        writing.before
            .filter {
                text.starts(with: $0) && text.dropFirst($0.count).contains { $0 != apostrophe }
            }
            .max { $0.count < $1.count }
            .map { text.prefix($0.count) }
    }
}

/// Tells whether `text` has more code points than the limit.
private func isLong(_ text: ArraySlice<UInt8>) -> Bool {
    text.count > mostCodePoints && countCodePoints(text) > mostCodePoints
}

/// Returns the text between the apostrophes at both ends.
private func withoutApostrophes(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var text = text.drop { $0 == apostrophe }
    while text.last == apostrophe { text.removeLast() }
    return text
}

// MARK: - Look-up

extension Tokenizer {
    /// Returns any string as one token.
    func token(_ word: String) -> Token {
        let text = UTF8Text(word.utf8)
        guard listOf != nil else {
            return Token(text: text, wordID: lookUp(normalize(word)[...]))
        }
        let tokens = read(word)
        return Token(text: text, wordID: tokens.count == 1 ? tokens[0].wordID : nil)
    }

    /// Returns a part of a normalized text as a token.
    ///
    /// - Parameter wordID: id of the word with this spelling, if known.
    func token(of part: ArraySlice<UInt8>, wordID: Int? = nil) -> Token {
        let normalized = writing.normalizeAlone(part)
        let isWord = wordID != nil && normalized == part
        let typed = isWord ? policy.typedAs(part, wordID) : lookUp(normalized)
        return Token(text: UTF8Text(part), wordID: typed)
    }

    /// Returns the id of the word that a normalized string is typed as, without other candidates; nil if it
    /// is unknown.
    private func find(_ string: ArraySlice<UInt8>) -> Int? {
        policy.typedAs(string, vocabulary.find(string))
    }

    /// Returns the id of the word that `token`, normalized, is typed as; nil if it is unknown.
    ///
    /// The first candidate that is a word of the vocabulary or a form of a list decides. The candidates are:
    /// the token; without the apostrophes at its ends; rewritten; the word for its spelling, or without its
    /// endings, repeatedly, unchanged and with shortened runs; the word for its pattern of digits.
    private func lookUp(_ token: ArraySlice<UInt8>) -> Int? {
        if let id = find(token) { return id }
        if isLong(token) { return nil }
        let bare = withoutApostrophes(token)
        if bare.count < token.count, let id = find(bare) { return id }
        for rewriting in writing.rewritten {
            if let other = rewritten(bare, rewriting), let id = find(other[...]) { return id }
        }
        for form in writing.forms(of: bare) {
            if let id = find(form) { return id }
            var rest = form
            for _ in 0..<mostTimes {
                if let word = writing.spelled(rest) { return find(word[...]) }
                let endings = writing.endings.filter { leavesStem(rest, $0) }
                guard let longest = endings.map(\.count).max() else { break }
                for ending in endings.sorted(by: { $0.count > $1.count }) {
                    if let id = find(rest.dropLast(ending.count)) { return id }
                }
                rest.removeLast(longest)
            }
        }
        return writing.spelled(masked(bare)[...]).flatMap { find($0[...]) }
    }

    private func leavesStem(_ word: ArraySlice<UInt8>, _ ending: UTF8Text) -> Bool {
        // Equal endings of two strings consist of whole code points.
        word.count > ending.count && word.suffix(ending.count).elementsEqual(ending)
            && countCodePoints(word.dropLast(ending.count)) >= writing.shortestStem
    }
}

/// Returns a word in another spelling; nil if nothing in it is replaced.
private func rewritten(_ word: ArraySlice<UInt8>, _ rewriting: Writing.Rewriting) -> UTF8Text? {
    let usual = rewriting.usual
    var other = UTF8Text()
    var isOther = false
    var at = word.startIndex
    while at < word.endIndex {
        if word[at] == usual[0] && word[at...].starts(with: usual) {
            other += rewriting.other
            isOther = true
            at += usual.count
        } else {
            other.append(word[at])
            at += 1
        }
    }
    return isOther ? other : nil
}

private let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

/// Returns a word with each digit replaced by 0.
private func masked(_ word: ArraySlice<UInt8>) -> UTF8Text {
    word.map { digits.contains($0) ? digits.lowerBound : $0 }
}

extension Writing {
    /// Returns the word for a token's spelling.
    fileprivate func spelled(_ token: ArraySlice<UInt8>) -> UTF8Text? {
        spellings.isEmpty ? nil : spellings[UTF8Text(token)]
    }

    /// Returns a bare token and, if it has more equal code points in a row than a word has, the token with
    /// each such run shortened to the limit, and to one. Runs of digits stay, because another number is
    /// another word.
    fileprivate func forms(of bare: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        if longestRun == 0 { return [bare] }
        let codePoints = codePoints(UTF8Text(bare))
        var (cut, single) = (UTF8Text(), UTF8Text())
        var start = 0
        while start < codePoints.count {
            let first = codePoints[start]
            let end = codePoints[start...].firstIndex { $0 != first } ?? codePoints.count
            let isDigit = UInt8(exactly: first).map(digits.contains) ?? false
            let isLong = !isDigit && end - start > longestRun
            for _ in 0..<(isLong ? longestRun : end - start) { append(first, to: &cut) }
            for _ in 0..<(isLong ? 1 : end - start) { append(first, to: &single) }
            start = end
        }
        return cut.count < bare.count ? [bare, cut[...], single[...]] : [bare]
    }
}

// MARK: - Runs and stretches

extension Writing {
    /// Returns the ranges of the runs in a normalized text. A run consists of word characters, and of single
    /// joiners between two of them.
    fileprivate func runs(of text: ArraySlice<UInt8>) -> [Range<Int>] {
        text.withUnsafeBufferPointer { text in
            var runs = [Range<Int>]()
            var start = -1
            var at = 0
            while at < text.count {
                let place = at
                if !isSeparator(nextCodePoint(text, &at)) {
                    if start < 0 { start = place }
                } else if start >= 0 && !isJoined(text, place, at) {
                    runs.append(start..<place)
                    start = -1
                }
            }
            if start >= 0 { runs.append(start..<text.count) }
            return runs
        }
    }

    /// Tells whether the separator from `place` to `next` joins the next word character. It follows a word
    /// character, or a joiner before one.
    @inline(__always)
    private func isJoined(_ text: UnsafeBufferPointer<UInt8>, _ place: Int, _ next: Int) -> Bool {
        if joiners.isEmpty || next == text.count { return false }
        var (at, behind) = (place, next)
        let separator = nextCodePoint(text, &at)
        return joiners.contains(separator) && !isSeparator(nextCodePoint(text, &behind))
    }

    /// Returns the stretches of a run: those in scripts without spaces, and the others.
    fileprivate func stretches(
        of run: ArraySlice<UInt8>
    ) -> [(stretch: ArraySlice<UInt8>, isUnspaced: Bool)] {
        run.withUnsafeBufferPointer { bytes in
            var stretches = [(ArraySlice<UInt8>, Bool)]()
            var (start, at, last) = (0, 0, false)
            while at < bytes.count {
                let place = at
                let isUnspaced = unspaced.has(nextCodePoint(bytes, &at))
                if isUnspaced != last && place > start {
                    stretches.append((run[run.startIndex + start..<run.startIndex + place], last))
                    start = place
                }
                last = isUnspaced
            }
            stretches.append((run[(run.startIndex + start)...], last))
            return stretches
        }
    }

    /// Returns a stretch without the joiners at its ends, which join nothing.
    fileprivate func withoutJoiners(_ stretch: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let joining = joiners.map { joiner in
            var text = UTF8Text()
            append(joiner, to: &text)
            return text
        }
        var rest = stretch
        while let joiner = joining.first(where: rest.starts(with:)) {
            rest.removeFirst(joiner.count)
        }
        while let joiner = joining.first(where: { rest.reversed().starts(with: $0.reversed()) }) {
            rest.removeLast(joiner.count)
        }
        return rest
    }

    /// Tells whether a part of a run has a character other than apostrophes and joiners.
    func hasWord(_ part: ArraySlice<UInt8>) -> Bool {
        // The only separators in a run are joiners.
        part.withUnsafeBufferPointer { part in
            var at = 0
            while at < part.count {
                let codePoint = nextCodePoint(part, &at)
                if codePoint != apostrophe && !joiners.contains(codePoint) { return true }
            }
            return false
        }
    }
}
