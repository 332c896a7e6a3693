import Foundation

/// Fingers on keys, and the presses that they cause. Times are in seconds, by any clock.
///
/// A key acts when it is touched, so two overlapping thumbs type in the order of touching. A key with choices
/// acts when the finger leaves it, or before the next key is touched. Until then, it may be held. A finger
/// that slides off a key keeps it.
struct Touches<Finger: Hashable> {
    /// The choices of a held key: itself, then the others.
    struct Offered {
        let key: KeyAction
        let choices: [KeyAction]
        /// The character typed when the finger leaves; none if the finger is far away.
        var marked: Int?
        fileprivate let finger: Finger

        fileprivate var typed: KeyAction? { marked.map { choices[$0] } }
    }

    private(set) var offered: Offered?
    private var held = [Finger: KeyAction]()
    private var waiting: (finger: Finger, since: TimeInterval)?
    private var deleting: (finger: Finger, next: TimeInterval, times: Int)?

    private static var untilChoices: TimeInterval { 0.4 }
    private static var untilRepeated: TimeInterval { 0.48 }
    private static var betweenCharacters: TimeInterval { 0.12 }
    private static var betweenWords: TimeInterval { 0.36 }
    /// Number of characters, after the first, that a held backspace deletes before it deletes words.
    private static var charactersFirst: Int { 7 }

    /// The keys that are touched.
    var keys: Set<KeyAction> { Set(held.values) }

    /// Whether an action may become due with time, so that `pass` must be called.
    var isTimed: Bool { waiting != nil || deleting != nil }

    /// A finger touches `key`. Returns the actions, in this order.
    mutating func begin(_ finger: Finger, on key: KeyAction, at now: TimeInterval) -> [KeyAction] {
        let before = settle()
        held[finger] = key
        deleting = nil
        if !key.choices.isEmpty {
            waiting = (finger, now)
            return before
        }
        if key == .backspace { deleting = (finger, now + Self.untilRepeated, 0) }
        return before + [key]
    }

    /// Time passes. Returns the actions.
    mutating func pass(to now: TimeInterval) -> [KeyAction] {
        if let (finger, since) = waiting, now >= since + Self.untilChoices {
            let key = held[finger]!
            waiting = nil
            offered = Offered(key: key, choices: [key] + key.choices, marked: 0, finger: finger)
        }
        guard let (finger, next, times) = deleting, now >= next else { return [] }
        let isWord = times >= Self.charactersFirst
        deleting = (finger, now + (isWord ? Self.betweenWords : Self.betweenCharacters), times + 1)
        return [isWord ? .deleteWord : .backspace]
    }

    /// A finger moves. `choice` returns the choice at its position, if the choices are those of its key.
    mutating func move(_ finger: Finger, _ choice: () -> Int?) {
        if offered?.finger == finger { offered!.marked = choice() }
    }

    /// A finger leaves its key. Returns the actions.
    mutating func end(_ finger: Finger) -> [KeyAction] {
        let actions = waiting?.finger == finger || offered?.finger == finger ? settle() : []
        cancel(finger)
        return actions
    }

    /// Another key is pressed by other means. Returns the actions before it.
    mutating func settle() -> [KeyAction] {
        let typed = waiting.map { held[$0.finger]! } ?? offered?.typed
        waiting = nil
        offered = nil
        return typed.map { [$0] } ?? []
    }

    /// The system uses a finger for its own gesture, so it doesn't type.
    mutating func cancel(_ finger: Finger) {
        held[finger] = nil
        if waiting?.finger == finger { waiting = nil }
        if offered?.finger == finger { offered = nil }
        if deleting?.finger == finger { deleting = nil }
    }

    /// Other keys replace the touched ones.
    mutating func cancelAll() { self = Touches() }
}
