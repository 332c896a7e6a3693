import Foundation
import Testing

@testable import Brrkit

/// A bundle's results for strengths that were measured when it was built.
struct MeasuredStrengthTests {
    @Test func everyLossThatWasMeasuredIsAStrength() throws {
        let bundle = Work.bundle64
        let average = bundle.averageDistance!
        let json = try JSON(
            parsing: [UInt8](Data(contentsOf: Work.file("bundles/64/manifest.json"))))
        let losses = json["attack"]!["estimated_losses"]!.array!.map { $0.double! }
        for mechanism in ["brr", "vickrey", "exponential"] {
            func points(_ block: JSON.Text) -> [JSON] {
                json[block]!["mechanisms"]![JSON.Text(mechanism)]!.array!
            }
            let strengths = bundle.strengths(of: mechanism)
            #expect(strengths.count == losses.count)
            for (place, strength) in strengths.enumerated() {
                #expect(strength.epsilon * average <= losses[place])
                #expect(abs(strength.epsilon * average - losses[place]) < 1e-4 * average)
                #expect(strength.measured.attacker == json["attack"]!["attacker"]!.string)
                let point = points("attack")[place]
                let read = strength.measured.attackSuccess
                #expect(read.value == point["success"]!["value"]!.double)
                #expect(read.low == point["success"]!["low"]!.double)
                #expect(read.high == point["success"]!["high"]!.double)
                #expect(strength.measured.worst?.value == point["worst"]?.double)
                let unchanged = strength.measured.unchanged
                #expect(unchanged.value == points("utility")[place]["unchanged"]!.double)
                #expect((0...unchanged.value).contains(unchanged.low))
                #expect((unchanged.value...1).contains(unchanged.high))
                #expect((0.001...0.07).contains(unchanged.high - unchanged.low))
            }
        }
    }

    /// 84 of 1,000: scipy.stats.binomtest(84, 1000).proportion_ci(method="wilson").
    @Test func whatWasCountedHasWilsonsInterval() throws {
        let unchanged = try #require(try strength(utility: #"{"unchanged": 0.084}"#)).unchanged
        #expect(unchanged.value == 0.084)
        #expect(abs(unchanged.low - 0.0683588) < 1e-6)
        #expect(abs(unchanged.high - 0.1028250) < 1e-6)
    }

    @Test func whatIsNotThereIsNotRead() throws {
        let bundle = Work.bundle64
        #expect(bundle.strengths(of: "laplace").isEmpty)
        #expect(bundle.strengths(of: "other").isEmpty)
        for utility in ["null", "{}", #"{"unchanged": 1.1}"#] {
            #expect(try strength(utility: utility) == nil)
        }
        for success in ["null", "{}", #"{"value": 0.1, "low": 0, "high": 2}"#] {
            #expect(try strength(attack: "{\"success\": \(success), \"worst\": null}") == nil)
        }
        let success = #""success": {"value": 0, "low": 0, "high": 1}"#
        #expect(try strength(attack: "{\(success), \"worst\": \"a\"}") == nil)
        #expect(try strength(loss: "1e9") == nil)
        #expect(try strength() != nil)
    }

    private func strength(
        utility: String = #"{"unchanged": 0.1}"#,
        attack: String = #"{"success": {"value": 0, "low": 0, "high": 1}, "worst": null}"#,
        loss: String = "10"
    ) throws -> Measured? {
        let json = try JSON(
            parsing: Array(
                """
                {"attack": {"attacker": "isolated", "estimated_losses": [\(loss)],
                            "mechanisms": {"brr": [\(attack)]}},
                 "utility": {"words": 1000, "estimated_losses": [\(loss)],
                             "mechanisms": {"brr": [\(utility)]}}}
                """.utf8))
        return readStrengths(json, average: 32, mechanism: "brr").first?.measured
    }
}
