import Brrkit
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends an outbox's batches whose days are over, as `spec/reports.md` says: in a run one frame, any of those that
/// wait, and then all batches for counting, the oldest first.
///
/// By default the system does it in the background over HTTPS, also when the app or the keyboard isn't
/// running any more, from a random time on. A batch keeps its random id until it has arrived, so a receiver
/// counts it once however often it is sent. There is no cookie, no cache, no credential, no redirection, and
/// nothing that names the device or its language. What a receiver can see: the network's address, and which
/// batches come one after the other.
///
/// ```swift
/// let uploader = try Uploader(keyboard.outbox, keyboard.consent, receiver: address)
/// uploader.run()  // at each start, and whenever the keyboard is shown
/// ```
///
/// With frames, give it ``BrrKeyboard/beginDay()`` and a policy for them, and call ``run(_:)`` in a background task,
/// at times that have nothing to do with what somebody types: one frame leaves in a run.
///
/// A keyboard needs open access for it. The app is told by
/// `application(_:handleEventsForBackgroundURLSession:completionHandler:)` that the system has sent
/// something: make the uploader again, and give it that handler as ``finishedEvents(_:)``.
public final class Uploader: @unchecked Sendable {  // what changes does so on the queue
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
    ///   - receiver: its address, `https` only.
    ///   - configuration: of the session; its cookies, cache and credentials are taken away.
    ///   - beginDay: is awaited before each run: ``BrrKeyboard/beginDay()``, for frames.
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

    /// Prepares uploads by the app's own `transport`, such as one over Oblivious HTTP. They go on while this
    /// process does, and ``run(_:)`` sends at once: call it at a time that has nothing to do with what
    /// somebody types, such as in a background task.
    public convenience init(
        _ outbox: Outbox, _ consent: Consent, transport: any Transport,
        policy: UploadPolicy = UploadPolicy(),
        beginDay: @escaping @Sendable () async -> Void = {}
    ) {
        self.init(outbox, consent, policy, beginDay)
        way = .own(transport)
    }

    /// Tests have a receiver without TLS.
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

    /// Sends what is due, one batch after the other; does nothing while an earlier run's is on its way, or
    /// before a failure's wait is over. The system is given the first one to be sent from a random time on,
    /// after ``UploadPolicy/wait(afterFailures:retryAfter:random:)``.
    ///
    /// - Parameter done: called in the background, if this process still runs then.
    public func run(_ done: (@Sendable (Upload) -> Void)? = nil) {
        Task {
            await beginDay()
            guard case .system(let system) = way else { return begin(done, isIdle: true) }
            system.tasks { self.begin(done, isIdle: $0.isEmpty) }
        }
    }

    /// Keeps what the system gave the app to call when all of its events were handled.
    public func finishedEvents(_ handler: @escaping @Sendable () -> Void) {
        if case .system(let system) = way { system.finishedEvents(handler) }
    }

    /// Returns from when on the system sends the first batch of the last run; for tests.
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
                // A failure's wait is over already.
                let isDelayed = isFirst && failures == 0
                start = isDelayed ? Date() + (try policy.wait(afterFailures: 0)) : nil
                try system.send(due, from: start)
            }
        } catch {
            fail(retryAfter: nil)
        }
    }

    /// Returns what is sent next. The frame comes first: whether a batch for counting waits depends on typing,
    /// and when a frame leaves doesn't.
    private func nextDue() throws -> Due? {
        if isFrameDue {
            isFrameDue = false
            if let frame = try outbox.anyFrame() { return frame }
        }
        return try outbox.oldest()?.due
    }

    private func fail(retryAfter: Double?) {
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

/// A bad report, another bundle, too large, not one of its words: no repetition helps.
private let refusals: Set<Int> = [400, 409, 413, 422]
