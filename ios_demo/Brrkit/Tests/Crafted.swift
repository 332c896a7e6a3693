import Foundation

@testable import Brrkit

/// A bundle of some words x 64 bits that is written here, byte by byte, by `spec/bundle-format.md`: its
/// masses and bigrams are known, and each of its tensors can be damaged.
struct Crafted {
    /// Of each word, without its task bits.
    var codes: [UInt64]

    /// The task bits of each word, as many numbers as `taskNumbers`; in each a class of seven, in order.
    var tasks: [[UInt64]]
    var masses: [UInt8]
    var bigrams: [(before: Int, after: Int, gain: UInt8)]

    /// Makes one with 300 words, whose numbers have 9 bits, unless told.
    ///
    /// - Parameter taskNumbers: 64 task bits each; 0, 1 or 3, since there must be a bundle to take the graph
    ///   from.
    init(count: Int = 300, taskNumbers: Int = 0) {
        var state: UInt64 = 1
        func next() -> UInt64 {  // Knuth's generator
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
        codes = (0..<count).map { _ in next() << 33 ^ next() << 11 ^ next() }
        codes[7] = codes[0]
        tasks = (0..<count).map { _ in (0..<taskNumbers).map { _ in 1 << (next() % 7) - 1 } }
        masses = (0..<count).map { UInt8(max(100 - $0 / 3, 1)) }
        bigrams = []
        for before in [0, 1, 7, 150, 299] {
            for after in 0..<count where next() % 5 == 0 {
                bigrams.append((before, after, UInt8(1 + next() % 130)))
            }
        }
        if bigrams.last?.after != 299 { bigrams.append((299, 299, 90)) }
    }

    /// How many words there are.
    var count: Int { masses.count }

    /// The word with an id: positions and ids run in opposite directions.
    func word(_ id: Int) -> String {
        let digits = "\(count - 1 - id)"
        return "w" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// The integer for a byte of a mass: three bits of a number, and their position.
    static func level(_ byte: UInt8) -> Int64 {
        var (value, steps) = (Int64(byte), 0)
        while value >= 16 { (value, steps) = (value - 8, steps + 1) }
        return value << steps
    }

    /// The tensors in the order of the file, without the header.
    var tensors: [(name: String, type: String, shape: [Int], content: [UInt8])] {
        let n = count
        let words = (0..<n).map { [0] + Array(word(n - 1 - $0).utf8) }
        let starts = stride(from: 0, to: n, by: 16).map { words[..<$0].reduce(0) { $0 + $1.count } }
        let offsets = (starts + [words.joined().count]).flatMap { number in
            (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        let reversed = packed((0..<n).reversed())
        let before = packed(bigrams.map(\.before))
        let after = packed(bigrams.map(\.after))
        return [
            (
                "codes", "U64", [n, 1 + tasks[0].count],
                bytes(zip(codes, tasks).flatMap { [$0] + $1 })
            ),
            ("offsets", "U32", [offsets.count / 4], offsets),
            ("ids", "U8", [reversed.count], reversed),
            ("positions", "U8", [reversed.count], reversed),
            ("masses", "U8", [n], masses),
            ("before", "U8", [before.count], before),
            ("after", "U8", [after.count], after),
            ("gains", "U8", [bigrams.count], bigrams.map(\.gain)),
            ("words", "U8", [words.joined().count], Array(words.joined())),
        ]
    }

    private func packed(_ numbers: some Sequence<Int>) -> [UInt8] {
        let width = String(count - 1, radix: 2).count
        let bits = numbers.flatMap { number in (0..<width).map { UInt8(number >> $0 & 1) } }
        let content = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<min(start + 8, bits.count)].reversed().reduce(0) { $0 << 1 | $1 }
        }
        return content + [0, 0, 0]
    }

    /// Writes the bundle and opens it.
    ///
    /// - Parameters:
    ///   - recommended: a setting, as JSON.
    ///   - counts: one for counts, as JSON.
    ///   - frames: the shape of a day of text, as JSON.
    ///   - bigrams: how many there are, as JSON.
    ///   - taskBits: how many there are, as JSON.
    ///   - writing: how the language is written, as JSON.
    ///   - policy: what is secret, and what is nobody's secret, as JSON.
    func opened(
        recommended: String? = nil, counts: String? = nil, frames: String? = nil,
        bigrams: String? = nil, taskBits: String? = nil, writing: String? = nil,
        policy: String? = nil
    ) throws -> WordBundle {
        var start = 0
        let entries = tensors.map { tensor in
            defer { start += tensor.content.count }
            let shape = tensor.shape.map(String.init).joined(separator: ",")
            return "\"\(tensor.name)\":{\"dtype\":\"\(tensor.type)\",\"shape\":[\(shape)],"
                + "\"data_offsets\":[\(start),\(start + tensor.content.count)]}"
        }
        var header = "{" + entries.joined(separator: ",") + "}"
        while header.utf8.count % 8 != 0 { header += " " }
        let index =
            bytes([UInt64(header.utf8.count)]) + Array(header.utf8) + tensors.flatMap(\.content)
        let folder = try Work.temporaryFolder()
        let bits = 64 * (1 + tasks[0].count)
        let taskBits = taskBits ?? (bits > 64 ? "\(bits - 64)" : nil)
        let graph = Work.bundles.values.first { $0.bits == bits }!.graph
        let digest = index.withUnsafeBytes(sha256)
        let files = [
            ("index.safetensors", index.count), ("randomizer.tflite", graph.count),
            ("parity.json", 0),
        ].map { "\"\($0)\": {\"size\": \($1), \"sha256\": \"\(digest)\"}" }
        let manifest = """
            {"format": "brr-bundle", "format_version": 3, "bits": \(bits),
             \(taskBits.map { "\"task_bits\": \($0)," } ?? "")
             "vocabulary_size": \(count),
             "bigrams": \(bigrams ?? "\(self.bigrams.count)"),
             \(recommended.map { "\"recommended\": \($0)," } ?? "")
             \(counts.map { "\"counts\": \($0)," } ?? "")
             \(frames.map { "\"frames\": \($0)," } ?? "")
             \(writing.map { "\"writing\": \($0)," } ?? "")
             \(policy.map { "\"policy\": \($0)," } ?? "")
             "files": {\(files.joined(separator: ", "))}, "sha256": "\(digest)"}
            """
        try Data(index).write(to: folder.appendingPathComponent("index.safetensors"))
        try graph.write(to: folder.appendingPathComponent("randomizer.tflite"))
        try Data(manifest.utf8).write(to: folder.appendingPathComponent("manifest.json"))
        return try WordBundle(contentsOf: folder, verifyHashes: false)
    }

    /// Every word's mass after the word `before`.
    func measure(_ base: Base, after before: Int?) -> [Int64] {
        var measure = masses.map { base == .uniform ? 1 : Crafted.level($0) }
        for each in bigrams where base == .bigram && each.before == before {
            measure[each.after] += Crafted.level(each.gain)
        }
        return measure
    }

    /// The upper bound on the sum of a measure.
    func most(_ base: Base) -> Int64 {
        (0..<count).map { measure(base, after: $0).reduce(0, +) }.max()!
    }

    /// The distances of all words from one, with a weight for task bits.
    func distances(from id: Int, taskWeight: Int = 1) -> [Int] {
        codes.indices.map { other in
            zip(tasks[id], tasks[other]).reduce((codes[id] ^ codes[other]).nonzeroBitCount) {
                $0 + taskWeight * ($1.0 ^ $1.1).nonzeroBitCount
            }
        }
    }

    /// The id that takes the place of an unknown word, by looking at every word.
    func standIn(_ random: any RandomSource) throws -> Int {
        let measure = measure(.unigram, after: nil)
        var number = try random.uniform(below: measure.reduce(0, +))
        return measure.firstIndex { mass in
            number -= mass
            return number < 0
        }!
    }

    /// The id that two numbers draw, by looking at every word.
    func drawn(
        _ weights: [Int64], _ base: Base, from id: Int, after before: Int?,
        _ random: any RandomSource, taskWeight: Int = 1
    ) throws -> Int {
        let measure = measure(base, after: before)
        let distances = distances(from: id, taskWeight: taskWeight)
        let order = distances.indices.sorted { (distances[$0], $0) < (distances[$1], $1) }
        let shares = order.map { measure[$0] * weights[distances[$0]] }
        var number = try random.uniform(below: shares.reduce(0, +))
        let first = zip(order, shares).first { pair in
            number -= pair.1
            return number < 0
        }
        let there = order.filter { distances[$0] == distances[first!.0] }
        number = try random.uniform(below: there.reduce(0) { $0 + measure[$1] })
        return there.first { id in
            number -= measure[id]
            return number < 0
        }!
    }
}
