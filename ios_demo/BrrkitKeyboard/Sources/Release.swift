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

    /// What became of a word for counting.
    public enum Report: Hashable, Sendable {
        /// The day's sample was shown what it came out as, and took it or didn't.
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

    /// What became of a word in frames.
    public enum Frame: Hashable, Sendable {
        /// It is in the text's next piece, which the day's frames were shown or will be.
        case framed
        /// There are no frames: the settings say so.
        case noSetting
        /// Nothing is framed: there is no ``Consent``.
        case off
        /// It isn't: the budget doesn't allow the day.
        case budgetUsedUp
        /// It isn't: the bundle, the settings, the budget or the outbox can't be used.
        case unavailable
    }

    /// Of its release as text.
    public let text: Text

    /// Of its release for counting.
    public let report: Report

    /// Of its release in frames.
    public let frame: Frame

    /// Says what became of a word.
    public init(text: Text, report: Report, frame: Frame = .noSetting) {
        (self.text, self.report, self.frame) = (text, report, frame)
    }

    static let off = Release(text: .off, report: .off, frame: .off)
    static let unavailable = Release(
        text: .unavailable, report: .unavailable, frame: .unavailable)
}
