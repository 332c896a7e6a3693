import Foundation

/// Counts released epsilon in a state file, and refuses releases that would exceed the limit.
///
/// The cost of a release is on disk before the release, so even a killed device has recorded at least
/// what it released. Storing takes milliseconds. A budget therefore also stores the cost of the next
/// releases, as a lease: at most what was released with this value and its copies in the period, and at
/// most an eighth of the rest. When a process ends, its lease is lost, so keep the value.
///
/// A period starts with the first release after the previous period has ended, so two limits can be spent
/// around the end of a period. While the device runs, a clock that nobody can set measures a period's
/// time; the wall clock measures only how long the device was off. A deleted or restored state file loses
/// the record of spent epsilon. Keep it where only the app can write, and exclude it from backups. Threads
/// and processes can share it: an app and its extension use the same file in their App Group's container.
/// `spec/state-files.md` specifies the rule.
///
/// Proof: `docs/explanation/proofs.md`, "Budget".
public struct PrivacyBudget: Sendable {
    /// The largest sum of epsilon over the words released in a period.
    public let limit: Double

    /// The length of a period in seconds.
    public let period: Double

    /// The state file; a lock file is next to it.
    public let stateFile: URL

    private let path: String
    private let most: Int64  // billionths of epsilon
    private let length: Int64  // milliseconds
    private let clock: @Sendable () -> Instant
    private let held = ProcessLease()

    /// Describes the budget; the first release creates the state file.
    ///
    /// - Parameters:
    ///   - limit: largest sum of epsilon over the words released in a period; above 0, at most 1e9.
    ///   - period: length of a period in seconds, from 1 to 1e12.
    ///   - stateFile: a file in an existing directory.
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
        self.limit = limit
        self.period = period
        self.stateFile = stateFile
        path = try statePath(stateFile, "a budget's stateFile")
        self.clock = clock
        most = Decimal10(limit).times(powerOfTen: 9).down
        length = try periodLength(period, of: "budget")
    }

    /// Records the release of `words` words with `epsilon` each. Call it before the release.
    ///
    /// - Parameters:
    ///   - epsilon: privacy loss of a word, from 0 to 1e9.
    ///   - words: number of words, below 2^31.
    ///   - unit: ``WordBundle/digest`` of the bundle to which epsilon refers: epsilons of different bundles
    ///     don't add up. 1 to 64 letters, digits, `.`, `_` and `-`, all ASCII.
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/budget(left:renewsIn:)``: the release would exceed the
    ///   limit, or this period counts another unit. Nothing is recorded, and nothing may be released. Of kind
    ///   ``BrrError/Kind/budgetFile``: the state file is damaged, or can't be read or written. Nothing may be
    ///   released. Of kind ``BrrError/Kind/parameter``: an argument is invalid.
    public func spend(_ epsilon: Double, words: Int = 1, unit: String) throws(BrrError) {
        guard (0...Int(Int32.max)).contains(words) else {
            throw .parameter("words must be an integer from 0 to 2^31 - 1")
        }
        try check(unit)
        let each = try held.cost(epsilon)
        let cost = total(each, words)
        try held.withLease { (lease) throws(BrrError) in
            if lease?.allows(cost, unit, clock().bounded, length) != true {
                lease = try stored(lease, each, words, unit)
            }
            lease!.release(cost)
        }
    }

    /// Returns the remaining epsilon of this period, in the period's unit.
    ///
    /// This includes the lease of this value and its copies, but no other lease.
    ///
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/budgetFile``: the state file is damaged or can't be
    ///   read.
    public func remaining() throws(BrrError) -> Double { Double(try unspent().left) / 1e9 }

    /// Returns the number of words that may still be released in this period.
    ///
    /// ``spend(_:words:unit:)`` then allows exactly this number, at once or one by one, if nothing else spends
    /// meanwhile. The number depends only on the number and cost of earlier releases.
    ///
    /// - Parameters:
    ///   - epsilon: privacy loss of a word, above 0 and at most 1e9: ``Privatizer/certifiedEpsilon``, or
    ///     ``Counts/loss``.
    ///   - unit: ``WordBundle/digest`` of the bundle, as for ``spend(_:words:unit:)``.
    /// - Returns: at most 2^31 - 1; 0 if the running period counts another unit.
    /// - Throws: as ``spend(_:words:unit:)``, but not ``BrrError/Kind/budget(left:renewsIn:)``.
    public func wordsLeft(_ epsilon: Double, unit: String) throws(BrrError) -> Int {
        let each = try held.cost(epsilon)
        guard each > 0 else {
            throw .parameter("epsilon must be a number above 0 and at most 1e9")
        }
        try check(unit)
        let (running, left) = try unspent()
        return running.isEmpty || running == unit ? Int(min(left / each, Int64(Int32.max))) : 0
    }

    /// Returns the ``WordBundle/digest`` of the bundle whose epsilon the running period counts; nil if no
    /// period is running.
    ///
    /// - Throws: as ``remaining()``.
    public func unit() throws(BrrError) -> String? {
        let unit = try look(StateFile(path, .budgetFile)).unit
        return unit.isEmpty ? nil : unit
    }

    /// Returns the running period's unit and its remaining billionths of epsilon.
    private func unspent() throws(BrrError) -> (unit: String, left: Int64) {
        try held.withLease { (lease) throws(BrrError) in
            let state = try look(StateFile(path, .budgetFile))
            lease = lease.flatMap { state.has($0) ? $0 : nil }
            return (state.unit, left(state, lease))
        }
    }

    private func check(_ unit: String) throws(BrrError) {
        guard State.isUnit(unit) else {
            throw .parameter(
                "a budget's unit must be 1 to 64 of the letters a to z, digits and . _ -; use "
                    + "WordBundle.digest")
        }
    }

    /// Stores the cost that exceeds the lease, and an extra; returns the new lease.
    private func stored(
        _ before: Lease?, _ each: Int64, _ words: Int, _ unit: String
    ) throws(BrrError) -> Lease {
        let file = try StateFile(path, .budgetFile)
        var state = try look(file)
        let lease =
            before.flatMap { state.has($0) ? $0 : nil } ?? Lease(unit: unit, period: state.period)
        let wait = Int((length - state.period.elapsed + 999) / 1000)
        if !state.unit.isEmpty && state.unit != unit {
            throw BrrError(
                .budget(left: 0, renewsIn: wait),
                "\(path): counts another bundle's epsilon, which can't be added to this one's; give "
                    + "each bundle its own state file, or wait: the period ends in \(wait) "
                    + "seconds")
        }
        let missing = max(total(each, words) - lease.stored, 0)
        if missing > most - state.spent {
            let left = Double(left(state, lease)) / 1e9
            throw BrrError(
                .budget(left: left, renewsIn: wait),
                "the privacy budget doesn't allow this release: it costs "
                    + "\(Double(each) * Double(words) / 1e9), \(left) of \(limit) is left; it renews "
                    + "in \(wait) seconds")
        }
        let more = missing + lease.extra(most - state.spent - missing, each)
        state.unit = unit
        state.spent += more
        try file.replace(state.serialized)
        return lease.storing(more, at: state.period)
    }

    /// Returns the billionths of epsilon that may be released, here and by other processes.
    private func left(_ state: State, _ lease: Lease?) -> Int64 {
        max(most - state.spent, 0) + (lease?.stored ?? 0)
    }

    /// Returns the running period as of now, or an empty one without a unit.
    ///
    /// The first look after a restart is stored, so later changes of the wall clock have no effect until
    /// the next restart.
    private func look(_ file: StateFile) throws(BrrError) -> State {
        let now = clock().bounded
        guard let content = try file.read(limit: stateLimit) else {
            return State(unit: "", spent: 0, period: Period(startingAt: now))
        }
        guard let stored = State(parsing: content) else {
            throw .budgetFile(
                "\(path): not a budget's state, or damaged; nothing is released until it is "
                    + "restored, or removed by somebody who may discard what was spent")
        }
        var state = stored
        state.period = stored.period.at(now)
        if state.period.elapsed >= length {
            (state.unit, state.spent, state.period.elapsed) = ("", 0, 0)
        } else if !stored.period.isOf(now) {
            try file.replace(state.serialized)
        }
        return state
    }
}

private let epsilonMost = 1e9
private let stateLimit = 1_024  // bytes; the longest state is shorter

/// Returns the cost of a word released with `epsilon`: billionths of epsilon, rounded up.
func costOf(_ epsilon: Double) throws(BrrError) -> Int64 {
    guard epsilon >= 0, epsilon <= epsilonMost else {
        throw .parameter("epsilon must be a number from 0 to 1e9")
    }
    return Decimal10(epsilon).times(powerOfTen: 9).up
}

/// Returns the cost of words, at most the largest number.
private func total(_ each: Int64, _ words: Int) -> Int64 {
    let (cost, isTooMuch) = each.multipliedReportingOverflow(by: Int64(words))
    return isTooMuch ? .max : cost
}

/// A period, as of its last release or of the first look after a restart.
private struct State: Equatable {
    /// Digest of the bundle to which epsilon refers; empty before the period starts.
    var unit: String
    /// Billionths of epsilon.
    var spent: Int64
    /// Where its counting stands.
    var period: Period

    /// Whether a lease is of this period and unit.
    func has(_ lease: Lease) -> Bool { lease.unit == unit && period.continues(lease.period) }

    init(unit: String, spent: Int64, period: Period) {
        (self.unit, self.spent, self.period) = (unit, spent, period)
    }

    /// Reads the only form of a state in a file.
    init?(parsing content: [UInt8]) {
        guard let json = try? JSON(parsing: content),
            let unit = json["unit"]?.string, State.isUnit(unit),
            let spent = json["spent"]?.integer, spent >= 0,
            let period = Period(json)
        else { return nil }
        self.init(unit: unit, spent: Int64(spent), period: period)
        if serialized != content { return nil }
    }

    /// Its only form in a file.
    var serialized: [UInt8] {
        signed(
            "{\"format\": \"brr-budget\", \"format_version\": 1, \"unit\": \"\(unit)\", "
                + "\"spent\": \(spent), \(period.fields)")
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
