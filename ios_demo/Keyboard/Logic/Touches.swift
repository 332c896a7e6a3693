/// Fingers on keys, and what they press: a key acts when it is touched, so that two overlapping thumbs
/// type in the order of touching.
///
/// Only the key to the next keyboard acts when it is left: what it does can't be undone with backspace,
/// and it takes the keys away under the finger.
struct Touches<Finger: Hashable> {
    private var held = [Finger: KeyAction]()

    /// The keys that are touched.
    var keys: Set<KeyAction> { Set(held.values) }

    /// A finger touches `key`. Returns what to do.
    mutating func begin(_ finger: Finger, on key: KeyAction) -> KeyAction? {
        held[finger] = key
        return key == .nextKeyboard ? nil : key
    }

    /// A finger leaves `key`, perhaps not the one that it touched. Returns what to do.
    mutating func end(_ finger: Finger, on key: KeyAction?) -> KeyAction? {
        let touched = held.removeValue(forKey: finger)
        return touched == .nextKeyboard && key == touched ? touched : nil
    }

    /// The system takes a finger for a gesture of its own.
    mutating func cancel(_ finger: Finger) {
        held[finger] = nil
    }

    /// Other keys take the place of those that are touched.
    mutating func cancelAll() {
        held = [:]
    }
}
