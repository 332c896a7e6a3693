import Brrkit
import UIKit

/// Mechanism, strength, daily budget and unknown words, and what they and a memory mean.
final class SettingsView: UIStackView {
    /// Called when something was chosen.
    var changed: (Settings) -> Void = { _ in }

    private let bundle: WordBundle
    private let budgetFile: URL
    private var settings: Settings
    private let mechanisms = UISegmentedControl(
        items: Settings.mechanisms.map { Words.meaning($0).name })
    private let explanation = UILabel.text(.subheadline)
    private let strength = UISlider()
    private let meaning = UILabel.text(.footnote)
    private let budget = UISlider()
    private let left = UILabel.text(.footnote)
    private let unknown = UISegmentedControl(items: Oov.allCases.map { Words.meaning($0) })
    private let epsilons: [Double]

    init(_ bundle: WordBundle, _ settings: Settings, budgetFile: URL) {
        self.bundle = bundle
        self.settings = settings
        self.budgetFile = budgetFile
        epsilons = Settings.epsilons(bits: bundle.bits)
        super.init(frame: .zero)
        axis = .vertical
        spacing = 8
        let budgetTitle = UILabel.text(.subheadline, "Daily budget")
        let unknownTitle = UILabel.text(.subheadline, "Unknown words")
        let note = UILabel.text(.footnote, Words.unknown)
        let repeatedTitle = UILabel.text(.subheadline, "Words typed often")
        let repeated = UILabel.text(.footnote, Words.repeated)
        for view in [
            mechanisms, explanation, strength, meaning, budgetTitle, budget, left, unknownTitle,
            unknown, note, repeatedTitle, repeated,
        ] { addArrangedSubview(view) }
        mechanisms.selectedSegmentIndex =
            Settings.mechanisms.firstIndex(of: settings.mechanism) ?? 0
        mechanisms.accessibilityLabel = "Mechanism"
        unknown.selectedSegmentIndex = Oov.allCases.firstIndex(of: settings.oov)!
        unknown.accessibilityLabel = "Unknown words"
        prepare(strength, epsilons, settings.epsilon, "Strength, from strong to weak privacy")
        prepare(budget, Settings.dailyBudgets, settings.dailyBudget, "Daily budget")
        for control in [mechanisms, strength, budget, unknown] as [UIControl] {
            control.addAction(UIAction { [weak self] _ in self?.choose() }, for: .valueChanged)
        }
        show()
    }

    @available(*, unavailable)
    required init(coder: NSCoder) { fatalError("made in code only") }

    private func prepare(
        _ slider: UISlider, _ steps: [Double], _ chosen: Double, _ label: String
    ) {
        slider.minimumValue = 0
        slider.maximumValue = Float(steps.count - 1)
        let nearest = steps.indices.min { abs(steps[$0] - chosen) < abs(steps[$1] - chosen) }
        slider.value = Float(nearest ?? 0)
        slider.accessibilityLabel = label
        slider.isContinuous = false
    }

    private func choose() {
        settings.mechanism = Settings.mechanisms[max(mechanisms.selectedSegmentIndex, 0)]
        settings.epsilon = epsilons[Int(strength.value.rounded())]
        settings.dailyBudget = Settings.dailyBudgets[Int(budget.value.rounded())]
        settings.oov = Oov.allCases[max(unknown.selectedSegmentIndex, 0)]
        changed(settings)
        show()
    }

    /// Shows what the settings mean, which is found out away from the main thread.
    private func show() {
        explanation.text = Words.meaning(settings.mechanism).explanation
        let (settings, bundle, file) = (settings, bundle, budgetFile)
        Task { [weak self] in
            let unchanged = await SettingsView.unchanged(settings, bundle)
            let rest = await SettingsView.rest(settings, file)
            guard let self, self.settings == settings else { return }
            meaning.text = unchanged.map {
                Words.meaning(settings, unchanged: $0, bits: bundle.bits)
            }
            strength.accessibilityValue = meaning.text
            left.text = rest.map { Words.budget(settings, left: $0) }
            budget.accessibilityValue = left.text
        }
    }

    /// Draws 200 words.
    private nonisolated static func unchanged(_ settings: Settings, _ bundle: WordBundle) async
        -> Int?
    {
        try? settings.unchanged(bundle)
    }

    /// Waits for the file's lock.
    private nonisolated static func rest(_ settings: Settings, _ file: URL) async -> Double? {
        try? settings.budget(file).remaining()
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
