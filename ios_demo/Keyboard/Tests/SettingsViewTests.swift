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

        init(
            _ strength: Strength = .recommended, mostAttackSuccess: Double? = nil,
            _ texts: Texts = .system
        ) throws {
            let defaults = try #require(UserDefaults(suiteName: UUID().uuidString))
            store = SettingsStore(defaults, mostAttackSuccess: mostAttackSuccess)
            store.save(ReleaseSettings(strength))
            keyboard = BrrKeyboard(folder: try Bundles.newFolder()) { Bundles.isolated }
            view = SettingsView(Bundles.isolated, store, keyboard, of: "fr", texts)
        }

        func move(_ slider: UISlider, to place: Float) {
            slider.value = place
            slider.sendActions(for: .valueChanged)
        }

        /// The strength at a place of the slider, as it is offered.
        func offered(_ place: Int) -> Strength {
            Bundles.isolated.offers(settings)[place].strength
        }

        func choose(_ list: ChoiceList, _ place: Int) {
            list.buttons[place].sendActions(for: .touchUpInside)
        }
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
        let offer = Bundles.isolated.offer(.recommended)
        #expect(view.details.text == Meaning().details(offer, preference))
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
            #expect(view.mechanisms.selected == mechanism)
            #expect(view.details.text?.contains("limit") == false)
            view.recommend.sendActions(for: .touchUpInside)
            #expect(screen.settings == ReleaseSettings(.recommended))
            #expect(view.mechanisms.selected == 2)
        }
    }

    @Test func anEarlierBundlesStrengthIsShown() throws {
        let screen = try Screen(.chosen(.exponential, epsilon: 0.7))
        screen.move(screen.view.budget, to: 0)
        #expect(screen.settings.strength == .chosen(.exponential, epsilon: 0.7))
        #expect(screen.view.strength.maximumValue == 7)
    }

    /// The old keyboard took all settings from the places of all controls, of which none was the
    /// recommended strength.
    @Test func noControlMovesTheRecommendedStrength() throws {
        let screen = try Screen()
        let view = screen.view
        for place in 0...5 { screen.move(view.budget, to: Float(place)) }
        for place in Oov.allCases.indices { screen.choose(view.unknown, place) }
        view.showAdvanced.sendActions(for: .touchUpInside)
        screen.choose(view.mechanisms, 2)  // which it is
        #expect(screen.settings.strength == .recommended)
    }

    @Test func theMechanismIsBehindAButton() throws {
        let view = try Screen().view
        #expect(view.advanced.isHidden && view.protection.text?.contains("ε") == false)
        let closed = view.showAdvanced.title(for: .normal)
        view.showAdvanced.sendActions(for: .touchUpInside)
        #expect(!view.advanced.isHidden && view.showAdvanced.title(for: .normal) != closed)
        view.showAdvanced.sendActions(for: .touchUpInside)
        #expect(view.advanced.isHidden && view.showAdvanced.title(for: .normal) == closed)
    }

    @Test func aScreenReaderHearsWhatASettingMeansAndMovesItByOne() async throws {
        let screen = try Screen(.recommended, Texts(language: "de"))
        let (view, strength) = (screen.view, screen.view.strength)
        let place = strength.step
        let protection = try #require(view.protection.text)
        #expect(strength.accessibilityLabel == "Schutz")
        #expect(strength.accessibilityValue == "Stufe \(place + 1) von 7. \(protection)")
        #expect(
            protection.contains("Wörter, die das Gerät unverändert verlassen: etwa 15 von 100."))
        strength.accessibilityIncrement()
        #expect(strength.step == place + 1 && screen.settings.strength != .recommended)
        #expect(strength.accessibilityValue?.hasPrefix("Stufe \(place + 2) von 7.") == true)
        strength.accessibilityDecrement()
        #expect(screen.settings == ReleaseSettings(.recommended))
        for _ in 0..<9 { strength.accessibilityDecrement() }
        #expect(strength.step == 0)
        while view.left.text == nil { await Task.yield() }
        #expect(view.budget.accessibilityValue?.hasSuffix(" am Tag") == true)
        #expect(
            view.left.text?.hasPrefix(view.budget.accessibilityValue! + "\nReicht jetzt ") == true)
        #expect(view.epsilon.text?.hasPrefix("ε ist ") == true)
        let marked = view.unknown.buttons.filter { $0.accessibilityTraits.contains(.selected) }
        #expect(marked.count == 1)
        for button in view.unknown.buttons + view.mechanisms.buttons {
            #expect(button.accessibilityLabel?.hasPrefix(button.configuration!.title!) == true)
        }
        view.recommend.sendActions(for: .touchUpInside)
        #expect(UIAccessibility.posted.contains(strength.accessibilityValue!))
    }

    @Test func whatTheAppDoesntAllowIsntOffered() throws {
        let screen = try Screen(mostAttackSuccess: 0.1)
        #expect(screen.view.recommend.isHidden, "the recommended one isn't allowed, either")
        for mechanism in 0..<3 {
            screen.choose(screen.view.mechanisms, mechanism)
            for place in 0...Int(screen.view.strength.maximumValue) {
                screen.move(screen.view.strength, to: Float(place))
                #expect(
                    screen.settings.allows(screen.settings.strength, on: Bundles.isolated))
                #expect(screen.settings.strength == screen.offered(place))
            }
        }
    }

    @Test func consentIsOffUntilItIsGiven() throws {
        let screen = try Screen()
        let (consent, keyboard) = (screen.view.consent, screen.keyboard)
        var changes = 0
        screen.view.consentChanged = { changes += 1 }
        #expect(!consent.isOn && !keyboard.consent.isGiven)
        #expect(consent.accessibilityLabel == "Let replaced words leave the device")
        for isOn in [true, false] {
            consent.isOn = isOn
            consent.sendActions(for: .valueChanged)
            #expect(keyboard.consent.isGiven == isOn && consent.isOn == isOn)
            #expect(screen.view.notStored.isHidden)
        }
        #expect(changes == 2 && screen.settings == ReleaseSettings(.recommended))
    }

    @Test func whatNeverLeavesIsSaidOfLists() throws {
        func list(_ name: String, _ member: Int) -> [String: Any] {
            ["name": name, "members": [member], "forms": [String]()]
        }
        let bundle = try Bundles.with(policy: ["lists": [list("names", 3), list("illnesses", 4)]])
        let secrets = try view(bundle, Bundles.newFolder()).secrets
        #expect(
            secrets.text
                == "A replacement never depends on which word of a list you typed (names, illnesses). "
                + "It may show that you typed one, and the words around it may reveal which.")
        #expect(!secrets.isHidden)
    }

    @Test func withoutListsNothingIsSaidOfThem() throws {
        let passing: [String: Any] = ["words": [3], "probability": 0.5]
        let withoutLists = try Bundles.with(policy: ["lists": [Any](), "passing": passing])
        for bundle in [withoutLists, Bundles.isolated] {
            let secrets = try view(bundle, Bundles.newFolder()).secrets
            #expect(secrets.isHidden && secrets.text == nil)
        }
    }

    @Test func aConsentThatCantBeStoredIsntShownAsGiven() throws {
        let gone = try Bundles.newFolder().appendingPathComponent("none")
        let view = try view(Bundles.isolated, gone)
        view.consent.isOn = true
        view.consent.sendActions(for: .valueChanged)
        #expect(!view.consent.isOn && !view.notStored.isHidden)
    }

    private func view(_ bundle: WordBundle, _ folder: URL) throws -> SettingsView {
        let defaults = try #require(UserDefaults(suiteName: UUID().uuidString))
        return SettingsView(
            bundle, SettingsStore(defaults), BrrKeyboard(folder: folder) { bundle })
    }
}
