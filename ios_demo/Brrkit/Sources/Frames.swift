import Foundation

/// The shape of a device's day of text: the number of frames, and the number of words in a frame. Its values
/// are checked where it is used.
public struct Frames: Hashable, Codable, Sendable {
    /// The number of words in a frame, from 1 to 64.
    public var words: Int

    /// The number of frames that a device sends for a day, whether or not anything was typed; from 1 to 1,000.
    /// Multiplied by ``words``, at most 8,192.
    public var aDay: Int

    /// Describes a day.
    public init(words: Int = 8, aDay: Int = 8) { (self.words, self.aDay) = (words, aDay) }

    /// The number of words in a day's frames.
    package var wordsADay: Int { words * aDay }

    /// Whether its values are in range.
    fileprivate var isValid: Bool {
        (1...mostWords).contains(words) && (1...mostFrames).contains(aDay)
            && wordsADay <= mostFramed
    }
}

private let mostWords = 64
private let mostFrames = 1_000
private let mostFramed = 8_192  // words of a day: each is drawn when the day begins

extension Frames {
    /// The frames that the field `frames` has; nil if it has none.
    init?(_ json: JSON) {
        guard case .object(let fields) = json, fields.count == 2,
            let words = json["words"]?.integer, let aDay = json["a_day"]?.integer
        else { return nil }
        self.init(words: words, aDay: aDay)
        if !isValid { return nil }
    }
}

/// Returns the shape of a day of text in force.
///
/// - Parameter given: the given shape; nil for the bundle's.
/// - Throws: ``BrrError`` of kind ``BrrError/Kind/parameter``: a value is out of range; or none is given, and the
///   bundle has none.
func resolveFrames(_ bundle: WordBundle, _ given: Frames?) throws(BrrError) -> Frames {
    guard let frames = given ?? bundle.frames else {
        throw .parameter(
            "the bundle has no frames; give Frames(words: 8, aDay: 8), or write them into the bundle "
                + "with 'brr calibrate --frames 8 --write'")
    }
    guard frames.isValid else {
        throw .parameter(
            "frames must have 1 to \(mostWords) words and be 1 to 1,000 a day, with at most 8,192 "
                + "words a day")
    }
    return frames
}

/// The frames of a day so far, with released words: from its beginning, as many as are sent. It contains nothing
/// typed, so an app that the system may end at any time can store it.
public struct DayFrames: Hashable, Codable, Sendable {
    /// The words of each frame, including the remaining frames of fillers.
    package fileprivate(set) var frames: [[String]]

    /// The number of the day's pieces of text so far.
    package fileprivate(set) var seen = 0

    /// SHA-256 of the bundle's manifest.
    package let bundle: String

    /// The setting that released the words, as JSON.
    package let setting: String

    /// The number of frames, and of words in a frame.
    package let shape: Frames

    init(_ frames: [[String]], _ shape: Frames, bundle: String, setting: String) {
        (self.frames, self.shape, self.bundle, self.setting) = (frames, shape, bundle, setting)
    }

    /// Whether the day is from this bundle, setting and shape, and can continue.
    func isOf(_ bundle: WordBundle, _ setting: String, _ shape: Frames) -> Bool {
        self.bundle == bundle.manifestDigest && self.setting == setting && self.shape == shape
            && frames.count == shape.aDay && (0..<seenMost).contains(seen)
            && frames.allSatisfy { frame in
                frame.count == shape.words
                    && frame.allSatisfy { bundle.vocabulary.find($0) != nil }
            }
    }

    /// Replaces a frame of fillers with `frame` until none is left; then replaces an earlier frame, or drops
    /// `frame` (reservoir sampling: Vitter 1985, algorithm R).
    mutating func take(_ frame: [String], _ random: any RandomSource) throws(BrrError) {
        seen += 1
        let place = try placeInSample(of: seen, among: shape.aDay, random)
        if place < shape.aDay { frames[place] = frame }
    }

    /// Forgets the number and the order of texts.
    package mutating func forgetTexts() {
        seen = 0
        // By bytes: strings that look alike are equal in Swift.
        frames.sort { one, other in
            one.lexicographicallyPrecedes(other) { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
    }

    /// Removes a sent frame, by its place.
    package mutating func remove(at place: Int) { frames.remove(at: place) }

    /// Returns a frame as a batch of a day that began `start` seconds after 1970 began, in UTC.
    ///
    /// - Parameter id: 16 random bytes, the same each time that the frame is sent.
    package func batch(_ frame: [String], id: [UInt8], start: Double) -> Data {
        report("brr-frames", bundle: bundle, setting: setting, id: id, start: start, words: frame)
    }
}

private let seenMost = 1 << 53
