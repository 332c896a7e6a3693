import Brrkit
import Foundation

/// A day's sample of privatized words in an outbox. They are sent together.
struct Batch: Codable, Equatable {
    /// 16 random bytes. They reveal nothing about the device or the time.
    let id: [UInt8]

    /// The largest number of words to send.
    let wordsADay: Int

    /// Its words, sorted, so their original order isn't kept.
    var sample: DaySample

    /// UTC, since 1970.
    let day: Int

    /// Whether it takes no more words because its day is over.
    var isClosed = false

    init(_ counts: Counts, day: Int) throws(BrrError) {
        id = try SystemRandom().bytes(16)
        (sample, wordsADay, self.day) = (DaySample(counts), counts.setting.wordsADay, day)
    }

    /// The report to send. Its only time is the day.
    var due: Due { Due(name: name(of: id), report: sample.batch(id: id, start: start(of: day))) }
}

/// A day of frames in an outbox. It is open, or it is over and its frames wait.
struct FrameDay: Codable, Equatable {
    /// The frames that haven't been sent.
    var frames: DayFrames

    /// UTC, since 1970.
    let day: Int

    /// 16 random bytes for each frame, drawn when the day ends.
    private(set) var ids: [[UInt8]]?

    init(_ frames: DayFrames, day: Int) { (self.frames, self.day) = (frames, day) }

    /// Whether it is over.
    var isClosed: Bool { ids != nil }

    /// The places of the frames that wait.
    var waiting: Range<Int> { 0..<(ids?.count ?? 0) }

    /// Ends the day. Its frames then wait, and don't reveal the number or the order of texts.
    mutating func close() throws(BrrError) {
        frames.forgetTexts()
        var drawn = [[UInt8]]()
        for _ in frames.frames { drawn.append(try SystemRandom().bytes(16)) }
        ids = drawn
    }

    /// Returns the place of the frame with a name; nil without one.
    func place(of due: String) -> Int? { ids?.firstIndex { name(of: $0) == due } }

    /// Returns the report for the frame at a place.
    func due(at place: Int) -> Due {
        let id = ids![place]
        let report = frames.batch(frames.frames[place], id: id, start: start(of: day))
        return Due(name: name(of: id), report: report)
    }

    /// Removes the frame at a place.
    mutating func remove(at place: Int) {
        frames.remove(at: place)
        ids?.remove(at: place)
    }
}

/// A report that is sent as one piece.
struct Due: Equatable {
    /// Identifies the report in one of the system's tasks.
    let name: String

    /// JSON: `spec/reports.md`.
    let report: Data
}

/// Returns the day of a time, since 1970.
func day(of date: Date) -> Int { Int((date.timeIntervalSince1970 / secondsOfDay).rounded(.down)) }

private func name(of id: [UInt8]) -> String { id.map { String(format: "%02x", $0) }.joined() }

private func start(of day: Int) -> Double { Double(day) * secondsOfDay }

private let secondsOfDay = 86_400.0
