import Foundation

/// Where the choices of a held key lie: in a row above it, the first one over the key, the others towards
/// the middle of the keyboard.
struct ChoiceRow: Equatable {
    /// Of the choices, in their order.
    let frames: [CGRect]
    private let reach: ClosedRange<CGFloat>

    /// Narrower ones can't be told apart under a finger.
    private static let leastWidth: CGFloat = 32

    /// - Parameters:
    ///   - count: how many there are, at least one.
    ///   - key: the face of the key.
    ///   - width: of the keyboard, in points.
    init(_ count: Int, above key: CGRect, width: CGFloat) {
        let isOnTheLeft = key.midX < width / 2
        // Half of the first one is on the other side of the key's middle.
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

    /// The choice that is nearest to a finger; none if it is far above the row or below the key.
    func choice(at point: CGPoint) -> Int? {
        guard reach.contains(point.y) else { return nil }
        return frames.indices.min {
            abs(frames[$0].midX - point.x) < abs(frames[$1].midX - point.x)
        }
    }
}
