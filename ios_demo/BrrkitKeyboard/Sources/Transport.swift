import Foundation

/// A receiver's answer.
public struct Reply: Hashable, Sendable {
    /// Of HTTP.
    public let status: Int

    /// The wait that it requests, in seconds, if any.
    public let retryAfter: Double?

    /// Says what it answers.
    public init(status: Int, retryAfter: Double? = nil) {
        (self.status, self.retryAfter) = (status, retryAfter)
    }
}

/// Sends a batch to a receiver: `spec/reports.md`, "Over HTTP". An app can implement it.
public protocol Transport: Sendable {
    /// Posts the JSON of a report, and returns the answer.
    ///
    /// - Throws: there is no answer; the batch is then sent again later.
    func post(_ report: Data) async throws -> Reply
}
