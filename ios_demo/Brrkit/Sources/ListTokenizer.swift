/// The kinds of a list's strings.
enum ListKind: String, Sendable {
    case words, emoji, both, strings
}

/// Largest number of words and emoji in a phrase.
private let mostUnits = 8

// MARK: - The strings that a list counts in a text

// `spec/bundle-format.md`, "Lists", is the specification.
extension Tokenizer {
    /// Returns `text` in the form of strings in a list of this kind.
    func normalize(_ text: String, of kind: ListKind) -> UTF8Text {
        let bytes = UTF8Text(text.utf8)
        if kind == .strings { return bytes }
        return UTF8Text(units(of: bytes, kind).map(\.text).joined(separator: [space]))
    }

    /// Returns the tokens that a list of this kind counts in `text`: the longest phrases first, without
    /// overlap.
    func read(_ text: String, of kind: ListKind) -> [Token] {
        let bytes = UTF8Text(text.utf8)
        if kind == .strings { return [Token(text: bytes, wordID: vocabulary.find(bytes[...]))] }
        let units = units(of: bytes, kind)
        var tokens = [Token]()
        var place = 0
        while place < units.count {
            if let (phrase, size) = phrase(units[place...].prefix(mostUnits)) {
                tokens.append(phrase)
                place += size
            } else {
                tokens.append(units[place])
                place += 1
            }
        }
        return tokens
    }

    /// Returns the words and emoji of a text, of the kinds that this list contains.
    private func units(of text: UTF8Text, _ kind: ListKind) -> [Token] {
        var units = [Token]()
        let characters = codePoints(text)
        var (start, place) = (0, 0)  // of the text between emoji
        func addWords() {
            if kind == .emoji || start == place { return }
            units += tokens(of: string(characters[start..<place]))
        }
        while place < characters.count {
            let size = emojiSize(characters[place...])
            if size == 0 {
                place += 1
                continue
            }
            addWords()
            if kind != .words { units.append(emoji(characters[place..<place + size])) }
            place += size
            start = place
        }
        addWords()
        return units
    }

    /// Returns the token of an emoji. An emoji with skin tones may stand for the one without them.
    private func emoji(_ sequence: ArraySlice<UInt32>) -> Token {
        let text = utf8(sequence.filter { !selectors.contains($0) })
        let toneless = { utf8(sequence.filter { !selectors.contains($0) && !tones.contains($0) }) }
        return Token(
            text: text, wordID: vocabulary.find(text[...]) ?? vocabulary.find(toneless()[...]))
    }

    /// Returns the longest phrase at the beginning of `units`, and its number of units, at least two.
    private func phrase(_ units: ArraySlice<Token>) -> (Token, Int)? {
        for size in stride(from: units.count, to: 1, by: -1) {
            let text = UTF8Text(units.prefix(size).map(\.text).joined(separator: [space]))
            if let id = vocabulary.find(text[...]) { return (Token(text: text, wordID: id), size) }
        }
        return nil
    }
}

private let space = UInt8(ascii: " ")

private func utf8(_ characters: some Sequence<UInt32>) -> UTF8Text {
    var text = UTF8Text()
    for character in characters { append(character, to: &text) }
    return text
}

private func string(_ characters: ArraySlice<UInt32>) -> String {
    String(decoding: utf8(characters), as: UTF8.self)
}

// MARK: - Emoji

private let selectors: ClosedRange<UInt32> = 0xFE0E...0xFE0F
private let tones: ClosedRange<UInt32> = 0x1F3FB...0x1F3FF
private let tags: ClosedRange<UInt32> = 0xE0020...0xE007F
private let regions: ClosedRange<UInt32> = 0x1F1E6...0x1F1FF
private let joiner: UInt32 = 0x200D
private let keycap: UInt32 = 0x20E3

/// Returns the length of the emoji at the beginning of `characters`; 0 without one.
private func emojiSize(_ characters: ArraySlice<UInt32>) -> Int {
    let start = characters.startIndex
    func at(_ place: Int) -> UInt32? {
        start + place < characters.endIndex ? characters[start + place] : nil
    }
    guard let first = at(0) else { return 0 }
    if regions.contains(first) { return at(1).map(regions.contains) == true ? 2 : 0 }
    if isKey(first) {
        let behind = at(1).map(selectors.contains) == true ? 2 : 1
        return at(behind) == keycap ? behind + 1 : 0
    }
    var size = elementSize(characters)
    while size > 0, at(size) == joiner {
        let more = elementSize(characters[(start + size + 1)...])
        if more == 0 { break }
        size += 1 + more
    }
    return size
}

private func isKey(_ character: UInt32) -> Bool {
    character == UInt8(ascii: "#") || character == UInt8(ascii: "*")
        || (0x30...0x39).contains(character)
}

private func elementSize(_ characters: ArraySlice<UInt32>) -> Int {
    guard let first = characters.first, pictographs.has(first) else { return 0 }
    let behind = characters.dropFirst().prefix {
        selectors.contains($0) || tones.contains($0) || tags.contains($0)
    }
    return 1 + behind.count
}

/// Code points that an emoji begins with: Unicode's Extended_Pictographic, which includes reserved ones.
let pictographs: [ClosedRange<UInt32>] = [
    0x00A9...0x00A9,
    0x00AE...0x00AE,
    0x203C...0x203C,
    0x2049...0x2049,
    0x2122...0x2122,
    0x2139...0x2139,
    0x2194...0x2199,
    0x21A9...0x21AA,
    0x231A...0x231B,
    0x2328...0x2328,
    0x2388...0x2388,
    0x23CF...0x23CF,
    0x23E9...0x23F3,
    0x23F8...0x23FA,
    0x24C2...0x24C2,
    0x25AA...0x25AB,
    0x25B6...0x25B6,
    0x25C0...0x25C0,
    0x25FB...0x25FE,
    0x2600...0x2605,
    0x2607...0x2612,
    0x2614...0x2685,
    0x2690...0x2705,
    0x2708...0x2712,
    0x2714...0x2714,
    0x2716...0x2716,
    0x271D...0x271D,
    0x2721...0x2721,
    0x2728...0x2728,
    0x2733...0x2734,
    0x2744...0x2744,
    0x2747...0x2747,
    0x274C...0x274C,
    0x274E...0x274E,
    0x2753...0x2755,
    0x2757...0x2757,
    0x2763...0x2767,
    0x2795...0x2797,
    0x27A1...0x27A1,
    0x27B0...0x27B0,
    0x27BF...0x27BF,
    0x2934...0x2935,
    0x2B05...0x2B07,
    0x2B1B...0x2B1C,
    0x2B50...0x2B50,
    0x2B55...0x2B55,
    0x3030...0x3030,
    0x303D...0x303D,
    0x3297...0x3297,
    0x3299...0x3299,
    0x1F000...0x1F0FF,
    0x1F10D...0x1F10F,
    0x1F12F...0x1F12F,
    0x1F16C...0x1F171,
    0x1F17E...0x1F17F,
    0x1F18E...0x1F18E,
    0x1F191...0x1F19A,
    0x1F1AD...0x1F1E5,
    0x1F201...0x1F20F,
    0x1F21A...0x1F21A,
    0x1F22F...0x1F22F,
    0x1F232...0x1F23A,
    0x1F23C...0x1F23F,
    0x1F249...0x1F3FA,
    0x1F400...0x1F53D,
    0x1F546...0x1F64F,
    0x1F680...0x1F6FF,
    0x1F774...0x1F77F,
    0x1F7D5...0x1F7FF,
    0x1F80C...0x1F80F,
    0x1F848...0x1F84F,
    0x1F85A...0x1F85F,
    0x1F888...0x1F88F,
    0x1F8AE...0x1F8FF,
    0x1F90C...0x1F93A,
    0x1F93C...0x1F945,
    0x1F947...0x1FAFF,
    0x1FC00...0x1FFFD,
]
