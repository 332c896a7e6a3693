/// Tells a screen reader when a field is private, and when words leave again.
struct FieldNotice {
    private var wasPrivate = false

    /// What to announce of the field that is looked at now: nothing if it is like the last one, or if
    /// without consent (`isOn`) nothing leaves anyway.
    mutating func look(isPrivate: Bool, isOn: Bool, _ texts: Texts = .system) -> String? {
        guard isOn else { return nil }
        defer { wasPrivate = isPrivate }
        if isPrivate == wasPrivate { return nil }
        return texts.text(isPrivate ? "brr_private_field" : "field_open")
    }
}
