// Declarations of the parts of UIKit that the demo uses, written from Apple's documentation. With them, the
// compiler checks the demo's use of UIKit after every change, even without UIKit. The declarations only store
// values, so that tests can read them. No app contains them.

@_exported import Foundation

@MainActor open class UIResponder: Hashable {
    public init() {}
    nonisolated public static func == (one: UIResponder, other: UIResponder) -> Bool {
        one === other
    }
    nonisolated public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
    open func touchesBegan(_ touches: Set<UITouch>, with event: UIEvent?) {}
    open func touchesMoved(_ touches: Set<UITouch>, with event: UIEvent?) {}
    open func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent?) {}
    open func touchesCancelled(_ touches: Set<UITouch>, with event: UIEvent?) {}
}

@MainActor open class UITouch: Hashable {
    public init() {}
    nonisolated public static func == (one: UITouch, other: UITouch) -> Bool { one === other }
    nonisolated public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
    open var timestamp: TimeInterval { 0 }
    open func location(in view: UIView?) -> CGPoint { .zero }
}

@MainActor open class UIEvent {
    public init() {}
}

@MainActor open class UIView: UIResponder {
    public init(frame: CGRect) { super.init() }
    public convenience override init() { self.init(frame: .zero) }
    public required init?(coder: NSCoder) { super.init() }
    public var frame = CGRect.zero
    public var bounds = CGRect.zero
    public var alpha: CGFloat = 1
    public var clipsToBounds = false
    public var isMultipleTouchEnabled = false
    open func layoutSubviews() {}
    open func accessibilityActivate() -> Bool { false }
    open func accessibilityIncrement() {}
    open func accessibilityDecrement() {}
    public var accessibilityCustomActions: [UIAccessibilityCustomAction]?
    public var isUserInteractionEnabled = true
    public var semanticContentAttribute = UISemanticContentAttribute.unspecified
    public func insertSubview(_ view: UIView, belowSubview siblingSubview: UIView) {}
    public var backgroundColor: UIColor?
    public var translatesAutoresizingMaskIntoConstraints = true
    public var isHidden = false
    public var maximumContentSizeCategory: UIContentSizeCategory?
    public var directionalLayoutMargins = NSDirectionalEdgeInsets()
    public let layer = CALayer()
    public var superview: UIView? { nil }
    public func addSubview(_ view: UIView) {}
    public func removeFromSuperview() {}
    public func addLayoutGuide(_ guide: UILayoutGuide) {}
    public func setContentHuggingPriority(
        _ priority: UILayoutPriority, for axis: NSLayoutConstraint.Axis
    ) {}
    public var safeAreaLayoutGuide: UILayoutGuide { UILayoutGuide() }
    public var readableContentGuide: UILayoutGuide { UILayoutGuide() }
    public let leadingAnchor = NSLayoutXAxisAnchor()
    public let trailingAnchor = NSLayoutXAxisAnchor()
    public let topAnchor = NSLayoutYAxisAnchor()
    public let bottomAnchor = NSLayoutYAxisAnchor()
    public let widthAnchor = NSLayoutDimension()
    public let heightAnchor = NSLayoutDimension()
    public var accessibilityLabel: String?
    public var accessibilityValue: String?
    public var accessibilityTraits = UIAccessibilityTraits.none
    public var isAccessibilityElement = false
}

public enum UISemanticContentAttribute: Sendable {
    case unspecified, playback, spatial, forceLeftToRight, forceRightToLeft
}

public struct NSDirectionalEdgeInsets: Hashable, Sendable {
    public init() {}
    public init(top: CGFloat, leading: CGFloat, bottom: CGFloat, trailing: CGFloat) {}
}

@MainActor public final class CALayer {
    public var cornerRadius: CGFloat = 0
}

@MainActor public final class UILayoutGuide {
    public init() {}
    public let leadingAnchor = NSLayoutXAxisAnchor()
    public let trailingAnchor = NSLayoutXAxisAnchor()
    public let topAnchor = NSLayoutYAxisAnchor()
    public let bottomAnchor = NSLayoutYAxisAnchor()
    public let widthAnchor = NSLayoutDimension()
}

@MainActor public class NSLayoutAnchor<AnchorType> {
    public func constraint(
        equalTo anchor: NSLayoutAnchor<AnchorType>, constant: CGFloat = 0
    ) -> NSLayoutConstraint { NSLayoutConstraint() }
}
public enum XAxis {}
public enum YAxis {}
public enum DimensionAxis {}
public final class NSLayoutXAxisAnchor: NSLayoutAnchor<XAxis> {}
public final class NSLayoutYAxisAnchor: NSLayoutAnchor<YAxis> {}
public final class NSLayoutDimension: NSLayoutAnchor<DimensionAxis> {
    public func constraint(equalToConstant: CGFloat) -> NSLayoutConstraint { NSLayoutConstraint() }
    public func constraint(greaterThanOrEqualToConstant: CGFloat) -> NSLayoutConstraint {
        NSLayoutConstraint()
    }
    public func constraint(
        equalTo anchor: NSLayoutDimension, multiplier: CGFloat, constant: CGFloat = 0
    ) -> NSLayoutConstraint { NSLayoutConstraint() }
}

@MainActor public final class NSLayoutConstraint {
    public enum Axis: Sendable { case horizontal, vertical }
    public var isActive = false
    public var constant: CGFloat = 0
    public static func activate(_ constraints: [NSLayoutConstraint]) {}
}

public struct UILayoutPriority: Sendable {
    public static let required = UILayoutPriority()
}

public struct UIAccessibilityTraits: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    public static let none: UIAccessibilityTraits = []
    public static let keyboardKey = UIAccessibilityTraits(rawValue: 1)
    public static let header = UIAccessibilityTraits(rawValue: 2)
    public static let button = UIAccessibilityTraits(rawValue: 4)
    public static let selected = UIAccessibilityTraits(rawValue: 8)
}

@MainActor public final class UIAccessibilityCustomAction {
    public typealias Handler = (UIAccessibilityCustomAction) -> Bool
    public var name: String
    public var actionHandler: Handler?
    public init(name: String, actionHandler: Handler?) {
        self.name = name
        self.actionHandler = actionHandler
    }
}

@MainActor public enum UIAccessibility {
    public struct Notification: Hashable, Sendable {
        public static let announcement = Notification()
    }
    /// The posted notifications, for tests.
    public static var posted = [String]()
    public static func post(notification: Notification, argument: Any?) {
        if let text = argument as? String { posted.append(text) }
    }
}

@MainActor public final class UIDevice {
    public static let current = UIDevice()
    public func playInputClick() {}
}

public final class UIImage: Sendable {
    public init?(systemName name: String) {}
}

public struct UIContentSizeCategory: Hashable, Sendable {
    public static let extraExtraLarge = UIContentSizeCategory()
}

public final class UIColor: Sendable {
    public static let label = UIColor()
    public static let secondaryLabel = UIColor()
    public static let systemBackground = UIColor()
    public static let systemGray3 = UIColor()
    public static let systemGray4 = UIColor()
    public static let systemBlue = UIColor()
    public static let white = UIColor()
}

public final class UIFont: Sendable {
    public struct TextStyle: Hashable, Sendable {
        let name: String
        public static let largeTitle = TextStyle(name: "largeTitle")
        public static let headline = TextStyle(name: "headline")
        public static let subheadline = TextStyle(name: "subheadline")
        public static let body = TextStyle(name: "body")
        public static let footnote = TextStyle(name: "footnote")
        public static let caption1 = TextStyle(name: "caption1")
    }
    public static func preferredFont(forTextStyle style: TextStyle) -> UIFont { UIFont() }
    public static func systemFont(ofSize size: CGFloat) -> UIFont { UIFont() }
}

public enum NSTextAlignment: Sendable { case center }
public enum NSLineBreakMode: Sendable { case byTruncatingHead }

@MainActor open class UILabel: UIView {
    public var text: String?
    public var font: UIFont?
    public var textColor: UIColor?
    public var numberOfLines = 1
    public var textAlignment = NSTextAlignment.center
    public var lineBreakMode = NSLineBreakMode.byTruncatingHead
    public var adjustsFontForContentSizeCategory = false
    public var adjustsFontSizeToFitWidth = false
}

@MainActor open class UIStackView: UIView {
    public enum Distribution: Sendable { case fillEqually, equalSpacing }
    public override init(frame: CGRect) { super.init(frame: frame) }
    public convenience init(arrangedSubviews views: [UIView]) { self.init(frame: .zero) }
    public required init(coder: NSCoder) { super.init(frame: .zero) }
    public var axis = NSLayoutConstraint.Axis.horizontal
    public var spacing: CGFloat = 0
    public var isLayoutMarginsRelativeArrangement = false
    public var distribution = Distribution.fillEqually
    public var arrangedSubviews: [UIView] { [] }
    public func addArrangedSubview(_ view: UIView) {}
}

@MainActor public final class UIAction {
    let handler: @MainActor (UIAction) -> Void
    public init(handler: @escaping @MainActor (UIAction) -> Void) { self.handler = handler }
}

@MainActor open class UIControl: UIView {
    public struct Event: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let touchUpInside = Event(rawValue: 1)
        public static let valueChanged = Event(rawValue: 2)
        public static let editingDidEndOnExit = Event(rawValue: 4)
    }
    public struct State: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let normal: State = []
    }
    public enum ContentHorizontalAlignment: Sendable { case leading }
    public var isEnabled = true
    public var contentHorizontalAlignment = ContentHorizontalAlignment.leading
    private var actions = [(action: UIAction, events: Event)]()
    public func addAction(_ action: UIAction, for events: Event) {
        actions.append((action, events))
    }
    /// For tests, which press controls.
    public func sendActions(for event: Event) {
        for each in actions where each.events.contains(event) { each.action.handler(each.action) }
    }
}

@MainActor public final class UIButton: UIControl {
    public enum ButtonType: Sendable { case system }
    public struct Configuration {
        public enum TitleAlignment: Sendable { case automatic, leading, center, trailing }
        public static func plain() -> Configuration { Configuration() }
        public var title: String?
        public var subtitle: String?
        public var image: UIImage?
        public var imagePadding: CGFloat = 0
        public var titleAlignment = TitleAlignment.automatic
    }
    public var configuration: Configuration?
    public convenience init(type: ButtonType) { self.init(frame: .zero) }
    private var title: String?
    public var titleLabel: UILabel? { nil }
    public func title(for state: UIControl.State) -> String? { title }
    public func setTitle(_ title: String?, for state: UIControl.State) { self.title = title }
    public func setTitleColor(_ color: UIColor?, for state: UIControl.State) {}
}

@MainActor open class UISlider: UIControl {
    public var value: Float = 0
    public var minimumValue: Float = 0
    public var maximumValue: Float = 1
    public var isContinuous = true
}

@MainActor public final class UISwitch: UIControl {
    public var isOn = false
}

@MainActor public final class UITextField: UIControl {
    public enum BorderStyle: Sendable { case roundedRect }
    public var text: String?
    public var placeholder: String?
    public var font: UIFont?
    public var borderStyle = BorderStyle.roundedRect
    public var adjustsFontForContentSizeCategory = false
}

@MainActor public final class UIScrollView: UIView {
    public enum KeyboardDismissMode: Sendable { case interactive }
    public var keyboardDismissMode = KeyboardDismissMode.interactive
    public var contentLayoutGuide: UILayoutGuide { UILayoutGuide() }
    public var frameLayoutGuide: UILayoutGuide { UILayoutGuide() }
}

public enum UIUserInterfaceSizeClass: Sendable { case unspecified, compact, regular }
public enum UIUserInterfaceIdiom: Sendable { case phone, pad }

public final class UITraitCollection: Sendable {
    public let verticalSizeClass = UIUserInterfaceSizeClass.regular
    public let userInterfaceIdiom = UIUserInterfaceIdiom.phone
}

@MainActor open class UIViewController: UIResponder {
    public override init() {}
    public var view: UIView! { UIView() }
    public var traitCollection: UITraitCollection { UITraitCollection() }
    open func loadView() {}
    open func viewDidLoad() {}
    open func viewWillAppear(_ animated: Bool) {}
    open func viewDidDisappear(_ animated: Bool) {}
    open func traitCollectionDidChange(_ previous: UITraitCollection?) {}
}

@MainActor public final class UIScreen {
    public static let main = UIScreen()
    public var bounds: CGRect { .zero }
}

@MainActor public final class UIWindow: UIView {
    public var rootViewController: UIViewController?
    public func makeKeyAndVisible() {}
}

@MainActor public final class UIApplication {
    public struct LaunchOptionsKey: Hashable, Sendable {}
}

@MainActor public protocol UIApplicationDelegate: AnyObject {
    var window: UIWindow? { get set }
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
}

// The members of a custom keyboard. The traits are optional requirements in Objective-C.

// swift-format-ignore: AlwaysUseLowerCamelCase
public enum UIKeyboardType: Sendable {
    case `default`, asciiCapable, numbersAndPunctuation, URL, numberPad, phonePad, namePhonePad
    case emailAddress, decimalPad, twitter, webSearch, asciiCapableNumberPad
}
public enum UIReturnKeyType: Sendable {
    case `default`, go, google, join, next, route, search, send, yahoo, done, emergencyCall
    case `continue`
}
public enum UITextAutocorrectionType: Sendable { case `default`, no, yes }
public enum UITextAutocapitalizationType: Sendable { case none, words, sentences, allCharacters }
public struct UITextContentType: Hashable, Sendable {}

@MainActor public protocol UITextInput: AnyObject {}

@MainActor public protocol UITextDocumentProxy: AnyObject {
    var documentContextBeforeInput: String? { get }
    var documentContextAfterInput: String? { get }
    var selectedText: String? { get }
    var documentIdentifier: UUID { get }
    func insertText(_ text: String)
    func deleteBackward()
    var keyboardType: UIKeyboardType? { get }
    var isSecureTextEntry: Bool? { get }
    var textContentType: UITextContentType?? { get }
    var returnKeyType: UIReturnKeyType? { get }
    var autocorrectionType: UITextAutocorrectionType? { get }
    var autocapitalizationType: UITextAutocapitalizationType? { get }
}

@MainActor open class UIInputView: UIView {
    public enum Style: Sendable { case `default`, keyboard }
    public init(frame: CGRect, inputViewStyle: Style) { super.init(frame: frame) }
    public required init?(coder: NSCoder) { super.init(coder: coder) }
    public var allowsSelfSizing = false
}

@MainActor public protocol UIInputViewAudioFeedback: AnyObject {
    var enableInputClicksWhenVisible: Bool { get }
}

@MainActor open class UIInputViewController: UIViewController {
    public var inputView: UIInputView?
    public var hasFullAccess: Bool { false }
    public func handleInputModeList(from view: UIView, with event: UIEvent) {}
    public var textDocumentProxy: any UITextDocumentProxy { fatalError("nothing runs here") }
    public var needsInputModeSwitchKey: Bool { false }
    public func advanceToNextInputMode() {}
    open func textDidChange(_ textInput: (any UITextInput)?) {}
    open func selectionDidChange(_ textInput: (any UITextInput)?) {}
}
