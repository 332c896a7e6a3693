import Brrkit
import Foundation

/// How words are released.
struct Settings: Hashable, Sendable {
    var mechanism: Mechanism
    /// Per bit of Hamming distance.
    var epsilon: Double
    /// Epsilon that may be released in a day, added up over words.
    var dailyBudget = 1_000.0
    var oov = Oov.random

    /// The mechanisms to choose from.
    static let mechanisms: [Mechanism] = [.brr, .vickrey(), .exponential]

    /// The strengths to choose from, strongest first.
    ///
    /// An epsilon means something only beside the distances of the bundle, and those of two random
    /// words are about half of its bits. So these are multiples of 5 / (bits / 2).
    static func epsilons(bits: Int) -> [Double] {
        (1...16).map { (Double($0) * 10_000 / Double(bits)).rounded() / 1_000 }
    }

    /// The daily budgets to choose from.
    static let dailyBudgets = [30.0, 100, 300, 1_000, 3_000, 10_000]

    /// How long a word comes out of one and the same first draw: as long as the memory's key lives.
    static let memoryDays = 30

    /// What a bundle recommends, or the default mechanism at a medium strength.
    init(defaultFor bundle: WordBundle) {
        let recommended = bundle.manifest.recommended
        let named = Settings.mechanisms.first { $0.name == recommended?.mechanism }
        mechanism = named ?? .exponential
        epsilon =
            named == nil ? Settings.epsilons(bits: bundle.bits)[3] : recommended?.epsilon ?? 1
    }

    /// Prepares the mechanism; what the bundle recommends with the parameters that it has.
    func privatizer(
        _ bundle: WordBundle, budget: PrivacyBudget? = nil, memory: Memory? = nil,
        random: any RandomSource = SystemRandom()
    ) throws(BrrError) -> Privatizer {
        var chosen = mechanism
        if let recommended = bundle.manifest.recommended, recommended.mechanism == mechanism.name {
            if recommended.epsilon == epsilon {
                return try Privatizer(
                    bundle, oov: oov, budget: budget, memory: memory, random: random)
            }
            chosen = try Mechanism(recommended)
        }
        return try Privatizer(
            bundle, epsilon: epsilon, mechanism: chosen, oov: oov, budget: budget, memory: memory,
            random: random)
    }

    /// Returns the budget that a file counts.
    func budget(_ file: URL) throws(BrrError) -> PrivacyBudget {
        try PrivacyBudget(limit: dailyBudget, period: 24 * 3_600, stateFile: file)
    }

    /// Returns how many of 100 common words come out of both draws as they are. They aren't typed words,
    /// and drawn without the memory's key: this is no release.
    func unchanged(_ bundle: WordBundle) throws(BrrError) -> Int {
        let tried = 200
        let common = min(bundle.count, 4_000)
        let words = (0..<tried).compactMap { bundle.vocabulary.word($0 * common / tried) }
        var settings = self
        settings.oov = .error
        let first = try settings.privatizer(bundle).words(words)
        settings.epsilon = min(2 * epsilon, 22)  // the second draw's; 22 changes no word
        let released = try settings.privatizer(bundle).words(first)
        let same = zip(words, released).count { $0 == $1 }
        return (100 * same + tried / 2) / tried
    }
}

/// The settings in the process's own defaults. Nothing else is stored there.
///
/// A keyboard without open access and its app don't share them.
@MainActor
final class SettingsStore {
    private let defaults: UserDefaults

    init(_ defaults: UserDefaults = .standard) { self.defaults = defaults }

    func load(_ bundle: WordBundle) -> Settings {
        var settings = Settings(defaultFor: bundle)
        let name = defaults.string(forKey: "mechanism")
        if let mechanism = Settings.mechanisms.first(where: { $0.name == name }) {
            settings.mechanism = mechanism
        }
        if let epsilon = defaults.object(forKey: "epsilon") as? Double {
            settings.epsilon = epsilon
        }
        if let dailyBudget = defaults.object(forKey: "dailyBudget") as? Double {
            settings.dailyBudget = dailyBudget
        }
        let unknown = defaults.string(forKey: "oov")
        settings.oov = Oov.allCases.first { "\($0)" == unknown } ?? settings.oov
        return settings
    }

    func save(_ settings: Settings) {
        defaults.set(settings.mechanism.name, forKey: "mechanism")
        defaults.set(settings.epsilon, forKey: "epsilon")
        defaults.set(settings.dailyBudget, forKey: "dailyBudget")
        defaults.set("\(settings.oov)", forKey: "oov")
    }
}
