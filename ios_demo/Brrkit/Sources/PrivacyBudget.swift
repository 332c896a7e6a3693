import Foundation

/// A stand-in until the state's format is known.
public struct PrivacyBudget: Sendable {
    func spend(_ epsilon: Double, words: Int = 1, unit: String) throws(BrrError) {}
}
