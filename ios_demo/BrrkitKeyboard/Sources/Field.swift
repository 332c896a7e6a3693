import Foundation

/// The text field that the keyboard writes to, as its app describes it.
public struct Field: Hashable, Sendable {
    /// The purpose of the keyboard that the field requests.
    public enum Kind: Hashable, Sendable {
        /// Words: the default keyboard, or one for search and social networks.
        case words
        /// Addresses of pages or mail, names and phone numbers.
        case address
        /// Digits.
        case number
    }

    /// The field's rule for capital letters.
    public enum Capitals: Hashable, Sendable {
        case none, words, sentences, all  // as UIKit names them
    }

    /// The action of the return key, as the field states it.
    public enum Return: Hashable, Sendable, CaseIterable {
        case newLine, go, search, send, next, done, join, route, `continue`, emergencyCall
    }

    /// By its keyboard.
    public var kind = Kind.words
    /// Whether it is a field for a password. The system usually shows its own keyboard there.
    public var isSecure = false
    /// Whether the app states a content type, such as a one-time code, a name, a password or an address.
    public var hasContentType = false
    /// Whether the field allows corrections. A field without them may contain anything.
    public var isCorrected = true
    /// Where letters are capital.
    public var capitals = Capitals.sentences
    /// What return does.
    public var onReturn = Return.newLine

    /// A field for words, unless other properties are given.
    public init(
        kind: Kind = .words, isSecure: Bool = false, hasContentType: Bool = false,
        isCorrected: Bool = true, capitals: Capitals = .sentences, onReturn: Return = .newLine
    ) {
        (self.kind, self.isSecure, self.hasContentType) = (kind, isSecure, hasContentType)
        (self.isCorrected, self.capitals, self.onReturn) = (isCorrected, capitals, onReturn)
    }

    /// Whether finished words of this field are privatized and released. Only plain text is released.
    public var releases: Bool { kind == .words && !isSecure && !hasContentType && isCorrected }
}
