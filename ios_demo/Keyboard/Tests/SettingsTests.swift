import Brrkit
import BrrkitKeyboard
import Foundation
import Testing

@testable import DemoKeyboard

struct SettingsTests {
    private let bundle = Bundles.isolated
    private var setting: Setting { bundle.recommended! }

    @Test func whatIsRecommendedIsAllOfIt() throws {
        let folder = try Bundles.newFolder()
        let bundle = try Bundles.recommending([
            "mechanism": "exponential", "epsilon": 0.6, "parameters": ["base": "unigram"],
            "certificate": ["certified_epsilon": 0.4, "index": Bundles.isolated.digest],
        ])
        let setting = bundle.recommended!
        let recommended = try ReleaseSettings(defaultFor: bundle).privatizer(bundle)
        #expect(recommended.epsilon == setting.epsilon)
        #expect(recommended.certifiedEpsilon == setting.certifiedEpsilon)
        #expect(recommended.certifiedEpsilon < recommended.epsilon)
        // By its number, nothing is the recommended setting.
        let number = ReleaseSettings(.chosen(.exponential, epsilon: setting.epsilon))
        #expect(number != ReleaseSettings(.recommended))
        let chosen = try number.privatizer(bundle)
        #expect(chosen.epsilon == setting.epsilon)
        #expect(chosen.certifiedEpsilon == chosen.effectiveEpsilon)
        #expect(chosen.certifiedEpsilon > recommended.certifiedEpsilon)
        for settings in [ReleaseSettings(.recommended), number] {
            let key = folder.appendingPathComponent("\(settings.strength == .recommended)")
            let memory = try Memory(period: 60, keyFile: key)
            _ = try settings.privatizer(bundle, memory: memory).word("the")
            #expect(FileManager.default.fileExists(atPath: key.path))
        }
    }

    @Test @MainActor func settingsAreKept() throws {
        let defaults = try #require(UserDefaults(suiteName: UUID().uuidString))
        let store = SettingsStore(defaults)
        #expect(store.load(bundle) == ReleaseSettings(.recommended))
        var settings = ReleaseSettings(.chosen(.brr, epsilon: 0.6253))
        settings.dailyBudget = ReleaseSettings.dailyBudgets[0]
        settings.oov = .drop
        for strength in [
            settings.strength, .chosen(.exponential, epsilon: setting.epsilon), .recommended,
        ] {
            settings.strength = strength
            store.save(settings)
            #expect(SettingsStore(defaults).load(bundle) == settings)
        }
        #expect(
            ReleaseSettings.dailyBudgets.contains(ReleaseSettings(defaultFor: bundle).dailyBudget))
    }

    /// A setting that an app doesn't allow isn't loaded, and nothing is released with it.
    @Test @MainActor func theAppsLimitHolds() throws {
        let defaults = try #require(UserDefaults(suiteName: UUID().uuidString))
        let weakest = try #require(bundle.offers(.brr).last)
        #expect(weakest.measured!.attackSuccess.high > 0.5)
        let chosen = ReleaseSettings(weakest.strength)
        _ = try chosen.privatizer(bundle)
        SettingsStore(defaults).save(chosen)
        #expect(SettingsStore(defaults).load(bundle).strength == weakest.strength)
        var allowed = SettingsStore(defaults, mostAttackSuccess: 0.5).load(bundle)
        #expect(allowed.strength == .recommended && allowed.mostAttackSuccess == 0.5)
        _ = try allowed.privatizer(bundle)
        allowed.strength = weakest.strength
        #expect(throws: BrrError.self) { try allowed.privatizer(bundle) }
        // Where nothing is allowed, nothing is released.
        let none = ReleaseSettings(defaultFor: bundle, mostAttackSuccess: 0)
        #expect(throws: BrrError.self) { try none.privatizer(bundle) }
    }
}
