import Brrkit
import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import CryptoKitDeclarations
#endif

/// Encrypts the files of an outbox: AES-256-GCM, with a random nonce for each.
struct OutboxKey {
    private let key: SymmetricKey

    /// Distinguishes it from any other.
    let name: String

    private init(_ secret: [UInt8], sealed: [UInt8]) {
        key = SymmetricKey(data: Data(secret))
        name = sealed.withUnsafeBytes(sha256)
    }

    /// Returns the file with a number and this content.
    func seal(_ number: Int, _ content: [UInt8]) throws -> [UInt8] {
        let box = try AES.GCM.seal(content, using: key, authenticating: label(number))
        return batchMagic + Array(box.combined!)  // nonce, content, tag
    }

    /// Returns the content of the file with a number; nil if ``seal(_:_:)`` didn't make it.
    func open(_ number: Int, _ sealed: [UInt8]) -> [UInt8]? {
        guard sealed.starts(with: batchMagic),
            let box = try? AES.GCM.SealedBox(combined: Data(sealed.dropFirst(batchMagic.count))),
            let content = try? AES.GCM.open(box, using: key, authenticating: label(number))
        else { return nil }
        return Array(content)
    }

    private func label(_ number: Int) -> Data {
        Data(batchMagic + withUnsafeBytes(of: Int64(number).bigEndian, Array.init))
    }

    /// Returns the key in a file; nil if it is damaged. The files that it encrypted are then lost.
    ///
    /// - Throws: the vault fails.
    static func read(_ content: [UInt8], _ file: URL, _ vault: (any KeyVault)?) throws -> OutboxKey?
    {
        let head = keyMagic.count + digestSize
        guard content.count >= head, content.starts(with: keyMagic) else { return nil }
        let sealed = Array(content[head...])
        guard Array(content[keyMagic.count..<head]) == digest(sealed) else { return nil }
        let secret = try guarded(file) { try vault?.open(sealed) ?? sealed }
        return secret.count == keySize ? OutboxKey(secret, sealed: sealed) : nil
    }

    /// Creates a key, and stores it in a file.
    ///
    /// - Throws: the file can't be written, or the vault fails.
    static func create(_ file: URL, _ vault: (any KeyVault)?) throws -> OutboxKey {
        let secret = try SystemRandom().bytes(keySize)
        let sealed = try guarded(file) { try vault?.seal(secret) ?? secret }
        try replaceDurably(file, keyMagic + digest(sealed) + sealed)
        return OutboxKey(secret, sealed: sealed)
    }

    /// An error of the app's vault may reveal too much.
    private static func guarded(_ file: URL, _ action: () throws -> [UInt8]) throws -> [UInt8] {
        do { return try action() } catch { throw FileError(file.path, vaultOf: ()) }
    }

    private static func digest(_ content: [UInt8]) -> [UInt8] {
        Array(content.withUnsafeBytes(sha256).utf8)
    }
}

extension FileError {
    fileprivate init(_ path: String, vaultOf: Void) {
        description = "\(path): its vault fails; no words are kept or sent until it works"
    }
}

private let batchMagic = Array("brr-outbox-batch 2\n".utf8)
private let keyMagic = Array("brr-outbox-key 1\n".utf8)
private let keySize = 32
private let digestSize = 64  // as hexadecimal digits
