import Foundation

/// The shape of a device's day of text: a number of frames, each of a number of words. Its values
/// are checked where it is used.
public struct Frames: Hashable, Codable, Sendable {
    /// Of a frame, from 1 to 64.
    public var words: Int

    /// Frames that a device sends in a day, whether or not something was typed; from 1 to 1,000.
    /// Times ``words`` at most 8,192.
    public var aDay: Int

    /// Describes a day.
    public init(words: Int = 8, aDay: Int = 8) { (self.words, self.aDay) = (words, aDay) }

    /// Words that leave a day.
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

/// Returns the shape of a day of text that is in force.
///
/// - Parameter given: nil for the bundle's.
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

/// The frames of a day so far: as many as leave, of released words, from its first moment on. Nothing that
/// was typed is in it: an app that the system ends at any time can store it.
public struct DayFrames: Hashable, Codable, Sendable {
    /// The words of each frame. Whatever is left of the fillers that it began with is among them.
    package fileprivate(set) var frames: [[String]]

    /// How many pieces of texts the day has had.
    package fileprivate(set) var seen = 0

    /// SHA-256 of the bundle's manifest.
    package let bundle: String

    /// What released the words, as JSON.
    package let setting: String

    /// How many there are.
    package let shape: Frames

    init(_ frames: [[String]], _ shape: Frames, bundle: String, setting: String) {
        (self.frames, self.shape, self.bundle, self.setting) = (frames, shape, bundle, setting)
    }

    /// Whether it is a day of these, and can go on.
    func isOf(_ bundle: WordBundle, _ setting: String, _ shape: Frames) -> Bool {
        self.bundle == bundle.manifestDigest && self.setting == setting && self.shape == shape
            && frames.count == shape.aDay && (0..<seenMost).contains(seen)
            && frames.allSatisfy { frame in
                frame.count == shape.words
                    && frame.allSatisfy { bundle.vocabulary.find($0) != nil }
            }
    }

    /// Lets `frame` take the place of a filler, until all have gone, and then that of an earlier one, or none
    /// (reservoir sampling: Vitter 1985, algorithm R).
    mutating func take(_ frame: [String], _ random: any RandomSource) throws(BrrError) {
        seen += 1
        let place = try placeInSample(of: seen, among: shape.aDay, random)
        if place < shape.aDay { frames[place] = frame }
    }

    /// Forgets how many texts there were, and in which order.
    package mutating func forgetTexts() {
        seen = 0
        // By bytes: strings that look alike are equal in Swift.
        frames.sort { one, other in
            one.lexicographicallyPrecedes(other) { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
    }

    /// Takes the frame at a place out: it was sent.
    package mutating func remove(at place: Int) { frames.remove(at: place) }

    /// Returns a frame as a batch of a day that was begun `start` seconds after 1970 began, in UTC.
    ///
    /// - Parameter id: 16 random bytes, which stay the frame's however often it is sent.
    package func batch(_ frame: [String], id: [UInt8], start: Double) -> Data {
        report("brr-frames", bundle: bundle, setting: setting, id: id, start: start, words: frame)
    }
}

private let seenMost = 1 << 53
