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

    /// The status that the receiver refused it with, if it did.
    var refusal: Int?

    init(_ counts: Counts, day: Int) throws(BrrError) {
        id = try SystemRandom().bytes(16)
        (sample, wordsADay, self.day) = (DaySample(counts), counts.setting.wordsADay, day)
    }

    /// How a task of the system is told whose it is.
    var name: String { id.map { String(format: "%02x", $0) }.joined() }

    /// What is sent, as `spec/reports.md` has it; of time it says the day only.
    var report: Data { sample.batch(id: id, start: Double(day) * secondsOfDay) }

    /// What is stored.
    var bytes: [UInt8] { get throws { try Array(JSONEncoder().encode(self)) } }

    /// Reads what is stored, which was authenticated; nil if another version wrote it.
    init?(bytes: [UInt8]) {
        guard let read = try? JSONDecoder().decode(Batch.self, from: Data(bytes)) else {
            return nil
        }
        self = read
    }
}

/// Returns the day of a time, since 1970.
func day(of date: Date) -> Int { Int((date.timeIntervalSince1970 / secondsOfDay).rounded(.down)) }

private let secondsOfDay = 86_400.0
