import Testing

@testable import DemoKeyboard

struct TouchesTests {
    @Test func overlappingThumbsTypeInTheOrderOfTouching() {
        var touches = Touches<Int>()
        #expect(touches.begin(1, on: .type("a")) == .type("a"))
        #expect(touches.begin(2, on: .type("b")) == .type("b"))
        #expect(touches.keys == [.type("a"), .type("b")])
        #expect(touches.end(2, on: .type("b")) == nil)
        #expect(touches.end(1, on: .type("q")) == nil, "a finger that slides off has typed")
        #expect(touches.keys.isEmpty)
    }

    @Test func theNextKeyboardComesWhenItsKeyIsLeft() {
        var touches = Touches<Int>()
        #expect(touches.begin(1, on: .nextKeyboard) == nil)
        #expect(touches.end(1, on: .nextKeyboard) == .nextKeyboard)
        #expect(touches.begin(1, on: .nextKeyboard) == nil)
        #expect(touches.end(1, on: .type(",")) == nil)
        #expect(touches.begin(1, on: .nextKeyboard) == nil)
        touches.cancel(1)
        #expect(touches.end(1, on: .nextKeyboard) == nil && touches.keys.isEmpty)
        #expect(touches.begin(1, on: .nextKeyboard) == nil)
        touches.cancelAll()
        #expect(touches.end(1, on: .nextKeyboard) == nil)
    }
}
