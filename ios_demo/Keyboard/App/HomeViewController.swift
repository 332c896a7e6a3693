import Brrkit
import BrrkitKeyboard
import UIKit

/// A description of the app, instructions to enable the keyboard, the settings, and a field to try it.
final class HomeViewController: UIViewController {
    private let texts = Texts.system
    private let meaning = Meaning()
    private let keyboards = DemoKeyboards()
    private let stack = UIStackView()
    private let released = UILabel.text(.body)
    private let typed = UITextField()
    private let nextLanguage = UIButton(type: .system)
    /// The views for the language in use.
    private let own = UIStackView()
    private var keyboard: BrrKeyboard { keyboards.keyboard }

    override func viewDidLoad() {
        super.viewDidLoad()
        view.backgroundColor = .systemBackground
        let scroll = UIScrollView()
        scroll.translatesAutoresizingMaskIntoConstraints = false
        scroll.keyboardDismissMode = .interactive
        view.addSubview(scroll)
        stack.axis = .vertical
        stack.spacing = 16
        stack.translatesAutoresizingMaskIntoConstraints = false
        scroll.addSubview(stack)
        NSLayoutConstraint.activate([
            scroll.topAnchor.constraint(equalTo: view.safeAreaLayoutGuide.topAnchor),
            scroll.bottomAnchor.constraint(equalTo: view.bottomAnchor),
            scroll.leadingAnchor.constraint(equalTo: view.readableContentGuide.leadingAnchor),
            scroll.trailingAnchor.constraint(equalTo: view.readableContentGuide.trailingAnchor),
            stack.topAnchor.constraint(equalTo: scroll.contentLayoutGuide.topAnchor, constant: 16),
            stack.bottomAnchor.constraint(equalTo: scroll.contentLayoutGuide.bottomAnchor),
            stack.leadingAnchor.constraint(equalTo: scroll.contentLayoutGuide.leadingAnchor),
            stack.widthAnchor.constraint(equalTo: scroll.frameLayoutGuide.widthAnchor),
        ])
        say("app_name", .largeTitle)
        say("intro", .body)
        if keyboards.languages == [Writing.english.language] { say("english", .body) }
        say("switch_on", .headline)
        say("switch_on_how", .body)
        say("settings", .headline)
        nextLanguage.isHidden = !keyboards.areSeveral
        nextLanguage.addAction(
            UIAction { [weak self] _ in
                self?.keyboards.goOn()
                self?.open()
            }, for: .touchUpInside)
        own.axis = .vertical
        own.spacing = 16
        stack.addArrangedSubview(nextLanguage)
        stack.addArrangedSubview(own)
        say("own_settings", .footnote)
        addTry()
        open()
    }

    private func open() {
        let language = keyboards.language
        nextLanguage.setTitle(
            KeyNames(.off, .newLine, texts, language: language).spoken(.nextLanguage), for: .normal)
        for view in own.arrangedSubviews { view.removeFromSuperview() }
        showStrip([])
        keyboard.bundle.opened { [weak self] bundle in
            guard let self, language == keyboards.language, own.arrangedSubviews.isEmpty else {
                return
            }
            switch bundle {
            case .success(let bundle): show(bundle)
            case .failure(let error):
                own.addArrangedSubview(
                    UILabel.text(.body, texts.text("unavailable", "\(error)")))
            }
        }
    }

    private func show(_ bundle: WordBundle) {
        let view = SettingsView(
            bundle, keyboards.settings, keyboard,
            of: keyboards.areSeveral ? keyboards.language : nil)
        view.consentChanged = { [weak self] in self?.showStrip([]) }
        own.addArrangedSubview(view)
    }

    private func addTry() {
        say("try_it", .headline)
        typed.borderStyle = .roundedRect
        typed.placeholder = texts.text("try_it_hint")
        typed.font = .preferredFont(forTextStyle: .body)
        typed.adjustsFontForContentSizeCategory = true
        typed.addAction(UIAction { [weak self] _ in self?.release() }, for: .editingDidEndOnExit)
        stack.addArrangedSubview(typed)
        say("brr_leaves_caption", .headline)
        say("sent_note", .footnote)
        stack.addArrangedSubview(released)
        showStrip([])
    }

    /// Draws once, and each text separately: an upload would receive the words on the screen.
    private func release() {
        guard let text = typed.text else { return }
        typed.text = nil
        keyboard.beginText()
        keyboard.release(text) { [weak self] in self?.showStrip([$0]) }
    }

    private func showStrip(_ releases: [Release]) {
        released.text = meaning.strip(
            releases, isPrivate: false, isOn: keyboard.consent.isGiven)
    }

    private func say(_ key: String, _ style: UIFont.TextStyle) {
        let label = UILabel.text(style, texts.text(key))
        if style == .headline || style == .largeTitle { label.accessibilityTraits = .header }
        add(label)
    }

    private func add(_ label: UILabel) { stack.addArrangedSubview(label) }
}
