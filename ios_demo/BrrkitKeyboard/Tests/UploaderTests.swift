import Brrkit
import Foundation
import Glibc
import Testing

@testable import BrrkitKeyboard

/// The requests over HTTP, and the effects of answers. The receiver is a socket of this process.
struct UploaderTests {
    private let device = Device()
    private let outbox: Outbox
    private let consent: Consent

    init() throws {
        let folder = try Work.newFolder()
        outbox = Outbox(folder: folder.appendingPathComponent("outbox"), vault: nil) {
            [device] in device.date
        }
        consent = Consent(file: folder.appendingPathComponent("consent"), outboxes: [outbox])
        try consent.give()
    }

    private func fill(days: Int) throws {
        let counts = try Counts(Work.bundle, setting: CountsSetting(cap: 9, wordsADay: 5))
        for _ in 0..<days {
            try outbox.add(counts.bundle.read("the of"), counts, nil, SystemRandom())
            device.pass(days: 1)
        }
    }

    private func uploader(_ receiver: Receiver, _ policy: UploadPolicy = UploadPolicy()) -> Uploader
    {
        Uploader(outbox, consent, anyReceiver: receiver.url, policy, .ephemeral)
    }

    private func run(_ uploader: Uploader) async -> Upload {
        await withCheckedContinuation { done in uploader.run { done.resume(returning: $0) } }
    }

    @Test func whatIsOverArrives() async throws {
        try fill(days: 2)
        let receiver = try Receiver(answers: ["200 OK", "204 No Content"])
        let batches = try #require(try outbox.oldest()).due.report
        #expect(await run(uploader(receiver)) == .done(sent: 2, refused: 0))
        #expect(try outbox.status().batches == 0)
        #expect(receiver.requests.count == 2)
        let first = receiver.requests[0]
        #expect(first.hasPrefix("POST /v1/reports HTTP/1.1\r\n"))
        #expect(first.hasSuffix("\r\n\r\n" + String(decoding: batches, as: UTF8.self)))
        let names = first.components(separatedBy: "\r\n\r\n")[0].components(separatedBy: "\r\n")
            .dropFirst().map { $0.components(separatedBy: ":")[0].lowercased() }
        let known: Set = [
            "host", "content-type", "content-length", "accept", "accept-language", "user-agent",
            "accept-encoding", "connection",
        ]
        #expect(Set(names).isSubset(of: known), "\(names)")
        #expect(
            first.contains("User-Agent: brrkit\r\n") && first.contains("Accept-Language: en\r\n"))
        let left = try FileManager.default.contentsOfDirectory(atPath: outbox.folder.path)
        #expect(!left.contains("sending"))
    }

    @Test(arguments: ["400 Bad Request", "409 Conflict", "413 Too Large", "422 Unprocessable"])
    func whatIsRefusedForGoodGoes(_ answer: String) async throws {
        try fill(days: 1)
        let receiver = try Receiver(answers: [answer])
        #expect(await run(uploader(receiver)) == .done(sent: 0, refused: 1))
        #expect(try outbox.status() == OutboxStatus(refused: 1))
    }

    /// The app sees refused reports and the reason; they aren't sent again.
    @Test func whatIsRefusedIsKeptForTheAppAndIsntSentAgain() async throws {
        try fill(days: 3)
        let receiver = try Receiver(answers: [
            "409 Conflict", "200 OK", "413 Too Large", "200 OK", "422 No",
        ])
        #expect(await run(uploader(receiver)) == .done(sent: 1, refused: 2))
        let refused = try outbox.refusedBatches()
        #expect(refused.map(\.status) == [409, 413])
        for (batch, request) in zip(refused, [receiver.requests[0], receiver.requests[2]]) {
            #expect(request.hasSuffix("\r\n\r\n" + batch.report))
        }
        try fill(days: 1)
        #expect(await run(uploader(receiver)) == .done(sent: 1, refused: 0))
        #expect(receiver.requests.count == 4)
        try fill(days: 1)
        try outbox.removeRefused()
        #expect(try outbox.refusedBatches() == [])
        let status = try outbox.status()
        #expect(status.batches == 1 && status.refused == 2, "they stay counted")
        #expect(await run(uploader(receiver)) == .done(sent: 0, refused: 1))
        #expect(try outbox.refusedBatches().count == 1)
        try consent.withdraw()
        #expect(try outbox.refusedBatches() == [])
    }

    @Test(arguments: [
        "500 Oh", "503 Busy\r\nRetry-After: 20000", "301 There\r\nLocation: /other", "",
    ])
    func anythingElseIsTriedLater(_ answer: String) async throws {
        try fill(days: 2)
        let receiver = try Receiver(answers: [answer, "200 OK", "200 OK"])
        let batch = try outbox.oldest()
        var policy = UploadPolicy()
        policy.firstBackoff = 10_000  // longer than any test takes
        let uploader = uploader(receiver, policy)
        guard case .failed(0, let wait) = await run(uploader) else {
            Issue.record("it can't have arrived")
            return
        }
        #expect(answer.hasPrefix("503") ? wait == 20_000 : (5_000...10_000).contains(wait))
        #expect(try outbox.oldest() == batch)
        #expect(await run(uploader) == .waiting)
        #expect(receiver.requests.count == 1, "a redirection isn't followed")
        // Another process doesn't know of the wait; the batch has the same id.
        #expect(await run(self.uploader(receiver)) == .done(sent: 2, refused: 0))
        #expect(receiver.requests[1].hasSuffix(String(decoding: batch!.due.report, as: UTF8.self)))
    }

    /// The system sends from a random time of the policy's window on, whenever the keyboard was shown. Of 20
    /// times among 2^32, 10 or fewer differ: false alarm 1e-70.
    @Test func theSystemIsGivenARandomTime() async throws {
        try fill(days: 1)
        let receiver = try Receiver(answers: [])  // it stays on its way
        var starts = Set<Date>()
        for _ in 0..<20 {
            let uploader = uploader(receiver)
            let now = Date()
            uploader.run()
            var start: Date?
            while start == nil { start = await uploader.firstStart() }
            #expect((now + 3 * 3_600...Date() + 9 * 3_600).contains(start!))
            starts.insert(start!)
        }
        #expect(starts.count > 10)
        try consent.withdraw()  // before that time: nothing waits any more
        let left = try FileManager.default.contentsOfDirectory(atPath: outbox.folder.path)
        #expect(left == ["lock"])
    }

    @Test func anAppCanHaveItsOwnTransport() async throws {
        try fill(days: 3)
        let batch = try #require(try outbox.oldest())
        let transport = Answers([Reply(status: 200), Reply(status: 409), nil])
        var policy = UploadPolicy()
        policy.firstBackoff = 10_000  // longer than any test takes
        let uploader = Uploader(outbox, consent, transport: transport, policy: policy)
        guard case .failed(1, 5_000...10_000) = await run(uploader) else {
            Issue.record("the third can't have arrived")
            return
        }
        #expect(transport.reports.count == 3 && transport.reports[0] == batch.due.report)
        #expect(transport.reports.allSatisfy { $0.count == 1_024 })
        #expect(try outbox.refusedBatches().map(\.status) == [409])
        #expect(await run(uploader) == .waiting)
        let again = Answers([Reply(status: 503, retryAfter: 20_000), Reply(status: 200)])
        let other = Uploader(outbox, consent, transport: again, policy: policy)
        #expect(await run(other) == .failed(sent: 0, wait: 20_000))
        let last = Uploader(outbox, consent, transport: again, policy: policy)
        #expect(await run(last) == .done(sent: 1, refused: 0))
        #expect(Set(again.reports) == [transport.reports[2]])
    }

    /// Where a batch fails, the next frame leaves when it would have left without one.
    @Test func withFramesNoFailureChangesWhenARunFollows() async throws {
        try fill(days: 1)
        let policy = UploadPolicy(frames: Frames(words: 8, aDay: 8))
        let answers = Answers([nil, Reply(status: 503, retryAfter: 20_000), Reply(status: 200)])
        let uploader = Uploader(outbox, consent, transport: answers, policy: policy)
        #expect(await run(uploader) == .failed(sent: 0, wait: 0))
        #expect(await run(uploader) == .failed(sent: 0, wait: 0))
        #expect(await run(uploader) == .done(sent: 1, refused: 0))
        let waits = try [0, 1, 7].map {
            try policy.wait(afterFailures: $0, retryAfter: 30_000, random: Fixed())
        }
        #expect(Set(waits).count == 1 && (2_700...8_100).contains(waits[0]))
    }

    @Test func withoutConsentNothingIsSent() async throws {
        try fill(days: 1)
        try consent.withdraw()
        let receiver = try Receiver(answers: ["200 OK"])
        #expect(await run(uploader(receiver)) == .off)
        #expect(receiver.requests.isEmpty)
    }

    @Test func addressesAreHttps() throws {
        #expect(throws: BrrError.self) {
            _ = try Uploader(outbox, consent, receiver: URL(string: "http://example.org")!)
        }
        _ = try Uploader(outbox, consent, receiver: URL(string: "https://example.org")!)
    }

    /// Of 20 waits among 2^32, 10 or fewer differ. False alarm: 1e-70.
    @Test func waitsGrowAndAreRandom() throws {
        let policy = UploadPolicy()
        let waits = try (0..<20).map { _ in try policy.wait(afterFailures: 0) }
        #expect(
            waits.allSatisfy { (3 * 3_600.0...9 * 3_600).contains($0) } && Set(waits).count > 10)
        for (failures, most) in [(1, 60.0), (2, 120), (5, 960), (40, 12 * 3_600)] {
            let wait = try policy.wait(afterFailures: failures)
            #expect((most / 2...most).contains(wait))
        }
        #expect(try policy.wait(afterFailures: 1, retryAfter: 1e9) == policy.lastBackoff)
    }
}

/// Answers as it is told to, or not at all, and keeps what it was given.
final class Answers: Transport, @unchecked Sendable {  // one batch is posted at a time
    private var answers: [Reply?]
    private(set) var reports = [Data]()

    init(_ answers: [Reply?]) { self.answers = answers }

    func post(_ report: Data) async throws -> Reply {
        reports.append(report)
        guard let reply = answers.removeFirst() else { throw CancellationError() }
        return reply
    }
}

/// Takes requests on a port of this machine, one connection for each, and answers as it is told to.
final class Receiver: @unchecked Sendable {  // the lock is held wherever requests are used
    let url: URL
    private let socket: Int32
    private let lock = NSLock()
    private var received = [String]()
    var requests: [String] { lock.withLock { received } }

    init(answers: [String]) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let file = socket
        let port =
            withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer -> Bool in
                    bind(file, pointer, size) == 0 && listen(file, 8) == 0
                        && getsockname(file, pointer, &size) == 0
                }
            } ? UInt16(bigEndian: address.sin_port) : 0
        precondition(port != 0)
        url = URL(string: "http://127.0.0.1:\(port)/v1/reports")!
        Thread.detachNewThread { for answer in answers { self.take(answer) } }
    }

    deinit { close(socket) }

    private func take(_ answer: String) {
        let connection = accept(socket, nil, nil)
        guard connection >= 0 else { return }
        var request = [UInt8]()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while !isWhole(request) {
            let count = read(connection, &buffer, buffer.count)
            if count <= 0 { break }
            request += buffer[..<count]
        }
        lock.withLock { received.append(String(decoding: request, as: UTF8.self)) }
        if !answer.isEmpty {
            let reply = "HTTP/1.1 \(answer)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            _ = Array(reply.utf8).withUnsafeBytes { write(connection, $0.baseAddress!, $0.count) }
        }
        close(connection)
    }

    private func isWhole(_ request: [UInt8]) -> Bool {
        let parts = String(decoding: request, as: UTF8.self).components(separatedBy: "\r\n\r\n")
        guard parts.count > 1 else { return false }
        let length = parts[0].components(separatedBy: "\r\n").compactMap { line -> Int? in
            let field = line.lowercased().components(separatedBy: "content-length:")
            return field.count == 2 ? Int(field[1].trimmingCharacters(in: .whitespaces)) : nil
        }
        return parts[1].utf8.count >= length.first ?? 0
    }
}
