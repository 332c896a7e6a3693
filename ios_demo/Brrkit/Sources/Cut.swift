/// Costs of words, which decide between cuts of a text. Rarer words cost more.
struct Costs: Sendable {
    private let masses: MappedBytes
    private let ofAll: Int

    /// Cost of a code point that isn't in a word.
    let ofUnknown: Int

    init(_ masses: Masses) {
        self.masses = masses.words
        ofAll = lg(masses.most(.unigram))
        let least = masses.words.withUnsafeBytes { $0.min()! }
        ofUnknown = ofAll - lg(levels[Int(least)]) + 1_847
    }

    /// Returns the cost of the word with an id.
    func of(_ id: Int) -> Int { ofAll - lg(levels[Int(masses[id])]) }
}

/// Returns about 256 times the binary logarithm of a number from 1 to 2^47.
private func lg(_ number: Int64) -> Int {
    let exponent = Int64.bitWidth - 1 - number.leadingZeroBitCount
    return 256 * exponent + Int((256 * number) >> exponent) - 256
}

/// Number of code points that are cut at once. It bounds the memory.
private let partLength = 1_024

/// Largest number of code points of a word in such a text.
private let longestWord = 32

extension Tokenizer {
    /// Adds the tokens of a stretch in a script without spaces: the words with the lowest cost.
    func cutUnspaced(_ stretch: ArraySlice<UInt8>, _ tokens: inout [Token]) {
        var rest = stretch
        while !rest.isEmpty {
            var end = rest.startIndex
            var count = 0
            while end < rest.endIndex && (count < partLength || !beginsCodePoint(rest[end])) {
                if beginsCodePoint(rest[end]) { count += 1 }
                end += 1
            }
            cutPart(rest[..<end], &tokens)
            rest = rest[end...]
        }
    }

    /// Adds the tokens of a part's cheapest cut.
    private func cutPart(_ part: ArraySlice<UInt8>, _ tokens: inout [Token]) {
        let places = part.indices.filter { beginsCodePoint(part[$0]) } + [part.endIndex]
        // By bytes from the part's start: the lowest cost of the text before, and the start of its last
        // piece, which is a word with an id or an unknown code point.
        var best = [Int](repeating: .max, count: part.count + 1)
        var last = [(start: Int, wordID: Int?)](repeating: (0, nil), count: part.count + 1)
        best[0] = 0
        for (number, place) in places.dropLast().enumerated() {
            let start = place - part.startIndex
            func reach(_ end: Int, _ cost: Int, _ wordID: Int?) {
                if best[start] + cost < best[end] {
                    best[end] = best[start] + cost
                    last[end] = (start, wordID)
                }
            }
            let longest = places[min(number + longestWord, places.count - 1)]
            let one = places[number + 1] - place
            var isWord = false
            vocabulary.eachBeginning(of: part[place..<longest]) { length, id in
                reach(start + length, costs.of(id), id)
                if length == one { isWord = true }
            }
            if !isWord { reach(start + one, costs.ofUnknown, nil) }
        }
        var pieces = [(range: Range<Int>, wordID: Int?)]()  // from the last one on
        var end = part.count
        while end > 0 {
            let (start, wordID) = last[end]
            if wordID == nil, let behind = pieces.last, behind.wordID == nil {
                pieces[pieces.count - 1].range = start..<behind.range.upperBound
            } else {
                pieces.append((start..<end, wordID))
            }
            end = start
        }
        for piece in pieces.reversed() {
            let start = part.startIndex + piece.range.lowerBound
            let text = part[start..<start + piece.range.count]
            tokens.append(token(of: text, wordID: piece.wordID))
        }
    }

    /// Returns the two words of a compound with the lowest cost; nil if it isn't a compound.
    func parts(of text: ArraySlice<UInt8>) -> (first: Token, second: Token)? {
        if writing.links.isEmpty { return nil }
        typealias Part = (text: ArraySlice<UInt8>, wordID: Int)
        var least = Int.max
        var parts: (first: Part, second: Part)?
        vocabulary.eachBeginning(of: text) { length, id in  // the longest of equal ones
            let first = text.prefix(length)
            if countCodePoints(first) < writing.shortestPart { return }
            let rest = text.dropFirst(length)
            for link in writing.links where rest.starts(with: link) {
                let second = rest.dropFirst(link.count)
                if countCodePoints(second) < writing.shortestPart { continue }
                guard let other = vocabulary.find(second) else { continue }
                let cost = costs.of(id) + costs.of(other)
                if cost < least {
                    least = cost
                    parts = ((first, id), (second, other))
                }
            }
        }
        return parts.map { first, second in
            (
                token(of: first.text, wordID: first.wordID),
                token(of: second.text, wordID: second.wordID)
            )
        }
    }
}
