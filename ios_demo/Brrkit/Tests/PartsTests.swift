import BrrkitC
import Foundation
import Testing

@testable import Brrkit

struct PartsTests {
    @Test func knownDigests() {
        func digest(_ text: String) -> String { Array(text.utf8).withUnsafeBytes(sha256) }
        // FIPS 180-4's examples, and lengths around the padding's ends (made by Python's hashlib).
        #expect(digest("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        let long = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
        #expect(digest(long) == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
        let expected = [
            55: "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318",
            56: "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a",
            63: "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34",
            64: "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb",
            65: "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0",
            1_000_000: "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
        ]
        for (count, value) in expected {
            #expect(digest(String(repeating: "a", count: count)) == value)
        }
    }

    #if !canImport(CryptoKit)
    /// With the processor's instructions, if it has them, and without.
    @Test func digestsAreTheSameEveryWay() {
        if !brrkit_sha256_has_instructions() { print("SHA-256: no instructions to be tested here") }
        func digest(
            _ text: String,
            _ compress: (UnsafeMutablePointer<UInt32>?, UnsafePointer<UInt8>?, Int) -> Void
        ) -> String { Array(text.utf8).withUnsafeBytes { sha256($0, by: compress) } }
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(digest("abc", brrkit_sha256_portable) == abc)
        #expect(digest("abc", brrkit_sha256) == abc)
        for count in 0..<400 {
            let content = (0..<count).map { _ in UInt8.random(in: 0...255) }
            let expected = content.withUnsafeBytes { sha256($0, by: brrkit_sha256_portable) }
            // At every place in memory.
            let moved = [UInt8](repeating: 0, count: count % 16) + content
            let digest = moved.withUnsafeBytes {
                sha256(UnsafeRawBufferPointer(rebasing: $0[(count % 16)...]), by: brrkit_sha256)
            }
            #expect(digest == expected)
        }
    }
    #endif

    @Test func divisionUndoesMultiplication() {
        var generator = SystemRandomNumberGenerator()
        func number(_ bits: Int) -> BigUInt {
            (0..<bits / 32).reduce(BigUInt(1)) { number, _ in
                // Digits of all ones and zeros are where a quotient's digit is estimated wrongly.
                let digit: UInt64 = [0, 0xFFFF_FFFF, 0x8000_0000, generator.next() >> 32]
                    .randomElement()!
                return (number << 32) + BigUInt(digit)
            }
        }
        for _ in 0..<20_000 {
            let divisor = number(.random(in: 0...256))
            let quotient = number(.random(in: 0...256))
            let remainder = number(.random(in: 0...256))
            guard remainder < divisor else { continue }
            let dividend = divisor * quotient + remainder
            #expect(dividend / divisor == quotient)
            #expect(
                dividend.dividedUp(by: divisor)
                    == (remainder.isZero ? quotient : quotient + BigUInt(1)))
            #expect((dividend - remainder) / divisor == quotient)
            let shift = Int.random(in: 0...100)
            #expect((dividend << shift) >> shift == dividend)
        }
    }

    /// A bound of 3 keeps 2 bits; 3 is drawn again, and never taken modulo.
    @Test func uniformIntegersAreDrawnAgain() throws {
        func drawn(_ numbers: [UInt64], below bound: Int64) throws -> Int64 {
            let random = Replay(bytes(numbers))
            defer { #expect(random.left == 0) }
            return try random.uniform(below: bound)
        }
        #expect(try drawn([3, 7, .max, 2], below: 3) == 2)
        #expect(try drawn([4], below: 3) == 0)
        #expect(try drawn([.max], below: 1) == 0)
        #expect(try drawn([.max, 1 << 63], below: .max) == 0)
        #expect(try drawn([1 << 62], below: 1 << 62) == 0)
    }

    /// A number flips its bit when it is below the threshold: not when it is the threshold.
    @Test func theThresholdItselfDoesntFlip() {
        for threshold in [Int32.min, -1, 0, 1, .max] {
            var numbers = [Int32](repeating: .max, count: 64)
            (numbers[3], numbers[40], numbers[63]) = (threshold, max(threshold, .min + 1) - 1, .min)
            var code: [UInt64] = [0x0123_4567_89AB_CDEF]
            let flips: UInt64 = threshold == .min ? 0 : 1 << 40 | 1 << 63
            let random = numbers.flatMap { number in
                withUnsafeBytes(of: number.littleEndian, Array.init)
            }
            SwiftRandomizer().flip(&code, random: random, threshold: threshold)
            #expect(code == [0x0123_4567_89AB_CDEF ^ flips])
        }
    }

    /// e^-x reaches 2^-32 at x = 22.1807...
    @Test func theSmallestDecays() {
        let expected = [
            (0.0, Int64(1) << 32), (22.18, 1), (22.19, 0), (22.999, 0), (23, 0), (1e300, 0),
        ]
        for (x, value) in expected { #expect(decay(Rational(x)) == value, "\(x)") }
    }

    @Test func theSubsetOfJSON() throws {
        let good = [
            "{}", " [1, 2.5e-3, -0.0, \"a\\u00e9\\ud83d\\ude00/\\/\"]\n", "null", "1e308",
            String(repeating: "[", count: 32) + String(repeating: "]", count: 32),
            String(repeating: "1", count: 40),
        ]
        for text in good { _ = try JSON(parsing: Array(text.utf8)) }
        let bad = [
            "", "{", "[1,]", "{\"a\": 1,}", "{\"a\": 1, \"a\": 2}", "{\"a\": 1, \"\\u0061\": 2}",
            "NaN",
            "-", "-0", "01", "1.", ".5", "+1", "1e", "1e999", "[1] 2", "'a'", "tru", "\"\t\"",
            "\"a",
            "\"\\x\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\\u００４１\"",
            "\u{FEFF}{}",
            "//\n{}", "{a: 1}", "[\u{A0}1]", "１",
            String(repeating: "[", count: 33) + String(repeating: "]", count: 33),
            String(repeating: "1", count: 41),
        ]
        for text in bad {
            #expect(throws: JSONError.self, "\(text)") { try JSON(parsing: Array(text.utf8)) }
        }
        for bytes: [UInt8] in [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
        ] {
            #expect(throws: JSONError.self) { try JSON(parsing: bytes) }
        }
        // Equal to Swift, but not the same key.
        _ = try JSON(parsing: Array("{\"\u{E9}\": 1, \"e\u{301}\": 2}".utf8))
    }

    /// Why Foundation doesn't read manifests: it opens what every runtime here refuses.
    @Test func foundationTakesMoreThanTheSubset() {
        let texts = [
            "[1,]", "{\"a\": 1, \"a\": 2}", "{\"a\": 1, \"\\u0061\": 2}", "[-0]", "\u{FEFF}{}",
            String(repeating: "1", count: 41),
            String(repeating: "[", count: 33) + String(repeating: "]", count: 33),
        ]
        let contents = texts.map { Array($0.utf8) } + [[0xFF, 0xFE, 0x7B, 0, 0x7D, 0]]  // UTF-16
        for content in contents {
            #expect(throws: JSONError.self) { try JSON(parsing: content) }
        }
        let taken = contents.filter { content in
            (try? JSONSerialization.jsonObject(
                with: Data(content), options: .fragmentsAllowed)) != nil
        }
        #expect(!taken.isEmpty, "then Foundation's parser could be used")
    }

    @Test func messagesAreOneShortLine() {
        let error = BrrError(.bundle, String(repeating: "a\n\u{202E}", count: 200) + "end")
        #expect(error.message.unicodeScalars.count == 400)
        #expect(error.message.contains("\\u000a\\u202e"))
        #expect(error.message.hasSuffix("end"))
        #expect(!error.message.contains("\n"))
        #expect(error.localizedDescription == error.message && "\(error)" == error.message)
    }

    /// Files belong to the opened directory, even if another one takes its name.
    @Test func aReplacedFolderIsNoticed() throws {
        let path = try Work.copyOfBundle()
        let folder = try Folder(path.path)
        #expect(folder.isCurrent)
        let manifest = try folder.read("manifest.json", limit: 1 << 20)
        try FileManager.default.moveItem(at: path, to: path.appendingPathExtension("old"))
        #expect(!folder.isCurrent)
        try FileManager.default.createDirectory(at: path, withIntermediateDirectories: false)
        #expect(!folder.isCurrent)
        #expect(try folder.read("manifest.json", limit: 1 << 20) == manifest)
        #expect(kind { _ = try WordBundle(contentsOf: path) } == .bundle)
    }

    @Test func whatIsntThereIsRefused() throws {
        #expect(kind { _ = try WordBundle(resource: "missing") } == .bundle)
        for path in ["/missing", "/dev/null", "/nul\0", "/"] {
            #expect(kind { _ = try WordBundle(contentsOf: URL(fileURLWithPath: path)) } == .bundle)
        }
    }

    @Test func searchesAreExact() {
        for bundle in Work.bundles.values {
            let codes = (0..<bundle.count).map { bundle.index.codes[$0] }
            for _ in 0..<20 {
                let query = codes[0].map { _ in UInt64.random(in: 0...(.max)) }
                let distances = codes.map { code in
                    zip(code, query).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount }
                }
                let sorted = distances.indices.sorted { (distances[$0], $0) < (distances[$1], $1) }
                for k in [1, 2, 5, 64, bundle.count] {
                    let found = bundle.index.nearest(query, k)
                    #expect(found.map(\.id) == Array(sorted.prefix(k)))
                    #expect(found.map(\.distance) == sorted.prefix(k).map { distances[$0] })
                }
            }
        }
    }

    /// Codes of more than one block, the first and the last number of each word.
    @Test(arguments: Base.allCases)
    func sumsAreExactInEveryBlock(_ base: Base) {
        let bundles = Work.bundles.values.filter { base != .bigram || $0.masses.hasBigrams }
        #expect(!bundles.isEmpty)
        for bundle in bundles {
            let query = bundle.index.codes[0].map { $0 ^ .random(in: 0...(.max)) }
            let distances = (0..<bundle.count).map { id in
                zip(bundle.index.codes[id], query).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount }
            }
            for before in [nil, 1] {
                let measure = bundle.masses.measure(base, after: before)
                var masses = (0..<bundle.count).map { id in
                    base == .uniform ? 1 : levels[Int(bundle.masses.words[id])]
                }
                for place in measure.bigrams {
                    masses[bundle.masses.after[place]] += levels[Int(bundle.masses.gains[place])]
                }
                let sums = bundle.index.sums(of: measure, from: query)
                #expect(sums.ofAll.count == bundle.bits + 1)
                var expected = [Int64](repeating: 0, count: bundle.bits + 1)
                for (id, distance) in distances.enumerated() {
                    let first = expected[distance]
                    expected[distance] += masses[id]
                    for number in [first, expected[distance] - 1] where id % 7 == 0 {
                        let found = bundle.index.id(
                            at: distance, number, of: measure, from: query, sums)
                        #expect(found == id)
                    }
                }
                #expect(sums.ofAll == expected)
            }
        }
    }

    /// Every length of a code, and one code in the last step of a scan. Another one of 1,024 is as near
    /// with 65 / 2^64, three times. False alarm: 1e-13.
    @Test(arguments: 1...8)
    func theLastWordIsFound(_ numbers: Int) throws {
        let file = try Work.temporaryFolder().appendingPathComponent("codes")
        let codes = (0..<1025).map { _ in (0..<numbers).map { _ in UInt64.random(in: 0...(.max)) } }
        try Data(codes.flatMap { bytes($0) }).write(to: file)
        let mapped = try Folder(file.deletingLastPathComponent().path).map("codes")
        let index = HammingIndex(codes: Codes(content: mapped, bits: 64 * numbers))
        let none = PackedNumbers(content: mapped.part(0..<3), width: 11)
        let alike = Masses(
            words: mapped.part(0..<1025), before: none, after: none, gains: mapped.part(0..<0)
        ).measure(.uniform, after: nil)
        for id in [0, 1023, 1024] {
            var query = codes[id]
            query[numbers - 1] ^= 1 << 63
            #expect(index.nearest(query, 1) == [Match(id: id, distance: 1)])
            let sums = index.sums(of: alike, from: query)
            #expect(sums.ofAll[1] == 1)
            #expect(index.id(at: 1, 0, of: alike, from: query, sums) == id)
        }
    }

    @Test func wordsAreFoundAndCompleted() {
        let vocabulary = Work.bundle64.vocabulary
        let words = (0..<vocabulary.count).map { vocabulary.word($0)! }
        for (id, word) in words.enumerated() {
            #expect(vocabulary.find(word) == id)
            #expect(vocabulary.find(word.uppercased()) != id || word.uppercased() == word)
            #expect(vocabulary.find(word + "qzx") == nil)
        }
        #expect(vocabulary.word(-1) == nil && vocabulary.word(vocabulary.count) == nil)
        for prefix in ["", "t", "th", "Th", "zz", "\u{10FFFF}", words[7]] {
            let expected = words.filter { $0.utf8.starts(with: prefix.utf8) }
            for limit in [-1, 0, 1, 3, 5_000] {
                #expect(
                    vocabulary.completions(of: prefix, limit: limit)
                        == Array(expected.prefix(max(limit, 0))))
            }
        }
    }

    @Test func neighborsAreTheNearestOtherWords() throws {
        let bundle = Work.bundle64
        func ranked(_ id: Int) -> [Neighbor] {
            let code = bundle.index.codes[id]
            let others = (0..<bundle.count).filter { $0 != id }.map { other in
                let bits = zip(code, bundle.index.codes[other]).map { ($0 ^ $1).nonzeroBitCount }
                return (other, bits.reduce(0, +))
            }
            return others.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map {
                Neighbor(word: bundle.vocabulary.word($0.0)!, distance: $0.1)
            }
        }
        for id in [0, 7, bundle.count - 1] {
            let word = bundle.vocabulary.word(id)!
            #expect(try bundle.neighbors(of: word.uppercased()) == Array(ranked(id).prefix(10)))
            #expect(try bundle.neighbors(of: word, k: bundle.count - 1) == ranked(id))
        }
        for k in [0, -1, bundle.count, .max] {
            #expect(kind { _ = try bundle.neighbors(of: "the", k: k) } == .parameter)
        }
        #expect(kind { _ = try bundle.neighbors(of: "qzxqzx", k: 3) } == .outOfVocabulary)
    }
}
