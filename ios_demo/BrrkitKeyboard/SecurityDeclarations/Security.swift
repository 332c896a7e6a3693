// Declarations of the parts of Apple's Security framework that the library uses, written from its
// documentation. With them, the compiler checks the library's use of the framework after every change, even
// without it. Items are kept in the process's memory, and found by a query's attributes. This suffices to
// test the requests to a Keychain, but it is no Keychain. No app contains it.

import Foundation

public typealias CFString = String
public typealias CFDictionary = [String: Any]
public typealias CFTypeRef = AnyObject
public typealias OSStatus = Int32

public let errSecSuccess: OSStatus = 0
public let errSecItemNotFound: OSStatus = -25300
public let errSecInteractionNotAllowed: OSStatus = -25308
public let errSecNotAvailable: OSStatus = -25291
public let errSecMissingEntitlement: OSStatus = -34018

public let kSecClass: CFString = "class"
public let kSecClassGenericPassword: CFString = "genp"
public let kSecAttrService: CFString = "svce"
public let kSecAttrAccount: CFString = "acct"
public let kSecAttrSynchronizable: CFString = "sync"
public let kSecAttrAccessible: CFString = "pdmn"
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"
public let kSecValueData: CFString = "v_Data"
public let kSecReturnData: CFString = "r_Data"

// swift-format-ignore: AlwaysUseLowerCamelCase
public func SecItemAdd(
    _ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
    Keychain.now { keychain in
        keychain.items.append(attributes.mapValues { $0 as! AnyHashable })
        return errSecSuccess
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
public func SecItemCopyMatching(
    _ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
    Keychain.now { keychain in
        guard let item = keychain.items.first(where: { Keychain.matches($0, query) }) else {
            return errSecItemNotFound
        }
        if query[kSecReturnData] as? Bool == true {
            result?.pointee = NSData(data: item[kSecValueData] as! Data)
        }
        return errSecSuccess
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    Keychain.now { keychain in
        let left = keychain.items.filter { !Keychain.matches($0, query) }
        defer { keychain.items = left }
        return left.count < keychain.items.count ? errSecSuccess : errSecItemNotFound
    }
}

/// The replacement of the Keychain here, for tests to inspect.
public struct Keychain {
    public typealias Item = [String: AnyHashable]

    /// The items that were added and not deleted, in order.
    public var items = [Item]()

    /// Whether the device hasn't been unlocked since its start.
    public var isLocked = false

    /// Its answer to every request, if this process may not use it.
    public var refusal: OSStatus?

    nonisolated(unsafe) private static var only = Keychain()  // under the lock
    private static let lock = NSLock()

    /// Reads the Keychain, or changes it.
    public static func with<Result>(_ body: (inout Keychain) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&only) }
    }

    fileprivate static func now(_ body: (inout Keychain) -> OSStatus) -> OSStatus {
        with { $0.refusal ?? ($0.isLocked ? errSecInteractionNotAllowed : body(&$0)) }
    }

    fileprivate static func matches(_ item: Item, _ query: CFDictionary) -> Bool {
        query.allSatisfy { name, value in
            guard name != kSecReturnData else { return true }
            return item[name] == value as? AnyHashable
        }
    }
}
