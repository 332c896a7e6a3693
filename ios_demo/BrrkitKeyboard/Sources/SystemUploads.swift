import Brrkit
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Posts batches over HTTPS in a session of the system, which continues after this process has ended.
final class SystemUploads: NSObject, @unchecked Sendable {  // its state changes only on the queue
    private let receiver: URL
    private let body: URL
    private let mayBegin: @Sendable () -> Bool
    private let answered: @Sendable (String, Reply?) -> Void
    private var session: URLSession!
    private var finished: (@Sendable () -> Void)?

    /// Prepares the session.
    ///
    /// - Parameters:
    ///   - body: file of the batch that the system sends.
    ///   - queue: queue on which `answered` is called, one answer at a time, including answers to an earlier
    ///     process.
    ///   - mayBegin: returns whether a batch that waits for its time may still be sent.
    ///   - answered: receives a batch's name, and the answer if there is one.
    init(
        _ receiver: URL, body: URL, _ policy: UploadPolicy,
        _ configuration: URLSessionConfiguration,
        _ queue: OperationQueue, mayBegin: @escaping @Sendable () -> Bool,
        _ answered: @escaping @Sendable (String, Reply?) -> Void
    ) {
        (self.receiver, self.body) = (receiver, body)
        (self.mayBegin, self.answered) = (mayBegin, answered)
        super.init()
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

    /// Passes the names of the batches that are being sent to `then`.
    func tasks(_ then: @escaping @Sendable ([URLSessionTask]) -> Void) {
        session.getAllTasks(completionHandler: then)
    }

    /// Hands a batch to the system, to send at once or from a time on. On systems other than Apple's, it is
    /// always sent at once.
    func send(_ due: Due, from start: Date?) throws {
        try replaceDurably(body, Array(due.report))
        let task = session.uploadTask(with: request, fromFile: body)
        task.taskDescription = due.name
        #if canImport(Darwin)
        task.earliestBeginDate = start
        #endif
        task.resume()
    }

    /// Keeps the system's handler, which the app must call after all events.
    func finishedEvents(_ handler: @escaping @Sendable () -> Void) {
        session.delegateQueue.addOperation { self.finished = handler }
    }

    private var request: URLRequest {
        var request = URLRequest(url: receiver)
        request.httpMethod = "POST"
        request.httpShouldHandleCookies = false
        for (name, value) in [
            "Content-Type": "application/json", "Accept": "application/json",
            // These replace the system's own headers, which name the app, its version and the phone's
            // languages.
            "User-Agent": "brrkit", "Accept-Language": "en",
        ] { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }
}

extension SystemUploads: URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        try? deleteDurably(body)
        let response = error == nil ? task.response as? HTTPURLResponse : nil
        let reply = response.map { response in
            // A date isn't taken.
            let seconds = response.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }
            return Reply(status: response.statusCode, retryAfter: seconds.map(Double.init))
        }
        answered(task.taskDescription ?? "", reply)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }

    #if canImport(Darwin)
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?)
            -> Void
    ) { completionHandler(mayBegin() ? .continueLoading : .cancel, nil) }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        let handler = finished
        finished = nil
        DispatchQueue.main.async { handler?() }
    }
    #endif
}

extension URLSessionConfiguration {
    /// Returns the configuration for uploads in the background. On systems other than Apple's, uploads end
    /// with the process.
    ///
    /// - Parameters:
    ///   - identifier: identifier of the session. The app and its keyboard need different ones.
    ///   - group: container of an app group that both share, if any. A keyboard's session needs one.
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
