import Brrkit
import BrrkitKeyboard

/// The labels of keys, and their spoken names.
struct KeyNames {
    let texts: Texts
    let shift: ShiftState
    let onReturn: Field.Return
    /// The keyboard's language, as a BCP 47 tag.
    let language: String

    init(
        _ shift: ShiftState, _ onReturn: Field.Return = .newLine, _ texts: Texts = .system,
        language: String = Writing.english.language
    ) {
        self.texts = texts
        self.language = language
        self.shift = shift
        self.onReturn = onReturn
    }

    func label(_ action: KeyAction) -> String {
        switch action {
        case .type(" "): return texts.text("label_space")
        case .type("\u{200C}"): return "›|‹"
        case .type(let text): return shift.cased(text)
        case .turn(.letters): return "ABC"
        case .turn(.symbols): return "?123"
        case .turn(.moreSymbols): return "=\\<"
        case .shift: return shift == .locked ? "⇪" : "⇧"
        case .backspace, .deleteWord: return "⌫"
        case .enter: return onReturn == .newLine ? "⏎" : spoken(.enter)
        case .nextKeyboard: return "🌐"
        case .nextLanguage: return language.uppercased()
        }
    }

    func spoken(_ action: KeyAction) -> String {
        switch action {
        case .type(" "): return texts.text("key_space")
        case .type(let text):
            if let name = texts.name(of: text) { return name }
            let cased = shift.cased(text)
            return cased == text ? text : texts.text("key_capital", text)
        case .turn(.letters): return texts.text("key_letters")
        case .turn(.symbols): return texts.text("key_symbols")
        case .turn(.moreSymbols): return texts.text("key_more_symbols")
        case .shift:
            switch shift {
            case .off: return texts.text("key_shift")
            case .once: return texts.text("key_shift_once")
            case .locked: return texts.text("key_shift_locked")
            }
        case .backspace, .deleteWord: return texts.text("key_backspace")
        case .enter: return texts.text(returnKeys[onReturn]!)
        case .nextKeyboard: return texts.text("key_switch")
        case .nextLanguage:
            let name = texts.locale.localizedString(forIdentifier: language) ?? language
            return texts.text("key_language", name)
        }
    }
}

private let returnKeys: [Field.Return: String] = [
    .newLine: "key_return", .go: "key_go", .search: "key_search", .send: "key_send",
    .next: "key_next", .done: "key_done", .join: "key_join", .route: "key_route",
    .continue: "key_continue", .emergencyCall: "key_emergency",
]
