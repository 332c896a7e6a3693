#if canImport(CryptoKit)
import CryptoKit
import Foundation

/// Returns the HMAC-SHA256 of bytes under a key of at most 64 bytes.
func hmac(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    Array(HMAC<CryptoKit.SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
}
#else
/// Returns the HMAC-SHA256 of bytes under a key of at most 64 bytes.
///
/// RFC 2104; only for systems without CryptoKit, which every phone has.
func hmac(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    let padded = key + [UInt8](repeating: 0, count: 64 - key.count)
    let inner = (padded.map { $0 ^ 0x36 } + message).withUnsafeBytes(sha256)
    let outer = (padded.map { $0 ^ 0x5c } + fromHexadecimal(inner)!).withUnsafeBytes(sha256)
    return fromHexadecimal(outer)!
}
#endif

/// Returns the bytes that lower-case hexadecimal digits stand for, or nil if they aren't valid.
func fromHexadecimal(_ text: String) -> [UInt8]? {
    let digits = Array("0123456789abcdef".utf8)
    let values = text.utf8.compactMap { digits.firstIndex(of: $0) }
    guard values.count == text.utf8.count, values.count % 2 == 0 else { return nil }
    return stride(from: 0, to: values.count, by: 2).map { (place: Int) -> UInt8 in
        UInt8(16 * values[place] + values[place + 1])
    }
}
