import UIKit

/// One of several, each with room for a sentence.
final class ChoiceList: UIStackView {
    /// Called with the index of the tapped choice.
    var chosen: (Int) -> Void = { _ in }

    /// The index of the marked choice.
    var selected: Int? {
        didSet { mark() }
    }

    let buttons: [UIButton]

    init(_ choices: [(name: String, note: String?)]) {
        buttons = choices.map { choice in
            var look = UIButton.Configuration.plain()
            look.title = choice.name
            look.subtitle = choice.note
            look.titleAlignment = .leading
            look.imagePadding = 8
            let button = UIButton(type: .system)
            button.configuration = look
            button.contentHorizontalAlignment = .leading
            button.accessibilityLabel = [choice.name, choice.note].compactMap { $0 }
                .joined(separator: ". ")
            return button
        }
        super.init(frame: .zero)
        axis = .vertical
        for (place, button) in buttons.enumerated() {
            button.addAction(UIAction { [weak self] _ in self?.chosen(place) }, for: .touchUpInside)
            button.heightAnchor.constraint(greaterThanOrEqualToConstant: 44).isActive = true
            addArrangedSubview(button)
        }
        mark()
    }

    @available(*, unavailable)
    required init(coder: NSCoder) { fatalError("made in code only") }

    private func mark() {
        for (place, button) in buttons.enumerated() {
            let isSelected = place == selected
            button.configuration?.image = UIImage(
                systemName: isSelected ? "checkmark.circle.fill" : "circle")
            button.accessibilityTraits = isSelected ? [.button, .selected] : .button
        }
    }
}
