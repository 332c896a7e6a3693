import Brrkit
import Foundation
import Testing

@testable import BrrkitKeyboard

/// A keyboard's reports arrive at the reference receiver, which `tests/ios/reports.py` starts.
struct ReceivedTests {
    private static let receiver = ProcessInfo.processInfo.environment["BRR_RECEIVER"]

    @Test(.enabled(if: receiver != nil, "tests/ios/reports.py starts a receiver"))
    func aDaysWordsArrive() async throws {
        let device = Device()
        let folder = try Work.newFolder()
        let outbox = Outbox(folder: folder.appendingPathComponent("outbox"), vault: nil) {
            device.date
        }
        let consent = Consent(file: folder.appendingPathComponent("consent"), outboxes: [outbox])
        try consent.give()
        let counts = try Counts(Work.bundle, setting: CountsSetting(cap: 9, wordsADay: 10))
        let typed = (0..<50).map { Work.bundle.vocabulary.word($0)! } + ["qzxqzx"]
        for _ in 0..<2 {
            for word in typed {
                try outbox.add(counts.bundle.read(word), counts, nil, SystemRandom())
            }
            device.pass(days: 1)
        }
        let address = try #require(ReceivedTests.receiver)
        let url = try #require(URL(string: address))
        let uploader = Uploader(outbox, consent, anyReceiver: url, UploadPolicy(), .ephemeral)
        let done = await withCheckedContinuation { done in
            uploader.run { done.resume(returning: $0) }
        }
        #expect(done == .done(sent: 2, refused: 0))
        #expect(try outbox.status().batches == 0)
    }
}
