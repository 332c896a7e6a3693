import Foundation
import Testing

@testable import Brrkit

/// The bundles that the Python runtime's tests open: those that it refuses are refused here, for the same
/// file and the same field.
struct HostileBundlesTests {
    private func outcome(_ each: JSON) -> Result<WordBundle, BrrError> {
        let verify = each["verify_hashes"] == .boolean(true)
        return Result { () throws(BrrError) in
            try WordBundle(contentsOf: folder(each), verifyHashes: verify)
        }
    }

    private func folder(_ each: JSON) -> URL { Work.file("hostile/\(each["bundle"]!.string!)") }

    @Test func whatPythonOpensIsOpened() throws {
        let good = try Work.cases("hostile/cases.jsonl").filter { $0["error"] == .null }
        #expect(good.count >= 10)
        for each in good { #expect(try outcome(each).get().count >= 2, "\(each.written)") }
    }

    @Test func whatPythonRefusesIsRefused() throws {
        let hostile = try Work.cases("hostile/cases.jsonl").filter { $0["error"] != .null }
        #expect(hostile.count >= 400)
        for each in hostile {
            guard case .failure(let error) = outcome(each) else {
                Issue.record("opened: \(each.written)")
                continue
            }
            #expect(error.kind == .bundle)
            #expect(error.message.count <= 400 && !error.message.contains("\n"))
            let message = error.message
            let expected = each["error"]!.string!
            #expect(file(expected) == file(message), "\(expected)\n\(message)")
            #expect(quoted(expected) == quoted(message), "\(expected)\n\(message)")
        }
    }

    /// Returns the name of the file in a message. The folder's name may be too long for the message.
    private func file(_ message: String) -> Substring? {
        message.prefix { $0 != ":" }.split(separator: "/").last
    }

    /// Returns the names of fields and tensors in a message.
    private func quoted(_ message: String) -> [Substring] {
        message.split(separator: "'", omittingEmptySubsequences: false).dropLast().enumerated()
            .filter { $0.offset % 2 == 1 }.map(\.element)
    }

    /// Bundles with other bytes and matching digests, new ones in the nightly tests: both runtimes open them
    /// and find the same words, or both refuse them. The end of this test shows that none of them traps.
    /// Earlier findings are among the others.
    @Test(.enabled(if: Work.has("mutants.jsonl"), "there are mutants each night"))
    func theVerdictOnMutantsIsPythons() throws {
        let mutants = try Work.cases("mutants.jsonl")
        let base = try #require(mutants.first?["base"])
        let directory = try Work.temporaryFolder()
        var written = [String: JSON]()
        var opened = 0
        for each in mutants.dropFirst() {
            try write(each["files"]!, over: base, to: directory, &written)
            let verdict = try verdict(directory, each["verify_hashes"] == .boolean(true))
            #expect(verdict == each["verdict"]!.string, "\(each["kind"]!.written)")
            if verdict != "refused" { opened += 1 }
        }
        #expect(10 * opened > mutants.count)
    }

    /// Writes the files that differ from those that are `written`.
    private func write(
        _ files: JSON, over base: JSON, to directory: URL, _ written: inout [String: JSON]
    ) throws {
        for name in ["manifest.json", "index.safetensors", "randomizer.tflite"] {
            let content = files[JSON.Text(name)] ?? base[JSON.Text(name)] ?? .null
            if written[name] == content { continue }
            written[name] = content
            let file = directory.appendingPathComponent(name)
            if let content = content.string {
                try Data(base64Encoded: content)!.write(to: file)
            } else {
                try? FileManager.default.removeItem(at: file)
            }
        }
    }

    private func verdict(_ directory: URL, _ verifyHashes: Bool) throws -> String {
        let bundle: WordBundle
        do {
            bundle = try WordBundle(contentsOf: directory, verifyHashes: verifyHashes)
        } catch {
            #expect(error.message.unicodeScalars.count <= 400)
            return "refused"
        }
        let words = (0..<bundle.count).map { bundle.vocabulary.word($0)! }
        for word in words {
            let found = bundle.vocabulary.find(word)
            #expect(found == nil || Array(words[found!].utf8) == Array(word.utf8))
        }
        _ = try? bundle.neighbors(of: words[0], k: 1)  // not found where words are in no order
        _ = bundle.vocabulary.completions(of: words[1].prefix(1), limit: 3)
        _ = bundle.tokenize(words.joined(separator: " "))
        let counts = try Counts(bundle, setting: CountsSetting(cap: 1))
        #expect(Set(words + [Counts.unknown]).contains(try counts.word(words[0])))
        let mechanisms = bundle.listOf == nil ? [Mechanism.brr, .vickrey(), .exponential] : []
        for mechanism in mechanisms {
            let privatizer = try Privatizer(
                bundle, setting: Setting(epsilon: 1, mechanism: mechanism))
            let released = try privatizer.words([words[0], "qqqq", words[bundle.count - 1]])
            #expect(released.count == 3 && Set(released).isSubset(of: words))
        }
        let setting: String
        do {
            _ = try Privatizer(bundle)
            setting = "recommended"
        } catch {
            setting = error.kind == .bundle ? "recommended, unknown" : "none recommended"
        }
        let digest = Array(words.map { $0 + "\n" }.joined().utf8).withUnsafeBytes(sha256)
        return "opened: \(bundle.bits) bits, \(setting), \(digest)"
    }
}
