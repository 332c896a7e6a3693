import Brrkit
import Foundation
import Testing

@testable import BrrkitKeyboard

/// Days of frames on disk and in transit: the same number leaves, one by one, whatever is typed.
struct FramesTests {
    private static let shape = Frames(words: 3, aDay: 4)
    private let device = Device()
    private let folder: URL

    init() throws { folder = try Work.newFolder().appendingPathComponent("outbox") }

    private func outbox(
        _ vault: (any KeyVault)? = nil, limits: OutboxLimits = OutboxLimits()
    ) -> Outbox {
        Outbox(folder: folder, vault: vault, limits: limits) { [device] in device.date }
    }

    private func reporter(
        _ epsilon: Double = 0.5, _ shape: Frames = shape, _ budget: PrivacyBudget? = nil
    ) throws -> TextReporter {
        try TextReporter(
            Work.bundle, setting: Setting(epsilon: epsilon), frames: shape, budget: budget)
    }

    private func add(_ text: String, _ reporter: TextReporter, _ outbox: Outbox? = nil) throws {
        try (outbox ?? self.outbox()).add(Work.bundle.read(text), to: reporter)
    }

    /// Sends all waiting reports, and returns them.
    private func sent(_ outbox: Outbox) throws -> [Due] {
        var sent = [Due]()
        while let frame = try outbox.anyFrame() {
            sent.append(frame)
            try outbox.remove(frame.name, status: nil)
        }
        return sent
    }

    private func fields(_ due: Due) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: due.report) as? [String: Any])
    }

    /// The content of a file of frames.
    private func stored(_ number: Int) throws -> FrameDay {
        let key = folder.appendingPathComponent("key")
        let opened = try #require(
            try OutboxKey.read(contents(key) ?? [], key, nil)?
                .open(number, contents(file(number)) ?? []))
        return try JSONDecoder().decode(FrameDay.self, from: Data(opened))
    }

    private func file(_ number: Int) -> URL {
        folder.appendingPathComponent("00000000000\(number).frames")
    }

    @Test func aDayLeavesFrameByFrameWhenItIsOver() throws {
        let reporter = try reporter()
        try add("the of and to in", reporter)
        try outbox().endText(of: reporter)
        #expect(try outbox().anyFrame() == nil)
        let open = try stored(1)
        #expect(open.frames.seen == 2 && !open.isClosed && open.frames == reporter.day)
        device.pass(days: 1)
        #expect(try outbox().anyFrame() != nil)
        let closed = try stored(1)
        #expect(closed.isClosed && closed.frames.seen == 0, "nor how many texts there were")
        let words = closed.frames.frames
        #expect(Set(words) == Set(open.frames.frames) && words.count == 4)
        #expect(
            words.map { $0.joined(separator: "\n") }
                == words.map { $0.joined(separator: "\n") }.sorted())
        // A frame is the same at each request, so a frame that is sent again counts once.
        #expect(try outbox().anyFrame(Number(0)) == outbox().anyFrame(Number(0)))
        let sent = try sent(outbox())
        #expect(sent.count == 4 && Set(sent.map(\.name)).count == 4)
        #expect(Set(try sent.map { try #require(fields($0)["words"] as? [String]) }) == Set(words))
        for frame in sent {
            let fields = try fields(frame)
            #expect(fields["format"] as? String == "brr-frames" && frame.report.count == 1_024)
            #expect(fields["batch"] as? String == frame.name && frame.name.count == 32)
            #expect(fields["bundle"] as? String == Work.bundle.manifestDigest)
            #expect(
                fields["period"] as? [String: String]
                    == ["start": "2023-11-14T00:00:00Z", "end": "2023-11-15T00:00:00Z"])
        }
        #expect(try outbox().status() == OutboxStatus())
    }

    @Test func aDayThatWasSentIsNotBegunAgain() throws {
        try add("", reporter())
        device.pass(days: 1)
        #expect(try sent(outbox()).count == 4)
        device.pass(days: -1)  // the clock is set back into the day
        try add("", reporter())
        device.pass(days: 1)
        #expect(try sent(outbox()).isEmpty, "it is the next day's")
        device.pass(days: 1)
        let period = try fields(try #require(try outbox().anyFrame()))["period"]
        #expect((period as? [String: String])?["start"] == "2023-11-15T00:00:00Z")
    }

    /// A process's part of a text in progress is lost with it, and nothing else.
    @Test func aKillKeepsTheDay() throws {
        let file = try Work.newFolder().appendingPathComponent("budget.json")
        let budget = try PrivacyBudget(limit: 1_000, period: 60, stateFile: file)
        let first = try reporter(0.5, FramesTests.shape, budget)
        try add("the of and to in", first)
        #expect(first.isInText)
        let left = try budget.remaining()
        #expect(abs(1_000 - left - first.loss) < 1e-6)
        let second = try reporter(0.5, FramesTests.shape, budget)
        try add("the", second)
        #expect(second.day?.frames == first.day?.frames && second.day?.seen == 1)
        // Two processes share a day, each with a text of its own.
        try add("of and", second)
        #expect(second.day?.seen == 2)
        try add("of", first)
        #expect(first.day?.seen == 3 && first.day?.frames[1] == second.day?.frames[1])
        #expect(try budget.remaining() == left && outbox().status().frameDays == 1)
    }

    @Test func anotherSettingOnADayTakesTheOldOnesPlace() throws {
        try add("the", reporter())
        let old = try stored(1)
        let file = try Work.newFolder().appendingPathComponent("budget.json")
        let poor = try PrivacyBudget(limit: 0.1, period: 60, stateFile: file)
        #expect(throws: BrrError.self) { try add("the", reporter(0.6, FramesTests.shape, poor)) }
        #expect(try stored(1) == old, "what can't be paid takes nobody's place")
        for (dropped, next) in [
            (1, try reporter(0.6)), (2, try reporter(0.6, Frames(words: 4, aDay: 3))),
        ] {
            try add("the", next)
            let status = try outbox().status()
            #expect(status.frameDays == 1 && status.dropped == dropped)
            #expect(try stored(dropped + 1).day == old.day)
        }
        device.pass(days: 1)
        #expect(try sent(outbox()).count == 3)
    }

    /// Of 4,000 places 12 words of 8 bytes, each with 2^-64. False alarm: 1e-14.
    @Test func filesAreEncrypted() throws {
        let vault = Refusing()
        let reporter = try reporter()
        try add("the", reporter, outbox(vault))
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let content = try Data(contentsOf: folder.appendingPathComponent(name))
            for word in try #require(reporter.day).frames.joined() where word.utf8.count > 7 {
                #expect(content.range(of: Data(word.utf8)) == nil)
            }
            #expect(content.range(of: Data(#""frames":"#.utf8)) == nil)
        }
        vault.refusal = Refusing.Refusal(isForGood: false)
        #expect(throws: FileError.self) { try add("of and", reporter, outbox(vault)) }
        vault.refusal = nil
        try add("", reporter, outbox(vault))
        #expect(reporter.day?.seen == 0, "nothing is lost while the vault is locked")
        #expect(try outbox().status().frameDays == 1)
    }

    @Test func whatWasChangedIsDroppedAndCounted() throws {
        let reporter = try reporter()
        for damaged in 1...4 {
            try add("the of and", reporter)
            #expect(reporter.day?.seen == 1, "another day has begun")
            var content = try Data(contentsOf: file(1))
            switch damaged {
            case 1: content[content.count - 1] ^= 1
            case 2: content.removeLast(content.count / 2)
            case 3: content = Data()
            default:  // of its own key and number, but something else
                let counts = try Counts(Work.bundle, setting: CountsSetting(cap: 9))
                try outbox().add(counts.bundle.read("the"), counts, nil, SystemRandom())
                content = try Data(
                    contentsOf: folder.appendingPathComponent("000000000001.batch"))
            }
            try content.write(to: file(1))
            device.pass(days: 1)
            #expect(try outbox().anyFrame() == nil)
            #expect(try outbox().status().damaged == damaged)
            #expect(try outbox().status().frameDays == 0)
        }
        // A day under another number isn't mistaken for that one.
        try add("the", reporter)
        try FileManager.default.copyItem(at: file(1), to: file(2))
        device.pass(days: 1)
        #expect(try sent(outbox()).count == 4)
        #expect(try outbox().status().damaged == 5)
    }

    /// Nor does an earlier text continue, whatever is stored first.
    @Test func withoutItsKeyNothingIsLeft() throws {
        let reporter = try reporter()
        let counts = try Counts(Work.bundle, setting: CountsSetting(cap: 9))
        for isWithdrawn in [true, false] {
            try add("the of", reporter)
            if isWithdrawn {
                try outbox().clear()
                try outbox().add(counts.bundle.read("the"), counts, nil, SystemRandom())
            } else {
                try FileManager.default.removeItem(at: folder.appendingPathComponent("key"))
            }
            #expect(try outbox().anyFrame() == nil && outbox().status().frameDays == 0)
            try add("and", reporter)
            #expect(reporter.day?.seen == 0)
            try add("to in", reporter)
            #expect(reporter.day?.seen == 1)
        }
        try Data(count: 7).write(to: folder.appendingPathComponent("key"))
        #expect(try outbox().anyFrame() == nil)
        #expect(try outbox().status().damaged >= 1 && outbox().status().frameDays == 0)
    }

    @Test func theOldestDayGoesAsAWhole() throws {
        let reporter = try reporter()
        let limits = OutboxLimits(batches: 1, bytes: 1, frameDays: 2)
        for _ in 0..<5 {
            try add("the of and", reporter, outbox(limits: limits))
            device.pass(days: 1)
        }
        try add("", reporter, outbox(limits: limits))
        let status = try outbox().status()
        #expect(status.frameDays == 3 && status.dropped == 3 && status.bytes > 1)
        let days = try sent(outbox()).map { try fields($0)["period"] as? [String: String] }
        #expect(days.count == 8)
        #expect(Set(days.map { $0?["start"] }) == ["2023-11-17T00:00:00Z", "2023-11-18T00:00:00Z"])
    }

    /// Of all days: each number that can be drawn gives another one.
    @Test func anyFrameIsAsLikely() throws {
        let reporter = try reporter()
        for _ in 0..<2 {
            try add("", reporter)
            device.pass(days: 1)
        }
        let frames = try (0..<8).map { number in
            try #require(try outbox().anyFrame(Number(number))).name
        }
        #expect(Set(frames).count == 8)
    }

    @Test func whatIsRefusedIsKeptForTheApp() throws {
        try add("", reporter())
        device.pass(days: 1)
        let frame = try #require(try outbox().anyFrame())
        try outbox().remove(frame.name, status: 422)
        let report = String(decoding: frame.report, as: UTF8.self)
        #expect(try outbox().refusedBatches() == [RefusedBatch(status: 422, report: report)])
        #expect(try outbox().status().refused == 1)
        let rest = try sent(outbox())
        #expect(rest.count == 3 && !rest.contains(frame))
    }

    // MARK: - Sending

    private struct Parts {
        let uploader: Uploader
        let answers: Answers
    }

    /// One frame leaves in a run, before batches for counting, whose existence depends on typing.
    @Test func aFrameLeavesInARun() async throws {
        let consent = Consent(
            file: try Work.newFolder().appendingPathComponent("consent"), outboxes: [])
        try consent.give()
        let counts = try Counts(Work.bundle, setting: CountsSetting(cap: 9))
        let reporter = try reporter()
        for _ in 0..<2 {
            try add("the of and", reporter)
            try outbox().add(counts.bundle.read("the"), counts, nil, SystemRandom())
            device.pass(days: 1)
        }
        let answers = Answers([Reply](repeating: Reply(status: 200), count: 20))
        let uploader = Uploader(outbox(), consent, transport: answers)
        func formats() -> [String] {
            answers.reports.map {
                $0.range(of: Data("brr-frames".utf8)) == nil ? "reports" : "frames"
            }
        }
        #expect(await run(uploader) == .done(sent: 3, refused: 0))
        #expect(formats() == ["frames", "reports", "reports"])
        for run in 1..<8 {
            #expect(await self.run(uploader) == .done(sent: 1, refused: 0))
            #expect(formats().count == 3 + run && formats().last == "frames")
        }
        #expect(await run(uploader) == .done(sent: 0, refused: 0))
        #expect(try outbox().status().frameDays == 0)
    }

    private func run(_ uploader: Uploader) async -> Upload {
        await withCheckedContinuation { done in uploader.run { done.resume(returning: $0) } }
    }

    @Test func thereAreTwiceAsManyRunsAsFrames() throws {
        #expect(UploadPolicy(frames: Frames()).interval == 5_400)
        #expect(UploadPolicy(frames: Frames(words: 1, aDay: 1_000)).interval == 43.2)
        let policy = UploadPolicy(frames: Frames(words: 8, aDay: 2))
        for _ in 0..<20 {
            #expect((10_800...32_400).contains(try policy.wait(afterFailures: 0)))
        }
    }

    // MARK: - A keyboard

    private func keyboard(
        _ settings: ReleaseSettings, _ folder: URL? = nil
    ) throws -> BrrKeyboard {
        let keyboard = BrrKeyboard(
            folder: try folder ?? Work.newFolder(), options(settings, sink: Collected())
        ) { () throws(BrrError) in Work.bundle }
        try keyboard.consent.give()
        return keyboard
    }

    private var settings: ReleaseSettings {
        ReleaseSettings(
            .chosen(.exponential, epsilon: 0.5), reports: nil,
            frames: FrameSettings(FramesTests.shape))
    }

    /// The frames of a keyboard's open day, by what is on disk.
    private func day(_ keyboard: BrrKeyboard) throws -> DayFrames? {
        let reporter = try reporter()
        try keyboard.outbox.add([], to: reporter)
        return reporter.day
    }

    @Test func aKeyboardFramesTextsIfItIsTold() async throws {
        var without = settings
        without.frames = nil
        let plain = try keyboard(without)
        #expect(ReleaseSettings(.recommended).frames == nil)
        #expect(await released(plain, "the").frames == .noSetting)
        await plain.beginDay()
        #expect(try plain.outbox.status().frameDays == 0)

        let keyboard = try keyboard(settings)
        for word in ["the", "of", "and", "to"] {
            #expect(await released(keyboard, word).frames == .counted)
        }
        #expect(try day(keyboard)?.seen == 1)
        keyboard.beginText()
        keyboard.beginText()
        #expect(await released(keyboard, "the").frames == .counted)
        #expect(try day(keyboard)?.seen == 2)
        #expect(await released(keyboard, "of and").frames == .counted)
        #expect(try day(keyboard)?.seen == 3)
        try keyboard.consent.withdraw()
        keyboard.beginText()
        #expect(await released(keyboard, "the") == .off)
        await keyboard.beginDay()
        #expect(try keyboard.outbox.status().frameDays == 0)
    }

    /// By a budget of their own, which must allow two days.
    @Test func framesArePaidApart() async throws {
        var settings = settings
        let loss = try reporter().loss
        settings.dailyBudget = 2 * loss
        let keyboard = try keyboard(settings)
        func left(_ file: URL) throws -> Double { try settings.budget(file).remaining() }
        let all = settings.dailyBudget
        await keyboard.beginDay()
        #expect(try abs(left(keyboard.releaser.budgetFile) - all) < 1e-6)
        #expect(try abs(left(keyboard.releaser.frameBudgetFile) - loss) < 1e-6)
        while await released(keyboard, "the").text != .budgetUsedUp {}
        #expect(await released(keyboard, "the").frames == .counted)
        #expect(try abs(left(keyboard.releaser.frameBudgetFile) - loss) < 1e-6)

        settings.dailyBudget = 1.99 * loss
        let poor = try self.keyboard(settings)
        #expect(await released(poor, "the").frames == .unavailable)
        await poor.beginDay()
        #expect(try poor.outbox.status().frameDays == 0)
    }

    @Test func aStrengthAboveTheAppsLimitFramesNothing() async throws {
        var settings = settings
        settings.mostAttackSuccess = 0
        let keyboard = try keyboard(settings)
        #expect(await released(keyboard, "the").frames == .unavailable)
        await keyboard.beginDay()
        #expect(try keyboard.outbox.status().frameDays == 0)
        settings.mostAttackSuccess = nil
        settings.frames = FrameSettings()  // the bundle has none
        #expect(await released(try self.keyboard(settings), "the").frames == .unavailable)
    }

    /// The uploader begins days, and sends their frames: nobody types.
    @Test func aDayWithoutTypingGivesItsFrames() async throws {
        let keyboard = try keyboard(settings)
        let tomorrow = Outbox(folder: keyboard.outbox.folder, vault: nil) { Date() + 86_400 }
        let answers = Answers([Reply](repeating: Reply(status: 200), count: 20))
        func uploader(_ outbox: Outbox) -> Uploader {
            Uploader(
                outbox, keyboard.consent, transport: answers, beginDay: keyboard.beginDay)
        }
        #expect(await run(uploader(keyboard.outbox)) == .done(sent: 0, refused: 0))
        #expect(try keyboard.outbox.status().frameDays == 1)
        for _ in 0..<4 { #expect(await run(uploader(tomorrow)) == .done(sent: 1, refused: 0)) }
        #expect(await run(uploader(tomorrow)) == .done(sent: 0, refused: 0))
        #expect(Set(answers.reports).count == 4)
        #expect(answers.reports.allSatisfy { $0.range(of: Data("brr-frames".utf8)) != nil })
        #expect(try keyboard.outbox.status().frameDays == 1, "the next day has begun")
        try keyboard.consent.withdraw()
        #expect(await run(uploader(tomorrow)) == .off)
        #expect(try keyboard.outbox.status().frameDays == 0)
    }
}

/// Gives a number.
private struct Number: RandomSource {
    let number: Int

    init(_ number: Int) { self.number = number }

    func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { $0 == 0 ? UInt8(number) : 0 }
    }
}
