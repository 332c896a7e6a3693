import Brrkit
import UIKit

/// Mechanism and strength, and what they mean.
final class SettingsView: UIStackView {
    /// Called when something was chosen.
    var changed: (Settings) -> Void = { _ in }

    private let bundle: WordBundle
    private var settings: Settings
    private let mechanisms = UISegmentedControl(
        items: Settings.mechanisms.map {
            Words.meaning($0).name
        })
    private let strength = UISlider()
    private let explanation = UILabel.text(.subheadline)
    private let meaning = UILabel.text(.footnote)
    private let epsilons: [Double]

    init(_ bundle: WordBundle, _ settings: Settings) {
        self.bundle = bundle
        self.settings = settings
        epsilons = Settings.epsilons(bits: bundle.bits)
        super.init(frame: .zero)
        axis = .vertical
        spacing = 8
        for view in [mechanisms, explanation, strength, meaning] { addArrangedSubview(view) }
        mechanisms.selectedSegmentIndex =
            Settings.mechanisms.firstIndex(of: settings.mechanism) ?? 0
        mechanisms.accessibilityLabel = "Mechanism"
        mechanisms.addAction(UIAction { [weak self] _ in self?.choose() }, for: .valueChanged)
        strength.minimumValue = 0
        strength.maximumValue = Float(epsilons.count - 1)
        let step = epsilons.indices.min { distance($0) < distance($1) } ?? 0
        strength.value = Float(step)
        strength.accessibilityLabel = "Strength, from strong to weak privacy"
        strength.isContinuous = false
        strength.addAction(UIAction { [weak self] _ in self?.choose() }, for: .valueChanged)
        show()
    }

    @available(*, unavailable)
    required init(coder: NSCoder) { fatalError("made in code only") }

    private func distance(_ step: Int) -> Double { abs(epsilons[step] - settings.epsilon) }

    private func choose() {
        settings.mechanism = Settings.mechanisms[max(mechanisms.selectedSegmentIndex, 0)]
        settings.epsilon = epsilons[Int(strength.value.rounded())]
        changed(settings)
        show()
    }

    private func show() {
        explanation.text = Words.meaning(settings.mechanism).explanation
        let (settings, bundle) = (settings, bundle)
        Task { [weak self] in
            let unchanged = await SettingsView.unchanged(settings, bundle)
            guard let self, self.settings == settings else { return }
            meaning.text = unchanged.map {
                Words.meaning(settings, unchanged: $0, bits: bundle.bits)
            }
            strength.accessibilityValue = meaning.text
        }
    }

    /// Away from the main thread: it draws 200 words.
    private nonisolated static func unchanged(_ settings: Settings, _ bundle: WordBundle) async
        -> Int?
    {
        try? settings.unchanged(bundle)
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
