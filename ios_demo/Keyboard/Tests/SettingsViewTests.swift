import Brrkit
import BrrkitKeyboard
import Foundation
import Testing
import UIKit

@testable import DemoKeyboard

/// Controls are moved, as a finger does; the settings that come out are compared as a whole.
@MainActor
struct SettingsViewTests {
    @MainActor private final class Screen {
        let view: SettingsView
        let keyboard: BrrKeyboard
        private let store: SettingsStore
        var settings: ReleaseSettings { store.load(Bundles.isolated) }

        init(_ settings: ReleaseSettings = ReleaseSettings(defaultFor: Bundles.isolated)) throws {
            store = SettingsStore(try #require(UserDefaults(suiteName: UUID().uuidString)))
            store.save(settings)
            keyboard = BrrKeyboard(folder: try Bundles.newFolder()) { () throws(BrrError) in
                Bundles.isolated
            }
            view = SettingsView(Bundles.isolated, store, keyboard)
        }

        func move(_ slider: UISlider, to place: Float) {
            slider.value = place
            slider.sendActions(for: .valueChanged)
        }

        func choose(_ control: UISegmentedControl, _ place: Int) {
            control.selectedSegmentIndex = place
            control.sendActions(for: .valueChanged)
        }
    }

    @Test func consentIsOffUntilItIsGiven() throws {
        let screen = try Screen()
        #expect(!screen.view.consent.isOn && !screen.keyboard.consent.isGiven)
        for isOn in [true, false] {
            screen.view.consent.isOn = isOn
            screen.view.consent.sendActions(for: .valueChanged)
            #expect(screen.keyboard.consent.isGiven == isOn && screen.view.consent.isOn == isOn)
        }
        #expect(screen.settings == ReleaseSettings(.recommended))
    }

    @Test func aControlChangesWhatItIsForAndNothingElse() throws {
        let screen = try Screen()
        var expected = ReleaseSettings(.recommended)
        #expect(screen.settings == expected)
        screen.move(screen.view.budget, to: 0)
        expected.dailyBudget = 30
        #expect(screen.settings == expected)
        screen.choose(screen.view.unknown, Oov.allCases.firstIndex(of: .drop)!)
        expected.oov = .drop
        #expect(screen.settings == expected)
        screen.move(screen.view.strength, to: 0)
        #expect(screen.settings.strength != .recommended)
        expected.strength = screen.settings.strength
        #expect(screen.settings == expected)
        screen.move(screen.view.budget, to: 5)
        expected.dailyBudget = 10_000
        #expect(screen.settings == expected)
    }

    @Test func theRecommendedStrengthCanBeChosenAgain() throws {
        let screen = try Screen()
        let view = screen.view
        let place = view.strength.value
        let preference = try #require(Bundles.isolated.preference(.recommended))
        let said = Words.meaning(base: preference.base, cap: preference.cap)
        #expect(view.explanation.text?.hasSuffix("\n" + said) == true)
        #expect(view.recommend.isEnabled == false && view.recommend.isHidden == false)
        for other in 0...Int(view.strength.maximumValue) {
            screen.move(view.strength, to: Float(other))
            #expect((screen.settings.strength == .recommended) == (Float(other) == place))
        }
        #expect(view.recommend.isEnabled)
        view.recommend.sendActions(for: .touchUpInside)
        #expect(screen.settings == ReleaseSettings(.recommended) && view.strength.value == place)
        for mechanism in [0, 1] {
            screen.choose(view.mechanisms, mechanism)
            #expect(screen.settings.strength != .recommended)
            #expect(view.mechanisms.selectedSegmentIndex == mechanism)
            #expect(view.explanation.text?.contains("limit") == false)
            view.recommend.sendActions(for: .touchUpInside)
            #expect(screen.settings == ReleaseSettings(.recommended))
            #expect(view.mechanisms.selectedSegmentIndex == 2)
        }
    }

    @Test func anEarlierBundlesStrengthIsShown() throws {
        let screen = try Screen(ReleaseSettings(.chosen(.exponential, epsilon: 0.7)))
        screen.move(screen.view.budget, to: 0)
        #expect(screen.settings.strength == .chosen(.exponential, epsilon: 0.7))
        #expect(screen.view.strength.maximumValue == 7)
    }
}
