import Foundation

// Probabilities as integers. They decide random outcomes, and are computed without floating point.
//
// `exp` differs by an ulp between platforms, and one ulp too much would reveal more than promised. Here, two
// big integers enclose e^x.

/// Below about 9.3e-10, a 32-bit flip probability equals one half.
let epsilonMin = 1e-9

/// Above ln(2^32 - 1) = 22.1807..., a probability below 2^-32 would be needed.
let epsilonMax = 22.18

/// With a smaller cap, a mechanism reveals next to nothing.
let capMin = 1e-9

/// W[0] is below 2^63, and e^(88 / 2) is above, so larger caps have no effect.
let capMax = 88.0

/// A probability of one, in the units of `keepThreshold`.
let keepOne: UInt64 = 1 << 63

/// Returns `epsilon` if it is in [`epsilonMin`, `epsilonMax`].
func checkEpsilon(_ epsilon: Double) throws(BrrError) -> Double {
    guard epsilon >= epsilonMin, epsilon <= epsilonMax else {  // nor is NaN
        throw .parameter(
            "epsilon must be a number from 1e-09 to 22.18 (per bit of Hamming distance), "
                + "not \(epsilon)")
    }
    return epsilon
}

/// Returns `cap` if it is in [`capMin`, `capMax`].
func checkCap(_ cap: Double) throws(BrrError) -> Double {
    guard cap >= capMin, cap <= capMax else {  // nor is NaN
        throw .parameter("cap must be a number from 1e-09 to 88")
    }
    return cap
}

/// A nonnegative fraction with a positive denominator.
struct Rational: Sendable {
    let numerator: BigUInt
    let denominator: BigUInt

    init(_ numerator: BigUInt, over denominator: BigUInt) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// The rational value of a finite, nonnegative double.
    init(_ value: Double) {
        precondition(value >= 0 && value.isFinite)
        let isNormal = value.exponentBitPattern > 0
        let significand = value.significandBitPattern | (isNormal ? 1 << 52 : 0)
        let exponent = Int(max(value.exponentBitPattern, 1)) - 1023 - 52
        self.init(
            BigUInt(significand) << max(exponent, 0), over: BigUInt(1) << max(-exponent, 0))
    }

    static func * (a: Rational, factor: Int) -> Rational {
        Rational(a.numerator * BigUInt(UInt64(factor)), over: a.denominator)
    }

    static func / (a: Rational, divisor: Int) -> Rational {
        Rational(a.numerator, over: a.denominator * BigUInt(UInt64(divisor)))
    }

    /// Subtracts a number that is at most this one.
    static func - (a: Rational, b: Rational) -> Rational {
        Rational(
            a.numerator * b.denominator - b.numerator * a.denominator,
            over: a.denominator * b.denominator)
    }

    func isLess(than other: Rational) -> Bool {
        numerator * other.denominator < other.numerator * denominator
    }
}

/// Returns integers (low, high) with low <= e^x * 2^precision <= high.
func expBounds(_ x: Rational, _ precision: Int) -> (low: BigUInt, high: BigUInt) {
    // Taylor series of x / 2^k < 2^-8, then k squarings; `low` always rounds down, and `high` up.
    let one = BigUInt(1) << precision
    let halvings = (x.numerator / x.denominator).bitWidth + 8
    let numerator = x.numerator << precision
    let denominator = x.denominator << halvings
    let reducedLow = numerator / denominator
    let reducedHigh = numerator.dividedUp(by: denominator)

    var low = one
    var term = one
    var index: UInt64 = 1
    while !term.isZero {
        term = ((term * reducedLow) >> precision) / BigUInt(index)
        low = low + term
        index += 1
    }

    var high = one
    term = one
    index = 1
    while term > BigUInt(1) {
        term = (term * reducedHigh).dividedUp(by: one * BigUInt(index))
        high = high + term
        index += 1
    }
    high = high + BigUInt(1)  // the omitted terms: together less than the last

    for _ in 0..<halvings {
        low = (low * low) >> precision
        high = (high * high).dividedUp(by: one)
    }
    return (low, high)
}

/// Returns the value of `evaluate(e^x * 2^precision, precision)` for exact e^x.
///
/// `evaluate` is monotonic and never jumps exactly at e^x, which is transcendental for x > 0. With enough
/// bits, both ends of the enclosure therefore agree.
private func settle<Result: Equatable>(
    _ x: Rational, _ evaluate: (BigUInt, Int) -> Result
) -> Result {
    var precision = 64
    while true {
        let (low, high) = expBounds(x, precision)
        let result = evaluate(low, precision)
        if result == evaluate(high, precision) { return result }
        precision *= 2
    }
}

/// Returns T = ceil(2^32 / (1 + e^epsilon)): flip when a uniform 32-bit number is below T.
///
/// The double `epsilon` is taken as an exact rational number. Proof: `docs/explanation/proofs.md`, "The
/// randomizer".
func flipThreshold(_ epsilon: Double) throws(BrrError) -> Int64 {
    let x = Rational(try checkEpsilon(epsilon))
    return settle(x) { e, precision in
        (BigUInt(1) << (32 + precision)).dividedUp(by: (BigUInt(1) << precision) + e).int64
    }
}

/// Returns T = floor(2^63 (e^cap - 1) / (e^cap - 1 + symbols)): keep a symbol below T.
///
/// Otherwise any of the symbols is drawn uniformly. The double `cap`, from `capMin` to `capMax`, is taken as
/// an exact rational number. Proof that no two symbols have a larger loss: `docs/explanation/proofs.md`,
/// "Counts".
func keepThreshold(_ cap: Double, symbols: Int) -> UInt64 {
    settle(Rational(cap)) { e, precision in
        let gain = e - (BigUInt(1) << precision)
        return ((gain << 63) / (gain + (BigUInt(UInt64(symbols)) << precision))).small!
    }
}

/// Returns floor(2^32 * e^-x).
func decay(_ x: Rational) -> Int64 {
    if x.numerator.isZero { return 1 << 32 }
    if !x.isLess(than: Rational(23)) { return 0 }  // 2^32 < e^22.2
    return settle(x) { e, precision in ((BigUInt(1) << (32 + precision)) / e).int64 }
}

/// The factor by which weights fall more slowly within the radius: docs/explanation/mechanisms.md.
private let gentlerWithinRadius = 8

/// Returns the weights W[0...bits] of the exponential mechanism.
///
/// W[0] = floor((2^63 - 1) / `total`), so that any total over the vocabulary fits an Int64;
/// W[d+1] = ceil(W[d] * 2^64 / G) with G = floor(2^64 * e^(epsilon / 2)), and with
/// G = floor(2^64 * e^(epsilon / 16)) for d < `radius`. With a cap, W[d] is at least
/// ceil(W[0] * 2^64 / floor(2^64 * e^(cap / 2))). Proof: `docs/explanation/proofs.md`, "exponential".
///
/// - Parameters:
///   - epsilon: per bit of Hamming distance, taken as an exact rational number.
///   - total: upper bound on the sum of the base measure over the vocabulary.
///   - cap: largest loss between any two words, from `capMin` to `capMax`; nil for none.
func weightTable(
    epsilon: Double, bits: Int, total: Int64, radius: Int, cap: Double? = nil
) throws(BrrError) -> [Int64] {
    let half = Rational(try checkEpsilon(epsilon)) / 2
    var weights = [Int64.max / total]
    let least = cap.map { shrunk(weights[0], by: growth(Rational($0) / 2)) } ?? 0
    for (x, steps) in [(half / gentlerWithinRadius, radius), (half, bits - radius)] {
        let growth = growth(x)
        for _ in 0..<steps {
            weights.append(max(shrunk(weights[weights.count - 1], by: growth), least))
        }
    }
    return weights
}

/// Returns floor(2^64 * e^x).
private func growth(_ x: Rational) -> BigUInt {
    settle(x) { e, precision in e >> (precision - 64) }
}

/// Returns ceil(weight * 2^64 / growth).
private func shrunk(_ weight: Int64, by growth: BigUInt) -> Int64 {
    (BigUInt(UInt64(weight)) << 64).dividedUp(by: growth).int64
}

/// Returns ln((2^32 - T) / T), the epsilon per bit of a flip threshold T, rounded up.
func thresholdEpsilon(_ threshold: Int64) -> Double {
    logarithmUp(BigUInt(UInt64(1 << 32 - threshold)), over: BigUInt(UInt64(threshold)))
}

/// Returns 2 ln(max W[d] / W[d+1]), the epsilon of a weight table, rounded up.
///
/// The exponential mechanism loses half of it by the weight and half by the normalizer. Proof:
/// `docs/explanation/proofs.md`, "exponential".
func weightsEpsilon(_ weights: [Int64]) -> Double {
    let (near, far) = steepestStep(weights)
    return 2 * logarithmUp(BigUInt(UInt64(near)), over: BigUInt(UInt64(far)))
}

/// Returns the two successive weights with the largest ratio. All weights are positive.
func steepestStep(_ weights: [Int64]) -> (near: Int64, far: Int64) {
    zip(weights, weights.dropFirst()).max { a, b in
        a.0.multipliedFullWidth(by: b.1) < b.0.multipliedFullWidth(by: a.1)
    }!
}

/// Returns the smallest double that is at least ln(a / b), for a >= b > 0.
func logarithmUp(_ a: BigUInt, over b: BigUInt) -> Double {
    func reaches(_ value: Double) -> Bool {
        settle(Rational(value)) { e, precision in !(e * b < a << precision) }
    }
    var value = log1p((a - b).approximation / b.approximation)  // off by some ulps
    while !reaches(value) { value = value.nextUp }
    while value > 0 && reaches(value.nextDown) { value = value.nextDown }
    return value
}

extension BigUInt {
    /// The number, which is below 2^63.
    fileprivate var int64: Int64 { Int64(small!) }
}
