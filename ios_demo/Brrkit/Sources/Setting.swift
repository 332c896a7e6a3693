/// A setting for text. Its values are checked where it is used.
///
/// ```swift
/// Setting(epsilon: 0.6, mechanism: .exponential(radius: 8))
/// ```
public struct Setting: Hashable, Sendable {
    /// Privacy parameter per bit of Hamming distance, from 1e-9 to 22.18.
    public var epsilon: Double

    /// The mechanism with its parameters.
    public var mechanism: Mechanism

    /// The goal for which it was chosen; nil without a measured goal.
    public var goal: String?

    /// Its privacy loss on the bundle's vocabulary; nil if it wasn't computed. Leave it out for another
    /// epsilon or mechanism.
    public var certificate: Certificate?

    /// Its measured results; nil if there are none.
    public var measured: Measured?

    /// Makes a setting.
    public init(
        epsilon: Double, mechanism: Mechanism = .exponential, goal: String? = nil,
        certificate: Certificate? = nil, measured: Measured? = nil
    ) {
        (self.epsilon, self.mechanism, self.goal) = (epsilon, mechanism, goal)
        (self.certificate, self.measured) = (certificate, measured)
    }

    /// The privacy loss per bit on the bundle's vocabulary, at most ``epsilon``; nil without a certificate.
    public var certifiedEpsilon: Double? { certificate?.certifiedEpsilon }

    /// The setting in the form of reports: `spec/reports.md`, "Settings".
    package var stated: [JSON.Text: JSON] {
        [
            "mechanism": JSON(mechanism.name), "epsilon": JSON(epsilon),
            "parameters": mechanism.given,
        ]
    }
}

/// A setting for counts. Its values are checked where it is used.
public struct CountsSetting: Hashable, Sendable {
    /// Largest privacy loss between any two words, from 1e-9 to 88.
    public var cap: Double

    /// The largest number of reports that a device sends for a day, from 1 to 1,000.
    public var wordsADay: Int

    /// The goal for which it was chosen; nil without a measured goal.
    public var goal: String?

    /// Attack success on one report, by attacker; exact for `isolated`, and for `frequencies`, who knows the
    /// bundle's masses.
    public var measured: [String: Double]

    /// Makes a setting.
    public init(
        cap: Double, wordsADay: Int = 1, goal: String? = nil, measured: [String: Double] = [:]
    ) {
        (self.cap, self.wordsADay, self.goal, self.measured) = (cap, wordsADay, goal, measured)
    }
}

/// Measured results of a setting; shares, from 0 to 1.
public struct Measured: Hashable, Sendable {
    /// Name of the attacker. One released word suffices for `isolated`, who assumes that all words are equally
    /// likely, and `frequencies`, who knows the words' frequencies. With a text: also `sentence`, who reads
    /// all released words, or `informed`.
    public let attacker: String

    /// Which typed words of the vocabulary count: `all`, or `content` for the content words of a text,
    /// without the language's most frequent words.
    public let over: String

    /// Name of the file that was released and attacked; nil for a computation over the vocabulary.
    public let text: String?

    /// Share of typed words that are released unchanged.
    public let unchanged: Estimate

    /// Probability that the attacker recovers a typed word.
    public let attackSuccess: Estimate

    /// Attack success on the least protected 1% of the words; nil if it wasn't computed.
    public let worst: Estimate?

    /// The last three results over all words of the vocabulary; nil if ``over`` is `all`.
    public var allWords: Shares? = nil

    /// Probability that the attacker recognizes an unknown word of the text as unknown, which reveals none of
    /// its letters; nil without a text with unknown words.
    public var unknownRecognized: Estimate? = nil
}

/// Measured results of a setting over a set of words; shares, from 0 to 1.
public struct Shares: Hashable, Sendable {
    /// As ``Measured/unchanged``.
    public let unchanged: Estimate

    /// As ``Measured/attackSuccess``.
    public let attackSuccess: Estimate

    /// As ``Measured/worst``.
    public let worst: Estimate?
}

/// A number with its 95% confidence interval. If it is exact, all three numbers are equal.
public struct Estimate: Hashable, Sendable {
    /// The number.
    public let value: Double

    /// Lower end of the interval.
    public let low: Double

    /// Upper end of the interval.
    public let high: Double
}

/// The privacy loss of a setting of `exponential` on one vocabulary.
public struct Certificate: Hashable, Sendable {
    /// The loss per bit of Hamming distance; at most the setting's epsilon.
    public let certifiedEpsilon: Double

    /// SHA-256 of the `index.safetensors` with this vocabulary.
    public let index: String

    /// Epsilon of the setting; the certificate holds for no other.
    let epsilon: Double

    /// Mechanism of the setting; the certificate holds for no other.
    let mechanism: Mechanism
}

private let mostCandidates = 64  // largest number of numbers in a recommended t

/// Allowed weights of a differing task bit.
let taskWeights = 0...16

/// Numbers of words that a device may report for a day. More would reveal all that a person types.
let wordsOfADay = 1...1_000

extension Setting {
    /// The setting that the field `recommended` has; nil if it has none.
    ///
    /// - Parameter wordBits: length of a code without its task bits.
    init?(_ json: JSON, wordBits: Int) {
        guard let name = json["mechanism"]?.string,
            let epsilon = json["epsilon"]?.double, epsilon >= epsilonMin, epsilon <= epsilonMax,
            let parameters = json["parameters"], case .object(let given) = parameters,
            let goal = json["goal"]?.string
        else { return nil }
        if let t = parameters["t"] {
            let values = t.array ?? [t]
            guard (1...mostCandidates).contains(values.count),
                values.allSatisfy({ $0.double != nil })
            else { return nil }
        }
        if let k = parameters["k"], !k.isInteger { return nil }
        if let radius = parameters["radius"] {
            guard let value = radius.integer, (0...wordBits).contains(value) else { return nil }
        }
        if let base = parameters["base"], base.string == nil { return nil }
        if let cap = parameters["cap"], cap.double == nil { return nil }
        if let weight = parameters["task_weight"] {
            guard let value = weight.integer, taskWeights.contains(value) else { return nil }
        }
        self.init(epsilon: epsilon, mechanism: Mechanism(name: name, given), goal: goal)
        if let json = json["certificate"] {
            certificate = Certificate(json, of: self)
            if certificate == nil { return nil }
        }
        if let json = json["measured"] {
            measured = Measured(json)
            if measured == nil { return nil }
        }
    }
}

extension CountsSetting {
    /// The setting that the field `counts` has; nil if it has none.
    init?(_ json: JSON) {
        guard let cap = json["cap"]?.double, cap >= capMin, cap <= capMax,
            let wordsADay = json["words_a_day"]?.integer, wordsOfADay.contains(wordsADay),
            let goal = json["goal"]?.string,
            case .object(let shares)? = json["measured"]
        else { return nil }
        var measured = [String: Double]()
        for (attacker, share) in shares {
            guard let share = share.share else { return nil }
            measured[attacker.string] = share
        }
        self.init(cap: cap, wordsADay: wordsADay, goal: goal, measured: measured)
    }
}

extension Certificate {
    fileprivate init?(_ json: JSON, of setting: Setting) {
        guard let certified = json["certified_epsilon"]?.double,
            let index = json["index"]?.string, isDigest(index)
        else { return nil }
        (certifiedEpsilon, self.index) = (certified, index)
        (epsilon, mechanism) = (setting.epsilon, setting.mechanism)
    }
}

extension Measured {
    fileprivate init?(_ json: JSON) {
        guard let attacker = json["attacker"]?.string, let over = json["over"]?.string,
            let file = json["text"], file == .null || file.string != nil,
            let own = Shares(json)
        else { return nil }
        let (every, unknown) = (json["all_words"] ?? .null, json["unknown_recognized"] ?? .null)
        let (allWords, unknownRecognized) = (Shares(every), Estimate(share: unknown))
        if allWords == nil && every != .null { return nil }
        if unknownRecognized == nil && unknown != .null { return nil }
        self.init(
            attacker: attacker, over: over, text: file.string, unchanged: own.unchanged,
            attackSuccess: own.attackSuccess, worst: own.worst, allWords: allWords,
            unknownRecognized: unknownRecognized)
    }
}

extension Shares {
    fileprivate init?(_ json: JSON) {
        guard let unchanged = json["unchanged"].flatMap(Estimate.init(share:)),
            let attackSuccess = json["attack_success"].flatMap(Estimate.init(share:)),
            let least = json["worst"]
        else { return nil }
        let worst = Estimate(share: least)
        if worst == nil && least != .null { return nil }
        self.init(unchanged: unchanged, attackSuccess: attackSuccess, worst: worst)
    }
}

extension Estimate {
    init?(share json: JSON) {
        guard let value = json["value"]?.share, let low = json["low"]?.share,
            let high = json["high"]?.share
        else { return nil }
        self.init(value: value, low: low, high: high)
    }
}

extension JSON {
    /// The number, if it is from 0 to 1.
    fileprivate var share: Double? { double.flatMap { (0...1).contains($0) ? $0 : nil } }
}
