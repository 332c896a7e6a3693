import Brrkit

/// The schedule of uploads. Times are in seconds.
public struct UploadPolicy: Hashable, Sendable {
    /// Time before a run, varied at random by up to half of it, so that arrival times reveal little about
    /// typing times.
    public var interval = 6 * 3_600.0

    /// Whether to use only networks that aren't expensive, usually Wi-Fi.
    public var unmetered = true

    /// The longest wait after a failure, doubled after each further one, up to ``lastBackoff``.
    public var firstBackoff = 60.0

    /// The longest wait after a failure.
    public var lastBackoff = 12 * 3_600.0

    /// Whether a failure doesn't change the wait.
    private(set) var isSteady = false

    /// Has the defaults.
    public init() {}

    /// Creates the default policy for frames: twice as many runs a day as frames, because a run sends at most
    /// one. A failure doesn't change the wait: the failed batch may be one for counting, which exists only
    /// after typing, and the times of frames must not reveal that.
    public init(frames: Frames) {
        interval = 24 * 3_600 / Double(2 * frames.aDay)
        isSteady = true
    }

    /// Returns the wait before the next run, in seconds.
    ///
    /// - Parameters:
    ///   - failures: number of failed runs in a row, including this one; 0 after a success.
    ///   - retryAfter: wait that the receiver requested, in seconds.
    public func wait(
        afterFailures failures: Int, retryAfter: Double? = nil,
        random: any RandomSource = SystemRandom()
    ) throws(BrrError) -> Double {
        // The bias of a remainder doesn't matter here.
        let bytes = try random.draw(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let share = Double(bytes) / Double(UInt32.max)
        if failures == 0 || isSteady { return interval / 2 + share * interval }
        var longest = firstBackoff
        for _ in 1..<max(failures, 1) where longest < lastBackoff { longest *= 2 }
        let half = min(longest, lastBackoff) / 2
        return max(min(retryAfter ?? 0, lastBackoff), half + share * half)
    }
}

/// The outcome of a run of the ``Uploader``.
public enum Upload: Hashable, Sendable {
    /// All that was due was sent: the numbers of reports that arrived, and of those that the receiver refused
    /// permanently.
    case done(sent: Int, refused: Int)
    /// The receiver can't be reached or can't accept reports now. `run()` does nothing for this number of
    /// seconds.
    case failed(sent: Int, wait: Double)
    /// There is no consent: nothing was sent, and nothing waits.
    case off
    /// It isn't time yet, or the system is still sending the reports of an earlier run.
    case waiting
}
