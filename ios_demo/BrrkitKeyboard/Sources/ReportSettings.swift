import Brrkit

/// How words are reported for counting.
public struct ReportSettings: Hashable, Sendable {
    /// Of the words; nil for the bundle's setting for counts (`brr calibrate --for counts --write`).
    public var setting: CountsSetting?

    /// Says how words are reported.
    public init(_ setting: CountsSetting? = nil) { self.setting = setting }
}

/// How text is sent in frames.
public struct FrameSettings: Hashable, Sendable {
    /// The shape of a day; nil for the bundle's (`brr calibrate --frames --write`).
    public var frames: Frames?

    /// Says how text is sent.
    public init(_ frames: Frames? = nil) { self.frames = frames }
}

/// What made privatized words, as a report states it (`spec/reports.md`).
public struct ReportSource: Hashable, Sendable {
    /// SHA-256 of the bundle's manifest.
    public let bundle: String

    /// JSON: `"recommended"` or `"counts"`, or the object that states it.
    public let setting: String
}
