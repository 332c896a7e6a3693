/// Whether letters are capital.
enum ShiftState: Hashable, Sendable {
    case off
    /// For one letter.
    case once
    case locked

    /// The state after a tap on shift; a second tap at once locks it.
    func tapped(again: Bool) -> ShiftState {
        switch self {
        case .locked: return .off
        case _ where again: return .locked
        case .once: return .off
        case .off: return .once
        }
    }

    /// The state before the next character; `capital` says that a sentence begins here.
    func next(capital: Bool) -> ShiftState {
        if self == .locked { return .locked }
        return capital ? .once : .off
    }

    /// `text` as it is typed.
    func cased(_ text: String) -> String {
        self == .off ? text : text == "ß" ? "ẞ" : text.uppercased()  // one letter, not SS
    }
}
