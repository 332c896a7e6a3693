/// Randomized response on every bit of a code.
///
/// ``SwiftRandomizer`` has no dependencies. An app that contains a TFLite interpreter (LiteRT) can run the
/// bundle's graph instead, with its own type. All implementations return the same bits. Proof:
/// `docs/explanation/proofs.md`, "The randomizer".
public protocol Randomizer: Sendable {
    /// Flips each bit i of `code` for which number i of `random` is below `threshold`.
    ///
    /// - Parameters:
    ///   - code: bit i is bit i mod 64 of number i div 64.
    ///   - random: a signed little-endian integer of 32 bits for each bit of the code.
    ///   - threshold: T - 2^31, where T / 2^32 is the probability of a flip.
    /// - Throws: ``BrrError``; then nothing is released.
    func flip(_ code: inout [UInt64], random: [UInt8], threshold: Int32) throws(BrrError)
}

/// The randomizer in Swift.
public struct SwiftRandomizer: Randomizer {
    /// Creates the randomizer in Swift.
    public init() {}

    public func flip(_ code: inout [UInt64], random: [UInt8], threshold: Int32) {
        precondition(random.count == 4 * 64 * code.count)
        random.withUnsafeBytes { random in
            for i in code.indices {
                var flips: UInt64 = 0
                for bit in 0..<64 {
                    let number = random.loadUnaligned(
                        fromByteOffset: 4 * (64 * i + bit), as: Int32.self)
                    // The sign of the difference is the result of the comparison, so no branch depends on a
                    // secret.
                    let difference = Int64(Int32(littleEndian: number)) - Int64(threshold)
                    flips |= (UInt64(bitPattern: difference) >> 63) << UInt64(bit)
                }
                code[i] ^= flips
            }
        }
    }
}
