/// Returns the integers computed from the settings that a bundle recommends, for the proofs' checker.
///
/// `brr verify --proof --tables FILE` checks this text from any runtime. All runtimes return the same.
///
/// - Throws: ``BrrError`` of kind ``BrrError/Kind/parameter``: the bundle recommends no setting. Of kind
///   ``BrrError/Kind/bundle``: the recommended setting isn't one that this version can run.
public func tablesOf(_ bundle: WordBundle) throws(BrrError) -> String {
    guard bundle.recommended != nil || bundle.counts != nil else {
        throw .parameter("the bundle recommends no setting; calibrate it first")
    }
    var lines = [String]()
    if bundle.recommended != nil {
        lines += try linesOfText(bundle)
        if let passing = bundle.policy.passing {
            lines += ["passing", "threshold \(passing.threshold)"]
        }
    }
    if let cap = bundle.counts?.cap {
        let response = try RandomizedResponse(cap: cap, symbols: bundle.count + 1)
        lines += ["counts", "cap \(fraction(cap))"]
        lines += ["symbols \(response.symbols)", "keep \(response.threshold)"]
    }
    return lines.map { $0 + "\n" }.joined()
}

private func linesOfText(_ bundle: WordBundle) throws(BrrError) -> [String] {
    let (_, sampler) = try resolve(bundle, nil, SwiftRandomizer())
    let integers = sampler.integers.map(String.init).joined(separator: " ")
    let epsilon = "epsilon \(fraction(sampler.epsilon))"
    guard let exponential = sampler as? Exponential else {
        return ["flips", epsilon, "threshold \(integers)"]
    }
    let masses = bundle.masses
    let bytes = masses.words.withUnsafeBytes { words in
        words.map { exponential.base == .uniform ? "1" : String($0) }
    }
    var lines = [
        "exponential", epsilon,
        "bits \(bundle.wordBits) \(bundle.taskBits) \(exponential.index.taskWeight)",
        "weights \(integers)", "masses \(bytes.joined(separator: " "))",
    ]
    if let cap = exponential.cap { lines.append("cap \(fraction(cap))") }
    for before in 0..<bundle.count {
        let bigrams = masses.measure(exponential.base, after: before).bigrams
        if bigrams.isEmpty { continue }
        let pairs = bigrams.map { "\(masses.after[$0]) \(masses.gains[$0])" }
        lines.append("gains \(before) \(pairs.joined(separator: " "))")
    }
    return lines
}

/// Returns the numerator and the denominator of a double, as a reduced fraction.
private func fraction(_ value: Double) -> String {
    var (numerator, halvings) = (value, 0)
    while numerator != numerator.rounded() {
        numerator *= 2
        halvings += 1
    }
    return "\(UInt64(numerator)) \(decimal(BigUInt(1) << halvings))"
}

private func decimal(_ number: BigUInt) -> String {
    var (digits, left) = ("", number)
    repeat {
        let rest = left / BigUInt(10)
        digits = "\((left - rest * BigUInt(10)).small!)" + digits
        left = rest
    } while !left.isZero
    return digits
}
