/// The letters of a language's keyboard.
struct LetterLayout: Hashable, Sendable {
    /// From the top, each from the left.
    let rows: [String]

    /// Whether letters have capitals. Otherwise there is no shift key.
    var hasCapitals = true

    /// The keys to the left of the space bar.
    var besideSpace = ",'"

    /// The layout of a language, by its BCP 47 tag; that of English for a language without a layout.
    static func of(_ language: String) -> LetterLayout {
        let first = language.split(separator: "-").first.map(String.init) ?? language
        return layouts[first.lowercased()] ?? english
    }

    static let english = LetterLayout(rows: ["qwertyuiop", "asdfghjkl", "zxcvbnm"])
}

private let layouts = [
    "de": LetterLayout(rows: ["qwertzuiopü", "asdfghjklöä", "yxcvbnmß"]),
    "fa": LetterLayout(
        rows: ["ضصثقفغعهخحج", "شسیبلاتنمکگ", "ظطژزرذدپوچ"], hasCapitals: false,
        besideSpace: "،\u{200C}"),
    "fr": LetterLayout(rows: ["azertyuiop", "qsdfghjklm", "wxcvbné"]),
]
