import Foundation

@testable import Brrkit

/// The frozen cases of `spec`, which all runtimes read.
enum Vectors {
    private static let spec = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../spec").standardizedFileURL

    private static let names = ["spaced", "unspaced", "tasks", "policy", "list"]

    /// The conformance bundles, by their names.
    static let bundles = names.reduce(into: [String: WordBundle]()) { bundles, name in
        bundles[name] = try! WordBundle(contentsOf: folder(name))
    }

    /// Returns the folder of a conformance bundle.
    static func folder(_ name: String) -> URL { spec.appendingPathComponent("conformance/\(name)") }

    /// Returns the content of a file of `spec/vectors`.
    static func read(_ name: String) throws -> JSON {
        try json(spec.appendingPathComponent("vectors/\(name).json"))
    }

    /// Returns the cases of a kind, with their bundles: frozen ones, and those of newly built bundles.
    static func cases(_ kind: JSON.Text) throws -> [(WordBundle, JSON)] {
        var cases = [(WordBundle, JSON)]()
        func add(_ bundle: WordBundle, _ kinds: JSON?) {
            cases += (kinds?[kind]?.array ?? []).map { (bundle, $0) }
        }
        for name in names {
            add(bundles[name]!, try json(folder(name).appendingPathComponent("parity.json")))
            for file in ["releases", "counts", "memory", "frames"] {
                add(bundles[name]!, try read(file)["bundles"]?[JSON.Text(name)])
            }
        }
        for (name, bundle) in Work.all where Work.has("bundles/\(name)/parity.json") {
            add(bundle, try json(Work.file("bundles/\(name)/parity.json")))
        }
        return cases
    }

    private static func json(_ file: URL) throws -> JSON {
        try JSON(parsing: Array(Data(contentsOf: file)))
    }
}

/// Returns the marks of a case, which count code points.
func marks(_ each: JSON, in text: String) -> [Mark] {
    let scalars = text.unicodeScalars
    return (each["marks"]?.array ?? []).map { given in
        let ends = [0, 1].map {
            scalars.index(scalars.startIndex, offsetBy: given.array![$0].integer!)
        }
        return Mark(ends[0]..<ends[1], list: given.array!.dropFirst(2).first?.string)
    }
}

/// Returns a case's treatment of the text outside marks.
func rest(_ each: JSON) -> Rest { each["rest"] == "pass" ? .pass : .release }

/// Returns the content of the batches in a case of frames: a list for each day that its steps end.
func framedDays(_ each: JSON, _ bundle: WordBundle, _ random: any RandomSource) throws -> JSON {
    let reporter = try TextReporter(
        bundle,
        setting: Setting(epsilon: each["epsilon"]!.double!, mechanism: each.asMechanism),
        frames: Frames(each["frames"]!), random: random)
    var days = [JSON]()
    for step in each["steps"]!.array! {
        if let text = step["add"]?.string {
            try reporter.add(text, marks: marks(step, in: text))
        } else if let word = step["word"]?.string {
            try reporter.word(word)
        } else if step["end"] != nil {
            try reporter.end()
        } else {
            let batches = try reporter.batches(of: Date(timeIntervalSince1970: 0)).map {
                try JSON(parsing: Array($0))
            }
            days.append(.array(batches.map { ["batch": $0["batch"]!, "words": $0["words"]!] }))
        }
    }
    return .array(days)
}

/// Returns a number that follows from a case, and that it says otherwise; nil if there is none.
func wrongNumber(_ each: JSON) throws -> String? {
    let numbers = try numbers(
        epsilon: each["epsilon"]!.double!, bits: each["bits"]!.integer!,
        total: each["total"]!.integer!, t: each["t"]!.double!,
        distance: each["distance"]!.integer!, radius: each["radius"]!.integer!,
        cap: each["cap"]!.double, symbols: each["symbols"]!.integer!)
    for (name, value) in numbers {
        // Doubles are written in several ways.
        let same =
            value.isInteger || value.string != nil || value == .null
            ? each[name] == value : each[name]?.double == value.double
        if !same { return "\(name.string): \(value.written)" }
    }
    return nil
}

/// Returns the numbers that follow from a setting, with it.
func numbers(
    epsilon: Double, bits: Int, total: Int, t: Double, distance: Int, radius: Int,
    cap: Double?, symbols: Int
) throws -> [JSON.Text: JSON] {
    let response = try cap.map { try RandomizedResponse(cap: $0, symbols: symbols) }
    let threshold = try flipThreshold(epsilon)
    let weights = try weightTable(
        epsilon: epsilon, bits: bits, total: Int64(total), radius: radius, cap: cap)
    let digest = bytes(weights.map { UInt64($0) }).withUnsafeBytes(sha256)
    return [
        "epsilon": JSON(epsilon), "bits": JSON(bits), "total": JSON(total), "t": JSON(t),
        "distance": JSON(distance), "radius": JSON(radius), "threshold": JSON(threshold),
        "cap": cap.map { JSON($0) } ?? .null, "symbols": JSON(symbols),
        "keep_threshold": response.map { JSON($0.threshold) } ?? .null,
        "counts_loss": response.map { JSON($0.loss) } ?? .null, "weights": JSON(digest),
        "decay": JSON(decay(Rational(t) * distance)), "cost": JSON(try costOf(epsilon)),
        "effective_threshold": JSON(thresholdEpsilon(threshold)),
        "effective_weights": JSON(weightsEpsilon(weights)),
    ]
}
