import Foundation

/// The positions of a held key's choices: in a row above it, the first one over the key, the others toward
/// the middle of the keyboard.
struct ChoiceRow: Equatable {
    /// Frames of the choices, in their order.
    let frames: [CGRect]
    private let reach: ClosedRange<CGFloat>

    /// A finger can't select narrower ones reliably.
    private static let leastWidth: CGFloat = 32

    /// - Parameters:
    ///   - count: number of choices, at least one.
    ///   - key: the face of the key.
    ///   - width: width of the keyboard, in points.
    init(_ count: Int, above key: CGRect, width: CGFloat) {
        let isOnTheLeft = key.midX < width / 2
        // Half of the first choice is on the other side of the key's middle.
        let room = (isOnTheLeft ? width - key.midX : key.midX) / (CGFloat(count) - 0.5)
        let side = min(max(key.width, ChoiceRow.leastWidth), width / CGFloat(count), room)
        let whole = side * CGFloat(count)
        let edge = isOnTheLeft ? key.midX - side / 2 : key.midX + side / 2 - whole
        let left = min(max(edge, 0), width - whole)
        let top = key.minY - 2 * KeyGrid.margin - key.height
        frames = (0..<count).map { number in
            let place = isOnTheLeft ? number : count - 1 - number
            return CGRect(x: left + side * CGFloat(place), y: top, width: side, height: key.height)
        }
        reach = top - key.height...key.maxY + key.height
    }

    /// The choice nearest to a finger; none if the finger is far above the row or below the key.
    func choice(at point: CGPoint) -> Int? {
        guard reach.contains(point.y) else { return nil }
        return frames.indices.min {
            abs(frames[$0].midX - point.x) < abs(frames[$1].midX - point.x)
        }
    }
}
