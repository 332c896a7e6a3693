import UIKit

/// A slider over the integers from 0. A screen reader's swipe moves it by one; the system's sliders move by a
/// tenth.
final class StepSlider: UISlider {
    /// The integer at or nearest to its position.
    var step: Int { Int(value.rounded()) }

    init() {
        super.init(frame: .zero)
        minimumValue = 0
        isContinuous = false
    }

    @available(*, unavailable)
    required init?(coder: NSCoder) { fatalError("made in code only") }

    override func accessibilityIncrement() { move(to: step + 1) }

    override func accessibilityDecrement() { move(to: step - 1) }

    private func move(to step: Int) {
        guard (0...Int(maximumValue)).contains(step) else { return }
        value = Float(step)
        sendActions(for: .valueChanged)
    }
}
