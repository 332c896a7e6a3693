import Brrkit
import BrrkitKeyboard
import UIKit

/// The settings: the lists' protection; consent, protection, daily budget and unknown words, with their
/// meaning and that of a memory; behind a button, the mechanism and details for experts.
///
/// Each control changes only its own setting.
final class SettingsView: UIStackView {
    /// Called when consent was given or withdrawn.
    var consentChanged: () -> Void = {}

    let secrets = UILabel.text(.footnote)
    let consent = UISwitch()
    let notStored = UILabel.text(.footnote)
    let strength = StepSlider()
    let recommend = UIButton(type: .system)
    let budget = StepSlider()
    let unknown: ChoiceList
    let showAdvanced = UIButton(type: .system)
    let mechanisms: ChoiceList
    let advanced = UIStackView()

    let protection = UILabel.text(.body)
    let left = UILabel.text(.body)
    let details = UILabel.text(.footnote)
    let epsilon = UILabel.text(.caption1)

    private let bundle: WordBundle
    private let store: SettingsStore
    private let keyboard: BrrKeyboard
    private let texts: Texts
    private let meaning: Meaning
    private let offered: [Mechanism]  // with a strength that the app allows
    private var settings: ReleaseSettings
    private var offers = [Offer]()
    /// Whether a screen reader announces the strength: its focus is on another control than the slider.
    private var saysStrength = false

    /// - Parameter language: the language of the settings, as a BCP 47 tag, if there are several.
    init(
        _ bundle: WordBundle, _ store: SettingsStore, _ keyboard: BrrKeyboard,
        of language: String? = nil, _ texts: Texts = .system
    ) {
        (self.bundle, self.store, self.keyboard) = (bundle, store, keyboard)
        let settings = store.load(bundle)
        self.settings = settings
        self.texts = texts
        let meaning = Meaning(texts)
        self.meaning = meaning
        offered = ReleaseSettings.mechanisms.filter {
            $0 == bundle.mechanism(settings.strength)
                || bundle.strength(of: $0, insteadOf: settings) != nil
        }
        unknown = ChoiceList(Oov.allCases.map { (meaning.unknown($0), nil) })
        mechanisms = ChoiceList(offered.map(meaning.mechanism))
        super.init(frame: .zero)
        axis = .vertical
        spacing = 8
        addSecrets()
        addConsent()
        addProtection()
        addBudget()
        if let language { add([note(meaning.languages(language))]) }
        add([title("unknown_words"), note(texts.text("oov_note")), unknown])
        add([title("memory"), note(meaning.memory)])
        addAdvanced()
        listen()
        show()
    }

    @available(*, unavailable)
    required init(coder: NSCoder) { fatalError("made in code only") }

    private func addSecrets() {
        secrets.text = meaning.secrets(bundle.policy)
        secrets.isHidden = secrets.text == nil
        add([secrets])
    }

    private func addConsent() {
        let name = UILabel.text(.headline, texts.text("consent"))
        name.isAccessibilityElement = false  // the switch says it
        consent.accessibilityLabel = name.text
        consent.isOn = keyboard.consent.isGiven
        consent.addAction(UIAction { [weak self] _ in self?.turn() }, for: .valueChanged)
        consent.setContentHuggingPriority(.required, for: .horizontal)
        let row = UIStackView(arrangedSubviews: [name, consent])
        row.spacing = 8
        notStored.text = texts.text("not_stored")
        notStored.isHidden = true
        add([row, notStored, note(texts.text("consent_note"))])
    }

    /// Gives or withdraws consent. The switch shows the state on disk.
    private func turn() {
        do {
            if consent.isOn { try keyboard.consent.give() } else { try keyboard.consent.withdraw() }
            notStored.isHidden = true
        } catch {
            notStored.isHidden = false
            UIAccessibility.post(notification: .announcement, argument: notStored.text)
        }
        consent.isOn = keyboard.consent.isGiven
        consentChanged()
    }

    private func addProtection() {
        strength.accessibilityLabel = texts.text("strength")
        protection.isAccessibilityElement = false  // the slider says it
        recommend.setTitle(texts.text("recommended"), for: .normal)
        recommend.isHidden =
            bundle.own == nil || !settings.allows(.recommended, on: bundle)
        add([title("strength"), protection, strength, ends("stronger", "weaker"), recommend])
        if let most = settings.mostAttackSuccess { add([note(meaning.limit(most))]) }
    }

    private func addBudget() {
        budget.accessibilityLabel = texts.text("budget")
        budget.maximumValue = Float(ReleaseSettings.dailyBudgets.count - 1)
        add([title("budget"), left, budget, ends("smaller", "larger"), note(meaning.budget)])
    }

    private func addAdvanced() {
        advanced.axis = .vertical
        advanced.spacing = 8
        for view in [
            title("mechanism"), note(texts.text("mechanism_note")), mechanisms, title("details"),
            details, epsilon,
        ] { advanced.addArrangedSubview(view) }
        add([title("advanced"), showAdvanced, advanced])
        show(advanced: false)
    }

    private func show(advanced isShown: Bool) {
        advanced.isHidden = !isShown
        showAdvanced.setTitle(texts.text(isShown ? "hide_advanced" : "show_advanced"), for: .normal)
    }

    private func add(_ views: [UIView]) {
        for view in views { addArrangedSubview(view) }
    }

    private func title(_ key: String) -> UILabel {
        let label = UILabel.text(.headline, texts.text(key))
        label.accessibilityTraits = .header
        return label
    }

    private func note(_ text: String) -> UILabel { UILabel.text(.footnote, text) }

    /// The meaning of a slider's ends.
    private func ends(_ least: String, _ most: String) -> UIView {
        let labels = [
            UILabel.text(.caption1, texts.text(least)), .text(.caption1, texts.text(most)),
        ]
        let row = UIStackView(arrangedSubviews: labels)
        row.distribution = .equalSpacing
        for label in labels {
            label.textColor = .secondaryLabel
            label.isAccessibilityElement = false  // the slider's value says it
        }
        return row
    }

    private func listen() {
        on(strength, .valueChanged) { view in
            view.settings.strength = view.offers[view.strength.step].strength
        }
        on(recommend, .touchUpInside) {
            $0.settings.strength = .recommended
            $0.saysStrength = true
        }
        on(budget, .valueChanged) { view in
            view.settings.dailyBudget = ReleaseSettings.dailyBudgets[view.budget.step]
        }
        unknown.chosen = { [weak self] place in
            self?.change { $0.settings.oov = Oov.allCases[place] }
        }
        mechanisms.chosen = { [weak self] place in
            self?.change { view in
                let mechanism = view.offered[place]
                if mechanism == view.bundle.mechanism(view.settings.strength) { return }
                view.saysStrength = true
                view.settings.strength =
                    view.bundle.strength(of: mechanism, insteadOf: view.settings)
                    ?? view.settings.strength
            }
        }
        showAdvanced.addAction(
            UIAction { [weak self] _ in
                guard let self else { return }
                show(advanced: advanced.isHidden)
            }, for: .touchUpInside)
    }

    private func on(
        _ control: UIControl, _ event: UIControl.Event,
        _ change: @escaping @MainActor (SettingsView) -> Void
    ) {
        control.addAction(UIAction { [weak self] _ in self?.change(change) }, for: event)
    }

    private func change(_ change: @MainActor (SettingsView) -> Void) {
        let before = settings
        change(self)
        if settings != before { store.save(settings) }
        show()
        if saysStrength {
            UIAccessibility.post(notification: .announcement, argument: strength.accessibilityValue)
        }
        saysStrength = false
    }

    /// Shows the settings and their meaning. Computes their costs off the main thread.
    private func show() {
        let (settings, bundle, file) = (settings, bundle, keyboard.releaser.budgetFile)
        offers = bundle.offers(settings)
        let place = offers.firstIndex { $0.strength == settings.strength }!
        strength.maximumValue = Float(offers.count - 1)
        strength.value = Float(place)
        protection.text = meaning.protection(offers[place])
        strength.accessibilityValue = meaning.place(place, of: offers)
        recommend.isEnabled = settings.strength != .recommended
        budget.value = Float(
            ReleaseSettings.dailyBudgets.lastIndex { $0 <= settings.dailyBudget } ?? 0)
        unknown.selected = Oov.allCases.firstIndex(of: settings.oov)
        mechanisms.selected = offered.firstIndex(of: bundle.mechanism(settings.strength))
        details.text = meaning.details(offers[place], bundle.preference(settings.strength))
        Task { [weak self] in
            let numbers = await SettingsView.numbers(settings, bundle, file)
            guard let self, self.settings == settings else { return }
            show(numbers, offers[place])
        }
    }

    private func show(_ numbers: (cost: Double, left: Double)?, _ offer: Offer) {
        guard let (cost, rest) = numbers else {
            left.text = texts.text("brr_not_ready")
            budget.accessibilityValue = left.text
            epsilon.text = nil
            return
        }
        let size = meaning.budgetSize(settings.dailyBudget, cost: cost)
        left.text = size + "\n" + meaning.budgetLeft(rest, cost: cost)
        budget.accessibilityValue = size
        epsilon.text = meaning.epsilon(offer, cost: cost, left: rest, of: settings.dailyBudget)
    }

    /// The cost of a word, and the rest of the budget. Waits for the file's lock.
    private nonisolated static func numbers(
        _ settings: ReleaseSettings, _ bundle: WordBundle, _ file: URL
    ) async -> (cost: Double, left: Double)? {
        guard let left = try? settings.budget(file).remaining(),
            let cost = try? settings.privatizer(bundle).certifiedEpsilon
        else { return nil }
        return (cost, left)
    }
}

extension UILabel {
    /// Returns a label of several lines that follows the user's text size.
    static func text(_ style: UIFont.TextStyle, _ text: String? = nil) -> UILabel {
        let label = UILabel()
        label.font = .preferredFont(forTextStyle: style)
        label.adjustsFontForContentSizeCategory = true
        label.numberOfLines = 0
        label.text = text
        return label
    }
}
