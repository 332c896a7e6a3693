/// Policies for unknown words, those outside the vocabulary. No policy keeps unknown words.
public enum Oov: Hashable, Sendable, CaseIterable {
    /// A word of the vocabulary, drawn in proportion to its mass, replaces each before the mechanism runs.
    case random

    /// They are left out. This reveals which words were unknown.
    case drop

    /// ``BrrError/Kind/outOfVocabulary``. This reveals which words were unknown.
    case error
}

/// Replaces words with privatized ones.
///
/// Each token becomes one word. `spec/bundle-format.md` specifies tokens, and the word that a token is typed
/// as. The guarantee and its assumptions are in `docs/explanation/threat-model.md`. A value that threads can
/// share. Each method also has an `async` form, which runs away from the caller's actor.
///
/// Proof: `docs/explanation/proofs.md`, "Texts". Proof for unknown words: `docs/explanation/proofs.md`, "Words outside the
/// vocabulary". Proof for a certificate: `docs/explanation/proofs.md`, "The certified epsilon".
public struct Privatizer: Sendable {
    private let bundle: WordBundle
    private let sampler: any Sampler
    private let second: (any Sampler)?
    private let memory: Memory?
    private let oov: Oov

    /// Draws the replacement of an unknown word; nil for other policies than ``Oov/random``.
    private let standIns: MassDraw?
    private let budget: PrivacyBudget?
    private let random: any RandomSource

    /// Prepares a mechanism on a bundle.
    ///
    /// - Parameters:
    ///   - bundle: an opened bundle.
    ///   - setting: epsilon and mechanism. Without it, the whole setting that the bundle recommends is
    ///     used (`brr calibrate --write`).
    ///   - oov: the policy for unknown words.
    ///   - budget: counts ``certifiedEpsilon`` for each word to release, and refuses a release that would
    ///     exceed its limit. The cost depends only on the number of words: unknown and repeated words cost
    ///     the same, with a memory, too.
    ///   - memory: gives each word one first draw, with the setting's epsilon, for a whole period. The
    ///     released word is a second draw from the first draw's word. See `docs/how-to/run-for-months.md`.
    ///   - secondEpsilon: the epsilon of the second draws; by default twice the setting's, but at most
    ///     22.18. Only with a memory.
    ///   - random: source of random bytes. Don't set it in production.
    ///   - randomizer: flips the bits of codes; all implementations flip the same bits.
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/parameter``: a value is unknown or out of
    ///   range, the certificate belongs to another setting or bundle, or there is no setting and
    ///   the bundle recommends none. Of kind ``BrrError/Kind/bundle``: this version can't run what
    ///   the bundle recommends.
    public init(
        _ bundle: WordBundle,
        setting: Setting? = nil,
        oov: Oov = .random,
        budget: PrivacyBudget? = nil,
        memory: Memory? = nil,
        secondEpsilon: Double? = nil,
        random: any RandomSource = SystemRandom(),
        randomizer: any Randomizer = SwiftRandomizer()
    ) throws(BrrError) {
        (self.setting, sampler) = try resolve(bundle, setting, randomizer)
        (self.bundle, self.oov, self.budget, self.memory) = (bundle, oov, budget, memory)
        self.random = random
        standIns = oov == .random ? MassDraw(bundle.masses) : nil
        certifiedEpsilon = self.setting.certifiedEpsilon ?? sampler.effectiveEpsilon
        guard secondEpsilon == nil || memory != nil else {
            throw .parameter("secondEpsilon is for a memory's second draws; give a memory")
        }
        let epsilon = secondEpsilon ?? min(2 * sampler.epsilon, epsilonMax)
        second =
            memory == nil ? nil : try self.setting.mechanism.sampler(bundle, epsilon, randomizer)
    }

    /// The setting in force, given or recommended.
    public let setting: Setting

    /// The mechanism's privacy parameter per bit of Hamming distance; with a memory, that of the first draws.
    ///
    /// Two privatizers with the same bundle, epsilon and mechanism have the same output probabilities.
    public var epsilon: Double { sampler.epsilon }

    /// The privacy loss per bit that the mechanism's integers have in any vocabulary, rounded up; at most
    /// ``epsilon``.
    public var effectiveEpsilon: Double { sampler.effectiveEpsilon }

    /// The privacy loss per bit of Hamming distance on this vocabulary, which the budget counts.
    ///
    /// The certificate states it, if the setting has one; otherwise it is ``effectiveEpsilon``. Never above
    /// ``epsilon``.
    public let certifiedEpsilon: Double

    /// Returns the privatized `word`, or nil if ``Oov/drop`` leaves it out.
    ///
    /// The word counts as a text of its own. To release the words of one text one by one, use ``stream()``. A
    /// string that isn't one token ("", "hello world", "hello,") is one unknown word, unless the vocabulary has
    /// exactly this string.
    ///
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/outOfVocabulary``: the word is out of vocabulary and the
    ///   policy is ``Oov/error``. Of kind ``BrrError/Kind/budget(left:renewsIn:)``: the budget doesn't allow the
    ///   release; nothing is released. Of kind ``BrrError/Kind/budgetFile`` or ``BrrError/Kind/memoryFile``: the
    ///   budget's state or the memory's key can't be used; nothing is released.
    public func word(_ word: String) throws(BrrError) -> String? { try one(word) }

    /// Returns the privatized `words` of one text, in order.
    ///
    /// Each string is read as ``word(_:)`` reads it. With ``Oov/drop``, the result can be shorter.
    ///
    /// - Throws: as ``word(_:)``.
    public func words(_ words: [String]) throws(BrrError) -> [String] { try all(words) }

    /// Returns the privatized words of `text`, one for each token, joined by single spaces.
    ///
    /// The output has no case, punctuation, line breaks or separators of numbers, and nothing else that was
    /// typed between tokens.
    ///
    /// - Parameters:
    ///   - marks: parts of the text that are one token each: a word of a list, or an unknown word. They are
    ///     widened to whole tokens. Overlapping marks are merged, and keep the list of the first.
    ///   - rest: treatment of the text outside marks. ``Rest/pass``: it **leaves the device as typed**, visible
    ///     to everybody; only the marked words are replaced, paid for, and protected. With ``Oov/drop``,
    ///     unknown words among them are removed.
    /// - Throws: as ``word(_:)``; or ``BrrError`` of kind ``BrrError/Kind/parameter``: a mark is empty or
    ///   outside the text, or names a list that the policy lacks.
    public func text(
        _ text: String, marks: [Mark] = [], rest: Rest = .release
    ) throws(BrrError) -> String { try all([text], [marks], rest)[0] }

    /// Returns the output of ``text(_:marks:rest:)`` for each of `texts`, in order, paid for at
    /// once.
    ///
    /// The same random bytes give the same words as separate calls of ``text(_:marks:rest:)``. If the budget
    /// doesn't allow the words of all texts, none is released.
    ///
    /// - Parameters:
    ///   - marks: the marks of each text; nil for none.
    ///   - rest: treatment of the text outside marks, as for ``text(_:marks:rest:)``.
    /// - Throws: as ``text(_:marks:rest:)``; or of kind ``BrrError/Kind/parameter``: the numbers of texts and of
    ///   lists of marks differ.
    public func texts(
        _ texts: [String], marks: [[Mark]]? = nil, rest: Rest = .release
    ) throws(BrrError) -> [String] { try all(texts, marks, rest) }

    /// Returns a stream that releases the words of one text one by one, as they are typed.
    public func stream() -> Stream { Stream(self) }

    /// Returns the privatized `word`, away from the caller's actor; as ``word(_:)``.
    public func word(_ word: String) async throws(BrrError) -> String? { try one(word) }

    /// Returns the privatized `words`, away from the caller's actor; as ``words(_:)``.
    public func words(_ words: [String]) async throws(BrrError) -> [String] { try all(words) }

    /// Returns the privatized `text`, away from the caller's actor; as ``text(_:marks:rest:)``.
    public func text(
        _ text: String, marks: [Mark] = [], rest: Rest = .release
    ) async throws(BrrError) -> String { try all([text], [marks], rest)[0] }

    /// Returns the privatized `texts`, away from the caller's actor; as ``texts(_:marks:rest:)``.
    public func texts(
        _ texts: [String], marks: [[Mark]]? = nil, rest: Rest = .release
    ) async throws(BrrError) -> [String] { try all(texts, marks, rest) }

    private func one(_ word: String) throws(BrrError) -> String? { try all([word]).first }

    private func all(_ words: [String]) throws(BrrError) -> [String] {
        try spelled(released([words.map(bundle.tokenizer.token)]))[0]
    }

    private func all(
        _ texts: [String], _ marks: [[Mark]]?, _ rest: Rest
    ) throws(BrrError) -> [String] {
        let marks = marks ?? texts.map { _ in [] }
        guard marks.count == texts.count else {
            throw .parameter(
                "marks has \(marks.count) lists for \(texts.count) texts; give one list for each text"
            )
        }
        var cut = [[MarkedPart]]()
        for (text, marks) in zip(texts, marks) {
            cut.append(try bundle.tokenizer.parts(of: text, marks))
        }
        switch rest {
        case .release:
            let tokens = cut.map { $0.flatMap(bundle.tokenizer.read) }
            return try spelled(released(tokens)).map { $0.joined(separator: " ") }
        case .pass:
            let tokens = cut.map { $0.filter(\.isMark).flatMap(bundle.tokenizer.read) }
            let words = try spelled(released(tokens))
            return zip(cut, words).map(filled)
        }
    }

    /// Returns a text with its marks replaced by their released words.
    private func filled(_ parts: [MarkedPart], _ words: [String]) -> String {
        var left = words[...]
        return parts.map { part in
            guard part.isMark else { return part.text }
            return oov == .drop && part.list == nil ? "" : left.removeFirst()
        }.joined()
    }

    /// Pays for the tokens of all lists at once, then draws ids list by list.
    ///
    /// - Parameter before: the word released before each list in its text.
    fileprivate func released(
        _ lists: [[Token]], after before: Int? = nil
    ) throws(BrrError) -> [[Int]] {
        let tokens = lists.flatMap { $0 }
        let found = Array(zip(tokens.map(\.wordID), try paidSources(tokens)))
        if oov == .error, let place = tokens.firstIndex(where: { $0.wordID == nil }) {
            throw BrrError(
                .outOfVocabulary,
                "word \(place + 1) of \(tokens.count) is out of vocabulary (policy 'error'); choose "
                    + "the policy 'random' or 'drop', or a larger vocabulary")
        }
        var start = 0
        var released = [[Int]]()
        for list in lists {
            released.append(try drawn(found[start..<start + list.count], after: before))
            start += list.count
        }
        return released
    }

    /// Returns a drawn id for each word; the source next to it is for its first draw.
    private func drawn(
        _ typed: ArraySlice<(Int?, any RandomSource)>, after before: Int?
    ) throws(BrrError) -> [Int] {
        let found = oov == .drop ? typed.filter { $0.0 != nil } : Array(typed)
        var words = [(typed: Int?, drawnFrom: Int)]()
        for (id, source) in found {
            var place = id
            if place == nil { place = try standIns!.id(source) }
            words.append((id, place!))
        }
        guard let second else { return try drawn(words, by: sampler, after: before, random) }
        var first = [(typed: Int?, drawnFrom: Int)]()
        for (word, (_, source)) in zip(words, found) {
            let id = try drawn([word], by: sampler, after: nil, source)[0]
            first.append((id, id))
        }
        return try drawn(first, by: second, after: before, random)
    }

    /// Returns an id for each word of one text: the typed one if it passes, else a draw of the mechanism.
    ///
    /// - Parameter words: typed ids, nil for unknown words, and the ids from which to draw.
    private func drawn(
        _ words: [(typed: Int?, drawnFrom: Int)], by sampler: any Sampler, after before: Int?,
        _ random: any RandomSource
    ) throws(BrrError) -> [Int] {
        let codes = words.map { bundle.index.codes[$0.drawnFrom] }
        guard let passing = bundle.policy.passing else {
            return try sampler.release(codes, after: before, random)
        }
        var last = before
        var ids = [Int]()
        for (word, code) in zip(words, codes) {
            // It draws both in any case, so neither the duration nor the random bytes reveal which words
            // pass.
            let passes = try passing.coin(word.typed, random)
            let drawn = try sampler.release([code], after: last, random)[0]
            let id = drawn ^ ((drawn ^ word.drawnFrom) & passes)
            ids.append(id)
            last = id
        }
        return ids
    }

    /// Returns the words of ids.
    fileprivate func spelled(_ lists: [[Int]]) -> [[String]] {
        lists.map { $0.compactMap(bundle.vocabulary.word) }
    }

    /// Pays for the draws of tokens; returns the source of random bytes of each first draw.
    private func paidSources(_ tokens: [Token]) throws(BrrError) -> [any RandomSource] {
        let key = try memory?.key()
        // The number alone decides; otherwise a refusal would reveal repeated words.
        try budget?.spend(certifiedEpsilon, words: tokens.count, unit: bundle.digest)
        guard let key else { return tokens.map { _ in random } }
        let setting = MechanismSetting(
            mechanism: sampler.setting.mechanism,
            numbers: sampler.setting.numbers + (bundle.policy.passing?.numbers ?? []))
        return tokens.map {
            key.draw(bundle.digest, setting, $0.wordID.flatMap(bundle.vocabulary.word))
        }
    }
}

extension Privatizer {
    /// Releases a text word by word, as it is typed. Use another stream for another text.
    ///
    /// It stores only the last released word, and nothing typed. A copy continues independently.
    public struct Stream: Sendable {
        private let privatizer: Privatizer
        private var before: Int?

        /// Begins a text, or continues one after the released word with the id `before`.
        init(_ privatizer: Privatizer, after before: Int? = nil) {
            self.privatizer = privatizer
            self.before = before
        }

        /// Returns the privatized `word`, or nil if ``Oov/drop`` leaves it out.
        ///
        /// - Throws: as ``Privatizer/word(_:)``.
        public mutating func word(_ word: String) throws(BrrError) -> String? {
            try next(privatizer.bundle.tokenizer.token(word))
        }

        /// Returns the privatized `word`, away from the caller's actor; as ``word(_:)``.
        public mutating func word(_ word: String) async throws(BrrError) -> String? {
            try next(privatizer.bundle.tokenizer.token(word))
        }

        /// Returns the released word for a token of the bundle; as ``word(_:)``.
        package mutating func next(_ token: Token) throws(BrrError) -> String? {
            let released = try privatizer.released([[token]], after: before)
            before = released[0].first ?? before
            return privatizer.spelled(released)[0].first
        }
    }
}
