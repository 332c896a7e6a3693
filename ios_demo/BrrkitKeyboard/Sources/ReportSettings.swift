/// How words are reported for counting; what isn't set is as the bundle's setting for counts says
/// (`brr calibrate --for counts --write`).
public struct ReportSettings: Hashable, Sendable {
    /// Largest privacy loss between any two words of a report, from 1e-9 to 88; of the first draws with a
    /// memory.
    public var cap: Double?

    /// How many words of a day are reported, at most, from 1 to 1,000.
    public var wordsADay: Int?

    /// Says how words are reported.
    public init(cap: Double? = nil, wordsADay: Int? = nil) {
        (self.cap, self.wordsADay) = (cap, wordsADay)
    }
}

/// What made privatized words, as a report states it (`docs/reference/reports.md`).
public struct ReportSource: Hashable, Sendable {
    /// SHA-256 of the bundle's manifest.
    public let bundle: String

    /// JSON: `"recommended"` or `"counts"`, or the object that states it.
    public let setting: String
}
