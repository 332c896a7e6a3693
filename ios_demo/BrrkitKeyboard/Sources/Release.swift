/// The outcome of a typed word's releases.
public struct Release: Hashable, Sendable {
    /// The outcome of a release as text.
    public enum Text: Hashable, Sendable {
        /// The sink received these words.
        case sent([String])
        /// Nothing was released: there is no sink.
        case noSink
        /// Nothing was released: there is no ``Consent``.
        case off
        /// Nothing was released: the word is unknown, and the settings leave out unknown words.
        case leftOut
        /// Nothing was released: the budget doesn't allow it.
        case budgetUsedUp
        /// Nothing was released: the bundle, the settings, the budget, the memory or the sink can't be used.
        case unavailable
    }

    /// The outcome of a release for counting, or in frames.
    public enum Report: Hashable, Sendable {
        /// The output was offered to the day's sample, which kept or dropped it. A frame is offered when it
        /// is full or the text ends.
        case counted
        /// Nothing is reported: the settings exclude it, or neither they nor the bundle state how.
        case noSetting
        /// Nothing is reported: there is no ``Consent``.
        case off
        /// Nothing is reported: the budget doesn't allow it.
        case budgetUsedUp
        /// Nothing is reported: the bundle, the settings, the budget, the memory or the outbox can't be used.
        case unavailable
    }

    /// Outcome of its release as text.
    public let text: Text

    /// Outcome of its release for counting.
    public let report: Report

    /// Outcome of its release in frames.
    public let frames: Report

    /// Describes the outcome of a typed word's releases.
    public init(text: Text, report: Report, frames: Report = .noSetting) {
        (self.text, self.report, self.frames) = (text, report, frames)
    }

    static let off = Release(text: .off, report: .off, frames: .off)
    static let unavailable = Release(
        text: .unavailable, report: .unavailable, frames: .unavailable)
}
