import Foundation
import Testing

@testable import DemoKeyboard

/// Sequences of touches; q offers no choices, e does.
struct TouchesTests {
    private let q = KeyAction.type("q")
    private let w = KeyAction.type("w")
    private let e = KeyAction.type("e")
    private let o = KeyAction.type("o")

    @Test func aKeyActsWhenItIsTouched() {
        var touches = Touches<Int>()
        #expect(touches.begin(1, on: q, at: 0) == [q])
        #expect(touches.begin(2, on: w, at: 0.05) == [w])
        #expect(touches.keys == [q, w] && !touches.isTimed)
        #expect(touches.end(2) == [])
        #expect(touches.end(1) == [])
        #expect(touches.keys.isEmpty)
    }

    @Test func overlappingThumbsTypeInTheOrderOfTouching() {
        for (first, second) in [(q, e), (e, q), (e, o), (o, e), (e, .type(" ")), (e, .shift)] {
            for releases in [[1, 2], [2, 1]] {
                var touches = Touches<Int>()
                var typed = touches.begin(1, on: first, at: 0)
                typed += touches.begin(2, on: second, at: 0.05)
                for finger in releases { typed += touches.end(finger) }
                #expect(typed == [first, second])
                #expect(touches.keys.isEmpty && !touches.isTimed)
            }
        }
    }

    @Test func aRollOfThreeKeepsItsOrder() {
        var touches = Touches<Int>()
        var typed = touches.begin(1, on: e, at: 0)
        typed += touches.begin(2, on: o, at: 0.03)
        typed += touches.end(1)
        typed += touches.begin(3, on: e, at: 0.06)
        typed += touches.end(3)
        typed += touches.end(2)
        #expect(typed == [e, o, e])
    }

    @Test func aKeyThatOffersChoicesActsWhenItIsLeft() {
        var touches = Touches<Int>()
        #expect(touches.begin(1, on: e, at: 0) == [])
        #expect(touches.isTimed && touches.pass(to: 0.39) == [] && touches.offered == nil)
        touches.move(1) { nil }  // it slides off
        #expect(touches.end(1) == [e])
        #expect(touches.end(1) == [], "once")
    }

    @Test func aHeldKeyOffersChoices() throws {
        var touches = Touches<Int>()
        _ = touches.begin(1, on: e, at: 10)
        #expect(touches.pass(to: 10.4) == [])
        let offered = try #require(touches.offered)
        #expect(offered.key == e && offered.choices == [e] + e.choices && offered.marked == 0)
        #expect(e.choices.contains(.type("é")) && !touches.isTimed)
        touches.move(2) { 3 }  // another finger
        #expect(touches.offered?.marked == 0)
        touches.move(1) { 2 }
        #expect(touches.offered?.marked == 2)
        #expect(touches.end(1) == [e.choices[1]])
        #expect(touches.offered == nil && touches.keys.isEmpty)
    }

    @Test func aFingerFarFromTheChoicesTypesNothing() {
        var touches = Touches<Int>()
        _ = touches.begin(1, on: e, at: 0)
        _ = touches.pass(to: 1)
        touches.move(1) { nil }
        #expect(touches.end(1) == [])
    }

    @Test func anotherKeyTakesTheMarkedChoiceFirst() {
        var touches = Touches<Int>()
        _ = touches.begin(1, on: e, at: 0)
        _ = touches.pass(to: 1)
        touches.move(1) { 1 }
        #expect(touches.begin(2, on: q, at: 2) == [e.choices[0], q])
        #expect(touches.offered == nil && touches.end(1) == [])
    }

    @Test func aHeldBackspaceDeletesCharactersThenWords() {
        var touches = Touches<Int>()
        var deleted = touches.begin(1, on: .backspace, at: 0)
        #expect(deleted == [.backspace] && touches.pass(to: 0.47) == [])
        for time in stride(from: 0.48, to: 3, by: 0.01) { deleted += touches.pass(to: time) }
        #expect(Array(deleted.prefix(8)) == Array(repeating: .backspace, count: 8))
        let words = deleted.dropFirst(8)
        #expect(words.allSatisfy { $0 == .deleteWord } && (4...5).contains(words.count))
        #expect(touches.end(1) == [] && !touches.isTimed && touches.pass(to: 9) == [])
        _ = touches.begin(1, on: .backspace, at: 10)
        _ = touches.begin(2, on: q, at: 10.1)
        #expect(touches.pass(to: 12) == [], "another key ends it")
    }

    @Test func whatTheSystemTakesIsntTyped() {
        var touches = Touches<Int>()
        _ = touches.begin(1, on: e, at: 0)
        touches.cancel(1)
        #expect(touches.end(1) == [] && !touches.isTimed)
        _ = touches.begin(1, on: e, at: 0)
        _ = touches.pass(to: 1)
        touches.cancel(1)
        #expect(touches.offered == nil)
        _ = touches.begin(1, on: .backspace, at: 0)
        touches.cancelAll()
        #expect(touches.keys.isEmpty && touches.pass(to: 9) == [])
    }
}
