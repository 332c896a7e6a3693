/// Vickrey over Hamming distance: randomized response, then one of the nearest words at random.
///
/// Unlike in the paper's algorithms, the input word is a candidate like any other. Without it, the guarantee
/// would fail. Proof: `docs/explanation/proofs.md`, "vickrey".
struct Vickrey: Sampler {
    private enum Choice {
        /// Between two words; the number t in units of 2^-32, the same in every language.
        case betweenTwo(second: Int64)
        /// Among as many words as there are rates.
        case among(rates: [Rational])
    }

    private let brr: BRR
    private let choice: Choice
    private let candidates: Int
    private let t: [UInt8]

    var setting: MechanismSetting {
        MechanismSetting(mechanism: "vickrey", numbers: brr.setting.numbers + t)
    }
    var epsilon: Double { brr.epsilon }
    var effectiveEpsilon: Double { brr.effectiveEpsilon }
    var integers: [Int64] { brr.integers }

    /// Chooses between the two nearest words.
    init(_ brr: BRR, t: Double) throws(BrrError) {
        guard t >= 0, t <= 1 else { throw wrong("\(t)") }
        self.brr = brr
        candidates = 2
        let second = Int64((t * 0x1p32).rounded(.toNearestOrEven))
        choice = .betweenTwo(second: second)
        self.t = [0] + eightBytes(UInt64(second))
    }

    /// Chooses among as many words as `t` has numbers.
    init(_ brr: BRR, t: [Double]) throws(BrrError) {
        let most = 64
        guard !t.isEmpty, t.count <= most, t.allSatisfy({ $0 >= 0 && $0.isFinite }) else {
            throw wrong("\(t)")
        }
        guard t.count <= brr.bundle.count else {
            throw .parameter(
                "k = \(t.count) is larger than the vocabulary of \(brr.bundle.count) words")
        }
        self.brr = brr
        candidates = t.count
        choice = .among(rates: t.map { Rational($0) })
        self.t = [1] + t.flatMap { eightBytes($0.bitPattern) }
    }

    func release(
        _ codes: [[UInt64]], after before: Int?, _ random: any RandomSource
    ) throws(BrrError) -> [Int] {
        var ids = [Int]()
        for code in try brr.noised(codes, random) {
            let nearest = brr.bundle.index.nearest(code, candidates)
            ids.append(nearest[try choose(nearest.map(\.distance), random)].id)
        }
        return ids
    }

    private func choose(_ distances: [Int], _ random: any RandomSource) throws(BrrError) -> Int {
        let weights = weights(distances)
        var number = try random.uniform(below: weights.reduce(0, +))
        var rank = 0
        while number >= weights[rank] {
            number -= weights[rank]
            rank += 1
        }
        return rank
    }

    func weights(_ distances: [Int]) -> [Int64] {
        switch choice {
        case .betweenTwo(let second):
            let first = 1 << 32 - second
            let weights = [first * Int64(distances[1]), second * Int64(distances[0])]
            // It is 0 : 0 only if the nearest code is the noised one. With t = 1, the second word is chosen
            // even then.
            return weights == [0, 0] ? [first, second] : weights
        case .among(let rates):
            let exponents = zip(rates, distances).map { $0 * $1 }
            let least = exponents.min { $0.isLess(than: $1) }!
            return exponents.map { decay($0 - least) }
        }
    }
}

private func wrong(_ t: String) -> BrrError {
    .parameter("t must be a number from 0 to 1, or a list of k numbers >= 0, at most 64, not \(t)")
}
