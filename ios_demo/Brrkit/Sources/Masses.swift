/// The integer for each byte of a mass or a gain. No such byte is 0.
let levels: [Int64] = (0..<256).map(level)

private func level(_ byte: Int64) -> Int64 {
    byte < 16 ? byte : (8 + byte % 8) << (byte / 8 - 1)
}

private let alike = [Int64](repeating: 1, count: 256)

/// Upper bound on the sum of a base measure over the vocabulary.
private let mostMass = Int64(1) << 47

/// The small language model of a bundle, which makes some words more likely outputs, also depending on the
/// previous one. Read from the mapped file.
struct Masses: Sendable {
    /// The mass of each word as a byte of `levels`, by id.
    let words: MappedBytes

    /// The id of each bigram's first word, in ascending order.
    let before: PackedNumbers

    /// The id of each bigram's second word, ascending within a first word.
    let after: PackedNumbers

    /// The gain of each bigram's second word, as a byte of `levels`.
    let gains: MappedBytes

    /// The sum of all words' masses.
    private let total: Int64

    /// The largest sum of the gains of one first word.
    private let gained: Int64

    /// Takes content in which `damage` finds no error.
    init(words: MappedBytes, before: PackedNumbers, after: PackedNumbers, gains: MappedBytes) {
        self.words = words
        self.before = before
        self.after = after
        self.gains = gains
        // At most 2^24 times m(255) each, which is below 2^34.
        total = words.withUnsafeBytes { $0.reduce(0) { $0 + levels[Int($1)] } }
        var (sum, most, last) = (Int64(0), Int64(0), -1)
        for place in 0..<gains.count {
            let id = before[place]
            sum = (id == last ? sum : 0) + levels[Int(gains[place])]
            most = max(most, sum)
            last = id
        }
        gained = most
    }

    /// Whether there are bigrams, for the base `bigram`.
    var hasBigrams: Bool { gains.count > 0 }

    /// The default base.
    var lastBase: Base { hasBigrams ? .bigram : .unigram }

    /// Returns the upper bound on the sum of a base measure over the vocabulary.
    func most(_ base: Base) -> Int64 {
        switch base {
        case .uniform: return Int64(words.count)
        case .unigram: return total
        case .bigram: return total + gained
        }
    }

    /// Returns the base measure after the word `before`; nil at a text's start.
    func measure(_ base: Base, after before: Int?) -> Measure {
        var bigrams = 0..<0
        if base == .bigram, let before {
            bigrams = firstBigram(from: before)..<firstBigram(from: before + 1)
        }
        return Measure(
            masses: self, levels: base == .uniform ? alike : levels, bigrams: bigrams)
    }

    /// Returns the place of the first bigram whose first word isn't below `id`.
    private func firstBigram(from id: Int) -> Int {
        firstNumber(below: gains.count) { before[$0] >= id }
    }

    /// The error in the content, or nil; then every sum fits into 64 bits.
    var damage: String? {
        for (name, bytes) in [("masses", words), ("gains", gains)]
        where bytes.withUnsafeBytes({ $0.contains(0) }) {
            return "tensor '\(name)' has a 0"
        }
        for (name, ids) in [("before", before), ("after", after)]
        where (0..<gains.count).contains(where: { ids[$0] >= words.count }) {
            return "tensor '\(name)' names a missing word"
        }
        for place in 1..<max(gains.count, 1) {
            let (last, next) = (before[place - 1], before[place])
            if last > next || (last == next && after[place - 1] >= after[place]) {
                return "tensors 'before' and 'after' aren't in order, or have a pair twice"
            }
        }
        if most(.bigram) > mostMass {
            return "tensors 'masses' and 'gains' sum to more than 2^47"
        }
        return nil
    }
}

/// The base measure at one place in a text: a positive integer for each word.
struct Measure {
    let masses: Masses

    /// The integer for each byte of a mass.
    let levels: [Int64]

    /// Bigrams of the previously released word.
    let bigrams: Range<Int>
}

extension Measure {
    /// Calls `body` with the ids in a range that have a gain, in ascending order, and with the gains.
    ///
    /// - Parameter bigrams: remaining bigrams. Those of lower ids are skipped.
    @inline(__always)
    func eachGain(
        of ids: Range<Int>, _ bigrams: inout Range<Int>, _ body: (Int, Int64) -> Void
    ) {
        while let next = bigrams.first {
            let id = masses.after[next]
            if id >= ids.upperBound { return }
            bigrams.removeFirst()
            if id >= ids.lowerBound { body(id, levels[Int(masses.gains[next])]) }
        }
    }
}

/// Draws words in proportion to their masses, independent of typing.
struct MassDraw: Sendable {
    /// Sums of the masses of the words up to each id.
    private let sums: [Int64]

    init(_ masses: Masses) {
        var sum = Int64(0)
        sums = masses.words.withUnsafeBytes { bytes in
            bytes.map { byte in
                sum += levels[Int(byte)]
                return sum
            }
        }
    }

    /// Returns the first id up to which the masses sum to more than a uniform integer below their sum.
    func id(_ random: any RandomSource) throws(BrrError) -> Int {
        let number = try random.uniform(below: sums.last!)
        return firstNumber(below: sums.count) { sums[$0] > number }
    }
}

/// Returns the first number, from 0, for which `holds` is true, as for all later ones; `end` without one.
private func firstNumber(below end: Int, where holds: (Int) -> Bool) -> Int {
    var (low, high) = (0, end)
    while low < high {
        let middle = (low + high) / 2
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
}
