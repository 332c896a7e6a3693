import Brrkit
import Foundation
import Testing

@testable import BrrkitKeyboard

/// A day's sample on disk: the content and the times of reports, and the remains of a crash or a fault.
struct OutboxTests {
    private let device = Device()
    private let folder: URL
    private let counts: Counts

    init() throws {
        folder = try Work.newFolder().appendingPathComponent("outbox")
        counts = try OutboxTests.counts()
    }

    private static func counts(cap: Double = 9, wordsADay: Int = 5) throws -> Counts {
        try Counts(Work.bundle, setting: CountsSetting(cap: cap, wordsADay: wordsADay))
    }

    private func outbox(
        _ vault: (any KeyVault)? = nil, limits: OutboxLimits = OutboxLimits()
    ) -> Outbox {
        Outbox(folder: folder, vault: vault, limits: limits) { [device] in device.date }
    }

    private func add(
        _ outbox: Outbox, _ words: [String], counts: Counts? = nil, _ budget: PrivacyBudget? = nil
    ) throws {
        let counts = counts ?? self.counts
        let tokens = words.flatMap(counts.bundle.read)
        try outbox.add(tokens, counts, budget, SystemRandom())
    }

    private func batch(_ batch: Batch) throws -> [String: Any] {
        try #require(
            try JSONSerialization.jsonObject(with: batch.due.report) as? [String: Any])
    }

    @Test func aDayLeavesWhenItIsOver() throws {
        let outbox = outbox()
        for _ in 0..<4 { try add(outbox, ["the", "of"]) }
        #expect(try outbox.oldest() == nil)
        device.pass(days: 1)
        let oldest = try #require(try outbox.oldest())
        let fields = try batch(oldest)
        let words = try #require(fields["words"] as? [String])
        #expect(
            words.count == 5 && words == words.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        )
        #expect(oldest.sample.words == words, "nor is the order of typing on the disk")
        #expect(fields["bundle"] as? String == Work.bundle.manifestDigest)
        #expect(fields["batch"] as? String == oldest.due.name && oldest.due.name.count == 32)
        let period = try #require(fields["period"] as? [String: String])
        #expect(period == ["start": "2023-11-14T00:00:00Z", "end": "2023-11-15T00:00:00Z"])
        // It is the same at each request, so a batch that is sent again counts once.
        #expect(try self.outbox().oldest()?.due.report == oldest.due.report)
        try add(outbox, ["the"])
        #expect(try outbox.oldest() == oldest)
        try outbox.remove(oldest.due.name, status: nil)
        #expect(try outbox.oldest() == nil)
        #expect(try outbox.status() == OutboxStatus(batches: 1, bytes: outbox.status().bytes))
    }

    /// An app that ends anywhere between a day's end and its sending doesn't send it twice.
    @Test func aDayThatWasSentIsNotBegunAgain() throws {
        try add(outbox(), ["the"])
        device.pass(days: 1)
        let sent = try #require(try outbox().oldest())
        try outbox().remove(sent.due.name, status: nil)
        device.pass(days: -1)  // the clock is set back into the day
        try add(outbox(), ["of"])
        device.pass(days: 1)
        #expect(try outbox().oldest() == nil, "it is the next day's")
        device.pass(days: 1)
        #expect(try outbox().oldest()?.day == sent.day + 1)
    }

    @Test func aBudgetPaysForWhatLeavesOnly() throws {
        let file = try Work.newFolder().appendingPathComponent("budget.json")
        let budget = try PrivacyBudget(limit: 3 * counts.loss + 0.001, period: 60, stateFile: file)
        let three = try OutboxTests.counts(wordsADay: 3)
        for _ in 0..<10 { try add(outbox(), ["the"], counts: three, budget) }
        let four = try OutboxTests.counts(wordsADay: 4)
        #expect(throws: BrrError.self) { try add(outbox(), ["the"], counts: four, budget) }
        device.pass(days: 1)
        #expect(try outbox().oldest()?.sample.words.count == 3, "what was refused isn't kept")
    }

    @Test func anotherSettingOnADayTakesTheOldOnesPlace() throws {
        try add(outbox(), ["the"])
        try add(outbox(), ["the"], counts: OutboxTests.counts(cap: 8))
        let status = try outbox().status()
        #expect(status.batches == 1 && status.dropped == 1)
    }

    /// Of 2,000 places five words of 8 bytes, each with 2^-64. False alarm: 1e-15.
    @Test func filesAreEncrypted() throws {
        let vault = Refusing()
        let outbox = outbox(vault)
        let long = try #require(
            (0..<Work.bundle.count).lazy.map { Work.bundle.vocabulary.word($0)! }
                .first { $0.utf8.count > 7 })
        // With this cap one draw of 2^63 gives another word.
        try add(
            outbox, Array(repeating: long, count: 5), counts: OutboxTests.counts(cap: 88))
        device.pass(days: 1)
        let words = Set(try #require(try outbox.oldest()).sample.words)
        #expect(words == [long])
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let content = try Data(contentsOf: folder.appendingPathComponent(name))
            #expect(content.count < 2_000)
            for word in words.union([#""words":"#]) {
                #expect(content.range(of: Data(word.utf8)) == nil)
            }
        }
        vault.refusal = Refusing.Refusal(isForGood: false)
        #expect(throws: FileError.self) { try add(outbox, ["the"]) }
        vault.refusal = nil
        #expect(try outbox.status().batches == 1, "nothing is lost while the vault is locked")
    }

    private func refuse(_ outbox: Outbox, _ status: Int) throws {
        try add(outbox, ["the"])
        device.pass(days: 1)
        try outbox.remove(try #require(try outbox.oldest()).due.name, status: status)
    }

    @Test func whatWasRefusedGoesFirstWhereThereIsNoRoom() throws {
        let small = outbox(limits: OutboxLimits(batches: 3))
        for status in 409..<412 { try refuse(small, status) }
        #expect(try small.refusedBatches().map(\.status) == [409, 410, 411])
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let content = try Data(contentsOf: folder.appendingPathComponent(name))
            #expect(content.range(of: Data("status".utf8)) == nil)
        }
        try add(small, ["of"])
        #expect(try outbox().refusedBatches().map(\.status) == [410, 411], "as after a restart")
        for _ in 0..<4 {
            try add(small, ["of"])
            device.pass(days: 1)
        }
        #expect(try small.refusedBatches() == [])
        let status = try small.status()
        #expect(status.batches == 3 && status.refused == 3)
        #expect(status.dropped == 1, "what waits goes only after them")
    }

    /// A refused batch in place of a waiting one would be sent again.
    @Test func whatWasRefusedIsntTakenForWhatWaits() throws {
        try refuse(outbox(), 409)
        let file = folder.appendingPathComponent("000000000001.refused")
        var content = try Data(contentsOf: file)
        try content.write(to: folder.appendingPathComponent("000000000001.batch"))
        #expect(try outbox().oldest() == nil)
        #expect(try outbox().status().damaged == 1)
        content[40] ^= 1
        try content.write(to: file)
        #expect(try outbox().refusedBatches() == [])
        content[40] ^= 1
        try content.write(to: file)
        try Data(count: 7).write(to: folder.appendingPathComponent("key"))
        #expect(try outbox().refusedBatches() == [])
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func whatWasChangedIsDroppedAndCounted() throws {
        try add(outbox(), ["the"])
        let file = folder.appendingPathComponent("000000000001.batch")
        var content = try Data(contentsOf: file)
        content[content.count - 1] ^= 1
        try content.write(to: file)
        device.pass(days: 1)
        #expect(try outbox().oldest() == nil)
        #expect(try outbox().status() == OutboxStatus(damaged: 1))
        // A batch under another number isn't mistaken for that one.
        try add(outbox(), ["the"])
        try FileManager.default.copyItem(
            at: file, to: folder.appendingPathComponent("000000000002.batch"))
        device.pass(days: 1)
        _ = try outbox().oldest()
        #expect(try outbox().status().damaged == 2)
    }

    @Test func withoutItsKeyNothingIsLeft() throws {
        try add(outbox(), ["the"])
        try FileManager.default.removeItem(at: folder.appendingPathComponent("key"))
        #expect(try outbox().oldest() == nil)
        #expect(try outbox().status().batches == 0)
        try add(outbox(), ["the"])
        #expect(try outbox().status().batches == 1)
    }

    @Test func theOldestGoWhereThereIsNoRoom() throws {
        let outbox = outbox(limits: OutboxLimits(batches: 3))
        for _ in 0..<5 {
            try add(outbox, ["the"])
            device.pass(days: 1)
        }
        let status = try outbox.status()
        #expect(status.batches == 3 && status.dropped == 2)
        #expect(try outbox.oldest()?.day == day(of: device.date) - 3)
    }

    @Test func aWithdrawalOutlivesACrash() throws {
        let file = try Work.newFolder().appendingPathComponent("consent")
        let consent = Consent(file: file, outboxes: [outbox()])
        #expect(!consent.isGiven && consent.whileGiven { true } == nil)
        try consent.give()
        #expect(Consent(file: file, outboxes: []).isGiven && consent.whileGiven { true } == true)
        try add(outbox(), ["the"])
        try FileManager.default.removeItem(at: file)  // and then the process ended
        #expect(try outbox().status().batches == 1)
        try consent.settle()
        #expect(try outbox().status().batches == 0)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["lock"])
    }
}
