import Foundation

/// The epsilon that a budget has stored as spent and may still release, in one period and one unit.
///
/// Storing takes milliseconds, a release microseconds. A budget therefore stores more than the cost of one
/// release. The rule is in `spec/state-files.md`, and the proof that releases never exceed the stored cost is
/// in `docs/explanation/proofs.md`, "Budget".
struct Lease {
    /// The unit of epsilon.
    let unit: String
    /// The period, as of the storing.
    let period: Period
    /// Billionths of epsilon that are stored as spent, and aren't released yet.
    private(set) var stored: Int64 = 0
    /// Billionths of epsilon that were released from this lease and earlier ones since the period began.
    private(set) var released: Int64 = 0

    init(unit: String, period: Period) { (self.unit, self.period) = (unit, period) }

    /// The lease after `more` was stored, at a later look at its period.
    func storing(_ more: Int64, at period: Period) -> Lease {
        var lease = Lease(unit: unit, period: period)
        (lease.stored, lease.released) = (stored + more, released)
        return lease
    }

    /// Returns whether a release of `cost` in `unit` needs no further storing.
    func allows(_ cost: Int64, _ unit: String, _ now: Instant, _ length: Int64) -> Bool {
        cost <= stored && unit == self.unit && period.isOf(now) && period.at(now).elapsed < length
    }

    /// Counts a release before it happens.
    mutating func release(_ cost: Int64) {
        stored -= cost
        released += cost
    }

    /// Returns the amount to store in addition to the cost of a release.
    ///
    /// It is at most the amount released so far, so at worst half of the spent epsilon is lost. It is at most
    /// an eighth of the rest, so other processes can continue. It is a multiple of a word's cost.
    ///
    /// - Parameters:
    ///   - left: rest of the limit after the release is paid.
    ///   - each: cost of a word.
    func extra(_ left: Int64, _ each: Int64) -> Int64 {
        let extra = min(released, left / leaseDivisor)
        return each > 0 ? extra - extra % each : 0
    }
}

private let leaseDivisor: Int64 = 8  // a lease is at most an eighth of the rest

/// One process's share of a budget, including its lease, for one thread at a time.
final class ProcessLease: @unchecked Sendable {  // the lock is held wherever it changes or is read
    private let lock = NSLock()
    private var process = getpid()
    private var lease: Lease?
    private var price: (epsilon: Double, cost: Int64)?

    /// Calls `body` with the lease. Drops a lease that was inherited in a fork, because both processes would
    /// spend it.
    func withLease<T>(_ body: (inout Lease?) throws(BrrError) -> T) throws(BrrError) -> T {
        lock.lock()
        defer { lock.unlock() }
        if process != getpid() { (process, lease) = (getpid(), nil) }
        return try body(&lease)
    }

    /// Returns the cost of a word, which is usually that of the last one.
    func cost(_ epsilon: Double) throws(BrrError) -> Int64 {
        lock.lock()
        defer { lock.unlock() }
        if let price, price.epsilon == epsilon { return price.cost }
        let cost = try costOf(epsilon)
        price = (epsilon, cost)
        return cost
    }
}
