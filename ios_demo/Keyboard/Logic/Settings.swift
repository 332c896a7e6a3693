import Brrkit
import BrrkitKeyboard
import Foundation

extension ReleaseSettings {
    /// The mechanisms to choose from, with their default parameters.
    static let mechanisms: [Mechanism] = [.brr, .vickrey(), .exponential]

    /// The daily budgets to choose from.
    static let dailyBudgets = [30.0, 100, 300, 1_000, 3_000, 10_000]

    /// How long a word comes out of one and the same first draw: as long as the memory's key lives.
    static let memoryDays = 30

    /// The limit of this demo's app: an attacker finds out at most every second word.
    static let demoLimit = 0.5

    /// The demo sends nothing, so it reports nothing for counting.
    init(_ strength: Strength) {
        self.init(strength, dailyBudget: 1_000, reports: nil)
    }

    /// What a bundle recommends, or the default mechanism at a medium strength, as far as the app allows it.
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
    ///   - language: whose settings they are.
    ///   - mostAttackSuccess: the app's limit, of all settings that are loaded.
    init(
        _ defaults: UserDefaults, language: String = Writing.english.language,
        mostAttackSuccess: Double? = nil
    ) {
        (self.defaults, self.language) = (defaults, language)
        self.mostAttackSuccess = mostAttackSuccess
    }

    private func key(_ name: String) -> String { "\(language).\(name)" }

    /// What was saved, as far as the app allows it.
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

    /// That a strength is the recommended one is kept as just that: an update may bring another.
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
