import Foundation

/// A device's reports of a day so far: the outputs for some of its words. It contains nothing typed, so an
/// app that the system may end at any time can store it.
public struct DaySample: Hashable, Codable, Sendable {
    /// The outputs for the words that will be sent.
    package fileprivate(set) var words = [String]()

    /// The number of the day's released words.
    package fileprivate(set) var seen = 0

    /// SHA-256 of the bundle's manifest.
    package let bundle: String

    /// The setting that released the words, as JSON.
    package let setting: String

    /// Begins a day with `counts`.
    package init(_ counts: Counts) {
        bundle = counts.bundle.manifestDigest
        setting = counts.stated(repeats: repeats(counts.memory, counts.setting.wordsADay))
    }

    /// The sample without the order in which its words came.
    package var sorted: DaySample {
        var sample = self
        // By bytes: strings that look alike are equal in Swift, and would stay in the day's order.
        sample.words.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return sample
    }

    /// Returns the batch of a day that began `start` seconds after 1970 began, in UTC. Spaces pad it, so its
    /// size reveals little about its words.
    ///
    /// - Parameter id: 16 random bytes, the same each time that the batch is sent.
    package func batch(id: [UInt8], start: Double) -> Data {
        report(
            "brr-reports", bundle: bundle, setting: setting, id: id, start: start,
            words: sorted.words)
    }

    /// Keeps the outputs for the first `most` words. Each later output replaces an earlier one, or is dropped
    /// (reservoir sampling: Vitter 1985, algorithm R).
    fileprivate mutating func take(
        _ released: String, most: Int, _ random: any RandomSource
    ) throws(BrrError) {
        seen += 1
        if words.count < most {
            words.append(released)
            return
        }
        let place = try placeInSample(of: seen, among: most, random)
        if place < most { words[place] = released }
    }
}

/// Collects a day's reports: a limited number, a uniform sample of the day's words.
///
/// Each word is released when it is typed. Its output joins the sample, replaces an earlier one or is dropped.
/// So nothing typed is held, and reports have the same distribution as if the words had been chosen first.
/// Threads can share it. `docs/explanation/proofs.md`, "Counts", bounds the privacy loss of a person's day;
/// `spec/reports.md` specifies batches.
public final class Reporter: @unchecked Sendable {  // the lock is held wherever the sample is used
    private let counts: Counts
    private let budget: PrivacyBudget?
    private let random: any RandomSource
    private let lock = NSLock()
    private var day: DaySample

    /// Begins a day, or continues one.
    ///
    /// - Parameters:
    ///   - counts: releases the words; its setting limits their number per day.
    ///   - budget: counts ``Counts/loss`` for each report of the day, before the draw. It may also be the
    ///     budget for text.
    ///   - sample: sample of a day in progress, from the same bundle and setting.
    ///   - random: source of random bytes for the sample and the batch's id. Don't set it in production.
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/parameter``: `sample` is from another bundle or setting, or
    ///   invalid; begin without it.
    public init(
        _ counts: Counts, budget: PrivacyBudget? = nil,
        continuing sample: DaySample? = nil, random: any RandomSource = SystemRandom()
    ) throws(BrrError) {
        self.counts = counts
        self.budget = budget
        self.random = random
        let new = DaySample(counts)
        day = sample ?? new
        guard day.bundle == new.bundle, day.setting == new.setting,
            day.words.count == min(day.seen, most), day.seen < seenMost,
            day.words.allSatisfy({
                $0 == Counts.unknown || counts.bundle.vocabulary.find($0) != nil
            })
        else {
            throw .parameter(
                "the sample is of another bundle or setting, or damaged; begin without it"
            )
        }
    }

    private var most: Int { counts.setting.wordsADay }

    /// The day's reports so far, to store: see ``init(_:budget:continuing:random:)``.
    public var sample: DaySample { lock.withLock { day } }

    /// Releases typed `words`, and keeps the outputs that the sample selects.
    ///
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/budget(left:renewsIn:)``: the budget doesn't allow
    ///   another report; or of kind ``BrrError/Kind/budgetFile`` or ``BrrError/Kind/memoryFile``. The
    ///   sample is then unchanged.
    public func add(_ words: [String]) throws(BrrError) { try take(tokens(words)) }

    /// Releases `words`, away from the caller's actor; as ``add(_:)``.
    public func add(_ words: [String]) async throws(BrrError) { try take(tokens(words)) }

    private func tokens(_ words: [String]) -> [Token] { words.map(counts.bundle.tokenizer.token) }

    /// Releases tokens of the bundle; as ``add(_:)``.
    package func take(_ tokens: [Token]) throws(BrrError) {
        lock.lock()
        defer { lock.unlock() }
        let new = min(tokens.count, most - day.words.count)
        if let budget, new > 0 {
            try budget.spend(counts.loss, words: new, unit: counts.bundle.digest)
        }
        var taken = day
        for released in try counts.released(tokens) {
            try taken.take(released, most: most, random)
        }
        day = taken
    }

    /// Returns the sample as a batch of JSON, and begins another day; nil if it has no words.
    ///
    /// - Parameter date: a date in the day, in UTC, that the batch names as its period.
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/randomness``: there is no id; the sample stays.
    public func batch(of date: Date) throws(BrrError) -> Data? {
        lock.lock()
        defer { lock.unlock() }
        guard !day.words.isEmpty else { return nil }
        let id = try random.draw(16)
        let batch = day.batch(id: id, start: startOfDay(date))
        (day.words, day.seen) = ([], 0)
        return batch
    }
}

/// Returns the second with which a date's day begins, in UTC, since 1970 began.
func startOfDay(_ date: Date) -> Double {
    (date.timeIntervalSince1970 / secondsOfDay).rounded(.down) * secondsOfDay
}

/// Returns the place, from 0, of a day's `seen`th item among `most`; from `most` on, it is dropped (reservoir
/// sampling: Vitter 1985, algorithm R).
func placeInSample(
    of seen: Int, among most: Int, _ random: any RandomSource
) throws(BrrError) -> Int {
    seen <= most ? seen - 1 : try random.uniform(below: seen)
}

private let secondsOfDay = 86_400.0
private let seenMost = 1 << 53

/// The largest number of reports of one word on the days that a memory's period overlaps.
private func repeats(_ memory: Memory?, _ most: Int) -> Int {
    guard let memory else { return 1 }
    return most * (Int((memory.period / secondsOfDay).rounded(.up)) + 1)
}

/// Returns a day's batch: `spec/reports.md`, "A batch" and "Frames".
///
/// - Parameters:
///   - format: format of the batch.
///   - setting: the setting, as JSON.
///   - start: start of the day.
func report(
    _ format: String, bundle: String, setting: String, id: [UInt8], start: Double, words: [String]
) -> Data {
    let batch: JSON = [
        "format": JSON(format),
        "format_version": JSON(1),
        "bundle": JSON(bundle),
        "setting": (try? JSON(parsing: Array(setting.utf8))) ?? .null,  // this library wrote it
        "batch": JSON(hexadecimal(id)),
        "period": ["start": JSON(time(start)), "end": JSON(time(start + secondsOfDay))],
        "words": .array(words.map { JSON($0) }),
    ]
    return padded(Data(batch.written.utf8))
}

/// Returns JSON padded with spaces to a power of two of at least 1,024 bytes.
func padded(_ json: Data) -> Data {
    var size = 1_024
    while size < json.count { size *= 2 }
    return json + Data(repeating: UInt8(ascii: " "), count: size - json.count)
}

/// Returns a time in the form of reports: `2026-11-16T00:00:00Z`.
private func time(_ secondsSince1970: Double) -> String {
    ISO8601DateFormatter.string(
        from: Date(timeIntervalSince1970: secondsSince1970), timeZone: TimeZone(identifier: "UTC")!,
        formatOptions: .withInternetDateTime)
}
