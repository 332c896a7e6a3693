extension Writing {
    /// Returns a text in the form of words in a vocabulary: plain letters, composed, in lower case, with
    /// plain apostrophes; in UTF-8.
    func normalize(_ text: some StringProtocol) -> UTF8Text {
        var text = String(text)
        return text.withUTF8(normalize)
    }

    /// Returns the normal form of a part of a normalized text. The part may end with a sigma that isn't
    /// final, or begin with a mark.
    func normalizeAlone(_ part: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        part.withUnsafeBufferPointer(isNormalAlone)
            ? part : part.withUnsafeBufferPointer(normalize)[...]
    }

    /// Tells whether all code points in a part of a normalized text stay the same, whatever is next to them.
    private func isNormalAlone(_ part: UnsafeBufferPointer<UInt8>) -> Bool {
        var at = 0
        while at < part.count {
            let codePoint = nextCodePoint(part, &at)
            if isComposed(codePoint) || codePoint == sigma || replaced[codePoint] != nil {
                return false
            }
        }
        return true
    }

    /// Returns a text in UTF-8, normalized.
    func normalize(_ text: UnsafeBufferPointer<UInt8>) -> UTF8Text {
        if replaced.isEmpty, let normalized = lowered(text) { return normalized }
        var codePoints = composed(plain(Brrkit.codePoints(text)))
        if !replaced.isEmpty { codePoints = replacing(codePoints) }
        for place in codePoints.indices { codePoints[place] = lower(codePoints[place]) }
        endWithFinalSigma(&codePoints)
        codePoints = composed(codePoints)
        var normalized = UTF8Text()
        normalized.reserveCapacity(text.count)
        for place in codePoints.indices {
            let isApostrophe = isApostrophe(codePoints, place)
            append(isApostrophe ? UInt32(apostrophe) : codePoints[place], to: &normalized)
        }
        return normalized
    }

    private func plain(_ text: [UInt32]) -> [UInt32] {
        guard text.contains(where: isUnusual) else { return text }
        return text.flatMap { codePoint -> [UInt32] in
            if joiners.contains(codePoint) || replaced[codePoint] != nil { return [codePoint] }
            if invisible.has(codePoint) { return [] }
            return styled.has(codePoint) ? decomposed(codePoint) : [codePoint]
        }
    }

    /// Tells whether a character that looks like an apostrophe is one: it is, between two word characters.
    private func isApostrophe(_ text: [UInt32], _ place: Int) -> Bool {
        func isWord(_ place: Int) -> Bool { !isSeparator(text[place]) }
        return lookalikes.contains(text[place]) && !joiners.contains(text[place])
            && place > 0 && place + 1 < text.count && isWord(place - 1) && isWord(place + 1)
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

/// Returns a text in lower case, and in UTF-8; nil if it has code points that depend on others.
private func lowered(_ text: UnsafeBufferPointer<UInt8>) -> UTF8Text? {
    var result = UTF8Text()
    result.reserveCapacity(text.count)
    var at = 0
    while at < text.count {
        let codePoint = nextCodePoint(text, &at)
        if isComposed(codePoint) || codePoint == sigma || codePoint == capitalSigma { return nil }
        if isUnusual(codePoint) || lookalikes.contains(codePoint) { return nil }
        append(lower(codePoint), to: &result)
    }
    return result
}

/// Returns a code point in lower case, and the plain apostrophe for any apostrophe.
@inline(__always)
func lower(_ codePoint: UInt32) -> UInt32 {
    switch codePoint {
    case 0x41...0x5A: return codePoint | 0x20
    case 0...0x7F: return codePoint
    case 0x02B9, 0x02BB...0x02BD, 0x2019, 0xFF07: return UInt32(apostrophe)
    // Letters of the Latin, Greek, Cyrillic and Armenian scripts. If the mapping has several code points
    // (only U+0130), the first is the simple mapping.
    case 0x80...0x058F, 0x1E00...0x1FFF:
        let mapping = Unicode.Scalar(codePoint)!.properties.lowercaseMapping
        return mapping.unicodeScalars.first?.value ?? codePoint
    default: return codePoint
    }
}

/// Accents and quotation marks that many people type as an apostrophe. Between two letters, they count as
/// one.
let lookalikes: [UInt32] = [0x60, 0xB4, 0x55A, 0x2018, 0x201B, 0x2032, 0xFF40]

private let capitalSigma: UInt32 = 0x3A3
private let sigma: UInt32 = 0x3C3
private let finalSigma: UInt32 = 0x3C2

/// Greek letters and marks, without the Greek punctuation between them.
private let greek: [ClosedRange<UInt32>] = [
    0x0300...0x0373, 0x0386...0x0386, 0x0388...0x03FF, 0x1F00...0x1FFF,
]

/// Puts a final sigma at the ends of Greek words.
private func endWithFinalSigma(_ text: inout [UInt32]) {
    func isGreek(_ place: Int) -> Bool { text.indices.contains(place) && greek.has(text[place]) }
    for place in text.indices
    where text[place] == sigma && isGreek(place - 1) && !isGreek(place + 1) {
        text[place] = finalSigma
    }
}
