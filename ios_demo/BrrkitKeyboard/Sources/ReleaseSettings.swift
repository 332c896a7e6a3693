import Brrkit
import Foundation

/// The strength of the protection: a mechanism and its parameters.
public enum Strength: Hashable, Sendable {
    /// The setting that the bundle recommends, whichever it is.
    case recommended
    /// A setting that the app or the user chose. Epsilon is per bit of Hamming distance; with a memory, it
    /// applies to the first draws.
    case chosen(Mechanism, epsilon: Double)

    /// The chosen setting; nil for the bundle's.
    var setting: Setting? {
        guard case .chosen(let mechanism, let epsilon) = self else { return nil }
        return Setting(epsilon: epsilon, mechanism: mechanism)
    }
}

/// The settings for releases: as text for a ``PrivatizedTextSink``, in frames, and for counting.
///
/// ```swift
/// ReleaseSettings(.recommended)
/// ReleaseSettings(.chosen(.exponential, epsilon: 0.6), dailyBudget: 100)
/// ```
public struct ReleaseSettings: Hashable, Sendable {
    /// Strength of the protection of text.
    public var strength: Strength

    /// The largest sum of epsilon over the words released in a day, as text and for counting together. Frames
    /// have a budget of the same size, which must allow two of their days, because these begin at midnight
    /// UTC.
    public var dailyBudget: Double

    /// The policy for unknown words in text. For counting, all unknown words are one symbol.
    public var oov: Oov

    /// Settings for counting; nil for no reports.
    public var reports: ReportSettings?

    /// Settings for frames, whose number per day is fixed; nil for no frames.
    public var frames: FrameSettings?

    /// The largest attack success that the app allows, from 0 to 1; nil for any. A strength with a higher
    /// measured success, or without a measurement, releases nothing: see ``allows(_:on:)``.
    public var mostAttackSuccess: Double?

    /// Creates the settings.
    public init(
        _ strength: Strength, dailyBudget: Double = 300, oov: Oov = .random,
        reports: ReportSettings? = ReportSettings(), frames: FrameSettings? = nil,
        mostAttackSuccess: Double? = nil
    ) {
        (self.strength, self.dailyBudget, self.oov) = (strength, dailyBudget, oov)
        (self.reports, self.frames) = (reports, frames)
        self.mostAttackSuccess = mostAttackSuccess
    }

    /// Whether the app's limit on attack success allows a strength. The upper end of the measured interval
    /// counts. For a chosen epsilon, it is that of the next weaker measured epsilon. Without a limit, every
    /// strength is allowed.
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

    /// Prepares the mechanism for frames; nil if there are none.
    ///
    /// - Throws: as ``privatizer(_:budget:memory:random:)``; or neither the settings nor the bundle have a
    ///   shape of a day, or the budget doesn't allow two days.
    func textReporter(
        _ bundle: WordBundle, budget: PrivacyBudget, random: any RandomSource
    ) throws(BrrError) -> TextReporter? {
        guard let frames else { return nil }
        try checkLimit(bundle)
        let reporter = try TextReporter(
            bundle, setting: strength.setting, frames: frames.frames, budget: budget, random: random
        )
        // Refusals would reveal when a person types: a budget's day begins with a day of frames.
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

    /// Returns the budget with this state file.
    public func budget(_ file: URL) throws(BrrError) -> PrivacyBudget {
        try PrivacyBudget(limit: dailyBudget, period: 24 * 3_600, stateFile: file)
    }

    /// Returns the source of a text's words, in the form of reports.
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

private let epsilonMost = 22.18  // the largest one that the runtime accepts

extension WordBundle {
    /// The measured results of a strength; for a chosen epsilon, those of the next weaker measured one.
    public func measured(_ strength: Strength) -> Measured? {
        switch strength {
        case .recommended: return recommended?.measured
        case .chosen(let mechanism, let epsilon):
            guard mechanism == (try? .named(mechanism.name)) else { return nil }
            return strengths(of: mechanism.name).first { $0.epsilon >= epsilon }?.measured
        }
    }
}
