import Foundation

/// The code points that belong to the one before them.
private let marks: [ClosedRange<UInt32>] = [
    0x0300...0x036F, 0x0483...0x0487, 0x0591...0x05BD, 0x05BF...0x05BF, 0x05C1...0x05C2,
    0x05C4...0x05C5, 0x05C7...0x05C7, 0x0610...0x061A, 0x064B...0x065F, 0x0670...0x0670,
    0x06D6...0x06DC, 0x06DF...0x06E4, 0x06E7...0x06E8, 0x06EA...0x06ED, 0x0711...0x0711,
    0x0730...0x074A, 0x093C...0x093C, 0x094D...0x094D, 0x0951...0x0954, 0x09BC...0x09BC,
    0x09BE...0x09BE, 0x09CD...0x09CD, 0x09D7...0x09D7, 0x0A3C...0x0A3C, 0x0A4D...0x0A4D,
    0x0ABC...0x0ABC, 0x0ACD...0x0ACD, 0x0B3C...0x0B3C, 0x0B3E...0x0B3E, 0x0B4D...0x0B4D,
    0x0B56...0x0B57, 0x0BBE...0x0BBE, 0x0BCD...0x0BCD, 0x0BD7...0x0BD7, 0x0C4D...0x0C4D,
    0x0C55...0x0C56, 0x0CBC...0x0CBC, 0x0CC2...0x0CC2, 0x0CCD...0x0CCD, 0x0CD5...0x0CD6,
    0x0D3E...0x0D3E, 0x0D4D...0x0D4D, 0x0D57...0x0D57, 0x0DCA...0x0DCA, 0x0DCF...0x0DCF,
    0x0DDF...0x0DDF, 0x0E38...0x0E3A, 0x0E48...0x0E4B, 0x0EB8...0x0EB9, 0x0EC8...0x0ECB,
    0x0F18...0x0F19, 0x0F35...0x0F35, 0x0F37...0x0F37, 0x0F39...0x0F39, 0x0F71...0x0F72,
    0x0F74...0x0F74, 0x0F7A...0x0F7D, 0x0F80...0x0F80, 0x0F82...0x0F84, 0x0F86...0x0F87,
    0x0FC6...0x0FC6, 0x102E...0x102E, 0x1037...0x1037, 0x1039...0x103A, 0x1161...0x1175,
    0x11A8...0x11C2, 0x17D2...0x17D2, 0x17DD...0x17DD, 0x302A...0x302F, 0x3099...0x309A,
    0xFB1E...0xFB1E,
]

/// The code points that marks compose with, and letters that have several marks.
private let bases: [ClosedRange<UInt32>] = [
    0x0041...0x02AF, 0x0386...0x0481, 0x048A...0x052F, 0x0622...0x064A, 0x066E...0x06D5,
    0x0905...0x0939, 0x0958...0x095F, 0x09C7...0x09C7, 0x09DC...0x09DD, 0x09DF...0x09DF,
    0x0A33...0x0A33, 0x0A36...0x0A36, 0x0A59...0x0A5B, 0x0A5E...0x0A5E, 0x0B47...0x0B47,
    0x0B5C...0x0B5D, 0x0B92...0x0B92, 0x0BC6...0x0BC7, 0x0C46...0x0C46, 0x0CBF...0x0CBF,
    0x0CC6...0x0CC6, 0x0CCA...0x0CCA, 0x0D46...0x0D47, 0x0DD9...0x0DDC, 0x1025...0x1025,
    0x1100...0x1112, 0x1E00...0x1FFE, 0x3046...0x3096, 0x309D...0x30FD, 0xAC00...0xD7A3,
]

/// The code points, beside Hangul's, whose composed form is another one.
private let composable: [ClosedRange<UInt32>] = [
    0x0340...0x0341, 0x0343...0x0344, 0x0374...0x0374, 0x0958...0x095F, 0x09DC...0x09DF,
    0x0A33...0x0A36, 0x0A59...0x0A5E, 0x0B5C...0x0B5D, 0x0F43...0x0FB9, 0x1F71...0x1FFD,
    0xF900...0xFAD9, 0xFB1D...0xFB4E, 0x2F800...0x2FA1D,
]

/// Marks of a piece, at most: what is held of a text that is full of them.
private let mostMarks = 30

/// Tells whether a code point changes when a text is composed, or what stands before it may.
@inline(__always)
func isComposed(_ codePoint: UInt32) -> Bool {
    // Between these stand most scripts' letters and punctuation: the tables are for the others.
    switch codePoint {
    case ..<0x300, 0x1FFE...0x3029, 0x309B...0xF8FF: return false
    default: return marks.has(codePoint) || composable.has(codePoint)
    }
}

/// Returns a text each piece of which is in Unicode's normalization form C.
func composed(_ text: [UInt32]) -> [UInt32] {
    guard let first = text.firstIndex(where: isComposed) else { return text }
    var result = Array(text[..<max(first - 1, 0)])
    result.reserveCapacity(text.count)
    var at = result.count
    while at < text.count {
        let end = endOfPiece(text, at)
        if end == at {
            result.append(text[at])
            at += 1
        } else {
            result += formC(text[at..<end])
            at = end
        }
    }
    return result
}

/// Returns the end of the piece that begins at a place, which is the place itself where none does.
private func endOfPiece(_ text: [UInt32], _ start: Int) -> Int {
    let first = text[start]
    let isComposable = composable.has(first)
    let isBase = isComposable || bases.has(first)
    let firstMark = isBase ? start + 1 : start
    var end = firstMark
    while end < text.count && end - firstMark < mostMarks && marks.has(text[end]) { end += 1 }
    return end > firstMark ? end : isComposable ? start + 1 : start
}

/// Returns the normalization form C of a piece.
private func formC(_ piece: ArraySlice<UInt32>) -> [UInt32] {
    var text = String.UnicodeScalarView()
    for codePoint in piece { text.append(Unicode.Scalar(codePoint)!) }
    // Foundation on Linux composes Hangul from its parts only, and takes what is beyond U+FFFF for its
    // lowest 16 bits. None of that composes with these marks: decomposed, they are in order.
    let decomposed = String(text).decomposedStringWithCanonicalMapping
    let isInFirstPlane = decomposed.unicodeScalars.first!.value <= 0xFFFF
    let form = isInFirstPlane ? decomposed.precomposedStringWithCanonicalMapping : decomposed
    return form.unicodeScalars.map(\.value)
}
