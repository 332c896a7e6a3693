import BrrkitKeyboard
import Foundation
import Testing
import UIKit

@testable import DemoKeyboard

/// A finger at a place.
private final class Finger: UITouch {
    var point: CGPoint
    private let time: TimeInterval

    init(_ x: Double, _ y: Double, at time: TimeInterval = 0) {
        point = CGPoint(x: x, y: y)
        self.time = time
        super.init()
    }

    override var timestamp: TimeInterval { time }
    override func location(in view: UIView?) -> CGPoint { point }
}

/// The view gives touches to the grid and to `Touches`.
@MainActor
struct KeysViewTests {
    @MainActor private final class Keyboard {
        let view = KeysView()
        var state = KeysView.State(needsNextKeyboard: true)
        var pressed = [KeyAction]()
        var clicks = 0
        var now = 0.0

        init() {
            view.bounds = CGRect(x: 0, y: 0, width: 390, height: 192)
            view.show(state)
            view.now = { [unowned self] in now }
            view.clicked = { [unowned self] in clicks += 1 }
            view.pressed = { [unowned self] in
                pressed.append($0)
                if case .turn(let page) = $0 {
                    state.page = page
                    view.show(state)
                }
            }
        }
    }

    @Test func keysActWhenTheyAreTouched() {
        let keyboard = Keyboard()
        let keys = keyboard.view
        #expect(keys.isMultipleTouchEnabled)
        let (q, w) = (Finger(38, 1, at: 1), Finger(40, 47, at: 2))
        keys.touchesBegan([w, q], with: nil)
        #expect(keyboard.pressed == [.type("q"), .type("w")], "in the order of their times")
        keys.touchesEnded([w, q], with: nil)
        let p = Finger(388, 3)
        keys.touchesBegan([p], with: nil)
        keys.touchesCancelled([p], with: nil)
        #expect(keyboard.pressed == [.type("q"), .type("w"), .type("p")])
        #expect(keyboard.clicks == 3, "each with a sound")
    }

    @Test func aTurnedPageIsTouchedAtOnce() {
        let keyboard = Keyboard()
        let (turn, one) = (Finger(5, 170, at: 1), Finger(5, 5, at: 2))
        keyboard.view.touchesBegan([one, turn], with: nil)
        #expect(keyboard.pressed == [.turn(.symbols), .type("1")])
    }

    @Test func thePressedKeyIsShownAboveIt() throws {
        let keyboard = Keyboard()
        let (keys, preview) = (keyboard.view, keyboard.view.preview)
        let q = Finger(5, 60)
        keys.touchesBegan([q], with: nil)
        let face = try #require(keys.faces[.type("a")])
        #expect(!preview.isHidden && preview.text == "a" && preview.frame.maxY <= face.frame.minY)
        keys.touchesEnded([q], with: nil)
        #expect(preview.isHidden && preview.text == nil)
        keys.touchesBegan([Finger(200, 170)], with: nil)
        #expect(preview.isHidden, "the space bar has none")
        keyboard.state.isSecure = true
        keys.show(keyboard.state)
        keys.touchesBegan([q], with: nil)
        #expect(preview.isHidden, "nobody looks over a shoulder at a password")
    }

    @Test func aHeldKeyOffersAccentsAndTheFingerSlidesToOne() {
        let keyboard = Keyboard()
        let keys = keyboard.view
        let e = Finger(97, 20, at: 5)
        keys.touchesBegan([e], with: nil)
        keyboard.now = 5.3
        keys.tick()
        #expect(keys.choices.isHidden && !keys.preview.isHidden)
        keyboard.now = 5.4
        keys.tick()
        #expect(!keys.choices.isHidden && keys.preview.isHidden)
        e.point = CGPoint(x: 97 + 2 * 35, y: -20)
        keys.touchesMoved([e], with: nil)
        keys.touchesEnded([e], with: nil)
        #expect(keyboard.pressed == [.type("é")] && keys.choices.isHidden)
    }

    @Test func nothingIsTypedWhenTheKeyboardGoes() {
        let keyboard = Keyboard()
        let e = Finger(97, 20, at: 5)
        keyboard.view.touchesBegan([e], with: nil)
        keyboard.view.cancel()
        keyboard.now = 9
        keyboard.view.tick()
        keyboard.view.touchesEnded([e], with: nil)
        #expect(keyboard.pressed.isEmpty && keyboard.view.choices.isHidden)
    }

    @Test func theSystemGetsAllEventsOfTheGlobe() throws {
        let keyboard = Keyboard()
        let globe = try #require(keyboard.view.faces[.nextKeyboard])
        #expect(globe.frame.contains(CGPoint(x: 70, y: 190)), "all of its area")
        var events = [UIView]()
        keyboard.view.globeTouched = { view, _ in events.append(view) }
        keyboard.view.touchesBegan([Finger(97, 20)], with: nil)  // e, not left yet
        let (finger, event) = (Finger(70, 170), UIEvent())
        globe.touchesBegan([finger], with: event)
        globe.touchesMoved([finger], with: event)
        globe.touchesEnded([finger], with: event)
        globe.touchesCancelled([finger], with: event)
        #expect(events == [globe, globe, globe, globe])
        #expect(keyboard.pressed == [.type("e")], "what was touched before is typed before")
    }

    /// A screen reader finds names, presses keys, and has accents as actions.
    @Test func aScreenReaderTypesToo() throws {
        let keyboard = Keyboard()
        for (action, face) in keyboard.view.faces {
            #expect(face.isAccessibilityElement && face.accessibilityTraits == .keyboardKey)
            #expect(face.accessibilityLabel == KeyNames(.off).spoken(action))
            #expect(face.accessibilityActivate())
        }
        #expect(Set(keyboard.pressed).count == keyboard.pressed.count)
        keyboard.pressed = []
        keyboard.state = KeysView.State(shift: .locked)
        keyboard.view.show(keyboard.state)
        let e = try #require(keyboard.view.faces[.type("e")])
        #expect(e.accessibilityLabel == "capital e")
        let actions = try #require(e.accessibilityCustomActions)
        #expect(actions.map(\.name).contains("capital é"))
        for action in actions { #expect(action.actionHandler?(action) == true) }
        #expect(keyboard.pressed == KeyAction.type("e").choices)
        keyboard.state.page = .symbols
        keyboard.state.shift = .off
        keyboard.view.show(keyboard.state)
        #expect(UIAccessibility.posted.contains("Caps lock on"))
        #expect(UIAccessibility.posted.contains("Symbols"))
    }

    @Test func noSystemsLanguageMirrorsTheLetters() {
        let keyboard = Keyboard()
        #expect(keyboard.view.semanticContentAttribute == .forceLeftToRight)
        #expect(keyboard.view.choices.semanticContentAttribute == .forceLeftToRight)
        let faces = "qwertyuiop".map { keyboard.view.faces[.type(String($0))]!.frame.minX }
        #expect(faces == faces.sorted() && Set(faces).count == 10)
    }
}
