import Brrkit
import BrrkitKeyboard

/// A strength to choose, with its measured results, if there are any.
///
/// The results are for single draws. With the memory, they also hold for words that are typed several times
/// in a period: the attack success is at most that of the first draw (`docs/explanation/proofs.md`).
struct Offer: Hashable, Sendable {
    let strength: Strength
    let epsilon: Double
    let measured: Measured?

    /// Whether an attacker recovers more words than with `other`. Without measurements, or if these have
    /// different attackers, epsilon decides.
    func isWeaker(than other: Offer) -> Bool {
        guard let own = measured, let others = other.measured,
            own.attacker == others.attacker, own.over == others.over
        else { return epsilon > other.epsilon }
        return own.attackSuccess.high > others.attackSuccess.high
    }
}

private let defaultLoss = 20.0  // E, of the epsilon that measurements are made at

extension WordBundle {
    /// The setting that the bundle recommends, if this version can run it.
    var own: Setting? {
        let names = ReleaseSettings.mechanisms.map(\.name)
        return recommended.flatMap { names.contains($0.mechanism.name) ? $0 : nil }
    }

    /// The mechanism that releases words.
    func mechanism(_ strength: Strength) -> Mechanism {
        if case .chosen(let mechanism, _) = strength { return mechanism }
        return ReleaseSettings.mechanisms.first { $0.name == own?.mechanism.name } ?? .exponential
    }

    /// The base measure, and the limit of the loss between any two words, if there is one; nil for a
    /// mechanism that has neither.
    func preference(_ strength: Strength) -> (base: Base, cap: Double?)? {
        guard mechanism(strength).name == "exponential" else { return nil }
        let parameters = strength == .recommended ? own?.mechanism.parameters ?? [:] : [:]
        let base = (parameters["base"] as? String).flatMap(Base.init)
        let bigrams = manifest["bigrams"] as? Int ?? 0
        return (base ?? (bigrams > 0 ? .bigram : .unigram), parameters["cap"] as? Double)
    }

    /// The strengths to choose from for a mechanism, strongest first: those that were measured when the
    /// bundle was built, and the recommended one.
    ///
    /// The effect of an epsilon depends on the bundle's distances, and two random words differ in about half
    /// of the bits. Without measurements, the strengths are therefore multiples of 5 / (bits / 2).
    func offers(_ mechanism: Mechanism) -> [Offer] {
        var offers = strengths(of: mechanism.name).map {
            Offer(
                strength: .chosen(mechanism, epsilon: $0.epsilon), epsilon: $0.epsilon,
                measured: $0.measured)
        }
        if offers.isEmpty {
            offers = (1...16).map {
                let epsilon = (Double($0) * 10_000 / Double(bits)).rounded() / 1_000
                return Offer(
                    strength: .chosen(mechanism, epsilon: epsilon), epsilon: epsilon, measured: nil)
            }
        }
        guard let own, own.mechanism.name == mechanism.name else { return offers }
        return offers.with(
            Offer(strength: .recommended, epsilon: own.epsilon, measured: own.measured))
    }

    /// The strengths of a mechanism that the app's limit in `settings` allows; perhaps none.
    func offers(_ mechanism: Mechanism, _ settings: ReleaseSettings) -> [Offer] {
        offers(mechanism).filter { settings.allows($0.strength, on: self) }
    }

    /// The strengths to choose from, including that of `settings`.
    func offers(_ settings: ReleaseSettings) -> [Offer] {
        let strength = settings.strength
        let offers = offers(mechanism(strength), settings)
        if offers.contains(where: { $0.strength == strength }) { return offers }
        return offers.with(offer(strength))
    }

    /// The measured results of a strength; none for an earlier bundle's strength.
    func offer(_ strength: Strength) -> Offer {
        let offers = offers(mechanism(strength))
        if let offer = offers.first(where: { $0.strength == strength }) { return offer }
        guard case .chosen(_, let epsilon) = strength else {
            preconditionFailure("without a recommendation, nothing is the recommended strength")
        }
        return Offer(strength: strength, epsilon: epsilon, measured: nil)
    }

    /// The strength of a mechanism that is nearest to that of `settings` and not weaker; otherwise the
    /// strongest. Nil if the app allows none of this mechanism.
    func strength(of mechanism: Mechanism, insteadOf settings: ReleaseSettings) -> Strength? {
        let current = offer(settings.strength)
        let offers = offers(mechanism, settings)
        return (offers.last { !$0.isWeaker(than: current) } ?? offers.first)?.strength
    }

    /// The default strength: the recommended one, if there is one and the app allows it. If the app allows no
    /// strength, a strength that releases nothing.
    func firstStrength(mostAttackSuccess: Double? = nil) -> Strength {
        var limit = ReleaseSettings(.recommended)
        limit.mostAttackSuccess = mostAttackSuccess
        if own != nil && limit.allows(.recommended, on: self) { return .recommended }
        let epsilon = defaultLoss / (averageDistance ?? Double(bits) / 2)
        let allowed = ([.exponential] + ReleaseSettings.mechanisms).map { offers($0, limit) }
        let some = allowed.first { !$0.isEmpty } ?? offers(.exponential)
        return (some.last { $0.epsilon <= epsilon } ?? some[0]).strength
    }
}

extension [Offer] {
    fileprivate func with(_ offer: Offer) -> [Offer] {
        let stronger = prefix { !$0.isWeaker(than: offer) }
        return stronger + [offer] + dropFirst(stronger.count)
    }
}
