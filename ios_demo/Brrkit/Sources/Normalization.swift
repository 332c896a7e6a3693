extension Writing {
    /// Returns a text in the form in which a vocabulary holds words: composed, lower case, plain
    /// apostrophes; in UTF-8.
    func normalize(_ text: some StringProtocol) -> Token {
        if !replaced.keys.contains(where: { $0 < 0x80 }), let ascii = lowerASCII(text) {
            return ascii
        }
        var codePoints = composed(text.unicodeScalars.map(\.value))
        if !replaced.isEmpty { codePoints = replacing(codePoints) }
        for place in codePoints.indices { codePoints[place] = lower(codePoints[place]) }
        endWithFinalSigma(&codePoints)
        var normalized = Token()
        normalized.reserveCapacity(text.utf8.count)
        for codePoint in composed(codePoints) { append(codePoint, to: &normalized) }
        return normalized
    }

    private func replacing(_ text: [UInt32]) -> [UInt32] {
        var result = [UInt32]()
        result.reserveCapacity(text.count)
        for codePoint in text {
            if let other = replaced[codePoint] { result += other } else { result.append(codePoint) }
        }
        return result
    }
}

/// Returns a text of ASCII in lower case; nil if it has other code points.
private func lowerASCII(_ text: some StringProtocol) -> Token? {
    text.utf8.withContiguousStorageIfAvailable { text -> Token? in
        var others: UInt8 = 0
        let lowered = Token(unsafeUninitializedCapacity: text.count) { lowered, count in
            for place in text.indices {
                let byte = text[place]
                others |= byte
                let isCapital = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                lowered[place] = isCapital ? byte | 0x20 : byte
            }
            count = text.count
        }
        return others < 0x80 ? lowered : nil
    } ?? nil
}

/// Returns a code point in lower case, apostrophes as the plain one.
private func lower(_ codePoint: UInt32) -> UInt32 {
    switch codePoint {
    case 0x02BC, 0x2019, 0xFF07: return UInt32(apostrophe)
    case 0x41...0x5A: return codePoint | 0x20
    case 0...0x7F: return codePoint
    // Letters of the Latin, Greek, Cyrillic and Armenian scripts. Where the mapping is to several
    // code points (U+0130 only), the simple one is to the first.
    case 0x80...0x058F, 0x1E00...0x1FFF, 0xFF21...0xFF3A:
        let mapping = Unicode.Scalar(codePoint)!.properties.lowercaseMapping
        return mapping.unicodeScalars.first?.value ?? codePoint
    default: return codePoint
    }
}

/// Greek letters and marks; the Greek punctuation between them isn't here.
private let greek: [ClosedRange<UInt32>] = [
    0x0300...0x0373, 0x0386...0x0386, 0x0388...0x03FF, 0x1F00...0x1FFF,
]

/// Puts a final sigma at the ends of Greek words.
private func endWithFinalSigma(_ text: inout [UInt32]) {
    func isGreek(_ place: Int) -> Bool { text.indices.contains(place) && greek.has(text[place]) }
    for place in text.indices
    where text[place] == 0x3C3 && isGreek(place - 1) && !isGreek(place + 1) {
        text[place] = 0x3C2
    }
}
