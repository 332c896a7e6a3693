import Brrkit
import BrrkitKeyboard
import UIKit

/// What the app does, how to switch the keyboard on, the settings, and a field to try it.
final class HomeViewController: UIViewController {
    private let store = SettingsStore()
    private let stack = UIStackView()
    private let released = UILabel.text(.body, Words.nothingYet)
    private let typed = UITextField()
    private lazy var keyboard = BrrKeyboard(demo: store)

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
        say("brr keyboard", .largeTitle)
        say(
            "Each finished word is replaced on the device, before an app's upload gets it. What you "
                + "typed stays here.", .body)
        say("Switch it on", .headline)
        say(
            "Settings › General › Keyboard › Keyboards › Add New Keyboard… › brr keyboard. It asks for "
                + "no full access. Then hold the globe key to choose it.", .body)
        say("Settings", .headline)
        keyboard.bundle.opened { [weak self] in self?.opened($0) }
    }

    private func opened(_ bundle: Result<WordBundle, BrrError>) {
        switch bundle {
        case .success(let bundle): show(bundle)
        case .failure(let error): say("Can't be used: \(error)", .body)
        }
    }

    private func show(_ bundle: WordBundle) {
        stack.addArrangedSubview(SettingsView(bundle, store, keyboard))
        say(
            "The keyboard has settings of its own: without full access, it shares nothing with this "
                + "app.", .footnote)
        say("Try it", .headline)
        typed.borderStyle = .roundedRect
        typed.placeholder = "Type a sentence, then return"
        typed.font = .preferredFont(forTextStyle: .body)
        typed.adjustsFontForContentSizeCategory = true
        typed.addAction(UIAction { [weak self] _ in self?.release() }, for: .editingDidEndOnExit)
        stack.addArrangedSubview(typed)
        say(Words.leaves, .headline)
        say(Words.notTyped, .footnote)
        stack.addArrangedSubview(released)
    }

    /// Draws once, and each text by itself: what is shown is what an upload would get.
    private func release() {
        guard let text = typed.text else { return }
        typed.text = nil
        keyboard.beginText()
        keyboard.release(text) { [weak self] in
            self?.released.text = Words.strip([$0], isPrivate: false)
        }
    }

    private func say(_ text: String, _ style: UIFont.TextStyle) {
        let label = UILabel.text(style, text)
        if style == .headline || style == .largeTitle { label.accessibilityTraits = .header }
        stack.addArrangedSubview(label)
    }
}
