import Brrkit
import BrrkitKeyboard
import UIKit

/// The keys of a page. `KeyGrid` finds the key of a touch, and `Touches` its effect. Each key is a separate
/// view, so VoiceOver finds it.
final class KeysView: UIView {
    struct State: Equatable {
        var page = Page.letters
        var shift = ShiftState.off
        var onReturn = Field.Return.newLine
        /// Whether typed characters are hidden from bystanders.
        var isSecure = false
        var needsNextKeyboard = false
        /// The keyboard's language, as a BCP 47 tag.
        var language = Writing.english.language
        var needsNextLanguage = false
        var isCompact = false
        var isPad = false

        fileprivate var rows: [[Key]] {
            page.rows(
                .of(language), needsNextKeyboard: needsNextKeyboard,
                needsNextLanguage: needsNextLanguage)
        }
        /// Height of a row, with the margins above and below a key.
        fileprivate var rowHeight: CGFloat {
            (isCompact ? 32 : isPad ? 56 : 42) + 2 * KeyGrid.margin
        }
        /// The inputs of the layout of keys.
        fileprivate var layout: State {
            State(
                page: page, needsNextKeyboard: needsNextKeyboard, language: language,
                needsNextLanguage: needsNextLanguage, isCompact: isCompact, isPad: isPad)
        }
    }

    /// Called when a key is pressed, again and again while backspace is held.
    var pressed: (KeyAction) -> Void = { _ in }
    /// Called when a finger touches a key.
    var clicked: () -> Void = {}
    /// Called with each event of a finger on the key for the next keyboard.
    var globeTouched: (UIView, UIEvent) -> Void = { _, _ in }
    /// The time in seconds, by the clock of touches.
    var now: () -> TimeInterval = { ProcessInfo.processInfo.systemUptime }

    let preview = PreviewView()
    let choices = ChoicesView()
    private(set) var faces = [KeyAction: UIView]()

    private let texts: Texts
    private var shown: State?
    private var grid = KeyGrid([], width: 0, rowHeight: 0)
    private var touches = Touches<UITouch>()
    private var row: ChoiceRow?
    private var timer: Timer?
    private lazy var height = heightAnchor.constraint(equalToConstant: 0)

    init(_ texts: Texts = .system) {
        self.texts = texts
        super.init(frame: .zero)
        isMultipleTouchEnabled = true
        semanticContentAttribute = .forceLeftToRight  // even if the system's language isn't
        addSubview(preview)
        addSubview(choices)
    }

    @available(*, unavailable)
    required init?(coder: NSCoder) { fatalError("made in code only") }

    func show(_ state: State) {
        let before = shown
        if state == before { return }
        shown = state
        if state.layout != before?.layout { build(state) }
        let names = names(state)
        for (action, face) in faces {
            (face as? KeyFace)?.text = names.label(action)
            face.accessibilityLabel = names.spoken(action)
            face.accessibilityCustomActions = action.choices.map { choice in
                UIAccessibilityCustomAction(name: names.spoken(choice)) { [weak self] _ in
                    self?.pressed(choice)
                    return true
                }
            }
        }
        guard let before else { return }
        if state.language != before.language { announce(names.spoken(.nextLanguage)) }
        if state.page != before.page { announce(names.spoken(.turn(state.page))) }
        if state.shift != before.shift && [state.shift, before.shift].contains(.locked) {
            announce(names.spoken(.shift))
        }
    }

    /// Forgets the fingers on keys, and the characters that they would type.
    func cancel() {
        touches.cancelAll()
        showTouched()
    }

    override func layoutSubviews() {
        super.layoutSubviews()
        if let shown { layOut(shown) }
    }

    private func layOut(_ state: State) {
        grid = KeyGrid(state.rows, width: bounds.width, rowHeight: state.rowHeight)
        for place in grid.places {
            // The system passes touches of the globe to its view, so this view fills the whole area.
            let isGlobe = place.action == .nextKeyboard
            faces[place.action]?.frame = isGlobe ? place.area : place.face
        }
    }

    private func build(_ state: State) {
        cancel()
        for face in faces.values { face.removeFromSuperview() }
        faces = [:]
        for action in state.rows.joined().map(\.action) {
            let face = action == .nextKeyboard ? globe(state) : face(action, state)
            faces[action] = face
            insertSubview(face, belowSubview: preview)
        }
        height.constant = state.rowHeight * CGFloat(state.rows.count)
        height.isActive = true
        layOut(state)  // a touch may come before the system's layout
    }

    private func face(_ action: KeyAction, _ state: State) -> KeyFace {
        let face = KeyFace(action, isPad: state.isPad)
        face.activated = { [weak self] in self?.pressed(action) }
        return face
    }

    private func globe(_ state: State) -> NextKeyboardKey {
        let globe = NextKeyboardKey(names(state).label(.nextKeyboard), isPad: state.isPad)
        globe.touched = { [weak self] view, event in
            guard let self else { return }
            press(touches.settle())
            globeTouched(view, event)
        }
        globe.activated = { [weak self] in self?.pressed(.nextKeyboard) }
        return globe
    }

    override func touchesBegan(_ began: Set<UITouch>, with event: UIEvent?) {
        for touch in began.sorted(by: { $0.timestamp < $1.timestamp }) {
            guard let key = grid.key(at: touch.location(in: self)) else { continue }
            clicked()
            press(touches.begin(touch, on: key, at: touch.timestamp))
            showTouched()
            preview(key)
        }
    }

    override func touchesMoved(_ moved: Set<UITouch>, with event: UIEvent?) {
        for touch in moved {
            touches.move(touch) { row?.choice(at: touch.location(in: self)) }
        }
        showTouched()
    }

    override func touchesEnded(_ ended: Set<UITouch>, with event: UIEvent?) {
        for touch in ended.sorted(by: { $0.timestamp < $1.timestamp }) {
            press(touches.end(touch))
        }
        showTouched()
    }

    override func touchesCancelled(_ canceled: Set<UITouch>, with event: UIEvent?) {
        for touch in canceled { touches.cancel(touch) }
        showTouched()
    }

    /// Performs the actions that are due.
    func tick() {
        press(touches.pass(to: now()))
        showTouched()
    }

    private func press(_ actions: [KeyAction]) {
        for action in actions { pressed(action) }
    }

    /// Shows the touched keys and the choices of a held key. Runs the clock as long as it is needed.
    private func showTouched() {
        let touched = touches.keys
        for (action, face) in faces { face.alpha = touched.contains(action) ? 0.4 : 1 }
        if touched.isEmpty || touches.offered != nil { preview.hide() }
        showChoices()
        if !touches.isTimed {
            timer?.invalidate()
            timer = nil
        } else if timer == nil {
            timer = Timer.scheduledTimer(withTimeInterval: 0.04, repeats: true) { [weak self] _ in
                MainActor.assumeIsolated { self?.tick() }
            }
        }
    }

    private func showChoices() {
        guard let offered = touches.offered, let shown, let face = faces[offered.key] else {
            row = nil
            return choices.hide()
        }
        let places = row ?? ChoiceRow(offered.choices.count, above: face.frame, width: bounds.width)
        row = places
        choices.show(offered.choices.map(names(shown).label), in: places, marked: offered.marked)
    }

    /// The characters of a password aren't shown to bystanders.
    private func preview(_ key: KeyAction) {
        guard let shown, case .type(let text) = key, text != " ", !shown.isSecure, !shown.isPad,
            touches.keys.contains(key), let face = faces[key]
        else { return preview.hide() }
        preview.show(names(shown).label(key), above: face.frame)
    }

    private func names(_ state: State) -> KeyNames {
        KeyNames(state.shift, state.onReturn, texts, language: state.language)
    }

    private func announce(_ text: String) {
        UIAccessibility.post(notification: .announcement, argument: text)
    }
}

/// The visible part of a key. Fingers touch the view below it; a screen reader's tap presses it.
final class KeyFace: UILabel {
    /// Called when a screen reader activates the key.
    var activated: () -> Void = {}

    init(_ action: KeyAction, isPad: Bool) {
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
    required init?(coder: NSCoder) { fatalError("made in code only") }

    override func accessibilityActivate() -> Bool {
        activated()
        return true
    }
}
