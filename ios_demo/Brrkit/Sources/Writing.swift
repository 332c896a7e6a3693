/// Writing rules of a bundle's language: `spec/bundle-format.md`, "Writing".
///
/// The rules apply to texts that ``WordBundle/tokenize(_:)`` cuts.
public struct Writing: Hashable, Sendable {
    /// A string in an unknown word, and its replacement.
    struct Rewriting: Hashable, Sendable {
        let usual: UTF8Text
        let other: UTF8Text
    }

    /// The language's name, in printable ASCII, for people.
    public let language: String

    /// Code points and their replacements in a vocabulary.
    let replaced: [UInt32: [UInt32]]

    /// Separators that join two word characters if they stand between them.
    let joiners: [UInt32]

    /// Words that are cut off the beginning of another word, such as l' in l'homme.
    let before: [UTF8Text]

    /// Endings that are removed from an unknown word.
    let endings: [UTF8Text]

    /// Smallest number of code points that the removal of an ending leaves.
    let shortestStem: Int

    /// Tokens that a vocabulary lacks, and their words.
    let spellings: [UTF8Text: UTF8Text]

    /// Strings in an unknown word, and their replacements, in this order.
    let rewritten: [Rewriting]

    /// Largest number of equal code points in a row in a word; 0: no limit.
    let longestRun: Int

    /// The scripts without spaces: ascending, without overlap.
    let unspaced: [ClosedRange<UInt32>]

    /// Strings that may join the two parts of a compound; none: no compounds.
    let links: [UTF8Text]

    /// Smallest number of code points in a part of a compound.
    let shortestPart: Int

    /// The writing rules of English, for a bundle without a field `writing`.
    public static let english = Writing(
        language: "en", replaced: [:], joiners: [], before: [],
        endings: ["n't", "'s", "'re", "'ve", "'ll", "'d", "'m"].map { UTF8Text($0.utf8) },
        shortestStem: 1,
        spellings: [
            UTF8Text("can't".utf8): UTF8Text("can".utf8),
            UTF8Text("won't".utf8): UTF8Text("will".utf8),
            UTF8Text("shan't".utf8): UTF8Text("shall".utf8),
        ],
        rewritten: [], longestRun: 2, unspaced: [], links: [], shortestPart: 4)
}

private let keys: Set<JSON.Text> = [
    "language", "replaced", "joiners", "before", "endings", "shortest_stem", "spellings",
    "rewritten", "longest_run", "unspaced", "links", "shortest_part",
]

private let someCodePoints = 1...64
private let printable = UInt8(0x20)...0x7E

extension Writing {
    /// The rules in the field `writing`; nil if they don't meet the specification.
    init?(_ json: JSON) {
        guard case .object(let fields) = json, Set(fields.keys) == keys,
            case .string(let language)? = fields["language"],
            someCodePoints.contains(language.utf8.count),
            language.utf8.allSatisfy(printable.contains),
            let replaced = strings(fields["replaced"], most: 256, of: 1...1, to: 0...4),
            let joiners = strings(fields["joiners"], most: 16, of: 1...1),
            let before = strings(fields["before"], most: 64),
            let endings = strings(fields["endings"], most: 256),
            let shortestStem = fields["shortest_stem"]?.integer,
            someCodePoints.contains(shortestStem),
            let spellings = strings(
                fields["spellings"], most: 4_096, of: someCodePoints, to: someCodePoints),
            let rewritten = Writing.rewritten(fields["rewritten"]),
            let longestRun = fields["longest_run"]?.integer, (0...64).contains(longestRun),
            let unspaced = Writing.ranges(fields["unspaced"]),
            let links = strings(fields["links"], most: 8, of: 0...4),
            let shortestPart = fields["shortest_part"]?.integer,
            someCodePoints.contains(shortestPart)
        else { return nil }
        let joining = joiners.map { codePoints($0)[0] }
        guard joining.allSatisfy(isSeparator), !joining.contains(where: unspaced.has) else {
            return nil
        }
        self.init(
            language: language.string,
            replaced: Dictionary(
                uniqueKeysWithValues: replaced.map { (codePoints($0)[0], codePoints($1)) }),
            joiners: joining, before: before, endings: endings, shortestStem: shortestStem,
            spellings: spellings, rewritten: rewritten, longestRun: longestRun, unspaced: unspaced,
            links: links, shortestPart: shortestPart)
    }

    private static func rewritten(_ json: JSON?) -> [Rewriting]? {
        list(json, most: 64) { pair -> Rewriting? in
            guard let pair = pair.array, pair.count == 2,
                let usual = string(pair[0], someCodePoints), let other = string(pair[1], 0...64)
            else { return nil }
            return usual == other ? nil : Rewriting(usual: usual, other: other)
        }
    }

    private static func ranges(_ json: JSON?) -> [ClosedRange<UInt32>]? {
        let ranges = list(json, most: 64) { pair -> ClosedRange<UInt32>? in
            guard let pair = pair.array, pair.count == 2, let first = codePoint(pair[0]),
                let last = codePoint(pair[1]), first <= last
            else { return nil }
            return first...last
        }
        guard let ranges,
            zip(ranges, ranges.dropFirst()).allSatisfy({ $0.upperBound < $1.lowerBound })
        else { return nil }
        return ranges
    }

    private static func codePoint(_ json: JSON) -> UInt32? {
        // No text contains half of a surrogate pair.
        guard let number = json.integer, let codePoint = UInt32(exactly: number) else { return nil }
        return Unicode.Scalar(codePoint)?.value
    }
}

/// Returns the elements of a list of at most `most` different elements; otherwise nil.
private func list<Element: Hashable>(
    _ json: JSON?, most: Int, _ element: (JSON) -> Element?
) -> [Element]? {
    guard let elements = json?.array, elements.count <= most else { return nil }
    let read = elements.compactMap(element)
    return read.count == elements.count && Set(read).count == read.count ? read : nil
}

/// Returns a string with an allowed number of code points, in UTF-8; otherwise nil.
private func string(_ json: JSON, _ length: ClosedRange<Int>) -> UTF8Text? {
    guard case .string(let text) = json, length.contains(countCodePoints(text.utf8[...])) else {
        return nil
    }
    return text.utf8
}

private func strings(
    _ json: JSON?, most: Int, of length: ClosedRange<Int> = someCodePoints
) -> [UTF8Text]? {
    list(json, most: most) { string($0, length) }
}

/// Returns the strings of an object by their names: at most `most`, with an allowed number of code points;
/// otherwise nil.
private func strings(
    _ json: JSON?, most: Int, of names: ClosedRange<Int>, to values: ClosedRange<Int>
) -> [UTF8Text: UTF8Text]? {
    guard case .object(let fields)? = json, fields.count <= most else { return nil }
    var read = [UTF8Text: UTF8Text]()
    for (name, value) in fields {
        guard let name = string(.string(name), names), let value = string(value, values) else {
            return nil
        }
        read[name] = value
    }
    return read
}
