import Brrkit
import Foundation

/// Background work with the bundle, in the order of asking. Opening it comes first.
///
/// So keys never wait for the bundle: what they ask for waits, in memory, until it is open.
public final class BundleQueue: @unchecked Sendable {  // the lock is held wherever the bundle is used
    private let queue = DispatchQueue(label: "org.brrkit.bundle", qos: .userInitiated)
    private let lock = NSLock()
    private var bundle: Result<WordBundle, BrrError>?

    /// Opens the bundle on the queue.
    public init(open: @escaping @Sendable () throws(BrrError) -> WordBundle) {
        queue.async {
            let opened = Result { () throws(BrrError) in try open() }
            self.lock.withLock { self.bundle = opened }
        }
    }

    /// Calls `done` on the main queue with the bundle, or why it can't be opened.
    public func opened(_ done: @escaping @MainActor @Sendable (Result<WordBundle, BrrError>) -> Void) {
        run { bundle in DispatchQueue.main.async { done(bundle) } }
    }

    /// Runs `work` on the queue with the bundle, or why it can't be opened.
    func run(_ work: @escaping @Sendable (Result<WordBundle, BrrError>) -> Void) {
        queue.async { work(self.lock.withLock { self.bundle! }) }
    }

    /// Runs `work` on another queue, beside what this one does, once the bundle is open.
    func run(
        on other: DispatchQueue, _ work: @escaping @Sendable (Result<WordBundle, BrrError>) -> Void
    ) {
        if let bundle = lock.withLock({ bundle }) { return other.async { work(bundle) } }
        run { bundle in other.async { work(bundle) } }
    }
}
