import Foundation

/// The text field that the keyboard writes to, as far as its app describes it.
struct Field: Hashable, Sendable {
    /// What the keyboard that the field asks for is for.
    enum Kind: Hashable, Sendable {
        /// Words: the default keyboard, or one for search and social networks.
        case words
        /// Addresses of pages or mail, names and phone numbers.
        case address
        /// Digits.
        case number
    }

    /// Where the field wants capital letters.
    enum Capitals: Hashable, Sendable {
        case none, words, sentences, all
    }

    /// What the app does when return is pressed, as far as its field says.
    enum Return: Hashable, Sendable, CaseIterable {
        case newLine, go, search, send, next, done, join, route, `continue`, emergencyCall
    }

    var kind = Kind.words
    /// Passwords. The system shows its own keyboard there; this is for where it doesn't.
    var isSecure = false
    /// Whether the app says what the field is for: a one-time code, a name, a password, an address.
    var hasContentType = false
    /// Whether the field allows corrections; one that doesn't may hold anything.
    var isCorrected = true
    var capitals = Capitals.sentences
    var onReturn = Return.newLine

    /// Whether finished words of this field are privatized and released. Only plain text is.
    var releases: Bool { kind == .words && !isSecure && !hasContentType && isCorrected }

    /// The page to begin with.
    var page: Page { kind == .number ? .symbols : .letters }
}
