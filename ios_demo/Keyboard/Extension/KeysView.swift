import UIKit

/// The keys of a page. Each is a button of its own, so VoiceOver finds it by itself.
final class KeysView: UIStackView {
    /// Called when a key is pressed, again and again while backspace is held.
    var pressed: (KeyAction) -> Void = { _ in }

    private struct State: Equatable {
        var page: Page
        var onReturn: Field.Return
        var needsNextKeyboard: Bool
        var isCompact: Bool
        var isPad: Bool
    }

    private var shown: State?
    private var buttons = [(button: UIButton, action: KeyAction)]()
    private var held: Timer?
    private var repeats = 0

    /// Characters that a held backspace deletes before it goes on by words.
    private static let charactersFirst = 10

    init() {
        super.init(frame: .zero)
        axis = .vertical
        spacing = 6
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
        for (button, action) in buttons {
            let title = Words.label(action, shift, onReturn)
            if button.title(for: .normal) != title { button.setTitle(title, for: .normal) }
            button.accessibilityLabel = Words.spoken(action, shift, onReturn)
        }
    }

    private func build(_ state: State) {
        release()
        for row in arrangedSubviews { row.removeFromSuperview() }
        buttons = []
        let height: CGFloat = state.isCompact ? 32 : state.isPad ? 56 : 42
        for keys in state.page.rows(needsNextKeyboard: state.needsNextKeyboard) {
            addArrangedSubview(row(keys, height: height, isPad: state.isPad))
        }
    }

    private func row(_ keys: [Key], height: CGFloat, isPad: Bool) -> UIView {
        let row = UIView()
        row.heightAnchor.constraint(equalToConstant: height).isActive = true
        let total = keys.reduce(0) { $0 + $1.width }
        var start = (Page.rowWidth - total) / 2  // a shorter row is centred
        for key in keys {
            let button = button(key.action, isPad: isPad)
            button.translatesAutoresizingMaskIntoConstraints = false
            row.addSubview(button)
            let guide = UILayoutGuide()  // from the row's beginning to the key's
            row.addLayoutGuide(guide)
            NSLayoutConstraint.activate([
                guide.leadingAnchor.constraint(equalTo: row.leadingAnchor),
                guide.widthAnchor.constraint(
                    equalTo: row.widthAnchor, multiplier: start / Page.rowWidth),
                button.leadingAnchor.constraint(equalTo: guide.trailingAnchor, constant: 3),
                button.widthAnchor.constraint(
                    equalTo: row.widthAnchor, multiplier: key.width / Page.rowWidth, constant: -6),
                button.topAnchor.constraint(equalTo: row.topAnchor),
                button.bottomAnchor.constraint(equalTo: row.bottomAnchor),
            ])
            start += key.width
        }
        return row
    }

    private func button(_ action: KeyAction, isPad: Bool) -> UIButton {
        let button = UIButton(type: .system)
        button.titleLabel?.font = .systemFont(ofSize: isPad ? 26 : 22)
        button.titleLabel?.adjustsFontSizeToFitWidth = true
        button.setTitleColor(.label, for: .normal)
        button.layer.cornerRadius = 5
        button.accessibilityTraits = .keyboardKey
        if case .type = action {
            button.backgroundColor = .systemBackground
        } else {
            button.backgroundColor = .systemGray4
        }
        if action == .backspace {
            button.addAction(UIAction { [weak self] _ in self?.hold() }, for: .touchDown)
            let ends: UIControl.Event = [.touchUpInside, .touchUpOutside, .touchCancel]
            button.addAction(UIAction { [weak self] _ in self?.release() }, for: ends)
        } else {
            button.addAction(
                UIAction { [weak self] _ in self?.pressed(action) }, for: .touchUpInside)
        }
        buttons.append((button, action))
        return button
    }

    private func hold() {
        pressed(.backspace)
        repeats = 0
        held?.invalidate()
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
