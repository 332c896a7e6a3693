import Brrkit
import Foundation

/// Background work with the bundle, in the order of the calls. It opens the bundle first.
///
/// Keys therefore never wait for the bundle: their requests wait, in memory, until it is open.
public final class BundleQueue: @unchecked Sendable {  // the lock is held for the bundle
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

    /// Calls `done` on the main queue with the bundle, or with the error of opening it.
    public func opened(
        _ done: @escaping @MainActor @Sendable (Result<WordBundle, BrrError>) -> Void
    ) {
        run { bundle in DispatchQueue.main.async { done(bundle) } }
    }

    /// Runs `work` on the queue with the bundle, or with the error of opening it.
    func run(_ work: @escaping @Sendable (Result<WordBundle, BrrError>) -> Void) {
        queue.async { work(self.lock.withLock { self.bundle! }) }
    }

    /// Runs `work` on another queue, in parallel with this one, once the bundle is open.
    func run(
        on other: DispatchQueue, _ work: @escaping @Sendable (Result<WordBundle, BrrError>) -> Void
    ) {
        if let bundle = lock.withLock({ bundle }) { return other.async { work(bundle) } }
        run { bundle in other.async { work(bundle) } }
    }
}
