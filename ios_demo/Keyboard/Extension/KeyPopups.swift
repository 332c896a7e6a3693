import UIKit

/// The character under the finger, above its key.
final class PreviewView: UILabel {
    init() {
        super.init(frame: .zero)
        dress()
        font = .systemFont(ofSize: 30)
        textAlignment = .center
        isAccessibilityElement = false
        isHidden = true
    }

    @available(*, unavailable)
    required init?(coder: NSCoder) { fatalError("made in code only") }

    func show(_ label: String, above face: CGRect) {
        text = label
        frame = face.offsetBy(dx: 0, dy: -face.height - 2 * KeyGrid.margin)
        isHidden = false
    }

    func hide() {
        isHidden = true
        text = nil
    }
}

/// The choices of a held key, above it. The finger slides to a choice; a screen reader finds them as the
/// key's actions.
final class ChoicesView: UIView {
    private var labels = [UILabel]()

    init() {
        super.init(frame: .zero)
        semanticContentAttribute = .forceLeftToRight
        isUserInteractionEnabled = false
        dress()
        isHidden = true
    }

    @available(*, unavailable)
    required init?(coder: NSCoder) { fatalError("made in code only") }

    func show(_ choices: [String], in row: ChoiceRow, marked: Int?) {
        if labels.map(\.text) != choices { build(choices, row) }
        for (place, label) in labels.enumerated() {
            label.backgroundColor = place == marked ? .systemBlue : nil
            label.textColor = place == marked ? .white : .label
        }
        isHidden = false
    }

    func hide() {
        isHidden = true
        for label in labels { label.removeFromSuperview() }
        labels = []
    }

    private func build(_ choices: [String], _ row: ChoiceRow) {
        hide()
        frame = row.frames.reduce(row.frames[0]) { $0.union($1) }
        for (choice, place) in zip(choices, row.frames) {
            let label = UILabel(frame: place.offsetBy(dx: -frame.minX, dy: -frame.minY))
            label.font = .systemFont(ofSize: 24)
            label.textAlignment = .center
            label.isAccessibilityElement = false
            label.text = choice
            labels.append(label)
            addSubview(label)
        }
    }
}

extension UIView {
    fileprivate func dress() {
        backgroundColor = .systemGray3  // no key has it
        layer.cornerRadius = 6
        clipsToBounds = true
    }
}
