import Foundation

/// What a device's clocks say at a moment.
public struct Instant: Hashable, Sendable {
    /// Milliseconds since 1970, by the clock that can be set.
    public var time: Int

    /// Milliseconds since the device started, asleep or not, by the clock that can't be set.
    public var uptime: Int

    /// Differs from one start of the device to another; empty where the system doesn't tell.
    public var boot: String

    /// Describes a moment, for tests.
    public init(time: Int, uptime: Int, boot: String) {
        self.time = time
        self.uptime = uptime
        self.boot = boot
    }

    /// Reads this device's clocks.
    public static func now() -> Instant {
        Instant(time: milliseconds(CLOCK_REALTIME), uptime: sinceStart(), boot: bootSession())
    }
}

/// Counts released epsilon in a state file, and refuses what would exceed the limit.
///
/// What a release costs is on disk before it happens: killed at any instant, a device has spent at
/// least what it released. A period starts with the first release after the last one ended, so two
/// limits can be spent around the end of a period. While the device runs, a period's time is counted
/// by a clock that can't be set; the clock that can be set counts only how long the device was off.
/// Deleting the state file forgets what was spent, and so does an old copy of it: keep it where only
/// the app can write, and out of backups. Threads can share it, and processes: an app and its
/// extension give the same file in their App Group's container. `docs/budget.md` has the rule.
public struct PrivacyBudget: Sendable {
    /// Epsilon that may be released in a period (sum over words).
    public let limit: Double

    /// Its length in seconds.
    public let period: Double

    /// Where the state is; a lock file is next to it.
    public let stateFile: URL

    private let path: String
    private let most: Int64  // billionths of epsilon
    private let length: Int64  // milliseconds
    private let clock: @Sendable () -> Instant

    /// Describes the budget; the state file is made by the first release.
    ///
    /// - Parameters:
    ///   - limit: epsilon that may be released in a period, above 0 and at most 1e9.
    ///   - period: its length in seconds, from 1 to 1e12.
    ///   - stateFile: in an existing directory.
    ///   - clock: reads the device's clocks; for tests.
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/parameter``: a number is out of range, or
    ///   `stateFile` can't name a file.
    public init(
        limit: Double, period: Double, stateFile: URL,
        clock: @escaping @Sendable () -> Instant = Instant.now
    ) throws(BrrError) {
        guard limit > 0, limit <= epsilonMost else {
            throw .parameter("budget limit must be a number above 0 and at most 1e9")
        }
        guard period >= 1, period <= 1e12 else {
            throw .parameter("budget period must be from 1 to 1e12 seconds")
        }
        let path = stateFile.absoluteURL.path
        guard stateFile.isFileURL, path.hasPrefix("/"), !path.hasSuffix("/"),
            !path.hasSuffix("/.."), !path.utf8.contains(0)
        else { throw .parameter("a budget's stateFile must be the URL of a file") }
        self.limit = limit
        self.period = period
        self.stateFile = stateFile
        self.path = path
        self.clock = clock
        most = Decimal10(limit).times(powerOfTen: 9).down
        length = Decimal10(period).times(powerOfTen: 3).up
    }

    /// Records the release of `words` words with `epsilon` each, before it happens.
    ///
    /// - Parameters:
    ///   - epsilon: from 0 to 1e9.
    ///   - words: how many, below 2^31.
    ///   - unit: what epsilon is per, as ``WordBundle/unit`` says it: epsilons of different bundles
    ///     don't add up. 1 to 64 letters, digits, `.`, `_` and `-`, all ASCII.
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/budget``: it would exceed the limit, epsilon was
    ///   spent in another unit in this period, or the state file is damaged or can't be written.
    ///   Nothing is recorded then, and nothing may be released. Of kind ``BrrError/Kind/parameter``:
    ///   an argument isn't as described.
    public func spend(_ epsilon: Double, words: Int = 1, unit: String) throws(BrrError) {
        guard (0...Int(Int32.max)).contains(words) else {
            throw .parameter("words must be an integer from 0 to 2^31 - 1")
        }
        guard State.isUnit(unit) else {
            throw .parameter(
                "a budget's unit must be 1 to 64 of the letters a to z, digits and . _ -; use "
                    + "WordBundle.unit")
        }
        let each = try costOf(epsilon)
        let file = try StateFile(path)
        var state = try look(file)
        let wait = (length - state.elapsed + 999) / 1000
        if !state.unit.isEmpty && state.unit != unit {
            throw .budget(
                "\(path): counts another bundle's epsilon, which can't be added to this one's; give "
                    + "each bundle a state file of its own, or wait: the period ends in \(wait) "
                    + "seconds")
        }
        let (cost, isTooMuch) = each.multipliedReportingOverflow(by: Int64(words))
        if isTooMuch || cost > most - state.spent {
            let left = max(most - state.spent, 0)
            throw .budget(
                "the privacy budget doesn't allow this release: it costs "
                    + "\(Double(each) * Double(words) / 1e9), \(Double(left) / 1e9) of \(limit) is "
                    + "left; it renews in \(wait) seconds")
        }
        state.unit = unit
        state.spent += cost
        try file.replace(state.serialized)
    }

    /// Returns the epsilon that is left in this period, in the unit that it is spent in.
    ///
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/budget``: the state file is damaged or can't be
    ///   read.
    public func remaining() throws(BrrError) -> Double {
        let state = try look(StateFile(path))
        return Double(max(most - state.spent, 0)) / 1e9
    }

    /// Returns the running period as of now, or an empty one of no unit.
    ///
    /// The first look after a restart is stored: what is done to the clock from then on, until the
    /// next restart, doesn't count.
    private func look(_ file: StateFile) throws(BrrError) -> State {
        var now = clock()
        now.time = min(max(now.time, 0), timeMost)
        now.uptime = min(max(now.uptime, 0), timeMost)
        guard let content = try file.read(limit: stateLimit) else { return State(at: now) }
        guard let stored = State(parsing: content) else {
            throw .budget(
                "\(path): not a budget's state, or damaged; nothing is released until it is "
                    + "restored, or removed by whoever may forget what was spent")
        }
        var state = stored.at(now)
        if state.elapsed >= length {
            (state.unit, state.spent, state.elapsed) = ("", 0, 0)
        } else if !stored.isOf(now) {
            try file.replace(state.serialized)
        }
        return state
    }
}

private let epsilonMost = 1e9
private let timeMost = 999_999_999_999_999  // milliseconds; 15 digits
private let stateLimit = 1_024  // bytes; the longest state is shorter

/// Returns what a word's release with `epsilon` costs: billionths of epsilon, rounded up.
func costOf(_ epsilon: Double) throws(BrrError) -> Int64 {
    guard epsilon >= 0, epsilon <= epsilonMost else {
        throw .parameter("epsilon must be a number from 0 to 1e9")
    }
    return Decimal10(epsilon).times(powerOfTen: 9).up
}

/// A period, as of its last release or of the first look after a restart.
private struct State: Equatable {
    /// What epsilon is per; empty in none.
    var unit: String
    /// Billionths of epsilon.
    var spent: Int64
    /// Milliseconds of the period.
    var elapsed: Int64
    /// The latest `Instant.time` ever seen.
    var latest: Int
    var boot: String
    var uptime: Int

    init(at now: Instant) {
        (unit, spent, elapsed) = ("", 0, 0)
        (latest, boot, uptime) = (now.time, now.boot, now.uptime)
    }

    /// Reads the one form that a state has in a file.
    init?(parsing content: [UInt8]) {
        guard let json = try? JSON(parsing: content),
            let unit = json["unit"]?.string, State.isUnit(unit),
            let spent = json["spent"]?.integer, spent >= 0,
            let elapsed = json["elapsed"]?.integer, (0...timeMost).contains(elapsed),
            let latest = json["latest"]?.integer, (0...timeMost).contains(latest),
            let boot = json["boot"]?.string, isBootSession(boot),
            let uptime = json["uptime"]?.integer, (0...timeMost).contains(uptime)
        else { return nil }
        self.init(at: Instant(time: latest, uptime: uptime, boot: boot))
        (self.unit, self.spent, self.elapsed) = (unit, Int64(spent), Int64(elapsed))
        if serialized != content { return nil }
    }

    /// The one form that it has in a file.
    var serialized: [UInt8] {
        let fields =
            "{\"format\": \"brr-budget\", \"format_version\": 1, \"unit\": \"\(unit)\", "
            + "\"spent\": \(spent), \"elapsed\": \(elapsed), \"latest\": \(latest), "
            + "\"boot\": \"\(boot)\", \"uptime\": \(uptime)"
        let digest = Array(fields.utf8).withUnsafeBytes(sha256)
        return Array("\(fields), \"sha256\": \"\(digest)\"}\n".utf8)
    }

    /// Whether the device wasn't restarted between this and `now`.
    func isOf(_ now: Instant) -> Bool { now.boot == boot && now.uptime >= uptime }

    /// Returns the period as of `now`, which is later.
    func at(_ now: Instant) -> State {
        // After a restart: at least as long as the device has been up.
        let passed = isOf(now) ? now.uptime - uptime : max(now.uptime, now.time - latest)
        var state = State(at: now)
        (state.unit, state.spent) = (unit, spent)
        state.elapsed = min(elapsed + Int64(passed), Int64(timeMost))
        state.latest = max(latest, now.time)
        return state
    }

    static func isUnit(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "-"):
                    return true
                default: return false
                }
            }
    }
}

/// The decimal that a double prints as, the shortest that is read as it: 0.1 is meant as one tenth.
private struct Decimal10 {
    private let digits: BigUInt
    private let exponent: Int

    init(_ value: Double) {
        let parts = value.description.split(separator: "e")
        let point = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let fraction = point.count > 1 ? point[1] : ""
        digits = BigUInt(UInt64(String(point[0] + fraction))!)
        exponent = (parts.count > 1 ? Int(parts[1])! : 0) - fraction.count
    }

    private init(_ digits: BigUInt, _ exponent: Int) {
        self.digits = digits
        self.exponent = exponent
    }

    func times(powerOfTen power: Int) -> Decimal10 { Decimal10(digits, exponent + power) }

    /// The whole number at or below this, which is below 2^63.
    var down: Int64 { Int64((numerator / denominator).small!) }

    /// The whole number at or above this, which is below 2^63.
    var up: Int64 { Int64(numerator.dividedUp(by: denominator).small!) }

    private var numerator: BigUInt { digits * powerOfTen(max(exponent, 0)) }
    private var denominator: BigUInt { powerOfTen(max(-exponent, 0)) }
}

private func powerOfTen(_ exponent: Int) -> BigUInt {
    (0..<exponent).reduce(BigUInt(1)) { power, _ in power * BigUInt(10) }
}

// MARK: - The device's clocks

private func milliseconds(_ clock: clockid_t) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
}

private func sinceStart() -> Int {
    #if canImport(Darwin)
    return milliseconds(CLOCK_MONOTONIC_RAW)  // also while the device sleeps
    #else
    return milliseconds(CLOCK_BOOTTIME)
    #endif
}

private func bootSession() -> String {
    #if canImport(Darwin)
    var text = [CChar](repeating: 0, count: 64)
    var size = text.count - 1
    guard sysctlbyname("kern.bootsessionuuid", &text, &size, nil, 0) == 0 else { return "" }
    let session = String(cString: text).lowercased()
    #else
    guard let content = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id")
    else { return "" }
    let session = String(decoding: content, as: UTF8.self).filter { $0 != "\n" }
    #endif
    return isBootSession(session) ? session : ""
}

private func isBootSession(_ text: String) -> Bool {
    text.utf8.count <= 36 && text.utf8.allSatisfy("0123456789abcdef-".utf8.contains)
}
