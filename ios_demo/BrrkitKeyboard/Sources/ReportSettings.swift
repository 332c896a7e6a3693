import Brrkit

/// Settings for counting.
public struct ReportSettings: Hashable, Sendable {
    /// The setting for counts; nil for the bundle's (`brr calibrate --for counts --write`).
    public var setting: CountsSetting?

    /// Creates settings for counting.
    public init(_ setting: CountsSetting? = nil) { self.setting = setting }
}

/// Settings for frames.
public struct FrameSettings: Hashable, Sendable {
    /// The shape of a day; nil for the bundle's (`brr calibrate --frames --write`).
    public var frames: Frames?

    /// Creates settings for frames.
    public init(_ frames: Frames? = nil) { self.frames = frames }
}

/// The bundle and the setting that released words, as reports state them (`spec/reports.md`).
public struct ReportSource: Hashable, Sendable {
    /// SHA-256 of the bundle's manifest.
    public let bundle: String

    /// JSON: `"recommended"` or `"counts"`, or the object that states the setting.
    public let setting: String
}
