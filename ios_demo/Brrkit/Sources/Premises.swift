// The proofs' conditions on the integers that decide a draw, checked after their computation.
//
// For any setting in range, Exact.swift computes integers that meet them; a faulty device might not. The
// checks are those of the machine-checked proofs (`proofs/theories/Checker.v`), with e^x rounded down to 256
// bits.

private let bits = 256
private let flipOne: Int64 = 1 << 32

/// Checks a table of `exponential`: positive and falling, with one weight for each distance.
///
/// - Parameters:
///   - largest: largest distance between two codes.
///   - total: upper bound on the sum of the base measure over the vocabulary.
/// - Throws: ``BrrError`` of kind ``BrrError/Kind/parameter``: the first weight isn't the quotient of 2^63 -
///   1 and `total`, a step loses more than epsilon / 2, or the last weight is below e^(-cap / 2) times the
///   first.
func checkWeights(
    _ weights: [Int64], epsilon: Double, largest: Int, total: UInt64, cap: Double?
) throws(BrrError) {
    try check(
        weights.count == largest + 1 && weights[0] == Int64(UInt64(Int64.max) / total)
            && weights[largest] > 0 && zip(weights, weights.dropFirst()).allSatisfy(>=))
    let (near, far) = steepestStep(weights)
    try check(
        isAtMost(near, far, power(epsilon, 2))
            && (cap.map { isAtMost(weights[0], weights[largest], power($0, 2)) } ?? true))
}

/// Checks a flip threshold.
///
/// - Throws: ``BrrError`` of kind ``BrrError/Kind/parameter``: it is above one half, or the loss of a bit
///   exceeds epsilon.
func checkFlips(_ threshold: Int64, epsilon: Double) throws(BrrError) {
    let kept = flipOne - threshold
    try check(threshold <= kept && isAtMost(kept, threshold, power(epsilon)))
}

/// Checks a keep threshold, which is at most 2^63.
///
/// - Throws: ``BrrError`` of kind ``BrrError/Kind/parameter``: the loss between two of the symbols exceeds
///   the cap.
func checkKeep(_ threshold: UInt64, cap: Double, symbols: Int) throws(BrrError) {
    let drawn = BigUInt(keepOne - threshold)
    let kept = BigUInt(UInt64(symbols)) * BigUInt(threshold)
    try check(isAtMost(drawn + kept, drawn, power(cap)))
}

/// Returns e^(exponent / divisor), rounded down, in units of 2^-256.
private func power(_ exponent: Double, _ divisor: Int = 1) -> BigUInt {
    expBounds(Rational(exponent) / divisor, bits).low
}

private func isAtMost(_ numerator: Int64, _ denominator: Int64, _ power: BigUInt) -> Bool {
    isAtMost(BigUInt(UInt64(numerator)), BigUInt(UInt64(denominator)), power)
}

/// Tells whether a ratio is at most a power.
private func isAtMost(_ numerator: BigUInt, _ denominator: BigUInt, _ power: BigUInt) -> Bool {
    !(denominator * power < numerator << bits)
}

private func check(_ holds: Bool) throws(BrrError) {
    guard holds else {
        throw .parameter(
            "the integers computed for this setting fail the premises of the proofs; this device or "
                + "this version of brrkit is faulty: try others, and report it")
    }
}
