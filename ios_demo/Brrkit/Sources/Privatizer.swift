/// What becomes of words outside the vocabulary. There is no way to keep them.
public enum Oov: Hashable, Sendable, CaseIterable {
    /// One of the vocabulary's words, drawn uniformly, takes their place before the mechanism runs.
    case random

    /// They are left out. That reveals which words were unknown.
    case drop

    /// ``BrrError/Kind/outOfVocabulary``. That reveals which words were unknown.
    case error
}

/// Replaces words by privatized ones.
///
/// One token in, one word out: `docs/bundle-format.md` says what a token is, and which word of the
/// vocabulary it stands for. The guarantee and its assumptions are in `docs/privacy.md`. A value that
/// threads can share. Each call has a form that an `async` caller awaits, away from its actor.
///
/// Proof: `docs/privacy.md`, "Texts". Proof for unknown words: `docs/privacy.md`, "Words outside the
/// vocabulary". Proof for a certificate: `docs/privacy.md`, "The exact loss, certified".
public struct Privatizer: Sendable {
    private let bundle: WordBundle
    private let sampler: any Sampler
    private let second: (any Sampler)?
    private let memory: Memory?
    private let oov: Oov
    private let budget: PrivacyBudget?
    private let random: any RandomSource

    /// Prepares a mechanism on a bundle.
    ///
    /// - Parameters:
    ///   - bundle: an opened bundle.
    ///   - epsilon: privacy parameter per bit of Hamming distance, from 1e-9 to 22.18.
    ///   - mechanism: how a word is privatized.
    ///   - oov: what becomes of words outside the vocabulary.
    ///   - budget: counts ``certifiedEpsilon`` for every word that is given, before anything is known
    ///     of it, and refuses what would exceed its limit. With a memory, it counts a word once in a
    ///     period.
    ///   - memory: gives a word the same first draw, with `epsilon`, in a whole period; what is released
    ///     is a second draw, of the word that the first one gave. See `docs/memory.md`.
    ///   - secondEpsilon: of the second draws; twice `epsilon` by default. Only with a memory.
    ///   - random: source of random bytes. Leave it alone in production.
    ///   - randomizer: what flips the bits of codes; every form gives the same.
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/parameter``: a parameter is out of range.
    public init(
        _ bundle: WordBundle,
        epsilon: Double,
        mechanism: Mechanism = .exponential,
        oov: Oov = .random,
        budget: PrivacyBudget? = nil,
        memory: Memory? = nil,
        secondEpsilon: Double? = nil,
        random: any RandomSource = SystemRandom(),
        randomizer: any Randomizer = SwiftRandomizer()
    ) throws(BrrError) {
        try self.init(
            bundle, mechanism, epsilon, nil, oov, budget, memory, secondEpsilon, random, randomizer)
    }

    /// Prepares the setting that the bundle recommends (`brr calibrate --write`).
    ///
    /// - Parameters: as above.
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/parameter`` if the bundle recommends none, of
    ///   kind ``BrrError/Kind/bundle`` if this version can't run what it recommends.
    public init(
        _ bundle: WordBundle,
        oov: Oov = .random,
        budget: PrivacyBudget? = nil,
        memory: Memory? = nil,
        secondEpsilon: Double? = nil,
        random: any RandomSource = SystemRandom(),
        randomizer: any Randomizer = SwiftRandomizer()
    ) throws(BrrError) {
        guard let setting = bundle.recommended else {
            throw .parameter(
                "there is no epsilon, and the bundle recommends none; give epsilon, or write one "
                    + "into the bundle with 'brr calibrate --write'")
        }
        do {
            try setting.checkCertificate(bundle)
            try self.init(
                bundle, Mechanism(setting), setting.epsilon, setting.certifiedEpsilon, oov, budget,
                memory, secondEpsilon, random, randomizer)
        } catch {
            throw .bundle(
                "\(bundle.manifestPath): field 'recommended': \(error.message); write it again with "
                    + "'brr calibrate --write'")
        }
    }

    private init(
        _ bundle: WordBundle, _ mechanism: Mechanism, _ epsilon: Double,
        _ certified: Double?,
        _ oov: Oov, _ budget: PrivacyBudget?, _ memory: Memory?, _ secondEpsilon: Double?,
        _ random: any RandomSource, _ randomizer: any Randomizer
    ) throws(BrrError) {
        self.bundle = bundle
        self.oov = oov
        self.budget = budget
        self.random = random
        self.memory = memory
        sampler = try mechanism.sampler(bundle, epsilon, randomizer)
        certifiedEpsilon = certified ?? sampler.effectiveEpsilon
        guard secondEpsilon == nil || memory != nil else {
            throw .parameter("secondEpsilon is for the draws after a memory's; give a memory")
        }
        let epsilon = secondEpsilon ?? min(2 * epsilon, epsilonMax)
        second = memory == nil ? nil : try mechanism.sampler(bundle, epsilon, randomizer)
    }

    /// The mechanism's parameter, per bit of Hamming distance; of the first draws with a memory.
    ///
    /// It fixes every probability: two privatizers of a bundle with the same epsilon and mechanism are
    /// the same.
    public var epsilon: Double { sampler.epsilon }

    /// The epsilon that the integers give, rounded up, for any vocabulary; at most ``epsilon``.
    public var effectiveEpsilon: Double { sampler.effectiveEpsilon }

    /// What a word loses per bit of Hamming distance on this vocabulary; the budget spends it.
    ///
    /// The certificate's, where the bundle's recommended setting is used and has one; otherwise
    /// ``effectiveEpsilon``. Never above ``epsilon``.
    public let certifiedEpsilon: Double

    /// Returns the privatized `word`, or nil if ``Oov/drop`` leaves it out.
    ///
    /// A string that isn't one token ("", "hello world", "hello,") is one unknown word, unless the
    /// vocabulary has exactly that.
    ///
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/outOfVocabulary``: the word is out of
    ///   vocabulary and the policy is ``Oov/error``; or ``BrrError/Kind/budget(left:renewsIn:)``: the
    ///   budget doesn't allow it, and nothing is released; or ``BrrError/Kind/budgetFile`` or
    ///   ``BrrError/Kind/memoryFile``: nor is it without a budget's state or a memory's key.
    public func word(_ word: String) throws(BrrError) -> String? {
        try released([[normalize(word)]])[0].first
    }

    /// Returns the privatized `words`, in order, each drawn independently without a memory.
    ///
    /// Each is taken as ``word(_:)`` takes it. Under ``Oov/drop`` the result can be shorter.
    ///
    /// - Throws: as ``word(_:)``.
    public func words(_ words: [String]) throws(BrrError) -> [String] {
        try released([words.map { normalize($0) }])[0]
    }

    /// Returns the privatized words of `text`, joined by single spaces: one for each token.
    ///
    /// Case, punctuation, numbers' separators, line breaks and everything else between tokens are
    /// dropped.
    ///
    /// - Throws: as ``word(_:)``.
    public func text(_ text: String) throws(BrrError) -> String {
        try released([tokens(of: text)])[0].joined(separator: " ")
    }

    /// Returns what ``text(_:)`` makes of each of `texts`, in order, paid for at once.
    ///
    /// The same random bytes give the same words as calls of ``text(_:)`` one after the other. All or
    /// nothing: where the budget doesn't allow the words of all texts, none is released.
    ///
    /// - Throws: as ``word(_:)``.
    public func texts(_ texts: [String]) throws(BrrError) -> [String] {
        try released(texts.map { tokens(of: $0) }).map { $0.joined(separator: " ") }
    }

    /// Returns the privatized `word`, away from the caller's actor; as ``word(_:)``.
    public func word(_ word: String) async throws(BrrError) -> String? {
        try released([[normalize(word)]])[0].first
    }

    /// Returns the privatized `words`, away from the caller's actor; as ``words(_:)``.
    public func words(_ words: [String]) async throws(BrrError) -> [String] {
        try released([words.map { normalize($0) }])[0]
    }

    /// Returns the privatized `text`, away from the caller's actor; as ``text(_:)``.
    public func text(_ text: String) async throws(BrrError) -> String {
        try released([tokens(of: text)])[0].joined(separator: " ")
    }

    /// Returns the privatized `texts`, away from the caller's actor; as ``texts(_:)``.
    public func texts(_ texts: [String]) async throws(BrrError) -> [String] {
        try released(texts.map { tokens(of: $0) }).map { $0.joined(separator: " ") }
    }

    /// Pays for the tokens of all lists at once, then draws list by list.
    private func released(_ lists: [[Token]]) throws(BrrError) -> [[String]] {
        let tokens = lists.flatMap { $0 }
        let ids = tokens.map { lookUp($0, bundle.vocabulary.find) }
        let found = Array(zip(ids, try paidSources(tokens, ids)))
        if oov == .error, let place = ids.firstIndex(of: nil) {
            throw BrrError(
                .outOfVocabulary,
                "word \(place + 1) of \(ids.count) is out of vocabulary (policy 'error'); choose "
                    + "the policy 'random' or 'drop', or a larger vocabulary")
        }
        var start = 0
        var released = [[String]]()
        for list in lists {
            released.append(try drawn(found[start..<start + list.count]))
            start += list.count
        }
        return released
    }

    /// Returns a word for each id, drawn with the source beside it where that is the first.
    private func drawn(
        _ typed: ArraySlice<(Int?, any RandomSource)>
    ) throws(BrrError) -> [String] {
        let found = oov == .drop ? typed.filter { $0.0 != nil } : Array(typed)
        var codes = [[UInt64]]()
        for (known, source) in found {
            var id = known
            if id == nil { id = Int(try source.uniform(below: Int64(bundle.count))) }
            codes.append(bundle.index.codes[id!])
        }
        let released: [Int]
        if let second {
            var first = [[UInt64]]()
            for (code, (_, source)) in zip(codes, found) {
                first.append(bundle.index.codes[try sampler.release([code], source)[0]])
            }
            released = try second.release(first, random)
        } else {
            released = try sampler.release(codes, random)
        }
        return released.compactMap(bundle.vocabulary.word)
    }

    /// Pays for the draws of tokens; returns where each one's first takes its random bytes.
    private func paidSources(
        _ tokens: [Token], _ ids: [Int?]
    ) throws(BrrError) -> [any RandomSource] {
        guard let memory else {
            try budget?.spend(certifiedEpsilon, words: tokens.count, unit: bundle.digest)
            return tokens.map { _ in random }
        }
        let key = try memory.key()
        let setting = sampler.setting
        let draws = zip(tokens, ids).map { token, id in
            let word = id.flatMap(bundle.vocabulary.word).map { Array($0.utf8) }
            return key.draw(bundle.digest, setting, word ?? Array(token), known: id != nil)
        }
        if let budget {
            try memory.pay(key, draws) { (count) throws(BrrError) in
                try budget.spend(certifiedEpsilon, words: count, unit: bundle.digest)
            }
        }
        return draws
    }
}

extension Setting {
    /// Throws if there is a certificate, and not for this setting and bundle.
    fileprivate func checkCertificate(_ bundle: WordBundle) throws(BrrError) {
        guard let certificate else { return }
        guard mechanism == "exponential" else {
            throw .parameter("a certificate is for mechanism 'exponential', not '\(mechanism)'")
        }
        guard certificate.index == bundle.digest else {
            throw .parameter("its certificate is of another index.safetensors")
        }
        guard certificate.certifiedEpsilon >= epsilon / 2, certificate.certifiedEpsilon <= epsilon
        else { throw .parameter("its certified_epsilon isn't from epsilon / 2 to epsilon") }
    }
}
