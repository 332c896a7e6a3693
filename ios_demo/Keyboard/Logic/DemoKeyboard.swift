import Brrkit
import BrrkitKeyboard
import Foundation

/// The demo's sink. Keeps nothing, because the strip shows the words.
struct NoUpload: PrivatizedTextSink {
    func accept(_ words: [String], from source: ReportSource) {}
}

/// The demo's keyboards, one of them in use: text for the strip, a memory of 30 days, settings by language.
@MainActor
final class DemoKeyboards {
    /// The language of the keyboard in use.
    private(set) var language: String

    let languages: [String]
    private let bundles: PackagedBundles
    private let keyboards: BrrKeyboards
    private let defaults: UserDefaults
    private let store: (String) -> SettingsStore

    /// - Parameters:
    ///   - folder: folder of the keyboards' files.
    ///   - defaults: storage of the settings and of the chosen language.
    ///   - mostAttackSuccess: the app's limit.
    init(
        _ bundles: PackagedBundles = .ofTheApp, folder: URL = privateFolder(),
        _ defaults: UserDefaults = .standard,
        mostAttackSuccess: Double? = ReleaseSettings.demoLimit
    ) {
        (self.bundles, self.defaults, languages) = (bundles, defaults, bundles.languages)
        let chosen = defaults.string(forKey: "language")
        language = languages.first { $0 == chosen } ?? bundles.first()
        let store = { (language: String) in
            SettingsStore(defaults, language: language, mostAttackSuccess: mostAttackSuccess)
        }
        self.store = store
        keyboards = BrrKeyboards(
            languages, folder: folder, { demoOptions(store($0), $0) }, open: bundles.open)
    }

    /// The keyboard in use.
    var keyboard: BrrKeyboard { keyboards[language] }

    /// The settings of the keyboard in use.
    var settings: SettingsStore { store(language) }

    /// Whether there is another language to switch to.
    var areSeveral: Bool { languages.count > 1 }

    /// Switches to the keyboard of the next language.
    func goOn() {
        language = bundles.next(after: language)
        defaults.set(language, forKey: "language")
    }
}

extension PackagedBundles {
    static var ofTheApp: PackagedBundles {
        PackagedBundles(in: Bundle.main.bundleURL.appendingPathComponent("bundles"))
    }
}

private func demoOptions(_ store: SettingsStore, _ language: String) -> BrrKeyboard.Options {
    func vault(_ use: String) -> any KeyVault {
        FallbackVault(KeychainVault("org.brrkit.\(use).\(language)"))
    }
    var options = BrrKeyboard.Options()
    options.sink = NoUpload()
    options.memoryPeriod = Double(ReleaseSettings.memoryDays) * 24 * 3_600
    options.memoryVault = vault("memory")
    options.outboxVault = vault("outbox")
    options.settings = { store.load($0) }
    return options
}
