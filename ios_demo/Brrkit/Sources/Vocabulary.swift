/// Number of words per block. All words but a block's first share bytes with the word before them.
let blockSize = 16

/// Any byte up to this is a number of shared bytes, because no word contains such control characters.
private let mostShared = 31

/// The words of a bundle with their ids (ranks), front-coded, with look-up by binary search in the mapped
/// file. There is no map, and nothing is unpacked.
public struct Vocabulary: Sendable {
    private let words: MappedBytes
    private let offsets: MappedBytes
    private let ids: PackedNumbers
    private let positions: PackedNumbers

    /// Number of words.
    public let count: Int

    /// Takes content in which `damage` finds no error.
    init(
        words: MappedBytes, offsets: MappedBytes, ids: PackedNumbers, positions: PackedNumbers,
        count: Int
    ) {
        self.words = words
        self.offsets = offsets
        self.ids = ids
        self.positions = positions
        self.count = count
    }

    /// Returns the word with this `id`, from 0, the most frequent; nil if it isn't below ``count``.
    public func word(_ id: Int) -> String? {
        guard (0..<count).contains(id) else { return nil }
        let position = positions[id]
        var reader = WordReader(self, block: position / blockSize)
        for _ in 0...position % blockSize { reader.next() }
        return String(decoding: reader.word, as: UTF8.self)
    }

    /// Returns the id of `word`; nil if the vocabulary doesn't contain exactly this word.
    ///
    /// Typed text may be another form of it: see ``WordBundle/normalize(_:)``.
    public func find(_ word: some StringProtocol) -> Int? { find(UTF8Text(word.utf8)[...]) }

    /// Returns the words that begin with the normalized `prefix`, the most frequent first.
    ///
    /// - Parameter limit: largest number of words.
    public func completions(of prefix: some StringProtocol, limit: Int) -> [String] {
        guard limit > 0 else { return [] }
        let target = UTF8Text(prefix.utf8)
        // No byte of UTF-8 is 0xFF, so the words in between are those that begin with the prefix.
        let range = position(of: target)..<position(of: target + [0xFF])
        var best = [Int]()
        for position in range {
            let id = ids[position]
            if best.count == limit {
                guard let last = best.last, id < last else { continue }
                best.removeLast()
            }
            best.insert(id, at: best.firstIndex { $0 > id } ?? best.count)
        }
        return best.compactMap(word)
    }

    func find(_ target: ArraySlice<UInt8>) -> Int? {
        guard let last = lastWord(upTo: target), last.isBeginning, last.same == target.count else {
            return nil
        }
        return ids[last.position]
    }

    /// Calls `body` with the length in bytes and the id of each word with which `text` begins, the longest
    /// first.
    func eachBeginning(of text: ArraySlice<UInt8>, _ body: (_ length: Int, _ id: Int) -> Void) {
        var rest = text
        // A shorter one is less than the last word that isn't greater, and is its beginning.
        while let last = lastWord(upTo: rest) {
            if last.isBeginning { body(last.same, ids[last.position]) }
            rest = rest.prefix(last.isBeginning ? last.same - 1 : last.same)
        }
    }

    private var blocks: Int { offsets.count / 4 - 1 }

    private func offset(_ block: Int) -> Int { Int(offsets.uint32(at: 4 * block)) }

    /// Returns the last block whose first word isn't greater than `target`, or -1.
    private func lastBlock(upTo target: ArraySlice<UInt8>) -> Int {
        var low = 0
        var high = blocks
        while low < high {
            let middle = (low + high) / 2
            if firstWordIsGreater(middle, target) { high = middle } else { low = middle + 1 }
        }
        return low - 1
    }

    private func firstWordIsGreater(_ block: Int, _ target: ArraySlice<UInt8>) -> Bool {
        let start = offset(block) + 1
        let same = matching(target, 0, start)
        let next = words[start + same]
        return !endsWord(next) && (same == target.count || next > target[target.startIndex + same])
    }

    /// Returns the number of bytes of `target` from its byte `start` on that equal those of the word from
    /// `at` on.
    private func matching(_ target: ArraySlice<UInt8>, _ start: Int, _ at: Int) -> Int {
        var count = 0
        while start + count < target.count {
            let byte = words[at + count]
            if endsWord(byte) || byte != target[target.startIndex + start + count] { break }
            count += 1
        }
        return count
    }

    /// Returns the position of the last word that isn't greater than `target`, the number of equal bytes at
    /// the beginnings of both, and whether these are the whole word; nil without such a word.
    private func lastWord(
        upTo target: ArraySlice<UInt8>
    ) -> (position: Int, same: Int, isBeginning: Bool)? {
        let block = lastBlock(upTo: target)
        if block < 0 || target.isEmpty { return nil }
        let end = offset(block + 1)
        var at = offset(block)
        var last = (position: block * blockSize - 1, same: 0, isBeginning: false)
        while at < end {
            let shared = Int(words[at])
            at += 1
            if shared <= last.same {  // otherwise it differs at the same place as the word before
                let same = shared + matching(target, shared, at)
                let next = words[at + same - shared]
                let isBeginning = endsWord(next)
                let isGreater =
                    !isBeginning
                    && (same == target.count || next > target[target.startIndex + same])
                if isGreater { break }
                (last.same, last.isBeginning) = (same, isBeginning)
            }
            last.position += 1
            while !endsWord(words[at]) { at += 1 }
        }
        return last.position < block * blockSize ? nil : last
    }

    /// Returns the number of words that are less than `target`.
    private func position(of target: UTF8Text) -> Int {
        let block = lastBlock(upTo: target[...])
        if block < 0 { return 0 }
        var reader = WordReader(self, block: block)
        var position = block * blockSize
        while reader.at < offset(block + 1) {
            reader.next()
            if !reader.word.lexicographicallyPrecedes(target) { break }
            position += 1
        }
        return position
    }

    /// Assembles the words of a block, one after the other.
    private struct WordReader {
        private let vocabulary: Vocabulary
        private(set) var at: Int
        private(set) var word = UTF8Text()

        init(_ vocabulary: Vocabulary, block: Int) {
            self.vocabulary = vocabulary
            at = vocabulary.offset(block)
        }

        mutating func next() {
            let shared = min(Int(vocabulary.words[at]), word.count)
            word.removeSubrange(shared...)
            at += 1
            while !endsWord(vocabulary.words[at]) {
                word.append(vocabulary.words[at])
                at += 1
            }
        }
    }
}

private func endsWord(_ byte: UInt8) -> Bool { byte <= mostShared }

// MARK: - The checks of a bundle's reader

extension Vocabulary {
    /// The error in the content, or nil; then every word can be read.
    ///
    /// `brr verify` checks the order of the words. In another order, some words aren't found.
    var damage: String? {
        words.withUnsafeBytes { damage(ofWords: $0) } ?? damageOfIds
    }

    private func damage(ofWords words: UnsafeRawBufferPointer) -> String? {
        if offset(blocks) != words.count {
            return "tensor 'offsets' doesn't end where 'words' does"
        }
        let marks = words.reduce(0) { $0 + (endsWord($1) ? 1 : 0) }
        if marks != count || !endsWord(words[0]) {
            return "tensor 'words' doesn't hold \(count) words"
        }
        if !isCutByOffsets(words) { return "tensor 'offsets' doesn't cut 'words' into blocks" }
        if !sharesRight(words) {
            return "tensor 'words' has a word that shares more than there is, or adds nothing"
        }
        return isUTF8(words) ? nil : "tensor 'words' isn't UTF-8"
    }

    private func isCutByOffsets(_ words: UnsafeRawBufferPointer) -> Bool {
        var count = 0
        for at in words.indices where endsWord(words[at]) {
            if count % blockSize == 0 && offset(count / blockSize) != at { return false }
            count += 1
        }
        return true
    }

    private func sharesRight(_ words: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        var at = 0
        var length = 0  // of the word before
        while at < words.count {
            let shared = Int(words[at])
            if shared > (position % blockSize == 0 ? 0 : length) { return false }
            let start = at + 1
            at = start
            while at < words.count && !endsWord(words[at]) { at += 1 }
            if at == start { return false }
            length = shared + at - start
            position += 1
        }
        return true
    }

    private var damageOfIds: String? {
        if (0..<count).contains(where: { ids[$0] >= count }) {
            return "tensor 'ids' names a missing word"
        }
        if (0..<count).contains(where: { positions[ids[$0]] != $0 }) {
            return "tensor 'positions' isn't the inverse of 'ids'"
        }
        return nil
    }
}

/// Tells whether every rest is UTF-8, and every word's shared bytes end with a whole character.
private func isUTF8(_ words: UnsafeRawBufferPointer) -> Bool {
    var at = 0
    while at < words.count {
        if words[at] < 0x80 {
            at += 1
            continue
        }
        var rest = words[at...].makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        guard case .valid(let encoded) = parser.parseScalar(from: &rest) else { return false }
        at += encoded.count
    }
    var start = [UInt8](repeating: 0, count: mostShared + 1)  // of the word before
    at = 0
    while at < words.count {
        var length = Int(words[at])
        if length > 0 && start[length] & 0xC0 == 0x80 { return false }
        at += 1
        while at < words.count && !endsWord(words[at]) {
            if length < start.count { start[length] = words[at] }
            length += 1
            at += 1
        }
        if length < start.count { start[length] = 0 }
    }
    return true
}
