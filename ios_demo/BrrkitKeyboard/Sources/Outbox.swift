import Brrkit
import Foundation

/// A batch that the receiver doesn't take: it isn't sent again, and waits for the app to look at it.
public struct RefusedBatch: Hashable, Codable, Sendable {
    /// Of HTTP: 400 or 422, it isn't a batch; 409, of another bundle or setting; 413, too large.
    public let status: Int
    /// What was sent: JSON, as `spec/reports.md` has it.
    public let report: String
}

/// How much an outbox holds: where it would be more, the oldest batches go, those that were refused first.
public struct OutboxLimits: Hashable, Sendable {
    /// There is one of each day. Those that were refused count, too.
    public var batches: Int

    /// Of all batches' files.
    public var bytes: Int

    /// Days of frames that are over: they count apart, and the whole oldest one goes.
    public var frameDays: Int

    /// All are above 0.
    public init(batches: Int = 50, bytes: Int = 1 << 20, frameDays: Int = 7) {
        precondition(
            batches > 0 && bytes > 0 && frameDays > 0, "an outbox's limits must be above 0")
        (self.batches, self.bytes, self.frameDays) = (batches, bytes, frameDays)
    }
}

/// What is in an outbox, and what it lost.
public struct OutboxStatus: Hashable, Sendable {
    /// Batches that wait, the current day's among them.
    public internal(set) var batches = 0
    /// Days of frames that wait, the current one among them.
    public internal(set) var frameDays = 0
    /// Of the files of both.
    public internal(set) var bytes = 0
    /// Batches or days of frames that went because there was no room, or another setting on their day.
    public internal(set) var dropped = 0
    /// Batches or days of frames that couldn't be read: written by another version, or changed by a fault of
    /// the storage.
    public internal(set) var damaged = 0
    /// Batches or frames that the receiver doesn't take.
    public internal(set) var refused = 0
}

/// Reports that wait to be sent, on disk: a sample of each day's words, and each day's frames of text. Nothing
/// that was typed is in it.
///
/// A day (UTC) can be sent when it is over, so no more than its words a day leave; where the clock is set
/// back, the day that is open goes on. A day of words is one batch, a frame is another. What is put in is on
/// disk then, encrypted (AES-256-GCM) under a key that the vault protects, and outlives a kill or a power cut
/// at any instant: files are replaced as a whole. A batch has its random id from its first word, so it is
/// counted once however often it is sent. What can't be authenticated is dropped and counted, never read in
/// part. Threads can share it, and processes; every value with the same folder is the same outbox.
public struct Outbox: Sendable {
    let folder: URL
    private let vault: (any KeyVault)?
    private let limits: OutboxLimits
    private let now: @Sendable () -> Date
    private var keyFile: URL { folder.appendingPathComponent("key") }
    private var lossesFile: URL { folder.appendingPathComponent("losses") }

    /// Describes the outbox; its folder is made by the first word.
    ///
    /// - Parameters:
    ///   - folder: of its own, in an existing one that backups leave out.
    ///   - vault: protects the key; without one, whoever can read the app's files can read the words.
    ///   - now: says which day it is. Don't set it in production.
    public init(
        folder: URL, vault: (any KeyVault)?, limits: OutboxLimits = OutboxLimits(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.folder, self.vault, self.limits, self.now) = (folder, vault, limits, now)
    }

    /// Releases tokens for counting, and keeps those that the day's sample takes; they are on disk then. A
    /// sample of another setting on the same day goes: both would be too much.
    ///
    /// - Throws: ``BrrError`` of a budget or a memory, or ``FileError``; nothing was kept then.
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

    /// Releases tokens as the next ones of the text in progress, and keeps the frames that the day takes; they
    /// are on disk then, those that a day begins with, too. Without tokens it begins the day. One of another
    /// setting on the same day goes: both would be too much.
    ///
    /// - Throws: ``BrrError`` of a budget, or ``FileError``; nothing was kept then.
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
            // Nor does a text go on after all was deleted, which takes the key.
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

    /// Returns what is in it, and what it lost.
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

    /// Returns the batches that the receiver refused, the oldest first, until ``removeRefused()`` or
    /// ``clear()`` deletes them. Where there is no room for all, the oldest go.
    public func refusedBatches() throws -> [RefusedBatch] {
        guard isThere(folder) else { return [] }
        return try locked {
            guard let key = try key() else { return [] }
            return try files(refusedSuffix).compactMap { try read(refusedSuffix, $0, key) }
        }
    }

    /// Deletes the batches that the receiver refused; what waits to be sent stays.
    public func removeRefused() throws {
        guard isThere(folder) else { return }
        try locked { try delete(refusedSuffix) }
    }

    private func delete(_ suffix: String) throws {
        for number in try files(suffix) { try deleteDurably(file(suffix, number)) }
    }

    /// Deletes all that waits or was refused, the key first: what storage keeps of deleted files is unreadable.
    public func clear() throws {
        guard isThere(folder) else { return }
        try locked {
            try deleteDurably(keyFile)
            for name in try names() where name != lockName { try deleteDurably(file(name)) }
        }
    }

    /// Returns the oldest batch whose day is over; nil if there is none.
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

    /// Returns one of the frames that wait, each as likely as any other; nil if there is none.
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

    /// Takes the batch or frame with a name out: it was sent, or the receiver refuses it with a status.
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

    /// Keeps for the app what a receiver refuses, if it does.
    private func keep(_ due: Due, refusedWith status: Int?, _ key: OutboxKey) throws {
        guard let status else { return }
        let report = String(decoding: due.report, as: UTF8.self)
        let number = try (files(refusedSuffix).last ?? 0) + 1
        try write(refusedSuffix, number, RefusedBatch(status: status, report: report), key)
        try count(\.refused)
    }

    /// Returns the newest batch if it takes words; closes it if its day is over.
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

    /// Returns the newest day of frames if it takes any; closes it if it is over.
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

    /// Notes that a day is over: it isn't begun again.
    private func end(_ day: Int, _ suffix: String) throws {
        try replaceDurably(file("day" + suffix), Array("\(day)\n".utf8))
    }

    /// The day of a new batch, or of new frames: none that was closed, which may have been sent.
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

    /// Reads what a file has; drops the file if it can't be trusted.
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

    /// Returns the key, or nil if there is none; what it doesn't open goes.
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

    /// Counts a loss before it happens, so that a crash doesn't hide it.
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

    /// The numbers of the files of a kind; the oldest first.
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

    /// Of all files of a kind, in bytes.
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
