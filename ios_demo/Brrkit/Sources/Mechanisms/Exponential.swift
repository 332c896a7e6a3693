/// The base measure of the exponential mechanism, which makes some words more likely outputs.
public enum Base: String, Hashable, Sendable, CaseIterable {
    /// All words alike.
    case uniform

    /// Frequent words are more likely, according to public text or the order of the vocabulary.
    case unigram

    /// The same, with more weight on words that follow the previously released word in public text.
    case bigram
}

/// The exponential mechanism on Hamming distance, exact in integers: Pr[y | w] is proportional to m(y) W[d(w,
/// y)], with the distance d in which each task bit has a weight, integer weights W that fall slowly up to a
/// radius, and a base measure m of positive integers, which can depend on the previously released word. It
/// draws a distance, then a word at this distance, without a noised code.
///
/// Proof: `docs/explanation/proofs.md`, "exponential".
struct Exponential: Sampler {
    let epsilon: Double
    let effectiveEpsilon: Double
    let setting: MechanismSetting
    let integers: [Int64]
    let base: Base
    let cap: Double?
    let index: HammingIndex
    private let masses: Masses

    /// Computes the weights.
    ///
    /// - Parameters:
    ///   - radius: by default an eighth of the bits without task bits.
    ///   - base: by default the last in the bundle.
    ///   - cap: upper bound on the privacy loss between any two words; by default none.
    ///   - taskWeight: weight of a differing task bit; by default 1.
    init(
        _ bundle: WordBundle, _ epsilon: Double, radius: Int?, base: Base?, cap: Double?,
        taskWeight: Int?
    ) throws(BrrError) {
        self.epsilon = try checkEpsilon(epsilon)
        let radius = radius ?? bundle.wordBits / 8
        guard (0...bundle.wordBits).contains(radius) else {
            throw .parameter(
                "radius must be an integer from 0 to \(bundle.wordBits) (bits), not \(radius)")
        }
        if let taskWeight { try checkTaskWeight(taskWeight, bundle) }
        masses = bundle.masses
        self.base = base ?? masses.lastBase
        guard self.base != .bigram || masses.hasBigrams else {
            throw .parameter(
                "base 'bigram' needs bigrams, and the bundle has none; choose 'unigram', or build "
                    + "the bundle with --text")
        }
        if let cap { _ = try checkCap(cap) }
        index = HammingIndex(
            codes: bundle.index.codes, taskBits: bundle.taskBits, taskWeight: taskWeight ?? 1)
        self.cap = cap
        let (largest, most) = (index.mostDistance, masses.most(self.base))
        integers = try weightTable(
            epsilon: epsilon, bits: largest, total: most, radius: radius, cap: cap)
        try checkWeights(
            integers, epsilon: epsilon, largest: largest, total: UInt64(most), cap: cap)
        effectiveEpsilon = weightsEpsilon(integers)
        let digest = integers.flatMap { eightBytes(UInt64($0)) }.withUnsafeBytes(sha256)
        setting = MechanismSetting(
            mechanism: "exponential",
            numbers: fromHexadecimal(digest)! + [self.base == .uniform ? 0 : 1])
    }

    func release(
        _ codes: [[UInt64]], after before: Int?, _ random: any RandomSource
    ) throws(BrrError) -> [Int] {
        var last = before
        var ids = [Int]()
        for code in codes {
            let id = try release(code, masses.measure(base, after: last), random)
            ids.append(id)
            last = id
        }
        return ids
    }

    private func release(
        _ code: [UInt64], _ measure: Measure, _ random: any RandomSource
    ) throws(BrrError) -> Int {
        let sums = index.sums(of: measure, from: code)
        let shares = zip(sums.ofAll, integers).map { $0 * $1 }
        // Below 2^63 by the choice of W[0].
        var number = try random.uniform(below: shares.reduce(0, +))
        var distance = 0
        while number >= shares[distance] {
            number -= shares[distance]
            distance += 1
        }
        let position = try random.uniform(below: sums.ofAll[distance])
        return index.id(at: distance, position, of: measure, from: code, sums)
    }
}

/// Refuses a task weight that is out of range, and any weight without task bits.
private func checkTaskWeight(_ weight: Int, _ bundle: WordBundle) throws(BrrError) {
    guard taskWeights.contains(weight) else {
        throw .parameter("task_weight must be an integer from 0 to 16, not \(weight)")
    }
    guard bundle.taskBits > 0 else {
        throw .parameter(
            "parameter task_weight needs task bits, and the bundle has none; build it with tasks")
    }
}
