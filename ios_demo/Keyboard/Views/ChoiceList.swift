import UIKit

/// One of several, each with room for a sentence.
final class ChoiceList: UIStackView {
    /// Called with the place of the one that is tapped.
    var chosen: (Int) -> Void = { _ in }

    /// The place of the one that is marked.
    var selected: Int? {
        didSet { mark() }
    }

    let buttons: [UIButton]

    init(_ names: [String]) {
        buttons = names.map { name in
            let button = UIButton(type: .system)
            button.setTitle(name, for: .normal)
            button.contentHorizontalAlignment = .leading
            button.titleLabel?.numberOfLines = 0
            button.titleLabel?.font = .preferredFont(forTextStyle: .body)
            button.titleLabel?.adjustsFontForContentSizeCategory = true
            return button
        }
        super.init(frame: .zero)
        axis = .vertical
        spacing = 4
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
            let image = isSelected ? "checkmark.circle.fill" : "circle"
            button.setImage(UIImage(systemName: image), for: .normal)
            button.accessibilityTraits = isSelected ? [.button, .selected] : .button
        }
    }
}
