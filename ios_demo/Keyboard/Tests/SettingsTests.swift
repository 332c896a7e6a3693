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
            "mechanism": "exponential", "epsilon": 0.6, "parameters": ["base": "words"],
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
        #expect(ReleaseSettings.dailyBudgets.contains(ReleaseSettings(defaultFor: bundle).dailyBudget))
        for mechanism in ReleaseSettings.mechanisms { #expect(!Words.meaning(mechanism).name.isEmpty) }
        #expect(Set(Oov.allCases.map { Words.meaning($0) }).count == Oov.allCases.count)
    }

    @Test func aStrengthIsSaidInPeoplesNumbers() throws {
        let english = Locale(identifier: "en_US")
        let said = Words.meaning(bundle.offer(.recommended), locale: english)
            .components(separatedBy: "\n")
        let measured = try #require(setting.measured)
        let unchanged = Int((100 * measured.unchanged.value).rounded())
        let worst = Int((100 * measured.worst!.high).rounded(.up))
        #expect(said[0] == "Words that leave unchanged: about \(unchanged) of 100.")
        #expect(
            said[1] == "An attacker who sees one word, and holds all words to be as likely, "
                + "finds out at most 20 of 100.")
        #expect(said[2] == "Of the words that are least protected: at most \(worst) of 100.")
        #expect(said[3] == "This is the recommended strength.")
        #expect(said.count == 5)
        for mechanism in ReleaseSettings.mechanisms {
            for offer in bundle.offers(mechanism) {
                let text = Words.meaning(offer, locale: english)
                // Where it is an estimate, what no attacker exceeds.
                let most = Int((100 * offer.measured!.attackSuccess.high - 1e-9).rounded(.up))
                #expect(
                    text.contains(most == 100 ? "nearly all" : "finds out at most \(most) of 100"))
                #expect(!text.contains("wasn't measured"))
                #expect(
                    text.range(
                        of: "[0-9][.,][0-9]{3}|attack-success|isolated", options: .regularExpression
                    )
                        == nil)
            }
        }
        let unmeasured = Offer(strength: .recommended, epsilon: 0.807690743092345, measured: nil)
        #expect(
            Words.meaning(unmeasured, locale: Locale(identifier: "de_DE"))
                == "How well this strength protects wasn't measured with this word list.\n"
                + "This is the recommended strength.\nFor experts: ε is 0,81.")
    }

    @Test func baseAndCapAreSaidInWords() throws {
        let own = try #require(bundle.preference(.recommended))
        #expect(own.base == .words && own.cap == 17)
        for cap in [9, 8.5] {
            let other = try Bundles.recommending([
                "mechanism": "exponential", "parameters": ["base": "uniform", "cap": cap],
            ])
            let given = try #require(other.preference(.recommended))
            #expect(given.base == .uniform && given.cap == cap)
        }
        #expect(bundle.preference(.chosen(.brr, epsilon: 1)) == nil)
        // A strength by its number is as the default mechanism is.
        let chosen = try #require(bundle.preference(.chosen(.exponential, epsilon: 1)))
        #expect(chosen.base == .language && chosen.cap == nil)
        let poor = try WordBundle(
            contentsOf: Bundles.work.appendingPathComponent("bundles/256"))
        let bigrams = try #require(poor.manifest["bigrams"] as? Int)
        let base = poor.preference(.chosen(.exponential, epsilon: 1))?.base
        #expect(base == (bigrams > 0 ? .language : .words))
        let english = Locale(identifier: "en_US")
        #expect(
            Words.meaning(base: .words, cap: 8.5, locale: english)
                == "Frequent words come out more readily than rare ones.\n"
                + "However much two typed words differ, a sent word is at most 4,915 times as likely "
                + "for one as for the other. For experts: the cap is 8.5.")
        let said = Base.allCases.map { Words.meaning(base: $0, cap: nil, locale: english) }
        #expect(Set(said).count == 3 && said.allSatisfy { $0.hasSuffix(", without a limit.") })
    }

    @Test func theBudgetIsSaidInWords() {
        let settings = ReleaseSettings(.recommended)
        let german = Locale(identifier: "de_DE")
        let said = Words.budget(settings, left: 999.1923092, cost: 0.5279, locale: german)
        #expect(said.hasPrefix("1.892 new words left today."))
        #expect(said.contains("999,19 of 1.000 ε are left, and a word costs 0,53 ε."))
        let exact = Words.budget(settings, left: 29.7, cost: 0.3)
        #expect(exact.hasPrefix("99 new words left today."))
    }
}
