import Foundation

/// An error that brrkit throws on purpose; the only one that it throws.
public struct BrrError: Error, Hashable, Sendable {
    /// The kind of error, which an app can react to.
    public enum Kind: Hashable, Sendable {
        /// A bundle is missing, damaged, or in a format that this version can't read.
        case bundle
        /// A parameter is outside the range that the guarantee or the bundle allows.
        case parameter
        /// A word isn't in the vocabulary and the policy is ``Oov/error``. The word isn't named.
        case outOfVocabulary
        /// The privacy budget doesn't allow a release before its period has ended. Nothing was released.
        ///
        /// - Parameters:
        ///   - left: remaining epsilon of this period; 0 if the period counts another bundle.
        ///   - renewsIn: seconds until the period ends, rounded up.
        case budget(left: Double, renewsIn: Int)
        /// A budget's state can't be read, trusted or stored. Nothing was released.
        case budgetFile
        /// A memory's key can't be read, trusted or stored. Nothing was released.
        case memoryFile
        /// The system gave no random bytes, or a source gave too few. Nothing was released.
        case randomness
    }

    /// The kind of error, which an app can react to.
    public let kind: Kind

    /// The error and its remedy: one line of at most 400 characters. It names the file, field or parameter,
    /// and never contains typed text.
    public let message: String

    /// Makes an error, for a ``RandomSource`` or ``Randomizer`` of your own.
    ///
    /// `message` becomes one line that any log can show: unprintable characters are escaped, and a longer
    /// message loses its middle.
    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = oneLine(message)
    }

    static func bundle(_ message: String) -> BrrError { BrrError(.bundle, message) }
    static func parameter(_ message: String) -> BrrError { BrrError(.parameter, message) }
    static func budgetFile(_ message: String) -> BrrError { BrrError(.budgetFile, message) }
    static func memoryFile(_ message: String) -> BrrError { BrrError(.memoryFile, message) }
    static func randomness(_ message: String) -> BrrError { BrrError(.randomness, message) }
}

extension BrrError: CustomStringConvertible, LocalizedError {
    /// The message.
    public var description: String { message }
    /// The message.
    public var errorDescription: String? { message }
}

private func oneLine(_ text: String) -> String {
    var line = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        if isPrintable(scalar) {
            line.append(scalar)
        } else {
            let digits = String(scalar.value, radix: 16)
            line += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".unicodeScalars
        }
    }
    let longest = 400
    guard line.count > longest else { return String(line) }
    let half = longest / 2  // messages begin with a path, and end with the remedy
    return String(line.prefix(half - 1)) + "…" + String(line.suffix(half))
}

/// Tells whether a scalar isn't a control, a line separator or a mark of text direction.
private func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: return false
    default: return true
    }
}
