import Foundation

/// Fingers on keys, and what they press. Times are in seconds, by any clock.
///
/// A key acts when it is touched, so that two overlapping thumbs type in the order of touching. One that
/// offers choices acts when it is left, or before the next key is touched: until then it may be held for
/// them. A finger that slides off a key keeps it.
struct Touches<Finger: Hashable> {
    /// What a held key offers: itself, then its choices.
    struct Offered {
        let key: KeyAction
        let choices: [KeyAction]
        /// What is typed when the finger leaves; nothing if it is far away.
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
    /// Characters that a held backspace deletes, beside the first, before it goes on by words.
    private static var charactersFirst: Int { 7 }

    /// The keys that are touched.
    var keys: Set<KeyAction> { Set(held.values) }

    /// Whether time alone may do something: then `pass` wants to be called.
    var isTimed: Bool { waiting != nil || deleting != nil }

    /// A finger touches `key`. Returns what to do, in this order.
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

    /// Time goes by. Returns what to do.
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

    /// A finger moves to where `choice` says which of the choices is, if they are its own.
    mutating func move(_ finger: Finger, _ choice: () -> Int?) {
        if offered?.finger == finger { offered!.marked = choice() }
    }

    /// A finger leaves its key. Returns what to do.
    mutating func end(_ finger: Finger) -> [KeyAction] {
        let actions = waiting?.finger == finger || offered?.finger == finger ? settle() : []
        cancel(finger)
        return actions
    }

    /// Another key is pressed, by whatever means. Returns what to do before.
    mutating func settle() -> [KeyAction] {
        let typed = waiting.map { held[$0.finger]! } ?? offered?.typed
        waiting = nil
        offered = nil
        return typed.map { [$0] } ?? []
    }

    /// The system takes a finger for a gesture of its own: it doesn't type.
    mutating func cancel(_ finger: Finger) {
        held[finger] = nil
        if waiting?.finger == finger { waiting = nil }
        if offered?.finger == finger { offered = nil }
        if deleting?.finger == finger { deleting = nil }
    }

    /// Other keys take the place of those that are touched.
    mutating func cancelAll() { self = Touches() }
}
