import Brrkit

/// When batches are sent. Times are in seconds.
public struct UploadPolicy: Hashable, Sendable {
    /// Before a run; half an interval more or less, uniformly at random: when batches arrive says little
    /// about when somebody types.
    public var interval = 6 * 3_600.0

    /// Only over networks that aren't expensive: Wi-Fi, as a rule.
    public var unmetered = true

    /// To wait after a failure, at most; twice as long after each further one, up to ``lastBackoff``.
    public var firstBackoff = 60.0

    /// The longest wait after a failure.
    public var lastBackoff = 12 * 3_600.0

    /// Has the defaults.
    public init() {}

    /// Has the defaults of an outbox with frames: there are twice as many runs as frames, one of which leaves in
    /// a run.
    public init(frames: Frames) { interval = 24 * 3_600 / Double(2 * frames.aDay) }

    /// Returns how long to wait before the next run.
    ///
    /// - Parameters:
    ///   - failures: runs in a row that failed, this one included; 0 if it didn't.
    ///   - retryAfter: what the receiver asked for.
    public func wait(
        afterFailures failures: Int, retryAfter: Double? = nil,
        random: any RandomSource = SystemRandom()
    ) throws(BrrError) -> Double {
        // The bias of a remainder is nothing here.
        let bytes = try random.draw(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let share = Double(bytes) / Double(UInt32.max)
        if failures == 0 { return interval / 2 + share * interval }
        var longest = firstBackoff
        for _ in 1..<max(failures, 1) where longest < lastBackoff { longest *= 2 }
        let half = min(longest, lastBackoff) / 2
        return max(min(retryAfter ?? 0, lastBackoff), half + share * half)
    }
}

/// What became of a run of the ``Uploader``.
public enum Upload: Hashable, Sendable {
    /// All that was due: how many batches arrived, and how many the receiver refuses for good.
    case done(sent: Int, refused: Int)
    /// The receiver can't be reached or take them now; `run()` does nothing for that many seconds.
    case failed(sent: Int, wait: Double)
    /// There is no consent: nothing was sent, and nothing waits.
    case off
    /// It isn't time yet, or the system still sends what an earlier run gave it.
    case waiting
}
