import Brrkit
import BrrkitKeyboard
import UIKit

/// The keyboard. Connects the field, the keys, the strips and the releaser.
final class KeyboardViewController: UIInputViewController {
    private lazy var keyboards = DemoKeyboards()
    private var keyboard: BrrKeyboard { keyboards.keyboard }
    /// The writing rules of the bundle's language; those of English until the bundle is open.
    private var writing = Writing.english
    private var typing = Typing(Field())
    private var document: UUID?
    private var releases = [Release]()
    private let strip = StripView()
    private let suggestionsView = SuggestionsView()
    private let keys = KeysView()
    private let meaning = Meaning()
    private var notice = FieldNotice()
    private var settingsView: UIView?

    private static let releasesKept = 20

    override func loadView() {
        inputView = ClickingView()
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        let strips = UIStackView(arrangedSubviews: [strip, suggestionsView])
        strips.axis = .vertical
        strips.spacing = 4
        strips.isLayoutMarginsRelativeArrangement = true
        strips.directionalLayoutMargins = NSDirectionalEdgeInsets(
            top: 4, leading: 6, bottom: 0, trailing: 6)
        // The keys have their own margins, which also take touches.
        let stack = UIStackView(arrangedSubviews: [strips, keys])
        stack.axis = .vertical
        stack.translatesAutoresizingMaskIntoConstraints = false
        view.addSubview(stack)
        NSLayoutConstraint.activate([
            stack.leadingAnchor.constraint(equalTo: view.safeAreaLayoutGuide.leadingAnchor),
            stack.trailingAnchor.constraint(equalTo: view.safeAreaLayoutGuide.trailingAnchor),
            stack.topAnchor.constraint(equalTo: view.topAnchor),
            stack.bottomAnchor.constraint(equalTo: view.bottomAnchor),
        ])
        keys.pressed = { [weak self] in self?.press($0) }
        keys.globeTouched = { [weak self] in self?.handleInputModeList(from: $0, with: $1) }
        keys.clicked = { [weak self] in self?.click() }
        suggestionsView.chosen = { [weak self] in self?.choose($0) }
        strip.openSettings = { [weak self] in self?.toggleSettings() }
        open()
    }

    override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        look()
    }

    override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        keys.cancel()
    }

    override func textDidChange(_ textInput: (any UITextInput)?) {
        super.textDidChange(textInput)
        look()
    }

    override func selectionDidChange(_ textInput: (any UITextInput)?) {
        super.selectionDidChange(textInput)
        look()
    }

    override func traitCollectionDidChange(_ previous: UITraitCollection?) {
        super.traitCollectionDidChange(previous)
        show()
    }

    private func open() {
        let language = keyboards.language
        keyboard.bundle.opened { [weak self] in self?.opened($0, language) }
    }

    private func opened(_ bundle: Result<WordBundle, BrrError>, _ language: String) {
        guard language == keyboards.language else { return }
        switch bundle {
        case .success(let bundle):
            writing = bundle.writing
            typing = typing.goingOn(writing)
        case .failure: add(Release(text: .unavailable, report: .unavailable))
        }
    }

    private func look() {
        let proxy = textDocumentProxy
        let field = Field(proxy)
        if field != typing.field || proxy.documentIdentifier != document {
            typing = Typing(field, writing)
            document = proxy.documentIdentifier
            releases = []
            keyboard.beginText()
        }
        typing.look(ProxyEditor(proxy))
        show()
        if let said = notice.look(isPrivate: !field.releases, isOn: keyboard.consent.isGiven) {
            UIAccessibility.post(notification: .announcement, argument: said)
        }
    }

    /// Only a keyboard with full access may click. Without it, the request can take seconds.
    private func click() {
        if hasFullAccess { UIDevice.current.playInputClick() }
    }

    private func press(_ action: KeyAction) {
        if action == .nextKeyboard { return advanceToNextInputMode() }
        if action == .nextLanguage { return goOn() }
        let now = ProcessInfo.processInfo.systemUptime
        if let word = typing.press(action, ProxyEditor(textDocumentProxy), now: now) {
            release(word)
        }
        show()
    }

    /// Switches to the next language. The field's text was typed in another language, so it is never
    /// released.
    private func goOn() {
        keyboards.goOn()
        writing = .english
        typing = Typing(typing.field)
        releases = []
        keyboard.beginText()
        open()
        show()
    }

    private func choose(_ suggestion: String) {
        if let word = typing.choose(suggestion, ProxyEditor(textDocumentProxy)) { release(word) }
        show()
    }

    private func release(_ word: String) {
        if typing.beginsText { keyboard.beginText() }  // in an emptied field
        keyboard.release(word) { [weak self] in self?.add($0) }
    }

    private func add(_ release: Release) {
        releases = (releases + [release]).suffix(KeyboardViewController.releasesKept)
        show()
    }

    private func show() {
        keys.show(
            KeysView.State(
                page: typing.page, shift: typing.shift, onReturn: typing.field.onReturn,
                isSecure: typing.field.isSecure, needsNextKeyboard: needsInputModeSwitchKey,
                language: keyboards.language, needsNextLanguage: keyboards.areSeveral,
                isCompact: traitCollection.verticalSizeClass == .compact,
                isPad: traitCollection.userInterfaceIdiom == .pad))
        strip.show(
            meaning.strip(
                releases, isPrivate: !typing.field.releases, isOn: keyboard.consent.isGiven))
        let prefix = typing.prefix
        if prefix.isEmpty { suggestionsView.show([]) }
        keyboard.suggest(prefix) { [weak self] words in
            guard let self else { return }
            suggestionsView.show(words.map(typing.written))
        }
    }

    private func toggleSettings() {
        if let shown = settingsView {
            shown.removeFromSuperview()
            settingsView = nil
            keys.isHidden = false
            return
        }
        keyboard.bundle.opened { [weak self] bundle in
            guard let self, let bundle = try? bundle.get(), settingsView == nil else { return }
            let made = SettingsView(
                bundle, keyboards.settings, keyboard,
                of: keyboards.areSeveral ? keyboards.language : nil)
            made.consentChanged = { [weak self] in
                self?.releases = []
                self?.show()
            }
            let note = UILabel.text(.footnote, Texts.system.text("sent_note"))
            let content = UIStackView(arrangedSubviews: [note, made])
            content.axis = .vertical
            content.spacing = 8
            let scroll = scrolling(content)
            settingsView = scroll
            keys.isHidden = true
            (keys.superview as? UIStackView)?.addArrangedSubview(scroll)
        }
    }

    /// Returns a view with the height of the keys, in which another view scrolls.
    private func scrolling(_ content: UIView) -> UIView {
        let scroll = UIScrollView()
        content.translatesAutoresizingMaskIntoConstraints = false
        scroll.addSubview(content)
        let (inside, frame) = (scroll.contentLayoutGuide, scroll.frameLayoutGuide)
        NSLayoutConstraint.activate([
            scroll.heightAnchor.constraint(equalToConstant: keys.bounds.height),
            content.topAnchor.constraint(equalTo: inside.topAnchor),
            content.bottomAnchor.constraint(equalTo: inside.bottomAnchor),
            content.leadingAnchor.constraint(equalTo: inside.leadingAnchor),
            content.widthAnchor.constraint(equalTo: frame.widthAnchor),
        ])
        return scroll
    }
}

/// The view that contains all others. It allows the sound of keys.
private final class ClickingView: UIInputView, UIInputViewAudioFeedback {
    init() {
        super.init(frame: .zero, inputViewStyle: .keyboard)
        allowsSelfSizing = true  // as high as its content
    }

    @available(*, unavailable)
    required init?(coder: NSCoder) { fatalError("made in code only") }

    var enableInputClicksWhenVisible: Bool { true }
}

/// The field of the system's proxy.
@MainActor
private final class ProxyEditor: Editor {
    private let proxy: any UITextDocumentProxy

    init(_ proxy: any UITextDocumentProxy) { self.proxy = proxy }

    var before: String { proxy.documentContextBeforeInput ?? "" }
    var after: String { proxy.documentContextAfterInput ?? "" }
    var hasSelection: Bool { proxy.selectedText?.isEmpty == false }
    func insert(_ text: String) { proxy.insertText(text) }
    func deleteBackward() { proxy.deleteBackward() }
}

extension Field {
    @MainActor
    fileprivate init(_ proxy: any UITextDocumentProxy) {
        self.init()
        switch proxy.keyboardType ?? .default {
        case .default, .asciiCapable, .twitter, .webSearch: kind = .words
        case .numbersAndPunctuation, .numberPad, .phonePad, .decimalPad, .asciiCapableNumberPad:
            kind = .number
        default: kind = .address  // for pages, mail and names; and types of later systems
        }
        isSecure = proxy.isSecureTextEntry ?? false
        hasContentType = (proxy.textContentType ?? nil) != nil
        isCorrected = proxy.autocorrectionType != .no
        switch proxy.returnKeyType ?? .default {
        case .go: onReturn = .go
        case .google, .yahoo, .search: onReturn = .search
        case .send: onReturn = .send
        case .next: onReturn = .next
        case .done: onReturn = .done
        case .join: onReturn = .join
        case .route: onReturn = .route
        case .continue: onReturn = .continue
        case .emergencyCall: onReturn = .emergencyCall
        default: onReturn = .newLine
        }
        switch proxy.autocapitalizationType ?? .sentences {
        case .none: capitals = .none
        case .words: capitals = .words
        case .allCharacters: capitals = .all
        default: capitals = .sentences
        }
    }
}
