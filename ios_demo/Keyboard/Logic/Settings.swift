import Brrkit
import Foundation

/// How strongly words are changed.
enum Strength: Hashable, Sendable {
    /// As the bundle recommends: its mechanism, epsilon and parameters, whichever they are.
    case recommended
    /// As the person who types chose; epsilon is per bit of Hamming distance.
    case chosen(Mechanism, epsilon: Double)
}

/// How words are released.
struct Settings: Hashable, Sendable {
    var strength: Strength
    /// Epsilon that may be released in a day, added up over words.
    var dailyBudget = 1_000.0
    var oov = Oov.random
    /// The app's limit: the largest share of words that an attacker may find out, as it was measured.
    /// With a weaker strength, or one that wasn't measured, nothing is released.
    let mostAttackSuccess: Double?

    /// The mechanisms to choose from, with their default parameters.
    static let mechanisms: [Mechanism] = [.brr, .vickrey(), .exponential]

    /// The daily budgets to choose from.
    static let dailyBudgets = [30.0, 100, 300, 1_000, 3_000, 10_000]

    /// How long a word comes out of one and the same first draw: as long as the memory's key lives.
    static let memoryDays = 30

    /// The limit of this demo: an attacker finds out at most every second word.
    static let demoLimit = 0.5

    init(_ strength: Strength, mostAttackSuccess: Double? = nil) {
        self.strength = strength
        self.mostAttackSuccess = mostAttackSuccess
    }

    /// What a bundle recommends, or the default mechanism at a medium strength.
    init(defaultFor bundle: WordBundle, mostAttackSuccess: Double? = nil) {
        self.init(
            bundle.firstStrength(mostAttackSuccess: mostAttackSuccess),
            mostAttackSuccess: mostAttackSuccess)
    }

    /// Whether the app allows the strength.
    func isAllowed(_ bundle: WordBundle) -> Bool {
        mostAttackSuccess == nil || bundle.offer(strength).isAllowed(mostAttackSuccess)
    }

    /// Prepares the mechanism.
    func privatizer(
        _ bundle: WordBundle, budget: PrivacyBudget? = nil, memory: Memory? = nil,
        random: any RandomSource = SystemRandom()
    ) throws(BrrError) -> Privatizer {
        guard isAllowed(bundle) else {
            throw BrrError(
                .parameter,
                "strength: with it, an attacker finds out more words than the app allows, or it wasn't "
                    + "measured; choose one of those that are offered")
        }
        switch strength {
        case .recommended:
            return try Privatizer(bundle, oov: oov, budget: budget, memory: memory, random: random)
        case .chosen(let mechanism, let epsilon):
            return try Privatizer(
                bundle, epsilon: epsilon, mechanism: mechanism, oov: oov, budget: budget,
                memory: memory, random: random)
        }
    }

    /// Returns the budget that a file counts.
    func budget(_ file: URL) throws(BrrError) -> PrivacyBudget {
        try PrivacyBudget(limit: dailyBudget, period: 24 * 3_600, stateFile: file)
    }
}

/// The settings in the process's own defaults. Nothing else is stored there.
///
/// A keyboard without open access and its app don't share them.
@MainActor
final class SettingsStore {
    private let defaults: UserDefaults
    private let mostAttackSuccess: Double?

    /// - Parameter mostAttackSuccess: the app's limit, of all settings that are loaded.
    init(_ defaults: UserDefaults = .standard, mostAttackSuccess: Double? = nil) {
        self.defaults = defaults
        self.mostAttackSuccess = mostAttackSuccess
    }

    /// What was saved, as far as the app allows it.
    func load(_ bundle: WordBundle) -> Settings {
        var settings = Settings(defaultFor: bundle, mostAttackSuccess: mostAttackSuccess)
        let name = defaults.string(forKey: "mechanism")
        if let mechanism = Settings.mechanisms.first(where: { $0.name == name }),
            let epsilon = defaults.object(forKey: "epsilon") as? Double
        {
            var chosen = settings
            chosen.strength = .chosen(mechanism, epsilon: epsilon)
            if chosen.isAllowed(bundle) { settings = chosen }
        }
        if let dailyBudget = defaults.object(forKey: "dailyBudget") as? Double {
            settings.dailyBudget = dailyBudget
        }
        let unknown = defaults.string(forKey: "oov")
        settings.oov = Oov.allCases.first { "\($0)" == unknown } ?? settings.oov
        return settings
    }

    /// That a strength is the recommended one is kept as just that: an update may bring another.
    func save(_ settings: Settings) {
        if case .chosen(let mechanism, let epsilon) = settings.strength {
            defaults.set(mechanism.name, forKey: "mechanism")
            defaults.set(epsilon, forKey: "epsilon")
        } else {
            defaults.removeObject(forKey: "mechanism")
            defaults.removeObject(forKey: "epsilon")
        }
        defaults.set(settings.dailyBudget, forKey: "dailyBudget")
        defaults.set("\(settings.oov)", forKey: "oov")
    }
}
