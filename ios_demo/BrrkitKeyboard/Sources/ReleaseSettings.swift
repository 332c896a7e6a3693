import Brrkit
import Foundation

/// How strongly words are changed.
public enum Strength: Hashable, Sendable {
    /// As the bundle recommends: its mechanism, epsilon and parameters, whichever they are.
    case recommended
    /// As an app or the person who types chose; epsilon is per bit of Hamming distance, of the first draws
    /// with a memory.
    case chosen(Mechanism, epsilon: Double)

    /// The chosen setting; nil for the bundle's.
    var setting: Setting? {
        guard case .chosen(let mechanism, let epsilon) = self else { return nil }
        return Setting(epsilon: epsilon, mechanism: mechanism)
    }
}

/// How words are released: as text, for a ``PrivatizedTextSink`` or in frames, and for counting.
///
/// ```swift
/// ReleaseSettings(.recommended)
/// ReleaseSettings(.chosen(.exponential, epsilon: 0.6), dailyBudget: 100)
/// ```
public struct ReleaseSettings: Hashable, Sendable {
    /// How strongly the words of a text are changed.
    public var strength: Strength

    /// Epsilon that may be released in a day, added up over words: of text and of reports together; and of frames
    /// by themselves. It must allow two days of these: theirs are those of UTC.
    public var dailyBudget: Double

    /// What becomes of a text's words outside the vocabulary. For counting they are one more word.
    public var oov: Oov

    /// How words are reported for counting; nil for no reports.
    public var reports: ReportSettings?

    /// How text is sent in frames: as many a day, whatever is typed, to the ``Outbox``; nil for none.
    public var frames: FrameSettings?

    /// The largest attack success that the app allows, from 0 to 1; nil for any. A strength whose measured
    /// success is above it, or that wasn't measured, releases nothing: see ``allows(_:on:)``.
    public var mostAttackSuccess: Double?

    /// Says how words are released.
    public init(
        _ strength: Strength, dailyBudget: Double = 300, oov: Oov = .random,
        reports: ReportSettings? = ReportSettings(), frames: FrameSettings? = nil,
        mostAttackSuccess: Double? = nil
    ) {
        (self.strength, self.dailyBudget, self.oov) = (strength, dailyBudget, oov)
        (self.reports, self.frames) = (reports, frames)
        self.mostAttackSuccess = mostAttackSuccess
    }

    /// Whether the app's limit on attack success allows a strength, by the upper end of what was measured:
    /// of the recommended setting itself, and of a chosen epsilon at the next weaker one that was measured.
    /// Without a limit every strength is allowed.
    public func allows(_ strength: Strength, on bundle: WordBundle) -> Bool {
        guard let mostAttackSuccess else { return true }
        guard let measured = bundle.measured(strength) else { return false }
        return measured.attackSuccess.high <= mostAttackSuccess
    }

    /// Prepares the mechanism for text.
    ///
    /// - Throws: ``BrrError``: the bundle recommends no setting that this version can run, an option is out
    ///   of range, or the strength is weaker than ``mostAttackSuccess`` allows.
    public func privatizer(
        _ bundle: WordBundle, budget: PrivacyBudget? = nil, memory: Memory? = nil,
        random: any RandomSource = SystemRandom()
    ) throws(BrrError) -> Privatizer {
        try checkLimit(bundle)
        return try Privatizer(
            bundle, setting: strength.setting, oov: oov, budget: budget, memory: memory,
            random: random)
    }

    /// Prepares the mechanism for frames; nil if there are to be none.
    ///
    /// - Throws: as ``privatizer(_:budget:memory:random:)``; or neither the settings nor the bundle say how many
    ///   there are, or the budget doesn't allow two days.
    func textReporter(
        _ bundle: WordBundle, budget: PrivacyBudget, random: any RandomSource
    ) throws(BrrError) -> TextReporter? {
        guard let frames else { return nil }
        try checkLimit(bundle)
        let reporter = try TextReporter(
            bundle, setting: strength.setting, frames: frames.frames, budget: budget, random: random
        )
        // Refusals would tell when somebody types: a budget's day begins when a day of frames does.
        guard 2 * reporter.loss <= budget.limit else {
            throw BrrError(
                .parameter, "dailyBudget must allow two days of frames: \(2 * reporter.loss)")
        }
        return reporter
    }

    private func checkLimit(_ bundle: WordBundle) throws(BrrError) {
        guard allows(strength, on: bundle) else {
            throw BrrError(
                .parameter,
                "the strength's measured attack success is above mostAttackSuccess, or wasn't measured; "
                    + "choose a stronger one")
        }
    }

    /// Returns the budget that a file counts.
    public func budget(_ file: URL) throws(BrrError) -> PrivacyBudget {
        try PrivacyBudget(limit: dailyBudget, period: 24 * 3_600, stateFile: file)
    }

    /// Says what makes the words of a text, as reports have it.
    ///
    /// - Throws: ``BrrError``: the bundle recommends no setting.
    public func source(_ bundle: WordBundle, withMemory: Bool = false) throws(BrrError)
        -> ReportSource
    {
        let setting: JSON
        if strength == .recommended && !withMemory {
            setting = "recommended"
        } else {
            guard let stated = strength.setting ?? bundle.recommended else {
                throw BrrError(
                    .parameter,
                    "the bundle recommends no setting; write one with 'brr calibrate --write', or choose "
                        + "a strength")
            }
            var fields = stated.stated
            if withMemory { fields["second_epsilon"] = JSON(min(2 * stated.epsilon, epsilonMost)) }
            setting = .object(fields)
        }
        return ReportSource(bundle: bundle.manifestDigest, setting: setting.written)
    }
}

private let epsilonMost = 22.18  // the runtime takes no larger one

extension WordBundle {
    /// What was measured of a strength; of a chosen epsilon, at the next weaker one that was measured.
    public func measured(_ strength: Strength) -> Measured? {
        switch strength {
        case .recommended: return recommended?.measured
        case .chosen(let mechanism, let epsilon):
            guard mechanism == (try? .named(mechanism.name)) else { return nil }
            return strengths(of: mechanism.name).first { $0.epsilon >= epsilon }?.measured
        }
    }
}
