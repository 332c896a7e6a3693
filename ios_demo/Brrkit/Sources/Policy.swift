/// The sensitivity of a bundle's words: lists of secret words, and passing words.
///
/// It is public, and part of a bundle. `spec/bundle-format.md`, "Policy", specifies it.
public struct Policy: Hashable, Sendable {
    /// Lists of secret words, disjoint.
    public let lists: [SecretList]

    /// Words that are nobody's secret, in no list; nil if there are none.
    public let passing: Passing?

    /// The heads of lists, by the ids of members.
    private let ofMembers: [Int: Int]

    /// The heads of lists, by forms.
    private let ofForms: [UTF8Text: Int]
}

/// Words that no release tells apart: each is typed as the list's head.
public struct SecretList: Hashable, Sendable {
    /// The name that a ``Mark`` states.
    public let name: String

    /// Ids of words of the vocabulary, ascending.
    public let members: [Int]

    /// Strings outside the vocabulary that are typed as the head, too.
    public let forms: [String]

    /// The most frequent member.
    public var head: Int { members[0] }
}

/// Words that are nobody's secret: each skips a draw with a given probability.
public struct Passing: Hashable, Sendable {
    /// Their ids, ascending.
    public let words: [Int]

    /// The probability that a word stays as typed; otherwise the mechanism draws.
    public let probability: Double

    /// The number of integers below 2^63 that let a word pass, rounded down (more privacy).
    public var threshold: UInt64 { UInt64((probability * 0x1p63).rounded(.down)) }
}

// MARK: - What a token is typed as

extension Policy {
    /// The policy of a bundle without one: every word is typed as itself, and none passes.
    static let none = Policy(lists: [], passing: nil, ofMembers: [:], ofForms: [:])

    /// Returns the id of the word that a string is typed as; nil if it is unknown.
    ///
    /// A member or form of a list is typed as the list's head, any other word as itself.
    ///
    /// Proof that nothing released depends on anything else: `docs/explanation/proofs.md`, "Lists".
    ///
    /// - Parameter id: id of the word with this spelling; nil if the vocabulary has no such word.
    func typedAs(_ string: ArraySlice<UInt8>, _ id: Int?) -> Int? {
        guard let id else { return ofForms.isEmpty ? nil : ofForms[UTF8Text(string)] }
        return ofMembers[id] ?? id
    }

    /// Returns the head of the list with a name; nil if there is none.
    func head(of name: String) -> Int? { lists.first { $0.name == name }?.head }
}

extension Passing {
    /// Returns all bits if a word passes, else none; draws one uniform integer, whatever was typed.
    ///
    /// Nothing branches on it, so its duration reveals nothing.
    ///
    /// Proof: `docs/explanation/proofs.md`, "Passing words".
    ///
    /// - Parameter typed: id of the word that a token is typed as; nil if it is unknown.
    func coin(_ typed: Int?, _ random: any RandomSource) throws(BrrError) -> Int {
        let number = try random.uniform(below: keepOne)
        let id = typed ?? -1
        var isOne = 0
        for word in words { isOne |= word == id ? -1 : 0 }
        return isOne & Int(Int64(bitPattern: number &- threshold) >> 63)
    }

    /// The numbers that, like a mechanism's, determine a memory's draws: see `spec/state-files.md`.
    var numbers: [UInt8] { ([threshold] + words.map { UInt64($0) }).flatMap(eightBytes) }
}

// MARK: - Reading it

private let mostLists = 16
private let nameLength = 1...64
private let memberCounts = 1...65_536
private let formLength = 1...64  // code points
private let mostForms = 16_384  // of all lists
private let passingCounts = 1...1_024
private let probabilities = 0.001...0.999

extension Policy {
    /// Parses the field `policy`; nil if it doesn't meet the specification.
    ///
    /// - Parameter size: number of words in the vocabulary.
    init?(_ json: JSON, size: Int) {
        guard case .object(let fields) = json,
            fields.keys.allSatisfy({ $0 == "lists" || $0 == "passing" }),
            let given = fields["lists"]?.array, given.count <= mostLists
        else { return nil }
        lists = given.compactMap { SecretList($0, size: size) }
        passing = fields["passing"].flatMap { Passing($0, size: size) }
        let areRead = lists.count == given.count && (passing == nil) == (fields["passing"] == nil)
        guard areRead, Set(lists.map(\.name)).count == lists.count else { return nil }
        var (ofMembers, ofForms) = ([Int: Int](), [UTF8Text: Int]())
        for list in lists {
            for member in list.members {
                if ofMembers.updateValue(list.head, forKey: member) != nil { return nil }
            }
            for form in list.forms {
                if ofForms.updateValue(list.head, forKey: UTF8Text(form.utf8)) != nil { return nil }
            }
        }
        if ofForms.count > mostForms { return nil }
        if passing?.words.contains(where: { ofMembers[$0] != nil }) == true { return nil }
        (self.ofMembers, self.ofForms) = (ofMembers, ofForms)
    }

    /// Tells whether a form is a word of the vocabulary, which it must not be.
    func hasForm(in vocabulary: Vocabulary) -> Bool {
        ofForms.keys.contains { vocabulary.find($0[...]) != nil }
    }
}

extension SecretList {
    fileprivate init?(_ json: JSON, size: Int) {
        guard case .object(let fields) = json, fields.count == 3,
            let name = fields["name"]?.string, nameLength.contains(name.utf8.count),
            name.utf8.allSatisfy("abcdefghijklmnopqrstuvwxyz0123456789-_".utf8.contains),
            let members = ids(fields["members"], memberCounts, size: size),
            let forms = fields["forms"]?.array, forms.count <= mostForms
        else { return nil }
        let read = forms.compactMap(\.string)
        guard read.count == forms.count,
            read.allSatisfy({ formLength.contains($0.unicodeScalars.count) })
        else { return nil }
        self.init(name: name, members: members, forms: read)
    }
}

extension Passing {
    fileprivate init?(_ json: JSON, size: Int) {
        guard case .object(let fields) = json, fields.count == 2,
            let words = ids(fields["words"], passingCounts, size: size),
            let probability = fields["probability"]?.double, probabilities.contains(probability)
        else { return nil }
        self.init(words: words, probability: probability)
    }
}

/// Returns ids of words if their number is allowed and they ascend strictly; else nil.
private func ids(_ json: JSON?, _ count: ClosedRange<Int>, size: Int) -> [Int]? {
    guard let given = json?.array, count.contains(given.count) else { return nil }
    let ids = given.compactMap(\.integer)
    guard ids.count == given.count, ids[0] >= 0, ids.last! < size,
        zip(ids, ids.dropFirst()).allSatisfy(<)
    else { return nil }
    return ids
}
