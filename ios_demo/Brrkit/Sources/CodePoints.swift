/// The code points that separate tokens: controls, spaces, punctuation, symbols, emoji.
let separators: [ClosedRange<UInt32>] = [
    0x0000...0x0026,  // controls, space, ASCII punctuation up to the apostrophe
    0x0028...0x002F,
    0x003A...0x0040,
    0x005B...0x0060,
    0x007B...0x00A9,
    0x00AB...0x00B4,
    0x00B6...0x00B9,
    0x00BB...0x00BF,
    0x00D7...0x00D7,  // multiplication sign
    0x00F7...0x00F7,  // division sign
    0x02C2...0x02C5,  // spacing modifier symbols
    0x02D2...0x02DF,
    0x0375...0x0375,  // Greek, Cyrillic, Armenian, Hebrew and Arabic punctuation
    0x037E...0x037E,
    0x0384...0x0385,
    0x0387...0x0387,
    0x055A...0x055F,
    0x0589...0x058F,
    0x05BE...0x05BE,
    0x05C0...0x05C0,
    0x05C3...0x05C3,
    0x05C6...0x05C6,
    0x05F3...0x05F4,
    0x0600...0x060F,
    0x061B...0x061F,
    0x066A...0x066D,
    0x06D4...0x06D4,
    0x0964...0x0965,  // Devanagari danda
    0x0E3F...0x0E3F,  // Thai
    0x0E4F...0x0E4F,
    0x0E5A...0x0E5B,
    0x1680...0x1680,  // Ogham space
    0x2000...0x2018,  // general punctuation up to the right single quotation mark
    0x201A...0x2BFF,  // ... to currency, letterlike, arrows, mathematics, dingbats
    0x2E00...0x2E7F,  // supplemental punctuation
    0x2FF0...0x3004,  // ideographic punctuation
    0x3008...0x3020,
    0x3030...0x3030,
    0x3036...0x3037,
    0x303D...0x303F,
    0x30A0...0x30A0,
    0x30FB...0x30FB,
    0xD800...0xF8FF,  // surrogates and private use
    0xFD3E...0xFD3F,
    0xFE00...0xFE1F,  // variation selectors, vertical forms
    0xFE30...0xFE6F,  // compatibility and small forms
    0xFEFF...0xFEFF,  // byte order mark
    0xFF01...0xFF06,  // full-width punctuation
    0xFF08...0xFF0F,
    0xFF1A...0xFF20,
    0xFF3B...0xFF40,
    0xFF5B...0xFF65,
    0xFFE0...0xFFFF,
    0x1D000...0x1DAFF,  // musical and mathematical symbols
    0x1F000...0x1FBFF,  // tiles, emoji
    0xE0000...0x10FFFF,  // tags, private use
]

extension [ClosedRange<UInt32>] {
    /// Tells whether one of the ascending ranges contains a code point.
    func has(_ codePoint: UInt32) -> Bool {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].upperBound < codePoint { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low].lowerBound <= codePoint
    }
}

/// Tells whether a code point separates tokens.
@inline(__always)
func isSeparator(_ codePoint: UInt32) -> Bool {
    if codePoint < 0x80 { return isASCIISeparator(UInt8(codePoint)) }
    return separators.has(codePoint)
}

@inline(__always)
private func isASCIISeparator(_ byte: UInt8) -> Bool {
    switch byte {
    case apostrophe, UInt8(ascii: "0")...UInt8(ascii: "9"): return false
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): return false
    default: return true
    }
}

/// In UTF-8, and as a code point.
let apostrophe = UInt8(ascii: "'")

// MARK: - UTF-8

/// Tells whether a byte of UTF-8 begins a code point.
@inline(__always)
func beginsCodePoint(_ byte: UInt8) -> Bool { byte & 0xC0 != 0x80 }

/// Returns the number of code points in UTF-8.
func countCodePoints(_ text: ArraySlice<UInt8>) -> Int {
    text.reduce(0) { $0 + (beginsCodePoint($1) ? 1 : 0) }
}

/// Returns the code point at a place in UTF-8, and moves the place behind it.
@inline(__always)
func nextCodePoint(_ text: UnsafeBufferPointer<UInt8>, _ at: inout Int) -> UInt32 {
    let first = UInt32(text[at])
    at += 1
    if first < 0x80 { return first }
    let more = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3
    var codePoint = first & (0x3F >> UInt32(more))
    for _ in 0..<more {
        codePoint = codePoint << 6 | UInt32(text[at] & 0x3F)
        at += 1
    }
    return codePoint
}

/// Returns the code points of UTF-8.
func codePoints(_ text: UnsafeBufferPointer<UInt8>) -> [UInt32] {
    var codePoints = [UInt32]()
    codePoints.reserveCapacity(text.count)
    var at = 0
    while at < text.count { codePoints.append(nextCodePoint(text, &at)) }
    return codePoints
}

/// Returns the code points of UTF-8.
func codePoints(_ text: UTF8Text) -> [UInt32] { text.withUnsafeBufferPointer(codePoints) }

/// Appends a code point in UTF-8.
@inline(__always)
func append(_ codePoint: UInt32, to text: inout UTF8Text) {
    func last(_ bytes: UInt32) -> UInt8 { UInt8(0x80 | codePoint >> (6 * bytes) & 0x3F) }
    if codePoint < 0x80 {
        text.append(UInt8(codePoint))
    } else if codePoint < 0x800 {
        text.append(UInt8(0xC0 | codePoint >> 6))
        text.append(last(0))
    } else if codePoint < 0x10000 {
        text.append(UInt8(0xE0 | codePoint >> 12))
        text.append(last(1))
        text.append(last(0))
    } else {
        text.append(UInt8(0xF0 | codePoint >> 18))
        text.append(last(2))
        text.append(last(1))
        text.append(last(0))
    }
}
