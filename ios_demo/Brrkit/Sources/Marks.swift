/// A part of a text that an app declares secret, such as a detected name, or a name among its contacts.
///
/// It counts as one token, whatever it contains: typed as the head of its list, or as an unknown word.
public struct Mark: Hashable, Sendable {
    /// Its range in the text.
    public let range: Range<String.Index>

    /// The name of a list of the bundle's ``Policy``; nil for an unknown word.
    public let list: String?

    /// Marks a part of a text.
    public init(_ range: Range<String.Index>, list: String? = nil) {
        (self.range, self.list) = (range, list)
    }
}

/// Treatments of the text outside marks.
public enum Rest: Hashable, Sendable, CaseIterable {
    /// Its words are privatized, too.
    case release

    /// It leaves the device **as typed**, visible to everybody.
    case pass
}

/// A mark of a text, or the text between marks.
struct MarkedPart {
    let text: String
    let isMark: Bool

    /// The name of a mark's list; nil for an unknown word.
    let list: String?
}

extension Tokenizer {
    /// Returns the parts of a text, in order: its marks, widened to whole tokens, and the text between them.
    ///
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/parameter``: a mark is empty or outside the text, or
    ///   names a list that the policy lacks.
    func parts(of text: String, _ marks: [Mark]) throws(BrrError) -> [MarkedPart] {
        let scalars = text.unicodeScalars
        var checked = [(range: Range<String.Index>, list: String?)]()
        for (number, mark) in marks.enumerated() {
            func wrong(_ why: String) -> BrrError {
                .parameter("mark \(number + 1): \(why)")
            }
            guard let range = scalars.checked(mark.range) else {
                throw wrong("must be a nonempty part of its text, of whole code points")
            }
            if let list = mark.list, policy.head(of: list) == nil {
                let names = policy.lists.map(\.name).joined(separator: ", ")
                throw wrong(
                    "the bundle's policy has no such list; its lists: "
                        + (names.isEmpty ? "none" : names))
            }
            checked.append((range, mark.list))
        }
        // The order of equal marks doesn't change.
        let sorted = checked.enumerated().sorted {
            let (one, other) = ($0.element.range, $1.element.range)
            return (one.lowerBound, one.upperBound, $0.offset)
                < (other.lowerBound, other.upperBound, $1.offset)
        }
        var apart = [(range: Range<String.Index>, list: String?)]()
        for (_, mark) in sorted {
            let (start, end) = (mark.range.lowerBound, mark.range.upperBound)
            if let last = apart.last?.range, start < last.upperBound {
                if end <= last.upperBound { continue }
                let widened = last.lowerBound..<writing.end(end, in: scalars)
                apart[apart.count - 1].range = widened
            } else {
                // Not beyond the widened end of the last mark.
                let widened = writing.start(start, in: scalars)..<writing.end(end, in: scalars)
                apart.append((widened, mark.list))
            }
        }
        return parts(of: scalars, apart)
    }

    /// Returns marks without overlap, and the text between them.
    private func parts(
        of scalars: String.UnicodeScalarView, _ marks: [(range: Range<String.Index>, list: String?)]
    ) -> [MarkedPart] {
        var parts = [MarkedPart]()
        var end = scalars.startIndex
        func add(_ range: Range<String.Index>, isMark: Bool, _ list: String? = nil) {
            if range.isEmpty { return }
            parts.append(MarkedPart(text: String(scalars[range]), isMark: isMark, list: list))
        }
        for mark in marks {
            add(end..<mark.range.lowerBound, isMark: false)
            add(mark.range, isMark: true, mark.list)
            end = mark.range.upperBound
        }
        add(end..<scalars.endIndex, isMark: false)
        return parts
    }

    /// Returns the tokens of a part of a text. A mark is one token.
    func read(_ part: MarkedPart) -> [Token] {
        part.isMark
            ? [Token(text: [], wordID: part.list.flatMap(policy.head))] : read(part.text)
    }
}

extension Writing {
    /// Returns the first place at or before another one in which no token is cut.
    fileprivate func start(_ place: String.Index, in scalars: String.UnicodeScalarView)
        -> String.Index
    {
        var place = place
        while place > scalars.startIndex, isInner(scalars[place]) {
            let before = scalars.index(before: place)
            guard isInner(scalars[before]) else { break }
            place = before
        }
        return place
    }

    /// Returns the first place at or behind another one in which no token is cut.
    fileprivate func end(_ place: String.Index, in scalars: String.UnicodeScalarView)
        -> String.Index
    {
        var place = place
        while place < scalars.endIndex, isInner(scalars[place]),
            isInner(scalars[scalars.index(before: place)])
        {
            place = scalars.index(after: place)
        }
        return place
    }
}

extension String.UnicodeScalarView {
    /// Returns a range of a string as one of these code points; nil if it is empty, is not inside the
    /// string, or begins or ends within a code point.
    fileprivate func checked(_ range: Range<String.Index>) -> Range<String.Index>? {
        guard range.lowerBound >= startIndex, range.upperBound <= endIndex,
            let start = String.Index(range.lowerBound, within: self),
            let end = String.Index(range.upperBound, within: self), start < end
        else { return nil }
        return start..<end
    }
}
