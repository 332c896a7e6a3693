/// A mechanism. `docs/explanation/proofs.md` states the guarantee of each, and
/// `docs/explanation/mechanisms.md` explains which one to choose. ``Privatizer`` checks its parameters.
public struct Mechanism: Hashable, Sendable {
    enum Recipe: Hashable, Sendable {
        case brr
        case vickrey(t: Double)
        case vickreyAmongSeveral(t: [Double])
        case exponential(radius: Int?, base: Base?, cap: Double?, taskWeight: Int?)
        /// A recommended mechanism that this version doesn't know, or whose parameters it doesn't know.
        case unknown(name: String, parameters: JSON, why: String)
    }

    let recipe: Recipe

    /// Flips bits of the word's code, and takes the word nearest to the noised code.
    public static let brr = Mechanism(recipe: .brr)

    /// Draws a word with integer weights that fall with distance. It keeps the most meaning at equal attack
    /// success.
    ///
    /// Its parameters have their defaults: the radius is an eighth of the code's bits without task bits, the
    /// base is the last in the bundle, there is no cap, and task bits have the weight 1.
    public static let exponential = exponential()

    /// Draws a word with integer weights that fall with distance, beyond a radius.
    ///
    /// - Parameters:
    ///   - radius: from 0 to the number of bits without task bits: words within it are nearly as probable
    ///     outputs as the word itself. By default an eighth of these bits.
    ///   - base: the base measure, which makes some words more probable. By default the last in the bundle.
    ///   - cap: from 1e-9 to 88: the upper bound on the privacy loss between any two words. By default, only
    ///     epsilon times their distance bounds it.
    ///   - taskWeight: from 0 to 16: the weight of a differing task bit. By default 1, as for any bit. Only
    ///     for bundles with task bits.
    public static func exponential(
        radius: Int? = nil, base: Base? = nil, cap: Double? = nil, taskWeight: Int? = nil
    ) -> Mechanism {
        Mechanism(
            recipe: .exponential(radius: radius, base: base, cap: cap, taskWeight: taskWeight))
    }

    /// Flips bits, and chooses between the two nearest words, so fewer words come out unchanged.
    ///
    /// - Parameter t: from 0 to 1. The nearest word is chosen with probability (1 - t) d2 / (t d1 + (1 - t)
    ///   d2), where d1 and d2 are the distances to the two nearest words. 0 is ``brr``; 1 always chooses the
    ///   second word.
    public static func vickrey(t: Double = 0.5) -> Mechanism { Mechanism(recipe: .vickrey(t: t)) }

    /// Flips bits, and chooses among the k nearest words.
    ///
    /// - Parameter t: k numbers >= 0, at most 64: the r-th nearest word is chosen with probability
    ///   proportional to exp(-t_r d_r), where d_r is its distance.
    public static func vickrey(t: [Double]) -> Mechanism {
        Mechanism(recipe: .vickreyAmongSeveral(t: t))
    }

    /// The name in all runtimes: `brr`, `vickrey` or `exponential`.
    public var name: String {
        switch recipe {
        case .brr: return "brr"
        case .vickrey, .vickreyAmongSeveral: return "vickrey"
        case .exponential: return "exponential"
        case .unknown(let name, _, _): return name
        }
    }

    /// The given parameters: `Int`, `Double`, `String` or arrays of numbers.
    public var parameters: [String: any Sendable] { given.fields }

    /// Creates the mechanism with a name and parameters in the form of files. Invalid values cause an error
    /// at their use.
    init(name: String, _ parameters: [JSON.Text: JSON]) {
        do {
            self = try Mechanism(name, parameters)
        } catch {
            let given = JSON.object(parameters)
            self.init(recipe: .unknown(name: name, parameters: given, why: error.message))
        }
    }

    /// Returns the mechanism with this name, with its default parameters.
    ///
    /// Use it for stored names, such as a user's choice in an app's settings.
    ///
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/parameter``: there is no such mechanism.
    public static func named(_ name: String) throws(BrrError) -> Mechanism {
        try Mechanism(name, [:])
    }

    /// Creates the mechanism with a name and parameters in the form of files.
    private init(_ name: String, _ parameters: [JSON.Text: JSON]) throws(BrrError) {
        let taken: [JSON.Text]
        switch name {
        case "brr":
            taken = []
            self = .brr
        case "exponential":
            taken = ["radius", "base", "cap", "task_weight"]
            let base = parameters["base"]?.string
            guard base == nil || Base(rawValue: base!) != nil else {
                let names = Base.allCases.map(\.rawValue).joined(separator: ", ")
                throw .parameter("there is no such base; choose one of: \(names)")
            }
            self = .exponential(
                radius: parameters["radius"]?.integer, base: base.flatMap(Base.init),
                cap: parameters["cap"]?.double, taskWeight: parameters["task_weight"]?.integer)
        case "vickrey":
            taken = ["t", "k"]
            if let several = parameters["t"]?.array {
                self = .vickrey(t: several.compactMap(\.double))
            } else {
                self = .vickrey(t: parameters["t"]?.double ?? 0.5)
            }
        default:
            throw .parameter(
                "mechanism '\(name)' is unknown; choose one of: brr, vickrey, exponential")
        }
        let unknown = parameters.keys.filter { !taken.contains($0) }.map(\.string).sorted()
        if let parameter = unknown.first {
            let names = taken.map(\.string).joined(separator: ", ")
            let accepted = taken.isEmpty ? "it takes none" : "it takes \(names)"
            throw .parameter("mechanism '\(name)' has no parameter '\(parameter)'; \(accepted)")
        }
        if let k = parameters["k"], k.integer != candidates {
            throw .parameter(
                "the stated k isn't the \(candidates) candidates that t gives; for another k, give t "
                    + "as a list of k numbers")
        }
    }

    /// The base on a bundle; nil for a mechanism without one.
    func base(_ bundle: WordBundle) -> Base? {
        guard case .exponential(_, let base, _, _) = recipe else { return nil }
        return base ?? bundle.masses.lastBase
    }

    /// The given parameters in the form of reports.
    package var given: JSON {
        switch recipe {
        case .brr: return [:]
        case .vickrey(let t): return ["t": JSON(t)]
        case .vickreyAmongSeveral(let t): return ["t": .array(t.map { JSON($0) })]
        case .exponential(let radius, let base, let cap, let taskWeight):
            let given: [JSON.Text: JSON?] = [
                "radius": radius.map { JSON($0) }, "base": base.map { JSON($0.rawValue) },
                "cap": cap.map { JSON($0) }, "task_weight": taskWeight.map { JSON($0) },
            ]
            return .object(given.compactMapValues { $0 })
        case .unknown(_, let parameters, _): return parameters
        }
    }

    /// Number of words among which it chooses.
    private var candidates: Int {
        switch recipe {
        case .vickrey: return 2
        case .vickreyAmongSeveral(let t): return t.count
        default: return 1
        }
    }

    /// Prepares the mechanism on a bundle.
    func sampler(
        _ bundle: WordBundle, _ epsilon: Double, _ randomizer: any Randomizer
    ) throws(BrrError) -> any Sampler {
        switch recipe {
        case .brr:
            return try BRR(bundle, epsilon, randomizer)
        case .vickrey(let t):
            return try Vickrey(BRR(bundle, epsilon, randomizer), t: t)
        case .vickreyAmongSeveral(let t):
            return try Vickrey(BRR(bundle, epsilon, randomizer), t: t)
        case .exponential(let radius, let base, let cap, let taskWeight):
            return try Exponential(
                bundle, epsilon, radius: radius, base: base, cap: cap, taskWeight: taskWeight)
        case .unknown(_, _, let why):
            throw .parameter(why)
        }
    }

    private init(recipe: Recipe) { self.recipe = recipe }
}

/// The interface of a mechanism for `Privatizer`: codes go in, ids of words come out.
protocol Sampler: Sendable {
    /// The requested epsilon per bit of Hamming distance.
    var epsilon: Double { get }

    /// The epsilon of the integers, rounded up; never above `epsilon`.
    var effectiveEpsilon: Double { get }

    /// The integers that decide its draws: weights, or the flip threshold.
    var integers: [Int64] { get }

    /// The mechanism's setting. Two mechanisms of a bundle with equal settings are the same.
    var setting: MechanismSetting { get }

    /// Returns the id of the released word for each of `codes` from one text.
    ///
    /// - Parameter before: id of the previously released word in the text, for the base `bigram`; nil at its
    ///   start.
    func release(
        _ codes: [[UInt64]], after before: Int?, _ random: any RandomSource
    ) throws(BrrError) -> [Int]
}
