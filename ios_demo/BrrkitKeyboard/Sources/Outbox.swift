import Brrkit
import Foundation

/// A batch that the receiver refused. It isn't sent again. The app can look at it.
public struct RefusedBatch: Hashable, Codable, Sendable {
    /// The HTTP status: 400 or 422, not a valid batch; 409, another bundle or setting; 413, too large.
    public let status: Int
    /// The sent JSON: `spec/reports.md`.
    public let report: String
}

/// The capacity of an outbox. Beyond it, the oldest batches are deleted, refused ones first.
public struct OutboxLimits: Hashable, Sendable {
    /// The largest number of batches; there is one per day. Refused ones count, too.
    public var batches: Int

    /// The largest size of all batches' files.
    public var bytes: Int

    /// The largest number of past days whose frames wait. Beyond it, the oldest day is deleted as a whole.
    public var frameDays: Int

    /// All values must be above 0.
    public init(batches: Int = 50, bytes: Int = 1 << 20, frameDays: Int = 7) {
        precondition(
            batches > 0 && bytes > 0 && frameDays > 0, "an outbox's limits must be above 0")
        (self.batches, self.bytes, self.frameDays) = (batches, bytes, frameDays)
    }
}

/// The content and the losses of an outbox.
public struct OutboxStatus: Hashable, Sendable {
    /// Number of waiting batches, including the current day's.
    public internal(set) var batches = 0
    /// Number of days whose frames wait, including the current day.
    public internal(set) var frameDays = 0
    /// Size of the files of both.
    public internal(set) var bytes = 0
    /// Number of batches and days of frames that were deleted because there was no room, or another setting
    /// on their day.
    public internal(set) var dropped = 0
    /// Number of batches and days of frames that couldn't be read, because another version wrote them or the
    /// storage failed.
    public internal(set) var damaged = 0
    /// Number of batches and frames that the receiver refused.
    public internal(set) var refused = 0
}

/// Reports that wait on disk to be sent: a sample of each day's words, and each day's frames of text. They
/// contain nothing typed.
///
/// A day (UTC) is sent only when it is over, so its limits hold. If the clock is set back, the open day
/// continues. A day's words are one batch; each frame is a batch of its own. Reports are on disk before the
/// calls return, encrypted (AES-256-GCM) with a key that the vault protects. They survive a kill or a power
/// cut at any instant, because files are replaced as a whole. A batch has a random id from its first word on,
/// so a receiver counts it once, even if it arrives twice. Reports that can't be authenticated are dropped
/// and counted, never read in part. Threads and processes can share it; all values with the same folder share
/// one outbox.
public struct Outbox: Sendable {
    let folder: URL
    private let vault: (any KeyVault)?
    private let limits: OutboxLimits
    private let now: @Sendable () -> Date
    private var keyFile: URL { folder.appendingPathComponent("key") }
    private var lossesFile: URL { folder.appendingPathComponent("losses") }

    /// Describes the outbox. The first word creates its folder.
    ///
    /// - Parameters:
    ///   - folder: the outbox's own folder, in an existing one that is excluded from backups.
    ///   - vault: protects the key. Without a vault, anyone who can read the app's files can read the
    ///     privatized words.
    ///   - now: returns the current time; for tests. Don't set it in production.
    public init(
        folder: URL, vault: (any KeyVault)?, limits: OutboxLimits = OutboxLimits(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.folder, self.vault, self.limits, self.now) = (folder, vault, limits, now)
    }

    /// Releases tokens for counting, and stores the outputs that the day's sample selects. Deletes a sample
    /// of the same day with another setting, because both together would exceed the limit.
    ///
    /// - Throws: ``BrrError`` of a budget or a memory, or ``FileError``; nothing was kept.
    func add(
        _ tokens: [Token], _ counts: Counts, _ budget: PrivacyBudget?, _ random: any RandomSource
    ) throws {
        try locked {
            let key = try key() ?? OutboxKey.create(keyFile, vault)
            let open = try open(key)
            let new = DaySample(counts)
            let isSame =
                open?.sample.bundle == new.bundle && open?.sample.setting == new.setting
                && open?.wordsADay == counts.setting.wordsADay
            var batch: Batch
            if isSame, let open {
                batch = open
            } else {
                batch = try Batch(counts, day: open?.day ?? nextDay(batchSuffix))
            }
            let reporter = try Reporter(
                counts, budget: budget, continuing: batch.sample, random: random)
            try reporter.take(tokens)
            batch.sample = reporter.sample.sorted
            let newest = try files(batchSuffix).last
            if !isSame, open != nil, let newest { try lose(batchSuffix, newest, \.dropped) }
            try write(batchSuffix, isSame ? newest! : (newest ?? 0) + 1, batch, key)
            try dropOldest()
        }
    }

    /// Releases tokens as the next ones of the text in progress, and stores the frames that the day's sample
    /// selects. Begins the day if necessary, even without tokens. Deletes the same day's frames with another
    /// setting, because both together would exceed the limit.
    ///
    /// - Throws: ``BrrError`` of a budget, or ``FileError``; nothing was kept.
    func add(_ tokens: [Token], to reporter: TextReporter) throws {
        try frame(by: reporter) { try reporter.take(tokens) }
    }

    /// Ends the text in progress, if there is one; as ``add(_:to:)``.
    func endText(of reporter: TextReporter) throws {
        guard reporter.isInText else { return }
        try frame(by: reporter) {
            try reporter.beginDay()
            try reporter.end()
        }
    }

    private func frame(by reporter: TextReporter, _ action: () throws -> Void) throws {
        try locked {
            let key = try key() ?? OutboxKey.create(keyFile, vault)
            let open = try openFrames(key)
            // A text doesn't continue after everything, including the key, was deleted.
            let isSame = reporter.go(on: open?.frames, in: key.name)
            try action()
            guard let frames = reporter.day, !isSame || frames.seen != open?.frames.seen else {
                return
            }
            let newest = try files(frameSuffix).last
            if !isSame, let newest { try lose(frameSuffix, newest, \.dropped) }
            let day = try open?.day ?? nextDay(frameSuffix)
            let number = isSame && open != nil ? newest! : (newest ?? 0) + 1
            try write(frameSuffix, number, FrameDay(frames, day: day), key)
        }
    }

    /// Returns the content and the losses.
    public func status() throws -> OutboxStatus {
        guard isThere(folder) else { return OutboxStatus() }
        return try locked {
            var status = losses()
            (status.batches, status.frameDays) =
                (try files(batchSuffix).count, try files(frameSuffix).count)
            status.bytes = try size(batchSuffix) + size(frameSuffix)
            return status
        }
    }

    /// Returns the batches that the receiver refused, the oldest first. ``removeRefused()`` and ``clear()``
    /// delete them. The oldest are also deleted if there is no room.
    public func refusedBatches() throws -> [RefusedBatch] {
        guard isThere(folder) else { return [] }
        return try locked {
            guard let key = try key() else { return [] }
            return try files(refusedSuffix).compactMap { try read(refusedSuffix, $0, key) }
        }
    }

    /// Deletes the refused batches. Waiting reports stay.
    public func removeRefused() throws {
        guard isThere(folder) else { return }
        try locked { try delete(refusedSuffix) }
    }

    private func delete(_ suffix: String) throws {
        for number in try files(suffix) { try deleteDurably(file(suffix, number)) }
    }

    /// Deletes all waiting and refused reports, the key first, so that remains of deleted files are
    /// unreadable.
    public func clear() throws {
        guard isThere(folder) else { return }
        try locked {
            try deleteDurably(keyFile)
            for name in try names() where name != lockName { try deleteDurably(file(name)) }
        }
    }

    /// Returns the oldest batch of a past day; nil without any.
    func oldest() throws -> Batch? {
        guard isThere(folder) else { return nil }
        return try locked {
            guard let key = try key() else { return nil }
            _ = try open(key)  // closes it, if its day is over
            for number in try files(batchSuffix) {
                let batch: Batch? = try read(batchSuffix, number, key)
                if let batch, batch.isClosed { return batch }
            }
            return nil
        }
    }

    /// Returns a random frame of a past day, each with the same probability; nil without any.
    func anyFrame(_ random: any RandomSource = SystemRandom()) throws -> Due? {
        guard isThere(folder) else { return nil }
        return try locked {
            guard let key = try key() else { return nil }
            _ = try openFrames(key)  // closes it, if its day is over
            var waiting = [(day: FrameDay, place: Int)]()
            for number in try files(frameSuffix) {
                guard let day: FrameDay = try read(frameSuffix, number, key) else { continue }
                waiting += day.waiting.map { (day, $0) }
            }
            if waiting.isEmpty { return nil }
            let frame = waiting[try random.uniform(below: waiting.count)]
            return frame.day.due(at: frame.place)
        }
    }

    /// Removes the batch or frame with a name: it was sent, or the receiver refused it with a status.
    func remove(_ name: String, status: Int?) throws {
        guard isThere(folder) else { return }
        try locked {
            guard let key = try key() else { return }
            for number in try files(batchSuffix) {
                guard let batch: Batch = try read(batchSuffix, number, key),
                    batch.due.name == name
                else { continue }
                try keep(batch.due, refusedWith: status, key)
                try deleteDurably(file(batchSuffix, number))
            }
            for number in try files(frameSuffix) {
                guard var day: FrameDay = try read(frameSuffix, number, key),
                    let place = day.place(of: name)
                else { continue }
                try keep(day.due(at: place), refusedWith: status, key)
                day.remove(at: place)
                if day.waiting.isEmpty {
                    try deleteDurably(file(frameSuffix, number))
                } else {
                    try write(frameSuffix, number, day, key)
                }
            }
            try dropOldest()
        }
    }

    /// Keeps a refused report for the app.
    private func keep(_ due: Due, refusedWith status: Int?, _ key: OutboxKey) throws {
        guard let status else { return }
        let report = String(decoding: due.report, as: UTF8.self)
        let number = try (files(refusedSuffix).last ?? 0) + 1
        try write(refusedSuffix, number, RefusedBatch(status: status, report: report), key)
        try count(\.refused)
    }

    /// Returns the newest batch if it takes words. Closes it if its day is over.
    private func open(_ key: OutboxKey) throws -> Batch? {
        for number in try files(batchSuffix).reversed() {
            guard var batch: Batch = try read(batchSuffix, number, key) else { continue }
            if batch.isClosed { return nil }
            if batch.day >= day(of: now()) { return batch }
            try end(batch.day, batchSuffix)
            batch.isClosed = true
            try write(batchSuffix, number, batch, key)
            return nil
        }
        return nil
    }

    /// Returns the newest day of frames if it takes frames. Closes it if it is over.
    private func openFrames(_ key: OutboxKey) throws -> FrameDay? {
        for number in try files(frameSuffix).reversed() {
            guard var frames: FrameDay = try read(frameSuffix, number, key) else { continue }
            if frames.isClosed { return nil }
            if frames.day >= day(of: now()) { return frames }
            try end(frames.day, frameSuffix)
            try frames.close()
            try write(frameSuffix, number, frames, key)
            for oldest in try files(frameSuffix).dropLast(limits.frameDays) {
                try lose(frameSuffix, oldest, \.dropped)
            }
            return nil
        }
        return nil
    }

    /// Records that a day is over. It can't begin again.
    private func end(_ day: Int, _ suffix: String) throws {
        try replaceDurably(file("day" + suffix), Array("\(day)\n".utf8))
    }

    /// The day of a new batch or of new frames: later than every closed day, which may have been sent.
    private func nextDay(_ suffix: String) throws -> Int {
        let today = day(of: now())
        let text = try contents(file("day" + suffix), limit: 64)
            .map { String(decoding: $0, as: UTF8.self) }
        guard let closed = text.flatMap({ Int($0.dropLast()) }) else { return today }
        return max(today, closed + 1)
    }

    private func dropOldest() throws {
        while true {
            let (files, refused) = (try files(batchSuffix), try files(refusedSuffix))
            let bytes = try size(batchSuffix) + size(refusedSuffix)
            if files.count + refused.count <= limits.batches && bytes <= limits.bytes { return }
            if let oldest = refused.first {  // counted already
                try deleteDurably(file(refusedSuffix, oldest))
            } else {
                try lose(batchSuffix, files[0], \.dropped)
            }
        }
    }

    /// Reads a file. Drops it if it can't be trusted.
    private func read<Content: Decodable>(
        _ suffix: String, _ number: Int, _ key: OutboxKey
    ) throws -> Content? {
        let sealed = try contents(file(suffix, number), limit: fileLimit) ?? []
        if let opened = key.open(number, sealed),
            let content = try? JSONDecoder().decode(Content.self, from: Data(opened))
        {
            return content
        }
        try lose(suffix, number, \.damaged)
        return nil
    }

    private func write(
        _ suffix: String, _ number: Int, _ content: some Encodable, _ key: OutboxKey
    ) throws {
        let encoded = try JSONEncoder().encode(content)
        try replaceDurably(file(suffix, number), key.seal(number, Array(encoded)))
    }

    /// Returns the key; nil without one. Deletes files that it doesn't open.
    private func key() throws -> OutboxKey? {
        guard let content = try contents(keyFile, limit: 4_096) else {
            // Emptying it was interrupted.
            for suffix in [batchSuffix, frameSuffix, refusedSuffix] { try delete(suffix) }
            return nil
        }
        if let key = try OutboxKey.read(content, keyFile, vault) { return key }
        for suffix in [batchSuffix, frameSuffix] {
            for number in try files(suffix) { try lose(suffix, number, \.damaged) }
        }
        try delete(refusedSuffix)
        return nil
    }

    private func lose(
        _ suffix: String, _ number: Int, _ kind: WritableKeyPath<OutboxStatus, Int>
    ) throws {
        try count(kind)
        try deleteDurably(file(suffix, number))
    }

    /// Counts a loss before it happens, so a crash can't hide it.
    private func count(_ kind: WritableKeyPath<OutboxStatus, Int>) throws {
        var status = losses()
        status[keyPath: kind] += 1
        let text = "\(status.dropped) \(status.damaged) \(status.refused)\n"
        try replaceDurably(lossesFile, Array(text.utf8))
    }

    private func losses() -> OutboxStatus {
        let text = (try? contents(lossesFile, limit: 256)).flatMap { $0 } ?? []
        let numbers = String(decoding: text.dropLast(), as: UTF8.self).split(separator: " ")
            .compactMap { Int($0) }
        guard numbers.count == 3 else { return OutboxStatus() }
        return OutboxStatus(dropped: numbers[0], damaged: numbers[1], refused: numbers[2])
    }

    /// The numbers of the files of a kind, the oldest first.
    private func files(_ suffix: String) throws -> [Int] {
        try names().compactMap { name in
            name.hasSuffix(suffix) ? Int(name.dropLast(suffix.count)) : nil
        }.sorted()
    }

    private func names() throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder.path)
        } catch {
            throw FileError(folder.path, "read")
        }
    }

    private func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

    private func file(_ suffix: String, _ number: Int) -> URL {
        let digits = String(number)
        return file(String(repeating: "0", count: max(12 - digits.count, 0)) + digits + suffix)
    }

    /// Size of all files of a kind, in bytes.
    private func size(_ suffix: String) throws -> Int {
        try files(suffix).reduce(0) { sum, number in
            var status = stat()
            return lstat(file(suffix, number).path, &status) == 0
                ? sum + Int(status.st_size) : sum
        }
    }

    private func isThere(_ folder: URL) -> Bool {
        FileManager.default.fileExists(atPath: folder.path)
    }

    private func locked<Result>(_ action: () throws -> Result) throws -> Result {
        if mkdir(folder.path, 0o700) != 0 && errno != EEXIST {
            throw FileError(folder.path, "made")
        }
        let lock = try FileLock(file(lockName))
        defer { withExtendedLifetime(lock) {} }
        for name in try names() where name.hasSuffix(unfinished) { try deleteDurably(file(name)) }
        return try action()
    }
}

private let batchSuffix = ".batch"
private let frameSuffix = ".frames"
private let refusedSuffix = ".refused"
private let fileLimit = 1 << 24  // bytes; 8,192 words have fewer
private let lockName = "lock"
