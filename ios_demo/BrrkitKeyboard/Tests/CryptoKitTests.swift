import CryptoKitDeclarations
import Foundation
import Testing

/// The replacement of CryptoKit here encrypts like AES-256-GCM.
struct CryptoKitTests {
    private func bytes(_ digits: String) -> [UInt8] {
        let values = digits.compactMap { $0.hexDigitValue }
        return stride(from: 0, to: values.count, by: 2).map { (place: Int) -> UInt8 in
            UInt8(values[place] << 4 | values[place + 1])
        }
    }

    /// Test cases 14 and 16 of "The Galois/Counter Mode of Operation" (McGrew and Viega).
    @Test(arguments: [
        (
            String(repeating: "0", count: 64), String(repeating: "0", count: 24),
            String(repeating: "0", count: 32), "", "cea7403d4d606b6e074ec5d3baf39d18",
            "d0d1c8a799996bf0265b98b5d48ab919"
        ),
        (
            "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
            "cafebabefacedbaddecaf888",
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
            "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
            "76fc6ece0f4e1768cddf8853bb2d551b"
        ),
    ])
    func itEncryptsAsPublished(
        key: String, nonce: String, text: String, label: String, sealed: String, tag: String
    ) throws {
        let key = SymmetricKey(data: Data(bytes(key)))
        let label = Data(bytes(label))
        let box = try AES.GCM.seal(
            bytes(text), using: key, nonce: AES.GCM.Nonce(data: Data(bytes(nonce))),
            authenticating: label)
        #expect(Array(box.combined!) == bytes(nonce + sealed + tag))
        #expect(try Array(AES.GCM.open(box, using: key, authenticating: label)) == bytes(text))
        #expect(throws: CryptoKitError.self) {
            try AES.GCM.open(box, using: key, authenticating: Data([1]))
        }
    }
}
