import Brrkit

/// Seals keys with another vault. If that vault refuses permanently, the keys stay in their files.
///
/// A keyboard without open access may have no Keychain. If the vault refuses permanently to seal a **new**
/// key, the key stays in its own file, which only this extension can read. The file records this decision,
/// which is made once for each key. While a vault is only locked, nothing is released, and no weaker storage
/// is used. If the vault later refuses a key that it sealed, no new key replaces it.
public struct FallbackVault: KeyVault {
    private let vault: any KeyVault
    private let refusesForGood: @Sendable (any Error) -> Bool

    /// Puts a fallback behind `vault`.
    ///
    /// - Parameter refusesForGood: whether an error of the vault is permanent; by default,
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
        } catch  where refusesForGood(error) {
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

// The prefix of the stored content.
private let inVault: UInt8 = 1
private let inFile: UInt8 = 0
