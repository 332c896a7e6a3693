import BrrkitKeyboard
import UIKit

/// The keys of a page. `KeyGrid` says which key a touch is on, `Touches` what it does; each key is a view
/// of its own, so VoiceOver finds it by itself.
final class KeysView: UIView {
    /// Called when a key is pressed, again and again while backspace is held.
    var pressed: (KeyAction) -> Void = { _ in }

    private struct State: Equatable {
        var page: Page
        var onReturn: Field.Return
        var needsNextKeyboard: Bool
        var isCompact: Bool
        var isPad: Bool

        var rows: [[Key]] { page.rows(needsNextKeyboard: needsNextKeyboard) }
        /// With the margins above and below a key.
        var rowHeight: CGFloat { (isCompact ? 32 : isPad ? 56 : 42) + 2 * KeyGrid.margin }
    }

    private var shown: State?
    private var grid = KeyGrid([], width: 0, rowHeight: 0)
    private var faces = [KeyAction: KeyFace]()
    private var touches = Touches<UITouch>()
    private var held: Timer?
    private var repeats = 0
    private lazy var height = heightAnchor.constraint(equalToConstant: 0)

    /// Characters that a held backspace deletes before it goes on by words.
    private static let charactersFirst = 10

    init() {
        super.init(frame: .zero)
        isMultipleTouchEnabled = true
    }

    @available(*, unavailable)
    required init(coder: NSCoder) { fatalError("made in code only") }

    func show(
        _ page: Page, _ shift: ShiftState, _ onReturn: Field.Return, needsNextKeyboard: Bool,
        isCompact: Bool, isPad: Bool
    ) {
        let state = State(
            page: page, onReturn: onReturn, needsNextKeyboard: needsNextKeyboard,
            isCompact: isCompact, isPad: isPad)
        if state != shown { build(state) }
        shown = state
        for (action, face) in faces {
            face.text = Words.label(action, shift, onReturn)
            face.accessibilityLabel = Words.spoken(action, shift, onReturn)
        }
    }

    override func layoutSubviews() {
        super.layoutSubviews()
        if let shown { layOut(shown) }
    }

    private func layOut(_ state: State) {
        grid = KeyGrid(state.rows, width: bounds.width, rowHeight: state.rowHeight)
        for place in grid.places { faces[place.action]?.frame = place.face }
    }

    private func build(_ state: State) {
        release()
        touches.cancelAll()
        for face in faces.values { face.removeFromSuperview() }
        faces = [:]
        for action in state.rows.joined().map(\.action) {
            let face = KeyFace(action, isPad: state.isPad) { [weak self] in self?.pressed(action) }
            faces[action] = face
            addSubview(face)
        }
        height.constant = state.rowHeight * CGFloat(state.rows.count)
        height.isActive = true
        layOut(state)  // a finger may come before the system does it
    }

    override func touchesBegan(_ began: Set<UITouch>, with event: UIEvent?) {
        for touch in began.sorted(by: { $0.timestamp < $1.timestamp }) {
            guard let key = key(touch) else { continue }
            release()
            if let action = touches.begin(touch, on: key) { pressed(action) }
            if key == .backspace { hold() }
        }
        showTouched()
    }

    override func touchesEnded(_ ended: Set<UITouch>, with event: UIEvent?) {
        for touch in ended {
            if let action = touches.end(touch, on: key(touch)) { pressed(action) }
        }
        showTouched()
    }

    override func touchesCancelled(_ cancelled: Set<UITouch>, with event: UIEvent?) {
        for touch in cancelled { touches.cancel(touch) }
        showTouched()
    }

    private func key(_ touch: UITouch) -> KeyAction? { grid.key(at: touch.location(in: self)) }

    private func showTouched() {
        let touched = touches.keys
        if !touched.contains(.backspace) { release() }
        for (action, face) in faces { face.alpha = touched.contains(action) ? 0.4 : 1 }
    }

    private func hold() {
        repeats = 0
        held = Timer.scheduledTimer(withTimeInterval: 0.12, repeats: true) { [weak self] _ in
            MainActor.assumeIsolated { self?.repeatBackspace() }
        }
    }

    private func repeatBackspace() {
        repeats += 1
        if repeats <= 3 { return }  // only a press that lasts is a held one
        let word = repeats > KeysView.charactersFirst
        if !word || repeats % 3 == 0 { pressed(word ? .deleteWord : .backspace) }
    }

    private func release() {
        held?.invalidate()
        held = nil
    }
}

/// What is seen of a key. Fingers touch the view below it; a screen reader's tap presses it.
private final class KeyFace: UILabel {
    private let press: () -> Void

    init(_ action: KeyAction, isPad: Bool, press: @escaping () -> Void) {
        self.press = press
        super.init(frame: .zero)
        font = .systemFont(ofSize: isPad ? 26 : 22)
        adjustsFontSizeToFitWidth = true
        textAlignment = .center
        textColor = .label
        layer.cornerRadius = 5
        clipsToBounds = true
        isAccessibilityElement = true
        accessibilityTraits = .keyboardKey
        if case .type = action {
            backgroundColor = .systemBackground
        } else {
            backgroundColor = .systemGray4
        }
    }

    @available(*, unavailable)
    required init(coder: NSCoder) { fatalError("made in code only") }

    override func accessibilityActivate() -> Bool {
        press()
        return true
    }
}
