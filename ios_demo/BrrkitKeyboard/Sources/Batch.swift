import Brrkit
import Foundation

/// A day's sample of privatized words, which are sent together, as an outbox keeps it.
struct Batch: Codable, Equatable {
    /// 16 random bytes. They say nothing of the device or the time.
    let id: [UInt8]

    /// How many words leave, at most.
    let wordsADay: Int

    /// Its words are sorted: in which order they came isn't kept.
    var sample: DaySample

    /// UTC, since 1970.
    let day: Int

    /// Whether it takes no more words, since its day is over.
    var isClosed = false

    init(_ counts: Counts, day: Int) throws(BrrError) {
        id = try SystemRandom().bytes(16)
        (sample, wordsADay, self.day) = (DaySample(counts), counts.setting.wordsADay, day)
    }

    /// What is sent; of time it says the day only.
    var due: Due { Due(name: name(of: id), report: sample.batch(id: id, start: start(of: day))) }
}

/// A day of frames, as an outbox keeps it: it is open, or over, and each of its frames waits.
struct FrameDay: Codable, Equatable {
    /// Those that haven't been sent.
    var frames: DayFrames

    /// UTC, since 1970.
    let day: Int

    /// 16 random bytes for each frame, once the day is over.
    private(set) var ids: [[UInt8]]?

    init(_ frames: DayFrames, day: Int) { (self.frames, self.day) = (frames, day) }

    /// Whether it is over.
    var isClosed: Bool { ids != nil }

    /// The places of the frames that wait.
    var waiting: Range<Int> { 0..<(ids?.count ?? 0) }

    /// Ends the day: its frames wait, and nothing tells how many texts it had, or in which order.
    mutating func close() throws(BrrError) {
        frames.forgetTexts()
        var drawn = [[UInt8]]()
        for _ in frames.frames { drawn.append(try SystemRandom().bytes(16)) }
        ids = drawn
    }

    /// Returns the place of the frame with a name; nil if none has it.
    func place(of due: String) -> Int? { ids?.firstIndex { name(of: $0) == due } }

    /// Returns what is sent of the frame at a place.
    func due(at place: Int) -> Due {
        let id = ids![place]
        let report = frames.batch(frames.frames[place], id: id, start: start(of: day))
        return Due(name: name(of: id), report: report)
    }

    /// Takes the frame at a place out.
    mutating func remove(at place: Int) {
        frames.remove(at: place)
        ids?.remove(at: place)
    }
}

/// What is sent in one piece.
struct Due: Equatable {
    /// How a task of the system is told whose it is.
    let name: String

    /// JSON, as `spec/reports.md` has it.
    let report: Data
}

/// Returns the day of a time, since 1970.
func day(of date: Date) -> Int { Int((date.timeIntervalSince1970 / secondsOfDay).rounded(.down)) }

private func name(of id: [UInt8]) -> String { id.map { String(format: "%02x", $0) }.joined() }

private func start(of day: Int) -> Double { Double(day) * secondsOfDay }

private let secondsOfDay = 86_400.0
