import Foundation

/// The positions of a page's keys. They fill the keyboard without gaps, so every touch is on a key.
///
/// Left is left, whatever the direction of the system's language.
struct KeyGrid: Equatable {
    struct Place: Equatable {
        let action: KeyAction
        /// What is drawn.
        let face: CGRect
        /// The area that takes touches: up to the neighbors and the edges.
        let area: CGRect
    }

    /// The keys, from the top, from the left.
    let places: [Place]
    private let rows: [Range<Int>]  // of places
    private let rowHeight: CGFloat

    /// Distance from a key's area to its face.
    static let margin: CGFloat = 3

    /// - Parameters:
    ///   - rows: rows of keys, from the top. A shorter row is centered.
    ///   - width: width of the keyboard, in points.
    ///   - rowHeight: height of a row in points, with its margins.
    init(_ rows: [[Key]], width: CGFloat, rowHeight: CGFloat) {
        var places = [Place]()
        var ranges = [Range<Int>]()
        let unit = width / Page.width(of: rows)
        for (number, keys) in rows.enumerated() {
            let top = CGFloat(number) * rowHeight
            var left = (width - unit * keys.reduce(0) { $0 + $1.width }) / 2
            let first = places.count
            for (place, key) in keys.enumerated() {
                let right = left + unit * key.width
                let face = CGRect(x: left, y: top, width: right - left, height: rowHeight)
                let from = place == 0 ? 0 : left
                let to = place == keys.count - 1 ? width : right
                places.append(
                    Place(
                        action: key.action,
                        face: face.insetBy(dx: KeyGrid.margin, dy: KeyGrid.margin),
                        area: CGRect(x: from, y: top, width: to - from, height: rowHeight)))
                left = right
            }
            ranges.append(first..<places.count)
        }
        self.places = places
        self.rows = ranges
        self.rowHeight = rowHeight
    }

    /// The key of a touch; the nearest key for a touch outside. Nil if there are no keys.
    func key(at point: CGPoint) -> KeyAction? {
        guard !rows.isEmpty, rowHeight > 0 else { return nil }
        let row = min(max(Int((point.y / rowHeight).rounded(.down)), 0), rows.count - 1)
        let keys = places[rows[row]]
        return (keys.first { point.x < $0.area.maxX } ?? keys.last)?.action
    }
}
