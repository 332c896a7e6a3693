import Brrkit
import BrrkitKeyboard
import UIKit

/// Strength, daily budget, unknown words and mechanism, and what they and a memory mean.
///
/// Each control changes what it is for, and nothing else.
final class SettingsView: UIStackView {
    let consent = UISwitch()
    let strength = UISlider()
    let recommend = UIButton(type: .system)
    let budget = UISlider()
    let unknown = UISegmentedControl(items: Oov.allCases.map { Words.meaning($0) })
    let mechanisms = UISegmentedControl(
        items: ReleaseSettings.mechanisms.map { Words.meaning($0).name })

    private let bundle: WordBundle
    private let store: SettingsStore
    private let keyboard: BrrKeyboard
    private var settings: ReleaseSettings
    private var offers = [Offer]()
    private let failure = UILabel.text(.footnote, Words.notStored)
    private let meaning = UILabel.text(.footnote)
    private let left = UILabel.text(.footnote)
    let explanation = UILabel.text(.footnote)

    init(_ bundle: WordBundle, _ store: SettingsStore, _ keyboard: BrrKeyboard) {
        (self.bundle, self.store, self.keyboard) = (bundle, store, keyboard)
        settings = store.load(bundle)
        super.init(frame: .zero)
        axis = .vertical
        spacing = 8
        let consentTitle = UILabel.text(.subheadline, Words.consent)
        let consentRow = UIStackView(arrangedSubviews: [consentTitle, consent])
        consentRow.spacing = 8
        consentTitle.isAccessibilityElement = false
        let consentNote = UILabel.text(.footnote, Words.consentMeaning)
        let strengthTitle = UILabel.text(.subheadline, "Strength")
        let budgetTitle = UILabel.text(.subheadline, "Daily budget")
        let unknownTitle = UILabel.text(.subheadline, "Unknown words")
        let note = UILabel.text(.footnote, Words.unknown)
        let repeatedTitle = UILabel.text(.subheadline, "Words typed often")
        let repeated = UILabel.text(.footnote, Words.repeated)
        let mechanismTitle = UILabel.text(.subheadline, "Mechanism")
        for view in [
            consentRow, consentNote, failure, strengthTitle, strength, meaning, recommend, budgetTitle, budget, left, unknownTitle,
            unknown, note, repeatedTitle, repeated, mechanismTitle, mechanisms, explanation,
        ] { addArrangedSubview(view) }
        failure.isHidden = true
        consent.isOn = keyboard.consent.isGiven
        consent.accessibilityLabel = Words.consent
        consent.addAction(
            UIAction { [weak self] _ in self?.turn() }, for: .valueChanged)
        strength.accessibilityLabel = "Strength, from strong to weak privacy"
        budget.accessibilityLabel = "Daily budget"
        unknown.accessibilityLabel = "Unknown words"
        mechanisms.accessibilityLabel = "Mechanism"
        recommend.setTitle(Words.recommend, for: .normal)
        recommend.isHidden = bundle.own == nil
        for slider in [strength, budget] {
            slider.minimumValue = 0
            slider.isContinuous = false
        }
        budget.maximumValue = Float(ReleaseSettings.dailyBudgets.count - 1)
        listen()
        show()
    }

    @available(*, unavailable)
    required init(coder: NSCoder) { fatalError("made in code only") }

    /// Gives the consent, or withdraws it: what is on the screen is what is on the disk.
    private func turn() {
        do {
            if consent.isOn { try keyboard.consent.give() } else { try keyboard.consent.withdraw() }
            failure.isHidden = true
        } catch {
            failure.isHidden = false
        }
        consent.isOn = keyboard.consent.isGiven
    }

    private func listen() {
        on(strength, .valueChanged) { view in
            view.settings.strength = view.offers[Int(view.strength.value.rounded())].strength
        }
        on(recommend, .touchUpInside) { $0.settings.strength = .recommended }
        on(budget, .valueChanged) { view in
            view.settings.dailyBudget = ReleaseSettings.dailyBudgets[Int(view.budget.value.rounded())]
        }
        on(unknown, .valueChanged) { view in
            view.settings.oov = Oov.allCases[max(view.unknown.selectedSegmentIndex, 0)]
        }
        on(mechanisms, .valueChanged) { view in
            let mechanism = ReleaseSettings.mechanisms[max(view.mechanisms.selectedSegmentIndex, 0)]
            view.settings.strength = view.bundle.strength(
                of: mechanism, insteadOf: view.settings.strength)
        }
    }

    private func on(
        _ control: UIControl, _ event: UIControl.Event,
        _ change: @escaping @MainActor (SettingsView) -> Void
    ) {
        let action = UIAction { [weak self] _ in
            guard let self else { return }
            change(self)
            store.save(settings)
            show()
        }
        control.addAction(action, for: event)
    }

    /// Shows the settings, and what they mean; what that costs is found out away from the main thread.
    private func show() {
        let (settings, bundle, file) = (settings, bundle, keyboard.releaser.budgetFile)
        let mechanism = bundle.mechanism(settings.strength)
        offers = bundle.offers(beside: settings.strength)
        let place = offers.firstIndex { $0.strength == settings.strength }!
        strength.maximumValue = Float(offers.count - 1)
        strength.value = Float(place)
        meaning.text = Words.meaning(offers[place])
        strength.accessibilityValue = meaning.text
        recommend.isEnabled = settings.strength != .recommended
        let budgets = ReleaseSettings.dailyBudgets
        budget.value = Float(budgets.lastIndex { $0 <= settings.dailyBudget } ?? 0)
        unknown.selectedSegmentIndex = Oov.allCases.firstIndex(of: settings.oov)!
        mechanisms.selectedSegmentIndex = ReleaseSettings.mechanisms.firstIndex(of: mechanism)!
        let preference = bundle.preference(settings.strength).map {
            "\n" + Words.meaning(base: $0.base, cap: $0.cap)
        }
        explanation.text = Words.meaning(mechanism).explanation + "." + (preference ?? "")
        Task { [weak self] in
            let text = await SettingsView.budget(settings, bundle, file)
            guard let self, self.settings == settings else { return }
            left.text = text
            budget.accessibilityValue = text
        }
    }

    /// Waits for the file's lock.
    private nonisolated static func budget(
        _ settings: ReleaseSettings, _ bundle: WordBundle, _ file: URL
    ) async -> String? {
        guard let left = try? settings.budget(file).remaining(),
            let cost = try? settings.privatizer(bundle).certifiedEpsilon
        else { return nil }
        return Words.budget(settings, left: left, cost: cost)
    }
}

extension UILabel {
    /// Returns a label of several lines that follows the size of text that somebody chose.
    static func text(_ style: UIFont.TextStyle, _ text: String? = nil) -> UILabel {
        let label = UILabel()
        label.font = .preferredFont(forTextStyle: style)
        label.adjustsFontForContentSizeCategory = true
        label.numberOfLines = 0
        label.text = text
        return label
    }
}
