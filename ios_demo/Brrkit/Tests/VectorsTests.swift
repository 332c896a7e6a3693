import Foundation
import Testing

@testable import Brrkit

/// The frozen cases of `spec/vectors` that don't belong to a bundle; the others are in ``GoldenCasesTests``.
struct VectorsTests {
    /// What the clocks say.
    private final class Clock: @unchecked Sendable {
        var now = Instant(time: 0, uptime: 0, boot: "")

        /// Makes it the time of a state, whose fields this returns.
        func set(to state: String) throws -> JSON {
            let fields = try JSON(parsing: Array(state.utf8))
            now = Instant(
                time: fields["latest"]!.integer!, uptime: fields["uptime"]!.integer!,
                boot: fields["boot"]!.string!)
            return fields
        }
    }

    private let clock = Clock()

    @Test func exactNumbers() throws {
        for each in try Vectors.read("exact")["cases"]!.array! {
            #expect(try wrongNumber(each) == nil, "\(each.written)")
        }
    }

    @Test func premises() throws {
        let content = try Vectors.read("tables")
        var count = 0
        func expect(_ each: JSON, _ check: () throws -> Void) {
            count += 1
            let holds = each["holds"] == .boolean(true)
            #expect(kind(check) == (holds ? nil : .parameter), "\(each.written)")
        }
        for each in content["weights"]!.array! {
            let weights = each["weights"]!.string!.split(separator: " ").map { Int64($0)! }
            expect(each) {
                try checkWeights(
                    weights, epsilon: each["epsilon"]!.double!, largest: each["largest"]!.integer!,
                    total: UInt64(each["total"]!.string!)!, cap: each["cap"]?.double)
            }
        }
        for each in content["flips"]!.array! {
            let threshold = Int64(each["threshold"]!.integer!)
            expect(each) { try checkFlips(threshold, epsilon: each["epsilon"]!.double!) }
        }
        for each in content["keep"]!.array! {
            let threshold = UInt64(each["threshold"]!.string!)!
            expect(each) {
                try checkKeep(
                    threshold, cap: each["cap"]!.double!, symbols: each["symbols"]!.integer!)
            }
        }
        #expect(count >= 40)
    }

    @Test func printedTables() throws {
        for each in try Vectors.read("tables")["printed"]!.array! {
            let bundle = try newFile()
            try FileManager.default.copyItem(
                at: Vectors.folder(each["bundle"]!.string!), to: bundle)
            let manifest = bundle.appendingPathComponent("manifest.json")
            try Data(each["manifest"]!.string!.utf8).write(to: manifest)
            let printed = try tablesOf(WordBundle(contentsOf: bundle))
            #expect(printed == each["tables"]!.string, "\(each["manifest"]!.written)")
        }
        #expect(kind { _ = try tablesOf(Vectors.bundles["list"]!) } == .parameter)
    }

    @Test func texts() throws {
        let vocabularies = try Vectors.read("tokenizer")["vocabularies"]!.array!
        let sources = vocabularies.map { given in
            Tokenizers.Source(
                writing: Writing(given["writing"]!)!,
                words: given["vocabulary"]!.strings.map { $0! },
                masses: given["masses"]!.array!.map { UInt8($0.integer!) },
                listOf: given["list_of"]?.string.flatMap(ListKind.init))
        }
        for (given, tokenizer) in zip(vocabularies, try Tokenizers.made(sources)) {
            for each in given["texts"]!.array! {
                let text = each["text"]!.string!
                // As JSON, because Swift's strings are equal if they look alike.
                #expect(
                    tokenizer.cut(text).map { JSON($0) } == each["tokens"]!.array!,
                    "\(each.written)")
                let words = tokenizer.words(text).map { $0.map { JSON($0) } ?? .null }
                #expect(words == each["words"]!.array!, "\(each.written)")
                let finished = tokenizer.finished(text).unicodeScalars.count
                #expect(finished == each["finished"]!.integer, "\(each.written)")
            }
        }
    }

    @Test func everyCodePoint() throws {
        var next = 0
        for each in try Vectors.read("tokenizer")["characters"]!.array! {
            let (first, last) = (each["first"]!.integer!, each["last"]!.integer!)
            #expect(first == next)
            var made = [Int32]()
            for value in first...last { made.append(outcome(UInt32(value)).littleEndian) }
            #expect(made.withUnsafeBytes(sha256) == each["sha256"]!.string, "\(each.written)")
            next = last + 1
        }
        #expect(next == 0x110000)
    }

    private func outcome(_ value: UInt32) -> Int32 {
        guard let scalar = Unicode.Scalar(value) else { return -1 }
        let normalized = codePoints(Writing.english.normalize(String(scalar)))
        if normalized.count != 1 { return normalized.isEmpty ? -3 : -2 }
        return isSeparator(normalized[0]) ? -1 : Int32(normalized[0])
    }

    /// What an app calls cuts at the same code points.
    @Test func everySeparatorCuts() {
        // Two million expectations would take longer than what they are about.
        let different = (UInt32(0)..<0x110000).first { value in
            guard let scalar = Unicode.Scalar(value) else { return false }
            let normalized = codePoints(Writing.english.normalize(String(scalar)))
            let isCut =
                normalized.contains(where: isSeparator) && !lookalikes.contains(normalized[0])
            return Work.bundle64.tokenize("a\(scalar)a").count != (isCut ? 2 : 1)
        }
        #expect(different == nil)
    }

    /// However they are read.
    @Test func aMemorysFirstDraws() throws {
        for each in try Vectors.read("memory")["draws"]!.array! {
            let file = try newFile()
            let state = each["file"]!.string!
            try Data(state.utf8).write(to: file)
            _ = try clock.set(to: state)
            let memory = try Memory(period: 1e12, keyFile: file) { [clock] in clock.now }
            let setting = MechanismSetting(
                mechanism: each["mechanism"]!.string!,
                numbers: bytes(ofHexadecimal: each["numbers"]!.string!))
            let word = each["known"] == .boolean(true) ? each["word"]!.string : nil
            let draw = try memory.key().draw(each["unit"]!.string!, setting, word)
            let drawn = [1, 31, 33, 35].flatMap { draw.bytes($0) }
            #expect(hexadecimal(drawn) == each["bytes"]!.string, "\(each.written)")
            #expect(try String(contentsOf: file, encoding: .utf8) == state)
        }
    }

    /// They are written again as they are.
    @Test func aBudgetsStates() throws {
        for state in try Vectors.read("budget")["states"]!.strings.map({ $0! }) {
            let file = try newFile()
            try Data(state.utf8).write(to: file)
            let fields = try clock.set(to: state)
            let budget = try newBudget(file, limit: 1e9, period: 1e12)
            let before = try number(of: file)
            try budget.spend(1, words: 0, unit: fields["unit"]!.string!)
            #expect(try number(of: file) != before)
            #expect(try String(contentsOf: file, encoding: .utf8) == state)
        }
    }

    @Test func aBudgetsLeases() throws {
        for each in try Vectors.read("budget")["leases"]!.array! {
            let file = try newFile()
            let budget = try newBudget(file, limit: each["limit"]!.double!, period: 3_600)
            for release in each["releases"]!.array!.map({ $0.array! }) {
                let (epsilon, words) = (release[0].double!, release[1].integer!)
                _ = kind { try budget.spend(epsilon, words: words, unit: "u") }
                let stored = try JSON(parsing: Array(Data(contentsOf: file)))["spent"]!.integer!
                try #require(String(stored) == release[2].string)
            }
        }
    }

    @Test func aBudgetsHistories() throws {
        for each in try Vectors.read("budget")["histories"]!.array! {
            let file = try newFile()
            guard case .object(let limits) = each["limits"]! else { throw JSONError() }
            let budgets = try limits.mapValues {
                try newBudget(file, limit: $0.double!, period: each["period"]!.double!)
            }
            for step in each["steps"]!.array! {
                let now = step["now"]!.array!
                clock.now = Instant(
                    time: now[0].integer!, uptime: now[1].integer!, boot: now[2].string!)
                let budget = budgets[JSON.Text(step["by"]!.string!)]!
                let refused = isRefused {
                    try budget.spend(
                        step["epsilon"]!.double!, words: step["words"]!.integer!,
                        unit: step["unit"]!.string!)
                }
                #expect(step["allowed"] == .boolean(!refused), "\(step.written)")
                #expect(try budget.remaining() == step["left"]!.double, "\(step.written)")
                let stored = try? String(contentsOf: file, encoding: .utf8)
                #expect(stored == step["file"]!.string, "\(step.written)")
            }
        }
    }

    private func newFile() throws -> URL {
        try Work.temporaryFolder().appendingPathComponent("state")
    }

    private func newBudget(_ file: URL, limit: Double, period: Double) throws -> PrivacyBudget {
        try PrivacyBudget(limit: limit, period: period, stateFile: file) { [clock] in clock.now }
    }

    /// Returns the identity of a file, to distinguish it from its replacement.
    private func number(of file: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int
    }

    @Test func manifestsAreRefused() throws {
        let content = try Vectors.read("refused-manifests")
        let bundle = try newFile()
        try FileManager.default.copyItem(
            at: Vectors.folder(content["bundle"]!.string!), to: bundle)
        let manifest = bundle.appendingPathComponent("manifest.json")
        try Data(content["accepted"]!.string!.utf8).write(to: manifest)
        _ = try WordBundle(contentsOf: bundle)
        let refused = content["refused"]!.array!
        #expect(refused.count >= 280)
        for each in refused {
            try Data(each["manifest"]!.string!.utf8).write(to: manifest)
            #expect(
                kind { _ = try WordBundle(contentsOf: bundle) } == .bundle,
                "\(each["wrong"]!.written)")
        }
    }
}
