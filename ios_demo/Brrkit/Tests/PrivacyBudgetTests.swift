import Foundation
import Testing

@testable import Brrkit

struct PrivacyBudgetTests {
    private let unit = Work.bundle64.digest

    /// A clock that tests turn.
    private final class Clock: @unchecked Sendable {
        var now = Instant(time: 1_000_000_000, uptime: 50_000, boot: "a")
        func pass(seconds: Int) {
            now.time += 1_000 * seconds
            now.uptime += 1_000 * seconds
        }
    }

    private func newFile() throws -> URL {
        try Work.temporaryFolder().appendingPathComponent("budget.json")
    }

    private func newBudget(
        _ file: URL, limit: Double = 10, period: Double = 100, _ clock: Clock? = nil
    ) throws -> PrivacyBudget {
        guard let clock else {
            return try PrivacyBudget(limit: limit, period: period, stateFile: file)
        }
        return try PrivacyBudget(limit: limit, period: period, stateFile: file) { clock.now }
    }

    @Test func countsAndRefuses() throws {
        let budget = try newBudget(newFile(), limit: 1)
        for _ in 0..<10 { try budget.spend(0.1, unit: unit) }  // tenths add up to 1
        #expect(try budget.remaining() == 0)
        #expect(isRefused { try budget.spend(1e-9, unit: unit) })
        try budget.spend(0, unit: unit)
    }

    /// Also with a lease, another value's spending, and reports that share the budget.
    @Test func wordsLeftAreWhatSpendAllows() throws {
        let clock = Clock()
        let file = try newFile()
        for round in 0..<60 {
            try? FileManager.default.removeItem(at: file)
            let used = try newBudget(file, limit: 0.1 + Double(round * 37 % 300) / 10, clock)
            let other = try newBudget(file, limit: used.limit + 3, clock)
            for release in 0..<(round * 7 % 30) {
                let spender = (round + release) % 10 > 0 ? used : other
                let cost = [0.3, 0.6255, 7.5][(release + round) % 3]
                _ = kind { try spender.spend(cost, unit: unit) }
                if (round * 11 + release) % 20 == 0 { clock.pass(seconds: 100) }
            }
            let epsilon = [0.1, 0.3, 0.6255][round % 3]
            let left = try used.wordsLeft(epsilon, unit: unit)
            #expect(isRefused { try used.spend(epsilon, words: left + 1, unit: unit) })
            #expect(try used.wordsLeft(epsilon, unit: unit) == left)
            if left > 0 && round % 2 == 0 {
                try used.spend(epsilon, words: left, unit: unit)
            } else {
                for _ in 0..<left { try used.spend(epsilon, unit: unit) }
            }
            #expect(try used.wordsLeft(epsilon, unit: unit) == 0)
        }
    }

    @Test func wordsLeftAreOfAUnitAndAtMostWhatSpendTakes() throws {
        let file = try newFile()
        let budget = try newBudget(file)
        #expect(try budget.wordsLeft(2.5, unit: unit) == 4)
        #expect(try newBudget(file, limit: 1e9).wordsLeft(1e-9, unit: unit) == Int(Int32.max))
        #expect(!FileManager.default.fileExists(atPath: file.path))
        try budget.spend(1, unit: unit)
        #expect(try budget.wordsLeft(2.5, unit: unit) == 3)
        #expect(try budget.wordsLeft(2.5, unit: "v") == 0)
        for epsilon in [0, -1, .nan, 1.1e9] {
            #expect(kind { _ = try budget.wordsLeft(epsilon, unit: unit) } == .parameter)
        }
        #expect(kind { _ = try budget.wordsLeft(1, unit: "a b") } == .parameter)
        try Data("damaged".utf8).write(to: file)
        #expect(kind { _ = try budget.wordsLeft(1, unit: unit) } == .budgetFile)
    }

    @Test func costsRoundUpAndLimitsDown() throws {
        #expect(try costOf(0.3) == 300_000_000)
        #expect(try costOf(1e-9) == 1)
        #expect(try costOf(1e-10) == 1)
        #expect(try costOf(.leastNonzeroMagnitude) == 1)
        #expect(try costOf(0.1 + 0.2) == 300_000_001)
        #expect(try costOf(1e9) == 1_000_000_000_000_000_000)
        let budget = try newBudget(newFile(), limit: 0.0000000019)
        try budget.spend(1e-9, unit: unit)
        #expect(isRefused { try budget.spend(1e-9, unit: unit) })
    }

    @Test func wrongArgumentsAreRefused() throws {
        let file = try newFile()
        for limit in [0, -1, .nan, .infinity, 2e9] {
            #expect(kind { _ = try newBudget(file, limit: limit) } == .parameter)
        }
        for period in [0, 0.5, .nan, 2e12] {
            #expect(kind { _ = try newBudget(file, period: period) } == .parameter)
        }
        #expect(kind { _ = try newBudget(URL(string: "https://example.com/x")!) } == .parameter)
        let budget = try newBudget(file)
        for epsilon in [-0.1, .nan, .infinity, 2e9] {
            #expect(kind { try budget.spend(epsilon, unit: unit) } == .parameter)
        }
        #expect(kind { try budget.spend(1, words: -1, unit: unit) } == .parameter)
        #expect(kind { try budget.spend(1e9, words: .max, unit: unit) } == .parameter)
        #expect(isRefused { try budget.spend(1e9, words: 1 << 31 - 1, unit: unit) })
        for unit in ["", "a b", "é", String(repeating: "a", count: 65)] {
            #expect(kind { try budget.spend(1, unit: unit) } == .parameter)
        }
    }

    @Test func aPeriodEndsByTheClockThatCantBeSet() throws {
        let clock = Clock()
        let budget = try newBudget(newFile(), clock)
        try budget.spend(10, unit: unit)
        clock.now.time += 1_000_000_000  // set forward
        #expect(try budget.remaining() == 0)
        clock.now.time -= 2_000_000_000  // and back
        #expect(try budget.remaining() == 0)
        clock.pass(seconds: 99)
        #expect(try budget.remaining() == 0)
        clock.pass(seconds: 1)
        #expect(try budget.remaining() == 10)
    }

    @Test func aRestartCountsTheTimeThatTheDeviceWasOff() throws {
        let clock = Clock()
        let budget = try newBudget(newFile(), clock)
        try budget.spend(10, unit: unit)
        clock.now = Instant(time: clock.now.time + 60_000, uptime: 5_000, boot: "b")
        #expect(try budget.remaining() == 0)
        clock.now.time += 1_000_000_000  // after the first look, a set clock doesn't count
        #expect(try budget.remaining() == 0)
        clock.pass(seconds: 40)
        #expect(try budget.remaining() == 10)
    }

    /// A clock that was set back before a restart: at least the time since the start has passed.
    @Test func aRestartWithAClockSetBack() throws {
        let clock = Clock()
        let budget = try newBudget(newFile(), clock)
        try budget.spend(10, unit: unit)
        clock.now = Instant(time: 0, uptime: 99_000, boot: "b")
        #expect(try budget.remaining() == 0)
        clock.pass(seconds: 1)
        #expect(try budget.remaining() == 10)
    }

    /// Set back before a restart and forward again behind it: no time has passed that way.
    @Test func aClockSetBackGainsNothing() throws {
        let clock = Clock()
        let file = try newFile()
        let budget = try newBudget(file, clock)
        let start = clock.now.time
        try budget.spend(1, unit: unit)
        clock.now.time = 0
        try newBudget(file, clock).spend(1, unit: unit)  // without a lease: a look that is stored
        clock.now = Instant(time: start + 10_000, uptime: 5_000, boot: "b")
        #expect(try budget.remaining() == 8)
        clock.pass(seconds: 89)
        #expect(try budget.remaining() == 8)
        clock.pass(seconds: 1)
        #expect(try budget.remaining() == 10)
    }

    @Test func anotherBundlesEpsilonIsRefused() throws {
        let clock = Clock()
        let budget = try newBudget(newFile(), clock)
        try budget.spend(1, unit: unit)
        #expect(isRefused { try budget.spend(1, unit: "another") })
        clock.pass(seconds: 100)
        try budget.spend(1, unit: "another")
    }

    @Test func everyFlippedBitIsRefused() throws {
        let file = try newFile()
        let budget = try newBudget(file, Clock())  // a busy machine takes longer than the period
        try budget.spend(3, unit: unit)
        let state = try Data(contentsOf: file)
        for bit in 0..<8 * state.count {
            var damaged = state
            damaged[bit / 8] ^= 1 << (bit % 8)
            try damaged.write(to: file)
            try #require(kind { _ = try budget.remaining() } == .budgetFile, "bit \(bit)")
        }
        for damaged in [Data(), state + state, state.dropLast(), state + Data(" ".utf8)] {
            try damaged.write(to: file)
            #expect(kind { _ = try budget.remaining() } == .budgetFile)
        }
        try state.write(to: file)
        #expect(try budget.remaining() == 7)
    }

    @Test func linksPipesAndFoldersAreRefused() throws {
        for suffix in ["", ".lock"] {
            for make: (String, String) -> Void in [
                { symlink($0, $1) }, { link($0, $1) }, { mkfifo($1, 0o600) }, { mkdir($1, 0o700) },
            ] {
                let file = try newFile()
                let other = file.deletingLastPathComponent().appendingPathComponent("other")
                try Data().write(to: other)
                make(other.path, file.path + suffix)
                let budget = try newBudget(file)
                #expect(kind { try budget.spend(1, unit: unit) } == .budgetFile)
            }
        }
        let missing = try newFile().appendingPathComponent("missing/budget.json")
        #expect(kind { try newBudget(missing).spend(1, unit: unit) } == .budgetFile)
    }

    @Test func threadsAndObjectsShareOneState() async throws {
        let (file, clock) = (try newFile(), Clock())
        let budgets = try (0..<8).map { _ in try newBudget(file, clock) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for budget in budgets {
                group.addTask { [unit] in for _ in 0..<10 { try budget.spend(0.05, unit: unit) } }
            }
            try await group.waitForAll()
        }
        // What is on disk was released, or is in a lease: at most twice the 4 that are released, so
        // that nobody is refused, whoever comes first.
        let left = try newBudget(file, clock).remaining()
        let leases = try budgets.map { try $0.remaining() - left }
        #expect(abs(left + leases.reduce(0, +) - 6) < 1e-6)
    }

    private let spendProgram = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("spend")

    /// Real processes, as an app and its extension are, one of them killed: together they spend what
    /// there is, and not more.
    @Test func processesShareOneState() throws {
        let file = try newFile()
        let started = try (0..<3).map { _ in
            let process = Process()
            process.executableURL = spendProgram
            process.arguments = [file.path, "10", "0.015625", unit]
            (process.standardInput, process.standardOutput) = (Pipe(), Pipe())
            try process.run()
            return process
        }
        func output(_ process: Process) -> FileHandle {
            (process.standardOutput as! Pipe).fileHandleForReading
        }
        for process in started {  // now, all at once
            try (process.standardInput as! Pipe).fileHandleForWriting.close()
        }
        // On a busy machine, the others may have left it nothing.
        let first = try output(started[0]).read(upToCount: 5) ?? Data()
        kill(started[0].processIdentifier, SIGKILL)
        var spent = try started.map { try output($0).readToEnd()?.count ?? 0 }
        spent[0] += first.count
        for process in started { process.waitUntilExit() }
        #expect(started[1...].allSatisfy { $0.terminationStatus == 0 })
        // The killed one may have spent without a word, lost as much as it released, and left the lock
        // to the others, who have used up their leases.
        let all = spent.reduce(0, +)
        #expect(all <= 640 && all + spent[0] + 1 >= 640, "\(spent)")
        #expect(try newBudget(file).remaining() == 0)
    }

    private func stored(_ file: URL) throws -> Int {
        try #require(JSON(parsing: Array(Data(contentsOf: file)))["spent"]?.integer)
    }

    @Test func aLeaseNeedsNoDiskAndWhatIsBeyondItDoes() throws {
        let (file, clock) = (try newFile(), Clock())
        let budget = try newBudget(file, clock)
        for _ in 0..<2 { try budget.spend(1, unit: unit) }  // and one more
        #expect(try stored(file) == 3_000_000_000)
        #expect(try budget.remaining() == 8)
        #expect(try newBudget(file, clock).remaining() == 7)  // another one's lease isn't its own
        try Data("damaged".utf8).write(to: file)
        #expect(kind { try budget.spend(1, words: 2, unit: unit) } == .budgetFile)
        try budget.spend(1, unit: unit)
        #expect(kind { try budget.spend(1, unit: unit) } == .budgetFile)
        #expect(try Data(contentsOf: file) == Data("damaged".utf8))
    }

    @Test func aLeaseEndsWithItsPeriod() throws {
        let (file, clock) = (try newFile(), Clock())
        let budget = try newBudget(file, clock)
        for _ in 0..<2 { try budget.spend(1, unit: unit) }
        clock.pass(seconds: 100)
        #expect(isRefused { try budget.spend(1, words: 11, unit: unit) })
        try budget.spend(1, words: 10, unit: unit)
        #expect(try stored(file) == 10_000_000_000)
        clock.pass(seconds: 100)
        for _ in 0..<2 { try budget.spend(1, unit: unit) }
        clock.pass(seconds: 100)
        try newBudget(file, clock).spend(1, words: 10, unit: unit)
        #expect(isRefused { try budget.spend(1, unit: unit) })
    }

    @Test func aLeaseLastsAsLongAsItsPeriodAndNoRestart() throws {
        let (file, clock) = (try newFile(), Clock())
        let budget = try newBudget(file, clock)
        for _ in 0..<2 { try budget.spend(1, unit: unit) }
        clock.now.time += 1_000_000_000
        clock.pass(seconds: 99)
        try budget.spend(1, unit: unit)
        #expect(try stored(file) == 3_000_000_000)

        let another = try newFile()
        let restarted = try newBudget(another, clock)
        for _ in 0..<2 { try restarted.spend(1, unit: unit) }
        clock.now.boot = "b"
        clock.now.uptime = 1
        try restarted.spend(1, unit: unit)
        #expect(try stored(another) == 4_000_000_000)
    }

    @Test func aLeaseIsOfOneUnit() throws {
        let budget = try newBudget(newFile(), Clock())
        for _ in 0..<2 { try budget.spend(1, unit: unit) }
        for words in 0...1 {
            #expect(isRefused { try budget.spend(1, words: words, unit: "another") })
        }
    }

    @Test func leasesLeaveTheOthersMostOfWhatIsLeft() throws {
        let (file, clock) = (try newFile(), Clock())
        let budgets = try (0..<5).map { _ in try newBudget(file, limit: 1000, clock) }
        for budget in budgets {
            try budget.spend(1, words: 100, unit: unit)
            let left = try 999_000_000_000 - stored(file)
            try budget.spend(1, unit: unit)
            #expect(try 1_000_000_000_000 - stored(file) >= left / 8 * 7)
        }
        let last = try newBudget(file, limit: 1000, clock)
        try last.spend(1, words: Int(last.remaining()), unit: unit)
        #expect(try stored(file) == 1_000_000_000_000)
        for budget in budgets {
            try budget.spend(1, words: Int(budget.remaining()), unit: unit)
        }
        #expect(try stored(file) == 1_000_000_000_000)
    }

    @Test func aRemovedStateIsForgottenAtTheNextLook() throws {
        let (file, clock) = (try newFile(), Clock())
        let budget = try newBudget(file, clock)
        for _ in 0..<2 { try budget.spend(1, unit: unit) }
        try FileManager.default.removeItem(at: file)
        #expect(try budget.remaining() == 10)
        try budget.spend(1, unit: unit)
        #expect(try stored(file) == 1_000_000_000)
    }

    /// Copies of a value are one budget; together they spend what there is.
    @Test func threadsShareALease() async throws {
        let budget = try newBudget(newFile(), limit: 200, Clock())
        let released = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { [unit] in
                    var count = 0
                    while (try? budget.spend(0.125, unit: unit)) != nil { count += 1 }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(released == 1600)
    }

    @Test func aLeaseIsntInherited() throws {
        let file = try newFile()
        let process = Process()
        process.executableURL = spendProgram
        process.arguments = [file.path, "1000", "1", unit, "fork"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        #expect(try output.fileHandleForReading.readToEnd()?.count == 10)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(try stored(file) == 10_000_000_000)
    }

    @Test func usedUpSaysWhatIsLeftAndUntilWhen() throws {
        let clock = Clock()
        let budget = try newBudget(newFile(), clock)
        for _ in 0..<2 { try budget.spend(1, unit: unit) }
        clock.now.uptime += 60_500
        let refused = kind { try budget.spend(1, words: 9, unit: unit) }
        #expect(refused == .budget(left: 8, renewsIn: 40))
        let other = kind { try budget.spend(1, unit: "another") }
        #expect(other == .budget(left: 0, renewsIn: 40))
    }

    /// The new content is on disk before it gets the file's name, and the name before it counts.
    @Test func whatIsSpentIsFlushed() throws {
        let file = try newFile()
        try newBudget(file).spend(1, unit: unit)
        let old = try Data(contentsOf: file)
        var flushed = [String]()
        let state = try StateFile(file.path, .budgetFile) { descriptor in
            let link = "/proc/self/fd/\(descriptor)"
            flushed.append((try? FileManager.default.destinationOfSymbolicLink(atPath: link)) ?? "")
            if flushed.count == 1 { #expect((try? Data(contentsOf: file)) == old) }
            return isOnDisk(descriptor)
        }
        try state.replace(Array("new".utf8))
        let names = flushed.map { URL(fileURLWithPath: $0).lastPathComponent }
        #expect(names == ["budget.json.new", file.deletingLastPathComponent().lastPathComponent])
    }

    @Test func whatCantBeFlushedIsNotSpent() throws {
        let file = try newFile()
        try newBudget(file).spend(1, unit: unit)
        let old = try Data(contentsOf: file)
        let failing = kind { try StateFile(file.path, .budgetFile) { _ in false }.replace([1]) }
        #expect(failing == .budgetFile)
        #expect(try Data(contentsOf: file) == old)
        #expect(!FileManager.default.fileExists(atPath: file.path + ".new"))
    }

    /// A killed process leaves either state. Its new file is no obstacle.
    @Test func aLeftOverFileIsNoObstacle() throws {
        let file = try newFile()
        try Data("half".utf8).write(to: URL(fileURLWithPath: file.path + ".new"))
        let budget = try newBudget(file)
        try budget.spend(1, unit: unit)
        #expect(try budget.remaining() == 9)
        #expect(!FileManager.default.fileExists(atPath: file.path + ".new"))
    }
}
