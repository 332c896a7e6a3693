import Foundation
import Testing

@testable import DemoKeyboard

struct KeyGridTests {
    private static let pages = ["en", "fr", "de", "fa"].flatMap { language in
        Page.allCases.flatMap { page in
            [true, false].map { next in
                page.rows(.of(language), needsNextKeyboard: next, needsNextLanguage: next)
            }
        }
    }

    @Test func everyPointBelongsToTheKeyAroundIt() {
        for rows in KeyGridTests.pages {
            let grid = KeyGrid(rows, width: 390, rowHeight: 48)
            #expect(grid.places.map(\.action) == rows.joined().map(\.action))
            for y in stride(from: 0.5, to: 192, by: 1) {
                var keys = [KeyAction]()
                for x in stride(from: 0.5, to: 390, by: 1) {
                    let point = CGPoint(x: x, y: y)
                    let there = grid.places.filter { $0.area.contains(point) }
                    #expect(there.count == 1, "\(point)")
                    let key = grid.key(at: point)
                    #expect(key == there.first?.action)
                    if let key, keys.last != key { keys.append(key) }
                }
                #expect(keys == rows[Int(y / 48)].map(\.action), "no gap, from left to right")
            }
        }
    }

    @Test func aKeyIsDrawnInsideOfWhatIsTouched() {
        for rows in KeyGridTests.pages {
            let grid = KeyGrid(rows, width: 375, rowHeight: 38)
            for place in grid.places {
                #expect(place.area.contains(place.face) && place.face.width > 25)
                let center = CGPoint(x: place.face.midX, y: place.face.midY)
                #expect(grid.key(at: center) == place.action)
            }
        }
    }

    @Test func aShorterRowReachesTheEdges() {
        let grid = KeyGrid(
            Page.letters.rows(needsNextKeyboard: false), width: 390, rowHeight: 48)
        #expect(grid.key(at: CGPoint(x: 1, y: 60)) == .type("a"))
        #expect(grid.key(at: CGPoint(x: 389, y: 60)) == .type("l"))
        #expect(grid.places.first { $0.action == .type("a") }?.face.minX == 22.5)
    }

    @Test func outsideItIsTheNearestKey() {
        let grid = KeyGrid(
            Page.letters.rows(needsNextKeyboard: false), width: 390, rowHeight: 48)
        #expect(grid.key(at: CGPoint(x: -5, y: -5)) == .type("q"))
        #expect(grid.key(at: CGPoint(x: 400, y: 500)) == .enter)
        #expect(KeyGrid([], width: 390, rowHeight: 48).key(at: .zero) == nil)
    }

    @Test func choicesFitAboveTheirKeysAndAreFoundByTheNearest() {
        for width in [320.0, 390, 844] {
            for rows in KeyGridTests.pages {
                let grid = KeyGrid(rows, width: width, rowHeight: 48)
                for place in grid.places where !place.action.choices.isEmpty {
                    let count = 1 + place.action.choices.count
                    let row = ChoiceRow(count, above: place.face, width: width)
                    #expect(row.frames.count == count)
                    for (choice, frame) in row.frames.enumerated() {
                        #expect(frame.minX >= -1e-9 && frame.maxX <= width + 1e-9)
                        #expect(frame.maxY <= place.face.minY && frame.width >= 26)
                        let others = row.frames.filter {
                            $0.insetBy(dx: 0.1, dy: 0).intersects(frame)
                        }
                        #expect(others.count == 1)
                        let below = CGPoint(x: frame.midX, y: place.face.midY)
                        #expect(
                            row.choice(at: below) == choice, "the finger stays on the key's height")
                    }
                    let own = CGPoint(x: place.face.midX, y: place.face.midY)
                    #expect(row.choice(at: own) == 0, "without sliding it is the key itself")
                    #expect(row.choice(at: CGPoint(x: own.x, y: own.y + 100)) == nil)
                    #expect(row.choice(at: CGPoint(x: own.x, y: own.y - 200)) == nil)
                    #expect(row.choice(at: CGPoint(x: -50, y: own.y)) != nil)
                }
            }
        }
    }

    @Test func choicesOfAKeyAtTheEdgeStayInside() {
        for left in [0.0, 300] {
            let row = ChoiceRow(
                4, above: CGRect(x: left, y: 60, width: 20, height: 42), width: 320)
            #expect(row.frames.map(\.minX).min()! >= 0 && row.frames.map(\.maxX).max()! <= 320)
        }
    }
}
