import Brrkit
import BrrkitKeyboard
import Foundation

/// The demo's sink: keeps nothing, since the strip shows the words.
struct NoUpload: PrivatizedTextSink {
    func accept(_ words: [String], from source: ReportSource) {}
}

extension BrrKeyboard {
    /// The demo's: text for the strip, a memory of 30 days, the settings of `store`.
    convenience init(demo store: SettingsStore) {
        var options = BrrKeyboard.Options()
        options.sink = NoUpload()
        options.memoryPeriod = Double(ReleaseSettings.memoryDays) * 24 * 3_600
        options.settings = { store.load($0) }
        self.init(options) { () throws(BrrError) in try WordBundle(resource: "bundle") }
    }
}
