import Brrkit
import BrrkitKeyboard
import Foundation

/// What the keyboard says to people, and what a screen reader says of its keys.
enum Words {
    static let leaves = "Leaves the device"
    static let notTyped =
        "What leaves isn't what was typed, even where it reads like text: never show it as somebody's "
        + "words."
    static let nothingYet = "Nothing yet"
    static let consent = "Let replaced words leave"
    static let consentMeaning =
        "Off, no word is replaced, kept or sent. The demo sends nothing; it shows what an upload would get."
    static let notStored = "The device can't store that now. Try again."
    static let privateField = "Nothing: this field is private"

    /// What the strip shows: the newest words that were sent, or why none was.
    static func strip(_ releases: [Release], isPrivate: Bool) -> String {
        if isPrivate { return privateField }
        switch releases.last?.text {
        case nil, .noSink: return nothingYet
        case .off: return "Nothing: switched off in the settings"
        case .leftOut: return "Nothing: unknown word"
        case .budgetUsedUp: return "Nothing: daily budget used up"
        case .unavailable: return "Nothing: words can't be replaced now"
        case .sent:
            let sent = releases.suffix(12).flatMap { release in
                if case .sent(let words) = release.text { return words }
                return []
            }
            return sent.joined(separator: " ")
        }
    }

    /// What a mechanism does, in plain words.
    static func meaning(_ mechanism: Mechanism) -> (name: String, explanation: String) {
        switch mechanism.name {
        case "vickrey": return ("One of the nearest", "Fewer words stay as typed")
        case "exponential":
            return ("Weighted draw", "Keeps most meaning: words of like meaning come out")
        default:
            return ("Nearest word", "Flips bits of a word's code, sends the word nearest to it")
        }
    }

    /// Which words come out more readily, and how far any two can be told apart, in plain words.
    static func meaning(base: Base, cap: Double?, locale: Locale = .current) -> String {
        let readily =
            switch base {
            case .uniform: "Frequent words come out no more readily than rare ones."
            case .words: "Frequent words come out more readily than rare ones."
            case .language:
                "Frequent words come out more readily, and words that often follow the one "
                    + "that was sent before: what leaves reads like text."
            }
        guard let cap else {
            return readily
                + "\nThe more two typed words differ, the better they can be told apart, without a "
                + "limit."
        }
        let times = number(exp(cap).rounded(.up), locale)
        return readily
            + "\nHowever much two typed words differ, a sent word is at most \(times) times as likely "
            + "for one as for the other. For experts: the cap is \(number(cap, locale))."
    }

    /// What a strength means, in plain words.
    static func meaning(_ offer: Offer, locale: Locale = .current) -> String {
        let own = offer.strength == .recommended ? ["This is the recommended strength."] : []
        let epsilon = "For experts: ε is \(number(offer.epsilon, locale))."
        guard let measured = offer.measured else {
            let unknown = "How well this strength protects wasn't measured with this word list."
            return ([unknown] + own + [epsilon]).joined(separator: "\n")
        }
        var lines = [
            "Words that leave unchanged: \(about(measured.unchanged, locale)).",
            "\(attacker(measured.attacker)) finds out \(most(measured.attackSuccess, locale)).",
        ]
        if let worst = measured.worst {
            lines.append("Of the words that are least protected: \(most(worst, locale)).")
        }
        let how =
            switch (measured.text, measured.over) {
            case (nil, _): "This was measured with single words of the list."
            case (_, "content"):
                "This was measured with texts; very frequent words, such as \"the\", don't count."
            default: "This was measured with texts."
            }
        return (lines + own + ["\(how) \(epsilon)"]).joined(separator: "\n")
    }

    /// Who finds words out.
    private static func attacker(_ name: String) -> String {
        switch name {
        case "isolated": "An attacker who sees one word, and holds all words to be as likely,"
        case "frequencies": "An attacker who sees one word, and knows how often words are typed,"
        case "sentence": "An attacker who reads the sentence"
        case "informed": "An attacker who knows all your other words"
        default: "An attacker"
        }
    }

    static let recommend = "Use the recommended strength"

    /// What is left of a day's budget, in plain words; `cost` is what a new word takes from it.
    static func budget(
        _ settings: ReleaseSettings, left: Double, cost: Double, locale: Locale = .current
    ) -> String {
        let words = ((left + 1e-9) / cost).rounded(.down)  // 29.7 / 0.3 is 98.99...
        return "\(number(words, locale)) new words left today.\nA word that is typed again within "
            + "\(ReleaseSettings.memoryDays) days counts once, and once more after each restart of the keyboard. "
            + "For experts: \(number(left, locale)) of \(number(settings.dailyBudget, locale)) ε are left, "
            + "and a word costs \(number(cost, locale)) ε."
    }

    /// A number as a language writes it, with at most two decimals.
    private static func number(_ value: Double, _ locale: Locale) -> String {
        value.formatted(.number.precision(.fractionLength(0...2)).locale(locale))
    }

    private static func about(_ share: Estimate, _ locale: Locale) -> String {
        switch (100 * share.value).rounded() {
        case 0: return "fewer than 1 of 100"
        case 100: return "nearly all"
        case let count: return "about \(number(count, locale)) of 100"
        }
    }

    private static func most(_ share: Estimate, _ locale: Locale) -> String {
        let count = (100 * share.high - 1e-9).rounded(.up)  // 100 * 0.07 is 7.000000000000001
        return count == 100 ? "nearly all" : "at most \(number(count, locale)) of 100"
    }

    /// What the memory does, and what it doesn't hide.
    static let repeated =
        "A word becomes nearly the same other word for \(ReleaseSettings.memoryDays) days, so typing it every day "
        + "shows hardly more of it than typing it once. That it was typed again can be seen. The secret "
        + "that decides is in this device's Keychain and replaced every \(ReleaseSettings.memoryDays) days; no "
        + "typed word is stored."

    static let unknown =
        "Names, numbers and typos. The words themselves are never sent."

    /// What becomes of unknown words.
    static func meaning(_ oov: Oov) -> String {
        switch oov {
        case .random: return "Random word"
        case .drop: return "Leave out"
        case .error: return "Send nothing"
        }
    }

    static func label(
        _ action: KeyAction, _ shift: ShiftState, _ onReturn: Field.Return = .newLine
    ) -> String {
        switch action {
        case .type(" "): return "space"
        case .type(let text): return shift == .off ? text : text.uppercased()
        case .turn(.letters): return "ABC"
        case .turn(.symbols): return "?123"
        case .turn(.moreSymbols): return "=\\<"
        case .shift: return shift == .locked ? "⇪" : "⇧"
        case .backspace, .deleteWord: return "⌫"
        case .enter: return onReturn == .newLine ? "⏎" : returnNames[onReturn]!
        case .nextKeyboard: return "🌐"
        }
    }

    static func spoken(
        _ action: KeyAction, _ shift: ShiftState, _ onReturn: Field.Return = .newLine
    ) -> String {
        switch action {
        case .type(" "): return "Space"
        case .type(let text):
            if let name = symbolNames[text] { return name }
            return shift == .off || text.first?.isLetter == false ? text : "capital \(text)"
        case .turn(.letters): return "Letters"
        case .turn(.symbols): return "Symbols"
        case .turn(.moreSymbols): return "More symbols"
        case .shift:
            switch shift {
            case .off: return "Shift"
            case .once: return "Shift, on for one letter"
            case .locked: return "Caps lock on"
            }
        case .backspace: return "Delete"
        case .deleteWord: return "Delete word"
        case .enter: return returnNames[onReturn]!
        case .nextKeyboard: return "Next keyboard"
        }
    }
}

private let returnNames: [Field.Return: String] = [
    .newLine: "Return", .go: "Go", .search: "Search", .send: "Send", .next: "Next", .done: "Done",
    .join: "Join", .route: "Route", .continue: "Continue", .emergencyCall: "Emergency",
]

private let symbolNames = [
    ",": "comma",
    ".": "period",
    "'": "apostrophe",
    "@": "at",
    "#": "hash",
    "$": "dollar",
    "_": "underscore",
    "&": "and",
    "-": "hyphen",
    "+": "plus",
    "(": "left parenthesis",
    ")": "right parenthesis",
    "/": "slash",
    "*": "asterisk",
    "\"": "quotation mark",
    ":": "colon",
    ";": "semicolon",
    "!": "exclamation mark",
    "?": "question mark",
    "~": "tilde",
    "`": "backquote",
    "|": "vertical bar",
    "•": "bullet",
    "÷": "divided by",
    "×": "times",
    "§": "section",
    "…": "ellipsis",
    "«": "left guillemet",
    "»": "right guillemet",
    "£": "pound",
    "¢": "cent",
    "€": "euro",
    "¥": "yen",
    "^": "caret",
    "°": "degree",
    "=": "equals",
    "{": "left brace",
    "}": "right brace",
    "\\": "backslash",
    "%": "percent",
    "©": "copyright",
    "®": "registered",
    "™": "trademark",
    "<": "less than",
    ">": "greater than",
    "[": "left bracket",
    "]": "right bracket",
]
