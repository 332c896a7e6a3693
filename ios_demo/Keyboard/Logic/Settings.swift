import Brrkit
import BrrkitKeyboard
import Foundation

extension ReleaseSettings {
    /// The mechanisms to choose from, with their default parameters.
    static let mechanisms: [Mechanism] = [.brr, .vickrey(), .exponential]

    /// The daily budgets to choose from.
    static let dailyBudgets = [30.0, 100, 300, 1_000, 3_000, 10_000]

    /// The length of the memory's period, in which a word keeps its first draw.
    static let memoryDays = 30

    /// The app's limit: an attacker recovers at most 50% of the words.
    static let demoLimit = 0.5

    /// The demo sends nothing, so it reports nothing for counting.
    init(_ strength: Strength) {
        self.init(strength, dailyBudget: 1_000, reports: nil)
    }

    /// The bundle's recommended setting, or the default mechanism with a medium strength, if the app allows
    /// it.
    init(defaultFor bundle: WordBundle, mostAttackSuccess: Double? = nil) {
        self.init(bundle.firstStrength(mostAttackSuccess: mostAttackSuccess))
        self.mostAttackSuccess = mostAttackSuccess
    }
}

/// The settings in the process's own defaults, which threads can share. Nothing else is stored there.
///
/// A keyboard without open access and its app don't share them.
final class SettingsStore: @unchecked Sendable {  // UserDefaults can be used on any thread
    private let defaults: UserDefaults
    private let language: String
    private let mostAttackSuccess: Double?

    /// - Parameters:
    ///   - language: the language of the settings.
    ///   - mostAttackSuccess: the app's limit, of all settings that are loaded.
    init(
        _ defaults: UserDefaults, language: String = Writing.english.language,
        mostAttackSuccess: Double? = nil
    ) {
        (self.defaults, self.language) = (defaults, language)
        self.mostAttackSuccess = mostAttackSuccess
    }

    private func key(_ name: String) -> String { "\(language).\(name)" }

    /// The saved settings, if the app allows them.
    func load(_ bundle: WordBundle) -> ReleaseSettings {
        var settings = ReleaseSettings(
            defaultFor: bundle, mostAttackSuccess: mostAttackSuccess)
        let name = defaults.string(forKey: key("mechanism"))
        if let mechanism = ReleaseSettings.mechanisms.first(where: { $0.name == name }),
            let epsilon = defaults.object(forKey: key("epsilon")) as? Double
        {
            let chosen = Strength.chosen(mechanism, epsilon: epsilon)
            if settings.allows(chosen, on: bundle) { settings.strength = chosen }
        }
        if let dailyBudget = defaults.object(forKey: key("dailyBudget")) as? Double {
            settings.dailyBudget = dailyBudget
        }
        let unknown = defaults.string(forKey: key("oov"))
        settings.oov = Oov.allCases.first { "\($0)" == unknown } ?? settings.oov
        return settings
    }

    /// For a recommended strength, only this fact is stored, because an update may recommend another one.
    func save(_ settings: ReleaseSettings) {
        if case .chosen(let mechanism, let epsilon) = settings.strength {
            defaults.set(mechanism.name, forKey: key("mechanism"))
            defaults.set(epsilon, forKey: key("epsilon"))
        } else {
            defaults.removeObject(forKey: key("mechanism"))
            defaults.removeObject(forKey: key("epsilon"))
        }
        defaults.set(settings.dailyBudget, forKey: key("dailyBudget"))
        defaults.set("\(settings.oov)", forKey: key("oov"))
    }
}
