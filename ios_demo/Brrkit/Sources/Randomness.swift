import Foundation

/// A source of random bytes.
///
/// Only tests and experiments use another source than ``SystemRandom``.
public protocol RandomSource: Sendable {
    /// Returns `count` uniformly random bytes.
    ///
    /// - Throws: ``BrrError/randomness(_:)`` if there are none.
    func bytes(_ count: Int) throws(BrrError) -> [UInt8]
}

/// The system's cryptographically secure random numbers, requested for every word, and never buffered.
public struct SystemRandom: RandomSource {
    /// Names the system's source.
    public init() {}

    public func bytes(_ count: Int) throws(BrrError) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: count)
        guard fillFromSystem(&result) else {
            throw .randomness("the system provides no random bytes; nothing was released")
        }
        return result
    }
}

#if canImport(Darwin)
import Security

private func fillFromSystem(_ bytes: inout [UInt8]) -> Bool {
    SecRandomCopyBytes(kSecRandomDefault, bytes.count, &bytes) == errSecSuccess
}
#else
private func fillFromSystem(_ bytes: inout [UInt8]) -> Bool {
    let most = 256  // largest number of bytes per call of getentropy
    return bytes.withUnsafeMutableBytes { buffer in
        stride(from: 0, to: buffer.count, by: most).allSatisfy { start in
            let count = min(most, buffer.count - start)
            return getentropy(buffer.baseAddress! + start, count) == 0
        }
    }
}
#endif

extension RandomSource {
    /// Returns `count` bytes of the source. Refuses fewer bytes, because a draw would be biased.
    package func draw(_ count: Int) throws(BrrError) -> [UInt8] {
        let drawn = try bytes(count)
        guard drawn.count == count else {
            throw .randomness("the random source returned \(drawn.count) bytes instead of \(count)")
        }
        return drawn
    }

    /// Returns a uniform integer in 0 ..< `bound`, for a bound of at least 1.
    ///
    /// Takes 8 bytes (little-endian), keeps as many low bits as bound - 1 has, and repeats this until the
    /// number is below the bound: a remainder would favor small numbers.
    package func uniform<Bound: FixedWidthInteger>(below bound: Bound) throws(BrrError) -> Bound {
        let mask = bound == 1 ? 0 : UInt64.max >> UInt64(bound - 1).leadingZeroBitCount
        while true {
            let number = try draw(8).reversed().reduce(0) { $0 << 8 | UInt64($1) } & mask
            if number < UInt64(bound) { return Bound(number) }
        }
    }
}
