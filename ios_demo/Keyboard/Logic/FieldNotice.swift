/// Tells a screen reader when a field is private, and when words leave again.
struct FieldNotice {
    private var wasPrivate = false

    /// The announcement for the current field: nothing if it is like the last field, or if there is no
    /// consent (`isOn`), so nothing leaves anyway.
    mutating func look(isPrivate: Bool, isOn: Bool, _ texts: Texts = .system) -> String? {
        guard isOn else { return nil }
        defer { wasPrivate = isPrivate }
        if isPrivate == wasPrivate { return nil }
        return texts.text(isPrivate ? "brr_private_field" : "field_open")
    }
}
