import Brrkit

/// Seals keys with another vault, or leaves them in their files if that one refuses for good.
///
/// A keyboard without open access may get no Keychain. The rule: where the vault refuses for good when a
/// **new** key is sealed, the key stays in its own file, which only this extension can read; the file itself
/// says so, so that is decided once for each key. A vault that is only locked gives no key and takes none:
/// nothing is released then, and no weaker place is used. A key that the vault sealed is never made anew
/// because the vault refuses it later.
public struct FallbackVault: KeyVault {
    private let vault: any KeyVault
    private let refusesForGood: @Sendable (any Error) -> Bool

    /// Puts a fallback behind `vault`.
    ///
    /// - Parameter refusesForGood: whether an error of the vault means that it will never work; by default,
    ///   ``KeychainVault/Refusal/isForGood``.
    public init(
        _ vault: any KeyVault = KeychainVault(),
        refusesForGood: @escaping @Sendable (any Error) -> Bool = {
            ($0 as? KeychainVault.Refusal)?.isForGood == true
        }
    ) {
        (self.vault, self.refusesForGood) = (vault, refusesForGood)
    }

    public func seal(_ key: [UInt8]) throws -> [UInt8] {
        do {
            return try [inVault] + vault.seal(key)
        } catch where refusesForGood(error) {
            return [inFile] + key
        }
    }

    public func open(_ sealed: [UInt8]) throws -> [UInt8] {
        switch sealed.first {
        case inVault: return try vault.open(Array(sealed.dropFirst()))
        case inFile: return Array(sealed.dropFirst())
        default: throw Unknown()
        }
    }

    private struct Unknown: Error {}
}

// What stands before what is stored.
private let inVault: UInt8 = 1
private let inFile: UInt8 = 0
