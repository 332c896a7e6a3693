/// Randomized response over symbols: a symbol stays with a known probability; otherwise one of all symbols is
/// drawn uniformly.
///
/// Proof: `docs/explanation/proofs.md`, "Counts".
struct RandomizedResponse: Sendable {
    /// The number of symbols, at least 2.
    let symbols: Int64

    /// The number of integers below 2^63 that keep the symbol.
    let threshold: UInt64

    /// Makes the response with a loss between any two symbols of at most `cap`.
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

    /// Returns the output for `symbol`; draws two uniform integers.
    ///
    /// It draws both in any case and doesn't branch on the first, so its duration doesn't reveal whether the
    /// symbol stayed.
    func callAsFunction(_ symbol: Int64, _ random: any RandomSource) throws(BrrError) -> Int64 {
        let number = try random.uniform(below: keepOne)
        let drawn = try random.uniform(below: symbols)
        // All bits if the number is below the threshold, else none.
        let kept = Int64(bitPattern: number &- threshold) >> 63
        return drawn ^ ((drawn ^ symbol) & kept)
    }
}

/// Replaces words at random, so that many reports together show the frequency of each word.
///
/// k-ary randomized response (Kairouz, Oh and Viswanath 2014) over the bundle's words and one symbol for
/// all unknown words: the privacy loss between any two of them is the same, however similar they are. For
/// text that keeps its meaning, use ``Privatizer``. Each word becomes one word of the vocabulary, or
/// ``unknown``. A value that threads can share. A device shouldn't send all outputs: see ``Reporter``. Each
/// method also has an `async` form, which runs away from the caller's actor.
///
/// Proof: `docs/explanation/proofs.md`, "Counts".
public struct Counts: Sendable {
    /// The output that stands for all unknown words. No word has this spelling.
    public static let unknown = ""

    /// The setting in force, given or recommended; with a memory, its cap applies to the first draws.
    public let setting: CountsSetting

    /// The cap of the second draws; nil without a memory.
    public let secondCap: Double?

    /// The exact privacy loss between any two words in one draw; with a memory, a first draw. At most the
    /// cap.
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
    ///   - setting: the cap, and the largest number of words that a ``Reporter`` sends for a day. Without
    ///     it, the bundle's setting for counts is used (`brr calibrate --for counts --write`).
    ///   - memory: gives each symbol one first draw for a whole period; all unknown words share one. The
    ///     output is a second draw from the first draw's result. See `docs/how-to/run-for-months.md`.
    ///   - secondCap: the cap of the second draws; by default twice the cap, but at most 88. Only with a
    ///     memory.
    ///   - random: source of random bytes. Don't set it in production.
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

    /// Returns the setting as JSON, in the form of reports: `spec/reports.md`, "Settings".
    ///
    /// - Parameter repeats: largest number of reports of one symbol that a device may send in a period of the
    ///   memory.
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

    /// Returns the output for each of `words`, each drawn separately.
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

    /// Returns the outputs for tokens of the bundle; as ``words(_:)``.
    func released(_ tokens: [Token]) throws(BrrError) -> [String] {
        let key = try memory?.key()
        var released = [String]()
        for token in tokens {
            released.append(spelled(try drawn(Int64(token.wordID ?? bundle.count), key)))
        }
        return released
    }

    /// Returns the output for a symbol. The symbol after the last id stands for unknown words.
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
