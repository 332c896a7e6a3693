import Brrkit
import Foundation

/// A batch that the receiver doesn't take: it isn't sent again, and waits for the app to look at it.
public struct RefusedBatch: Hashable, Sendable {
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

    /// Both are above 0.
    public init(batches: Int = 50, bytes: Int = 1 << 20) {
        precondition(batches > 0 && bytes > 0, "an outbox's limits are above 0")
        (self.batches, self.bytes) = (batches, bytes)
    }
}

/// What is in an outbox, and what it lost.
public struct OutboxStatus: Hashable, Sendable {
    /// Batches that wait, the current day's among them.
    public internal(set) var batches = 0
    /// Of their files.
    public internal(set) var bytes = 0
    /// Batches that went because there was no room, or another setting on their day.
    public internal(set) var dropped = 0
    /// Batches that couldn't be read: written by another version, or changed by a fault of the storage.
    public internal(set) var damaged = 0
    /// Batches that the receiver doesn't take.
    public internal(set) var refused = 0
}

/// Reports that wait to be sent, on disk: a sample of each day's words. Nothing that was typed is in it.
///
/// A day (UTC) can be sent when it is over, so no more than its words a day leave; where the clock is set
/// back, the day that is open goes on. What is put in is on disk then, encrypted (AES-256-GCM) under a key
/// that the vault protects, and outlives a kill or a power cut at any instant: files are replaced as a
/// whole. A batch has its random id from its first word, so it is counted once however often it is sent.
/// What can't be authenticated is dropped and counted, never read in part. Threads can share it, and
/// processes; every value with the same folder is the same outbox.
public struct Outbox: Sendable {
    let folder: URL
    private let vault: (any KeyVault)?
    private let limits: OutboxLimits
    private let now: @Sendable () -> Date
    private var keyFile: URL { folder.appendingPathComponent("key") }
    private var dayFile: URL { folder.appendingPathComponent("day") }
    private var lossesFile: URL { folder.appendingPathComponent("losses") }

    /// Describes the outbox; its folder is made by the first word.
    ///
    /// - Parameters:
    ///   - folder: of its own, in an existing one that backups leave out.
    ///   - vault: protects the key; without one, whoever can read the app's files can read the words.
    ///   - now: says which day it is. Leave it alone in production.
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
                batch = try Batch(counts, day: open?.day ?? nextDay())
            }
            let reporter = try Reporter(
                counts, budget: budget, continuing: batch.sample, random: random)
            try reporter.take(tokens)
            batch.sample = reporter.sample.sorted
            let newest = try files().last
            if !isSame, open != nil, let newest { try lose(batchSuffix, newest, \.dropped) }
            try write(batchSuffix, isSame ? newest! : (newest ?? 0) + 1, batch, key)
            try dropOldest()
        }
    }

    /// Returns what is in it, and what it lost.
    public func status() throws -> OutboxStatus {
        guard isThere(folder) else { return OutboxStatus() }
        return try locked {
            let files = try files()
            var status = losses()
            status.batches = files.count
            status.bytes = files.reduce(0) { $0 + size(batchSuffix, $1) }
            return status
        }
    }

    /// Returns the batches that the receiver refused, the oldest first, until ``removeRefused()`` or
    /// ``clear()`` deletes them. Where there is no room for all, the oldest go.
    public func refusedBatches() throws -> [RefusedBatch] {
        guard isThere(folder) else { return [] }
        return try locked {
            guard let key = try key() else { return [] }
            return try files(refusedSuffix).compactMap { number in
                guard let batch = try read(refusedSuffix, number, key), let status = batch.refusal
                else { return nil }
                return RefusedBatch(
                    status: status, report: String(decoding: batch.report, as: UTF8.self))
            }
        }
    }

    /// Deletes the batches that the receiver refused; what waits to be sent stays.
    public func removeRefused() throws {
        guard isThere(folder) else { return }
        try locked { try deleteRefused() }
    }

    private func deleteRefused() throws {
        for number in try files(refusedSuffix) { try deleteDurably(file(refusedSuffix, number)) }
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
            for number in try files() {
                if let batch = try read(batchSuffix, number, key), batch.isClosed { return batch }
            }
            return nil
        }
    }

    /// Takes the batch with a name out: it was sent, or the receiver refuses it with a status.
    func remove(_ name: String, status: Int?) throws {
        guard isThere(folder) else { return }
        try locked {
            guard let key = try key() else { return }
            for number in try files() {
                guard var batch = try read(batchSuffix, number, key), batch.name == name else {
                    continue
                }
                guard let status else { return try deleteDurably(file(batchSuffix, number)) }
                batch.refusal = status
                try write(refusedSuffix, (files(refusedSuffix).last ?? 0) + 1, batch, key)
                try lose(batchSuffix, number, \.refused)
                return try dropOldest()
            }
        }
    }

    /// Returns the newest batch if it takes words; closes it if its day is over.
    private func open(_ key: OutboxKey) throws -> Batch? {
        for number in try files().reversed() {
            guard var batch = try read(batchSuffix, number, key) else { continue }
            if batch.isClosed { return nil }
            if batch.day >= day(of: now()) { return batch }
            try replaceDurably(dayFile, Array("\(batch.day)\n".utf8))
            batch.isClosed = true
            try write(batchSuffix, number, batch, key)
            return nil
        }
        return nil
    }

    /// The day of a new batch: none that was closed, which may have been sent.
    private func nextDay() throws -> Int {
        let today = day(of: now())
        let text = try contents(dayFile, limit: 64).map { String(decoding: $0, as: UTF8.self) }
        guard let closed = text.flatMap({ Int($0.dropLast()) }) else { return today }
        return max(today, closed + 1)
    }

    private func dropOldest() throws {
        while true {
            let (files, refused) = (try files(), try files(refusedSuffix))
            let bytes =
                files.reduce(0) { $0 + size(batchSuffix, $1) }
                + refused.reduce(0) { $0 + size(refusedSuffix, $1) }
            if files.count + refused.count <= limits.batches && bytes <= limits.bytes { return }
            if let oldest = refused.first {  // counted already
                try deleteDurably(file(refusedSuffix, oldest))
            } else {
                try lose(batchSuffix, files[0], \.dropped)
            }
        }
    }

    /// Reads a batch; drops the file if it can't be trusted.
    private func read(_ suffix: String, _ number: Int, _ key: OutboxKey) throws -> Batch? {
        let sealed = try contents(file(suffix, number)) ?? []
        if let batch = key.open(number, sealed).flatMap(Batch.init(bytes:)),
            (batch.refusal != nil) == (suffix == refusedSuffix)
        {
            return batch
        }
        try lose(suffix, number, \.damaged)
        return nil
    }

    private func write(_ suffix: String, _ number: Int, _ batch: Batch, _ key: OutboxKey) throws {
        try replaceDurably(file(suffix, number), key.seal(number, batch.bytes))
    }

    /// Returns the key, or nil if there is none; batches that have none go.
    private func key() throws -> OutboxKey? {
        guard let content = try contents(keyFile, limit: 4_096) else {
            // Emptying it was interrupted.
            for number in try files() { try deleteDurably(file(batchSuffix, number)) }
            try deleteRefused()
            return nil
        }
        if let key = try OutboxKey.read(content, keyFile, vault) { return key }
        for number in try files() { try lose(batchSuffix, number, \.damaged) }
        try deleteRefused()
        return nil
    }

    /// Counts a loss before it happens, so that a crash doesn't hide it.
    private func lose(
        _ suffix: String, _ number: Int, _ kind: WritableKeyPath<OutboxStatus, Int>
    ) throws {
        var status = losses()
        status[keyPath: kind] += 1
        let text = "\(status.dropped) \(status.damaged) \(status.refused)\n"
        try replaceDurably(lossesFile, Array(text.utf8))
        try deleteDurably(file(suffix, number))
    }

    private func losses() -> OutboxStatus {
        let text = (try? contents(lossesFile, limit: 256)).flatMap { $0 } ?? []
        let numbers = String(decoding: text.dropLast(), as: UTF8.self).split(separator: " ")
            .compactMap { Int($0) }
        guard numbers.count == 3 else { return OutboxStatus() }
        return OutboxStatus(dropped: numbers[0], damaged: numbers[1], refused: numbers[2])
    }

    /// The numbers of batches that wait, or were refused; the oldest first.
    private func files(_ suffix: String = batchSuffix) throws -> [Int] {
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

    private func size(_ suffix: String, _ number: Int) -> Int {
        var status = stat()
        return lstat(file(suffix, number).path, &status) == 0 ? Int(status.st_size) : 0
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
private let refusedSuffix = ".refused"
private let lockName = "lock"
