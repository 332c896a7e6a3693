import Brrkit
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends an outbox's reports of past days: in a run first one random frame, then all batches for counting,
/// the oldest first. `spec/reports.md`, "Over HTTP", is the specification.
///
/// By default, the system sends them in the background over HTTPS, from a random time on, even after the app
/// or the keyboard has ended. A batch keeps its random id until it has arrived, so a receiver counts it once,
/// even if it arrives twice. There are no cookies, caches, credentials or redirections, and nothing
/// identifies the device or its language. A receiver can see the network's address, and the sequence of
/// batches.
///
/// ```swift
/// let uploader = try Uploader(keyboard.outbox, keyboard.consent, receiver: address)
/// uploader.run()  // at each start, and whenever the keyboard is shown
/// ```
///
/// With frames, pass ``BrrKeyboard/beginDay()`` and a policy for frames, and call ``run(_:)`` in a background
/// task, at times that don't depend on typing. A run sends at most one frame.
///
/// A keyboard needs open access to upload. After an upload, the system calls the app's
/// `application(_:handleEventsForBackgroundURLSession:completionHandler:)`. Create the uploader again there,
/// and pass the handler to ``finishedEvents(_:)``.
public final class Uploader: @unchecked Sendable {  // its state changes only on the queue
    private enum Way {
        case own(any Transport)
        case system(SystemUploads)
    }

    private let outbox: Outbox
    private let consent: Consent
    private let policy: UploadPolicy
    private let beginDay: @Sendable () async -> Void
    private let queue = OperationQueue()
    private var way: Way!
    private var report: (@Sendable (Upload) -> Void)?
    private var isRunning = false
    private var isFrameDue = false
    private var notBefore = Date.distantPast
    private var start: Date?
    private var failures = 0
    private var sent = 0
    private var refused = 0

    /// Prepares uploads by the system.
    ///
    /// - Parameters:
    ///   - receiver: the receiver's URL, `https` only.
    ///   - configuration: the session's configuration. Its cookies, cache and credentials are removed.
    ///   - beginDay: awaited before each run; for frames, ``BrrKeyboard/beginDay()``.
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/parameter``: the address isn't `https`.
    public convenience init(
        _ outbox: Outbox, _ consent: Consent, receiver: URL, policy: UploadPolicy = UploadPolicy(),
        configuration: URLSessionConfiguration = .ofUploads("org.brrkit.uploads"),
        beginDay: @escaping @Sendable () async -> Void = {}
    ) throws(BrrError) {
        guard receiver.scheme == "https" else {
            throw BrrError(.parameter, "reports are sent over https only; give an https URL")
        }
        self.init(outbox, consent, anyReceiver: receiver, policy, configuration, beginDay)
    }

    /// Prepares uploads with the app's own `transport`, such as one over Oblivious HTTP. They end with this
    /// process, and ``run(_:)`` sends at once. Call it at a time that doesn't depend on typing, such as in a
    /// background task.
    public convenience init(
        _ outbox: Outbox, _ consent: Consent, transport: any Transport,
        policy: UploadPolicy = UploadPolicy(),
        beginDay: @escaping @Sendable () async -> Void = {}
    ) {
        self.init(outbox, consent, policy, beginDay)
        way = .own(transport)
    }

    /// Tests use a receiver without TLS.
    convenience init(
        _ outbox: Outbox, _ consent: Consent, anyReceiver: URL, _ policy: UploadPolicy,
        _ configuration: URLSessionConfiguration,
        _ beginDay: @escaping @Sendable () async -> Void = {}
    ) {
        self.init(outbox, consent, policy, beginDay)
        let body = outbox.folder.appendingPathComponent("sending")
        way = .system(
            SystemUploads(
                anyReceiver, body: body, policy, configuration, queue,
                mayBegin: { consent.isGiven }, answered))
    }

    private init(
        _ outbox: Outbox, _ consent: Consent, _ policy: UploadPolicy,
        _ beginDay: @escaping @Sendable () async -> Void
    ) {
        (self.outbox, self.consent, self.policy) = (outbox, consent, policy)
        self.beginDay = beginDay
        queue.maxConcurrentOperationCount = 1
    }

    /// Sends all that is due, one batch after the other. Does nothing while a batch of an earlier run is
    /// being sent, or before the wait after a failure is over. The system sends the first batch from a random
    /// time on, after ``UploadPolicy/wait(afterFailures:retryAfter:random:)``.
    ///
    /// - Parameter done: called in the background, if this process is still running.
    public func run(_ done: (@Sendable (Upload) -> Void)? = nil) {
        Task {
            await beginDay()
            guard case .system(let system) = way else { return begin(done, isIdle: true) }
            system.tasks { self.begin(done, isIdle: $0.isEmpty) }
        }
    }

    /// Keeps the system's handler, which the app must call after all events.
    public func finishedEvents(_ handler: @escaping @Sendable () -> Void) {
        if case .system(let system) = way { system.finishedEvents(handler) }
    }

    /// Returns the earliest time at which the system sends the first batch of the last run; for tests.
    func firstStart() async -> Date? {
        await withCheckedContinuation { done in
            queue.addOperation { done.resume(returning: self.start) }
        }
    }

    private func begin(_ done: (@Sendable (Upload) -> Void)?, isIdle: Bool) {
        queue.addOperation {
            guard isIdle, !self.isRunning, Date() >= self.notBefore else {
                done?(.waiting)
                return
            }
            (self.report, self.sent, self.refused) = (done, 0, 0)
            self.isFrameDue = true
            self.next(isFirst: true)
        }
    }

    private func end(_ upload: Upload) {
        isRunning = false
        report?(upload)
        report = nil
    }

    private func next(isFirst: Bool = false) {
        isRunning = true
        do {
            try consent.settle()
            guard consent.isGiven else { return end(.off) }
            guard let due = try consent.whileGiven({ try nextDue() }) else {
                failures = 0
                return end(.done(sent: sent, refused: refused))
            }
            switch way! {
            case .own(let transport):
                Task {
                    let reply = try? await transport.post(due.report)
                    queue.addOperation { self.answered(due.name, reply) }
                }
            case .system(let system):
                // The wait after a failure is already over.
                let isDelayed = isFirst && failures == 0
                start = isDelayed ? Date() + (try policy.wait(afterFailures: 0)) : nil
                try system.send(due, from: start)
            }
        } catch {
            fail(retryAfter: nil)
        }
    }

    /// Returns the next report to send. The frame comes first. After batches for counting, its time would
    /// reveal whether there were any.
    private func nextDue() throws -> Due? {
        if isFrameDue {
            isFrameDue = false
            if let frame = try outbox.anyFrame() { return frame }
        }
        return try outbox.oldest()?.due
    }

    private func fail(retryAfter: Double?) {
        // With frames, the next run is as after a success.
        guard !policy.isSteady else { return end(.failed(sent: sent, wait: 0)) }
        failures += 1
        let wait =
            (try? policy.wait(afterFailures: failures, retryAfter: retryAfter))
            ?? policy.lastBackoff
        notBefore = Date() + wait
        end(.failed(sent: sent, wait: wait))
    }

    @Sendable private func answered(_ name: String, _ reply: Reply?) {
        let status = reply?.status ?? 0
        guard arrived.contains(status) || refusals.contains(status) else {
            return fail(retryAfter: reply?.retryAfter)
        }
        do {
            try outbox.remove(name, status: refusals.contains(status) ? status : nil)
        } catch {
            return fail(retryAfter: nil)
        }
        if arrived.contains(status) { sent += 1 } else { refused += 1 }
        next()
    }
}

private let arrived = 200...204

/// Invalid report, another bundle, too large, or a word that isn't in the bundle: sending again can't help.
private let refusals: Set<Int> = [400, 409, 413, 422]
