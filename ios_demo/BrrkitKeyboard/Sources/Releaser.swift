import Brrkit
import Foundation

/// Draws the privatized words, only with consent: one for text, if there is a sink, one for counting, and one for
/// frames, if the settings have them.
///
/// A second draw, even if only to show the result, would be another release of the word. Text is therefore
/// drawn only here, and the same words go to the sink and to the screen. With a memory, the output is a
/// second draw from the output of the word's first draw in the period: `docs/how-to/run-for-months.md`. Text
/// and counts have separate first draws, and one budget. A word's cost is on disk before the draw. All this
/// happens on the bundle's queue, in the order of typing, so typing never waits for it.
public final class Releaser: @unchecked Sendable {  // its state changes only on the bundle's queue
    /// State file of the budget for text and counts.
    public let budgetFile: URL
    /// State file of the budget for frames.
    public let frameBudgetFile: URL
    private let bundle: BundleQueue
    private let consent: Consent
    private let outbox: Outbox
    private let memory: Result<Memory, BrrError>?
    private let sink: (any PrivatizedTextSink)?
    private let settings: @Sendable (WordBundle) -> ReleaseSettings
    private let random: any RandomSource
    private var current: Prepared?
    /// The stream of the text in progress.
    private var text: Privatizer.Stream?

    private struct Prepared {
        let settings: ReleaseSettings
        let budget: PrivacyBudget
        let privatizer: Result<Privatizer, BrrError>
        let counts: Result<Counts?, BrrError>
        let frames: Result<TextReporter?, BrrError>
    }

    init(
        _ bundle: BundleQueue, _ consent: Consent, _ outbox: Outbox, budgetFile: URL,
        frameBudgetFile: URL,
        memory: Result<Memory, BrrError>?, sink: (any PrivatizedTextSink)?,
        settings: @escaping @Sendable (WordBundle) -> ReleaseSettings, random: any RandomSource
    ) {
        (self.bundle, self.consent, self.outbox) = (bundle, consent, outbox)
        (self.budgetFile, self.frameBudgetFile) = (budgetFile, frameBudgetFile)
        (self.memory, self.sink) = (memory, sink)
        (self.settings, self.random) = (settings, random)
    }

    /// Begins another text: the next word has no previous released word. Completes the frame of the last
    /// text.
    public func beginText() {
        bundle.run { _ in
            self.text = nil
            self.consent.whileGiven {
                guard let reporter = try? self.current?.frames.get() else { return }
                try? self.outbox.endText(of: reporter)  // else it goes on
            }
        }
    }

    /// Begins the day of frames if there is consent, the settings have frames, and the day hasn't begun.
    /// Frames are then sent even if nobody types. After a failure, the next call or the next word tries
    /// again.
    func beginDay() async {
        await withCheckedContinuation { done in
            bundle.run { opened in
                self.consent.whileGiven {
                    guard let bundle = try? opened.get(), let prepared = try? self.prepared(bundle)
                    else { return }
                    _ = self.frame([], prepared)
                }
                done.resume()
            }
        }
    }

    /// Releases the words of `typed` in the background, as the next words of the text, then calls `done` on
    /// the main queue.
    public func release(
        _ typed: String, _ done: @escaping @MainActor @Sendable (Release) -> Void
    ) {
        bundle.run { bundle in
            let release = self.consent.whileGiven { self.release(typed, bundle) } ?? .off
            DispatchQueue.main.async { done(release) }
        }
    }

    private func release(_ typed: String, _ opened: Result<WordBundle, BrrError>) -> Release {
        guard let bundle = try? opened.get(), let prepared = try? prepared(bundle) else {
            return .unavailable
        }
        let tokens = bundle.read(typed)
        return Release(
            text: send(tokens, bundle, prepared), report: report(tokens, prepared),
            frames: frame(tokens, prepared))
    }

    private func send(_ tokens: [Token], _ bundle: WordBundle, _ prepared: Prepared) -> Release.Text
    {
        guard let sink else { return .noSink }
        do {
            let privatizer = try prepared.privatizer.get()
            let source = try prepared.settings.source(bundle, withMemory: memory != nil)
            let released = try next(tokens, by: privatizer)
            if released.isEmpty { return .leftOut }
            try sink.accept(released, from: source)
            return .sent(released)
        } catch let error as BrrError {
            switch error.kind {
            case .outOfVocabulary: return .leftOut
            case .budget: return .budgetUsedUp
            default: return .unavailable
            }
        } catch {
            return .unavailable
        }
    }

    private func report(_ tokens: [Token], _ prepared: Prepared) -> Release.Report {
        do {
            guard let counts = try prepared.counts.get() else { return .noSetting }
            try outbox.add(tokens, counts, prepared.budget, random)
            return .counted
        } catch let error as BrrError {
            if case .budget = error.kind { return .budgetUsedUp }
            return .unavailable
        } catch {
            return .unavailable
        }
    }

    private func frame(_ tokens: [Token], _ prepared: Prepared) -> Release.Report {
        do {
            guard let reporter = try prepared.frames.get() else { return .noSetting }
            try outbox.add(tokens, to: reporter)
            return .counted
        } catch let error as BrrError {
            if case .budget = error.kind { return .budgetUsedUp }
            return .unavailable
        } catch {
            return .unavailable
        }
    }

    /// Continues the text, or begins one; releases all tokens or none.
    private func next(_ tokens: [Token], by privatizer: Privatizer) throws(BrrError) -> [String] {
        var stream = text ?? privatizer.stream()
        var released = [String]()
        for token in tokens {
            if let word = try stream.next(token) { released.append(word) }
        }
        text = stream
        return released
    }

    private func prepared(_ bundle: WordBundle) throws(BrrError) -> Prepared {
        let settings = settings(bundle)
        if let current, current.settings == settings { return current }
        let memory = try memory?.get()
        // Each limit has one object, which holds the lease.
        let budget =
            if let current, current.budget.limit == settings.dailyBudget { current.budget } else {
                try settings.budget(budgetFile)
            }
        let made = Prepared(
            settings: settings, budget: budget,
            privatizer: Result { () throws(BrrError) in
                try settings.privatizer(bundle, budget: budget, memory: memory, random: random)
            },
            counts: Result { () throws(BrrError) in try counts(bundle, settings, memory) },
            frames: Result { () throws(BrrError) in
                let budget = try settings.budget(frameBudgetFile)
                return try settings.textReporter(bundle, budget: budget, random: random)
            })
        current = made
        text = nil
        return made
    }

    private func counts(
        _ bundle: WordBundle, _ settings: ReleaseSettings, _ memory: Memory?
    ) throws(BrrError) -> Counts? {
        guard let reports = settings.reports, reports.setting != nil || bundle.counts != nil
        else { return nil }
        return try Counts(bundle, setting: reports.setting, memory: memory, random: random)
    }
}
