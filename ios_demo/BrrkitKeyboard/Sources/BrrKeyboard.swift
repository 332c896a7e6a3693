import Brrkit
import Foundation

/// Everything that a keyboard needs to release privatized words. Create one, and keep it.
///
/// ```swift
/// let keyboard = BrrKeyboard { () throws(BrrError) in try WordBundle(resource: "bundle") }
/// try keyboard.consent.give()  // after the user has agreed
/// keyboard.release(typed) { strip.show($0) }  // once for each word
/// ```
///
/// It releases nothing until ``consent`` is given. Its files are in one folder: the consent, the daily
/// budgets, the memory's key and the outbox.
public final class BrrKeyboard: Sendable {
    /// Options of a keyboard; each has a default.
    public struct Options: Sendable {
        /// The length of a memory's period, in seconds. In a period, a word has one first draw for text, and
        /// one for counts. By default, there is no memory. See `docs/how-to/run-for-months.md`.
        public var memoryPeriod: Double?

        /// Protects the memory's key. Without a vault, anyone who can read the keyboard's files can test
        /// guesses of released words.
        public var memoryVault: (any KeyVault)? = FallbackVault(KeychainVault("org.brrkit.memory"))

        /// Protects the outbox's key. Without a vault, anyone who can read the keyboard's files can read the
        /// privatized words.
        public var outboxVault: (any KeyVault)? = FallbackVault(KeychainVault("org.brrkit.outbox"))

        /// Receives privatized text. Without a sink, text is released only in frames.
        public var sink: (any PrivatizedTextSink)?

        /// Returns the settings; called for each word, in the background.
        public var settings: @Sendable (WordBundle) -> ReleaseSettings = { _ in
            ReleaseSettings(.recommended)
        }

        /// Source of random bytes. Don't set it in production.
        public var random: any RandomSource = SystemRandom()

        /// Reads the device's clocks for the memory; for tests.
        public var clock: @Sendable () -> Instant = Instant.now

        /// Every option has its default.
        public init() {}
    }

    /// Reports that wait to be sent.
    public let outbox: Outbox

    /// Whether words may leave the device.
    public let consent: Consent

    /// Runs work with the bundle in the background.
    public let bundle: BundleQueue

    /// Draws the privatized words.
    public let releaser: Releaser

    private let suggester = Suggester()

    /// Creates the keyboard; the bundle is opened in the background.
    ///
    /// - Parameters:
    ///   - folder: folder of the keyboard's files, excluded from backups.
    ///   - open: opens the bundle.
    public convenience init(
        folder: URL = privateFolder(), _ options: Options = Options(),
        open: @escaping @Sendable () throws(BrrError) -> WordBundle
    ) {
        let outbox = Outbox(folder: outboxFolder(in: folder), vault: options.outboxVault)
        let consent = Consent(file: folder.appendingPathComponent("consent"), outboxes: [outbox])
        self.init(folder: folder, consent, options, open: open)
    }

    /// Puts the parts together; withdrawing `consent` empties the outbox in the folder.
    init(
        folder: URL, _ consent: Consent, _ options: Options,
        open: @escaping @Sendable () throws(BrrError) -> WordBundle
    ) {
        outbox = Outbox(folder: outboxFolder(in: folder), vault: options.outboxVault)
        self.consent = consent
        let memory = options.memoryPeriod.map { period in
            Result { () throws(BrrError) in
                try Memory(
                    period: period, keyFile: folder.appendingPathComponent("memory.json"),
                    vault: options.memoryVault, clock: options.clock)
            }
        }
        bundle = BundleQueue(open: open)
        releaser = Releaser(
            bundle, consent, outbox, budgetFile: folder.appendingPathComponent("budget.json"),
            frameBudgetFile: folder.appendingPathComponent("frames-budget.json"),
            memory: memory, sink: options.sink, settings: options.settings, random: options.random)
        bundle.run { _ in
            try? consent.settle()  // the uploader needs it, and tries again
        }
    }

    /// Begins another text, such as in another field or in an emptied one (``TypedWords/beginsText``). The
    /// next word has no previous released word. With frames, also call it when the keyboard disappears. It
    /// then completes the frame of the text, which is lost if the process ends before.
    public func beginText() { releaser.beginText() }

    /// Begins the day of frames if the settings have frames and the day hasn't begun. Pass it to the
    /// ``Uploader``, so that frames are sent even if nobody types.
    public func beginDay() async { await releaser.beginDay() }

    /// Releases the words of `typed` in the background, then calls `done` on the main queue.
    public func release(
        _ typed: String, _ done: @escaping @MainActor @Sendable (Release) -> Void
    ) { releaser.release(typed, done) }

    /// Finds words for `prefix`, then calls `done` on the main queue; there are none without a bundle.
    ///
    /// Only the last call is answered. Call it whenever the typed text changes, with an empty prefix if there
    /// is none. Suggestions for an earlier text then don't appear.
    public func suggest(
        _ prefix: String, _ done: @escaping @MainActor @Sendable ([String]) -> Void
    ) { suggester.suggest(prefix, bundle, done) }
}

/// The outbox's place in the folder of a keyboard's files.
func outboxFolder(in folder: URL) -> URL { folder.appendingPathComponent("outbox") }
