/// BRR: randomized response on the code, then the nearest word (BRR, Algorithm 3).
///
/// Proof: `docs/explanation/proofs.md`, "brr".
struct BRR: Sampler {
    let bundle: WordBundle
    let epsilon: Double
    let effectiveEpsilon: Double
    private let threshold: Int64
    private let randomizer: any Randomizer

    init(_ bundle: WordBundle, _ epsilon: Double, _ randomizer: any Randomizer) throws(BrrError) {
        self.bundle = bundle
        self.epsilon = epsilon
        self.randomizer = randomizer
        threshold = try flipThreshold(epsilon)
        try checkFlips(threshold, epsilon: epsilon)
        effectiveEpsilon = thresholdEpsilon(threshold)
    }

    func release(
        _ codes: [[UInt64]], after before: Int?, _ random: any RandomSource
    ) throws(BrrError) -> [Int] {
        try noised(codes, random).map { bundle.index.nearest($0, 1)[0].id }
    }

    var integers: [Int64] { [threshold] }

    var setting: MechanismSetting {
        MechanismSetting(mechanism: "brr", numbers: eightBytes(UInt64(threshold)))
    }

    /// Returns the noised codes; 4 * bits random bytes for each.
    func noised(_ codes: [[UInt64]], _ random: any RandomSource) throws(BrrError) -> [[UInt64]] {
        var codes = codes
        for i in codes.indices {
            let numbers = try random.draw(4 * bundle.bits)
            let threshold = Int32(threshold - 1 << 31)
            try randomizer.flip(&codes[i], random: numbers, threshold: threshold)
        }
        return codes
    }
}
