import Foundation

private let timeMost = 999_999_999_999_999  // milliseconds; 15 digits

/// A reading of a device's clocks.
public struct Instant: Hashable, Sendable {
    /// Milliseconds since 1970, by the wall clock.
    public var time: Int

    /// Milliseconds since the device started, asleep or not, by a clock that nobody can set.
    public var uptime: Int

    /// Identifies the device's run since its start; empty if the system doesn't provide it.
    public var boot: String

    /// Describes a moment, for tests.
    public init(time: Int, uptime: Int, boot: String) {
        self.time = time
        self.uptime = uptime
        self.boot = boot
    }

    /// Its value within the limits of a state file.
    var bounded: Instant {
        Instant(
            time: min(max(time, 0), timeMost), uptime: min(max(uptime, 0), timeMost), boot: boot)
    }

    /// Reads this device's clocks.
    public static func now() -> Instant {
        Instant(time: milliseconds(CLOCK_REALTIME), uptime: sinceStart(), boot: thisBoot)
    }
}

/// A period, as of a stored look at it.
///
/// The rule is in `spec/state-files.md`: the uptime measures the time while the device runs, and the wall
/// clock measures only how long it was off.
struct Period: Hashable {
    /// Milliseconds of the period.
    var elapsed: Int64
    /// The latest `Instant.time` that the clocks have shown.
    var latest: Int
    var boot: String
    var uptime: Int

    init(startingAt now: Instant) {
        elapsed = 0
        (latest, boot, uptime) = (now.time, now.boot, now.uptime)
    }

    /// Reads its fields in a state file.
    init?(_ json: JSON) {
        guard let elapsed = json["elapsed"]?.integer, (0...timeMost).contains(elapsed),
            let latest = json["latest"]?.integer, (0...timeMost).contains(latest),
            let boot = json["boot"]?.string, isBootSession(boot),
            let uptime = json["uptime"]?.integer, (0...timeMost).contains(uptime)
        else { return nil }
        self.init(startingAt: Instant(time: latest, uptime: uptime, boot: boot))
        self.elapsed = Int64(elapsed)
    }

    /// Its fields in a state file, in their only form.
    var fields: String {
        "\"elapsed\": \(elapsed), \"latest\": \(latest), \"boot\": \"\(boot)\", "
            + "\"uptime\": \(uptime)"
    }

    /// Whether this is a later look at the period of `earlier`, in one run of the device.
    func continues(_ earlier: Period) -> Bool {
        let passed = uptime - earlier.uptime
        return boot == earlier.boot && passed >= 0 && Int64(passed) == elapsed - earlier.elapsed
    }

    /// Whether the device didn't restart between this and `now`.
    func isOf(_ now: Instant) -> Bool { now.boot == boot && now.uptime >= uptime }

    /// Returns the period as of `now`, which is later.
    func at(_ now: Instant) -> Period {
        // After a restart, at least the uptime has passed.
        let passed = isOf(now) ? now.uptime - uptime : max(now.uptime, now.time - latest)
        var period = Period(startingAt: now)
        period.elapsed = min(elapsed + Int64(passed), Int64(timeMost))
        period.latest = min(max(latest + passed, now.time), timeMost)
        return period
    }
}

/// Returns a period of `seconds` in milliseconds, rounded up.
func periodLength(_ seconds: Double, of owner: String) throws(BrrError) -> Int64 {
    guard seconds >= 1, seconds <= 1e12 else {
        throw .parameter("\(owner) period must be from 1 to 1e12 seconds")
    }
    return Decimal10(seconds).times(powerOfTen: 3).up
}

/// Returns the path of a state file. Refuses a path that can't name a file.
func statePath(_ file: URL, _ owner: String) throws(BrrError) -> String {
    let path = file.absoluteURL.path
    guard file.isFileURL, path.hasPrefix("/"), !path.hasSuffix("/"), !path.hasSuffix("/.."),
        !path.utf8.contains(0)
    else { throw .parameter("\(owner) must be the URL of a file") }
    return path
}

/// Returns the line of a state file: fields with their digest.
func signed(_ fields: String) -> [UInt8] {
    let digest = Array(fields.utf8).withUnsafeBytes(sha256)
    return Array("\(fields), \"sha256\": \"\(digest)\"}\n".utf8)
}

/// The shortest decimal that is read as this double: 0.1 means one tenth.
struct Decimal10 {
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

    /// This number, which is below 2^63, rounded down.
    var down: Int64 { Int64((numerator / denominator).small!) }

    /// This number, which is below 2^63, rounded up.
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

/// Read once, because no process outlives a run of the device.
private let thisBoot = bootSession()

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
