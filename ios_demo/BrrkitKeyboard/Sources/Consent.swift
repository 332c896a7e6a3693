import Foundation

/// Whether privatized words may leave the device. **They may not until ``give()`` is called.**
///
/// The contract, which the releaser and the uploader keep:
///  - Without consent, no word is drawn, kept or sent, and no budget is spent.
///  - When ``withdraw()`` returns, nothing waits any more: the outboxes are empty, and the release in
///    progress is deleted. A crash at any instant doesn't undo this: consent ends first, and the next start
///    deletes the rest.
///  - A batch that is already being sent can't be recalled. No other batch follows it.
///
/// Consent is given if its file exists. Exclude the file from backups, so that another device asks again.
/// Threads can share it; all values with the same file share one consent. Use it in one process only: a
/// release in another process may end after ``withdraw()``, and is deleted at the next start.
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

    /// Gives consent. Call this after the user has agreed.
    ///
    /// - Throws: ``FileError``: it can't be stored, and consent isn't given.
    public func give() throws {
        try consents.withLock {
            if !isGiven { try replaceDurably(file, Array(given.utf8)) }
        }
    }

    /// Withdraws consent, and deletes all that waits.
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

    /// Runs `action` if consent is given; otherwise returns nil. ``withdraw()`` waits for the end of
    /// `action`.
    func whileGiven<Result>(_ action: () throws -> Result?) rethrows -> Result? {
        try consents.withLock { isGiven ? try action() : nil }
    }
}

private let given = "privatized words may leave this device\n"
private let consents = NSLock()
