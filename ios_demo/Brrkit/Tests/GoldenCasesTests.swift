import Foundation
import Testing

@testable import Brrkit

/// Golden cases: frozen ones, those of a bundle that the toolchain has just built and, in the nightly tests,
/// those of all bundles.
struct GoldenCasesTests {
    private func cases(_ kind: JSON.Text, _ least: Int, _ check: (WordBundle, JSON) throws -> Void)
        throws
    {
        let cases = try Vectors.cases(kind)
        #expect(cases.count >= least)
        for (bundle, each) in cases { try check(bundle, each) }
    }

    @Test func everyMechanismIsThere() throws {
        var found = Set<String>()
        try cases("cases", 40) { _, each in found.insert(each["mechanism"]!.string!) }
        #expect(found == ["brr", "vickrey", "exponential"])
    }

    @Test func releases() throws {
        try cases("cases", 40) { bundle, each in
            let random = Replay(bytes(ofHexadecimal: each["random"]!.string!))
            let privatizer = try Privatizer(
                bundle,
                setting: Setting(epsilon: each["epsilon"]!.double!, mechanism: each.asMechanism),
                random: random)
            var stream = stream(privatizer, bundle, each)
            #expect(try stream.word(each["word"]!.string!) == each["output"]!.string)
            #expect(random.left == 0)
        }
    }

    @Test func memories() throws {
        try cases("memory", 40) { bundle, each in
            let random = Replay(bytes(ofHexadecimal: each["random"]!.string!))
            let privatizer = try Privatizer(
                bundle,
                setting: Setting(epsilon: each["epsilon"]!.double!, mechanism: each.asMechanism),
                memory: Work.memory(each), secondEpsilon: each["second_epsilon"]!.double,
                random: random)
            var stream = stream(privatizer, bundle, each)
            #expect(try stream.word(each["word"]!.string!) == each["output"]!.string)
            #expect(random.left == 0)
        }
    }

    /// Continues a text after the word that a case states.
    private func stream(
        _ privatizer: Privatizer, _ bundle: WordBundle, _ each: JSON
    ) -> Privatizer.Stream {
        let before = each["before"]?.string.map { bundle.vocabulary.find($0)! }
        return Privatizer.Stream(privatizer, after: before)
    }

    @Test func streams() throws {
        try cases("streams", 20) { bundle, each in
            let words = each["words"]!.strings.map { $0! }
            let random = Replay(bytes(ofHexadecimal: each["random"]!.string!))
            var stream = try privatizer(bundle, each, random).stream()
            #expect(try words.map { try stream.word($0) } == each["outputs"]!.strings)
            #expect(random.left == 0)
        }
    }

    @Test func calls() throws {
        try cases("calls", 40) { bundle, each in
            let random = Replay(bytes(ofHexadecimal: each["random"]!.string!))
            let privatizer = try privatizer(bundle, each, random)
            let outputs: [String]
            if let texts = each["texts"]?.strings {
                outputs = try privatizer.texts(texts.map { $0! })
            } else {
                outputs = try privatizer.words(each["words"]!.strings.map { $0! })
            }
            #expect(outputs == each["outputs"]!.strings)
            #expect(random.left == 0)
        }
    }

    @Test func marked() throws {
        var found = Set<Rest>()
        try cases("marked", 40) { bundle, each in
            let random = Replay(bytes(ofHexadecimal: each["random"]!.string!))
            let text = each["text"]!.string!
            let released = try privatizer(bundle, each, random).text(
                text, marks: marks(each, in: text), rest: rest(each))
            // As JSON, because Swift's strings are equal if they look alike.
            #expect(JSON(released) == each["output"]!, "\(each.written)")
            #expect(random.left == 0)
            found.insert(rest(each))
        }
        #expect(found == Set(Rest.allCases))
    }

    @Test func sessions() throws {
        try cases("sessions", 10) { bundle, each in
            let random = Replay(bytes(ofHexadecimal: each["random"]!.string!))
            var session = try Session(bundle, random: random)
            let hidden = try zip(each["texts"]!.strings, each["marks"]!.array!).map { text, given in
                try session.hide(text!, marks: marks(["marks": given], in: text!))
            }
            // As JSON, because Swift's strings are equal if they look alike.
            #expect(hidden.map { JSON($0) } == each["outputs"]!.array!, "\(each.written)")
            let restored = session.restore(each["reply"]!.string!)
            #expect(JSON(restored) == each["restored"]!, "\(each.written)")
            #expect(random.left == 0)
        }
    }

    private func privatizer(
        _ bundle: WordBundle, _ each: JSON, _ random: Replay
    ) throws -> Privatizer {
        try Privatizer(
            bundle,
            setting: Setting(epsilon: each["epsilon"]!.double!, mechanism: each.asMechanism),
            oov: each["oov"]!.string == "drop" ? .drop : .random, random: random)
    }

    @Test func samples() throws {
        try cases("samples", 30) { bundle, each in
            let random = Replay(bytes(ofHexadecimal: each["random"]!.string!))
            let setting = CountsSetting(
                cap: each["cap"]!.double!, wordsADay: each["words_a_day"]!.integer!)
            let counts = try Counts(bundle, setting: setting, random: random)
            let reporter = try Reporter(counts, random: random)
            try reporter.add(each["words"]!.strings.map { $0! })
            #expect(reporter.sample.words == each["outputs"]!.strings)
            #expect(random.left == 0)
        }
    }

    @Test func counts() throws {
        var memories = 0
        try cases("counts", 100) { bundle, each in
            let random = Replay(bytes(ofHexadecimal: each["random"]!.string!))
            let counts = try Counts(
                bundle, setting: CountsSetting(cap: each["cap"]!.double!),
                memory: Work.memory(each),
                secondCap: each["second_cap"]?.double, random: random)
            #expect(try counts.word(each["word"]!.string!) == each["output"]!.string)
            #expect(random.left == 0)
            if counts.memory != nil { memories += 1 }
        }
        #expect(memories >= 20)
    }

    @Test func frames() throws {
        try cases("frames", 30) { bundle, each in
            let random = Replay(bytes(ofHexadecimal: each["random"]!.string!))
            let days = try framedDays(each, bundle, random)
            #expect(days == each["days"]!, "\(each.written)")
            #expect(random.left == 0)
        }
    }

    @Test func noisedCodes() throws {
        var count = 0
        try cases("cases", 40) { bundle, each in
            guard let noised = each["noised"]?.string else { return }
            let random = bytes(ofHexadecimal: each["random"]!.string!)
            // What an unknown word's place cost stands before the numbers, vickrey's draw behind; a coin
            // of 8 bytes before them where words pass.
            guard let id = bundle.tokenizer.token(each["word"]!.string!).wordID else { return }
            let coin = bundle.policy.passing == nil ? 0 : 8
            var code = bundle.index.codes[id]
            SwiftRandomizer().flip(
                &code, random: Array(random[coin..<coin + 4 * bundle.bits]),
                threshold: Int32(each["threshold"]!.integer! - 1 << 31))
            #expect(hexadecimal(bytes(code)) == noised)
            count += 1
        }
        #expect(count >= 20)
    }

    @Test func thresholds() throws {
        try cases("thresholds", 30) { _, each in
            let threshold = try flipThreshold(each["epsilon"]!.double!)
            #expect(Int(threshold) == each["threshold"]!.integer)
        }
    }

    @Test func texts() throws {
        try cases("texts", 100) { bundle, each in
            let text = each["text"]!.string!
            // As JSON, because Swift's strings are equal if they look alike.
            let tokens = bundle.tokenize(text).map { JSON($0) }
            #expect(tokens == each["tokens"]!.array!, "\(each.written)")
            let finished = bundle.finished(text).unicodeScalars.count
            #expect(finished == each["finished"]!.integer, "\(each.written)")
            let words = bundle.tokenizer.words(text).map { $0.map { JSON($0) } ?? .null }
            #expect(words == each["words"]!.array!, "\(each.written)")
        }
    }
}
