import Foundation

@testable import Brrkit

/// A tokenizer of words that aren't in a bundle.
struct Tokenizers {
    /// What one is made of.
    struct Source {
        var writing = Writing.english
        /// By id.
        var words: [String]
        /// By id; all alike where there are none.
        var masses = [UInt8]()
        /// What a list's strings are.
        var listOf: ListKind?
    }

    /// Makes one of words.
    static func made(_ writing: Writing = .english, _ words: [String], masses: [UInt8] = []) throws
        -> Tokenizer
    {
        try made([Source(writing: writing, words: words, masses: masses)])[0]
    }

    /// Makes several, whose words are in one file.
    static func made(_ sources: [Source]) throws -> [Tokenizer] {
        var content = [UInt8]()
        let places = sources.map { source in
            // A separator is no word of a text: it stands for no words at all.
            let words = (source.words.isEmpty ? ["!"] : source.words).map { Array($0.utf8) }
            let masses =
                source.masses.isEmpty ? [UInt8](repeating: 1, count: words.count) : source.masses
            return parts(words, masses).map { part in
                content += part
                return content.count - part.count..<content.count
            }
        }
        let file = try Work.temporaryFolder().appendingPathComponent("words")
        try Data(content).write(to: file)
        let mapped = try Folder(file.deletingLastPathComponent().path).map("words")
        return zip(sources, places).map { source, places in
            let part = places.map { mapped.part($0) }
            let count = part[4].count
            let width = widthOf(count)
            let none = PackedNumbers(content: mapped.part(0..<0), width: width)
            let vocabulary = Vocabulary(
                words: part[0], offsets: part[1],
                ids: PackedNumbers(content: part[2], width: width),
                positions: PackedNumbers(content: part[3], width: width), count: count)
            let masses = Masses(
                words: part[4], before: none, after: none, gains: mapped.part(0..<0))
            return Tokenizer(
                writing: source.writing, vocabulary: vocabulary, costs: Costs(masses),
                listOf: source.listOf)
        }
    }

    /// Returns words, offsets, ids and positions as an index has them, and the masses.
    private static func parts(_ words: [UTF8Text], _ masses: [UInt8]) -> [[UInt8]] {
        let ids = words.indices.sorted { words[$0].lexicographicallyPrecedes(words[$1]) }
        var content = [UInt8]()
        var offsets = [Int]()
        for (position, id) in ids.enumerated() {
            var shared = 0
            if position % blockSize == 0 {
                offsets.append(content.count)
            } else {
                let before = words[ids[position - 1]]
                shared = zip(before, words[id]).prefix { $0 == $1 }.prefix(31).count
                while shared > 0 && !beginsCodePoint(words[id][shared]) { shared -= 1 }
            }
            content += [UInt8(shared)] + words[id][shared...]
        }
        offsets.append(content.count)
        var positions = [Int](repeating: 0, count: ids.count)
        for (position, id) in ids.enumerated() { positions[id] = position }
        let width = widthOf(words.count)
        return [
            content,
            offsets.flatMap { offset in
                (0..<4).map { UInt8(truncatingIfNeeded: offset >> (8 * $0)) }
            },
            packed(ids, width), packed(positions, width), masses,
        ]
    }

    private static func packed(_ numbers: [Int], _ width: Int) -> [UInt8] {
        var content = [UInt8](repeating: 0, count: packedSize(numbers.count, width: width))
        for (place, number) in numbers.enumerated() {
            for bit in 0..<width where number >> bit & 1 == 1 {
                let at = place * width + bit
                content[at / 8] |= 1 << UInt8(at % 8)
            }
        }
        return content
    }
}

extension Tokenizer {
    /// The tokens of a text, as strings.
    func cut(_ text: String) -> [String] {
        read(text).map { String(decoding: $0.text, as: UTF8.self) }
    }

    /// The results of the look-up of a text's tokens; nil for unknown ones.
    func words(_ text: String) -> [String?] {
        read(text).map { $0.wordID.flatMap(vocabulary.word) }
    }
}
