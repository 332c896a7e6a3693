/// A setting that a bundle recommends, as `brr calibrate --write` puts it into the manifest.
public struct Setting: Hashable, Sendable {
    /// A mechanism's name.
    public let mechanism: String

    /// Privacy parameter per bit of Hamming distance.
    public let epsilon: Double

    /// Of the mechanism: `Int`, `Double`, `String` or arrays of numbers.
    public var parameters: [String: any Sendable] { given.fields }

    /// What it was chosen for.
    public let goal: String

    /// What was measured of it when it was chosen, if the bundle says so.
    public let measured: Measured?

    /// What a word loses per bit on the bundle's vocabulary, at most ``epsilon``; nil if that wasn't
    /// computed.
    public var certifiedEpsilon: Double? { certificate?.certifiedEpsilon }

    let given: JSON
    let certificate: Certificate?
}

/// The setting that a bundle recommends for counts.
public struct CountsSetting: Hashable, Sendable {
    /// Largest privacy loss between any two words.
    public let cap: Double

    /// Reports that a device sends of a day, at most.
    public let wordsADay: Int

    /// What it was chosen for.
    public let goal: String

    /// Attackers of one report, and how often each names the typed word; exact, of `isolated` and of
    /// `frequencies`, who knows the bundle's masses.
    public let measured: [String: Double]
}

/// What was measured of a setting; shares, from 0 to 1.
public struct Measured: Hashable, Sendable {
    /// Who names words. Of one released word, without a text: `isolated`, who holds all words to be as
    /// likely, or `frequencies`, who knows how often words are typed. Of a text: these, `sentence`, who
    /// reads all that was released of it, or `informed`.
    public let attacker: String

    /// Which typed words count: `all`, or `content` for those of a text that aren't among its language's
    /// most frequent ones.
    public let over: String

    /// Name of the file that was released and attacked; nil for a computation over the vocabulary.
    public let text: String?

    /// Share of typed words that come out as themselves.
    public let unchanged: Estimate

    /// How often the attacker names a typed word.
    public let attackSuccess: Estimate

    /// How often they name the least protected 1% of the words; nil where it wasn't computed.
    public let worst: Estimate?
}

/// A number with its 95% confidence interval; where it is exact, all three are equal.
public struct Estimate: Hashable, Sendable {
    /// The number.
    public let value: Double

    /// Lower end of the interval.
    public let low: Double

    /// Upper end of the interval.
    public let high: Double
}

/// What a setting of `exponential` loses on one vocabulary.
struct Certificate: Hashable, Sendable {
    /// Per bit of Hamming distance.
    let certifiedEpsilon: Double

    /// SHA-256 of the `index.safetensors` that has this vocabulary.
    let index: String
}

private let mostCandidates = 64  // numbers in a recommended t

/// Words of a day that a device may report: more says all that somebody types.
let wordsOfADay = 1...1_000

extension Setting {
    /// The setting that the field `recommended` has; nil if it has none.
    init?(_ json: JSON, bits: Int) {
        guard let mechanism = json["mechanism"]?.string,
            let epsilon = json["epsilon"]?.double, epsilon >= epsilonMin, epsilon <= epsilonMax,
            let parameters = json["parameters"], parameters.isObject,
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
            guard let value = radius.integer, (0...bits).contains(value) else { return nil }
        }
        if let base = parameters["base"], base.string == nil { return nil }
        if let cap = parameters["cap"], cap.double == nil { return nil }
        let certificate = json["certificate"].flatMap(Certificate.init)
        if certificate == nil && json["certificate"] != nil { return nil }
        let measured = json["measured"].flatMap(Measured.init)
        if measured == nil && json["measured"] != nil { return nil }
        self.init(
            mechanism: mechanism, epsilon: epsilon, goal: goal, measured: measured,
            given: parameters, certificate: certificate)
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
    fileprivate init?(_ json: JSON) {
        guard let epsilon = json["certified_epsilon"]?.double, let index = json["index"]?.string,
            isDigest(index)
        else { return nil }
        self.init(certifiedEpsilon: epsilon, index: index)
    }
}

extension Measured {
    fileprivate init?(_ json: JSON) {
        guard let attacker = json["attacker"]?.string, let over = json["over"]?.string,
            let file = json["text"], file == .null || file.string != nil,
            let unchanged = json["unchanged"].flatMap(Estimate.init(share:)),
            let attackSuccess = json["attack_success"].flatMap(Estimate.init(share:)),
            let least = json["worst"]
        else { return nil }
        let worst = Estimate(share: least)
        if worst == nil && least != .null { return nil }
        self.init(
            attacker: attacker, over: over, text: file.string, unchanged: unchanged,
            attackSuccess: attackSuccess, worst: worst)
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
