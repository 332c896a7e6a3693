#if canImport(CryptoKit)
import CryptoKit
import Foundation

/// Returns the SHA-256 of bytes, as lower-case hexadecimal digits.
package func sha256(_ bytes: UnsafeRawBufferPointer) -> String {
    var hash = CryptoKit.SHA256()
    hash.update(bufferPointer: bytes)
    return hexadecimal(hash.finalize())
}
#else
internal import BrrkitC

/// Returns the SHA-256 of bytes, as lower-case hexadecimal digits.
package func sha256(_ bytes: UnsafeRawBufferPointer) -> String { sha256(bytes, by: brrkit_sha256) }

/// Returns the SHA-256 of bytes: FIPS 180-4, only for systems without CryptoKit, which every phone has.
///
/// - Parameter compress: mixes blocks of 64 bytes into a state; for tests.
func sha256(
    _ bytes: UnsafeRawBufferPointer,
    by compress: (UnsafeMutablePointer<UInt32>?, UnsafePointer<UInt8>?, Int) -> Void
) -> String {
    var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
        0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    let blocks = bytes.count / 64
    compress(&state, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, blocks)
    var rest = Array(bytes[(64 * blocks)...]) + [0x80]
    while rest.count % 64 != 56 { rest.append(0) }
    withUnsafeBytes(of: (UInt64(bytes.count) * 8).bigEndian) { rest += $0 }
    compress(&state, rest, rest.count / 64)
    return hexadecimal(state.flatMap { word in withUnsafeBytes(of: word.bigEndian, Array.init) })
}
#endif

/// Returns bytes as lower-case hexadecimal digits.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var written = [UInt8]()
    for byte in bytes {
        written.append(digits[Int(byte >> 4)])
        written.append(digits[Int(byte & 0xF)])
    }
    return String(decoding: written, as: UTF8.self)
}
