import Brrkit
import BrrkitKeyboard

/// A strength to choose, and what was measured of it, if anything was.
///
/// What was measured is of single draws. It holds with the memory, too, however often a word is typed in a
/// period: attackers don't name it more often than from its first draw (`docs/explanation/proofs.md`).
struct Offer: Hashable, Sendable {
    let strength: Strength
    let epsilon: Double
    let measured: Measured?

    /// Whether an attacker names more words than with `other`; by epsilon without measurements, or where
    /// they are of different attackers.
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
        guard let recommended, (try? Mechanism(recommended)) != nil else { return nil }
        return recommended
    }

    /// The mechanism by which words are released.
    func mechanism(_ strength: Strength) -> Mechanism {
        if case .chosen(let mechanism, _) = strength { return mechanism }
        return ReleaseSettings.mechanisms.first { $0.name == own?.mechanism } ?? .exponential
    }

    /// Which words come out more readily, and the limit of the loss between any two, if it has one; nil
    /// for a mechanism that has neither.
    func preference(_ strength: Strength) -> (base: Base, cap: Double?)? {
        guard mechanism(strength).name == "exponential" else { return nil }
        let parameters = strength == .recommended ? own?.parameters ?? [:] : [:]
        let base = (parameters["base"] as? String).flatMap(Base.init)
        let bigrams = manifest["bigrams"] as? Int ?? 0
        let cap = parameters["cap"] as? Double ?? (parameters["cap"] as? Int).map(Double.init)
        return (base ?? (bigrams > 0 ? .language : .words), cap)
    }

    /// The strengths to choose from for a mechanism, strongest first: those that were measured when the
    /// bundle was built, and what the bundle recommends.
    ///
    /// An epsilon means something only beside the distances of the bundle, and those of two random words
    /// are about half of its bits. So without measurements, these are multiples of 5 / (bits / 2).
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
        guard let own, own.mechanism == mechanism.name else { return offers }
        return offers.with(
            Offer(strength: .recommended, epsilon: own.epsilon, measured: own.measured))
    }

    /// The strengths to choose from beside `strength`, which is among them.
    func offers(beside strength: Strength) -> [Offer] {
        let offers = offers(mechanism(strength))
        guard case .chosen(_, let epsilon) = strength,
            !offers.contains(where: { $0.strength == strength })
        else { return offers }
        // It is of an earlier bundle.
        return offers.with(Offer(strength: strength, epsilon: epsilon, measured: nil))
    }

    /// What is offered as `strength`.
    func offer(_ strength: Strength) -> Offer {
        offers(beside: strength).first { $0.strength == strength }!
    }

    /// The strength of a mechanism that is nearest to `strength`, and not weaker; or the strongest.
    func strength(of mechanism: Mechanism, insteadOf strength: Strength) -> Strength {
        let current = offer(strength)
        let offers = offers(mechanism)
        return (offers.last { !$0.isWeaker(than: current) } ?? offers[0]).strength
    }

    /// The strength to begin with: what the bundle recommends, if it does.
    var firstStrength: Strength {
        if own != nil { return .recommended }
        let epsilon = defaultLoss / (averageDistance ?? Double(bits) / 2)
        let offers = offers(.exponential)
        return (offers.last { $0.epsilon <= epsilon } ?? offers[0]).strength
    }
}

extension [Offer] {
    fileprivate func with(_ offer: Offer) -> [Offer] {
        let stronger = prefix { !$0.isWeaker(than: offer) }
        return stronger + [offer] + dropFirst(stronger.count)
    }
}
