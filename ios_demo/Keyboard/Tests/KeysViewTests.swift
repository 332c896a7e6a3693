import Foundation
import Testing
import UIKit

@testable import DemoKeyboard

/// A finger at a place.
private final class Finger: UITouch {
    private let point: CGPoint
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
    private func shown() -> KeysView {
        let keys = KeysView()
        keys.bounds = CGRect(x: 0, y: 0, width: 390, height: 192)
        keys.show(
            .letters, .off, .newLine, needsNextKeyboard: true, isCompact: false, isPad: false)
        return keys
    }

    @Test func keysActWhenTheyAreTouched() {
        let keys = shown()
        #expect(keys.isMultipleTouchEnabled)
        var pressed = [KeyAction]()
        keys.pressed = { pressed.append($0) }
        let (q, w) = (Finger(38, 1, at: 1), Finger(40, 47, at: 2))
        keys.touchesBegan([w, q], with: nil)
        #expect(pressed == [.type("q"), .type("w")], "in the order of their times")
        keys.touchesEnded([w, q], with: nil)
        let p = Finger(388, 3)
        keys.touchesBegan([p], with: nil)
        keys.touchesCancelled([p], with: nil)
        #expect(pressed == [.type("q"), .type("w"), .type("p")])
        let next = Finger(70, 170)
        keys.touchesBegan([next], with: nil)
        #expect(pressed.count == 3)
        keys.touchesEnded([next], with: nil)
        #expect(pressed.last == .nextKeyboard)
    }

    @Test func aTurnedPageIsTouchedAtOnce() {
        let keys = shown()
        var pressed = [KeyAction]()
        keys.pressed = { [unowned keys] in
            pressed.append($0)
            if case .turn(let page) = $0 {
                keys.show(
                    page, .off, .newLine, needsNextKeyboard: true, isCompact: false, isPad: false)
            }
        }
        let (turn, one) = (Finger(5, 170, at: 1), Finger(5, 5, at: 2))
        keys.touchesBegan([one, turn], with: nil)
        #expect(pressed == [.turn(.symbols), .type("1")])
    }
}
