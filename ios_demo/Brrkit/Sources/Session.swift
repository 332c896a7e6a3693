/// A conversation, in which a surrogate stands for each marked text, such as a name for a name.
///
/// A surrogate doesn't depend on the text that it stands for, only on earlier surrogates: in a
/// session, equal texts have the same one, and different texts have different ones. A reader sees
/// which texts are equal, their lists, and all that **no mark covers**. Only this value holds the
/// surrogates and their texts; nothing is stored. A copy continues independently.
/// `spec/bundle-format.md`, "Sessions", is the specification.
///
/// Proof: `docs/explanation/proofs.md`, "Lists".
public struct Session: Sendable {
    /// What is marked, and as of which list.
    private struct Marked: Hashable {
        let list: String?
        let normalized: UTF8Text
    }

    private let bundle: WordBundle
    private let random: any RandomSource

    /// The words that may stand for an unknown mark.
    private let others: [Int]

    /// What stands for what; no description shows it.
    private struct Table: CustomStringConvertible, CustomReflectable {
        var surrogates = [Marked: Int]()

        /// What was typed, by the forms of its surrogate's pieces.
        var typed = [[UTF8Text]: String]()

        var description: String { "a table" }
        var customMirror: Mirror { Mirror(self, children: []) }
    }

    private var table = Table()

    /// Begins a session.
    ///
    /// - Parameters:
    ///   - bundle: an opened bundle; its policy's lists supply the surrogates.
    ///   - random: source of random bytes. Leave it alone in production.
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/parameter``: the bundle is a list of strings.
    public init(
        _ bundle: WordBundle, random: any RandomSource = SystemRandom()
    ) throws(BrrError) {
        try bundle.checkCodes()
        (self.bundle, self.random) = (bundle, random)
        let policy = bundle.policy
        let taken = Set(policy.lists.flatMap(\.members) + (policy.passing?.words ?? []))
        others = (0..<bundle.count).filter { !taken.contains($0) }
    }

    /// Returns `text` as it was typed, with a surrogate in the place of each of `marks`.
    ///
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/parameter``: a mark is empty or outside the text, or the
    ///   bundle doesn't have its list; or all words of its list are surrogates already.
    public mutating func hide(_ text: String, marks: [Mark]) throws(BrrError) -> String {
        var (hidden, stands) = ("", table)
        for part in try bundle.tokenizer.parts(of: text, marks) {
            hidden += part.isMark ? try surrogate(part.text, part.list, &stands) : part.text
        }
        table = stands
        return hidden
    }

    /// Returns `reply` with what was typed in the place of each surrogate, whatever its case.
    ///
    /// A surrogate inside a longer word is left as it is.
    public func restore(_ reply: String) -> String {
        let pieces = pieces(of: reply)
        let longest = table.typed.keys.map(\.count).max() ?? 0
        var restored = ""
        var place = 0
        while place < pieces.count {
            let lengths = stride(from: min(longest, pieces.count - place), to: 0, by: -1)
            let found = lengths.lazy.compactMap { length in
                table.typed[pieces[place..<place + length].map(\.form)].map { ($0, length) }
            }.first
            restored += found?.0 ?? pieces[place].text
            place += found?.1 ?? 1
        }
        return restored
    }

    /// Returns what stands for a text that is marked as of a list.
    private func surrogate(
        _ text: String, _ list: String?, _ table: inout Table
    ) throws(BrrError) -> String {
        let marked = Marked(list: list, normalized: bundle.tokenizer.normalize(text))
        if let known = table.surrogates[marked] { return bundle.vocabulary.word(known)! }
        let drawn = try drawn(list, besides: Set(table.surrogates.values))
        let word = bundle.vocabulary.word(drawn)!
        table.surrogates[marked] = drawn
        table.typed[pieces(of: word).map(\.form)] = text
        return word
    }

    /// Returns one of the words that stand for nothing yet: a member of a list by its mass.
    ///
    /// Any other by chance alone: a frequent word would be in a reply by itself, too.
    private func drawn(_ list: String?, besides taken: Set<Int>) throws(BrrError) -> Int {
        let words = bundle.policy.lists.first { $0.name == list }?.members ?? others
        let left = words.filter { !taken.contains($0) }
        guard !left.isEmpty else {
            let those = list.map { "words of the list '\($0)'" } ?? "words"
            throw .parameter(
                "all \(those) are already in use in this session; begin another one")
        }
        let weights = left.map { list == nil ? 1 : levels[Int(bundle.masses.words[$0])] }
        var number = try random.uniform(below: weights.reduce(0, +))
        var place = 0
        while number >= weights[place] {
            number -= weights[place]
            place += 1
        }
        return left[place]
    }

    /// Returns a text, cut wherever a word could begin or end; apostrophes by themselves.
    private func pieces(of text: String) -> [(text: String, form: UTF8Text)] {
        let writing = bundle.writing
        var pieces = [String]()
        var last: (isInner: Bool, isAlone: Bool)?
        for scalar in text.unicodeScalars {
            let next = (writing.isInner(scalar), isAlone(form(of: String(scalar))))
            if let last, last.isInner, next.0, !last.isAlone, !next.1 {
                pieces[pieces.count - 1].unicodeScalars.append(scalar)
            } else {
                pieces.append(String(scalar))
            }
            last = next
        }
        return pieces.map { ($0, form(of: $0)) }
    }

    /// Tells whether a form is that of an apostrophe or of a joiner.
    private func isAlone(_ form: UTF8Text) -> Bool {
        let codePoints = codePoints(form)
        guard codePoints.count == 1 else { return false }
        return codePoints[0] == UInt32(apostrophe) || bundle.writing.joiners.contains(codePoints[0])
    }

    /// Returns a piece as pieces are compared.
    private func form(of piece: String) -> UTF8Text {
        let normalized = bundle.tokenizer.normalize(piece)
        let codePoints = codePoints(normalized)
        let isLookalike = codePoints.count == 1 && lookalikes.contains(codePoints[0])
        return isLookalike ? [apostrophe] : normalized
    }
}
