import Foundation

/// The text field that the keyboard writes to, as far as its app describes it.
public struct Field: Hashable, Sendable {
    /// What the keyboard that the field asks for is for.
    public enum Kind: Hashable, Sendable {
        /// Words: the default keyboard, or one for search and social networks.
        case words
        /// Addresses of pages or mail, names and phone numbers.
        case address
        /// Digits.
        case number
    }

    /// Where the field wants capital letters.
    public enum Capitals: Hashable, Sendable {
        case none, words, sentences, all  // as UIKit names them
    }

    /// What the app does when return is pressed, as far as its field says.
    public enum Return: Hashable, Sendable, CaseIterable {
        case newLine, go, search, send, next, done, join, route, `continue`, emergencyCall
    }

    /// By its keyboard.
    public var kind = Kind.words
    /// Passwords. The system shows its own keyboard there; this is for where it doesn't.
    public var isSecure = false
    /// Whether the app says what the field is for: a one-time code, a name, a password, an address.
    public var hasContentType = false
    /// Whether the field allows corrections; one that doesn't may hold anything.
    public var isCorrected = true
    /// Where letters are capital.
    public var capitals = Capitals.sentences
    /// What return does.
    public var onReturn = Return.newLine

    /// A field for words, unless something else is known of it.
    public init(
        kind: Kind = .words, isSecure: Bool = false, hasContentType: Bool = false,
        isCorrected: Bool = true, capitals: Capitals = .sentences, onReturn: Return = .newLine
    ) {
        (self.kind, self.isSecure, self.hasContentType) = (kind, isSecure, hasContentType)
        (self.isCorrected, self.capitals, self.onReturn) = (isCorrected, capitals, onReturn)
    }

    /// Whether finished words of this field are privatized and released. Only plain text is.
    public var releases: Bool { kind == .words && !isSecure && !hasContentType && isCorrected }
}
