import BrrkitKeyboard
import UIKit

/// Shows what leaves the device: the words that the sink received.
final class StripView: UIStackView {
    /// Called when the settings button is tapped.
    var openSettings: () -> Void = {}

    let text = UILabel.text(.subheadline)
    private let texts: Texts

    init(_ texts: Texts = .system) {
        self.texts = texts
        super.init(frame: .zero)
        spacing = 8
        let caption = UILabel.text(.caption1, texts.text("brr_leaves_caption"))
        caption.textColor = .secondaryLabel
        caption.isAccessibilityElement = false
        text.numberOfLines = 1
        text.lineBreakMode = .byTruncatingHead  // the newest words stay
        maximumContentSizeCategory = .extraExtraLarge  // a keyboard's height is limited
        let settings = UIButton(type: .system)
        settings.setTitle("⚙︎", for: .normal)
        settings.accessibilityLabel = texts.text("brr_settings")
        settings.addAction(UIAction { [weak self] _ in self?.openSettings() }, for: .touchUpInside)
        caption.setContentHuggingPriority(.required, for: .horizontal)
        settings.setContentHuggingPriority(.required, for: .horizontal)
        for view in [caption, text, settings] { addArrangedSubview(view) }
    }

    @available(*, unavailable)
    required init(coder: NSCoder) { fatalError("made in code only") }

    func show(_ message: String) {
        text.text = message
        text.accessibilityLabel = texts.text("brr_leaves", message)
    }
}

/// Suggested words to tap. The best one is in the middle.
final class SuggestionsView: UIStackView {
    /// Called with the tapped word.
    var chosen: (String) -> Void = { _ in }

    private let buttons = (0..<suggestionsShown).map { _ in UIButton(type: .system) }
    private let texts: Texts

    init(_ texts: Texts = .system) {
        self.texts = texts
        super.init(frame: .zero)
        distribution = .fillEqually
        maximumContentSizeCategory = .extraExtraLarge
        for (place, button) in buttons.enumerated() {
            button.titleLabel?.font = .preferredFont(forTextStyle: .body)
            button.titleLabel?.adjustsFontForContentSizeCategory = true
            button.addAction(
                UIAction { [weak self] _ in self?.choose(place) }, for: .touchUpInside)
            addArrangedSubview(button)
        }
        show([])
    }

    @available(*, unavailable)
    required init(coder: NSCoder) { fatalError("made in code only") }

    func show(_ words: [String]) {
        let places = [1, 0, 2]
        for (rank, place) in places.enumerated() {
            let word = rank < words.count ? words[rank] : nil
            buttons[place].setTitle(word, for: .normal)
            buttons[place].isEnabled = word != nil
            buttons[place].accessibilityLabel = word.map { texts.text("suggestion", $0) }
        }
    }

    private func choose(_ place: Int) {
        if let word = buttons[place].title(for: .normal) { chosen(word) }
    }
}
