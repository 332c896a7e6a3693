import Foundation

/// Whether privatized words may leave the device. **They may not until ``give()`` is called.**
///
/// The contract, which the releaser and the uploader keep:
///  - Without consent no word is drawn, kept or sent, and no budget is spent.
///  - When ``withdraw()`` returns, nothing waits any more: what was in the outboxes is deleted, with the word
///    that was being released. It outlives a crash at any instant: consent ends first, and the next start
///    deletes what is left.
///  - A batch whose sending has begun can't be called back. No other one follows it.
///
/// Consent is a file: it is there, or it isn't. Keep it out of backups, so that another device asks anew.
/// Threads can share it; every value with the same file is the same consent. For one process: another one's
/// release may end after ``withdraw()``, and is deleted at the next start.
public struct Consent: Sendable {
    private let file: URL
    private let outboxes: [Outbox]

    /// Names the file, in an existing folder, and the outboxes that ``withdraw()`` empties.
    public init(file: URL, outboxes: [Outbox]) { (self.file, self.outboxes) = (file, outboxes) }

    /// Whether it is given.
    public var isGiven: Bool {
        var status = stat()
        return lstat(file.path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Gives it: call this when the person who types has agreed.
    ///
    /// - Throws: ``FileError``: it can't be stored; it isn't given then.
    public func give() throws {
        try consents.withLock {
            if !isGiven { try replaceDurably(file, Array(given.utf8)) }
        }
    }

    /// Withdraws it, and deletes what waits.
    ///
    /// - Throws: ``FileError``: the system refuses. If consent is still given, try again.
    public func withdraw() throws {
        try consents.withLock {
            try deleteDurably(file)
            for outbox in outboxes { try outbox.clear() }
        }
    }

    /// Finishes a withdrawal that a crash interrupted.
    func settle() throws {
        try consents.withLock {
            if isGiven { return }
            for outbox in outboxes { try outbox.clear() }
        }
    }

    /// Runs `action` if it is given, so that ``withdraw()`` waits for its end; returns nil if not.
    func whileGiven<Result>(_ action: () throws -> Result?) rethrows -> Result? {
        try consents.withLock { isGiven ? try action() : nil }
    }
}

private let given = "privatized words may leave this device\n"
private let consents = NSLock()
