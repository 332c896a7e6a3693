/// What became of a typed word.
public struct Release: Hashable, Sendable {
    /// What became of a word as text.
    public enum Text: Hashable, Sendable {
        /// These words were given to the sink.
        case sent([String])
        /// Nothing was: there is no sink.
        case noSink
        /// Nothing was: there is no ``Consent``.
        case off
        /// Nothing was: the word is unknown, and the settings say so.
        case leftOut
        /// Nothing was: the budget doesn't allow it.
        case budgetUsedUp
        /// Nothing was: the bundle, the settings, the budget, the memory or the sink can't be used.
        case unavailable
    }

    /// What became of a word for counting, or in frames.
    public enum Report: Hashable, Sendable {
        /// The day's sample was shown what it came out as, and took it or didn't; its frames are, when the
        /// text has ended or has words enough.
        case counted
        /// Nothing is reported: the settings say so, or neither they nor the bundle say how.
        case noSetting
        /// Nothing is: there is no ``Consent``.
        case off
        /// It isn't: the budget doesn't allow it.
        case budgetUsedUp
        /// It isn't: the bundle, the settings, the budget, the memory or the outbox can't be used.
        case unavailable
    }

    /// Of its release as text.
    public let text: Text

    /// Of its release for counting.
    public let report: Report

    /// Of its release in frames.
    public let frames: Report

    /// Says what became of a word.
    public init(text: Text, report: Report, frames: Report = .noSetting) {
        (self.text, self.report, self.frames) = (text, report, frames)
    }

    static let off = Release(text: .off, report: .off, frames: .off)
    static let unavailable = Release(
        text: .unavailable, report: .unavailable, frames: .unavailable)
}
