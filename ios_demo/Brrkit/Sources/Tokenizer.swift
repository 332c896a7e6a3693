/// A token in the form in which a vocabulary holds words: normalized, in UTF-8.
///
/// Not a String: Swift takes two of those for equal, and cuts them, by Unicode tables that differ
/// between systems.
typealias Token = [UInt8]

/// The first and last code points of ranges that separate tokens.
let separators: [(first: UInt32, last: UInt32)] = [
    (0x0000, 0x0026),  // controls, space, ASCII punctuation up to the apostrophe
    (0x0028, 0x002F),
    (0x003A, 0x0040),
    (0x005B, 0x0060),
    (0x007B, 0x00A9),
    (0x00AB, 0x00B4),
    (0x00B6, 0x00B9),
    (0x00BB, 0x00BF),
    (0x00D7, 0x00D7),  // multiplication sign
    (0x00F7, 0x00F7),  // division sign
    (0x02C2, 0x02C5),  // spacing modifier symbols
    (0x02D2, 0x02DF),
    (0x0375, 0x0375),  // Greek, Cyrillic, Armenian, Hebrew and Arabic punctuation
    (0x037E, 0x037E),
    (0x0384, 0x0385),
    (0x0387, 0x0387),
    (0x055A, 0x055F),
    (0x0589, 0x058F),
    (0x05BE, 0x05BE),
    (0x05C0, 0x05C0),
    (0x05C3, 0x05C3),
    (0x05C6, 0x05C6),
    (0x05F3, 0x05F4),
    (0x0600, 0x060F),
    (0x061B, 0x061F),
    (0x066A, 0x066D),
    (0x06D4, 0x06D4),
    (0x0964, 0x0965),  // Devanagari danda
    (0x0E3F, 0x0E3F),  // Thai
    (0x0E4F, 0x0E4F),
    (0x0E5A, 0x0E5B),
    (0x1680, 0x1680),  // Ogham space
    (0x2000, 0x2018),  // general punctuation up to the right single quotation mark
    (0x201A, 0x2BFF),  // ... to currency, letterlike, arrows, mathematics, dingbats
    (0x2E00, 0x2E7F),  // supplemental punctuation
    (0x2FF0, 0x3004),  // ideographic punctuation
    (0x3008, 0x3020),
    (0x3030, 0x3030),
    (0x3036, 0x3037),
    (0x303D, 0x303F),
    (0x30A0, 0x30A0),
    (0x30FB, 0x30FB),
    (0xD800, 0xF8FF),  // surrogates and private use
    (0xFD3E, 0xFD3F),
    (0xFE00, 0xFE1F),  // variation selectors, vertical forms
    (0xFE30, 0xFE6F),  // compatibility and small forms
    (0xFEFF, 0xFEFF),  // byte order mark
    (0xFF01, 0xFF06),  // full-width punctuation
    (0xFF08, 0xFF0F),
    (0xFF1A, 0xFF20),
    (0xFF3B, 0xFF40),
    (0xFF5B, 0xFF65),
    (0xFFE0, 0xFFFF),
    (0x1D000, 0x1DAFF),  // musical and mathematical symbols
    (0x1F000, 0x1FBFF),  // tiles, emoji
    (0xE0000, 0x10FFFF),  // tags, private use
]

private let apostrophe = UInt8(ascii: "'")

/// Tells whether a code point separates tokens.
func isSeparator(_ codePoint: UInt32) -> Bool {
    if codePoint < 0x80 { return isASCIISeparator(UInt8(codePoint)) }
    var low = 0
    var high = separators.count
    while low < high {
        let middle = (low + high) / 2
        if separators[middle].last < codePoint { low = middle + 1 } else { high = middle }
    }
    return low < separators.count && separators[low].first <= codePoint
}

@inline(__always)
private func isASCIISeparator(_ byte: UInt8) -> Bool {
    switch byte {
    case apostrophe, UInt8(ascii: "0")...UInt8(ascii: "9"): return false
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): return false
    default: return true
    }
}

/// Returns a code point in the form in which a vocabulary holds it.
func normalize(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.value {
    case 0x02BC, 0x2019, 0xFF07:
        return "'"
    case 0x41...0x5A:
        return Unicode.Scalar(UInt8(scalar.value | 0x20))
    case 0x5B...0x7F:
        return scalar
    // Letters of the Latin, Greek, Cyrillic and Armenian scripts. Where the mapping is to several
    // code points (U+0130 only), the simple one is to the first.
    case 0x80...0x058F, 0x1E00...0x1FFF, 0xFF21...0xFF3A:
        return scalar.properties.lowercaseMapping.unicodeScalars.first ?? scalar
    default:
        return scalar
    }
}

/// Returns a string in the form in which a vocabulary holds it: lower case, plain apostrophes.
///
/// Works code point by code point, without locale or context.
func normalize(_ string: some StringProtocol) -> Token {
    var result = Token()
    result.reserveCapacity(string.utf8.count)
    for scalar in string.unicodeScalars { result += UTF8.encode(normalize(scalar))! }
    return result
}

/// Returns the tokens of a text: maximal runs of word characters that have another character than
/// the apostrophe.
func tokens(of text: some StringProtocol) -> [Token] {
    var tokens = [Token]()
    var run = Token()
    func end() {
        if run.contains(where: { $0 != apostrophe }) { tokens.append(run) }
        run.removeAll(keepingCapacity: true)
    }
    for scalar in text.unicodeScalars {
        let normalized = normalize(scalar)
        if isSeparator(normalized.value) {
            end()
        } else {
            run += UTF8.encode(normalized)!
        }
    }
    end()
    return tokens
}

/// Suffixes that a token may have beside its word; no string ends in two of them.
private let clitics = ["n't", "'s", "'re", "'ve", "'ll", "'d", "'m"].map { Array($0.utf8) }

/// Tokens whose word isn't what is left without the clitic.
private let irregular = ["can't": "can", "won't": "will", "shan't": "shall"]
    .map { (whole: Array($0.key.utf8), word: Array($0.value.utf8)) }

/// Returns the id of the one word that `token` stands for, or nil if that is unknown.
///
/// The first of these that there is: the token itself; the token without the apostrophes at its ends;
/// what is left of that when a clitic is taken off its end, again and again.
///
/// - Parameter find: returns the id of a normalized string.
func lookUp(_ token: Token, _ find: (Token) -> Int?) -> Int? {
    if let id = find(token) { return id }
    guard token.contains(apostrophe) else { return nil }
    var rest = token[...]
    while rest.first == apostrophe { rest.removeFirst() }
    while rest.last == apostrophe { rest.removeLast() }
    while !rest.isEmpty {
        if let id = find(Array(rest)) { return id }
        rest = withoutClitic(rest)
    }
    return nil
}

/// Returns what is left of a token, or nothing if it doesn't end in a clitic.
private func withoutClitic(_ token: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    if let found = irregular.first(where: { token.elementsEqual($0.whole) }) {
        return found.word[...]
    }
    for clitic in clitics where token.suffix(clitic.count).elementsEqual(clitic) {
        return token.dropLast(clitic.count)
    }
    return []
}

/// Returns the tokens of a text, normalized: ``Privatizer/text(_:)`` releases one word for each.
///
/// `docs/reference/bundle-format.md` says what a token is; it doesn't depend on a vocabulary.
public func tokenize(_ text: String) -> [String] {
    tokens(of: text).map { String(decoding: $0, as: UTF8.self) }
}
