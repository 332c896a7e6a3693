// Declarations of the parts of Apple's CryptoKit that the library uses, written from its documentation, so
// that the library can be compiled and tested without CryptoKit. The encryption is real but slow (AES-256 of
// FIPS 197 in GCM, NIST SP 800-38D), for the outbox's files in tests. No app contains it.

import Foundation

public struct SymmetricKey: Sendable {
    let bytes: [UInt8]
    public init(data: Data) { bytes = Array(data) }
}

public enum CryptoKitError: Error { case authenticationFailure, incorrectParameterSize }

public enum AES {
    public enum GCM {
        public struct Nonce {
            let bytes: [UInt8]
            public init() { bytes = (0..<12).map { _ in UInt8.random(in: 0...255) } }
            public init(data: Data) throws {
                guard data.count == 12 else { throw CryptoKitError.incorrectParameterSize }
                bytes = Array(data)
            }
        }

        public struct SealedBox {
            public let combined: Data?

            public init(combined: Data) throws {
                guard combined.count >= 28 else { throw CryptoKitError.incorrectParameterSize }
                self.combined = combined
            }
        }

        public static func seal(
            _ message: [UInt8], using key: SymmetricKey, nonce: Nonce = Nonce(),
            authenticating label: Data
        ) throws -> SealedBox {
            let cipher = Cipher(key.bytes)
            let text = cipher.xor(message, nonce.bytes)
            let tag = cipher.tag(text, Array(label), nonce.bytes)
            return try SealedBox(combined: Data(nonce.bytes + text + tag))
        }

        public static func open(
            _ box: SealedBox, using key: SymmetricKey, authenticating label: Data
        ) throws -> Data {
            let bytes = Array(box.combined!)
            let (nonce, text) = (Array(bytes[..<12]), Array(bytes[12..<bytes.count - 16]))
            let cipher = Cipher(key.bytes)
            guard cipher.tag(text, Array(label), nonce) == Array(bytes.suffix(16)) else {
                throw CryptoKitError.authenticationFailure
            }
            return Data(cipher.xor(text, nonce))
        }
    }
}

private struct Cipher {
    private let words: [[UInt8]]  // of the expanded key
    private let factor: [UInt8]  // H of GCM

    init(_ key: [UInt8]) {
        precondition(key.count == 32)
        var words = stride(from: 0, to: 32, by: 4).map { Array(key[$0..<$0 + 4]) }
        var round: UInt8 = 1
        while words.count < 60 {
            var word = words.last!
            if words.count % 8 == 0 {
                word = [word[1], word[2], word[3], word[0]].map { box[Int($0)] }
                word[0] ^= round
                round = double(round)
            } else if words.count % 8 == 4 {
                word = word.map { box[Int($0)] }
            }
            words.append(zip(words[words.count - 8], word).map(^))
        }
        self.words = words
        factor = Cipher.encrypted([UInt8](repeating: 0, count: 16), words)
    }

    private static func encrypted(_ block: [UInt8], _ words: [[UInt8]]) -> [UInt8] {
        func adding(_ state: [UInt8], _ round: Int) -> [UInt8] {
            zip(state, words[(4 * round)..<(4 * round + 4)].joined()).map(^)
        }
        var state = adding(block, 0)
        for round in 1...14 {
            let bytes = state.map { box[Int($0)] }
            state = (0..<16).map { bytes[($0 + 4 * ($0 % 4)) % 16] }
            if round < 14 {
                state = stride(from: 0, to: 16, by: 4).flatMap { start -> [UInt8] in
                    let column = Array(state[start..<start + 4])
                    let all = column.reduce(0, ^)
                    return (0..<4).map {
                        column[$0] ^ all ^ double(column[$0] ^ column[($0 + 1) % 4])
                    }
                }
            }
            state = adding(state, round)
        }
        return state
    }

    private func counted(_ nonce: [UInt8], _ number: UInt32) -> [UInt8] {
        let counter = withUnsafeBytes(of: number.bigEndian, Array.init)
        return Cipher.encrypted(nonce + counter, words)
    }

    func xor(_ text: [UInt8], _ nonce: [UInt8]) -> [UInt8] {
        stride(from: 0, to: text.count, by: 16).flatMap { start -> [UInt8] in
            let key = counted(nonce, UInt32(start / 16 + 2))
            return zip(text[start..<min(start + 16, text.count)], key).map(^)
        }
    }

    func tag(_ text: [UInt8], _ label: [UInt8], _ nonce: [UInt8]) -> [UInt8] {
        func padded(_ bytes: [UInt8]) -> [UInt8] {
            bytes + [UInt8](repeating: 0, count: (16 - bytes.count % 16) % 16)
        }
        let sizes = [label.count, text.count].flatMap {
            withUnsafeBytes(of: UInt64(8 * $0).bigEndian, Array.init)
        }
        let hashed = padded(label) + padded(text) + sizes
        var sum = [UInt8](repeating: 0, count: 16)
        for start in stride(from: 0, to: hashed.count, by: 16) {
            sum = product(zip(sum, hashed[start..<start + 16]).map(^), factor)
        }
        return zip(sum, counted(nonce, 1)).map(^)
    }
}

/// A product in GCM's field of 128 bits.
private func product(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
    var (sum, power) = ([UInt8](repeating: 0, count: 16), b)
    for bit in 0..<128 {
        if a[bit / 8] >> (7 - bit % 8) & 1 == 1 { sum = zip(sum, power).map(^) }
        let last = power[15] & 1
        for place in (0..<16).reversed() {
            power[place] = power[place] >> 1 | (place > 0 ? power[place - 1] << 7 : 0)
        }
        if last == 1 { power[0] ^= 0xE1 }
    }
    return sum
}

private func double(_ byte: UInt8) -> UInt8 { byte << 1 ^ (byte & 0x80 != 0 ? 0x1B : 0) }

/// AES's substitution: the inverse in its field of 256 elements, and an affine map.
private let box: [UInt8] = {
    var box = [UInt8](repeating: 0x63, count: 256)
    var (power, inverse): (UInt8, UInt8) = (1, 1)
    repeat {
        power ^= double(power)  // times 3
        inverse ^= inverse << 1  // divided by 3
        inverse ^= inverse << 2
        inverse ^= inverse << 4
        if inverse & 0x80 != 0 { inverse ^= 0x09 }
        func turned(_ by: UInt8) -> UInt8 { inverse << by | inverse >> (8 - by) }
        box[Int(power)] = inverse ^ turned(1) ^ turned(2) ^ turned(3) ^ turned(4) ^ 0x63
    } while power != 1
    return box
}()
