import UIKit

/// The globe: a tap switches to the next keyboard, and holding it shows the list. The system does both, and
/// needs all events of a touch for that.
final class NextKeyboardKey: UIView {
    /// Called with each event of a touch.
    var touched: (UIView, UIEvent) -> Void = { _, _ in }
    /// Called when a screen reader activates the key.
    var activated: () -> Void = {}

    private let face: KeyFace

    init(_ label: String, isPad: Bool) {
        face = KeyFace(.nextKeyboard, isPad: isPad)
        super.init(frame: .zero)
        face.text = label
        face.isAccessibilityElement = false
        addSubview(face)
        isAccessibilityElement = true
        accessibilityTraits = .keyboardKey
    }

    @available(*, unavailable)
    required init?(coder: NSCoder) { fatalError("made in code only") }

    override func layoutSubviews() {
        super.layoutSubviews()
        face.frame = bounds.insetBy(dx: KeyGrid.margin, dy: KeyGrid.margin)
    }

    override func touchesBegan(_ touches: Set<UITouch>, with event: UIEvent?) { pass(event) }
    override func touchesMoved(_ touches: Set<UITouch>, with event: UIEvent?) { pass(event) }
    override func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent?) { pass(event) }
    override func touchesCancelled(_ touches: Set<UITouch>, with event: UIEvent?) { pass(event) }

    override func accessibilityActivate() -> Bool {
        activated()
        return true
    }

    private func pass(_ event: UIEvent?) {
        if let event { touched(self, event) }
    }
}
