import Brrkit
import Foundation

/// Where privatized words go: an app's own upload implements this.
///
/// It is the only way out of the keyboard, and gets nothing but what a mechanism released: never what
/// was typed. Collect words and upload them in batches: when each single word is sent tells an
/// observer how somebody types.
protocol PrivatizedTextSink: Sendable {
    /// Takes what typed words became, in the order of typing. Called on a background queue.
    func accept(_ words: [String])
}

/// The demo's sink: keeps nothing, since the strip shows the words.
struct NoSink: PrivatizedTextSink {
    func accept(_ words: [String]) {}
}

/// What became of a typed word.
enum Release: Hashable, Sendable {
    /// These words were given to the sink.
    case sent([String])
    /// Nothing was: the word is unknown, and the settings say so.
    case leftOut
    /// Nothing was: the budget doesn't allow it.
    case budgetUsedUp
    /// Nothing was: the bundle, the settings, the budget or the memory's key can't be used.
    case unavailable
}

/// Draws the privatized words: once for each typed word.
///
/// Drawing again, if only to show the result, would be a second release of the same word. So the only
/// draw is here, and the same words go to the sink and to the screen. All work is done on one queue,
/// in the order of asking; opening the bundle comes first, and typing never waits for it.
final class Releaser: @unchecked Sendable {  // what changes does so on the queue
    private let queue = DispatchQueue(label: "org.brrkit.releaser", qos: .userInitiated)
    /// Counts what was released.
    let budgetFile: URL
    private let memory: Result<Memory, BrrError>
    private let sink: any PrivatizedTextSink
    private let random: any RandomSource
    private var bundle: Result<WordBundle, BrrError>?
    private var current: (settings: Settings, privatizer: Privatizer)?
    /// What was released of the text that is being typed.
    private var text: Privatizer.Stream?

    /// - Parameters:
    ///   - folder: of the budget's and the memory's files; one that backups leave out.
    ///   - vault: keeps the memory's key; without one, the key is in the memory's file.
    ///   - clock: reads the device's clocks for the memory; for tests.
    ///   - open: called on the queue.
    init(
        folder: URL,
        vault: (any KeyVault)?,
        sink: any PrivatizedTextSink = NoSink(),
        random: any RandomSource = SystemRandom(),
        clock: @escaping @Sendable () -> Instant = Instant.now,
        open: @escaping @Sendable () throws(BrrError) -> WordBundle
    ) {
        budgetFile = folder.appendingPathComponent("budget.json")
        memory = Result { () throws(BrrError) in
            try Memory(
                period: Double(Settings.memoryDays) * 24 * 3_600,
                keyFile: folder.appendingPathComponent("memory.json"), vault: vault, clock: clock)
        }
        self.sink = sink
        self.random = random
        queue.async {
            self.bundle = Result { () throws(BrrError) in try open() }
        }
    }

    /// Calls `done` on the main queue with the bundle, or why it can't be opened.
    func withBundle(_ done: @escaping @MainActor @Sendable (Result<WordBundle, BrrError>) -> Void) {
        queue.async {
            let bundle = self.bundle!
            DispatchQueue.main.async { done(bundle) }
        }
    }

    /// Looks words up for `prefix`, then calls `done` on the main queue.
    func suggest(_ prefix: String, _ done: @escaping @MainActor @Sendable ([String]) -> Void) {
        queue.async {
            let words = (try? self.bundle!.get()).map { suggestions($0, for: prefix) } ?? []
            DispatchQueue.main.async { done(words) }
        }
    }

    /// Begins another text: what is released of it doesn't depend on what came out before.
    func beginText() {
        queue.async { self.text = nil }
    }

    /// Releases the words of `typed`, which go on with the text, in the background, then calls `done` on the main queue.
    ///
    /// - Parameter settings: nil for the bundle's own.
    func release(
        _ typed: String, _ settings: Settings?,
        _ done: @escaping @MainActor @Sendable (Release) -> Void
    ) {
        queue.async {
            let release: Release
            do {
                release = try self.draw(typed, settings)
            } catch {
                release = .unavailable
            }
            DispatchQueue.main.async { done(release) }
        }
    }

    private func draw(_ typed: String, _ chosen: Settings?) throws(BrrError) -> Release {
        let bundle = try bundle!.get()
        let memory = try memory.get()
        let settings = chosen ?? Settings(defaultFor: bundle)
        if current?.settings != settings {
            let budget = try settings.budget(budgetFile)
            current = (
                settings,
                try settings.privatizer(bundle, budget: budget, memory: memory, random: random)
            )
            text = nil
        }
        do {
            let words = try next(tokenize(typed), by: current!.privatizer)
            if words.isEmpty { return .leftOut }
            sink.accept(words)
            return .sent(words)
        } catch {
            switch error.kind {
            case .outOfVocabulary: return .leftOut
            case .budget: return .budgetUsedUp
            default: throw error
            }
        }
    }

    /// Goes on with the text, or begins one; with all words or none.
    private func next(_ words: [String], by privatizer: Privatizer) throws(BrrError) -> [String] {
        var stream = text ?? privatizer.stream()
        var released = [String]()
        for word in words {
            if let other = try stream.word(word) { released.append(other) }
        }
        text = stream
        return released
    }
}
