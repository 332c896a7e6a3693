/// The exponential mechanism on Hamming distance, exact in integers: Pr[y | w] is proportional to
/// W[d(w, y)], which falls gently up to a radius. Draws a distance, then a word at that distance; no
/// noised code.
///
/// Proof: `docs/privacy.md`, "exponential".
struct Exponential: Sampler {
    let epsilon: Double
    let effectiveEpsilon: Double
    let setting: MechanismSetting
    private let index: HammingIndex
    private let weights: [Int64]

    /// Computes the weights.
    ///
    /// - Parameter radius: without one, it is an eighth of the bits.
    init(_ bundle: WordBundle, _ epsilon: Double, radius: Int?) throws(BrrError) {
        self.epsilon = try checkEpsilon(epsilon)
        let radius = radius ?? bundle.bits / 8
        guard (0...bundle.bits).contains(radius) else {
            throw .parameter(
                "radius must be an integer from 0 to \(bundle.bits) (bits), not \(radius)")
        }
        index = bundle.index
        weights = try weightTable(
            epsilon: epsilon, bits: bundle.bits, vocabularySize: bundle.count, radius: radius)
        effectiveEpsilon = weightsEpsilon(weights)
        let digest = weights.flatMap { eightBytes(UInt64($0)) }.withUnsafeBytes(sha256)
        setting = MechanismSetting(mechanism: "exponential", numbers: fromHexadecimal(digest)!)
    }

    func release(_ codes: [[UInt64]], _ random: any RandomSource) throws(BrrError) -> [Int] {
        var ids = [Int]()
        for code in codes { ids.append(try release(code, random)) }
        return ids
    }

    private func release(_ code: [UInt64], _ random: any RandomSource) throws(BrrError) -> Int {
        let counts = index.histogram(code)
        let masses = zip(counts, weights).map { Int64($0) * $1 }
        // Below 2^63 by the choice of W[0].
        var number = try random.uniform(below: masses.reduce(0, +))
        var distance = 0
        while number >= masses[distance] {
            number -= masses[distance]
            distance += 1
        }
        let position = try random.uniform(below: Int64(counts[distance]))
        return index.id(at: distance, Int(position), from: code)
    }
}
