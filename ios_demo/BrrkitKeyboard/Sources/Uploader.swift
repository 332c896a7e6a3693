import Brrkit
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends an outbox's batches whose days are over, the oldest first, over HTTPS, as
/// `docs/reference/reports.md` says.
///
/// By default the system does it in the background, also when the app or the keyboard isn't running any
/// more. A batch keeps its random id until it has arrived, so a receiver counts it once however often it is
/// sent. There is no cookie, no cache, no credential, no redirection, and nothing that names the device or
/// its language. What a receiver can see: the network's address, and which batches come one after the other.
///
/// ```swift
/// let uploader = try Uploader(keyboard.outbox, keyboard.consent, receiver: address)
/// uploader.run()  // at each start, and whenever the keyboard is shown
/// ```
///
/// A keyboard needs open access for it. The app is told by
/// `application(_:handleEventsForBackgroundURLSession:completionHandler:)` that the system has sent
/// something: make the uploader again, and give it that handler as ``finishedEvents(_:)``.
public final class Uploader: NSObject, @unchecked Sendable {  // what changes does so on the queue
    private let outbox: Outbox
    private let consent: Consent
    private let receiver: URL
    private let policy: UploadPolicy
    private let queue = OperationQueue()
    private var session: URLSession!
    private var report: (@Sendable (Upload) -> Void)?
    private var finished: (@Sendable () -> Void)?
    private var notBefore = Date.distantPast
    private var failures = 0
    private var sent = 0
    private var refused = 0

    /// Prepares the uploads.
    ///
    /// - Parameters:
    ///   - receiver: its address, `https` only.
    ///   - configuration: of the session; its cookies, cache and credentials are taken away.
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/parameter``: the address isn't `https`.
    public convenience init(
        _ outbox: Outbox, _ consent: Consent, receiver: URL, policy: UploadPolicy = UploadPolicy(),
        configuration: URLSessionConfiguration = .ofUploads("org.brrkit.uploads")
    ) throws(BrrError) {
        guard receiver.scheme == "https" else {
            throw BrrError(.parameter, "reports are sent over https only; give such a URL")
        }
        self.init(outbox, consent, anyReceiver: receiver, policy, configuration)
    }

    /// Tests have a receiver without TLS.
    init(
        _ outbox: Outbox, _ consent: Consent, anyReceiver: URL, _ policy: UploadPolicy,
        _ configuration: URLSessionConfiguration
    ) {
        (self.outbox, self.consent, receiver, self.policy) = (outbox, consent, anyReceiver, policy)
        super.init()
        queue.maxConcurrentOperationCount = 1
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        #if canImport(Darwin)
        configuration.waitsForConnectivity = true
        configuration.allowsExpensiveNetworkAccess = !policy.unmetered
        configuration.allowsConstrainedNetworkAccess = !policy.unmetered
        #endif
        session = URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
    }

    /// Gives the system what is due, one batch after the other; does nothing while an earlier run's is on
    /// its way, or before a failure's wait is over.
    ///
    /// - Parameter done: called in the background, if this process still runs then.
    public func run(_ done: (@Sendable (Upload) -> Void)? = nil) {
        session.getAllTasks { tasks in
            self.queue.addOperation {
                guard tasks.isEmpty, Date() >= self.notBefore else {
                    done?(.waiting)
                    return
                }
                (self.report, self.sent, self.refused) = (done, 0, 0)
                self.next()
            }
        }
    }

    /// Keeps what the system gave the app to call when all of its events were handled.
    public func finishedEvents(_ handler: @escaping @Sendable () -> Void) {
        queue.addOperation { self.finished = handler }
    }

    private func end(_ upload: Upload) {
        report?(upload)
        report = nil
    }

    private func next() {
        do {
            try consent.settle()
            guard consent.isGiven else { return end(.off) }
            guard let batch = try consent.whileGiven({ try outbox.oldest() }) else {
                failures = 0
                notBefore = Date() + (try policy.wait(afterFailures: 0))
                return end(.done(sent: sent, refused: refused))
            }
            try replaceDurably(body, Array(batch.report))
            let task = session.uploadTask(with: request, fromFile: body)
            task.taskDescription = batch.name
            task.resume()
        } catch {
            fail(retryAfter: nil)
        }
    }

    /// The batch that the system sends. It is as it will be sent, and goes when the system is done with it.
    private var body: URL { outbox.folder.appendingPathComponent("sending") }

    private var request: URLRequest {
        var request = URLRequest(url: receiver)
        request.httpMethod = "POST"
        request.httpShouldHandleCookies = false
        for (name, value) in [
            "Content-Type": "application/json", "Accept": "application/json",
            // Otherwise the system's own, which name the app, its version and the phone's languages.
            "User-Agent": "brrkit", "Accept-Language": "en",
        ] { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    private func fail(retryAfter: Double?) {
        failures += 1
        let wait =
            (try? policy.wait(afterFailures: failures, retryAfter: retryAfter))
            ?? policy.lastBackoff
        notBefore = Date() + wait
        end(.failed(sent: sent, wait: wait))
    }

    private func answered(_ name: String, _ response: HTTPURLResponse?) {
        try? deleteDurably(body)
        let status = response?.statusCode ?? 0
        guard arrived.contains(status) || refusals.contains(status) else {
            let after = response?.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }
            return fail(retryAfter: after.map(Double.init))  // a date isn't taken
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

extension Uploader: URLSessionDataDelegate {
    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let response = error == nil ? task.response as? HTTPURLResponse : nil
        answered(task.taskDescription ?? "", response)
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }

    #if canImport(Darwin)
    public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        let handler = finished
        finished = nil
        DispatchQueue.main.async { handler?() }
    }
    #endif
}

extension URLSessionConfiguration {
    /// Returns how the system uploads in the background; elsewhere than on Apple's systems, while the
    /// process runs.
    ///
    /// - Parameters:
    ///   - identifier: of the session; another one for the app and its keyboard.
    ///   - group: an app group's container that both share, if they do: a keyboard's session needs one.
    public static func ofUploads(_ identifier: String, group: String? = nil)
        -> URLSessionConfiguration
    {
        #if canImport(Darwin)
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        configuration.sharedContainerIdentifier = group
        return configuration
        #else
        return .ephemeral
        #endif
    }
}

private let arrived = 200...204

/// A bad report, another bundle, too large, not one of its words: no repetition helps.
private let refusals: Set<Int> = [400, 409, 413, 422]
