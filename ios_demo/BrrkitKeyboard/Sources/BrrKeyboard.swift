import Brrkit
import Foundation

/// The parts of a keyboard that releases privatized words, put together. Make one, and keep it.
///
/// ```swift
/// let keyboard = BrrKeyboard { () throws(BrrError) in try WordBundle(resource: "bundle") }
/// try keyboard.consent.give()  // when the person who types has agreed
/// keyboard.release(typed) { strip.show($0) }  // once for each word
/// ```
///
/// It is off until ``consent`` is given. Its files are in one folder: the consent, the daily budgets, the
/// memory's key, the outbox.
public final class BrrKeyboard: Sendable {
    /// What isn't set has a default.
    public struct Options: Sendable {
        /// How long a word keeps its first draws, in seconds: that of text and that for counting. Without
        /// one there is no memory. See `docs/how-to/run-for-months.md`.
        public var memoryPeriod: Double?

        /// Protects the memory's key; without one, whoever can read the keyboard's files can try words.
        public var memoryVault: (any KeyVault)? = FallbackVault(KeychainVault("org.brrkit.memory"))

        /// Protects the outbox's key; without one, whoever can read the keyboard's files can read the words.
        public var outboxVault: (any KeyVault)? = FallbackVault(KeychainVault("org.brrkit.outbox"))

        /// Where privatized text goes; without one, no text is released.
        public var sink: (any PrivatizedTextSink)?

        /// Returns how words are released; called for each word, in the background.
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

    /// Puts the parts together; the bundle is opened in the background.
    ///
    /// - Parameters:
    ///   - folder: of the keyboard's files; one that backups leave out.
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
            try? consent.settle()  // the uploader, which needs it, tries again
        }
    }

    /// Begins another text: another field, or an empty one (``TypedWords/beginsText``). The next word follows
    /// none that was released before. With frames, call it also when the keyboard goes away: the text is framed
    /// then, which a process that ends would lose.
    public func beginText() { releaser.beginText() }

    /// Begins the day of frames, if the settings have any and it hasn't begun: give it to the ``Uploader``. Then
    /// as many frames leave, also if nothing is typed.
    public func beginDay() async { await releaser.beginDay() }

    /// Releases the words of `typed` in the background, then calls `done` on the main queue.
    public func release(
        _ typed: String, _ done: @escaping @MainActor @Sendable (Release) -> Void
    ) { releaser.release(typed, done) }

    /// Looks words up for `prefix`, then calls `done` on the main queue; none without a bundle.
    ///
    /// Only the last call is answered: call it whenever what is typed changes, with an empty prefix where
    /// nothing is. Then no suggestion comes for a text that isn't there any more.
    public func suggest(
        _ prefix: String, _ done: @escaping @MainActor @Sendable ([String]) -> Void
    ) { suggester.suggest(prefix, bundle, done) }
}

/// Where the outbox of a keyboard with its files in a folder is.
func outboxFolder(in folder: URL) -> URL { folder.appendingPathComponent("outbox") }
