import Foundation

/// What a receiver answers.
public struct Reply: Hashable, Sendable {
    /// Of HTTP.
    public let status: Int

    /// Seconds that it asks to wait for, if it does.
    public let retryAfter: Double?

    /// Says what it answers.
    public init(status: Int, retryAfter: Double? = nil) {
        (self.status, self.retryAfter) = (status, retryAfter)
    }
}

/// Sends a batch to a receiver, as `spec/reports.md` says; an app can have its own.
public protocol Transport: Sendable {
    /// Posts a report, JSON, and returns the answer.
    ///
    /// - Throws: there is no answer: the batch is sent again, later.
    func post(_ report: Data) async throws -> Reply
}
