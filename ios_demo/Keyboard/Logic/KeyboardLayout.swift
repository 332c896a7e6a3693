/// What a key does.
enum KeyAction: Hashable, Sendable {
    case type(String)
    case turn(Page)
    case shift
    case backspace
    /// What backspace becomes while it is held.
    case deleteWord
    case enter
    /// To the next keyboard; only where the system doesn't have a key for that.
    case nextKeyboard
}

/// A key, and its width as a multiple of a letter's.
struct Key: Hashable, Sendable {
    let action: KeyAction
    var width = 1.0
}

/// The pages of the keyboard. Ten widths make a full row; a shorter row is centred.
enum Page: Hashable, Sendable, CaseIterable {
    case letters
    case symbols
    case moreSymbols

    /// The widest row, in widths of a letter.
    static let rowWidth = 10.0

    /// The keys, from the top; with a key for the next keyboard where `needsNextKeyboard`.
    func rows(needsNextKeyboard: Bool) -> [[Key]] {
        switch self {
        case .letters:
            return [
                typing("qwertyuiop"), typing("asdfghjkl"), between(.shift, "zxcvbnm"),
                bottom(.symbols, needsNextKeyboard),
            ]
        case .symbols:
            return [
                typing("1234567890"), typing("@#$&_-+()/"),
                between(.turn(.moreSymbols), "*\"%:;!?"), bottom(.letters, needsNextKeyboard),
            ]
        case .moreSymbols:
            return [
                typing("~`|•÷×§…«»"), typing("£¢€¥^°={}\\"), between(.turn(.symbols), "<>©®™[]"),
                bottom(.letters, needsNextKeyboard),
            ]
        }
    }
}

extension KeyAction {
    /// What a key offers when it is held: characters of its kind, at most seven, which fit a row.
    var choices: [KeyAction] {
        guard case .type(let text) = self else { return [] }
        return (kinds[text] ?? "").map { .type(String($0)) }
    }
}

private let kinds: [String: String] = [
    "a": "àáâäãåæ", "c": "çćč", "d": "ð", "e": "èéêëēėę", "g": "ğ", "i": "ìíîïīįı", "l": "ł",
    "n": "ñńň", "o": "òóôöõøœ", "r": "ř", "s": "ßśšş", "t": "þť", "u": "ùúûüūů", "y": "ýÿ",
    "z": "źżž", "'": "‘’‚`", "\"": "“”„", "-": "–—", "!": "¡", "?": "¿",
]

private let sideKey = 1.5

private func typing(_ characters: String) -> [Key] {
    characters.map { Key(action: .type(String($0))) }
}

private func between(_ left: KeyAction, _ characters: String) -> [Key] {
    [Key(action: left, width: sideKey)] + typing(characters)
        + [Key(action: .backspace, width: sideKey)]
}

private func bottom(_ turn: Page, _ needsNextKeyboard: Bool) -> [Key] {
    let next = needsNextKeyboard ? [Key(action: .nextKeyboard)] : []
    return [Key(action: .turn(turn), width: sideKey)] + next + typing(",'")
        + [Key(action: .type(" "), width: needsNextKeyboard ? 3 : 4)] + typing(".")
        + [Key(action: .enter, width: sideKey)]
}
