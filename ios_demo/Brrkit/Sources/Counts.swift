/// Randomized response over symbols: a symbol stays with a known probability, otherwise it is drawn anew,
/// uniformly from all.
///
/// Proof: `docs/explanation/proofs.md`, "Counts".
struct RandomizedResponse: Sendable {
    /// How many symbols there are, at least 2.
    let symbols: Int64

    /// Of 2^63 numbers, how many keep the symbol.
    let threshold: UInt64

    /// Makes the one whose loss between any two symbols is at most `cap`.
    ///
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/parameter``: the cap is out of range.
    init(cap: Double, symbols: Int) throws(BrrError) {
        threshold = keepThreshold(try checkCap(cap), symbols: symbols)
        try checkKeep(threshold, cap: cap, symbols: symbols)
        self.symbols = Int64(symbols)
    }

    /// The exact loss between any two symbols, rounded up; at most the cap.
    var loss: Double {
        let drawn = BigUInt(keepOne - threshold)
        return logarithmUp(drawn + BigUInt(UInt64(symbols)) * BigUInt(threshold), over: drawn)
    }

    /// Returns the output for `symbol`; two uniform integers.
    ///
    /// Both are drawn whether it stays or not, and nothing branches on that: the time doesn't tell which.
    func callAsFunction(_ symbol: Int64, _ random: any RandomSource) throws(BrrError) -> Int64 {
        let number = try random.uniform(below: keepOne)
        let drawn = try random.uniform(below: symbols)
        // All bits if the number is below the threshold, else none.
        let kept = Int64(bitPattern: number &- threshold) >> 63
        return drawn ^ ((drawn ^ symbol) & kept)
    }
}

/// Replaces words with others, so that the frequency of each word can be estimated from many
/// reports.
///
/// k-ary randomized response (Kairouz, Oh and Viswanath 2014) over the bundle's words and one more
/// symbol for all unknown words: the loss between any two of them is the same, however close their
/// meanings are. To keep the meaning of text, use ``Privatizer``. One word in, one out: a word of
/// the vocabulary, or ``unknown``. A value that threads can share. A device shouldn't send all
/// outputs: see ``Reporter``. Each call has a form that an `async` caller awaits, away from its
/// actor.
///
/// Proof: `docs/explanation/proofs.md`, "Counts".
public struct Counts: Sendable {
    /// The output that stands for every unknown word: no word is spelled like that.
    public static let unknown = ""

    /// The setting that is in force, given or recommended; with a memory, its cap applies to the
    /// first draws.
    public let setting: CountsSetting

    /// The cap of the second draws, after a memory's; nil without one.
    public let secondCap: Double?

    /// The exact loss of one draw (with a memory: of a first one) between any two words; at most the cap.
    public let loss: Double

    package let bundle: WordBundle
    package let memory: Memory?
    private let first: RandomizedResponse
    private let second: RandomizedResponse?
    private let random: any RandomSource
    private let isRecommended: Bool

    /// Computes the thresholds.
    ///
    /// - Parameters:
    ///   - bundle: an opened bundle.
    ///   - setting: the cap, and how many words of a day a ``Reporter`` keeps. Without it, the
    ///     bundle's setting for counts is used (`brr calibrate --for counts --write`).
    ///   - memory: gives a symbol the same first draw for a whole period, one for all unknown
    ///     words; the output is a second draw, from the output of the first. See
    ///     `docs/how-to/run-for-months.md`.
    ///   - secondCap: the cap of the second draws; twice the cap by default, at most 88. Only with
    ///     a memory.
    ///   - random: source of random bytes. Leave it alone in production.
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/parameter``: a value is out of range, or there is no
    ///   setting and the bundle recommends none.
    public init(
        _ bundle: WordBundle, setting: CountsSetting? = nil, memory: Memory? = nil,
        secondCap: Double? = nil, random: any RandomSource = SystemRandom()
    ) throws(BrrError) {
        self.setting = try resolveCounts(bundle, setting)
        let cap = self.setting.cap
        guard secondCap == nil || memory != nil else {
            throw .parameter("secondCap is for a memory's second draws; give a memory")
        }
        let symbols = bundle.count + 1
        first = try RandomizedResponse(cap: cap, symbols: symbols)
        loss = first.loss
        if memory != nil {
            let secondValue = secondCap ?? min(2 * cap, capMax)
            second = try RandomizedResponse(cap: secondValue, symbols: symbols)
            self.secondCap = secondValue
        } else {
            second = nil
            self.secondCap = nil
        }
        isRecommended = setting == nil && memory == nil
        self.bundle = bundle
        self.memory = memory
        self.random = random
    }

    /// Returns the setting as reports state it, as JSON: `spec/reports.md`, "Settings".
    ///
    /// - Parameter repeats: how often a device may send one symbol in a period of the memory.
    public func stated(repeats: Int) -> String { stated(repeats: repeats).written }

    func stated(repeats: Int) -> JSON {
        if isRecommended { return "counts" }
        guard let secondCap else { return ["mechanism": "counts", "cap": JSON(setting.cap)] }
        return [
            "mechanism": "counts", "cap": JSON(setting.cap), "second_cap": JSON(secondCap),
            "repeats": JSON(repeats),
        ]
    }

    /// Returns the output for `word`: a word of the vocabulary, or ``unknown``.
    ///
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/memoryFile``: the memory's key can't be used, and
    ///   nothing is released.
    public func word(_ word: String) throws(BrrError) -> String { try all([word])[0] }

    /// Returns the output for each of `words`, drawn independently.
    ///
    /// - Throws: as ``word(_:)``.
    public func words(_ words: [String]) throws(BrrError) -> [String] { try all(words) }

    /// Returns the output for `word`, away from the caller's actor; as ``word(_:)``.
    public func word(_ word: String) async throws(BrrError) -> String { try all([word])[0] }

    /// Returns the output for `words`, away from the caller's actor; as ``words(_:)``.
    public func words(_ words: [String]) async throws(BrrError) -> [String] { try all(words) }

    private func all(_ words: [String]) throws(BrrError) -> [String] {
        try released(words.map(bundle.tokenizer.token))
    }

    /// Returns what tokens of the bundle come out as; as ``words(_:)``.
    func released(_ tokens: [Token]) throws(BrrError) -> [String] {
        let key = try memory?.key()
        var released = [String]()
        for token in tokens {
            released.append(spelled(try drawn(Int64(token.wordID ?? bundle.count), key)))
        }
        return released
    }

    /// Returns what a symbol comes out as; the one behind the last id is that of unknown words.
    private func drawn(_ symbol: Int64, _ key: MemoryKey?) throws(BrrError) -> Int64 {
        guard let key, let second else { return try first(symbol, random) }
        let draw = key.draw(
            bundle.digest,
            MechanismSetting(mechanism: "counts", numbers: eightBytes(first.threshold)),
            bundle.vocabulary.word(Int(symbol)))
        return try second(first(symbol, draw), random)
    }

    private func spelled(_ symbol: Int64) -> String {
        bundle.vocabulary.word(Int(symbol)) ?? Counts.unknown
    }
}
