/// What a key does.
enum KeyAction: Hashable, Sendable {
    case type(String)
    case turn(Page)
    case shift
    case backspace
    /// The action of backspace while it is held.
    case deleteWord
    case enter
    /// Switches to the next keyboard; only if the system has no key for that.
    case nextKeyboard
    /// Switches to the next language; only if the app contains several.
    case nextLanguage
}

/// A key, and its width as a multiple of a letter's.
struct Key: Hashable, Sendable {
    let action: KeyAction
    var width = 1.0
}

/// The pages of the keyboard. A shorter row is centered.
enum Page: Hashable, Sendable, CaseIterable {
    case letters
    case symbols
    case moreSymbols

    /// The keys, from the top; with keys for the next keyboard and the next language, if needed.
    func rows(
        _ letters: LetterLayout = .english, needsNextKeyboard: Bool, needsNextLanguage: Bool = false
    ) -> [[Key]] {
        let upper: [[Key]]
        switch self {
        case .letters where letters.hasCapitals:
            upper = letters.rows.dropLast().map(typing) + [between(.shift, letters.rows.last!)]
        case .letters:
            let last = typing(letters.rows.last!) + [Key(action: .backspace)]
            upper = letters.rows.dropLast().map(typing) + [last]
        case .symbols:
            upper = [
                typing("1234567890"), typing("@#$&_-+()/"),
                between(.turn(.moreSymbols), "*\"%:;!?"),
            ]
        case .moreSymbols:
            upper = [
                typing("~`|•÷×§…«»"), typing("£¢€¥^°={}\\"), between(.turn(.symbols), "<>©®™[]"),
            ]
        }
        var left = [Key(action: .turn(self == .letters ? .symbols : .letters), width: sideKey)]
        if needsNextKeyboard { left.append(Key(action: .nextKeyboard)) }
        if needsNextLanguage { left.append(Key(action: .nextLanguage)) }
        left += typing(letters.besideSpace)
        let right = typing(".") + [Key(action: .enter, width: sideKey)]
        // The space bar fills the rest.
        let space = Page.width(of: upper) - Page.width(of: [left + right])
        return upper + [left + [Key(action: .type(" "), width: space)] + right]
    }

    /// The width of the widest row, in widths of a letter.
    static func width(of rows: [[Key]]) -> Double {
        rows.map { row in row.reduce(0) { $0 + $1.width } }.max() ?? 0
    }
}

extension KeyAction {
    /// The choices of a held key: related characters, at most seven, so that they fit into a row.
    var choices: [KeyAction] {
        guard case .type(let text) = self else { return [] }
        return (kinds[text] ?? "").map { .type(String($0)) }
    }
}

private let kinds: [String: String] = [
    "a": "àáâäãåæ", "c": "çćč", "d": "ð", "e": "èéêëēėę", "g": "ğ", "i": "ìíîïīįı", "l": "ł",
    "n": "ñńň", "o": "òóôöõøœ", "r": "ř", "s": "ßśšş", "t": "þť", "u": "ùúûüūů", "y": "ýÿ",
    "z": "źżž", "ا": "آأإء", "ه": "ة", "و": "ؤ", "ک": "ك", "ی": "ئي", "،": "؟؛", "'": "‘’‚`",
    "\"": "“”„", "-": "–—", "!": "¡", "?": "¿",
]

private let sideKey = 1.5

private func typing(_ characters: String) -> [Key] {
    // By code points: a zero-width non-joiner is a part of the character before it.
    characters.unicodeScalars.map { Key(action: .type(String($0))) }
}

private func between(_ left: KeyAction, _ characters: String) -> [Key] {
    [Key(action: left, width: sideKey)] + typing(characters)
        + [Key(action: .backspace, width: sideKey)]
}
