import Brrkit
import Foundation
import Security

/// Keeps a key of a memory or an outbox in the Keychain; the file has only the key's name.
///
/// The Keychain gives it to this app or extension alone, once the device has been unlocked after its start,
/// and takes it to no other device: neither by a backup nor by iCloud. A new period's key erases the old.
public struct KeychainVault: KeyVault {
    /// The Keychain doesn't do what it is asked. Nothing is released then.
    public struct Refusal: Error, Hashable {
        /// What the Keychain answered.
        public let status: Int32

        /// Whether the Keychain is kept from this process, and not only locked until the device is unlocked
        /// for the first time since its start: no entitlement, or no Keychain.
        public var isForGood: Bool {
            status == errSecMissingEntitlement || status == errSecNotAvailable
        }
    }

    private let service: String

    /// Names the key's item: one for each use, since a new key erases the old one.
    public init(_ service: String = "org.brrkit.memory") { self.service = service }

    public func seal(_ key: [UInt8]) throws -> [UInt8] {
        // Also what an earlier installation has left. If the file isn't written then, another key is asked
        // for: the old file's period has ended.
        let erased = SecItemDelete(items as CFDictionary)
        guard erased == errSecSuccess || erased == errSecItemNotFound else {
            throw Refusal(status: erased)
        }
        let name = [UUID(), UUID()].flatMap { withUnsafeBytes(of: $0.uuid, Array.init) }
        var item = named(name)
        item[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        item[kSecValueData as String] = Data(key)
        let added = SecItemAdd(item as CFDictionary, nil)
        guard added == errSecSuccess else { throw Refusal(status: added) }
        return name
    }

    public func open(_ sealed: [UInt8]) throws -> [UInt8] {
        var query = named(sealed)
        query[kSecReturnData as String] = true
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        guard status == errSecSuccess, let key = found as? Data else {
            throw Refusal(status: status)
        }
        return Array(key)
    }

    private var items: [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrSynchronizable as String: false,
        ]
    }

    private func named(_ name: [UInt8]) -> [String: Any] {
        var item = items
        item[kSecAttrAccount as String] = Data(name).base64EncodedString()
        return item
    }
}
