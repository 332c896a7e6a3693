import Foundation

/// What a budget has stored as spent and may still release, in one period and one unit.
///
/// Storing takes milliseconds, a word microseconds. So a budget stores more than one release costs. The
/// rule is in `spec/state-files.md`, and the proof that no more is released than is stored in
/// `docs/explanation/proofs.md`, "Budget".
struct Lease {
    /// The unit of epsilon.
    let unit: String
    /// Where the period's counting stood when this was stored.
    let period: Period
    /// Billionths of epsilon that are on disk as spent, and aren't released yet.
    private(set) var stored: Int64 = 0
    /// Billionths that were released from this and those before it, since the period began.
    private(set) var released: Int64 = 0

    init(unit: String, period: Period) { (self.unit, self.period) = (unit, period) }

    /// The lease after `more` was stored, at a later look at its period.
    func storing(_ more: Int64, at period: Period) -> Lease {
        var lease = Lease(unit: unit, period: period)
        (lease.stored, lease.released) = (stored + more, released)
        return lease
    }

    /// Returns whether a release of `cost` in `unit` needs nothing more on disk.
    func allows(_ cost: Int64, _ unit: String, _ now: Instant, _ length: Int64) -> Bool {
        cost <= stored && unit == self.unit && period.isOf(now) && period.at(now).elapsed < length
    }

    /// Counts a release before it happens.
    mutating func release(_ cost: Int64) {
        stored -= cost
        released += cost
    }

    /// Returns what is stored beyond the cost of a release.
    ///
    /// It is at most what was released, so half of what is spent is lost at worst; at most an eighth of
    /// what is left, so other processes go on; and whole words.
    ///
    /// - Parameters:
    ///   - left: what remains of the limit when the release is paid.
    ///   - each: the cost of a word.
    func extra(_ left: Int64, _ each: Int64) -> Int64 {
        let extra = min(released, left / leaseDivisor)
        return each > 0 ? extra - extra % each : 0
    }
}

private let leaseDivisor: Int64 = 8  // a lease is at most an eighth of what is left

/// What one process has of a budget, its lease first, for one thread at a time.
final class ProcessLease: @unchecked Sendable {  // the lock is held wherever it changes or is read
    private let lock = NSLock()
    private var process = getpid()
    private var lease: Lease?
    private var price: (epsilon: Double, cost: Int64)?

    /// Calls `body` with the lease, which isn't one of a process that this one was forked from: both
    /// would spend it.
    func withLease<T>(_ body: (inout Lease?) throws(BrrError) -> T) throws(BrrError) -> T {
        lock.lock()
        defer { lock.unlock() }
        if process != getpid() { (process, lease) = (getpid(), nil) }
        return try body(&lease)
    }

    /// Returns what a word costs; nearly always it is what the last one did.
    func cost(_ epsilon: Double) throws(BrrError) -> Int64 {
        lock.lock()
        defer { lock.unlock() }
        if let price, price.epsilon == epsilon { return price.cost }
        let cost = try costOf(epsilon)
        price = (epsilon, cost)
        return cost
    }
}
