/// A conversation in which a surrogate stands for each marked text, such as a name for a name.
///
/// A surrogate doesn't depend on the text that it replaces, only on earlier surrogates. Within a session,
/// equal texts have equal surrogates, and different texts have different ones. Readers see which texts are
/// equal, their lists, and all text that **no mark covers**. Only this value holds the surrogates and their
/// texts; nothing is stored. A copy continues independently.
/// `spec/bundle-format.md`, "Sessions", is the specification.
///
/// Proof: `docs/explanation/proofs.md`, "Lists".
public struct Session: Sendable {
    /// A marked text, and the list of its mark.
    private struct Marked: Hashable {
        let list: String?
        let normalized: UTF8Text
    }

    private let bundle: WordBundle
    private let random: any RandomSource

    /// The words that may replace an unknown mark.
    private let others: [Int]

    /// The surrogates and their texts; no description shows them.
    private struct Table: CustomStringConvertible, CustomReflectable {
        var surrogates = [Marked: Int]()

        /// Typed texts, by the forms of their surrogates' pieces.
        var typed = [[UTF8Text]: String]()

        var description: String { "a table" }
        var customMirror: Mirror { Mirror(self, children: []) }
    }

    private var table = Table()

    /// Begins a session.
    ///
    /// - Parameters:
    ///   - bundle: an opened bundle; its policy's lists provide the surrogates.
    ///   - random: source of random bytes. Don't set it in production.
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

    /// Returns `text` as typed, with a surrogate in place of each of `marks`.
    ///
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/parameter``: a mark is empty or outside the text, or names
    ///   a list that the policy lacks; or all words of its list are already surrogates.
    public mutating func hide(_ text: String, marks: [Mark]) throws(BrrError) -> String {
        var (hidden, stands) = ("", table)
        for part in try bundle.tokenizer.parts(of: text, marks) {
            hidden += part.isMark ? try surrogate(part.text, part.list, &stands) : part.text
        }
        table = stands
        return hidden
    }

    /// Returns `reply` with each surrogate, in any case, replaced with the typed text.
    ///
    /// A surrogate within a longer word stays.
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

    /// Returns the surrogate of a text marked with a list.
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

    /// Draws a word that isn't a surrogate yet: for a list, a member in proportion to its mass.
    ///
    /// Without a list, all words are equally likely: a reply would often contain a frequent word.
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

    /// Returns a text, cut wherever a word could begin or end; apostrophes are pieces.
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

    /// Tells whether a form is that of an apostrophe or a joiner.
    private func isAlone(_ form: UTF8Text) -> Bool {
        let codePoints = codePoints(form)
        guard codePoints.count == 1 else { return false }
        return codePoints[0] == UInt32(apostrophe) || bundle.writing.joiners.contains(codePoints[0])
    }

    /// Returns the form of a piece for comparisons.
    private func form(of piece: String) -> UTF8Text {
        let normalized = bundle.tokenizer.normalize(piece)
        let codePoints = codePoints(normalized)
        let isLookalike = codePoints.count == 1 && lookalikes.contains(codePoints[0])
        return isLookalike ? [apostrophe] : normalized
    }
}
