import Brrkit
import Foundation
import Security

/// Keeps a key of a memory or an outbox in the Keychain. The file contains only the key's name.
///
/// Only this app or extension can read the key, after the first unlock since the device's start. No backup
/// and no iCloud copies it to another device. A new period's key erases the old one.
public struct KeychainVault: KeyVault {
    /// The Keychain refuses a request. Nothing is released.
    public struct Refusal: Error, Hashable {
        /// What the Keychain answered.
        public let status: Int32

        /// Whether the refusal is permanent: there is no entitlement, or no Keychain. Otherwise the Keychain
        /// is only locked until the first unlock since the device's start.
        public var isForGood: Bool {
            status == errSecMissingEntitlement || status == errSecNotAvailable
        }
    }

    private let service: String

    /// Names the key's item. Each use needs its own item, because a new key erases the old one.
    public init(_ service: String = "org.brrkit.memory") { self.service = service }

    public func seal(_ key: [UInt8]) throws -> [UInt8] {
        // This also removes the key of an earlier installation. If writing the file then fails, another key
        // is sealed: the old file's period has ended.
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
