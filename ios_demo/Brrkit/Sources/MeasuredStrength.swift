import Foundation

/// A strength that was measured when the bundle was built.
public struct MeasuredStrength: Hashable, Sendable {
    /// The epsilon of a mechanism with its default parameters, per bit of Hamming distance.
    public let epsilon: Double

    /// The measured results.
    public let measured: Measured
}

/// Reads the fields `attack` and `utility` for a mechanism; strongest first. Results for E apply to E /
/// `average`, rounded down to four decimals.
func readStrengths(_ manifest: JSON, average: Double, mechanism: String) -> [MeasuredStrength] {
    guard let attack = manifest["attack"], let utility = manifest["utility"],
        let attacker = attack["attacker"]?.string,
        let words = utility["words"]?.double, words >= 1
    else { return [] }
    let shares = Dictionary(points(utility, mechanism)) { first, _ in first }
    let read = points(attack, mechanism).compactMap { loss, point -> MeasuredStrength? in
        let epsilon = (loss / average * 10_000).rounded(.down) / 10_000
        guard epsilon >= epsilonMin, epsilon <= epsilonMax,
            let success = point["success"].flatMap(Estimate.init(share:)),
            let unchanged = shares[loss]?["unchanged"]?.double, (0...1).contains(unchanged)
        else { return nil }
        var worst: Estimate?
        if let least = point["worst"], least != .null {
            guard let value = least.double, (0...1).contains(value) else { return nil }
            worst = Estimate(value: value, low: value, high: value)
        }
        return MeasuredStrength(
            epsilon: epsilon,
            measured: Measured(
                attacker: attacker, over: "all", text: nil,
                unchanged: counted(unchanged, among: words), attackSuccess: success, worst: worst))
    }
    return read.sorted { $0.epsilon < $1.epsilon }
}

/// Returns a block's entries for a mechanism, by the loss E.
private func points(_ block: JSON, _ mechanism: String) -> [(Double, JSON)] {
    let losses = block["estimated_losses"]?.array ?? []
    let points = block["mechanisms"]?[JSON.Text(mechanism)]?.array ?? []
    return zip(losses, points).compactMap { loss, point in loss.double.map { ($0, point) } }
}

/// A share of a number of words, with Wilson's 95% interval.
private func counted(_ share: Double, among words: Double) -> Estimate {
    let deviations = 1.959963984540054
    let spread = deviations * deviations / words
    let center = share + spread / 2
    let half = deviations * (share * (1 - share) / words + spread / words / 4).squareRoot()
    func bound(_ value: Double) -> Double { min(max(value / (1 + spread), 0), 1) }
    return Estimate(value: share, low: bound(center - half), high: bound(center + half))
}
